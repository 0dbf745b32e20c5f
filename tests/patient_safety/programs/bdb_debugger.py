"""A debugger on top of bdb steps through the training with a breakpoint and a few user lines."""

import bdb
import linecache

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(52)
torch.set_num_threads(1)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(8, 3), torch.randn(8, 1)
losses = []


def train(steps):
    for _ in range(steps):
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())


class Debugger(bdb.Bdb):
    def __init__(self):
        super().__init__(skip=["torch*", "contextlib"])
        self.visited, self.broke, self.returned = [], 0, []

    def user_line(self, frame):
        if frame.f_code is train.__code__:
            self.visited.append(linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip())
            self.broke += self.break_here(frame)
            self.set_next(frame)
        else:
            self.set_step()

    def user_return(self, frame, value):
        if frame.f_code is train.__code__:
            self.returned.append(str(value))
            self.set_continue()

    def user_exception(self, frame, info):
        self.returned.append(info[0].__name__)


debugger = Debugger()
with watched(model, optimizer):
    train(5)
    say(
        "breakpoint",
        str(debugger.set_break(train.__code__.co_filename, train.__code__.co_firstlineno + 5)),
    )
    debugger.runcall(train, 6)
    train(5)

say("visited", debugger.visited, debugger.broke)
say("returned", debugger.returned)
say("losses", losses)
say("model", model)
