"""The door of the live page: who may ask, for what, and what the answer tells the browser.

A trace is private: it names layers, files and numbers of somebody's work. So nobody but this
machine is answered unless the user says so, and then only who knows the token. A web page opened
in the same browser is a stranger, too: it can point a name of its own at this machine (DNS
rebinding), so the name in `Host` must be one of ours, and what it embeds is refused.
"""

from __future__ import annotations

import ipaddress
import secrets
import socket
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = "127.0.0.1"
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
_LONGEST_HOST = 255 + len("[]:65535")

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


@dataclass(frozen=True, slots=True)
class Door:
    """Who is let in: callers that use one of `names`, or any address if `any_address`, and that
    know the `token`, if there is one."""

    names: frozenset[str] = _LOCAL
    any_address: bool = False
    token: str | None = field(default=None, repr=False)

    @classmethod
    def local(cls) -> Door:
        """For this machine alone."""
        return cls()

    @classmethod
    def open_to(cls, host: str) -> Door:
        """For whoever knows the token, by the address that the user named.

        Every address of the machine is answered at `0.0.0.0` and `::`; a page of a stranger
        cannot use one of these without having been loaded from it, only names can be rebound.
        """
        own = {host, socket.gethostname(), socket.getfqdn()}
        names = _LOCAL | {_plain(name) for name in own}
        return cls(names, is_wildcard(host), secrets.token_urlsafe(24))

    def knows_host(self, host: str) -> bool:
        """Whether the `Host` of a request is one of ours; its port may be that of a tunnel."""
        name = _name(host)
        if name is None:
            return False
        return name in self.names or (self.any_address and _address(name) is not None)

    def knows_token(self, given: str) -> bool:
        """Compared in a time that tells nothing of how much of it was right."""
        token = self.token or ""
        return bool(token) and secrets.compare_digest(given.encode(), token.encode())


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
        if _is_embedded(headers):
            return _refusal(403, "Other sites may link to this page but not load it.")
        return None if self._door.token is None else self._check_token(scope, headers)

    def _check_token(self, scope: Scope, headers: Headers) -> Response | None:
        if self._door.knows_token(_cookie(headers, self._cookie)):
            return None
        query = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if not self._door.knows_token(query.pop("token", [""])[0]):
            words = "A token is needed: open the whole URL that `paramedic live` printed."
            return _refusal(403, words)
        # Onwards without the token, so that it stays in no history, bookmark or screenshot.
        rest = urlencode(query, doseq=True)
        target = _own_path(scope["path"]) + (f"?{rest}" if rest else "")
        answer = RedirectResponse(target, status_code=303)
        token = self._door.token or ""
        answer.set_cookie(self._cookie, token, httponly=True, samesite="strict", path="/")
        return answer


def is_wildcard(host: str) -> bool:
    """Whether it stands for all addresses of the machine."""
    address = _address(_plain(host))
    return address is not None and address.is_unspecified


def _own_path(path: str) -> str:
    """A path of ours: one that begins with two slashes would be read as the name of a host."""
    return "/" + path.lstrip("/\\")


def _is_embedded(headers: Headers) -> bool:
    """Whether a page of another site asks for this on its own; following a link is not that."""
    site, mode = headers.get("sec-fetch-site", ""), headers.get("sec-fetch-mode", "")
    return site in ("cross-site", "same-site") and mode != "navigate"


def _cookie(headers: Headers, name: str) -> str:
    jar: SimpleCookie = SimpleCookie()
    try:
        jar.load(headers.get("cookie", ""))
    except CookieError:
        return ""
    found = jar.get(name)
    return "" if found is None else found.value


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
    return PlainTextResponse(words + "\n", status_code=status)


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending
