"""Which layers there are: one row per module that owns parameters or shapes activations.

Rows keep their place once given, since recorded frames refer to it; layers that appear later
(lazy or added modules) get new rows at the end, and `Layer.order` tells the order of execution.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from torch import Tensor, nn
from torch.nn.modules import activation, dropout
from torch.nn.parameter import is_lazy
from torch.optim import Optimizer

from paramedic.probe.tree import is_keras, is_keras_own, parts, weights_of
from paramedic.types import Layer

ACTIVATIONS = tuple(
    kind
    for name in activation.__all__
    if isinstance(kind := getattr(activation, name), type) and name != "MultiheadAttention"
)
DROPOUTS = (dropout._DropoutNd,)
NORMALISATIONS = (
    nn.modules.batchnorm._NormBase,
    nn.LayerNorm,
    nn.GroupNorm,
    nn.RMSNorm,
)


@dataclass(slots=True)
class Row:
    """One layer: its module, the parameters that are its own, and how it is described."""

    name: str
    module: nn.Module
    parameters: tuple[Tensor, ...]
    tied_to: str | None = None
    order: int = -1
    executed: bool = False
    activation: str | None = None


class Layers:
    """The rows of a model, kept up to date as modules and parameters come and go."""

    def __init__(self, models: Mapping[str, nn.Module], optimizers: Sequence[Optimizer]) -> None:
        self.models = dict(models)
        self.optimizers = tuple(optimizers)
        self.rows: list[Row] = []
        self.parameters: list[Tensor] = []
        self.row_of: list[int] = []  # of each parameter; never decreasing
        self.index: dict[int, int] = {}  # id(module) -> row
        self.roots = {id(model) for model in models.values()}
        self.waits_for_shapes = False  # a lazy module had no parameters yet
        self._signature: tuple[object, ...] = ()
        self.refresh()

    def refresh(self) -> bool:
        """Look again for modules and parameters; True if anything changed."""
        signature = tuple(self._current())
        if signature == self._signature:
            return False
        self._signature = signature
        self.waits_for_shapes = any(is_lazy(p) for m in self.models.values() for p in weights_of(m))
        known = {row.name: place for place, row in enumerate(self.rows)}
        found = list(self._discover())
        for row in found:
            if row.name in known:
                self._update(known[row.name], row)
            else:
                self.rows.append(row)
        for name in known.keys() - {row.name for row in found}:
            self.rows[known[name]].parameters = ()  # the module is gone, its place stays
        self._index()
        return True

    def _current(self) -> Iterator[object]:
        for model in self.models.values():
            for parameter in weights_of(model):
                yield id(parameter)
                yield parameter.requires_grad
                yield is_lazy(parameter)
        for optimizer in self.optimizers:
            yield sum(len(group["params"]) for group in optimizer.param_groups)

    def _update(self, place: int, new: Row) -> None:
        old = self.rows[place]
        old.module, old.parameters, old.tied_to = new.module, new.parameters, new.tied_to

    def _index(self) -> None:
        self.index = {id(row.module): place for place, row in enumerate(self.rows)}
        pairs = [(p, place) for place, row in enumerate(self.rows) for p in row.parameters]
        self.parameters = [parameter for parameter, _ in pairs]
        self.row_of = [place for _, place in pairs]

    def _discover(self) -> Iterator[Row]:
        owners: dict[int, str] = {}
        for prefix, model in self.models.items():
            for path, module, weights in parts(model):
                name = qualified(prefix, path) or type(module).__name__
                own = [p for p in weights if not is_lazy(p)]
                if not own and not _worth_a_row(module):
                    continue
                fresh = tuple(p for p in own if id(p) not in owners)
                tied = next((owners[id(p)] for p in own if id(p) in owners), None)
                owners.update((id(p), name) for p in fresh)
                for part, parameters in _parts(name, module, fresh):
                    yield Row(part, module, parameters, tied, activation=_activation_of(module))

    def executed(self, modules: Iterable[int]) -> None:
        """Take the order of execution from the `id` of modules, in the order they finished."""
        places = [self.index[key] for key in modules if key in self.index]
        seen = list(dict.fromkeys(places))
        for place in seen:
            self.rows[place].executed = True
        ranks = {place: float(rank) for rank, place in enumerate(seen)}
        # A module that is never called itself (the projections inside an attention, a bare
        # parameter list) stands right before the module that is registered after it.
        following = float(len(seen))
        for place in reversed(range(len(self.rows))):
            if place in ranks:
                following = ranks[place]
            else:
                ranks[place] = following - 0.5
        for order, place in enumerate(sorted(ranks, key=lambda place: (ranks[place], place))):
            self.rows[place].order = order

    def release(self) -> None:
        """Nobody looks any more: hold no module, no optimizer and no parameter."""
        self.models, self.optimizers, self.rows = {}, (), []
        self._index()

    def sort(self) -> None:
        """Put the rows into the order of execution. Only before the first frame is recorded."""
        self.rows.sort(key=lambda row: row.order)
        self._index()

    def describe(self) -> tuple[Layer, ...]:
        """The rows as they go into the chart."""
        held = {id(p) for opt in self.optimizers for g in opt.param_groups for p in g["params"]}
        return tuple(self._layer(place, row, held) for place, row in enumerate(self.rows))

    def _layer(self, place: int, row: Row, held: set[int]) -> Layer:
        layer = Layer(row.name, type(row.module).__name__, order=row.order, executed=row.executed)
        if row.order < 0:
            layer = replace(layer, order=place)
        return replace(
            layer,
            parameters=sum(p.numel() for p in row.parameters),
            trainable=any(p.requires_grad for p in row.parameters),
            in_optimizer=any(id(p) in held for p in row.parameters),
            activation=row.activation,
            tied_to=row.tied_to,
            fan_in=_fan_in(row.module, row.parameters),
            dropout=_dropout_of(row.module),
        )


def _fan_in(module: nn.Module, parameters: Sequence[Tensor]) -> int:
    wide = [one for one in parameters if one.dim() > 1 and one.numel()]
    if not wide:
        return 0
    # Kernels of Keras have their outputs last; embeddings are the same in both.
    last = is_keras(module) and "Embedding" not in type(module).__name__
    return wide[0].numel() // wide[0].shape[-1 if last else 0]


_WRAPPERS = {"_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module"}


def qualified(prefix: str, path: str) -> str:
    """The name of a module or parameter as the user knows it, without wrappers around it."""
    parts = [part for part in path.split(".") if part and part not in _WRAPPERS]
    return ".".join([prefix, *parts] if prefix else parts)


def _parts(
    name: str, module: nn.Module, parameters: tuple[Tensor, ...]
) -> list[tuple[str, tuple[Tensor, ...]]]:
    """The rows of a module: one, but for a stack of recurrent layers one for each of them."""
    if not isinstance(module, nn.RNNBase) or module.num_layers < 2:
        return [(name, parameters)]
    own = {id(parameter) for parameter in parameters}
    parts: list[tuple[str, tuple[Tensor, ...]]] = []
    for level in range(module.num_layers):
        ends = (f"_l{level}", f"_l{level}_reverse")
        named = module.named_parameters(recurse=False)
        found = tuple(p for word, p in named if word.endswith(ends) and id(p) in own)
        parts.append((f"{name}.l{level}", found))
    return parts


def _worth_a_row(module: nn.Module) -> bool:
    """Whether a module without parameters of its own tells something: it shapes activations."""
    if isinstance(module, (*ACTIVATIONS, *DROPOUTS, *NORMALISATIONS)):
        return True
    if is_keras(module):
        return _is_keras_row(module)
    built_in = type(module).__module__.startswith("torch.nn.modules.")
    return not built_in and next(module.children(), None) is None and not module._parameters


def _is_keras_row(module: Any) -> bool:
    if is_keras_own(module):
        words = ("Dropout", "Normalization", "Activation")
        return _activation_of(module) is not None or any(w in type(module).__name__ for w in words)
    return not module._layers


def _activation_of(module: Any) -> str | None:
    if isinstance(module, ACTIVATIONS):
        return type(module).__name__.lower()
    if not is_keras_own(module):
        return None
    if ".activations." in type(module).__module__:  # a layer of its own, or any by its name
        function = getattr(module, "activation", None)
        return str(getattr(function, "__name__", type(module).__name__)).lower()
    return None


def _dropout_of(module: Any) -> float | None:
    if isinstance(module, DROPOUTS):
        return module.p
    keras = is_keras_own(module) and "Dropout" in type(module).__name__
    return float(module.rate) if keras else None
