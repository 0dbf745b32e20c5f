"""Being let in by a live page: its token opens one visitor, who keeps a cookie."""

from __future__ import annotations

import http.client
import json
import urllib.request
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Entry:
    """The address of a server, without its token, and the cookie that it gave."""

    url: str
    cookie: str

    @classmethod
    def by(cls, url: str) -> Entry:
        """Uses the token of a URL up."""
        parts = urlsplit(url)
        connection = http.client.HTTPConnection(parts.netloc, timeout=20)
        connection.request("GET", f"{parts.path}?{parts.query}")
        answer = connection.getresponse()
        cookie = str(answer.headers["Set-Cookie"]).partition(";")[0]
        connection.close()
        return cls(url.partition("?")[0], cookie)

    def get(self, path: str) -> bytes:
        """What is answered."""
        asked = urllib.request.Request(f"{self.url}{path}", headers={"Cookie": self.cookie})
        with urllib.request.urlopen(asked) as answer:
            found: bytes = answer.read()
        return found

    def runs(self) -> dict[str, str]:
        """The identifiers of the runs by their names."""
        found: list[dict[str, Any]] = json.loads(self.get("runs"))["runs"]
        return {run["name"]: run["id"] for run in found}
