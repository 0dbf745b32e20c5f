"""The root logger is at DEBUG and its only handler raises on any record but the user's own."""

import logging

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(49)
torch.set_num_threads(1)


class Strict(logging.Handler):
    def __init__(self):
        super().__init__()
        self.records = []

    def handle(self, record):
        if record.name != "experiment":
            raise AssertionError(f"a stranger logged: {record.name}: {record.getMessage()}")
        self.records.append(f"{record.levelname} {record.getMessage()}")
        return True


strict = Strict()
logging.basicConfig(level=logging.DEBUG, handlers=[strict], force=True)
logging.captureWarnings(True)
logging.raiseExceptions = True
log = logging.getLogger("experiment")
factory = logging.getLogRecordFactory()
model = nn.Sequential(nn.Linear(4, 6), nn.Mish(), nn.Linear(6, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(12, 4), torch.randn(12, 1)
losses = []
with watched(model, optimizer):
    for step in range(20):
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        log.debug("step %d loss %.6f", step, losses[-1])

say("losses", losses)
say("records", strict.records)
root = logging.getLogger()
say("root", root.level, len(root.handlers), root.filters, root.disabled)
say("class", logging.getLoggerClass().__name__, logging.getLogRecordFactory() is factory)
say("model", model)
