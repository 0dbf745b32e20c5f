"""KeyboardInterrupt arrives in mid-loop, by a real SIGINT and raised in a hook, and is caught."""

import signal

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(91)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
x, y = torch.randn(16, 4), torch.randn(16, 1)
losses, interrupts, calls = [], [], []
signal.signal(signal.SIGINT, signal.default_int_handler)


def interrupt(module, args, output):
    calls.append(len(losses))
    if len(calls) == 25:
        raise KeyboardInterrupt("by the hook")


model[1].register_forward_hook(interrupt)
with watched(model, optimizer):
    for epoch in range(4):
        try:
            for step in range(10):
                loss = (model(x) - y).square().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
                if epoch == 1 and step == 6:
                    signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt as stop:
            interrupts.append(f"{epoch} {step} {stop}")

say("losses", losses)
say("interrupts", interrupts)
say("calls", calls)
say("handler", signal.getsignal(signal.SIGINT) is signal.default_int_handler)
say("model", model)
