"""The model and its optimizer are copied deeply in mid-run and the copies are trained as well."""

import copy

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(23)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(5, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
x, y = torch.randn(32, 5), torch.randn(32, 1)


def step(net, opt):
    loss = (net(x) - y).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


losses, twins, attributes = [], [], []
with watched(model, optimizer):
    for number in range(30):
        losses.append(step(model, optimizer))
        if number % 10 == 5:
            twin, twin_optimizer = copy.deepcopy((model, optimizer))
            mine = {id(p) for p in twin.parameters()}
            theirs = {id(p) for g in twin_optimizer.param_groups for p in g["params"]}
            twins.append([step(twin, twin_optimizer) for _ in range(3)])
            attributes.append([mine == theirs, sorted(vars(twin)), len(twin._forward_hooks)])
            attributes.append([sorted(vars(twin[0])), type(twin_optimizer).__name__])
            say("twin", twin)
            say("twin optimizer", twin_optimizer)

say("losses", losses)
say("twins", twins)
say("attributes", attributes)
say("model", model)
say("optimizer", optimizer)
