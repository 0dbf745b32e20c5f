"""One function of torch that is wrapped while somebody observes it, and put back afterwards."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

Observer = TypeVar("Observer")
IsOurs = Callable[[Any], bool]


class _Inside(threading.local):
    """Whether this thread is in a call that is being told already."""

    now = False


class Watchpoint(Generic[Observer]):
    """Replaces `owner.name` by `wrapper` from the first `observe` to the last `forget`.

    The wrapper makes the `call` and tells `observers` what it saw, unless the thread is `inside`
    a call that is told already. Others may wrap the same function before, after or instead of us.
    """

    def __init__(self, owner: Any, name: str, wrapper: Callable[..., Any]) -> None:
        self.observers: tuple[Observer, ...] = ()
        self._threads: dict[int, int] = {}  # by the identity of an observer: where it belongs
        self._unsure: set[int] = set()  # of these, who has only begun there
        self._sure: dict[int, IsOurs] = {}  # who has had a call of its own there
        self._everywhere: set[int] = set()  # whom every thread concerns
        self._owner, self._name, self._wrapper = owner, name, wrapper
        self._base: Callable[..., Any] = getattr(owner, name)  # below all layers of ours
        self.original = self._base  # right below the layer that is on top
        self._left_behind = False  # a layer of ours may be below somebody else's
        self.inside = _Inside()
        self._lock = threading.Lock()

    def observe(self, observer: Observer, *, everywhere: bool = False) -> None:
        """Tell `observer` from now on; `everywhere`: of the calls of all threads."""
        with self._lock:
            top = getattr(self._owner, self._name)
            if top is not self._wrapper:
                if not self.observers and not self._left_behind:
                    self._base = top
                self.original = top
                setattr(self._owner, self._name, self._wrapper)
            self.observers = (*self.observers, observer)
            self._threads[id(observer)] = threading.get_ident()
            (self._everywhere if everywhere else self._unsure).add(id(observer))

    def claim(self, observer: Observer) -> None:
        """This thread is the one whose calls concern `observer`."""
        with self._lock:
            if any(one is observer for one in self.observers):
                self._threads[id(observer)] = threading.get_ident()
                self._unsure.discard(id(observer))

    def settle(self, observer: Observer, is_ours: IsOurs) -> None:
        """A call in this thread was one of `observer`. Those of other threads are not, unless
        `is_ours` says of what they are given that it has moved there."""
        with self._lock:
            if any(one is observer for one in self.observers):
                self._threads[id(observer)] = threading.get_ident()
                self._unsure.discard(id(observer))
                self._sure[id(observer)] = is_ours

    def is_elsewhere(self, observer: Observer, given: Any) -> bool:
        """Whether a call in this thread is none of `observer`. Asked at each of them."""
        key = id(observer)
        is_ours = self._sure.get(key)
        if is_ours is None or self._threads.get(key) == threading.get_ident():
            return False
        if not is_ours(given):
            return True
        self._threads[key] = threading.get_ident()
        return False

    def is_everywhere(self, observer: Observer) -> bool:
        """Whether the calls of all threads concern `observer`."""
        return id(observer) in self._everywhere

    def forget(self, observer: Observer) -> None:
        """Undo `observe`; the last one out puts the original back."""
        with self._lock:
            self.observers = tuple(one for one in self.observers if one is not observer)
            self._threads.pop(id(observer), None)
            self._unsure.discard(id(observer))
            self._everywhere.discard(id(observer))
            self._sure.pop(id(observer), None)
            # If somebody wrapped us meanwhile, taking our layer out would take theirs too: then
            # the wrapper stays, without observers, and only passes the call on.
            if self.observers:
                return
            if getattr(self._owner, self._name) is self._wrapper:
                setattr(self._owner, self._name, self.original)
                self.original = self._base
            else:
                self._left_behind = True

    @property
    def listeners(self) -> tuple[Observer, ...]:
        """Whom a call of this thread concerns: those who belong to it, if there are any, so that
        trainings in several threads do not hear each other; else those of whom that is not known
        yet, and else everybody."""
        everybody = self.observers
        if len(everybody) < 2:
            return everybody
        here = threading.get_ident()
        keys = [id(one) for one in everybody]
        mine = {key for key in keys if self._threads.get(key) == here} - self._everywhere
        mine = mine or {key for key in keys if key in self._unsure} or set(keys)
        mine |= self._everywhere
        return tuple(one for one in everybody if id(one) in mine)

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """The call itself, marked so that what it calls of us is not told again."""
        inside = self.inside
        if inside.now:
            return self._base(*args, **kwargs)
        inside.now = True
        try:
            return self.original(*args, **kwargs)
        finally:
            inside.now = False
