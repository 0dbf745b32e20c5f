"""Mixed precision on the CPU: autocast to bfloat16 and a GradScaler that meets an overflow."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(22)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**16, growth_interval=5)
x, y = torch.randn(32, 8), torch.randn(32, 2)
losses, scales, kinds = [], [], []
with watched(model, optimizer):
    for step in range(24):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = model(x)
            loss = (out - y).square().mean() * (float("inf") if step == 10 else 1.0)
        kinds.append([str(out.dtype), torch.is_autocast_enabled("cpu")])
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
        scales.append(scaler.get_scale())

say("losses", losses)
say("scales", scales)
say("kinds", kinds)
say("scaler", scaler.state_dict())
say("model", model)
say("optimizer", optimizer)
