from tensorboardX.writer import SummaryWriter

__all__ = ["SummaryWriter"]
