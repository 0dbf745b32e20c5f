"""A fork pool whose workers each train a model and send it back, while the parent trains too."""

import multiprocessing

import torch
from patient import say, watched
from torch import nn

torch.set_num_threads(1)


def build(seed):
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1))
    return model, torch.optim.SGD(model.parameters(), lr=0.05)


def fit(seed):
    model, optimizer = build(seed)
    x, y = torch.randn(16, 4), torch.randn(16, 1)
    losses = []
    for _ in range(15):
        optimizer.zero_grad()
        loss = (model(x) - y).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, {k: v.tolist() for k, v in model.state_dict().items()}


def main():
    context = multiprocessing.get_context("fork")
    model, optimizer = build(100)
    x, y = torch.randn(16, 4), torch.randn(16, 1)
    losses = []
    with watched(model, optimizer):
        for step in range(20):
            optimizer.zero_grad()
            loss = (model(x) - y).square().mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            if step == 10:
                with context.Pool(2) as pool:
                    results = pool.map(fit, range(4), chunksize=2)
                    pool.close()
                    pool.join()
    for seed, (child_losses, weights) in enumerate(results):
        say(f"child {seed}", child_losses, weights)
    say("losses", losses)
    say("model", model)
    say("rng", torch.get_rng_state())
    say("children left", len(multiprocessing.active_children()))


main()
