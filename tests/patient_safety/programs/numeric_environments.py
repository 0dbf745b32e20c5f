"""NumPy errors raised, a tiny decimal context, a locale and print options of the user's own."""

import decimal
import locale
import os
import time

import numpy as np
import torch
from patient import say, watched
from torch import nn

torch.manual_seed(38)
np.random.seed(38)
torch.set_num_threads(1)
decimal.getcontext().prec = 4
decimal.getcontext().traps[decimal.Inexact] = True
np.seterr(all="raise")
np.set_printoptions(precision=2, threshold=3)
torch.set_printoptions(precision=2, sci_mode=False)
locale.setlocale(locale.LC_ALL, "C")
os.environ["TZ"] = "Asia/Kathmandu"
time.tzset()
errors = []
model = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
losses = []
with watched(model, optimizer):
    for step in range(30):
        scale = 1e-30 if step % 10 == 4 else 1e30 if step % 10 == 8 else 1.0
        x = torch.from_numpy(np.random.randn(8, 4)).float() * scale
        loss = (model(x) - scale).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        try:
            np.float32(losses[-1]) / np.float32(0)
        except FloatingPointError as error:
            errors.append(str(error))
        try:
            decimal.Decimal(1) / decimal.Decimal(step + 1)
        except decimal.Inexact:
            errors.append(f"inexact {step}")

say("losses", losses)
say("errors", errors)
say("numpy", np.geterr(), np.get_printoptions()["precision"], str(np.arange(9) / 7))
say("decimal", decimal.getcontext().prec, decimal.getcontext().traps[decimal.Inexact])
say("torch prints", str(model[0].weight), repr(optimizer))
say("locale", locale.setlocale(locale.LC_ALL), list(time.tzname))
say("model", model)
