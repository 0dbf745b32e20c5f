"""The function at the end of a model: taken away, or put there."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from paramedic.treat.surgery.activations import replace_activations
from paramedic.treat.surgery.anatomy import Anatomy, Site
from paramedic.treat.surgery.calling import copied, output_of
from paramedic.treat.surgery.kinds import ROWWISE, Part, kind_of_module, part, written
from paramedic.treat.surgery.operation import Operation, Refusal
from paramedic.treat.surgery.places import assignment, put
from paramedic.treat.surgery.survey import Step, survey
from paramedic.treat.surgery.tracing import drop, end_in, rewritten
from paramedic.treat.surgery.verification import verified


def remove_output_activation(model: nn.Module, example: Any) -> Operation:
    """Take the activation at the end away: a loss that takes logits wants them."""
    anatomy = Anatomy(survey(copied(model, example), example))
    site = anatomy.output_site()
    if site is None:
        raise Refusal("The model ends in no activation that could be removed.")
    if len(site.steps) > 1:
        raise Refusal(
            f"`{site.label(model)}` is used both between layers and for the output; give the "
            "output a module of its own."
        )
    changed = copied(model, example)
    if site.is_module:
        changed = put(changed, site.name, nn.Identity())
        code = assignment(model, site.name, "nn.Identity()")
    else:
        changed = rewritten(changed, anatomy.survey, site.name, example, drop([site.place]))
        title = type(model.get_submodule(site.name)).__name__
        code = f"# in {title}.forward: {site.kind}(x) → x"
    label = site.label(model)
    done = verified(model, changed, example, what=f"removing {site.kind} from `{label}`")
    if len(Anatomy(survey(done, example)).sites()) >= len(anatomy.sites()):
        raise Refusal(
            f"{site.kind} still runs after it was removed from `{label}`; it seems to be held "
            "somewhere else too, such as in a list. Change the definition of the model."
        )
    return Operation(done, f"Removed {site.kind} at the output, in `{label}`.", code, (label,))


def add_output_activation(model: nn.Module, example: Any, name: str) -> Operation:
    """End the model in an activation, in the place of one that stands there."""
    anatomy = Anatomy(survey(copied(model, example), example))
    new = _along_classes(part(name), model, example)
    site = anatomy.output_site()
    if site is not None:
        return replace_activations(model, example, new.make, which="output")
    changed = copied(model, example)
    place = _place(anatomy)
    if not place:
        return _at_the_end(model, example, anatomy, new)
    old = changed.get_submodule(place)
    if isinstance(old, nn.Identity):
        changed = put(changed, place, new.make())
        code = assignment(model, place, new.code)
    else:
        changed = put(changed, place, nn.Sequential(old, new.make()))
        code = assignment(model, place, f"nn.Sequential(…, {new.code})")
    return _ended(model, changed, example, new, place, code)


def _at_the_end(model: nn.Module, example: Any, anatomy: Anatomy, new: Part) -> Operation:
    """Behind the whole model: one module more in a chain, one line more in its code, or, where it
    cannot be traced, around it."""
    changed = copied(model, example)
    title = type(model).__name__
    if type(changed) is nn.Sequential:
        changed.append(new.make().train(model.training))
        return _ended(model, changed, example, new, title, f"model.append({new.code})")
    if type(changed).__module__.startswith("torch.nn."):
        return _around(model, changed, example, new)
    try:
        name = kind_of_module(new.make()) or "activation"
        changed = rewritten(changed, anatomy.survey, "", example, end_in(new, name))
        code = f"model.{name}_1 = {new.code}\n# in {title}.forward: return y → self.{name}_1(y)"
    except Refusal:
        return _around(model, changed, example, new)
    return _ended(model, changed, example, new, title, code)


def _around(model: nn.Module, changed: nn.Module, example: Any, new: Part) -> Operation:
    changed = put(changed, "", nn.Sequential(changed, new.make()))
    code = f"model = nn.Sequential(model, {new.code})"
    return _ended(model, changed, example, new, type(model).__name__, code)


def _ended(
    model: nn.Module, changed: nn.Module, example: Any, new: Part, label: str, code: str
) -> Operation:
    done = verified(model, changed, example, what=f"putting {new.code} behind `{label}`")
    _check_end(done, example, kind_of_module(new.make()))
    return Operation(done, f"Added {new.code} at the output, behind `{label}`.", code, (label,))


def _place(anatomy: Anatomy) -> str:
    """The module that makes the output and runs once, or the whole model."""
    identity = _identity(anatomy)
    last = identity or anatomy.output_step()
    if last is None or last.module is None:
        return ""
    makes_more = any(True for reader in anatomy.readers(last) if reader.kind != "shape")
    alone = len(anatomy.calls(last.name)) == 1 and last.kind == "layer" and not makes_more
    return last.name if identity or alone else ""


def _identity(anatomy: Anatomy) -> Step | None:
    """A module at the end that does nothing yet."""
    step = None if anatomy.survey.output is None else anatomy.steps[anatomy.survey.output]
    while step is not None and step.kind == "shape":
        if isinstance(step.module, nn.Identity) and len(anatomy.calls(step.name)) == 1:
            return step
        step = anatomy.steps[step.sources[0]] if step.sources else None
    return None


def _along_classes(new: Part, model: nn.Module, example: Any) -> Part:
    """Softmax of pictures goes along their channels."""
    output = output_of(copied(model, example), example)
    if not isinstance(output, Tensor):
        raise Refusal(
            f"The model puts out {type(output).__name__}, not one tensor; put {new.code} at the "
            "right place in its code."
        )
    kind = kind_of_module(new.make())
    if kind not in ROWWISE or output.dim() < 4:
        return new
    classes = type(new.make())

    def make() -> nn.Module:
        return classes(dim=1)

    return Part(make, written(make()))


def _check_end(model: nn.Module, example: Any, kind: str | None) -> None:
    site: Site | None = Anatomy(survey(model, example)).output_site()
    found = None if site is None else site.kind
    if found != kind:
        raise Refusal(
            f"The model still ends in {found or 'no activation'} instead of {kind}; change its "
            "definition."
        )
