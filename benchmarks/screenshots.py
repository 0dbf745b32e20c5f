"""The pictures of the manual, taken of the real pages: `make screenshots`.

Runs the demo and a heal, opens their pages and the live page in headless Chromium, and writes
docs/screenshots/*.png. It needs the extra `live`, Selenium, and Debian's packages chromium and
chromium-driver.
"""

from __future__ import annotations

import base64
import contextlib
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.support.ui import WebDriverWait

from paramedic.report.live.serving import make, serve

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "screenshots"
# A report says when it is drawn, a live page which message it has drawn.
READY = "const { ready, version } = document.documentElement.dataset; return ready || version"
WIDE, NARROW = 1200, 375


def main() -> None:
    """Everything, one after the other."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name, _browser() as browser, contextlib.chdir(name):
        folder = Path()  # pages show the paths they were given
        _paramedic("demo", "--out", str(folder))
        heal = ("--out", str(folder / "heal"), "--html", str(folder / "heal.html"))
        _paramedic("heal", str(ROOT / "examples" / "sick_plan.py"), *heal)
        page = (folder / "report.html").resolve().as_uri()
        _take(browser, page, "report.png", height=1900)
        _take(browser, page, "report-dark.png", height=1000, scheme="dark")
        _take(browser, page, "report-narrow.png", width=NARROW, height=1000)
        _take(browser, (folder / "heal.html").resolve().as_uri(), "heal.png", height=1400)
        (folder / "run.db").rename(folder / "heal" / "run.db")
        server, bound, url = make([folder / "heal"], port=0)
        threading.Thread(target=serve, args=(server, bound), daemon=True).start()
        _take(browser, url, "live.png", height=700)
        server.should_exit = True


def _paramedic(*arguments: str) -> None:
    print("paramedic", *arguments[:1], flush=True)
    subprocess.run([sys.executable, "-m", "paramedic", *arguments], check=True)


def _browser() -> Any:
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    return webdriver.Chrome(
        options=options, service=webdriver.ChromeService("/usr/bin/chromedriver")
    )


def _take(
    browser: Any, url: str, name: str, *, width: int = WIDE, height: int, scheme: str = "light"
) -> None:
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    wish = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [wish]})
    browser.get(url)
    WebDriverWait(browser, 30).until(lambda one: one.execute_script(READY))
    data = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
    (PICTURES / name).write_bytes(base64.b64decode(data))
    print(f"wrote docs/screenshots/{name}", flush=True)


if __name__ == "__main__":
    main()
