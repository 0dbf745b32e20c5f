"""SIGALRM raises a timeout out of whatever runs, which the user catches to end the epoch."""

import signal
import time

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(27)
torch.set_num_threads(1)


class EpochTimeout(BaseException):
    pass


def on_alarm(number, frame):
    raise EpochTimeout(f"signal {number}")


class Slow(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.sleep = 0.0

    def forward(self, x):
        if self.sleep:
            time.sleep(self.sleep)
        return self.linear(x)


signal.signal(signal.SIGALRM, on_alarm)
model = nn.Sequential(Slow(), nn.Tanh(), nn.Linear(3, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
x, y = torch.randn(16, 3), torch.randn(16, 1)
losses, timeouts = [], []
with watched(model, optimizer):
    for epoch in range(4):
        try:
            for step in range(8):
                if step == 5:
                    signal.setitimer(signal.ITIMER_REAL, 0.05)
                    model[0].sleep = 30.0
                loss = (model(x) - y).square().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
        except EpochTimeout as timeout:
            timeouts.append(f"{epoch} {step} {timeout}")
            model[0].sleep = 0.0

say("losses", losses)
say("timeouts", timeouts)
say("handler", signal.getsignal(signal.SIGALRM) is on_alarm)
say("model", model)
say("optimizer", optimizer)
