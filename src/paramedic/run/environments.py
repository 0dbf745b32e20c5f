"""The returns of episodes in environments of Gymnasium (or Gym): a metric of the program.

`step` and `reset` are wrapped in the classes of environments and of their wrappers, so nothing
is stored in an environment. Of nested calls only the outermost counts, which is what the program
sees; but where a wrapper normalises rewards, what goes into it is counted, since a normalised
return says little about progress. A vector environment counts as so many environments.
"""

from __future__ import annotations

import copy
import functools
import sys
import threading
from collections.abc import Callable
from types import MethodType
from typing import Any

from paramedic.probe.guard import Guard, aside
from paramedic.run.imports import AfterImport
from paramedic.run.patching import Function, Patches

_HOMES = {  # modules, and the classes that all environments derive from
    "gymnasium.core": "Env",
    "gymnasium.vector.vector_env": "VectorEnv",
    "gym.core": "Env",
}
_NORMALISING = "NormalizeReward"
_MOST_RETURNS = 400


class Returns:
    """Pairs of a training step and a return, in the order they came.

    Beyond a few hundred, neighbours are merged: pairs are means of ever more episodes.
    """

    def __init__(self) -> None:
        self.pairs: list[tuple[int, float]] = []
        self._each = 1  # episodes of a pair
        self._waiting: list[tuple[int, float]] = []

    def add(self, step: int, value: float) -> None:
        """An episode has ended, after so many steps of the training."""
        self._waiting.append((step, value))
        if len(self._waiting) < self._each:
            return
        self.pairs.append(_merged(self._waiting))
        self._waiting.clear()
        if len(self.pairs) >= _MOST_RETURNS:
            places = range(0, len(self.pairs), 2)
            self.pairs = [_merged(self.pairs[place : place + 2]) for place in places]
            self._each *= 2

    def all(self) -> tuple[tuple[int, float], ...]:
        """The pairs, with what is not merged yet."""
        return (*self.pairs, *([_merged(self._waiting)] if self._waiting else []))


def _merged(pairs: list[tuple[int, float]]) -> tuple[int, float]:
    return pairs[-1][0], sum(value for _, value in pairs) / len(pairs)


class Environments:
    """Waits for Gymnasium; `on_return` is called with the return of each episode that ends."""

    def __init__(self, guard: Guard, on_return: Callable[[float], None]) -> None:
        self.guard = guard
        self.steps = 0  # of all environments so far
        self._on_return = on_return
        self._sums: dict[int, list[float]] = {}  # by the `id` of what was reset
        self._patches = Patches()
        self._bases: list[tuple[type, Any]] = []  # and how they announced subclasses before
        self._waiting = [AfterImport(home, functools.partial(self._found, home)) for home in _HOMES]

    def open(self) -> None:
        """Start to wait."""
        _at_work.environments = self
        for waiting in self._waiting:
            waiting.install()

    def close(self) -> None:
        """Leave all classes as they were."""
        if _at_work.environments is self:
            _at_work.environments = None
        for waiting in self._waiting:
            waiting.remove()
        self._patches.remove()
        for base, before in self._bases:
            if before is None:
                del base.__init_subclass__
            else:
                base.__init_subclass__ = before  # type: ignore[method-assign]
        self._bases.clear()

    # -- classes -----------------------------------------------------------------------------

    def _found(self, home: str) -> None:
        base = getattr(sys.modules[home], _HOMES[home], None)
        if isinstance(base, type):
            self.guard.attempt("environments", self._follow_all, base)

    def _follow_all(self, base: Any) -> None:
        """This class, those that derive from it by now, and those that will."""
        before = vars(base).get("__init_subclass__")

        def __init_subclass__(cls: type, /, **kwargs: Any) -> None:
            if before is None:
                super(base, cls).__init_subclass__(**kwargs)  # type: ignore[misc]
            else:
                before.__get__(None, cls)(**kwargs)
            self.guard.attempt("environments", self._follow, cls)

        base.__init_subclass__ = classmethod(__init_subclass__)
        self._bases.append((base, before))
        known: list[Any] = [base]
        for one in known:
            known += [other for other in one.__subclasses__() if other not in known]
            self._follow(one)

    def _follow(self, kind: type) -> None:
        normalises = kind.__name__ == _NORMALISING
        own = vars(kind)
        if callable(own.get("step")):
            self._patches.wrap(kind, "step", lambda original: _Step(original, normalises))
        if callable(own.get("reset")):
            self._patches.wrap(kind, "reset", _Reset)

    # -- episodes ----------------------------------------------------------------------------

    @aside("environments")
    def was_reset(self, environment: Any, kwargs: dict[str, Any]) -> None:
        """An episode begins; in a vector environment, with a mask, only some."""
        if "reset_mask" not in (kwargs.get("options") or ()):
            self._sums[id(environment)] = []

    @aside("environments")
    def rewarded(self, call: _Call, result: Any) -> None:
        """This reward is about to be normalised; a wrapper may step several times."""
        call.reward = result[1] if call.reward is None else call.reward + result[1]

    @aside("environments")
    def stepped(self, environment: Any, result: Any, reward: Any = None) -> None:
        """The program has taken a step; `reward` is what to count in the place of the last one
        that it sees."""
        self.steps += 1
        sums = self._sums.get(id(environment))
        if sums is None:  # a copy, made for planning: not the course of an episode
            return
        rewards = _listed(result[1] if reward is None else reward)
        ends = [_listed(one) for one in result[2:-1]]  # terminated and truncated; in Gym, done
        if len(sums) != len(rewards):
            sums[:] = [0.0] * len(rewards)
        for place, one in enumerate(rewards):
            sums[place] += one
            if any(end[place] for end in ends):
                self._on_return(float(sums[place]))
                sums[place] = 0.0


class _AtWork:
    """What counts the steps in this process."""

    environments: Environments | None = None


class _Call(threading.local):
    """Where in nested calls of `step` and `reset` a thread is."""

    depth = 0
    normalised = False  # the call around this one normalises the reward
    reward: Any = None  # that went into it


_at_work, _call = _AtWork(), _Call()


class _Method:
    """Stands in for a method of a class of environments, and is pickled as what it stands for:
    classes of a program may be pickled by value, for processes in which we are not there."""

    def __init__(self, original: Function) -> None:
        self._original = original

    def __get__(self, environment: Any, kind: Any = None) -> Any:
        return self if environment is None else MethodType(self, environment)

    def __reduce__(self) -> Any:
        return copy.copy, (self._original,)

    def __call__(self, environment: Any, *args: Any, **kwargs: Any) -> Any:
        environments = _at_work.environments
        if environments is None:
            return self._original(environment, *args, **kwargs)
        return self._observed(environments, environment, args, kwargs)

    def _observed(
        self, environments: Environments, environment: Any, args: Any, kwargs: Any
    ) -> Any:
        raise NotImplementedError


class _Step(_Method):
    """`step`: the outermost call is counted."""

    def __init__(self, original: Function, normalises: bool) -> None:
        super().__init__(original)
        self._normalises = normalises

    def _observed(
        self, environments: Environments, environment: Any, args: Any, kwargs: Any
    ) -> Any:
        depth, around = _call.depth, _call.normalised
        if not depth:
            _call.reward = None
        _call.depth, _call.normalised = depth + 1, self._normalises
        try:
            result = self._original(environment, *args, **kwargs)
        finally:
            _call.depth, _call.normalised = depth, around
        if around:
            environments.rewarded(_call, result)
        if not depth:
            environments.stepped(environment, result, _call.reward)
        return result


class _Reset(_Method):
    """`reset`: after the outermost call an episode begins."""

    def _observed(
        self, environments: Environments, environment: Any, args: Any, kwargs: Any
    ) -> Any:
        depth = _call.depth
        _call.depth = depth + 1
        try:
            result = self._original(environment, *args, **kwargs)
        finally:
            _call.depth = depth
        if not depth:
            environments.was_reset(environment, kwargs)
        return result


def _listed(value: Any) -> list[Any]:
    """The numbers of a vector environment; of a single one, a list of one."""
    if type(value) in (float, int, bool):
        return [value]
    plain = value.tolist() if hasattr(value, "tolist") else value
    return plain if isinstance(plain, list) else [plain]
