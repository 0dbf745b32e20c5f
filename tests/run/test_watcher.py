"""What is found in programs of several kinds."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.nn import functional

from paramedic.probe.backward import backward_passes
from paramedic.run.discovery import Discovery
from paramedic.run.notebook import Notebook
from paramedic.run.settings import Settings
from paramedic.types import Severity
from tests.run.support import plainly, script, under_watch

HEAD = """
import torch
from torch import nn
from torch.nn import functional as F
torch.manual_seed(0)
def data(n=256, classes=2):
    x = torch.randn(n, 8)
    return x, (x[:, 0] > 0).long()
def net():
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
def train(model, opt, steps=60):
    x, y = data()
    for step in range(steps):
        opt.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        opt.step()
"""


def _run(folder: Path, text: str, **settings: object):  # type: ignore[no-untyped-def]
    return under_watch(script(folder, HEAD + text), **settings)


def test_the_first_step_is_seen_in_full(tmp_path: Path) -> None:
    seen = _run(tmp_path, "model = net()\ntrain(model, torch.optim.SGD(model.parameters(), 0.1))")
    (record,) = seen.outcome.records
    assert (record.steps, record.name) == (60, "model")
    assert record.chart.task == "multi-class"
    assert record.chart.batch_size == 256
    assert set(record.places) == {"optimizer", "loss", "backward", "step", "model"}
    assert [layer.executed for layer in record.chart.layers] == [True, True, True]


def test_several_trainings_one_after_the_other(tmp_path: Path) -> None:
    text = """
for rate in (0.1, 1e-6):
    m = net()
    train(m, torch.optim.SGD(m.parameters(), rate))
"""
    seen = _run(tmp_path, text)
    assert [record.steps for record in seen.outcome.records] == [60, 60]
    assert seen.root == "learning-rate-too-low"
    assert not seen.outcome.records[1].conclusion.failed


MANY = """
import copy
meta = net()
outer = torch.optim.Adam(meta.parameters(), 1e-3)
for task in range(40):
    inner = copy.deepcopy(meta)
    opt = torch.optim.SGD(inner.parameters(), 0.01)
    train(inner, opt, 5)
    outer.zero_grad()
    x, y = data()
    F.cross_entropy(meta(x), y).backward()
    outer.step()
    del inner, opt
print(meta[0].weight.sum().item())
"""


def test_many_short_trainings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Learning to learn: few records and traces, and the outer training is one."""
    monkeypatch.setenv("PARAMEDIC_HOME", str(tmp_path))
    path = script(tmp_path, HEAD + MANY)
    seen = under_watch(path)
    assert seen.stdout == plainly(path).stdout
    records = {record.name: record for record in seen.outcome.records}
    assert (len(seen.outcome.records), records["meta"].steps) == (6, 40)
    assert "35 more trainings of inner" in seen.outcome.rest[0]
    assert len(list(tmp_path.rglob("run*.db"))) == 6
    assert seen.outcome.to_json()["rest"] == list(seen.outcome.rest)


def test_what_many_trainings_may_cost_is_bounded() -> None:
    notebook = Notebook(lambda: None)
    discovery = Discovery(notebook, Settings(allowance=1.0), lambda *_: None, lambda why: None)
    allowances = []
    for discovery._found in range(1, 500):
        allowances.append(discovery._options("").allowance)
    assert allowances[:3] == [1.0] * 3
    assert sum(allowances) < 6


def test_an_outer_loop_that_pauses_for_long_is_not_over(tmp_path: Path) -> None:
    text = """
import copy
meta = net()
outer = torch.optim.Adam(meta.parameters(), 1e-3)
for task in range(5):
    m = net()
    train(m, torch.optim.SGD(m.parameters(), 0.01), 70)
    train(meta, outer, 1)
"""
    records = {record.name: record for record in _run(tmp_path, text).outcome.records}
    assert sum(record.steps for record in records.values() if record.steps < 70) == 5


def test_both_made_before_either_is_trained(tmp_path: Path) -> None:
    text = """
a, b = net(), net()
opt_a, opt_b = torch.optim.SGD(a.parameters(), 0.1), torch.optim.Adam(b.parameters())
train(a, opt_a)
train(b, opt_b)
"""
    records = _run(tmp_path, text).outcome.records
    assert sorted((one.steps, one.chart.optimizers[0]["name"]) for one in records) == [
        (60, "Adam"), (60, "SGD")
    ]  # fmt: skip


def test_an_adversarial_pair_is_one_training(tmp_path: Path) -> None:
    text = """
g = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 8))
d = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1))
opt_g, opt_d = torch.optim.Adam(g.parameters(), 1e-3), torch.optim.Adam(d.parameters(), 1e-3)
bce = nn.BCEWithLogitsLoss()
for step in range(30):
    real, fake = torch.randn(32, 8), g(torch.randn(32, 4))
    opt_d.zero_grad()
    (bce(d(real), torch.ones(32, 1)) + bce(d(fake.detach()), torch.zeros(32, 1))).backward()
    opt_d.step()
    opt_g.zero_grad()
    bce(d(fake), torch.ones(32, 1)).backward()
    opt_g.step()
"""
    (record,) = _run(tmp_path, text).outcome.records
    assert len(record.chart.optimizers) == 2
    assert set(record.name.split(" + ")) == {"g", "d"}


@pytest.mark.parametrize(
    "text",
    [
        "import copy\nm = copy.deepcopy(net())\ntrain(m, torch.optim.SGD(m.parameters(), 0.1))",
        "w = torch.zeros(8, 2, requires_grad=True)\n"
        "train(lambda x: x @ w, torch.optim.SGD([w], 0.1))",
        "m = net()\nopt = torch.optim.LBFGS(m.parameters(), max_iter=4)\nx, y = data()\n"
        "def closure():\n    opt.zero_grad()\n    loss = F.cross_entropy(m(x), y)\n"
        "    loss.backward()\n    return loss\n"
        "for _ in range(60): opt.step(closure)",
    ],
    ids=["a copy", "bare tensors", "a closure"],
)
def test_other_ways_to_train(text: str, tmp_path: Path) -> None:
    path = script(tmp_path, HEAD + text)
    seen, plain = under_watch(path), plainly(path)
    assert [record.steps for record in seen.outcome.records] == [60]
    assert all(torch.equal(a, b) for a, b in zip(seen.weights, plain.weights, strict=True))


def test_nothing_to_judge(tmp_path: Path) -> None:
    seen = _run(tmp_path, "net()(data()[0])")
    assert (seen.verdict, seen.outcome.exit_code) == ("cannot tell", 2)
    assert seen.outcome.why_unjudged == "no optimizer took a step in this process"


def test_a_crash_before_the_first_step(tmp_path: Path) -> None:
    seen = _run(tmp_path, "torch.optim.SGD(net().parameters(), 1e-6)\nraise ValueError('oh')")
    assert (seen.verdict, seen.outcome.exit_code) == ("too early to say", 2)
    assert seen.outcome.assessment.reason == (
        "the program ended with ValueError before an optimizer took a step"
    )


def test_a_crash_leaves_the_findings(tmp_path: Path) -> None:
    text = "m = net()\ntrain(m, torch.optim.SGD(m.parameters(), 1e-6))\nraise ValueError('oh')"
    seen = _run(tmp_path, text)
    assert seen.ending.code == 1
    assert seen.stderr.startswith("Traceback")
    assert seen.stderr.endswith("ValueError: oh\n")
    assert "paramedic" not in seen.stderr
    assert seen.root == "learning-rate-too-low"


def test_an_interrupt_leaves_the_findings(tmp_path: Path) -> None:
    text = "m = net()\ntrain(m, torch.optim.SGD(m.parameters(), 1e-6))\nraise KeyboardInterrupt"
    seen = _run(tmp_path, text)
    assert (seen.ending.code, seen.ending.interrupted) == (130, True)
    assert seen.stderr.endswith("KeyboardInterrupt\n")
    assert seen.root == "learning-rate-too-low"


def test_the_end_by_steps(tmp_path: Path) -> None:
    text = "m = net()\ntrain(m, torch.optim.SGD(m.parameters(), 0.1))\nprint('not reached')"
    seen = _run(tmp_path, text, max_steps=7)
    assert seen.outcome.records[0].steps == 7
    assert seen.stdout == ""
    assert seen.ending.code == 0
    assert seen.outcome.stopped == "after 7 steps, as --max-steps says"


def test_the_end_by_a_finding(tmp_path: Path) -> None:
    text = "m = net()\ntrain(m, torch.optim.SGD(m.parameters(), 1e-6), steps=5000)"
    seen = _run(tmp_path, text, stop_on=Severity.WARNING)
    assert seen.outcome.records[0].steps < 200
    assert "learning-rate-too-low" in seen.outcome.stopped


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_workers_of_a_loader(context: str, tmp_path: Path) -> None:
    text = f"""
from torch.utils.data import DataLoader, TensorDataset
if __name__ == "__main__":
    how = dict(num_workers=1, multiprocessing_context="{context}")
    loader = DataLoader(TensorDataset(*data()), 64, **how)
    model = net()
    opt = torch.optim.SGD(model.parameters(), 0.1)
    for x, y in loader:
        opt.zero_grad()
        F.cross_entropy(model(x), y).backward()
        opt.step()
"""
    path = script(tmp_path, HEAD + text)
    seen, plain = under_watch(path), plainly(path)
    assert [record.steps for record in seen.outcome.records] == [4]
    assert all(torch.equal(a, b) for a, b in zip(seen.weights, plain.weights, strict=True))


def test_a_forked_child_is_let_go(tmp_path: Path) -> None:
    """It trains on, unseen, and what it does is no part of the record."""
    text = """
import os
m = net()
opt = torch.optim.SGD(m.parameters(), 0.1)
train(m, opt, 10)
pid = os.fork()
if pid == 0:
    train(m, opt, 20)
    os._exit(len(opt._optimizer_step_post_hooks))
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
train(m, opt, 10)
"""
    seen = _run(tmp_path, text)
    assert seen.stdout == "0\n"
    assert [record.steps for record in seen.outcome.records] == [20]


def test_evaluation_that_is_never_left(tmp_path: Path) -> None:
    text = """
m = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.SGD(m.parameters(), 0.1)
for epoch in range(4):
    train(m, opt, 30)
    m.eval()  # here
"""
    seen = _run(tmp_path, text)
    assert seen.root == "wrong-mode"
    assert seen.line() == "m.eval()  # here"


def test_compiled_models_are_not_compiled_again(tmp_path: Path) -> None:
    text = """
import torch._dynamo
from torch._dynamo.utils import counters
torch._dynamo.reset()
counters.clear()
m = net()
opt = torch.optim.SGD(m.parameters(), 0.1)
train(torch.compile(m, backend="eager"), opt, 20)
print(dict(counters["frames"]), dict(counters["graph_break"]))
"""
    path = script(tmp_path, HEAD + text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        plain, seen = plainly(path), under_watch(path)
    assert seen.stdout == plain.stdout != ""
    assert all(torch.equal(a, b) for a, b in zip(seen.weights, plain.weights, strict=True))
    assert seen.outcome.records[0].steps == 20


def test_torch_is_left_as_it_was(tmp_path: Path) -> None:
    before = (nn.Module.__init__, nn.Module.train, torch.optim.Optimizer.__init__,
              functional.cross_entropy, torch.autograd.backward)  # fmt: skip
    _run(tmp_path, "m = net()\ntrain(m, torch.optim.SGD(m.parameters(), 0.1), 3)")
    after = (nn.Module.__init__, nn.Module.train, torch.optim.Optimizer.__init__,
             functional.cross_entropy, torch.autograd.backward)  # fmt: skip
    assert after == before
    assert backward_passes.observers == ()
    assert not torch.nn.modules.module._global_forward_pre_hooks
    assert not torch.nn.modules.module._global_forward_hooks


def test_systems_without_fork(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("os.register_at_fork")
    seen = _run(tmp_path, "m = net()\ntrain(m, torch.optim.SGD(m.parameters(), 0.1), 3)")
    assert [record.steps for record in seen.outcome.records] == [3]
