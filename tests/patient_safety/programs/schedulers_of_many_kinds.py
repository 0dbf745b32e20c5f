"""Six learning-rate schedulers in turn, two of them chained, one that reads the validation loss."""

import warnings

import torch
from patient import say, watched
from torch import nn
from torch.optim import lr_scheduler as schedules

torch.manual_seed(19)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
x, y = torch.randn(16, 3), torch.randn(16, 1)


def sequential(optimizer):
    warm = schedules.LinearLR(optimizer, 0.1, total_iters=4)
    rest = schedules.CosineAnnealingWarmRestarts(optimizer, T_0=5)
    return schedules.SequentialLR(optimizer, [warm, rest], milestones=[4])


kinds = {
    "onecycle": lambda o: schedules.OneCycleLR(o, max_lr=0.1, total_steps=30),
    "cyclic": lambda o: schedules.CyclicLR(o, 0.001, 0.1, step_size_up=3),
    "plateau": lambda o: schedules.ReduceLROnPlateau(o, patience=1, factor=0.5),
    "lambda": lambda o: schedules.LambdaLR(o, lambda step: 0.9**step),
    "sequential": sequential,
    "multistep": lambda o: schedules.MultiStepLR(o, [3, 6]),
}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for name, make in kinds.items():
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
        scheduler = make(optimizer)
        rates, losses = [], []
        with watched(model, optimizer):
            for _ in range(10):
                loss = (model(x) - y).square().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                scheduler.step(*[loss.item()] if name == "plateau" else [])
                rates.append(float(optimizer.param_groups[0]["lr"]))
                losses.append(loss.item())
        say(name, rates, losses)
        say("optimizer", optimizer)
say("warnings", [f"{w.category.__name__}: {w.message}" for w in caught])
say("model", model)
