"""One headless Chromium for all tests, and pages served from this machine."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from paramedic.report.html import write
from paramedic.report.view.page import PageView

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser; tests are skipped where it is not there."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs the extra `test`")
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("needs Debian's packages chromium and chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    browser.set_page_load_timeout(60)
    yield browser
    browser.quit()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A folder, and the address where it is served."""
    folder = tmp_path_factory.mktemp("site")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


class Browser:
    """A page in the browser, and what came of it."""

    def __init__(self, driver: Any, folder: Path, address: str) -> None:
        self.driver, self._folder, self._address = driver, folder, address

    def open(
        self,
        page: PageView | str,
        width: int = 1200,
        scheme: str = "light",
        site: str = "127.0.0.1",
    ) -> None:
        """Show a page, drawn to its end, in a window of a width and a colour scheme."""
        file = self._folder / "page.html"
        if isinstance(page, str):
            file.write_bytes(page.encode())
        else:
            write(page, file)
        self.driver.get("about:blank")
        self._forget()
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self._tell("Emulation.setDeviceMetricsOverride", size)
        wishes = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
        features = [{"name": name, "value": value} for name, value in wishes.items()]
        self._tell("Emulation.setEmulatedMedia", {"features": features})
        self.driver.get(f"{self._address}/page.html".replace("127.0.0.1", site))
        self.wait("return document.documentElement.dataset.ready === 'true'")

    def wait(self, script: str) -> Any:
        """Until a script gives something true."""
        from selenium.webdriver.support.ui import WebDriverWait

        return WebDriverWait(self.driver, 30).until(lambda one: one.execute_script(script))

    def find(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def run(self, script: str, *values: object) -> Any:
        return self.driver.execute_script(script, *values)

    def permit(self, *permissions: str) -> None:
        self._tell("Browser.grantPermissions", {"permissions": list(permissions)})

    def messages(self) -> list[str]:
        """What the console said since the page was opened: errors and breaches of its policy."""
        return [one["message"] for one in self.driver.get_log("browser")]

    def requests(self) -> set[str]:
        """Addresses that were asked for since the page was opened."""
        told = [json.loads(one["message"])["message"] for one in self.driver.get_log("performance")]
        sent = [one["params"] for one in told if one["method"] == "Network.requestWillBeSent"]
        return {one["request"]["url"] for one in sent}

    def _forget(self) -> None:
        self.driver.get_log("browser")
        self.driver.get_log("performance")

    def _tell(self, command: str, values: dict[str, Any]) -> None:
        self.driver.execute_cdp_cmd(command, values)


@pytest.fixture
def browser(chromium: Any, site: tuple[Path, str]) -> Browser:
    return Browser(chromium, *site)
