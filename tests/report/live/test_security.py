"""Who is let in, tried as a stranger would."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

pytest.importorskip("starlette", reason="needs the extra `live`")

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from paramedic.report.live.security import Door, Guard, is_wildcard

Answer = tuple[int, dict[str, str], str]


def ask(guard: ASGIApp, path: str = "/", method: str = "GET", **headers: str) -> Answer:
    """Status, headers and body of one request."""
    sent: list[Message] = []
    path, _, query = path.partition("?")
    given = {
        "host": "localhost:7117",
        **{name.replace("_", "-"): headers[name] for name in headers},
    }
    scope: dict[str, Any] = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in given.items()],
    }

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(guard(scope, receive, send))
    found = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], found, b"".join(one.get("body", b"") for one in sent[1:]).decode()


class Known:
    """Before a guard: sends the cookie of its door with every request."""

    def __init__(self, door: Door) -> None:
        self._guard = Guard(PlainTextResponse("secret"), door)
        self._cookie = f"paramedic={door.session}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [*scope["headers"], (b"cookie", self._cookie)]
        await self._guard({**scope, "headers": headers}, receive, send)


@pytest.fixture
def local() -> Known:
    """Asked by somebody who was let in."""
    return Known(Door.local())


@pytest.fixture
def door() -> Door:
    return Door.open_to("0.0.0.0")


@pytest.fixture
def wide(door: Door) -> Guard:
    return Guard(PlainTextResponse("secret"), door, "cookie-1")


@pytest.mark.parametrize(
    "host",
    [
        "localhost", "localhost:7117", "LocalHost:7117", "localhost.", "127.0.0.1", "127.0.0.1:80",
        "[::1]", "[::1]:7117", "[0:0:0:0:0:0:0:1]:7117",
        "localhost:9000",  # a tunnel: ssh -L 9000:localhost:7117
    ],
)  # fmt: skip
def test_own_names_are_answered(local: Known, host: str) -> None:
    assert ask(local, host=host)[0] == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example", "evil.example:7117", "localhost.evil.example", "127.0.0.1.evil.example",
        "localhost@evil.example", "evil.example#localhost", "192.168.1.5", "0.0.0.0",
        "[::ffff:7f00:1]", "[::1", "[::1]x", "[::1]:x", "[localhost]", "[127.0.0.1]", "::1",
        "localhost:", "localhost:x", "localhost:99999", "localhost:7117:7117", "localhost ",
        "localhost,evil.example", "", ":7117", "l\u00f6calhost", "127.1", "2130706433", "x" * 5000,
    ],
)  # fmt: skip
def test_foreign_names_are_refused(local: Known, host: str) -> None:
    status, _, body = ask(local, host=host)
    assert status == 421
    assert "secret" not in body


def test_two_host_headers_are_refused(local: Known) -> None:
    sent: list[Message] = []
    hosts = [(b"host", b"localhost"), (b"host", b"evil.example")]
    scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": hosts}

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(local(scope, None, send))  # type: ignore[arg-type]
    assert sent[0]["status"] == 421


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW"])
def test_only_reading_is_answered(local: Known, method: str) -> None:
    status, headers, body = ask(local, method=method)
    assert (status, headers["allow"]) == (405, "GET, HEAD")
    assert "secret" not in body


def test_every_answer_tells_the_browser_to_be_strict(local: Known) -> None:
    for status, headers, _ in (ask(local), ask(local, host="evil.example")):
        policy = headers["content-security-policy"]
        assert status in (200, 421)
        assert policy.startswith("default-src 'none'; script-src 'self';")
        assert not any(word in policy for word in ("unsafe", "*", "http"))
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
        assert not any(name.startswith("access-control") for name in headers)


def test_another_site_may_link_but_not_embed(local: Known) -> None:
    for site in ("cross-site", "same-site"):
        assert ask(local, sec_fetch_site=site, sec_fetch_mode="navigate")[0] == 200
        assert ask(local, sec_fetch_site=site, sec_fetch_mode="no-cors")[0] == 403
        assert ask(local, sec_fetch_site=site)[0] == 403
    assert ask(local, sec_fetch_site="same-origin", sec_fetch_mode="cors")[0] == 200


def test_a_page_from_elsewhere_that_says_so_is_refused(local: Known) -> None:
    for origin in ("http://evil.example", "null", "http://localhost:8000", "http://localhost", ""):
        assert ask(local, origin=origin)[0] == 403, origin
    for origin in ("http://localhost:7117", "https://LOCALHOST:7117"):
        assert ask(local, origin=origin)[0] == 200, origin


def test_a_socket_is_not_opened(local: Known) -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(local({"type": "websocket", "headers": []}, None, send))  # type: ignore[arg-type]
    assert sent == [{"type": "websocket.close", "code": 1008}]


@pytest.mark.parametrize("door", [Door.local(), Door.open_to("0.0.0.0")])
def test_without_the_token_nothing_is_told(door: Door) -> None:
    guard, token = Guard(PlainTextResponse("secret"), door, "cookie-1"), door.new_token()
    wrong = ["/", "/?token=", "/?token=x", f"/?token={token[:-1]}", f"/?token={token}x"]
    wrong += ["/?token=%ff%00", f"/?Token={token}", f"/?token=x&token={token}"]
    wrong += [f"/?token={door.session}"]
    for path in wrong:
        status, headers, body = ask(guard, path)
        assert status == 403, path
        assert "secret" not in body
        assert "set-cookie" not in headers
        assert headers["connection"] == "close"
        assert token not in body
        assert door.session not in body
    for cookie in ("cookie-1=x", "cookie-1=", f"cookie-2={door.session}", f"cookie-1={token}",
                   "cookie-1=\u00e9\u00ff; =;;", f"cookie-1 {door.session}"):  # fmt: skip
        assert ask(guard, cookie=cookie)[0] == 403, cookie


def test_the_token_becomes_a_cookie_and_leaves_the_address(wide: Guard, door: Door) -> None:
    token = door.new_token()
    status, headers, body = ask(wide, f"/run/ab?width=3&token={token}")
    assert (status, headers["location"]) == (303, "/run/ab?width=3")
    assert "secret" not in body
    cookie = headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Domain" not in cookie
    assert token not in cookie
    assert ask(wide, "/run/ab", cookie=f"a=b; {cookie.partition(';')[0]}; c")[2] == "secret"


def test_a_token_opens_one_browser(wide: Guard, door: Door) -> None:
    token = door.new_token()
    cookie = ask(wide, f"/?token={token}")[1]["set-cookie"].partition(";")[0]
    assert ask(wide, f"/?token={token}")[0] == 403  # somebody else, later
    assert ask(wide, f"/?token={token}", cookie=cookie)[0] == 303  # the same browser
    other = door.new_token()
    assert ask(wide, f"/?token={other}", cookie=cookie)[0] == 303
    assert ask(wide, f"/?token={other}")[0] == 403


def test_looking_ahead_does_not_use_the_token_up(wide: Guard, door: Door) -> None:
    path = f"/?token={door.new_token()}"
    assert ask(wide, path, "HEAD")[0] == 403
    assert ask(wide, path, sec_purpose="prefetch;prerender")[0] == 403
    assert ask(wide, path, host="evil.example")[0] == 421
    assert ask(wide, path, origin="http://evil.example")[0] == 403
    assert ask(wide, path)[0] == 303


def test_tokens_that_nobody_uses_are_forgotten(wide: Guard, door: Door) -> None:
    first, *others = [door.new_token() for _ in range(100)]
    assert ask(wide, f"/?token={first}")[0] == 403
    assert ask(wide, f"/?token={others[-1]}")[0] == 303


def test_who_follows_a_link_of_another_site_is_asked_again(wide: Guard) -> None:
    """Only a request that the page itself makes has the cookie."""
    again = ask(wide, sec_fetch_site="cross-site", sec_fetch_mode="navigate")
    assert (again[0], 'http-equiv="refresh"' in again[2]) == (403, True)
    refused = ask(wide, sec_fetch_site="same-origin", sec_fetch_mode="navigate")
    assert (refused[0], 'http-equiv="refresh"' in refused[2]) == (403, False)


def test_a_long_cookie_takes_no_time(wide: Guard, door: Door) -> None:
    begin = time.process_time()
    for part in ('a="\\' * 8000, "a=b;" * 8000, ";" * 32000, "cookie-1=x;" * 3000):
        assert ask(wide, cookie=part)[0] == 403
        assert ask(wide, cookie=f"{part};cookie-1={door.session}")[0] == 200
    assert time.process_time() - begin < 1


def test_the_token_leads_to_no_other_site(wide: Guard, door: Door) -> None:
    for path in ("//evil.example/", "/\\evil.example", "///evil.example"):
        location = ask(wide, f"{path}?token={door.new_token()}")[1]["location"]
        assert location.startswith("/")
        assert not location.startswith(("//", "/\\", "/%5C"))


def test_addresses_are_known_only_where_all_are_served(wide: Guard) -> None:
    assert ask(wide, host="192.168.1.5:7117")[0] == 403  # known, but has no token
    assert ask(wide, host="[fe80::1]:7117")[0] == 403
    one = Guard(PlainTextResponse("secret"), Door.open_to("192.168.1.5"))
    assert ask(one, host="192.168.1.5:7117")[0] == 403
    assert ask(one, host="192.168.1.6:7117")[0] == 421


def test_secrets_are_long_and_never_the_same() -> None:
    doors = [Door.local() for _ in range(20)]
    secrets = {door.session for door in doors} | {door.new_token() for door in doors}
    assert len(secrets) == 40
    assert all(len(one) >= 32 for one in secrets)
    assert not any(door.knows_session("") or door.redeem("") for door in doors)


def test_secrets_are_not_shown_by_accident(door: Door) -> None:
    token = door.new_token()
    assert not any(one in repr(door) for one in (token, door.session))


@pytest.mark.parametrize(("host", "wild"), [("0.0.0.0", True), ("::", True), ("[::]", True),
                                            ("127.0.0.1", False), ("box", False)])  # fmt: skip
def test_wildcards(host: str, wild: bool) -> None:
    assert is_wildcard(host) is wild
