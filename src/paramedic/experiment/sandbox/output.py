"""What a program says, in as much memory as was set aside for it."""

from __future__ import annotations

from collections import deque

_MOST = 256 * 2**10  # bytes of each stream: what is said last is what matters


class Tail:
    """The last bytes of a stream."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._parts: deque[bytes] = deque()
        self._size = 0

    def add(self, part: bytes) -> None:
        """The next bytes; the oldest give way."""
        self._parts.append(part[-self._most :])
        self._size += len(self._parts[-1])
        while self._size > self._most:
            surplus = self._size - self._most
            first = self._parts.popleft()
            if len(first) > surplus:
                self._parts.appendleft(first[surplus:])
            self._size -= min(surplus, len(first))

    def text(self) -> str:
        """As far as it is text."""
        return b"".join(self._parts).decode(errors="replace")
