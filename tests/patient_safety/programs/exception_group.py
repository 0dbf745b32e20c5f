"""Exception groups raised in training are split by except*, and the last ends it by exit code 1."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(90)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(16, 4), torch.randn(16, 1)
losses, seen = [], []


def step(number):
    problems = []
    for chunk in (x, x[:, :3], x.double(), x):
        try:
            loss = (model(chunk) - y).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        except RuntimeError as error:
            error.add_note(f"step {number}")
            kind = TypeError if "dtype" in str(error) else ValueError
            problems.append(kind(str(error).split("(")[0]))
    if problems and number % 3 == 0:
        raise ExceptionGroup(f"step {number} failed in part", problems)


with watched(model, optimizer):
    for number in range(15):
        try:
            step(number)
        except* ValueError as group:
            seen.append(f"{group.message}: {[str(e) for e in group.exceptions]}")
        except* TypeError as group:
            seen.append(f"{group.message}: {len(group.exceptions)} of a wrong type")
    say("losses", losses)
    say("seen", seen)
    say("model", model)
    step(30)
