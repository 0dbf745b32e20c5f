"""More dropout: raised where there is some, put behind the activations where there is none."""

from __future__ import annotations

from typing import Any

from torch import nn

from paramedic.probe.layers import DROPOUTS
from paramedic.treat.surgery.anatomy import Anatomy
from paramedic.treat.surgery.calling import copied
from paramedic.treat.surgery.operation import Operation, Refusal
from paramedic.treat.surgery.places import assignment, expression, listed, put
from paramedic.treat.surgery.survey import Step, survey
from paramedic.treat.surgery.tracing import keep, rewritten
from paramedic.treat.surgery.verification import verified

BY, MOST = 0.1, 0.5  # Training Doctor's


def add_dropout(
    model: nn.Module, example: Any, p: float | None = None, *, raise_only: bool = False
) -> Operation:
    """Raise each dropout to `p`, or by 0.1 to at most 0.5; without any, put it behind the hidden
    activations (0.1 unless `p` is given), or refuse if `raise_only`.

    Dropout inside recurrent layers and attention counts; functional dropout becomes a module.
    """
    if p is not None and not 0 < p < 1:
        raise ValueError(f"`p` must be above 0 and below 1 but got {p}.")
    changed = copied(model, example)
    anatomy = Anatomy(survey(changed, example))
    for name in dict.fromkeys(step.name for step in anatomy.steps if _is_functional(step)):
        changed = rewritten(changed, anatomy.survey, name, example, keep)
    if any(share is not None for share in map(_share, changed.modules())):
        return _raised(model, changed, example, p)
    if raise_only:
        raise Refusal("The model has no dropout to raise; let it be added, or use weight decay.")
    return _added(model, changed, example, anatomy, BY if p is None else p)


def _is_functional(step: Step) -> bool:
    return step.kind == "dropout" and step.module is None


def _share(module: nn.Module) -> float | None:
    """The share that a module drops; None if it is no dropout, or cannot drop anything."""
    if isinstance(module, DROPOUTS):
        return float(module.p)
    if isinstance(module, nn.MultiheadAttention):
        return float(module.dropout)
    if isinstance(module, nn.RNNBase) and module.num_layers > 1:
        return float(module.dropout)
    return None


def _raised(model: nn.Module, changed: nn.Module, example: Any, p: float | None) -> Operation:
    names: list[str] = []
    lines: list[str] = []
    for name, module in changed.named_modules():
        now = _share(module)
        if now is None:
            continue
        new = max(now, round(min(now + BY, MOST), 10)) if p is None else p
        if new <= now:
            continue
        attribute = "p" if isinstance(module, DROPOUTS) else "dropout"
        setattr(module, attribute, new)
        names.append(name)
        lines.append(f"{expression(changed, name)}.{attribute} = {new:g}  # was {now:g}")
    if not names:
        raise Refusal(
            f"Dropout is at {p or MOST:g} or more everywhere already; more would do harm. "
            "Use weight decay, or more data."
        )
    done = verified(model, changed, example, what=f"raising dropout in {listed(names)}")
    text = f"Raised dropout in {listed(names)} by {BY:g}, to at most {MOST:g}."
    if p is not None:
        text = f"Raised dropout in {listed(names)} to {p:g}."
    return Operation(done, text, "\n".join(lines), tuple(names))


def _added(
    model: nn.Module, changed: nn.Module, example: Any, anatomy: Anatomy, p: float
) -> Operation:
    behind, before = _places(anatomy)
    if not behind and not before:
        raise Refusal(
            "The model has neither a hidden activation nor a recurrent layer to put dropout "
            "behind; use weight decay."
        )
    lines: list[str] = []
    for name in (*behind, *before):
        old = changed.get_submodule(name)
        new = nn.Dropout(p)
        changed = put(changed, name, nn.Sequential(*((old, new) if name in behind else (new, old))))
        inner = f"…, nn.Dropout({p:g})" if name in behind else f"nn.Dropout({p:g}), …"
        lines.append(assignment(model, name, f"nn.Sequential({inner})"))
    names = (*behind, *before)
    done = verified(model, changed, example, what=f"putting dropout at {listed(names)}")
    if _running(Anatomy(survey(done, example))) < len(names):
        raise Refusal(
            "Not every dropout runs after it was put in: a module seems to be held somewhere else "
            "too, such as in a list. Change the definition of the model."
        )
    sides = (("behind", behind), ("before", before))
    where = " and ".join(f"{side} {listed(found)}" for side, found in sides if found)
    return Operation(done, f"Inserted nn.Dropout({p:g}) {where}.", "\n".join(lines), names)


def _running(anatomy: Anatomy) -> int:
    return len({step.name for step in anatomy.steps if step.kind == "dropout"})


def _places(anatomy: Anatomy) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Activations to put dropout behind, and layers to put it before: those that read a function
    or a recurrent layer."""
    last = anatomy.output_step()
    hidden = anatomy.hidden()
    behind = tuple(site.name for site in hidden if site.is_module and last not in site.steps)
    makers = [step for site in hidden if not site.is_module for step in site.steps]
    makers += [step for step in anatomy.steps if step.kind == "recurrent"]
    readers = [reader for step in makers for reader in anatomy.downstream(step)]
    before = dict.fromkeys(
        reader.name for reader in readers if reader.kind == "layer" and reader.module is not None
    )
    return behind, tuple(before)
