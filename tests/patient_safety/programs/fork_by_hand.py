"""os.fork in mid-run: the child goes on training, writes a file and leaves by os._exit."""

import os
import sys

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(33)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.3), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
x, y = torch.randn(16, 4), torch.randn(16, 1)


def step():
    loss = (model(x) - y).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


losses, statuses = [], []
with watched(model, optimizer):
    for number in range(20):
        losses.append(step())
        if number in (4, 11):
            sys.stdout.flush()
            child = os.fork()
            if child == 0:
                more = [step() for _ in range(5)]
                torch.save((more, model.state_dict()), f"child{number}.pt")
                os._exit(number)
            statuses.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

for number in (4, 11):
    more, weights = torch.load(f"child{number}.pt")
    say(f"child {number}", more, weights, more == losses[number + 1 : number + 6])
say("statuses", statuses)
say("losses", losses)
say("model", model)
say("optimizer", optimizer)
say("rng", torch.get_rng_state())
