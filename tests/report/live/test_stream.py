"""Feeds: one reader, many listeners, only the newest message."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from paramedic.report.live import stream
from paramedic.report.live.stream import Feed, Pool


class Counting(Feed):
    """Something of which a test decides when it changes."""

    shortest = poll = 0.001

    def __init__(self, pool: Pool) -> None:
        super().__init__(pool)
        self.now, self.looks, self.draws = 1, 0, 0
        self.told: list[int] = []

    def is_due(self) -> bool:
        return self.now != self.version

    def look(self) -> int:
        self.looks += 1
        return self.now

    def draw(self, width: int, since: int) -> str:
        self.draws += 1
        self.told.append(since)
        return f'{{"at": {self.now}, "width": {width}}}'


@asynccontextmanager
async def made() -> AsyncIterator[Counting]:
    pool = Pool()
    try:
        yield Counting(pool)
    finally:
        pool.stop()
        await asyncio.sleep(0.02)
        pool.close()


async def heard(messages: AsyncIterator[bytes], count: int = 1) -> list[bytes]:
    found: list[bytes] = []
    async for message in messages:
        if b"data: " in message:
            found.append(message)
        if len(found) == count:
            break
    return found


def test_listeners_share_one_reader_and_one_drawing() -> None:
    async def scene() -> None:
        async with made() as feed:
            streams = [feed.listen(100) for _ in range(50)]
            first = await asyncio.gather(*(heard(one) for one in streams))
            assert all(one == [b'id: 1\ndata: {"at": 1, "width": 100}\n\n'] for one in first)
            feed.now = 2
            second = await asyncio.gather(*(heard(one) for one in streams))
            assert all(one[0].startswith(b"id: 2\n") for one in second)
            assert (feed.looks, feed.draws, feed.listeners) == (2, 2, 50)
            for one in streams:
                await one.aclose()
            assert feed.listeners == 0

    asyncio.run(scene())


def test_each_width_is_drawn_once() -> None:
    async def scene() -> None:
        async with made() as feed:
            await asyncio.gather(*(feed.newest(width) for width in (100, 200, 100, 200, 100)))
            assert feed.draws == 2

    asyncio.run(scene())


def test_a_slow_listener_gets_the_newest_only() -> None:
    async def scene() -> None:
        async with made() as feed:
            slow, quick = feed.listen(1), feed.listen(2)
            await heard(slow)
            for now in range(2, 6):
                feed.now = now
                while (await heard(quick))[0].split()[1] != b"%d" % now:
                    pass
            assert (await heard(slow))[0].startswith(b"id: 5\n")
            await slow.aclose()
            await quick.aclose()

    asyncio.run(scene())


def test_who_knows_something_is_told_what_is_new_since() -> None:
    async def scene() -> None:
        async with made() as feed:
            listening, late = feed.listen(1), feed.listen(1)
            await heard(listening)
            feed.now = 2
            await heard(listening)
            await heard(late)
            assert feed.told == [0, 1, 0]
            await listening.aclose()
            await late.aclose()

    asyncio.run(scene())


def test_others_are_asked_between_those_who_are_told() -> None:
    async def scene() -> None:
        pool, turns = Pool(), 0

        async def others() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        asking = asyncio.create_task(others())
        await asyncio.gather(*(pool.turn() for _ in range(500)))
        assert turns > 500 / 10
        asking.cancel()
        pool.close()

    asyncio.run(scene())


def test_nobody_listens_nobody_looks() -> None:
    async def scene() -> None:
        async with made() as feed:
            listening = feed.listen(1)
            await heard(listening)
            await listening.aclose()
            await asyncio.sleep(0.05)
            looks, feed.now = feed.looks, 7
            await asyncio.sleep(0.05)
            assert feed.looks == looks
            assert (await heard(feed.listen(1)))[0].startswith((b"id: 1\n", b"id: 7\n"))

    asyncio.run(scene())


def test_who_asks_once_gets_what_is_there_now() -> None:
    async def scene() -> None:
        async with made() as feed:
            feed.now = 3
            await feed.catch_up()
            assert (await feed.newest(1))[0] == 3

    asyncio.run(scene())


def test_silence_is_filled() -> None:
    async def scene() -> None:
        async with made() as feed:
            listening = feed.listen(1)
            await heard(listening)
            assert await anext(listening) == b": still here\n\n"
            await listening.aclose()

    before, stream.KEEP_ALIVE = stream.KEEP_ALIVE, 0.01
    try:
        asyncio.run(scene())
    finally:
        stream.KEEP_ALIVE = before


def test_all_streams_end_when_the_server_does() -> None:
    async def scene() -> None:
        async with made() as feed:
            listening = feed.listen(1)
            await heard(listening)
            feed._pool.stop()
            assert await heard(listening) == []

    asyncio.run(scene())
