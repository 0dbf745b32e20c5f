"""One function of torch that is wrapped while somebody observes it, and put back afterwards."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

Observer = TypeVar("Observer")


class Watchpoint(Generic[Observer]):
    """Replaces `owner.name` by `wrapper` from the first `observe` to the last `forget`.

    The wrapper calls `original` itself and tells `observers` what it saw.
    """

    def __init__(self, owner: Any, name: str, wrapper: Callable[..., Any]) -> None:
        self.original: Callable[..., Any] = getattr(owner, name)
        self.observers: tuple[Observer, ...] = ()
        self._owner, self._name, self._wrapper = owner, name, wrapper
        self._installed = False
        self._lock = threading.Lock()

    def observe(self, observer: Observer) -> None:
        """Tell `observer` from now on."""
        with self._lock:
            if not self._installed:
                self.original = getattr(self._owner, self._name)
                setattr(self._owner, self._name, self._wrapper)
                self._installed = True
            self.observers = (*self.observers, observer)

    def forget(self, observer: Observer) -> None:
        """Undo `observe`; the last one out puts the original back."""
        with self._lock:
            self.observers = tuple(one for one in self.observers if one is not observer)
            # If somebody wrapped us meanwhile, taking our layer out would take theirs too: then
            # the wrapper stays, without observers, and only passes the call on.
            if not self.observers and getattr(self._owner, self._name) is self._wrapper:
                setattr(self._owner, self._name, self.original)
                self._installed = False
