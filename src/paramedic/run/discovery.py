"""From optimizers that are alive to trainings that are watched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence

from torch import Tensor, nn
from torch.optim import Optimizer

from paramedic.prescribe.ranking import direct_first
from paramedic.probe import ranks
from paramedic.probe.attach import attach
from paramedic.probe.attendant import Bystander, Patient
from paramedic.probe.layers import qualified
from paramedic.probe.options import Options
from paramedic.probe.tree import parts, weights_of
from paramedic.run.notebook import Notebook
from paramedic.run.pairing import (
    LooseParameters,
    Pair,
    held,
    joined,
    leaves,
    outermost,
    owners,
    pairs,
)
from paramedic.run.places import Place, calling_frame, locals_of
from paramedic.run.recordings import Recordings
from paramedic.run.settings import Settings
from paramedic.run.sources import MODE, OPTIMIZER, sources
from paramedic.run.training import Training
from paramedic.types import Finding, Remedy, Severity

TRACED = 5  # trainings whose optimizers are made on the same line that are recorded to a file
_GENEROUS = 3  # trainings with the full allowance; that of all others together is as much again
_WRONG_MODE = "wrong-mode"
_GRAVITY = {Severity.INFO: 0, Severity.WARNING: 1, Severity.CRITICAL: 2}


class Discovery:
    """Makes a `Training` of each optimizer that nobody watches yet."""

    def __init__(
        self,
        notebook: Notebook,
        settings: Settings,
        tell: Callable[[Finding, Remedy | None, Place | None], None],
        stop: Callable[[str], None],
    ) -> None:
        self._notebook = notebook
        self._settings = settings
        self._tell, self._stop = tell, stop
        self._recordings = Recordings(settings.trace)
        self._found = 0
        self._of_line: Counter[Place | None] = Counter()  # trainings, by where optimizers are made

    def is_trained(self, module: nn.Module, known: Mapping[int, Training]) -> bool:
        """Whether an optimizer that is not watched holds a parameter of the module."""
        wanted = held(self._fresh(known))
        return any(id(parameter) in wanted for parameter in weights_of(module))

    def is_waiting(self, known: Mapping[int, Training]) -> bool:
        """Whether there is an optimizer that is not watched."""
        return bool(self._fresh(known))

    def _fresh(self, known: Mapping[int, Training]) -> list[Optimizer]:
        return [
            one
            for one in self._notebook.optimizers()
            if not (id(one) in known and any(one is two for two in known[id(one)].pair.optimizers))
        ]

    def trainings(
        self, called: nn.Module | None, known: Mapping[int, Training], used: Container[int] = ()
    ) -> list[Training]:
        """A training, watched from now on, for each pair of models and optimizers.

        Of optimizers that another thread has made only those whose parameters are `used` here, by
        `id`: the others may be stepping at this moment.
        """
        if called is not None:
            used = {id(one) for one in weights_of(called)}
        fresh = [
            one
            for one in self._fresh(known)
            if self._notebook.is_ours(one) or any(key in used for key in held([one]))
        ]
        owned = self._owned(fresh, called)
        found = pairs(owned, [one for one in fresh if owned[id(one)]])
        return [self._watched(pair) for pair in found]

    def _owned(
        self, fresh: Sequence[Optimizer], called: nn.Module | None
    ) -> dict[int, list[nn.Module]]:
        roots = outermost(self._notebook.modules())
        owned: dict[int, list[nn.Module]] = {}
        for optimizer in fresh:
            models, loose = owners(held([optimizer]), roots, called)
            if loose:  # some may have been made without `__init__`
                roots = outermost(self._notebook.all_modules())
                models, loose = owners(held([optimizer]), roots, called)
            if loose and any(one.requires_grad for one in loose):
                models.append(LooseParameters(loose))
            owned[id(optimizer)] = [m for m in models if _learns(m)]
        return owned

    def _watched(self, pair: Pair) -> Training:
        names = _names(pair.models)
        named = (
            {"": pair.models[0]}
            if len(pair.models) == 1
            else dict(zip(names, pair.models, strict=True))
        )
        self._found += 1
        layers = self._layers(named)
        places: dict[str, Place] = {}
        place = self._notebook.place(pair.optimizers[0])
        if place is not None:
            places[OPTIMIZER] = place
        self._of_line[place] += 1
        traced = self._of_line[place] <= TRACED
        monitor = attach(
            named, pair.optimizers, self._options(" + ".join(names), traced=traced),
            lambda patient: _Caller(patient, self._on_finding, layers, places),
        )  # fmt: skip
        called, optimizer = _expression(pair.models[0]), _expression(pair.optimizers[0])
        return Training(" + ".join(names), pair, monitor, layers, places, called, optimizer)

    def _options(self, name: str, *, traced: bool = True) -> Options:
        settings = self._settings
        return Options(
            trace=self._recordings.new() if traced and ranks.rank() == 0 else None,
            overhead=settings.overhead,
            select=tuple(settings.select),
            ignore=tuple(settings.ignore),
            strict=settings.strict,
            display=None if settings.display is None else settings.display(name),
            steps=settings.max_steps,
            allowance=settings.allowance * min(1.0, (_GENEROUS / self._found) ** 2),
        )

    def _layers(self, named: Mapping[str, nn.Module]) -> dict[str, Place]:
        """Where each layer was made, by the name it has in the chart."""
        found: dict[str, Place] = {}
        for prefix, model in named.items():
            for path, module, _ in parts(model):
                place = self._notebook.place(module)
                if place is not None:
                    found[qualified(prefix, path) or type(module).__name__] = place
        return found

    def _on_finding(
        self, finding: Finding, remedies: Sequence[Remedy], patient: Patient,
        layers: Mapping[str, Place], places: dict[str, Place],
    ) -> None:  # fmt: skip
        if finding.slug == _WRONG_MODE:
            places.update((MODE, place) for place in self._evaluated(finding, patient.models))
        lines = sources(finding, layers, places)
        advice = direct_first(remedies)
        self._tell(finding, advice[0] if advice else None, lines[0] if lines else None)
        limit = self._settings.stop_on
        if limit is not None and _GRAVITY[finding.severity] >= _GRAVITY[limit]:
            self._stop(f"at {finding.slug} ({finding.severity.value}), as --stop-on says")

    def _evaluated(self, finding: Finding, models: Mapping[str, nn.Module]) -> list[Place]:
        """The line that put the layers of a finding into evaluation mode, the first of them."""
        named = {
            qualified(prefix, path) or type(module).__name__: module
            for prefix, model in models.items()
            for path, module in model.named_modules()
        }
        modules = (named[name] for name in finding.where if name in named)
        found = (self._notebook.evaluated_at(module) for module in modules)
        return [place for place in found if place is not None][:1]

    # -- trainings that belong together ------------------------------------------------------

    def reached(self, roots: Sequence[Tensor], trainings: Sequence[Training]) -> list[Training]:
        """The trainings whose parameters a loss depends on."""
        found = leaves(roots)
        return [one for one in trainings if not found.isdisjoint(held(one.pair.optimizers))]

    def joined(self, several: Sequence[Training]) -> Training:
        """One training of several, watched anew."""
        return self._watched(joined([one.pair for one in several]))


class _Caller(Bystander):
    """Stands by a run and passes on what is found in it."""

    def __init__(
        self,
        patient: Patient,
        on_finding: Callable[..., None],
        layers: Mapping[str, Place],
        places: dict[str, Place],
    ) -> None:
        super().__init__(patient)
        self._on_finding, self._known = on_finding, (patient, layers, places)

    def reported(self, finding: Finding, remedies: Sequence[Remedy]) -> None:
        self._on_finding(finding, remedies, *self._known)


def _learns(model: nn.Module) -> bool:
    return any(parameter.requires_grad for parameter in weights_of(model))


def _names(models: Sequence[nn.Module]) -> list[str]:
    """What the user calls the models, else their classes; each name once."""
    names: list[str] = []
    for model in models:
        name = _expression(model).removeprefix("self.") or type(model).__name__
        same = names.count(name)
        names.append(f"{name}{same + 1}" if same else name)
    return names


def _expression(wanted: object) -> str:
    """How the code that calls a model refers to it, or to its optimizer: `model`, `self.model`;
    empty if unknown."""
    frame = calling_frame()
    if frame is None:
        return ""
    own = locals_of(frame)
    owner = own.get("self")
    attributes = {f"self.{key}": value for key, value in _attributes(owner).items()}
    known = {**frame.f_globals, **attributes, **own}
    return next((key for key, value in known.items() if value is wanted), "")


def _attributes(owner: object) -> dict[str, object]:
    found = getattr(owner, "__dict__", None)
    return {**found, **found.get("_modules", {})} if isinstance(found, dict) else {}
