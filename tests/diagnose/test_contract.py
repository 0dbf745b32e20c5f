"""What holds for every detector of ours, whoever wrote it."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paramedic import diagnose
from paramedic.diagnose import engine
from paramedic.diagnose.detector import Detector
from paramedic.diagnose.manual import FAMILIES, page_of
from paramedic.diagnose.rules import rules
from paramedic.trace import Trace
from paramedic.types import Finding, Window
from paramedic.vocabulary import LAYER_STATISTICS, SCALARS
from tests.diagnose.detectors.judging import reason
from tests.diagnose.detectors.losses import learning, resting, sloping, stepping
from tests.diagnose.test_bank import RUNS, unpacked
from tests.diagnose.windows import series, window

FOLDER = Path(diagnose.__path__[0])
KINDS = rules()
EVERY = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.slug)
CATALOGUE = {
    "G": "vanishing-gradient exploding-gradient gradient-instability",
    "A": "dying-relu saturated-activation improper-output-activation",
    "L": "oscillating-loss slow-convergence loss-plateau loss-explosion improper-loss no-more-gain",
    "D": "abnormal-data invalid-labels uninformative-labels dead-input too-good-to-be-true",
    "N": "non-finite",
    "O": "learning-rate-too-high learning-rate-too-low missing-zero-grad untrained-parameters "
    "wrong-mode loss-shape-mismatch poor-initialization too-few-steps",
    "T": "overfitting",
}
SLUGS = {slug for line in CATALOGUE.values() for slug in line.split()}


def ordinary_windows() -> Iterator[Window]:
    """Runs of ten frames with plausible numbers, well or not so well."""
    random = np.random.default_rng(0)
    for losses in (resting(), learning(), sloping(2.3, 2.0), stepping(1.0, 20.0), [np.nan] * 20):
        layers = {name: random.random((10, 4)) for name in LAYER_STATISTICS}
        scalars = {name: random.random(10) for name in (*SCALARS, "lr/0")}
        epochs = series(train_loss=np.linspace(2, 1, 12), val_loss=1 + abs(np.arange(-3, 9)) / 5)
        yield window(
            layers=layers, scalars=scalars, losses=losses, epochs=epochs, ended=len(losses) > 30
        )


@cache
def windows(slug: str) -> tuple[Window, ...]:
    """Those, and what there was to see of the runs in the bank that have this sickness."""
    found = [*ordinary_windows()]
    for run in (run for run in RUNS if run["slug"] == slug):
        with unpacked(run["file"]) as path, Trace.open(path) as trace:
            found += [trace.window(20), replace(trace.window(), ended=True)]
    return tuple(found)


def findings(kind: type[Detector]) -> Iterator[tuple[Window, Finding]]:
    """What a detector says of all windows that it can judge."""
    detector = kind()
    for given in windows(kind.slug):
        if reason(detector, given) is None and (found := detector.examine(given)) is not None:
            yield given, found


@EVERY
def test_it_finds_something_in_the_runs_of_its_own(kind: type[Detector]) -> None:
    """Else the tests below would look at nothing."""
    assert any(findings(kind))


def test_the_catalogue_is_complete() -> None:
    assert {kind.slug for kind in KINDS} == SLUGS


def test_codes_and_slugs_are_unique() -> None:
    assert len({kind.code for kind in KINDS}) == len({kind.slug for kind in KINDS}) == len(KINDS)


@EVERY
def test_its_names(kind: type[Detector]) -> None:
    assert re.fullmatch(r"[A-Z]\d{3}", kind.code)
    assert kind.code[0] in FAMILIES
    assert kind.slug in CATALOGUE[kind.code[0]].split()
    file = Path(inspect.getfile(kind))
    assert file.stem == kind.slug.replace("-", "_")
    assert inspect.getdoc(inspect.getmodule(kind)).startswith(f"{kind.code}: ")  # type: ignore[union-attr]


@EVERY
def test_its_page_and_its_thresholds(kind: type[Detector]) -> None:
    page = page_of(kind)
    assert page.summary.endswith(".")
    assert page.thresholds
    for one in page.thresholds:
        assert one.meaning
        assert one.source
        assert isinstance(one.default, int | float)


@EVERY
def test_its_thresholds_are_used(kind: type[Detector]) -> None:
    (body,) = [
        node
        for node in ast.walk(ast.parse(inspect.getsource(inspect.getmodule(kind))))  # type: ignore[arg-type]
        if isinstance(node, ast.ClassDef) and node.name == kind.__name__
    ]
    used = {
        node.attr
        for node in ast.walk(body)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    }
    assert {one.name for one in fields(kind)} <= used  # type: ignore[arg-type]


@EVERY
def test_what_it_names_exists(kind: type[Detector]) -> None:
    assert kind.explains <= SLUGS - {kind.slug}
    assert kind.excludes <= SLUGS - {kind.slug}
    assert kind.needs <= {*LAYER_STATISTICS, *SCALARS}
    assert kind.patience >= 1


@EVERY
def test_silent_before_anything_was_seen(kind: type[Detector]) -> None:
    detector = kind()
    for given in (window(), window(ended=True), window(losses=[2.3])):
        assert reason(detector, given) is not None or detector.examine(given) is None


@EVERY
def test_it_cannot_keep_anything(kind: type[Detector]) -> None:
    detector = kind()
    assert kind.__slots__ == tuple(one.name for one in fields(kind))  # type: ignore[arg-type]
    with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
        detector.memory = 1  # type: ignore[attr-defined]


@EVERY
def test_the_same_window_gives_the_same_finding(kind: type[Detector]) -> None:
    for given, found in findings(kind):
        again = window_like(given)
        assert json.dumps(kind().examine(again).to_json()) == json.dumps(found.to_json())


def window_like(given: Window) -> Window:
    """The same window, with nothing derived from it yet."""
    return Window(
        given.chart, given.steps, given.scalars, given.layers, given.pulse, given.epochs,
        given.events, given.ended,
    )  # fmt: skip


@EVERY
def test_the_window_stays_as_it_was(kind: type[Detector]) -> None:
    detector = kind()
    for given in windows(kind.slug):
        before = frozen(given)
        if reason(detector, given) is None:
            detector.examine(given)
        assert frozen(given) == before


def frozen(given: Window) -> Any:
    """All numbers of a window, as bytes."""
    pulse = given.pulse
    arrays = [given.steps, pulse.step, pulse.loss, pulse.finite, pulse.skipped]
    arrays += [*given.scalars.values(), *given.layers.values()]
    return [array.tobytes() for array in arrays], given.chart, repr(given.epochs), given.events


@EVERY
def test_its_findings_survive_json(kind: type[Detector]) -> None:
    for given, found in findings(kind):
        engine._check(found, kind())
        assert found.step == given.last_step
        text = json.dumps(found.to_json())
        assert json.dumps(Finding.from_json(json.loads(text)).to_json()) == text


@EVERY
def test_its_remedies_can_be_told(kind: type[Detector]) -> None:
    for _, found in findings(kind):
        for remedy in kind().prescribe(found):
            assert 0 <= remedy.confidence <= 1


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.py")), ids=lambda p: p.name)
def test_no_torch_in_the_room(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "import_module":
            names = [one.value for one in node.args if isinstance(one, ast.Constant)]
        assert not any(str(name).split(".")[0] == "torch" for name in names)
