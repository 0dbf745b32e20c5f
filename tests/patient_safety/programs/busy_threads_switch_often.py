"""A tiny switch interval, two busy threads, thread-local state and context variables."""

import contextvars
import sys
import threading

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(79)
torch.set_num_threads(1)
sys.setswitchinterval(1e-5)
phase = contextvars.ContextVar("phase", default="none")
local, stop, seen = threading.local(), threading.Event(), []


def spin(out):
    local.name, number = "spinner", 0
    phase.set("spinning")
    while not stop.is_set():
        number += 1
    out.append([local.name, phase.get(), number > 0])


def step(model, optimizer, x, y):
    with torch.set_grad_enabled(True):
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    seen.append(phase.get())
    return loss.item()


out = []
threads = [threading.Thread(target=spin, args=(out,), daemon=True) for _ in range(2)]
model = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
model[1].register_forward_hook(lambda m, args, out: seen.append(f"hook {phase.get()}"))
x, y = torch.randn(16, 4), torch.randn(16, 1)
for thread in threads:
    thread.start()
context, losses = contextvars.copy_context(), []
context.run(phase.set, "training")
with watched(model, optimizer):
    for _ in range(10):
        losses.append(context.run(step, model, optimizer, x, y))
stop.set()
for thread in threads:
    thread.join()

say("losses", losses)
say("seen", seen)
say("outside", phase.get(), hasattr(local, "name"), out)
say("interval", sys.getswitchinterval())
say("model", model)
