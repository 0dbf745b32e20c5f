"""Normalisations before the activations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import nn

from paramedic.treat.surgery.anatomy import Anatomy, Site
from paramedic.treat.surgery.attributes import hold, holders
from paramedic.treat.surgery.calling import copied
from paramedic.treat.surgery.kinds import ELEMENTWISE, Part
from paramedic.treat.surgery.kinds import part as named
from paramedic.treat.surgery.operation import Operation, Refusal
from paramedic.treat.surgery.places import assignment, expression, like, listed, put
from paramedic.treat.surgery.survey import CONVOLUTIONS, Step, survey
from paramedic.treat.surgery.verification import verified

_BATCH = {2: nn.BatchNorm1d, 3: nn.BatchNorm1d, 4: nn.BatchNorm2d, 5: nn.BatchNorm3d}


@dataclass(frozen=True, slots=True)
class _Insertion:
    """A normalisation before the module called `name`, or after it.

    With an `attribute`, it is before the function of that kind that the module keeps there.
    """

    name: str
    part: Part
    step: Step
    after: bool = False
    attribute: str = ""
    kind: str = ""


def insert_normalisation(model: nn.Module, example: Any, *, kind: str | None = None) -> Operation:
    """Put a normalisation before each hidden activation that has none yet.

    `kind` is `batch`, `layer`, or None: then by what is normalised. Batches of vectors, pictures
    and volumes get BatchNorm of their dimensionality; sequences, and batches of one, LayerNorm (for
    pictures, `GroupNorm(1, …)`, which is the same for channels). An activation that is a function
    gets it behind the layer that feeds it; a recurrent layer, before what reads it.
    """
    if kind not in (None, "batch", "layer"):
        raise ValueError(f"`kind` must be `batch`, `layer` or None but got `{kind}`.")
    anatomy = Anatomy(survey(copied(model, example), example))
    found: dict[str, _Insertion] = {}
    why: dict[str, str] = {}
    for site in anatomy.hidden():
        _plan(site, model, anatomy, kind, found, why)
    for step in anatomy.steps:
        if step.kind == "recurrent":
            _plan_reader(step, anatomy, kind, found)
    if not found:
        raise Refusal(_nothing(why))
    return _inserted(model, example, anatomy, list(found.values()))


def _nothing(why: dict[str, str]) -> str:
    if not why:
        return (
            "The model has no hidden activation and no recurrent layer, so there is nowhere to "
            "put a normalisation; try another remedy."
        )
    reasons = "; ".join(f"`{name}` {reason}" for name, reason in list(why.items())[:4])
    return f"No normalisation could be put in: {reasons}. Try another remedy."


def _plan(
    site: Site, model: nn.Module, anatomy: Anatomy, kind: str | None,
    found: dict[str, _Insertion], why: dict[str, str],
) -> None:  # fmt: skip
    label = site.label(model)
    step = site.steps[0]
    before = anatomy.upstream(step)
    if any(one.kind == "norm" for one in before):
        why[label] = "is normalised already"
    elif not any(one.kind in ("layer", "recurrent", "attention") for one in before):
        why[label] = "is not fed by a layer"
    elif site.is_module and len(site.steps) == 1:
        found[site.name] = _Insertion(site.name, _part(step, before, kind), step)
    elif (name := _attribute(site, model, anatomy)) is not None:
        part = _part(step, before, kind)
        found[site.name] = _Insertion(site.name, part, step, attribute=name, kind=site.kind)
    else:
        feeders = [(_feeder(one, anatomy), one) for one in site.steps]
        for feeder, reader in feeders:
            if feeder is not None:
                part = _part(reader, [feeder], kind)
                found[feeder.name] = _Insertion(feeder.name, part, reader, after=True)
        if not any(feeder for feeder, _ in feeders):
            why[label] = "is a function, or used more than once, and not fed by one layer alone"


def _attribute(site: Site, model: nn.Module, anatomy: Anatomy) -> str | None:
    """The attribute that holds the function, if it is called once and nothing else is."""
    module = model.get_submodule(site.name)
    if isinstance(module, nn.TransformerDecoderLayer):  # it cannot hold one with weights
        return None
    names = holders(module, site.steps[0].function)
    alone = len(site.steps) == 1 and sum(one.name == site.name for one in anatomy.sites()) == 1
    return names[0] if alone and len(names) == 1 and site.kind in ELEMENTWISE else None


def _feeder(step: Step, anatomy: Anatomy) -> Step | None:
    """The one layer that feeds an activation and nothing else."""
    source = anatomy.steps[step.sources[0]] if step.sources else None
    while source is not None and source.kind == "shape" and len(anatomy.readers(source)) == 1:
        source = anatomy.steps[source.sources[0]] if source.sources else None
    if source is None or source.kind != "layer" or source.module is None:
        return None
    alone = len(anatomy.calls(source.name)) == 1 and len(anatomy.readers(source)) == 1
    return source if alone else None


def _plan_reader(
    step: Step, anatomy: Anatomy, kind: str | None, found: dict[str, _Insertion]
) -> None:
    """Before the layers that read what a recurrent layer puts out."""
    for reader in anatomy.downstream(step):
        linear = isinstance(reader.module, nn.Linear)
        if linear and len(anatomy.calls(reader.name)) == 1 and reader.name not in found:
            part = _part(reader, [step], kind or "layer")
            found[reader.name] = _Insertion(reader.name, part, reader)


def _part(step: Step, before: list[Step], kind: str | None) -> Part:
    """The normalisation for what a step reads, by the layers that made it."""
    rank = len(step.shape)
    pictures = rank > 2 and any(isinstance(one.module, CONVOLUTIONS) for one in before)
    width = step.shape[1] if pictures else step.shape[-1]
    single = step.shape[0] == 1
    if kind == "batch" and rank > 2 and not pictures:
        raise Refusal(
            f"A batch normalisation would take the wrong axis of {step.shape} in `{step.name}`; "
            "use `layer`."
        )
    if kind == "batch" or (kind is None and not single and (pictures or rank == 2)):
        batch = _BATCH[rank]
        return Part(lambda: batch(width), f"nn.{batch.__name__}({width})")
    if pictures:
        return Part(lambda: nn.GroupNorm(1, width), f"nn.GroupNorm(1, {width})")
    return Part(lambda: nn.LayerNorm(width), f"nn.LayerNorm({width})")


def _inserted(
    model: nn.Module, example: Any, anatomy: Anatomy, insertions: list[_Insertion]
) -> Operation:
    changed = copied(model, example)
    lines: list[str] = []
    for one in insertions:
        if one.attribute:
            lines.append(_hold(changed, one, anatomy))
            continue
        old = changed.get_submodule(one.name)
        norm = like(one.part.make(), one.step, anatomy)
        pair = (old, norm) if one.after else (norm, old)
        changed = put(changed, one.name, nn.Sequential(*pair))
        inner = f"…, {one.part.code}" if one.after else f"{one.part.code}, …"
        lines.append(assignment(model, one.name, f"nn.Sequential({inner})"))
    names = tuple(one.name or type(model).__name__ for one in insertions)
    done = verified(model, changed, example, what=f"normalising {listed(names)}")
    _check_effect(done, example, len(_norms(anatomy)) + len(insertions))
    return Operation(done, _described(insertions, names), "\n".join(lines), names)


def _hold(model: nn.Module, one: _Insertion, anatomy: Anatomy) -> str:
    """Put a normalisation and a module in the place of a function; the code for it."""
    function = named(one.kind)
    norm = like(one.part.make(), one.step, anatomy)
    new = nn.Sequential(norm, function.make())
    hold(model.get_submodule(one.name), one.attribute, new)
    where = f"{expression(model, one.name)}.{one.attribute}"
    return f"{where} = nn.Sequential({one.part.code}, {function.code})"


def _described(insertions: list[_Insertion], names: tuple[str, ...]) -> str:
    kinds = " and ".join(sorted({one.part.code.partition("(")[0] for one in insertions}))
    places: dict[str, list[str]] = {"before": [], "before the activation of": [], "after": []}
    for one, name in zip(insertions, names, strict=True):
        side = "before the activation of" if one.attribute else "before"
        places["after" if one.after else side].append(name)
    where = " and ".join(f"{side} {listed(found)}" for side, found in places.items() if found)
    return f"Inserted {kinds} {where}."


def _norms(anatomy: Anatomy) -> set[str]:
    """The normalisations that ran."""
    return {step.name for step in anatomy.steps if step.kind == "norm" and step.module is not None}


def _check_effect(model: nn.Module, example: Any, expected: int) -> None:
    found = len(_norms(Anatomy(survey(model, example))))
    if found < expected:
        raise Refusal(
            f"Only {found} of {expected} normalisations run after they were put in: a module seems "
            "to be held somewhere else too, such as in a list. Change the definition of the model."
        )
