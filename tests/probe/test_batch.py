"""The batch: which loss, which targets, which task, and what the numbers look like."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from paramedic.probe.batch import Batch, batch_scalars, find_batch, loss_name
from paramedic.probe.forward import ForwardTap
from paramedic.probe.labels import Labels
from paramedic.probe.task import infer_task
from paramedic.types import Task

NAN, INF = float("nan"), float("inf")


def _randn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def _labels(*shape: int, classes: int = 3) -> Tensor:
    return torch.randint(0, classes, shape, generator=torch.Generator().manual_seed(0))


def _find(
    model: nn.Module, loss_of: Callable[[Tensor], Tensor], *inputs: Tensor, loss_fn: Any = None
) -> Batch:
    """What is found of a batch when `loss_of(model(*inputs))` is trained on."""
    tap = ForwardTap({id(model), id(loss_fn)})
    tap.open()
    try:
        loss = loss_of(model(*inputs))
        return find_batch(tap.take(), [loss], {id(model)}, loss_fn)
    finally:
        tap.close()


X, Y = _randn(6, 4), _labels(6)
VALUES = _randn(6, 3, seed=1)


@pytest.mark.parametrize(
    ("loss", "plain"),
    [
        (lambda out: F.cross_entropy(out, Y), True),
        (lambda out: F.cross_entropy(out, Y) / 4, True),
        (lambda out: F.cross_entropy(out, Y, weight=torch.tensor([1.0, 1.0, 6.0])), False),
        (lambda out: F.cross_entropy(out, Y, reduction="sum"), False),
        (
            lambda out: F.binary_cross_entropy_with_logits(
                out, torch.ones(6, 3), pos_weight=torch.full((3,), 9.0)
            ),
            False,
        ),
    ],
)
def test_a_weighted_loss_is_no_plain_mean(loss: Callable[[Tensor], Tensor], plain: bool) -> None:
    """Its constant answer would not be that of the frequencies."""
    assert _find(nn.Linear(4, 3), loss, X).is_mean is plain


@pytest.mark.parametrize(
    "loss",
    [
        lambda out: nn.L1Loss()(out, VALUES),
        lambda out: F.l1_loss(out, VALUES),
        lambda out: (VALUES - out).abs().mean(),
        lambda out: (out - VALUES).abs().mean(),
    ],
)
def test_the_targets_of_an_absolute_difference(loss: Callable[[Tensor], Tensor]) -> None:
    """What a constant answer is compared with, also where it is only what a difference leaves."""
    term = _find(nn.Linear(4, 3), loss, X).term
    assert term is not None
    assert term.kind == "l1"
    assert torch.allclose(term.target.float(), VALUES, atol=1e-6)


# -- finding the loss and its targets --------------------------------------------------------


FUNCTIONS = {
    "cross-entropy": lambda out: F.cross_entropy(out, Y),
    "nll": lambda out: F.nll_loss(out, Y),
    "mse": lambda out: F.mse_loss(out, _randn(6, 3)),
    "smooth-l1": lambda out: F.smooth_l1_loss(out, _randn(6, 3)),
    "huber": lambda out: F.huber_loss(out, _randn(6, 3)),
    "binary-cross-entropy": lambda out: F.binary_cross_entropy(out.sigmoid(), torch.ones(6, 3)),
    "binary-cross-entropy-with-logits": lambda out: F.binary_cross_entropy_with_logits(
        out, torch.ones(6, 3)
    ),
    "soft-margin": lambda out: F.soft_margin_loss(out, torch.ones(6, 3)),
    "multi-margin": lambda out: F.multi_margin_loss(out, Y),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_losses_from_functions(name: str) -> None:
    batch = _find(nn.Linear(4, 3), FUNCTIONS[name], X)
    assert batch.loss == name
    assert batch.target is not None
    assert batch.target.shape[0] == 6
    assert batch.inputs[0] is X
    assert batch.output is not None
    assert batch.output.shape == (6, 3)


MODULES = {
    "cross-entropy": (nn.CrossEntropyLoss(), Y),
    "nll": (nn.NLLLoss(), Y),
    "mse": (nn.MSELoss(), _randn(6, 3)),
    "l1": (nn.L1Loss(), _randn(6, 3)),
    "smooth-l1": (nn.SmoothL1Loss(), _randn(6, 3)),
    "huber": (nn.HuberLoss(), _randn(6, 3)),
    "binary-cross-entropy-with-logits": (nn.BCEWithLogitsLoss(), torch.ones(6, 3)),
    "KLDivLoss": (nn.KLDivLoss(reduction="batchmean"), torch.ones(6, 3)),
}


@pytest.mark.parametrize("name", MODULES)
def test_losses_from_modules(name: str) -> None:
    criterion, target = MODULES[name]
    batch = _find(nn.Linear(4, 3), lambda out: criterion(out, target), X)
    assert batch.loss == name
    assert batch.target is target
    assert batch.prediction is not None
    assert batch.output is not None
    assert torch.equal(batch.prediction, batch.output)


def test_arguments_of_a_loss_module_by_name() -> None:
    criterion = nn.CrossEntropyLoss()
    batch = _find(nn.Linear(4, 3), lambda out: criterion(input=out, target=Y), X)
    assert batch.target is Y


def test_arguments_of_a_loss_module_by_name_in_the_other_order() -> None:
    criterion = nn.CrossEntropyLoss()
    batch = _find(nn.Linear(4, 3), lambda out: criterion(target=Y, input=out), X)
    assert batch.target is Y


@pytest.mark.parametrize(
    "decorate",
    [
        lambda loss, model: loss * 2 + 0.01 * sum(p.pow(2).sum() for p in model.parameters()),
        lambda loss, model: (loss + model.weight.abs().sum()) / 4,
        lambda loss, model: torch.stack([loss, model.bias.pow(2).sum()]).sum(),
        lambda loss, model: (loss.float() * 1024.0).mean(),
    ],
    ids=["penalty", "accumulated", "stacked", "scaled"],
)
def test_a_loss_inside_other_operations(decorate: Callable[..., Tensor]) -> None:
    model = nn.Linear(4, 3)
    batch = _find(model, lambda out: decorate(F.cross_entropy(out, Y), model), X)
    assert batch.loss == "cross-entropy"
    assert batch.target is not None
    assert batch.target.tolist() == Y.tolist()


@pytest.mark.parametrize("options", [{"reduction": "sum"}, {"label_smoothing": 0.1}])
def test_options_of_cross_entropy(options: dict[str, Any]) -> None:
    batch = _find(nn.Linear(4, 3), lambda out: F.cross_entropy(out, Y, **options), X)
    assert batch.loss == "cross-entropy"


def test_cross_entropy_of_images() -> None:
    labels = _labels(2, 5, 5)
    model = nn.Conv2d(1, 3, 1)
    batch = _find(model, lambda out: F.cross_entropy(out, labels), _randn(2, 1, 5, 5))
    assert batch.loss == "cross-entropy"
    assert infer_task(batch)[0] is Task.MULTI_CLASS


def test_a_loss_of_ones_own_is_not_guessed() -> None:
    batch = _find(nn.Linear(4, 3), lambda out: out.exp().mean(), X)
    assert (batch.loss, batch.target) == (None, None)
    assert infer_task(batch) == (
        Task.UNKNOWN,
        "neither the loss function nor its targets could be seen",
    )


class Focal(nn.Module):
    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        p = output.softmax(dim=1).gather(1, target[:, None])
        return (-((1 - p) ** 2) * p.log()).mean()


def test_a_loss_module_of_ones_own_is_known_by_its_name() -> None:
    criterion = Focal()
    batch = _find(nn.Linear(4, 3), lambda out: criterion(out, Y), X, loss_fn=criterion)
    assert batch.loss == "Focal"
    assert batch.target is Y
    assert infer_task(batch) == (Task.UNKNOWN, "the loss is Focal, which does not tell")


def test_a_model_called_without_arguments_that_are_tensors() -> None:
    class Free(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.ones(6, 3))

        def forward(self) -> Tensor:
            return self.weight * 2

    batch = _find(Free(), lambda out: F.mse_loss(out, torch.zeros(6, 3)))
    assert batch.inputs == []
    assert "batch_size" not in batch_scalars(batch, Labels())


def test_without_hooks_the_graph_alone_tells_the_target() -> None:
    model = nn.Linear(4, 3)
    batch = find_batch([], [F.mse_loss(model(X), torch.ones(6, 3))], {id(model)})
    assert batch.loss == "mse"
    assert batch.target is not None
    assert batch.inputs == []


def test_a_target_behind_hooks_for_saved_tensors_is_left_alone() -> None:
    unpacked = []

    def unpack(value: Tensor) -> Tensor:
        unpacked.append(value)
        return value

    model = nn.Linear(4, 3)
    with torch.autograd.graph.saved_tensors_hooks(lambda value: value, unpack):
        loss = F.mse_loss(model(X), torch.ones(6, 3))
    batch = find_batch([], [loss], {id(model)})
    assert batch.loss == "mse"
    assert batch.target is None
    assert unpacked == []


def test_a_loss_without_a_graph() -> None:
    assert find_batch([], [torch.tensor(1.0)], set()).loss is None


@pytest.mark.parametrize(
    ("loss_fn", "name"),
    [
        (nn.CrossEntropyLoss(), "cross-entropy"),
        (nn.BCELoss(), "binary-cross-entropy"),
        (F.cross_entropy, "cross-entropy"),
        (F.l1_loss, "l1"),
        (Focal(), "Focal"),
        (math.hypot, "hypot"),
        (Counter(), "Counter"),
    ],
)
def test_names_of_losses(loss_fn: Any, name: str) -> None:
    assert loss_name(loss_fn) == name


# -- the task --------------------------------------------------------------------------------


def _task(model: nn.Module, loss_of: Callable[[Tensor], Tensor], *inputs: Tensor) -> Task:
    task, source = infer_task(_find(model, loss_of, *inputs))
    assert "loss" in source
    return task


def test_multi_class() -> None:
    assert _task(nn.Linear(4, 3), lambda out: F.cross_entropy(out, Y), X) is Task.MULTI_CLASS
    assert (
        _task(nn.Linear(4, 3), lambda out: F.nll_loss(out.log_softmax(1), Y), X) is Task.MULTI_CLASS
    )


@pytest.mark.parametrize("shape", [(6,), (6, 1)])
def test_binary(shape: tuple[int, ...]) -> None:
    def loss(out: Tensor) -> Tensor:
        return F.binary_cross_entropy_with_logits(out.reshape(shape), torch.ones(shape))

    assert _task(nn.Linear(4, 1), loss, X) is Task.BINARY


def test_multi_label() -> None:
    criterion = nn.BCELoss()
    task = _task(nn.Linear(4, 5), lambda out: criterion(out.sigmoid(), torch.ones(6, 5)), X)
    assert task is Task.MULTI_LABEL


@pytest.mark.parametrize("criterion", [nn.MSELoss(), nn.L1Loss(), nn.HuberLoss()])
def test_regression(criterion: nn.Module) -> None:
    task = _task(nn.Linear(4, 3), lambda out: criterion(out, _randn(6, 3)), X)
    assert task is Task.REGRESSION


class Characters(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed, self.head = nn.Embedding(11, 8), nn.Linear(8, 11)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(self.embed(tokens))


def test_language_model() -> None:
    tokens = _labels(2, 7, classes=11)

    def loss(out: Tensor) -> Tensor:
        return F.cross_entropy(out.reshape(-1, 11), tokens.roll(-1, 1).reshape(-1))

    assert _task(Characters(), loss, tokens) is Task.LANGUAGE_MODEL


def test_tokens_with_one_label_each_text_are_multi_class() -> None:
    tokens = _labels(4, 7, classes=11)

    def loss(out: Tensor) -> Tensor:
        return F.cross_entropy(out.mean(dim=1), torch.tensor([0, 1, 2, 3]))

    assert _task(Characters(), loss, tokens) is Task.MULTI_CLASS


def test_language_model_with_shifted_targets() -> None:
    tokens = _labels(2, 7, classes=11)

    def loss(out: Tensor) -> Tensor:
        return F.cross_entropy(out[:, :-1].reshape(-1, 11), tokens[:, 1:].reshape(-1))

    assert _task(Characters(), loss, tokens) is Task.LANGUAGE_MODEL


# -- the numbers -----------------------------------------------------------------------------


def _scalars(**tensors: Any) -> dict[str, float]:
    inputs = tensors.pop("inputs", None)
    batch = Batch(inputs=[] if inputs is None else [inputs], **tensors)
    return batch_scalars(batch, Labels())


def test_inputs(way: str) -> None:
    x = _randn(40, 5) * 3 + 2
    found = _scalars(inputs=x)
    assert found["batch_size"] == 40
    assert found["input_nan"] == 0.0
    assert found["input_constant"] == 0.0
    expected = [float(x.min()), float(x.max()), float(x.double().mean())]
    assert [found["input_min"], found["input_max"], found["input_mean"]] == pytest.approx(
        expected, rel=1e-5
    )
    assert found["input_std"] == pytest.approx(x.double().numpy().std(), rel=1e-5)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_inputs_of_other_precisions(way: str, dtype: torch.dtype) -> None:
    x = _randn(20, 3).to(dtype)
    found = _scalars(inputs=x)
    assert found["input_max"] == pytest.approx(float(x.max()), rel=1e-6)
    assert found["input_std"] == pytest.approx(x.double().numpy().std(), rel=1e-4)


def test_integer_and_boolean_inputs(way: str) -> None:
    found = _scalars(inputs=torch.tensor([[0, 255], [10, 255]], dtype=torch.uint8))
    assert (found["input_min"], found["input_max"]) == (0.0, 255.0)
    assert found["input_mean"] == pytest.approx(130.0, rel=1e-6)
    assert found["input_constant"] == 0.5
    found = _scalars(inputs=torch.tensor([[True, False], [True, True]]))
    assert (found["input_mean"], found["input_constant"]) == (0.75, 0.5)


def test_complex_inputs_by_their_size(way: str) -> None:
    found = _scalars(inputs=torch.tensor([[3 + 4j], [0j]]))
    assert (found["input_min"], found["input_max"]) == (0.0, 5.0)


def test_a_small_spread_far_from_zero(way: str) -> None:
    x = 1000 + 0.1 * _randn(50, 4)
    assert _scalars(inputs=x)["input_std"] == pytest.approx(x.double().numpy().std(), rel=1e-3)


def test_constant_inputs(way: str) -> None:
    x = _randn(30, 4)
    x[:, 1] = 7.0
    assert _scalars(inputs=x)["input_constant"] == 0.25
    found = _scalars(inputs=torch.zeros(30, 4))
    assert found["input_constant"] == 1.0
    assert found["input_std"] == 0.0


def test_one_sample_cannot_show_what_is_constant(way: str) -> None:
    assert "input_constant" not in _scalars(inputs=_randn(1, 4))


def test_inputs_that_are_not_finite(way: str) -> None:
    x = torch.tensor([[1.0, NAN, 3.0, INF], [-1.0, 1.0, 1.0, -INF]])
    found = _scalars(inputs=x)
    assert found["input_nan"] == pytest.approx(3 / 8)
    assert (found["input_min"], found["input_max"]) == (-1.0, 3.0)
    assert found["input_mean"] == pytest.approx(1.0)
    assert found["input_std"] == pytest.approx(np.std([1, 3, -1, 1, 1]), rel=1e-6)


def test_inputs_of_nothing_but_nan(way: str) -> None:
    found = _scalars(inputs=torch.full((3, 2), NAN))
    assert found["input_nan"] == 1.0
    assert "input_mean" not in found


def test_an_empty_batch(way: str) -> None:
    found = _scalars(
        inputs=torch.empty(0, 4), target=torch.empty(0, dtype=torch.long), output=torch.empty(0, 3)
    )
    assert found == {"batch_size": 0.0}


def test_a_scalar_input(way: str) -> None:
    found = _scalars(inputs=torch.tensor(4.0))
    assert (found["batch_size"], found["input_max"]) == (1.0, 4.0)


def test_sparse_inputs_do_not_fail(way: str) -> None:
    assert _scalars(inputs=torch.eye(4).to_sparse())["batch_size"] == 4.0


def test_only_the_first_samples_of_a_large_batch_are_read(way: str) -> None:
    x = torch.zeros(5000, 2)
    x[4000:] = 9.0
    found = _scalars(inputs=x)
    assert (found["batch_size"], found["input_max"]) == (5000.0, 0.0)


def test_outputs(way: str) -> None:
    found = _scalars(output=torch.tensor([[0.25, 0.75], [0.5, 0.9]]))
    assert (found["output_min"], found["output_max"]) == pytest.approx((0.25, 0.9))
    assert found["output_sum_error"] == pytest.approx(0.2, rel=1e-5)
    assert "output_sum_error" not in _scalars(output=torch.ones(4, 1))
    assert _scalars(output=torch.tensor([[1, 2]])) == {}


@pytest.mark.parametrize("bad", [NAN, INF])
def test_outputs_that_are_not_finite_are_not_reported(way: str, bad: float) -> None:
    found = _scalars(output=torch.tensor([[1.0, bad], [1.0, 2.0]]))
    assert "output_max" not in found
    assert "output_sum_error" not in found


def test_sums_of_extreme_outputs_do_not_warn(way: str) -> None:
    infinite = torch.tensor([[INF, -INF], [1.0, 2.0]])
    assert "output_sum_error" not in _scalars(output=infinite)
    large = torch.tensor([[3e38, 3e38], [1.0, 2.0]])
    assert _scalars(output=large)["output_sum_error"] == pytest.approx(3e38)
