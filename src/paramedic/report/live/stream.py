"""Server-sent events: whoever listens gets the newest message, and is not sent what is older.

There is one reader per run, however many listen: it looks at the trace's stamp often and reads
only when that has changed, in a thread. A slow listener misses messages, not memory.
"""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable
from typing import TypeVar

from paramedic.report.live.threads import Readers

Result = TypeVar("Result")

KEEP_ALIVE = 15.0  # seconds of silence, after which a line shows that both sides are there
_WORKERS = 4  # threads that read and render
_PER_LISTENER = 0.005  # seconds that sending to one may take
_AT_ONCE = 8  # listeners that are sent something before others are asked what they want


class Pool:
    """A few threads for what blocks, and the word that it is time to stop."""

    def __init__(self) -> None:
        self._threads = Readers(_WORKERS, "paramedic-live")
        self._feeds: list[Feed] = []
        self._turns = asyncio.Semaphore(_AT_ONCE)
        self.stopped = False

    async def run(self, function: Callable[..., Result], *args: object) -> Result:
        """What `function` returns, computed in a thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, function, *args)

    async def timed(self, function: Callable[..., Result], *args: object) -> tuple[Result, float]:
        """The same, and the seconds of a processor that it took: on a machine that is busy with
        a training, those of a clock tell nothing."""

        def measured() -> tuple[Result, float]:
            begin = time.thread_time()
            return function(*args), time.thread_time() - begin

        return await self.run(measured)

    async def turn(self) -> None:
        """Wait until it is one's turn to send: what hundreds are sent at the same moment would keep
        all others waiting for an answer."""
        async with self._turns:
            await asyncio.sleep(0)

    def add(self, feed: Feed) -> None:
        self._feeds.append(feed)

    def remove(self, feed: Feed) -> None:
        self._feeds.remove(feed)

    @property
    def listeners(self) -> int:
        """How many listen now, to anything."""
        return sum(feed.listeners for feed in self._feeds)

    def stop(self) -> None:
        """End all streams."""
        self.stopped = True
        for feed in self._feeds:
            feed.publish()

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


class Feed(ABC):
    """Something that changes, and those who want to hear of it; watched while somebody does."""

    shortest = 0.25  # seconds between two messages
    poll = 0.03  # seconds between two looks

    def __init__(self, pool: Pool) -> None:
        self.listeners = 0
        self.version = 0  # zero: nothing is known yet
        self._pool = pool
        self._news = asyncio.Event()
        self._watching: asyncio.Task[None] | None = None
        self._drawn: dict[tuple[int, int], bytes] = {}  # width, since -> message
        self._drawn_version = 0
        self._drawing, self._looking = asyncio.Lock(), asyncio.Lock()
        self._cost = 0.0  # seconds of a processor for the last look and drawing what it found
        pool.add(self)

    @abstractmethod
    def is_due(self) -> bool:
        """Whether a look may find something new; must not block."""

    @abstractmethod
    def look(self) -> int:
        """Look, in a thread; gives the version of what is there now."""

    @abstractmethod
    def draw(self, width: int, since: int) -> str:
        """What is there now as JSON for so many pixels, in a thread. Who knows the version `since`
        may be told only what has changed; 0 knows nothing."""

    async def listen(self, width: int) -> AsyncIterator[bytes]:
        """The messages, beginning with the newest, until the server stops."""
        self.listeners += 1
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._watch())
        try:
            yield b"retry: 1000\n\n"
            seen = 0
            while not self._pool.stopped:
                if self.version != seen:
                    await self._pool.turn()
                    seen, message = await self.newest(width, seen)
                    yield b"id: %d\ndata: %b\n\n" % (seen, message)
                    continue
                try:
                    await asyncio.wait_for(self._news.wait(), KEEP_ALIVE)
                except TimeoutError:
                    yield b": still here\n\n"
        finally:
            self.listeners -= 1

    async def newest(self, width: int, since: int = 0) -> tuple[int, bytes]:
        """The version and the message, drawn once for all who ask for the same."""
        async with self._drawing:
            if not self.version:
                await self._look()
            version = self.version
            if version != self._drawn_version:
                self._drawn, self._drawn_version = {}, version
            drawn = self._drawn.get((width, since))
            if drawn is None:
                text, cost = await self._pool.timed(self.draw, width, since)
                self._cost += cost
                drawn = self._drawn[width, since] = text.encode()
            return version, drawn

    async def catch_up(self) -> None:
        """Look, if it is time to: for who asks once and does not listen."""
        if self.is_due():
            await self._look()

    def publish(self) -> None:
        """Wake all who listen."""
        self._news.set()
        self._news = asyncio.Event()

    async def _watch(self) -> None:
        while self.listeners and not self._pool.stopped:
            pause = self.poll
            if not self.version or self.is_due():
                before = self.version
                await self._look()
                if self.version != before:
                    self.publish()
                    # What is dear to read and to send is sent less often: the machine has a
                    # training to run.
                    pause = max(self.shortest, 4 * self._cost, _PER_LISTENER * self.listeners)
            await asyncio.sleep(pause)

    async def _look(self) -> None:
        async with self._looking:
            version, self._cost = await self._pool.timed(self.look)
            self.version = max(version, 1)
