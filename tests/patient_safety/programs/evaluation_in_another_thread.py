"""A thread evaluates snapshots without gradients while the main thread trains the same module."""

import queue
import threading

import torch
from patient import say, watched
from torch import nn
from torch.func import functional_call

torch.manual_seed(14)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(4, 12), nn.ReLU(), nn.Linear(12, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
x, y = torch.randn(32, 4), torch.randn(32, 1)
snapshots, scores, modes = queue.Queue(), [], []
evaluated = threading.Semaphore(0)


def evaluate():
    with torch.no_grad():
        while (item := snapshots.get()) is not None:
            step, weights = item
            out = functional_call(model, weights, (x,))
            scores.append([step, (out - y).square().mean().item()])
            modes.append(torch.is_grad_enabled() or out.requires_grad)
            evaluated.release()


evaluator = threading.Thread(target=evaluate)
evaluator.start()
losses = []
with watched(model, optimizer):
    for step in range(40):
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if step % 5 == 4:
            snapshots.put((step, {k: v.detach().clone() for k, v in model.named_parameters()}))
            evaluated.acquire()
snapshots.put(None)
evaluator.join()

say("losses", losses)
say("scores", scores)
say("modes", modes)
say("model", model)
say("optimizer", optimizer)
