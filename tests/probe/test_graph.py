"""Reading autograd's record: where the first non-finite value shows, and whose operation it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from paramedic.probe.graph import (
    Birth,
    find_birth,
    is_finite,
    nodes_in_order,
    operation_of,
    saved_tensor,
    unproven,
)

NAN, INF = float("nan"), float("inf")


def _weight(*values: float) -> Tensor:
    return torch.tensor(values or (1.0, 2.0), requires_grad=True)


def _birth(loss: Tensor) -> Birth | None:
    return find_birth(nodes_in_order([loss]))


def _names(nodes: list[Any]) -> list[str]:
    return [type(node).__name__.rstrip("0123456789") for node in nodes]


# -- the order of execution ------------------------------------------------------------------


def test_operations_in_the_order_they_ran() -> None:
    w = _weight()
    a = w.exp()
    b = w.sin()
    loss = (b * a).sum()
    nodes = nodes_in_order([loss])
    assert _names(nodes) == ["ExpBackward", "SinBackward", "MulBackward", "SumBackward"]


def test_several_roots_share_their_operations() -> None:
    w = _weight()
    shared = w.exp()
    nodes = nodes_in_order([shared.sum(), shared.mean()])
    assert _names(nodes) == ["ExpBackward", "SumBackward", "MeanBackward"]


def test_roots_without_a_graph() -> None:
    assert nodes_in_order([torch.tensor(1.0), _weight()]) == []
    assert find_birth([]) is None


def test_a_deep_graph_is_not_a_deep_recursion() -> None:
    x = _weight()
    for _ in range(3000):
        x = x + 1
    assert len(nodes_in_order([x])) == 3000


# -- births ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "operation"),
    [
        (lambda w: torch.log(w * 0), "LogBackward"),
        (lambda w: torch.log2(w * 0), "Log2Backward"),
        (lambda w: torch.log10(w - 5), "Log10Backward"),
        (lambda w: torch.log1p(w * 0 - 1), "Log1PBackward"),
        (lambda w: w / (w * 0), "DivBackward"),
        (lambda w: w / torch.zeros(2), "DivBackward"),
        (lambda w: torch.exp(w * 1000), "ExpBackward"),
        (lambda w: torch.sqrt(-w), "SqrtBackward"),
    ],
)
def test_an_operation_gives_birth(make: Callable[[Tensor], Tensor], operation: str) -> None:
    w = _weight()
    loss = make(w * 1.0).sum() * 2
    nodes = nodes_in_order([loss])
    birth = find_birth(nodes)
    assert birth is not None
    assert (birth.kind, birth.operation) == ("operation", operation)
    assert _names(nodes)[birth.position] == operation


def test_everything_is_finite() -> None:
    w = _weight()
    assert _birth((w.exp().log() / w).sum()) is None


def test_an_overflow_is_blamed_on_the_operation_that_made_it() -> None:
    """It saves nothing itself: the next operation shows that its argument was bad."""
    w = _weight(1e30, 1e30)
    first = w + 1.0
    overflow = first * 1e30
    loss = (overflow * overflow).sum()
    nodes = nodes_in_order([loss])
    assert find_birth(nodes) == Birth("operation", "MulBackward", nodes.index(overflow.grad_fn))


@pytest.mark.parametrize(
    ("make", "operation"),
    [
        (lambda x: torch.relu(F.linear(x, torch.full((2, 2), 1e30))), "MmBackward"),
        (lambda x: torch.tanh((-x).pow(0.5)), "PowBackward"),
        (lambda x: torch.softmax(x * 1e30, 0), "MulBackward"),
    ],
    ids=["linear-relu", "root-tanh", "product-softmax"],
)
def test_functions_that_cannot_overflow_are_not_blamed(
    make: Callable[[Tensor], Tensor], operation: str
) -> None:
    loss = make(_weight(1e30, 1e30).reshape(1, 2) * 1.0).sum()
    birth = _birth(loss)
    assert birth is not None
    assert (birth.kind, birth.operation) == ("operation", operation)


def test_views_hand_on_what_they_were_given() -> None:
    w = _weight(1e30, 1e30, 1e30, 1e30)
    bad = w * 1e30
    shaped = bad.reshape(2, 2).t().unsqueeze(0)
    loss = (shaped * shaped).sum()
    nodes = nodes_in_order([loss])
    assert find_birth(nodes) == Birth("operation", "MulBackward", nodes.index(bad.grad_fn))


@pytest.mark.parametrize("bad", [NAN, INF])
def test_an_input_that_was_bad_from_the_start(bad: float) -> None:
    layer = nn.Linear(3, 2)
    x = torch.ones(4, 3)
    x[1, 1] = bad
    birth = _birth(layer(x).sum())
    assert birth is not None
    assert birth.kind == "outside"
    assert birth.parameter is None


def test_an_input_of_a_product() -> None:
    birth = _birth((_weight() * torch.tensor([1.0, NAN])).sum())
    assert birth is not None
    assert birth.kind == "outside"


@pytest.mark.parametrize("kind", ["linear", "conv", "product"])
def test_a_weight_that_was_bad_from_the_start(kind: str) -> None:
    x = torch.ones(2, 3, 4, 4, requires_grad=True)
    layers = {"linear": nn.Linear(4, 2), "conv": nn.Conv2d(3, 2, 3)}
    if kind == "product":
        weight = torch.full((4,), NAN, requires_grad=True)
        loss = (x * weight).sum()
    else:
        weight = layers[kind].weight
        with torch.no_grad():
            weight.view(-1)[1] = INF
        loss = layers[kind](x * 1.0).sum()
    birth = _birth(loss)
    assert birth is not None
    assert birth.kind == "weight"
    assert birth.parameter is weight


def test_the_first_of_two_births() -> None:
    w = _weight()
    first = torch.log(w * 0.0)
    second = torch.sqrt(-w)
    nodes = nodes_in_order([(first + second).sum()])
    birth = find_birth(nodes)
    assert birth is not None
    assert nodes[birth.position] is first.grad_fn


# -- what is not ours to read ----------------------------------------------------------------


class Counts(nn.Module):
    """Counts how often its forward pass ran."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.calls = 0

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        return torch.log(self.linear(x) * 0).exp()


def test_a_checkpointed_region_is_not_computed_again() -> None:
    model = Counts()
    x = torch.ones(2, 3, requires_grad=True)
    hidden = checkpoint(model, x * 1.0, use_reentrant=False)
    loss = (hidden * hidden).sum()
    nodes = nodes_in_order([loss])
    birth = find_birth(nodes)
    assert model.calls == 1
    assert birth is None or birth.kind == "operation"
    loss.backward()
    assert model.calls == 2  # theirs, not ours


def test_what_follows_a_checkpointed_region_is_read() -> None:
    model = Counts()
    x = torch.ones(2, 3, requires_grad=True)
    hidden = checkpoint(model, x * 1.0, use_reentrant=False)
    loss = torch.log(hidden * 0.0).sum()
    nodes = nodes_in_order([loss])
    birth = find_birth(nodes)
    assert birth == Birth("operation", "LogBackward", len(nodes) - 2)
    assert model.calls == 1


def test_tensors_behind_hooks_are_not_unpacked() -> None:
    unpacked = []

    def unpack(value: Tensor) -> Tensor:
        unpacked.append(value)
        return value

    w = _weight()
    with torch.autograd.graph.saved_tensors_hooks(lambda value: value, unpack):
        product = w * w
    assert saved_tensor(product.grad_fn, "self") is None
    assert unpacked == []
    plain = w * w
    found = saved_tensor(plain.grad_fn, "self")
    assert found is not None
    assert found.tolist() == w.tolist()
    assert not found.requires_grad


def test_a_function_of_ones_own_is_passed_over() -> None:
    class Own(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            ctx.save_for_backward(x * NAN)
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Tensor) -> Tensor:
            return grad

    assert _birth(Own.apply(_weight()).sum()) is None


def test_names_that_were_not_saved() -> None:
    node = (_weight() * 2).sum().grad_fn
    assert saved_tensor(node, "nothing") is None


# -- what is meant, and what is not known ----------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda x: F.log_softmax(x.masked_fill(torch.tensor([True, False]), -INF), 0)[1],
        lambda x: F.log_softmax(x + torch.tensor([-INF, 0.0]), 0)[1],
        lambda x: torch.logsumexp(torch.where(x > 1, x, -INF), 0),
    ],
    ids=["filled", "added", "where"],
)
def test_masked_scores_are_no_birth(make: Callable[[Tensor], Tensor]) -> None:
    loss = make(_weight() * 1.0)
    assert _birth(loss) is None
    birth = _birth(loss * NAN)
    assert birth is not None
    assert (birth.kind, birth.operation) == ("outside", "MulBackward")


def test_the_target_of_a_loss() -> None:
    target = torch.tensor([1.0, NAN])
    birth = _birth(F.mse_loss(_weight() * 1.0, target))
    assert birth is not None
    assert (birth.kind, birth.argument) == ("outside", "target")
    assert birth.value is not None
    assert birth.value.isnan().tolist() == [False, True]


def test_statistics_that_were_saved_are_no_arguments() -> None:
    """The running mean of a normalisation is not what the layer before it gave."""
    norm = nn.BatchNorm1d(2)
    assert norm.running_mean is not None
    norm.running_mean.fill_(NAN)
    birth = _birth(norm(_weight(1.0, 2.0, 3.0, 4.0).reshape(2, 2) * 1.0).sum())
    assert birth is None


def test_sparse_arguments_are_read() -> None:
    weight = torch.ones(2, 2, requires_grad=True)
    sound = torch.eye(2).to_sparse()
    assert _birth(torch.sparse.mm(sound, weight).sum()) is None
    birth = _birth(torch.sparse.mm((torch.eye(2) * INF).to_sparse(), weight).sum())
    assert birth is not None
    assert birth.kind == "outside"


@pytest.mark.filterwarnings("ignore:Sparse CSR")
@pytest.mark.parametrize("layout", ["dense", "coo", "csr"])
def test_finiteness_of_any_layout(layout: str) -> None:
    for bad in (1.0, NAN, INF):
        tensor = torch.tensor([[0.0, bad], [2.0, 0.0]])
        made = {"dense": tensor, "coo": tensor.to_sparse(), "csr": tensor.to_sparse_csr()}[layout]
        assert is_finite(made) == (bad == 1.0)
    assert is_finite(torch.tensor([1, 2]))


def test_what_is_between_the_root_and_known_values() -> None:
    w = _weight()
    known = w.exp()
    loss = (known.mean() + torch.log(torch.tensor(-1.0))) * 2.0
    nodes = nodes_in_order([loss])
    assert find_birth(nodes) is None
    names = sorted(operation_of(node) for node in unproven([loss], nodes))
    assert names == ["AddBackward", "MeanBackward", "MulBackward"]
