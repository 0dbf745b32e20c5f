"""An assert in a nested module fails in mid-run and nobody catches it: exit code 1."""

import traceback

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(96)
torch.set_num_threads(1)
losses = []


class Checked(nn.Module):
    def forward(self, x):
        assert len(losses) < 15, f"too many steps: {len(losses)}"
        return x.relu()


model = nn.Sequential(nn.Linear(4, 6), nn.Sequential(Checked(), nn.Linear(6, 1)))
optimizer = torch.optim.RMSprop(model.parameters(), lr=0.01)
x, y = torch.randn(16, 4), torch.randn(16, 1)
try:
    with watched(model, optimizer):
        while True:
            loss = (model(x) - y).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
except AssertionError as error:
    frames = traceback.extract_tb(error.__traceback__)
    say("frames", frames[0].name, frames[-1].name, str(frames[-1].line))
    say("losses", losses)
    say("model", model)
    say("optimizer", optimizer)
    raise
