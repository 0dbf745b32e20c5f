"""Two averaged models beside the trained one, and their batch statistics computed at the end."""

import torch
from patient import say, watched
from torch import nn
from torch.optim import swa_utils

torch.manual_seed(24)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(4, 10), nn.BatchNorm1d(10), nn.Tanh(), nn.Linear(10, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
ema = swa_utils.AveragedModel(
    model, multi_avg_fn=swa_utils.get_ema_multi_avg_fn(0.95), use_buffers=True
)
swa = swa_utils.AveragedModel(model)
scheduler = swa_utils.SWALR(optimizer, swa_lr=0.01, anneal_epochs=5)
batches = [(torch.randn(16, 4), torch.randn(16, 1)) for _ in range(4)]
losses, gaps = [], []
with watched(model, optimizer):
    for epoch in range(10):
        for x, y in batches:
            loss = (model(x) - y).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            ema.update_parameters(model)
            losses.append(loss.item())
        if epoch >= 5:
            swa.update_parameters(model)
            scheduler.step()
        with torch.no_grad():
            gaps.append((ema(batches[0][0]) - model(batches[0][0])).abs().max().item())
    swa_utils.update_bn([x for x, _ in batches], swa)

say("losses", losses)
say("gaps", gaps)
say("model", model)
say("ema", ema)
say("swa", swa)
say("optimizer", optimizer)
