"""The web application: a page with all runs, a page per run, their data and their events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route

from paramedic.report.live.hub import WIDTHS, Hub, fitting
from paramedic.report.live.page import asset, list_page, run_page, warm_up
from paramedic.report.live.runs import Runs
from paramedic.report.live.security import Door, Guard
from paramedic.report.live.stream import Feed

MOST_LISTENERS = 512
_EVENTS = "text/event-stream"


def application(runs: Runs, door: Door, cookie: str = "paramedic") -> tuple[Guard, Hub]:
    """The application behind its door, and the hub, which ends its streams when told to stop."""
    hub = Hub(runs)
    pages = Pages(hub)
    routes = [
        Route("/", pages.home),
        Route("/events", pages.list_events),
        Route("/runs", pages.list_json),
        Route("/run/{run}", pages.run),
        Route("/run/{run}/view", pages.run_json),
        Route("/run/{run}/events", pages.run_events),
        Route("/static/{name}", pages.static),
    ]

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        ready = asyncio.ensure_future(hub.pool.run(warm_up))
        yield
        ready.cancel()
        hub.pool.close()

    return Guard(Starlette(routes=routes, lifespan=lifespan), door, cookie), hub


class Pages:
    """One method per address."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def home(self, request: Request) -> Response:
        """The list; of a single trace that was named, the trace itself."""
        only = await self._hub.pool.run(self._hub.runs.only)
        if only is not None:
            return RedirectResponse(f"/run/{only.id}", status_code=303)
        return HTMLResponse(list_page())

    async def list_json(self, request: Request) -> Response:
        feed = self._hub.list()
        await feed.catch_up()
        _, message = await feed.newest(0)
        return Response(message, media_type="application/json")

    async def list_events(self, request: Request) -> Response:
        return self._stream(request, self._hub.list(), 0)

    async def run(self, request: Request) -> Response:
        place = await self._hub.find(request.path_params["run"])
        return _no_run() if place is None else HTMLResponse(run_page(place.id, place.name))

    async def run_json(self, request: Request) -> Response:
        feed, width = await self._hub.run(request.path_params["run"]), _width(request)
        if feed is None:
            return _no_run()
        if width is None:
            return _no_width()
        await feed.catch_up()
        _, message = await feed.newest(width)
        return Response(message, media_type="application/json")

    async def run_events(self, request: Request) -> Response:
        feed, width = await self._hub.run(request.path_params["run"]), _width(request)
        if feed is None:
            return _no_run()
        return _no_width() if width is None else self._stream(request, feed, width)

    async def static(self, request: Request) -> Response:
        """Scripts and styles, by a name of the list; nothing else can be asked for."""
        found = asset(request.path_params["name"])
        if found is None:
            return PlainTextResponse("There is no such file.\n", status_code=404)
        content, kind = found
        return Response(content, media_type=kind)

    def _stream(self, request: Request, feed: Feed, width: int) -> Response:
        if request.method == "HEAD":
            return Response(media_type=_EVENTS)
        if self._hub.pool.listeners >= MOST_LISTENERS:
            words = f"{MOST_LISTENERS} pages are listening: close some of them.\n"
            return PlainTextResponse(words, status_code=503, headers={"Retry-After": "5"})
        headers = {"X-Accel-Buffering": "no"}  # a proxy must not wait for more
        return StreamingResponse(feed.listen(width), media_type=_EVENTS, headers=headers)


def _width(request: Request) -> int | None:
    """How many pixels are asked for; None if that is no number that makes sense."""
    text = request.query_params.get("width", str(WIDTHS[1]))
    if not (text.isascii() and text.isdigit() and 0 < len(text) < 6 and int(text)):
        return None
    return fitting(int(text))


def _no_run() -> Response:
    words = "There is no such run: go back to the list, it may have been deleted."
    return JSONResponse({"error": words}, status_code=404)


def _no_width() -> Response:
    return JSONResponse({"error": "`width` must be a number of pixels."}, status_code=400)
