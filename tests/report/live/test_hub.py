"""What is kept, and for how long."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from paramedic.report.live import hub as module
from paramedic.report.live.hub import Hub, Lines, fitting
from paramedic.report.live.runs import Runs
from tests.report.live.traces import recorded


@pytest.mark.parametrize(("asked", "drawn"), [(1, 240), (240, 240), (241, 480), (99999, 960)])
def test_few_widths_are_drawn(asked: int, drawn: int) -> None:
    assert fitting(asked) == drawn


def test_runs_that_nobody_looks_at_are_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "abcd":
        recorded(tmp_path / f"{name}.db", 10)
    monkeypatch.setattr(module, "_KEPT_RUNS", 2)

    async def scene() -> None:
        hub = Hub(Runs([tmp_path]))
        identifiers = [place.id for place in hub.runs.scan()]
        first = await hub.run(identifiers[0])
        assert first is not None
        first.listeners = 1
        for identifier in identifiers[1:]:
            feed = await hub.run(identifier)
            assert feed is not None
            await feed.newest(240)
        assert list(hub._feeds) == [identifiers[0], identifiers[3]]
        assert await hub.run(identifiers[0]) is first
        hub.pool.close()

    asyncio.run(scene())


def test_what_weighs_too_much_is_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "ab":
        recorded(tmp_path / f"{name}.db", 10)
    monkeypatch.setattr(module, "_KEPT_BYTES", 1)

    async def scene() -> None:
        hub = Hub(Runs([tmp_path]))
        for place in hub.runs.scan():
            feed = await hub.run(place.id)
            assert feed is not None
            await feed.newest(240)
        assert len(hub._feeds) == 1 or all(f.following.weight for f in hub._feeds.values())
        await hub.run(next(iter(hub._feeds)))
        assert len(hub._feeds) == 1
        hub.pool.close()

    asyncio.run(scene())


def test_unknown_runs_do_not_cause_scan_after_scan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene() -> None:
        hub = Hub(Runs([tmp_path]))
        scans = []
        scan = hub.runs.scan
        monkeypatch.setattr(hub.runs, "scan", lambda: scans.append(1) or scan())
        for _ in range(20):
            assert await hub.run("0" * 20) is None
        assert len(scans) == 1
        hub.pool.close()

    asyncio.run(scene())


def test_of_the_list_only_what_has_changed_is_told_again() -> None:
    one, two = {"id": "1", "step": 5}, {"id": "2", "step": 5}
    first = Lines().followed_by([one, two], 1)
    assert first.since(0) == {"runs": [one, two]}
    assert first.followed_by([one, two], 2) is first
    grown = {**two, "step": 6}
    second = first.followed_by([one, grown], 2)
    assert second.since(1) == {"runs": [grown]}
    third = second.followed_by([grown, one], 3)
    assert third.since(2) == {"runs": [], "order": ["2", "1"]}
    assert third.since(1) == {"runs": [grown], "order": ["2", "1"]}
    assert third.since(0) == {"runs": [grown, one]}
    last = third.followed_by([one], 4)
    assert last.since(3) == {"runs": [], "order": ["1"]}
    assert last.since(4) == {"runs": []}
    assert last.followed_by([], 5).since(4) == {"runs": [], "order": []}


def test_an_empty_list_is_something_to_tell() -> None:
    empty = Lines().followed_by([], 1)
    assert empty.version == 1
    assert empty.followed_by([], 2) is empty
