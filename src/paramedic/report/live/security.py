"""The door of the live page: who may ask, for what, and what the answer tells the browser.

A trace is private: it names layers, files and numbers of somebody's work. So nobody but this
machine is answered unless the user says so, and on this machine, too, only who has the token:
every user and every program of it can reach the port. A token opens one browser, once, which
keeps a cookie instead; so it does not matter who finds it later in a history or a log.
A web page opened in the same browser is a stranger, too: it can point a name of its own at this
machine (DNS rebinding), so the name in `Host` must be one of ours, and what it embeds is refused.
"""

from __future__ import annotations

import ipaddress
import secrets
import socket
from collections import deque
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = "127.0.0.1"
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
_LONGEST_HOST = 255 + len("[]:65535")
_MOST_TOKENS = 64  # that nobody has used yet
_HANG_UP = {"Connection": "close"}  # who is refused keeps no connection
_NEEDED = (
    "A token is needed: open the URL that `paramedic live` printed. It opens one browser, once; "
    "for another one press Enter where `paramedic live` runs, or start it again."
)
# A browser that follows a link of another site keeps our cookie back, also after the redirect that
# has just set it; when the page asks again by itself, it sends it.
_AGAIN = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Paramedic</title>'
    f'<meta http-equiv="refresh" content="0"><p>{_NEEDED}</p></html>\n'
)

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def _secret() -> str:
    return secrets.token_urlsafe(24)


@dataclass(frozen=True, slots=True)
class Door:
    """Who is let in: callers that use one of `names`, or any address if `any_address`, and that
    have brought a token or have the cookie that they got for one."""

    names: frozenset[str] = _LOCAL
    any_address: bool = False
    session: str = field(default_factory=_secret, repr=False)  # what the cookie holds
    _tokens: deque[str] = field(
        default_factory=lambda: deque(maxlen=_MOST_TOKENS), repr=False, compare=False
    )

    @classmethod
    def local(cls) -> Door:
        """For this machine alone."""
        return cls()

    @classmethod
    def open_to(cls, host: str) -> Door:
        """For others, too, by the address that the user named.

        Every address of the machine is answered at `0.0.0.0` and `::`; a page of a stranger
        cannot use one of these without having been loaded from it, only names can be rebound.
        """
        own = {host, socket.gethostname(), socket.getfqdn()}
        return cls(_LOCAL | {_plain(name) for name in own}, is_wildcard(host))

    def new_token(self) -> str:
        """One that opens one browser."""
        token = _secret()
        self._tokens.append(token)
        return token

    def redeem(self, given: str) -> bool:
        """Whether it is a token that nobody has used; from now on it is used."""
        found = [token for token in self._tokens if _same(given, token)]
        for token in found:
            self._tokens.remove(token)
        return bool(found)

    def knows_host(self, host: str) -> bool:
        """Whether the `Host` of a request is one of ours; its port may be that of a tunnel."""
        name = _name(host)
        if name is None:
            return False
        return name in self.names or (self.any_address and _address(name) is not None)

    def knows_session(self, given: str) -> bool:
        """Whether a cookie is the one that we gave."""
        return _same(given, self.session)


def _same(given: str, known: str) -> bool:
    """Compared in a time that tells nothing of how much of it was right."""
    return secrets.compare_digest(given.encode(), known.encode())


class Guard:
    """Stands before the application: refuses, or passes on and adds the headers."""

    def __init__(self, app: ASGIApp, door: Door, cookie: str = "paramedic") -> None:
        self._app, self._door, self._cookie = app, door, cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # nothing here speaks over web sockets
            await send({"type": "websocket.close", "code": 1008})
            return
        answer = self._answer(scope)
        await (answer or self._app)(scope, receive, _with_headers(send))

    def _answer(self, scope: Scope) -> Response | None:
        """What to answer in the place of the application; None lets the request pass."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._door.knows_host(hosts[0]):
            return _refusal(
                421, "This server does not answer to that name: use the URL that it printed."
            )
        if scope["method"] not in ("GET", "HEAD"):
            refusal = _refusal(405, "Only GET and HEAD are answered here.")
            refusal.headers["Allow"] = "GET, HEAD"
            return refusal
        if _is_embedded(headers) or not _is_own_origin(headers, hosts[0]):
            return _refusal(403, "Other sites may link to this page but not load it.")
        return self._check_token(scope, headers)

    def _check_token(self, scope: Scope, headers: Headers) -> Response | None:
        is_known = any(map(self._door.knows_session, _cookies(headers, self._cookie)))
        query = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        token = query.pop("token", [""])[0]
        # Looking ahead must not use it up: the browser could do so without keeping the cookie.
        may_redeem = scope["method"] == "GET" and "prefetch" not in headers.get("sec-purpose", "")
        if token and ((may_redeem and self._door.redeem(token)) or is_known):
            return self._onwards(_own_path(scope["path"]), urlencode(query, doseq=True))
        if is_known:
            return None
        if headers.get("sec-fetch-site") in _ELSEWHERE:
            return HTMLResponse(_AGAIN, status_code=403, headers=_HANG_UP)
        return _refusal(403, _NEEDED)

    def _onwards(self, path: str, query: str) -> Response:
        """The same address without the token, so that it stays in no bookmark or screenshot."""
        answer = RedirectResponse(path + (f"?{query}" if query else ""), status_code=303)
        session = self._door.session
        answer.set_cookie(self._cookie, session, httponly=True, samesite="strict", path="/")
        return answer


def is_wildcard(host: str) -> bool:
    """Whether it stands for all addresses of the machine."""
    address = _address(_plain(host))
    return address is not None and address.is_unspecified


def _own_path(path: str) -> str:
    """A path of ours: one that begins with two slashes would be read as the name of a host."""
    return "/" + path.lstrip("/\\")


_ELSEWHERE = ("cross-site", "same-site")


def _is_embedded(headers: Headers) -> bool:
    """Whether a page of another site asks for this on its own; following a link is not that."""
    site, mode = headers.get("sec-fetch-site", ""), headers.get("sec-fetch-mode", "")
    return site in _ELSEWHERE and mode != "navigate"


def _is_own_origin(headers: Headers, host: str) -> bool:
    """Whether the page that asks, if it says where it is from, is from here: older browsers say
    only this."""
    return all(
        origin.lower().removeprefix("http://").removeprefix("https://") == host.lower()
        for origin in headers.getlist("origin")
    )


def _cookies(headers: Headers, name: str) -> list[str]:
    """The values of a cookie. Only split: the parser of the standard library takes long for a
    header that was made to be long."""
    pairs = (one.partition("=") for part in headers.getlist("cookie") for one in part.split(";"))
    return [value.strip() for key, _, value in pairs if key.strip() == name]


def _name(host: str) -> str | None:
    """The name in a `Host` header, without port, brackets and case; None if it is malformed."""
    if not host or len(host) > _LONGEST_HOST or not host.isascii():
        return None
    if host.startswith("["):
        inside, bracket, rest = host[1:].partition("]")
        is_whole = bool(bracket) and (not rest or (rest[0] == ":" and _is_port(rest[1:])))
        found = _address(inside) if is_whole else None
        return None if found is None or found.version == 4 else _plain(inside)
    name, colon, port = host.partition(":")
    if not name or (colon and not _is_port(port)):
        return None
    return _plain(name)


def _is_port(text: str) -> bool:
    return text.isdigit() and int(text) < 2**16


def _plain(name: str) -> str:
    """One spelling of a name or an address."""
    name = name.strip("[]").lower().removesuffix(".")
    address = _address(name)
    return name if address is None else address.compressed


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None


def _refusal(status: int, words: str) -> Response:
    return PlainTextResponse(words + "\n", status_code=status, headers=_HANG_UP)


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending
