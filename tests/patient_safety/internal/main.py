"""Does a bit of everything that something of ours is attached to."""

import os

import injection

if os.environ["PATIENT"] != "plain":
    import paramedic

    paramedic.watch  # noqa: B018 - imported before anything is made to fail
injection.begin()

# ruff: noqa: E402 - the program begins here
import copy
import random
import signal
import statistics
import threading
from contextlib import ExitStack

import tensorboardX
import torch
from patient import say
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(3)
random.seed(3)
torch.set_num_threads(1)


class Sink:
    """Is told the numbers, and keeps none."""

    def frame(self, frame, chart): ...

    def epoch(self, epoch): ...

    def finding(self, finding, remedies): ...

    def close(self, summary, trace): ...


class Display:
    seconds = 0.0

    def show(self, status): ...

    def close(self, status, remedies, trace): ...


def watched(model, optimizer, name):
    """With everything that can be asked for, to a folder that is no folder of the program's."""
    stack = ExitStack()
    if os.environ["PATIENT"] != "plain":
        from patient import _keep_log

        _keep_log()
        home = os.environ["PARAMEDIC_HOME"]
        stack.enter_context(
            paramedic.watch(
                model, optimizer, overhead=None, on_nan="replay", trace=f"{home}/{name}.db",
                log=f"{home}/{name}.jsonl", sinks=[Sink()], display=Display(),
            )
        )  # fmt: skip
    return stack


def classify():
    x = torch.randn(48, 5)
    y = (x.sum(1) > 0).long()
    data = DataLoader(TensorDataset(x[:32], y[:32]), batch_size=8, shuffle=True)
    held_out = DataLoader(TensorDataset(x[32:], y[32:]), batch_size=8)
    layers = [nn.Linear(5, 8), nn.Sigmoid(), nn.Dropout(0.1), nn.BatchNorm1d(8), nn.Linear(8, 2)]
    model = nn.Sequential(*layers)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
    loss_fn = nn.CrossEntropyLoss()
    writer = tensorboardX.SummaryWriter()
    told, saved = [], ()
    with watched(model, optimizer, "classify"):
        for epoch in range(4):
            model.train()
            losses = []
            for step, (inputs, labels) in enumerate(data):
                if epoch == 2 and step == 1:
                    inputs = inputs * float("nan")
                optimizer.zero_grad()
                loss = loss_fn(model(inputs), labels)
                if epoch == 3:
                    scaler.scale(loss).backward()
                    scaler.step(optimizer)
                    scaler.update()
                else:
                    loss.backward()
                    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                    optimizer.step()
                losses.append(loss.item())
                if epoch == 2 and step == 1:
                    model.load_state_dict(saved[0])
                    optimizer.load_state_dict(saved[1])
                saved = copy.deepcopy((model.state_dict(), optimizer.state_dict()))
            model.eval()
            with torch.no_grad():
                right = sum((model(a).argmax(1) == b).sum().item() for a, b in held_out)
                held = [functional.cross_entropy(model(a), b).item() for a, b in held_out]
            told += losses + held + [right, statistics.total(losses)]
            writer.add_scalar("val_accuracy", right / 16, epoch)
    say("classify", told, model, optimizer, writer.values, copy.deepcopy(model))


def by_hand():
    weight = nn.Parameter(torch.randn(5, 1))
    x, y = torch.randn(16, 5), torch.randn(16, 1)
    for _ in range(8):
        loss = functional.mse_loss(x @ weight, y)
        loss.backward()
        with torch.no_grad():
            weight -= 0.05 * weight.grad
        weight.grad = None
    say("by hand", weight)


def closures():
    model = nn.Linear(4, 1)
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=4)
    x, y = torch.randn(16, 4), torch.randn(16, 1)

    def closure():
        optimizer.zero_grad()
        loss = (model(x) - y).square().mean()
        loss.backward()
        return loss

    with watched(model, optimizer, "closures"):
        for _ in range(4):
            optimizer.step(closure)
    say("closures", model)


def in_threads():
    models = [nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1)) for _ in range(2)]

    def train(model, seed):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        x = torch.randn(8, 3, generator=torch.Generator().manual_seed(seed))
        with watched(model, optimizer, f"thread-{seed}"):
            for _ in range(6):
                optimizer.zero_grad()
                model(x).square().mean().backward()
                optimizer.step()

    threads = [threading.Thread(target=train, args=(one, n)) for n, one in enumerate(models)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    say("threads", *models)


def in_a_child():
    child = os.fork()
    if child == 0:
        model = nn.Linear(2, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        os._exit(7)
    say("child", os.waitpid(child, 0)[1])


def signals():
    before = signal.getsignal(signal.SIGTERM)
    seen = []
    signal.signal(signal.SIGTERM, lambda number, frame: seen.append(number))
    os.kill(os.getpid(), signal.SIGTERM)
    signal.signal(signal.SIGTERM, before)
    say("signals", seen, before)


for work in (classify, by_hand, closures, in_threads, in_a_child, signals):
    work()
say("random", torch.get_rng_state(), random.getstate())
raise SystemExit(3)
