"""Jobs for patchers, made of a piece of source with marked lines instead of a run."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

from paramedic.run.fix.patch import Patch
from paramedic.run.fix.patcher import Job
from paramedic.run.outcome import Record
from paramedic.run.places import Place
from paramedic.types import Chart, Finding, Layer, Remedy, Severity

KINDS = ("optimizer", "loss", "backward", "step", "model", "mode")


def job(
    folder: Path, text: str, slug: str = "x", *, arguments: tuple[str, ...] = (),
    evidence: dict[str, Any] | None = None, chart: dict[str, Any] | None = None, **args: Any,
) -> Job:  # fmt: skip
    """A line that ends in `# optimizer` is where the optimizer is made, one that ends in
    `# layer NAME KIND` where a layer is made, `# root` where the model is."""
    path = folder / "train.py"
    path.write_text(textwrap.dedent(text).lstrip("\n"))
    places: dict[str, Place] = {}
    layers: dict[str, Place] = {}
    described: list[Layer] = []
    root: Place | None = None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        mark = line.partition("# ")[2].split()
        place = Place(str(path), number)
        for word in mark:
            places.update({word: place} if word in KINDS else {})
            root = place if word == "root" else root
        if mark[:1] == ["layer"]:
            for name, kind in zip(mark[1::2], mark[2::2], strict=True):
                layers[name] = place
                activation = kind.lower() if kind in ("Sigmoid", "Softmax", "ReLU") else None
                described.append(Layer(name, kind, order=len(described), activation=activation,
                                       parameters=activation is None))  # fmt: skip
    settings = {"name": "SGD", "lr": 0.1}
    record = Record(
        "model", chart=Chart(tuple(described), (settings,), **(chart or {})), layers=layers,
        places=places, called="model", root_class="Net", root_place=root,
    )  # fmt: skip
    finding = Finding("X001", "sick", Severity.WARNING, 0.9, "", 1, (), evidence or {})
    return Job(Remedy(slug, slug, 0.9, args=args), finding, record, arguments)


def changed(patch: Patch) -> list[str]:
    """The lines of a patch that come and go."""
    lines = patch.diff().splitlines()[2:]
    return [line[0] + line[1:].strip() for line in lines if line[0] in "+-"]
