from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np

from paramedic.trace.backlog import Backlog, Share
from paramedic.types import Frame

MakeFrame = Callable[..., Frame]


def _share(most: int = 100) -> Share[int]:
    return Share(most, lambda number: "seldom" if number % 1000 == 7 else "often")


def test_nothing_is_left_out_while_there_is_room() -> None:
    share = _share()
    share.extend(range(60))
    share.extend(range(60, 100))
    assert share.left_out == 0
    assert share.take(60) == list(range(60))
    assert share.take(60) == list(range(60, 100))


def test_what_remains_is_spread_evenly() -> None:
    share = _share()
    for start in range(0, 10_000, 10):
        share.extend(range(start, start + 10))
        assert len(share) <= 100
    kept = share.take(100)
    assert share.left_out == 10_000 - len(kept)
    often = [number for number in kept if number % 1000 != 7]
    counts, _ = np.histogram(often, bins=10, range=(0, 10_000))
    assert counts.min() >= 0.7 * counts.mean()
    assert often[0] == 0


def test_what_is_rare_stays_whole() -> None:
    share = _share()
    share.extend(range(10_000))
    assert [one for one in share.take(100) if one % 1000 == 7] == list(range(7, 10_000, 1000))


def test_emptied_it_takes_everything_again() -> None:
    share = _share()
    share.extend(range(1000))
    share.clear()
    before = share.left_out
    share.extend(range(100))
    assert share.left_out == before
    assert len(share) == 100


def test_a_batch_is_bounded_and_in_order(make_frame: MakeFrame) -> None:
    backlog = Backlog()
    backlog.add([make_frame(step) for step in range(700)], [(1, 0.5, True, False)])
    backlog.add((), (), None, ("events", (1,)))
    first, *others = [backlog.take() for _ in range(6)]
    assert [frame.step for batch in (first, *others) for frame in batch.frames] == list(range(700))
    assert first.beats == [(1, 0.5, True, False)]
    assert first.rows == [("events", (1,))]
    assert not backlog
    assert backlog.left_out == {}


def test_of_some_rows_only_the_newest_counts() -> None:
    backlog = Backlog()
    for number in range(3):
        backlog.add((), (), "chart", ("meta", (number,)))
    assert backlog.take().rows == [("meta", (2,))]


def test_it_holds_so_many_bytes_and_no_more() -> None:
    backlog = Backlog()
    row = np.zeros(100_000, np.float32)
    for step in range(1000):
        backlog.add([Frame(step, "full", {}, {"a": row.copy()})], ())
    assert len(backlog) <= 32 * 2**20 // row.nbytes
    assert backlog.left_out == {"frames": 1000 - len(backlog)}


def test_of_levels_that_alternate_neither_vanishes(make_frame: MakeFrame) -> None:
    backlog = Backlog()
    for step in range(20_000):
        backlog.add([make_frame(step, "full" if step % 2 else "vitals", width=1)], ())
    levels = Counter(one.level for _ in range(32) for one in backlog.take().frames)
    assert 0.4 < levels["full"] / levels["vitals"] < 2.5


def test_losses_that_are_not_finite_stay() -> None:
    backlog = Backlog()
    for start in range(0, 200_000, 512):
        backlog.add(
            (), [(step, 1.0, step % 5000 != 0, False) for step in range(start, start + 512)]
        )
    kept = [step for step, _, finite, _ in backlog.take().beats if not finite]
    assert kept == list(range(0, 200_001, 5000))
