"""A large local buffer and a generator that feeds the loop, both tracked until their death."""

import gc
import weakref

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(77)
torch.set_num_threads(1)
gc.disable()
events = []


def batches(number):
    held = torch.randn(64, 5)
    weakref.finalize(held, events.append, "generator's tensor died")
    try:
        for step in range(number):
            yield step, held[step % 8 :: 8]
    finally:
        events.append("generator closed")


def main():
    big = torch.zeros(2_000_000)
    ref = weakref.ref(big)
    model = nn.Linear(5, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    losses = []
    feed = batches(100)
    with watched(model, optimizer):
        for step, x in feed:
            loss = (model(x) - x.mean(dim=1, keepdim=True)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            if step == 10:
                del big
            events.append(f"{step} {ref() is None}")
            if step == 25:
                break
        del x
        feed.close()
        events.append("after close")
        del feed
        events.append("after del")
    say("losses", losses)
    say("model", model)


main()
say("events", events)
