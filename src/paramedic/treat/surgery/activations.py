"""Other activations: as modules, as `nonlinearity=` of a recurrent layer, as functions in code."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from torch import nn

from paramedic.treat.surgery.anatomy import Anatomy, Site
from paramedic.treat.surgery.attributes import hold, holders
from paramedic.treat.surgery.calling import copied
from paramedic.treat.surgery.kinds import Part, kind_of_module, part
from paramedic.treat.surgery.operation import Operation, Refusal
from paramedic.treat.surgery.places import assignment, expression, is_within, like, listed, put
from paramedic.treat.surgery.survey import survey
from paramedic.treat.surgery.tracing import rewritten, swap
from paramedic.treat.surgery.verification import verified


def activations(model: nn.Module, example: Any, which: str = "hidden") -> dict[str, str]:
    """The activations of a model by the name of their place: `{"body.1": "relu"}`.

    `which` is `hidden` or `output`. A function that is called in the code of a module goes by the
    name of that module, or of the class of the model; of several in one module, the first is told.
    """
    found: dict[str, str] = {}
    for site in _sites(model, Anatomy(survey(model, example)), which):
        found.setdefault(site.label(model), site.kind)
    return found


def replace_activations(
    model: nn.Module,
    example: Any,
    new: str | Callable[[], nn.Module],
    *,
    which: str | Iterable[str] = "hidden",
) -> Operation:
    """Put another activation in the place of the hidden ones, that of the output, or named ones.

    `new` is a name (`"relu"`) or makes a module. Gates and attention are left alone; functions in
    code are replaced where `torch.fx` can trace the module whose code it is.
    """
    wanted = part(new)
    anatomy = Anatomy(survey(copied(model, example), example))
    kind = kind_of_module(wanted.make())
    chosen = _chosen(model, anatomy, which)
    sites = [site for site in chosen if site.kind != kind]
    others = [site for site in sites if site.steps[0].kind != "recurrent"]
    if which == "hidden" and others and kind not in ("relu", "tanh"):
        sites = others  # recurrent layers know only these two, and nobody named them
    if not sites:
        raise Refusal(_nothing(which, bool(chosen), wanted))
    changed = _Exchange(model, example, anatomy, wanted, kind)
    for site in sites:
        changed.site(site)
    changed.functions()
    old = sorted({site.kind for site in sites})
    names = tuple(dict.fromkeys(site.label(model) for site in sites))
    done = verified(model, changed.model, example, what=f"putting {wanted.code} in {listed(names)}")
    changed.check_effect(sites)
    return Operation(
        model=done,
        description=f"Replaced {' and '.join(old)} by {wanted.code} in {listed(names)}.",
        code="\n".join(changed.lines),
        layers=names,
    )


def _nothing(which: str | Iterable[str], found: bool, wanted: Part) -> str:
    where = f"{which} activation" if isinstance(which, str) else f"activation in {list(which)}"
    if found:
        return f"Every {where} is {wanted.code} already; try another remedy."
    return f"The model has no {where} that could be replaced; try another remedy."


def _sites(model: nn.Module, anatomy: Anatomy, which: str) -> list[Site]:
    if which == "hidden":
        return [*anatomy.hidden(), *_recurrences(anatomy)]
    if which == "output":
        last = anatomy.output_site()
        return [last] if last else []
    raise ValueError(f"`which` must be `hidden`, `output` or a list of names but got `{which}`.")


def _chosen(model: nn.Module, anatomy: Anatomy, which: str | Iterable[str]) -> list[Site]:
    if isinstance(which, str):
        return _unmixed(model, _sites(model, anatomy, which), anatomy)
    names = list(which)
    every = _every(anatomy)
    labels = {site.label(model) for site in every}
    unknown = [name for name in names if name not in labels]
    if unknown:
        raise Refusal(
            f"There is no activation in {listed(unknown)}; there are some in "
            f"{listed(sorted(labels), 20) or 'no layer'}."
        )
    return [site for site in every if site.label(model) in names]


def _unmixed(model: nn.Module, sites: list[Site], anatomy: Anatomy) -> list[Site]:
    last = anatomy.output_step()
    for site in sites:
        if last in site.steps and len(site.steps) > 1:
            raise Refusal(
                f"`{site.label(model)}` is used both between layers and for the output; give the "
                "output a module of its own."
            )
    return sites


def _recurrences(anatomy: Anatomy) -> list[Site]:
    """Recurrent layers that can be told which function to use."""
    found: dict[str, Site] = {}
    for step in anatomy.steps:
        kind = getattr(step.module, "nonlinearity", None) if step.kind == "recurrent" else None
        if isinstance(kind, str):
            found.setdefault(step.name, Site(kind, step.name, -1, (step,)))
    return list(found.values())


class _Exchange:
    """One exchange under way: functions are collected, to trace each module once."""

    def __init__(
        self, model: nn.Module, example: Any, anatomy: Anatomy, new: Part, kind: str | None
    ) -> None:
        self.original, self.model = model, copied(model, example)
        self.example, self.anatomy = example, anatomy
        self.new, self.kind = new, kind
        self.lines: list[str] = []
        self.made: list[nn.Module] = []
        self._places: dict[str, list[Site]] = defaultdict(list)

    def site(self, site: Site) -> None:
        module = self.model.get_submodule(site.name)
        where = expression(self.model, site.name)
        if site.steps[0].kind == "recurrent":
            self._recurrent(module, site.name, where)
        elif site.is_module:
            self.model = put(self.model, site.name, self._made(site))
            self.lines.append(assignment(self.original, site.name, self.new.code))
        elif names := holders(module, site.steps[0].function):
            for name in names:
                hold(module, name, self._made(site))
                self.lines.append(f"{where}.{name} = {self.new.code}")
        else:
            self._places[site.name].append(site)

    def functions(self) -> None:
        """Exchange the functions in code."""
        stem = self.kind or "activation"
        # The innermost first: what is inside a traced module keeps its path.
        for name in sorted(self._places, key=lambda name: -name.count(".") - bool(name)):
            sites = self._places[name]
            where = expression(self.model, name)
            title = type(self.model.get_submodule(name)).__name__
            made = Part(partial(self._made, sites[0]), self.new.code)
            edit = swap([site.place for site in sites], made, stem)
            self.model = rewritten(self.model, self.anatomy.survey, name, self.example, edit)
            for number, site in enumerate(sites, 1):
                self.lines.append(f"{where}.{stem}_{number} = {self.new.code}")
                self.lines.append(f"# in {title}.forward: {site.kind}(x) → self.{stem}_{number}(x)")

    def check_effect(self, replaced: list[Site]) -> None:
        """What was replaced must not run any more: a module may also be held in a plain list."""
        old = {site.kind for site in replaced}
        made = {id(module) for module in self.made}
        new = [name for name, module in self.model.named_modules() if id(module) in made]
        after = _every(Anatomy(survey(self.model, self.example)))
        outside = [site for site in after if not is_within(site.name, new)]
        before = sum(site.kind in old for site in _every(self.anatomy))
        if sum(site.kind in old for site in outside) > before - len(replaced):
            raise Refusal(
                f"{' and '.join(sorted(old))} still runs after it was replaced; it seems to be "
                "held somewhere else too, such as in a list. Change the definition of the model."
            )

    def _made(self, site: Site) -> nn.Module:
        module = like(self.new.make(), site.steps[0], self.anatomy)
        self.made.append(module)
        return module.train(self.model.training)

    def _recurrent(self, module: nn.Module, name: str, where: str) -> None:
        if self.kind not in ("relu", "tanh"):
            raise Refusal(
                f"`{name}` is a recurrent layer, which knows only tanh and relu, not "
                f"{self.new.code}; choose one of these, or leave it out of `which`."
            )
        vars(module)["nonlinearity"] = self.kind
        if isinstance(module, nn.RNNBase):
            module.mode = f"RNN_{self.kind.upper()}"
        self.lines.append(f'{where} = nn.{type(module).__name__}(..., nonlinearity="{self.kind}")')


def _every(anatomy: Anatomy) -> list[Site]:
    return [*anatomy.sites(), *_recurrences(anatomy)]
