"""What happens in a forward pass: which modules and functions run, and what feeds what.

The pass is run once on a copy, under a mode that sees every call of torch. It needs no tracing of
the code, so it works for any model; only to *change* a call in the code is tracing needed.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from paramedic.probe.layers import DROPOUTS, NORMALISATIONS
from paramedic.probe.tensors import all_tensors, first_tensor
from paramedic.treat.surgery.calling import arguments, quiet, step_by_step
from paramedic.treat.surgery.kinds import CUSTOM, KINDS, kind_of_call, kind_of_module
from paramedic.treat.surgery.operation import Refusal, told

RECURRENT = (nn.RNNBase, nn.RNNCellBase)
CONVOLUTIONS = (nn.modules.conv._ConvNd,)
_SHAPES = (nn.Identity, nn.Flatten, nn.Unflatten)
_NOT_ONE_STEP = ("torch.nn.modules.container", "torch.nn.modules.transformer")

_FUNCTIONS: dict[str, str] = {
    **dict.fromkeys(
        ("view", "reshape", "flatten", "unflatten", "squeeze", "unsqueeze", "permute", "transpose",
         "contiguous", "t", "swapaxes", "movedim", "clone", "to", "float", "double", "half",
         "type", "__get__", "view_as", "reshape_as", "squeeze_", "unsqueeze_", "requires_grad_"),
        "shape",
    ),
    **dict.fromkeys(
        ("__getitem__", "select", "narrow", "chunk", "split", "unbind", "index_select", "cat",
         "concat", "stack", "expand", "repeat", "mean", "sum", "amax", "max", "flip", "roll",
         "max_pool1d", "max_pool2d", "max_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d",
         "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_max_pool1d", "boolean_dispatch",
         "adaptive_max_pool2d", "interpolate", "pad", "detach", "masked_fill"),
        "pool",
    ),
    **dict.fromkeys(("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout"), "dropout"),
    **dict.fromkeys(("add", "add_", "__radd__", "__iadd__", "__add__"), "add"),
    **dict.fromkeys(("mul", "mul_", "__rmul__", "__imul__", "__mul__", "multiply"), "multiply"),
    **dict.fromkeys(
        ("batch_norm", "layer_norm", "group_norm", "instance_norm", "rms_norm"), "norm"
    ),
    **dict.fromkeys(
        ("linear", "bilinear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "matmul", "bmm",
         "conv_transpose2d", "conv_transpose3d", "embedding", "addmm", "mm", "einsum"),
        "layer",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Step:
    """One call in a forward pass.

    `kind` is that of an activation (`relu` …) or one of input, layer, recurrent, attention, norm,
    dropout, shape, pool, add, multiply, other. `name` is the path of the module that ran, or of
    the one in whose code a function was called: then `module` is None, `function` is what was
    called, and `place` counts the activations in that code. `shape` and `dtype` are those of
    the first tensor that it got.
    """

    order: int
    kind: str
    name: str
    module: nn.Module | None = None
    function: Callable[..., Any] | None = None
    place: int = -1
    sources: tuple[int, ...] = ()
    shape: tuple[int, ...] = ()
    dtype: torch.dtype = torch.float32


@dataclass(slots=True)
class _Frame:
    """A module whose own code is running, and the steps before it."""

    name: str
    begin: int = 0
    activations: int = 0


@dataclass(frozen=True, slots=True)
class Survey:
    """The steps in order, the one that made the output, and how each module was called."""

    steps: tuple[Step, ...]
    output: int | None
    device: torch.device
    constants: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def survey(model: nn.Module, example: Any) -> Survey:
    """Run a copy of the model on the example and look."""
    twin = copy.deepcopy(model).eval()
    recorder = _Recorder({id(module): name for name, module in twin.named_modules()})
    handles = recorder.hook(twin)
    try:
        with quiet(), step_by_step():
            args, kwargs = arguments(twin, copy.deepcopy(example))
            recorder.inputs((args, kwargs))
            with recorder:
                output = twin(*args, **kwargs)
    except Exception as error:
        raise Refusal(
            f"The model does not run on the example ({told(error)}); give a batch of inputs as "
            "the model takes it."
        ) from error
    finally:
        for handle in handles:
            handle.remove()
    return recorder.survey(output)


class _Recorder(TorchFunctionMode):
    def __init__(self, names: Mapping[int, str]) -> None:
        super().__init__()
        self.steps: list[Step] = []
        self.names = names
        self.constants: dict[str, dict[str, Any]] = {}
        self.inside = 0  # modules of torch, whose own calls do not matter
        self.frames: list[_Frame] = []
        self.makers: dict[int, int] = {}
        self.kept: list[Tensor] = []  # so that no other tensor gets the identity of one of these
        self.device = torch.device("cpu")

    def hook(self, model: nn.Module) -> list[Any]:
        return [
            handle
            for module in model.modules()
            for handle in (
                module.register_forward_pre_hook(self._enter, with_kwargs=True),
                module.register_forward_hook(self._leave, with_kwargs=True),
            )
        ]

    def inputs(self, nest: Any) -> None:
        first = first_tensor(nest)
        self.device = self.device if first is None else first.device
        self._add(Step(0, "input", ""), (), nest)

    def survey(self, output: Any) -> Survey:
        found = first_tensor(output)
        made = None if found is None else self.makers.get(id(found))
        return Survey(tuple(self.steps), made, self.device, self.constants)

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        result = function(*args, **kwargs)
        if not self.inside and all_tensors(result):
            self._function(function, args, kwargs, result)
        return result

    def _function(self, function: Any, args: Any, kwargs: Any, result: Any) -> None:
        name = getattr(function, "__name__", "")
        frame = self.frames[-1] if self.frames else _Frame("")
        kind = kind_of_call(name, args, kwargs)
        place = -1
        if kind is not None:
            place = frame.activations
            frame.activations += 1
        kind = kind or _FUNCTIONS.get(name, "other")
        self._add(Step(0, kind, frame.name, function=function, place=place), (args, kwargs), result)

    def _enter(self, module: nn.Module, args: Any, kwargs: Any) -> None:
        if self.inside or _is_one_step(module):
            self.inside += 1
            return
        name = self.names[id(module)]
        self.frames.append(_Frame(name, len(self.steps)))
        self.constants.setdefault(name, _constants(module, args, kwargs))

    def _leave(self, module: nn.Module, args: Any, kwargs: Any, output: Any) -> None:
        if not self.inside:
            self._end(self.frames.pop(), module, (args, kwargs), output)
            return
        self.inside -= 1
        if not self.inside:
            step = Step(0, _kind(module), self.names[id(module)], module)
            self._add(step, (args, kwargs), output)

    def _end(self, frame: _Frame, module: nn.Module, given: Any, output: Any) -> None:
        """What a module of the user's without weights does is one step, if it is an activation."""
        inner = self.steps[frame.begin :]
        kinds = [step.kind for step in inner if step.kind in KINDS]
        has_more = next(module.parameters(), None) is not None or any(module.children())
        if has_more or not kinds or not _same_shape(given, output):
            return
        del self.steps[frame.begin :]
        self.makers = {key: made for key, made in self.makers.items() if made < frame.begin}
        kind = kinds[0] if len(inner) == 1 else CUSTOM
        self._add(Step(0, kind, frame.name, module), given, output)

    def _add(self, step: Step, given: Any, result: Any) -> None:
        taken = all_tensors(given)
        sources = tuple(self.makers[id(one)] for one in taken if id(one) in self.makers)
        first = first_tensor(given)
        order = len(self.steps)
        step = replace(step, order=order, sources=sources)
        if first is not None:
            step = replace(step, shape=tuple(first.shape), dtype=first.dtype)
        self.steps.append(step)
        for tensor in all_tensors(result):
            self.makers[id(tensor)] = order
            self.kept.append(tensor)


def _same_shape(given: Any, output: Any) -> bool:
    taken = all_tensors(given)
    return len(taken) == 1 and isinstance(output, Tensor) and taken[0].shape == output.shape


def _is_one_step(module: nn.Module) -> bool:
    """Whether the code that runs is torch's own, and of one layer."""
    code = getattr(type(module).forward, "__module__", None) or ""
    return code.startswith("torch.nn.modules.") and not code.startswith(_NOT_ONE_STEP)


def _kind(module: nn.Module) -> str:
    kinds: tuple[tuple[Any, str], ...] = (
        (NORMALISATIONS, "norm"), (DROPOUTS, "dropout"), (RECURRENT, "recurrent"),
        (nn.MultiheadAttention, "attention"), (_SHAPES, "shape"),
    )  # fmt: skip
    found = [kind for of, kind in kinds if isinstance(module, of)]
    if kind := kind_of_module(module) or next(iter(found), ""):
        return kind
    if next(module.parameters(), None) is not None:
        return "layer"
    return "pool" if "pooling" in type(module).__module__ else "other"


def _constants(module: nn.Module, args: Any, kwargs: Any) -> dict[str, Any]:
    """The arguments of a call that are no tensors, with the defaults of those not given."""
    bound = inspect.signature(module.forward).bind(*args, **kwargs)
    bound.apply_defaults()
    several = ("args", "kwargs")
    return {
        name: value
        for name, value in bound.arguments.items()
        if not all_tensors(value) and name not in several
    }
