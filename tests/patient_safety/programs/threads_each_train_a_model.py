"""Four threads that each train a model of their own with their own random generator."""

import threading

import torch
from patient import say, watched
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(13)
models = [nn.Sequential(nn.Linear(5, 9), nn.Tanh(), nn.Linear(9, 1)) for _ in range(4)]
results = {}


def train(number):
    draw = torch.Generator().manual_seed(number)
    model = models[number]
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02 * (number + 1), momentum=0.9)
    losses, names = [], set()
    with watched(model, optimizer):
        for _ in range(25):
            x = torch.randn(16, 5, generator=draw)
            loss = (model(x) - x.sum(dim=1, keepdim=True)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            names.add(threading.current_thread().name)
    results[number] = (losses, optimizer, sorted(names), torch.is_grad_enabled())


threads = [threading.Thread(target=train, args=(n,), name=f"trainer-{n}") for n in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for number in range(4):
    losses, optimizer, names, grad_enabled = results[number]
    say(f"thread {number}", losses, names, grad_enabled)
    say(f"model {number}", models[number])
    say(f"optimizer {number}", optimizer)
say("rng of main", torch.get_rng_state())
