"""What is still to be written, within bounds: the disk may be slow, locked or full for a while."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from paramedic.trace.codec import Beat
from paramedic.types import Frame

T = TypeVar("T")
Row: TypeAlias = tuple[str, tuple[object, ...]]  # a statement and its values

_MOST_FRAMES = 4096
_FEWEST_FRAMES = 64
_MOST_BYTES = 32 * 2**20  # of frames
_MOST_BEATS = 65_536
_MOST_ROWS = 4096
_AT_ONCE = 128  # frames per commit: longer ones would keep readers waiting


class Share(Generic[T]):
    """A list that never has more than `most` entries, and keeps an even share of what is added.

    When it is full, every second entry of the most frequent kind is taken out, and of those that
    come only every second is let in, then every fourth, and so on until it has been emptied. What
    is rare remains whole.
    """

    def __init__(self, most: int, kind: Callable[[T], Hashable]) -> None:
        self.most = most
        self.left_out = 0
        self._kind = kind
        self._entries: list[T] = []
        self._strides: dict[Hashable, int] = {}
        self._seen: Counter[Hashable] = Counter()

    def __len__(self) -> int:
        return len(self._entries)

    def extend(self, entries: Sequence[T]) -> None:
        if not self._strides and len(self._entries) + len(entries) <= self.most:
            self._entries += entries
            return
        for entry in entries:
            kind = self._kind(entry)
            self._seen[kind] += 1
            if self._seen[kind] % self._strides.get(kind, 1):
                self.left_out += 1
                continue
            self._entries.append(entry)
            if len(self._entries) > self.most:
                self._halve()

    def _halve(self) -> None:
        largest = Counter(map(self._kind, self._entries)).most_common(1)[0][0]
        kept, number = [], 0
        for entry in self._entries:
            if self._kind(entry) == largest:
                number += 1
                if number % 2 == 0:
                    continue
            kept.append(entry)
        self.left_out += len(self._entries) - len(kept)
        self._entries = kept
        self._strides[largest] = 2 * self._strides.get(largest, 1)
        self._seen[largest] = 0

    def take(self, count: int) -> list[T]:
        """Removes the oldest entries."""
        taken, self._entries = self._entries[:count], self._entries[count:]
        if not self._entries:
            self._strides.clear()
            self._seen.clear()
        return taken

    def clear(self) -> None:
        self.take(len(self._entries))


class Batch(NamedTuple):
    """What is written in one transaction."""

    frames: list[Frame]
    beats: list[Beat]
    rows: list[Row]


class Backlog:
    """Frames, heartbeats and other rows on their way to the file; any thread may add and take."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._frames: Share[Frame] = Share(_MOST_FRAMES, lambda frame: frame.level)
        self._beats: Share[Beat] = Share(_MOST_BEATS, lambda beat: beat[2])  # whether it is finite
        self._rows: Share[Row] = Share(_MOST_ROWS, lambda row: row[0])
        self._newest: dict[str, Row] = {}  # of rows that take the place of an earlier one

    def __len__(self) -> int:
        shares = len(self._frames) + len(self._beats) + len(self._rows)
        return shares + len(self._newest)

    @property
    def is_crowded(self) -> bool:
        """Whether something will have to be left out soon."""
        frames, beats = self._frames, self._beats
        return 2 * len(frames) > frames.most or 2 * len(beats) > beats.most

    @property
    def left_out(self) -> dict[str, int]:
        """How much there was no room for."""
        counts = {
            "frames": self._frames.left_out,
            "steps": self._beats.left_out,
            "notes": self._rows.left_out,
        }
        return {name: count for name, count in counts.items() if count}

    def add(
        self,
        frames: Sequence[Frame],
        beats: Sequence[Beat],
        key: str | None = None,
        row: Row | None = None,
    ) -> None:
        """Adds these, and one more row; a key if it takes the place of an earlier one."""
        with self._lock:
            largest = max(map(_size, frames), default=0)
            if largest * self._frames.most > _MOST_BYTES:
                self._frames.most = max(_MOST_BYTES // largest, _FEWEST_FRAMES)
            self._frames.extend(frames)
            self._beats.extend(beats)
            if row is not None and key is not None:
                self._newest[key] = row
            elif row is not None:
                self._rows.extend([row])

    def take(self) -> Batch:
        """The oldest of what waits."""
        with self._lock:
            rows = [*self._newest.values(), *self._rows.take(_MOST_ROWS)]
            self._newest.clear()
            return Batch(self._frames.take(_AT_ONCE), self._beats.take(_MOST_BEATS), rows)

    def clear(self) -> None:
        with self._lock:
            self._frames.clear()
            self._beats.clear()
            self._rows.clear()
            self._newest.clear()


def _size(frame: Frame) -> int:
    """About the bytes that it keeps in memory."""
    return 100 * len(frame.scalars) + sum(row.nbytes + 200 for row in frame.layers.values())
