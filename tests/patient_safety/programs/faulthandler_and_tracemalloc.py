"""faulthandler with a file of the user's and a pending dump, and tracemalloc on with one frame."""

import faulthandler
import tracemalloc

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(109)
torch.set_num_threads(1)

tracemalloc.start(1)
crashes = open("crashes.txt", "w+")  # noqa: SIM115
faulthandler.enable(file=crashes)
faulthandler.dump_traceback_later(300, file=crashes)
model = nn.Sequential(nn.Linear(4, 6), nn.Hardswish(), nn.Linear(6, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(16, 4), torch.randn(16, 1)
losses, traced = [], []
with watched(model, optimizer):
    for step in range(30):
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if step % 10 == 5:
            mine = bytearray(12_345)
            frame = tracemalloc.get_object_traceback(mine)[0]
            traced.append(frame.filename.endswith("faulthandler_and_tracemalloc.py"))
            tracemalloc.reset_peak()

say("tracing", tracemalloc.is_tracing(), tracemalloc.get_traceback_limit(), traced)
faulthandler.cancel_dump_traceback_later()
faulthandler.dump_traceback(file=crashes)
crashes.seek(0)
say("crashes", crashes.read().count("Current thread"), faulthandler.is_enabled())
crashes.truncate(0)  # addresses are never the same
say("losses", losses)
say("model", model)
