"""A spawned worker trains a model that came to it pickled, and puts the weights into a queue."""

import multiprocessing

import torch
from patient import say, watched
from torch import nn


def fit(model, seed, outbox):
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    x, y = torch.randn(16, 4), torch.randn(16, 1)
    losses = []
    for _ in range(10):
        optimizer.zero_grad()
        loss = (model(x) - y).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    outbox.put((losses, [p.tolist() for p in model.parameters()], __name__))


def main():
    torch.set_num_threads(1)
    torch.manual_seed(31)
    model = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.randn(16, 4), torch.randn(16, 1)
    context = multiprocessing.get_context("spawn")
    outbox, losses = context.SimpleQueue(), []
    with watched(model, optimizer):
        for step in range(12):
            optimizer.zero_grad()
            loss = (model(x) - y).square().mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            if step == 6:
                weights = {k: v.detach().clone() for k, v in model.state_dict().items()}
                child = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 1))
                child.load_state_dict(weights)
                process = context.Process(target=fit, args=(child, 5, outbox))
                process.start()
    received = outbox.get()
    process.join()
    say("child", list(received), process.exitcode)
    say("losses", losses)
    say("model", model)
    say("optimizer", optimizer)


if __name__ == "__main__":
    main()
