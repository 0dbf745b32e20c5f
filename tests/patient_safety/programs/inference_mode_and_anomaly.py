"""Inference mode around evaluation, anomaly detection around training, determinism demanded."""

import warnings

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(40)
torch.set_num_threads(1)
warnings.simplefilter("ignore")
torch.use_deterministic_algorithms(True)

model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(32, 4), torch.randint(0, 2, (32,))
losses, kinds, errors = [], [], []
with watched(model, optimizer):
    for step in range(20):
        model.train()
        with torch.autograd.set_detect_anomaly(step % 2 == 0, check_nan=True):
            try:
                logits = model(x)
                if step == 8:
                    logits = torch.sqrt(logits * 0 - 1)
                loss = nn.functional.cross_entropy(logits, y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            except RuntimeError as error:
                errors.append(str(error).splitlines()[0])
                continue
        losses.append(loss.item())
        model.eval()
        with torch.inference_mode():
            out = model(x)
            kinds.append([out.is_inference(), out.requires_grad, (out.argmax(1) == y).sum().item()])
        try:
            model[3].weight * out[:1, :1]
        except RuntimeError as error:
            errors.append(str(error).split(".")[0])

say("losses", losses)
say("kinds", kinds)
say("errors", errors)
say("modes", torch.is_anomaly_enabled(), torch.are_deterministic_algorithms_enabled())
say("model", model)
say("optimizer", optimizer)
