"""The ten sick scripts are recognised, at the right line; their twins learn."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from tests.run.support import EXAMPLES, Seen, plainly

SICK = {
    "deep_sigmoid": ("vanishing-gradient", "layers = [nn.Linear(2, 32), nn.Sigmoid()]"),
    "huge_learning_rate": (
        "learning-rate-too-high",
        "optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)",
    ),
    "tiny_learning_rate": (
        "learning-rate-too-low",
        "optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)",
    ),
    "kept_gradients": ("missing-zero-grad", "loss.backward()"),
    "softmax_twice": ("improper-output-activation", "self.softmax = nn.Softmax(dim=1)"),
    "left_in_eval": ("wrong-mode", "model.eval()"),
    "half_an_optimizer": (
        "untrained-parameters",
        "optimizer = optim.Adam(model.classifier.parameters(), lr=3e-3)",
    ),
    "broadcast_target": ("loss-shape-mismatch", "loss = mse(pred, y)"),
    "raw_inputs": ("abnormal-data", "outputs = model(batch_x)"),
    "zero_weights": ("poor-initialization", "nn.init.zeros_(module.weight)"),
}
# Those that learn nevertheless: what is wrong with them is a fault, or only makes them worse.
VERDICTS = {
    "softmax_twice": "learning",
    "left_in_eval": "learning",
    "half_an_optimizer": "learning",
    "raw_inputs": "learning",
    "kept_gradients": "diverged",
}
FAULTS = (
    "kept_gradients", "softmax_twice", "left_in_eval", "half_an_optimizer", "broadcast_target"
)  # fmt: skip


def test_each_has_a_twin() -> None:
    sick = {path.stem for path in (EXAMPLES / "sick").glob("*.py")}
    assert sick == set(SICK) == {path.stem for path in (EXAMPLES / "healthy").glob("*.py")}


@pytest.mark.parametrize("name", SICK)
def test_the_root_and_its_line(name: str, example: Callable[[str], Seen]) -> None:
    seen = example(f"sick/{name}")
    assert (seen.root, seen.line()) == SICK[name]
    assert seen.verdict == VERDICTS.get(name, "not learning")
    assert seen.outcome.exit_code == (name != "raw_inputs")
    record = seen.outcome.records[0]
    assert record.diagnosis.root is not None
    assert record.remedies_for(record.diagnosis.root)


def test_what_is_wrong_by_construction_is_a_fault(example: Callable[[str], Seen]) -> None:
    for name in FAULTS:
        (record,) = example(f"sick/{name}").outcome.records
        assert [finding.slug for finding in record.conclusion.faults] == [SICK[name][0]]


@pytest.mark.parametrize("name", SICK)
def test_the_twin_is_healthy(name: str, example: Callable[[str], Seen]) -> None:
    seen = example(f"healthy/{name}")
    assert seen.verdict == "learning"
    assert seen.outcome.exit_code == 0


@pytest.mark.parametrize(
    "name", [f"{kind}/{name}" for name in SICK for kind in ("sick", "healthy")]
)
def test_the_program_does_not_notice(name: str, example: Callable[[str], Seen]) -> None:
    """The same output, the same weights bit for bit, the same random numbers afterwards."""
    without, with_us = plainly(EXAMPLES / f"{name}.py"), example(name)
    assert with_us.stdout == without.stdout
    assert with_us.ending == without.ending
    assert len(with_us.weights) == len(without.weights) > 0
    for one, two in zip(with_us.weights, without.weights, strict=True):
        assert torch.equal(one.nan_to_num(), two.nan_to_num())
        assert torch.equal(one.isnan(), two.isnan())
    assert torch.equal(with_us.randomness, without.randomness)
