"""The feeds of all runs and of the list of them, made when somebody asks and let go later."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from paramedic.report.live.following import Following
from paramedic.report.live.page import run_message
from paramedic.report.live.runs import Place, Runs
from paramedic.report.live.stream import Feed, Pool
from paramedic.report.live.summaries import Summaries
from paramedic.report.wording import visible_all

WIDTHS = (240, 480, 960)  # pixels; few, so that listeners share what is drawn
_KEPT_BYTES = 512 * 2**20  # of runs at which nobody looks any more
_KEPT_RUNS = 16
_SCAN_EVERY = 1.0  # seconds


def fitting(width: int) -> int:
    """The least width that is drawn and not less than what is asked for."""
    return next((one for one in WIDTHS if one >= width), WIDTHS[-1])


class RunFeed(Feed):
    """One run."""

    def __init__(self, pool: Pool, place: Place) -> None:
        super().__init__(pool)
        self.following = Following(place)

    def is_due(self) -> bool:
        return self.following.is_due()

    def look(self) -> int:
        self.following.refresh()
        return self.following.version

    def draw(self, width: int, since: int) -> str:
        return json.dumps(run_message(self.following, width), allow_nan=False)


class ListFeed(Feed):
    """All runs, the newest first."""

    shortest = 0.5
    poll = 0.1

    def __init__(self, pool: Pool, runs: Runs) -> None:
        super().__init__(pool)
        self._runs, self._summaries = runs, Summaries()
        self._shown = Lines()
        self._next = 0.0

    def is_due(self) -> bool:
        return time.monotonic() >= self._next

    def look(self) -> int:
        lines, complete = self._summaries.update(self._runs.scan())
        self._next = time.monotonic() + (_SCAN_EVERY if complete else 0.0)
        now = time.time()
        told = [visible_all(line.to_json(now)) for line in lines]
        self._shown = self._shown.followed_by(told, self.version + 1)
        return self._shown.version

    def draw(self, width: int, since: int) -> str:
        message = self._shown.since(since)
        if not since:
            message["places"] = visible_all(self._runs.names)
        return json.dumps(message, allow_nan=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of the list, and the version in which each became what it is."""

    told: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # in order, by identifier
    changed: Mapping[str, int] = field(default_factory=dict)
    ordered: int = 0  # the version in which the order became what it is
    version: int = 0

    def followed_by(self, told: Sequence[Mapping[str, Any]], version: int) -> Lines:
        """The next version; the same, if nothing is new."""
        newer = {str(line["id"]): line for line in told}
        changed = {
            key: self.changed[key] if self.told.get(key) == line else version
            for key, line in newer.items()
        }
        is_ordered = list(newer) == list(self.told)
        if self.version and is_ordered and version not in changed.values():
            return self
        return Lines(newer, changed, self.ordered if is_ordered else version, version)

    def since(self, version: int) -> dict[str, Any]:
        """What has changed since then: a thousand lines are much, for hundreds of listeners."""
        lines = [line for key, line in self.told.items() if self.changed[key] > version]
        is_new_order = version and self.ordered > version
        return {"runs": lines, **({"order": list(self.told)} if is_new_order else {})}


class Hub:
    """Everything that can be listened to."""

    def __init__(self, runs: Runs) -> None:
        self.runs = runs
        self.pool = Pool()
        self._feeds: dict[str, RunFeed] = {}
        self._list: ListFeed | None = None
        self._scanned = 0.0

    def list(self) -> ListFeed:
        """The feed of the list."""
        if self._list is None:
            self._list = ListFeed(self.pool, self.runs)
        return self._list

    async def run(self, identifier: str) -> RunFeed | None:
        """The feed of a run; None if there is no run of this identifier."""
        place = await self.find(identifier)
        if place is None:
            return None
        feed = self._feeds.pop(identifier, None) or RunFeed(self.pool, place)
        self._feeds[identifier] = feed  # last: the one that was asked for last
        self._let_go()
        return feed

    async def find(self, identifier: str) -> Place | None:
        """Where a run lies, after another look around if it is not known yet."""
        place = await self.pool.run(self.runs.get, identifier)
        if place is None and time.monotonic() - self._scanned > _SCAN_EVERY:
            self._scanned = time.monotonic()
            await self.pool.run(self.runs.scan)
            place = await self.pool.run(self.runs.get, identifier)
        if place is None and identifier in self._feeds:
            # Deleted while somebody looks at it: that is told by its feed.
            known = self._feeds[identifier].following.place
            return known if not known.stamp().is_there else None
        return place

    def _let_go(self) -> None:
        """Forget the runs that nobody has looked at for longest, if there are too many."""
        idle = [key for key, feed in self._feeds.items() if not feed.listeners][:-1]
        for key in idle:
            weight = sum(feed.following.weight for feed in self._feeds.values())
            if len(self._feeds) <= _KEPT_RUNS and weight <= _KEPT_BYTES:
                return
            self.pool.remove(self._feeds.pop(key))
