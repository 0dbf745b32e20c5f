"""A pool of threads from concurrent.futures trains one model each while main waits."""

from concurrent.futures import ThreadPoolExecutor, as_completed

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(82)
torch.set_num_threads(1)
initialised = []


def fit(seed, model):
    draw = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    losses = []
    with watched(model, optimizer):
        for step in range(15):
            x = torch.randn(8, 4, generator=draw)
            loss = (model(x) - x.amax(dim=1, keepdim=True)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            if seed == 3 and step == 9:
                raise ArithmeticError(f"worker {seed} gives up at {step}")
    return losses


models = [nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1)) for _ in range(5)]
results, errors = {}, []
with ThreadPoolExecutor(2, initializer=initialised.append, initargs=("worker",)) as pool:
    futures = {pool.submit(fit, n, model): n for n, model in enumerate(models)}
    for future in as_completed(futures):
        if future.exception():
            errors.append(str(future.exception()))
        else:
            results[futures[future]] = future.result()

say("results", dict(sorted(results.items())))
say("errors", errors)
say("initialised", 1 <= len(initialised) <= 2)
for number, model in enumerate(models):
    say(f"model {number}", model)
say("rng", torch.get_rng_state())
