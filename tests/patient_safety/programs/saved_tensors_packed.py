"""Saved tensors are packed to half size and counted by the user's own saved_tensors_hooks."""

import torch
from patient import say, watched
from torch import nn
from torch.autograd.graph import save_on_cpu, saved_tensors_hooks

torch.manual_seed(41)
torch.set_num_threads(1)
packed, unpacked = [], []


def pack(tensor):
    packed.append(list(tensor.shape))
    return tensor.to(torch.bfloat16) if tensor.is_floating_point() else tensor


def unpack(stored):
    unpacked.append(list(stored.shape))
    return stored.float() if stored.is_floating_point() else stored


model = nn.Sequential(nn.Linear(5, 7), nn.GELU(), nn.Linear(7, 7), nn.Softmax(1), nn.Linear(7, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
x, y = torch.randn(12, 5), torch.randn(12, 1)
losses, live = [], []
with watched(model, optimizer):
    for step in range(16):
        with saved_tensors_hooks(pack, unpack) if step % 4 else save_on_cpu():
            loss = (model(x) - y).square().mean()
        live.append(len(packed) - len(unpacked))
        optimizer.zero_grad()
        loss.backward()
        live.append(len(packed) - len(unpacked))
        optimizer.step()
        losses.append(loss.item())

say("losses", losses)
say("packed", packed)
say("unpacked", unpacked)
say("live", live)
say("model", model)
