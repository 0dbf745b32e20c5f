"""Two models are trained by coroutines that take turns, with a ticker and a cancelled task."""

import asyncio

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(81)
torch.set_num_threads(1)
order, contexts = [], []


async def train(name, model, steps):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    x, y = torch.randn(16, 4), torch.randn(16, 1)
    losses = []
    with watched(model, optimizer):
        for step in range(steps):
            loss = (model(x) - y).square().mean()
            optimizer.zero_grad()
            await asyncio.sleep(0)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            order.append(f"{name}{step}")
            await asyncio.sleep(0)
    return losses


async def main():
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda loop, context: contexts.append(context["message"]))
    models = [nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 1)) for _ in range(3)]
    tasks = [asyncio.create_task(train(n, m, 15)) for n, m in zip("abc", models, strict=True)]
    for _ in range(12):
        await asyncio.sleep(0)
    tasks[2].cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    say("losses", results[0], results[1])
    say("third", type(results[2]).__name__)
    say("models", *models)
    say("tasks left", len(asyncio.all_tasks()))


asyncio.run(main())
say("order", order)
say("contexts", contexts)
