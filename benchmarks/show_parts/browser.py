"""A headless Chromium with a stopwatch inside the page."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from selenium import webdriver

from show_parts.entry import Entry

# Notes when the page has drawn a message (`data-step` or `data-ready` of the root element), after
# the frame in which that became visible.
_STOPWATCH = """
window.noted = [];
const note = () => {
  const { step, ready, version } = document.documentElement.dataset;
  requestAnimationFrame(() => setTimeout(() => {
    const clock = Date.now() / 1000, at = performance.now();
    window.noted.push({ step: Number(step), ready, version, clock, at });
  }));
};
new MutationObserver(note).observe(document, {
  subtree: true, attributes: true, attributeFilter: ["data-step", "data-ready", "data-version"],
});
"""
_PAINT = """
const entry = performance.getEntriesByName("first-contentful-paint")[0];
return entry ? entry.startTime / 1000 : null;
"""


@dataclass(frozen=True, slots=True)
class Opened:
    """Seconds from the start of the navigation."""

    paint: float  # until something was on the screen
    drawn: float  # until what was asked for was drawn


class Chromium:
    """A context manager."""

    def __enter__(self) -> Self:
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
            options.add_argument(argument)
        options.add_argument("--window-size=1280,900")
        self._driver = webdriver.Chrome(
            options=options, service=webdriver.ChromeService("/usr/bin/chromedriver")
        )
        source = {"source": _STOPWATCH}
        self._driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", source)
        return self

    def __exit__(self, *_: object) -> None:
        self._driver.quit()

    def enter(self, entry: Entry) -> None:
        """Take the cookie of somebody who was let in."""
        name, _, value = entry.cookie.partition("=")
        cookie = {"name": name, "value": value, "url": entry.url, "sameSite": "Strict"}
        self._driver.execute_cdp_cmd("Network.setCookie", {**cookie, "httpOnly": True})

    def open(self, url: str, until: str) -> Opened:
        """Open a page in an empty window and wait until a script says yes."""
        self._driver.get("about:blank")
        self._driver.get(url)
        self.wait(until)
        self.wait("return window.noted.length > 0")
        paint = self.wait(_PAINT)
        return Opened(paint, self.noted()[0]["at"] / 1000)

    def wait(self, script: str, seconds: float = 60.0) -> Any:
        """What a script gives, once that is something."""
        end = time.monotonic() + seconds
        while not (found := self._driver.execute_script(script)):
            if time.monotonic() > end:
                raise TimeoutError(f"waited {seconds:.0f} s in vain for: {script}")
            time.sleep(0.01)
        return found

    def noted(self) -> list[dict[str, Any]]:
        """When the page has drawn something, the first first."""
        found: list[dict[str, Any]] = self._driver.execute_script("return window.noted")
        return found


def median(values: Sequence[float]) -> float:
    """Rounded to a tenth of a millisecond."""
    return round(statistics.median(values), 4)
