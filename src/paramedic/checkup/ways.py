"""The ways in which people hand a batch to a model, and an output to a loss.

There is no one convention, so the usual ones are tried in turn; the first that works is kept.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from torch import Tensor

from paramedic.checkup.nest import flatten

TARGETS = ("labels", "label", "targets", "target", "y")


class Arguments(NamedTuple):
    """What a model is called with."""

    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = {}


class Way(NamedTuple):
    """One way to call a model with a batch.

    `computes_loss`: the model gets the target too, and must answer with a loss.
    """

    words: str
    arguments: Callable[[Any], Arguments]
    target: Callable[[Any], Any]
    computes_loss: bool = False


class LossWay(NamedTuple):
    """One way to call a loss with an output, a target and the inputs."""

    words: str
    arguments: Callable[[Any, Any, Sequence[Any]], tuple[Any, ...]]


def ways(batch: Any, *, with_loss: bool) -> Iterator[Way]:
    """How this batch may be meant, the likeliest first."""
    if isinstance(batch, Mapping):
        yield from _of_mapping(batch, with_loss=with_loss)
    elif isinstance(batch, tuple | list) and batch:
        yield from _of_sequence(batch, with_loss=with_loss)
    else:
        yield Way("model(batch)", lambda b: Arguments((b,)), _nothing)


def _of_sequence(batch: Sequence[Any], *, with_loss: bool) -> Iterator[Way]:
    if len(batch) > 1:
        if not with_loss:
            yield Way("model(*batch)", lambda b: Arguments(tuple(b)), _last, computes_loss=True)
        yield Way("model(*batch[:-1])", lambda b: Arguments(tuple(b[:-1])), _last)
        if len(batch) == 2 and isinstance(batch[0], Mapping):
            yield Way("model(**batch[0])", lambda b: Arguments((), b[0]), _last)
        if len(batch) == 2 and isinstance(batch[0], tuple | list):
            yield Way("model(*batch[0])", lambda b: Arguments(tuple(b[0])), _last)
    yield Way("model(*batch)", lambda b: Arguments(tuple(b)), _nothing)
    yield Way("model(batch)", lambda b: Arguments((b,)), _nothing)


def _of_mapping(batch: Mapping[str, Any], *, with_loss: bool) -> Iterator[Way]:
    goal = next((name for name in TARGETS if name in batch), None)
    if goal is None:
        yield Way("model(**batch)", lambda b: Arguments((), b), _nothing)
        yield Way("model(batch)", lambda b: Arguments((b,)), _nothing)
        return

    def rest(given: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in given.items() if name != goal}

    def target(given: Mapping[str, Any]) -> Any:
        return given[goal]

    if not with_loss:
        yield Way("model(**batch)", lambda b: Arguments((), b), target, computes_loss=True)
    yield Way(f"model(**batch without {goal})", lambda b: Arguments((), rest(b)), target)
    if len(batch) == 2:
        yield Way("model(input)", lambda b: Arguments(tuple(rest(b).values())), target)
    yield Way(f"model(batch without {goal})", lambda b: Arguments((rest(b),)), target)
    yield Way("model(batch)", lambda b: Arguments((b,)), target)


def loss_ways(output: Any, target: Any, inputs: Sequence[Any]) -> Iterator[LossWay]:
    """How a loss may want to be called, the likeliest first."""
    several = isinstance(output, tuple | list)
    if flatten(target):
        yield LossWay("loss_fn(output, target)", lambda o, t, i: (o, t))
        if several:
            yield LossWay("loss_fn(*output, target)", lambda o, t, i: (*o, t))
            yield LossWay("loss_fn(output[0], target)", lambda o, t, i: (o[0], t))
        if _is_per_token(output, target):
            words = "loss_fn(output.flatten(0, -2), target.flatten())"
            yield LossWay(words, lambda o, t, i: (_rows(o), t.flatten()))
    yield LossWay("loss_fn(output)", lambda o, t, i: (o,))
    if several:
        yield LossWay("loss_fn(*output)", lambda o, t, i: tuple(o))
    if not flatten(target):  # what is rebuilt is the input itself
        yield LossWay("loss_fn(output, *inputs)", lambda o, t, i: (o, *i))
        if several:
            yield LossWay("loss_fn(*output, *inputs)", lambda o, t, i: (*o, *i))


def _is_per_token(output: Any, target: Any) -> bool:
    first = output[0] if isinstance(output, tuple | list) and output else output
    if not isinstance(first, Tensor) or not isinstance(target, Tensor):
        return False
    return first.dim() == target.dim() + 1 and first.shape[:-1] == target.shape


def _rows(output: Any) -> Tensor:
    first: Tensor = output[0] if isinstance(output, tuple | list) else output
    return first.flatten(0, -2)


def accepts(function: Callable[..., Any], arguments: Arguments) -> bool:
    """Whether the signature takes these arguments; True where it cannot be read."""
    called = getattr(function, "forward", function)
    try:
        inspect.signature(called).bind(*arguments.args, **arguments.kwargs)
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def _last(batch: Sequence[Any]) -> Any:
    return batch[-1]


def _nothing(batch: Any) -> Any:
    return None
