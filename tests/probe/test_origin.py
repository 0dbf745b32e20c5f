"""Where a NaN was born: the named place is the right one, however rarely we look."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import paramedic
from paramedic.types import Event

SICK_STEP = 17

# At every step; almost never, so that only autograd's record is left; and with a replay.
WAYS = [
    pytest.param({"overhead": None}, id="every-step"),
    pytest.param({"overhead": 1e-6}, id="rarely"),
    pytest.param({"overhead": 1e-6, "on_nan": "replay"}, id="replay"),
    pytest.param({}, id="defaults"),
]


class Log(nn.Module):
    """A layer that is harmless until its shift turns its input to zero."""

    def __init__(self) -> None:
        super().__init__()
        self.shift = 10.0

    def forward(self, x: Tensor) -> Tensor:
        return torch.log(torch.sigmoid(x) * 0 + self.shift)


class Net(nn.Module):
    def __init__(self, middle: nn.Module) -> None:
        super().__init__()
        self.first = nn.Linear(6, 8)
        self.middle = middle
        self.last = nn.Linear(8, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.last(self.middle(torch.tanh(self.first(x))))


def _train(model: nn.Module, sicken: Any, loss_fn: Any = None, **settings: Any) -> list[Event]:
    """Train for some steps, call `sicken(step, x, y)` before each, and return the NaN events."""
    torch.manual_seed(0)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with paramedic.watch(model, optimizer, strict=True, **settings) as monitor:
        for step in range(SICK_STEP + 3):
            x, y = torch.randn(5, 6), torch.randint(0, 3, (5,))
            x, y = sicken(step, x, y)
            optimizer.zero_grad()
            loss = (loss_fn or F.cross_entropy)(model(x), y)
            loss.backward()
            optimizer.step()
        return [event for event in monitor.window().events if event.kind == "non-finite"]


def _check(events: list[Event], kind: str, where: str) -> None:
    assert len(events) == 1, [event.message for event in events]
    data = events[0].data
    assert (data["kind"], data["where"]) == (kind, where), events[0].message
    assert (data["step"], data["batch"]) == (SICK_STEP, SICK_STEP)


@pytest.mark.parametrize("settings", WAYS)
def test_log_of_zero_in_a_layer(settings: dict[str, Any]) -> None:
    model = Net(Log())

    def sicken(step: int, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        model.middle.shift = 0.0 if step == SICK_STEP else 10.0
        return x, y

    _check(_train(model, sicken, **settings), "module", "middle")


class Attention(nn.Module):
    """Self-attention in half precision, whose scores overflow when the input is large."""

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__()
        self.qkv = nn.Linear(8, 24)
        self.gain = 1.0
        self.dtype = dtype

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (part.to(self.dtype) for part in (self.qkv(x) * self.gain).chunk(3, dim=-1))
        scores = q.unsqueeze(-1) @ k.unsqueeze(-2)
        scores = scores * scores * scores * scores
        return (
            (torch.softmax(scores - scores.amax(-1, keepdim=True), -1) @ v.unsqueeze(-1))
            .squeeze(-1)
            .float()
        )


@pytest.mark.parametrize("settings", WAYS)
@pytest.mark.parametrize(("dtype", "gain"), [(torch.float16, 3e2), (torch.bfloat16, 1e18)])
def test_overflow_in_attention(dtype: torch.dtype, gain: float, settings: dict[str, Any]) -> None:
    model = Net(Attention(dtype))

    def sicken(step: int, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        model.middle.gain = gain if step == SICK_STEP else 1.0
        return x, y

    _check(_train(model, sicken, **settings), "module", "middle")


@pytest.mark.parametrize("settings", WAYS)
def test_nan_in_one_input_batch(settings: dict[str, Any]) -> None:
    def sicken(step: int, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        if step == SICK_STEP:
            x[3, 2] = float("nan")
        return x, y

    events = _train(Net(nn.ReLU()), sicken, **settings)
    _check(events, "input", "(input)")
    if events[0].data["how"] != "graph":
        assert events[0].data["samples"] == [3]


@pytest.mark.parametrize("settings", WAYS)
def test_infinite_weight(settings: dict[str, Any]) -> None:
    model = Net(nn.ReLU())

    def sicken(step: int, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        if step == SICK_STEP:
            with torch.no_grad():
                model.last.weight[1, 1] = float("inf")
                model.last.bias[1] = -float("inf")
        return x, y

    _check(_train(model, sicken, **settings), "weight", "last.weight")


@pytest.mark.parametrize("settings", WAYS)
def test_zero_over_zero_in_a_custom_loss(settings: dict[str, Any]) -> None:
    state = {"step": -1}

    def masked(output: Tensor, y: Tensor) -> Tensor:
        mask = torch.zeros(len(y)) if state["step"] == SICK_STEP else torch.ones(len(y))
        return (F.cross_entropy(output, y, reduction="none") * mask).sum() / mask.sum()

    def sicken(step: int, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        state["step"] = step
        return x, y

    _check(_train(Net(nn.ReLU()), sicken, masked, **settings), "loss", "(loss)")


@pytest.mark.parametrize("settings", WAYS)
def test_gradient_born_in_the_backward_pass(settings: dict[str, Any]) -> None:
    """The derivative of a square root at zero is infinite although the loss is finite."""

    class Root(nn.Module):
        sick = False

        def forward(self, x: Tensor) -> Tensor:
            return torch.sqrt(x.relu() * (0.0 if self.sick else 1.0) + (0.0 if self.sick else 1.0))

    model = Net(Root())

    def sicken(step: int, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        model.middle.sick = step == SICK_STEP
        return x, y

    events = _train(model, sicken, **settings)
    assert len(events) == 1
    assert events[0].data["kind"] == "gradient"
    assert events[0].data["where"].startswith("first.")
    assert events[0].data["step"] == SICK_STEP


def test_nan_targets() -> None:
    def sicken(step: int, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        target = torch.randn(5, 3)
        if step == SICK_STEP:
            target[4, 0] = float("nan")
        return x, target

    events = _train(Net(nn.ReLU()), sicken, nn.MSELoss(), overhead=None)
    _check(events, "target", "(target)")
    assert events[0].data["samples"] == [4]


def test_replay_leaves_everything_as_it_was() -> None:
    """Dropout masks, batch statistics and counters of the user are not disturbed by a replay."""

    class Counting(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), Log())
            self.head = nn.Linear(8, 3)
            self.calls = 0

        def forward(self, x: Tensor) -> Tensor:
            self.calls += 1
            self.inner[3].shift = 0.0 if self.calls == 5 else 10.0
            return self.head(self.inner(x))

    def run(watched: bool) -> tuple[Any, ...]:
        torch.manual_seed(0)
        model = Counting()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        monitor = (
            paramedic.watch(model, optimizer, overhead=1e-6, on_nan="replay", strict=True)
            if watched
            else None
        )
        for _ in range(8):
            optimizer.zero_grad()
            F.cross_entropy(model(torch.randn(5, 6)), torch.randint(0, 3, (5,))).backward()
            optimizer.step()
        events = []
        if monitor is not None:
            events = [one for one in monitor.window().events if one.kind == "non-finite"]
            monitor.close()
        state = copy.deepcopy(model.state_dict())
        return model.calls, torch.get_rng_state(), state, events

    calls, random, state, _ = run(watched=False)
    calls_seen, random_seen, state_seen, events = run(watched=True)
    assert [event.data["where"] for event in events] == ["inner.3"]
    assert events[0].data["how"] == "replay" or events[0].data["how"] == "seen"
    assert calls == calls_seen
    assert torch.equal(random, random_seen)
    for name, value in state.items():
        assert (
            torch.equal(value, state_seen[name])
            or value.isnan().all() == state_seen[name].isnan().all()
        )


def test_off() -> None:
    def sicken(step: int, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x * float("nan"), y

    assert _train(Net(nn.ReLU()), sicken, on_nan="off") == []


def test_the_message_says_it_in_words() -> None:
    model = Net(Log())

    def sicken(step: int, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        model.middle.shift = 0.0 if step == SICK_STEP else 10.0
        return x, y

    events = _train(model, sicken, overhead=1e-6)
    assert events[0].message == (
        "Step 17: non-finite, born in the forward pass of `middle`, whose inputs were finite (Log)."
    )


def _arithmetic(loss: Tensor, what: str) -> Tensor:
    return {
        "nan": lambda: loss * float("nan"),
        "log": lambda: torch.log(-loss),
        "log-of-a-number": lambda: loss + torch.log(torch.tensor(-1.0)),
        "zero": lambda: loss / 0,
        "zero-tensor": lambda: loss / torch.tensor(0.0),
        "root": lambda: (loss - 100) ** 0.5,
    }[what]()


@pytest.mark.parametrize("settings", WAYS)
@pytest.mark.parametrize("what", ["nan", "log", "log-of-a-number", "zero", "zero-tensor", "root"])
def test_arithmetic_on_the_loss(what: str, settings: dict[str, Any]) -> None:
    """Whether or not the graph of the sick step is that of the others."""
    state = {"step": -1}

    def compute(output: Tensor, y: Tensor) -> Tensor:
        loss = F.cross_entropy(output, y)
        return _arithmetic(loss, what) if state["step"] == SICK_STEP else loss

    def sicken(step: int, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        state["step"] = step
        return x, y

    _check(_train(Net(nn.ReLU()), sicken, compute, **settings), "loss", "(loss)")


@pytest.mark.parametrize("settings", WAYS)
def test_nan_targets_of_a_function(settings: dict[str, Any]) -> None:
    def sicken(step: int, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        target = torch.randn(5, 3)
        if step == SICK_STEP:
            target[4, 0] = float("nan")
        return x, target

    events = _train(Net(nn.ReLU()), sicken, F.mse_loss, **settings)
    _check(events, "target", "(target)")
    assert events[0].data["samples"] == [4]


class Graph(nn.Module):
    """A convolution on a graph whose edges are a sparse matrix."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(6, 8)
        self.middle = Log()
        self.last = nn.Linear(8, 3)

    def forward(self, given: tuple[Tensor, Tensor]) -> Tensor:
        edges, x = given
        return self.last(self.middle(torch.sparse.mm(edges, self.first(x))))


def _edges(value: float) -> Tensor:
    return (torch.eye(5) * value).to_sparse()


@pytest.mark.parametrize("settings", WAYS)
def test_sparse_inputs_that_are_finite(settings: dict[str, Any]) -> None:
    model = Graph()

    def sicken(step: int, x: Tensor, y: Tensor) -> tuple[Any, Tensor]:
        model.middle.shift = 0.0 if step == SICK_STEP else 10.0
        return (_edges(0.5), x), y

    _check(_train(model, sicken, **settings), "module", "middle")


@pytest.mark.parametrize("settings", WAYS)
def test_sparse_inputs_that_are_not(settings: dict[str, Any]) -> None:
    def sicken(step: int, x: Tensor, y: Tensor) -> tuple[Any, Tensor]:
        return (_edges(float("inf") if step == SICK_STEP else 0.5), x), y

    _check(_train(Graph(), sicken, **settings), "input", "(input)")


@pytest.mark.parametrize("settings", WAYS)
def test_a_mask_of_infinities_is_a_sound_input(settings: dict[str, Any]) -> None:
    class Masked(Net):
        def forward(self, given: tuple[Tensor, Tensor]) -> Tensor:  # type: ignore[override]
            x, mask = given
            return super().forward(x) + mask.clamp(min=-10)

    model = Masked(Log())

    def sicken(step: int, x: Tensor, y: Tensor) -> tuple[Any, Tensor]:
        model.middle.shift = 0.0 if step == SICK_STEP else 10.0
        return (x, torch.tensor([0.0, 0.0, -torch.inf])), y

    _check(_train(model, sicken, **settings), "module", "middle")


@pytest.mark.parametrize("settings", WAYS)
def test_a_part_without_gradients_is_not_the_input(settings: dict[str, Any]) -> None:
    """What a frozen part makes comes from outside of the graph, and is not the batch."""

    class Frozen(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body, self.head, self.sick = nn.Linear(6, 8), nn.Linear(8, 3), False

        def forward(self, x: Tensor) -> Tensor:
            with torch.no_grad():
                features = torch.log(self.body(x).square() * (0.0 if self.sick else 1.0) + 0.0)
            return self.head(features)

    model = Frozen()

    def sicken(step: int, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        model.sick = step == SICK_STEP
        return x, y

    events = _train(model, sicken, **settings)
    assert events[0].data["kind"] in ("module", "unknown")
    assert "the input" not in events[0].message


@pytest.mark.parametrize("settings", WAYS)
def test_parts_that_are_called_one_by_one(settings: dict[str, Any]) -> None:
    """Between the parts is code of the program: that may have made what a part was given."""
    model = Net(nn.ReLU())
    state = {"step": -1}

    def sicken(step: int, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        state["step"] = step
        return x, y

    class Parts(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = model

        def __call__(self, x: Tensor) -> Tensor:
            with torch.no_grad():
                x = torch.log(x.abs() * (0.0 if state["step"] == SICK_STEP else 1.0))
            return self.net.last(torch.tanh(self.net.first(x)))

    events = _train(Parts(), sicken, **settings)
    assert events[0].data["kind"] == "unknown"
    assert "cannot tell" in events[0].message
