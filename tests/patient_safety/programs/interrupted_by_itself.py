"""A KeyboardInterrupt that nobody catches inside the watched loop ends the program."""

import signal

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(92)
torch.set_num_threads(1)

signal.signal(signal.SIGINT, signal.default_int_handler)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
try:
    with watched(model, optimizer):
        for step in range(50):
            x = torch.randn(8, 4)
            loss = model(x).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            if step == 20:
                signal.raise_signal(signal.SIGINT)
finally:
    say("losses", losses)
    say("model", model)
