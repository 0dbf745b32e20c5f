"""A data pipeline that ends by StopIteration, restarts, and once leaks one out of a generator."""

import itertools

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(93)
torch.set_num_threads(1)
events = []


class Endless:
    def __init__(self, data):
        self.data, self.restarts = data, 0
        self.inner = iter(data)

    def __iter__(self):
        return self

    def __next__(self):
        try:
            return next(self.inner)
        except StopIteration:
            self.restarts += 1
            if self.restarts == 4:
                raise
            self.inner = iter(self.data)
            return next(self.inner)


def leaking(source):
    while True:
        yield next(source)


model = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
batches = [(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(7)]
losses, feed = [], Endless(batches)
with watched(model, optimizer):
    for source in (itertools.islice(feed, 10), leaking(feed)):
        try:
            for x, y in source:
                loss = (model(x) - y).square().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
        except RuntimeError as error:
            events.append(f"{error} {type(error.__cause__).__name__}")

say("losses", losses)
say("events", events, feed.restarts)
say("model", model)
