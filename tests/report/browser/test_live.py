"""The live page in a real browser, while a process writes."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paramedic.trace import Writer
from tests.report.browser.conftest import Browser
from tests.report.live.asking import Client
from tests.report.live.conftest import Serve, running, stop
from tests.report.live.conftest import serve as strange_serve
from tests.report.live.traces import append, chart, hostile, note, recorded, writing

AXE = Path(__file__).with_name("axe.min.js")
STEP = "Number(document.documentElement.dataset.step)"
DRAWN = f"return {STEP} >= 0"
FOCUSED = (
    "const one = document.activeElement; return one.getAttribute('href') || one.id || one.tagName"
)

__all__ = ["running", "stop", "strange_serve"]  # fixtures


@pytest.fixture
def serve(browser: Browser, strange_serve: Serve) -> Serve:
    """Serves, and has the browser let in."""

    def start(*given: Path) -> Client:
        client = strange_serve(*given)
        browser.driver.get(client.new_url())
        browser.driver.get("about:blank")
        return client

    return start


def visit(browser: Browser, url: str, width: int = 1200, until: str = DRAWN) -> None:
    """Open a page of the server in a window of a width."""
    browser.driver.get("about:blank")
    browser.messages()
    browser.requests()
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.driver.get(url)
    browser.wait(until)


@pytest.fixture
def leaving(browser: Browser) -> Iterator[None]:
    """The page hangs up before its server is ended: it would complain of that."""
    yield
    browser.driver.get("about:blank")
    browser.messages()


@pytest.fixture
def process(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that appends to `run.db` until the test ends."""
    found = writing(tmp_path / "run.db")
    assert found.stdout is not None
    found.stdout.readline()
    yield found
    found.kill()
    found.wait()
    found.stdout.close()


def address(client: Any) -> str:
    return f"{client.url}run/{client.run()}"


@pytest.mark.usefixtures("process", "leaving")
def test_the_page_moves_while_a_process_writes(
    browser: Browser, serve: Serve, tmp_path: Path
) -> None:
    client = serve(tmp_path)
    visit(browser, address(client))
    first = browser.run(f"return {STEP}")
    picture = "document.querySelector('[data-panel] canvas').toDataURL()"
    browser.run(f"window.before = {picture}")
    browser.wait(f"return {STEP} > {first} + 60 && {picture} !== window.before")
    assert browser.run("return document.querySelector('#state').textContent").startswith("Running")
    assert browser.run("return document.querySelector('#connection').textContent") == "Live"
    assert browser.messages() == []
    assert all(url.startswith((client.url, "data:")) for url in browser.requests())


@pytest.mark.usefixtures("leaving")
def test_what_is_found_appears_and_what_is_unfolded_stays(
    browser: Browser, serve: Serve, tmp_path: Path
) -> None:
    writer = Writer(tmp_path / "run.db")
    writer.chart(chart())
    append(writer, 0, 50)
    visit(browser, address(serve(tmp_path)))
    assert "Not judged yet" in browser.find("h1").text
    note(writer, ended=False)
    browser.wait("return document.querySelector('.hero.is-critical')")
    assert browser.find("h1").text.startswith("Not learning so far")
    assert "vanishing gradient" in browser.find(".hero .detail").text.lower()
    summary = browser.find(".card > summary")
    browser.run("arguments[0].parentElement.open = false; arguments[0].focus()", summary)
    append(writer, 50, 100)
    browser.wait(f"return {STEP} === 99")
    assert not browser.run("return document.querySelector('.card').open")
    assert browser.run(
        "return document.activeElement === document.querySelector('.card > summary')"
    )
    writer.close()
    assert browser.messages() == []


@pytest.mark.usefixtures("leaving")
def test_a_cell_that_is_read_stays_when_the_map_grows(
    browser: Browser, serve: Serve, tmp_path: Path
) -> None:
    from selenium.webdriver import Keys

    writer = Writer(tmp_path / "run.db")
    writer.chart(chart())
    append(writer, 0, 50)
    visit(browser, address(serve(tmp_path)))
    heat = browser.find("[data-map='0']")
    heat.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
    read = "return document.querySelector('.readout').textContent"
    told = browser.run(read)
    assert told.startswith("body (Linear), step")
    append(writer, 50, 100)
    browser.wait(f"return {STEP} === 99")
    writer.close()
    assert browser.run(read) == told


@pytest.mark.usefixtures("leaving")
def test_what_is_out_of_sight_is_drawn_when_it_comes_into_sight(
    browser: Browser, serve: Serve, tmp_path: Path
) -> None:
    writer = Writer(tmp_path / "run.db")
    writer.chart(chart())
    append(writer, 0, 50)
    visit(browser, address(serve(tmp_path)))
    drawn = "document.querySelector('[data-map] canvas').toDataURL()"
    browser.run(
        "scrollTo({top: 0, behavior: 'instant'}); document.body.style.paddingTop = '3000px'"
    )
    browser.run("return new Promise((done) => setTimeout(done, 300))")
    browser.run(f"window.before = {drawn}")
    append(writer, 50, 100)
    browser.wait(f"return {STEP} === 99")
    writer.close()
    assert browser.run(f"return {drawn} === window.before")
    browser.run("document.querySelector('[data-map]').scrollIntoView({behavior: 'instant'})")
    browser.wait(f"return {drawn} !== window.before")


@pytest.mark.usefixtures("leaving")
def test_the_list_leads_to_runs_by_keys_alone(
    browser: Browser, serve: Serve, tmp_path: Path
) -> None:
    from selenium.webdriver import ActionChains, Keys

    recorded(tmp_path / "sick.db")
    client = serve(tmp_path)
    visit(browser, client.url, until="return document.querySelector('.line')")
    press = ActionChains(browser.driver)
    seen = []
    for _ in range(8):
        press.send_keys(Keys.TAB).perform()
        seen.append(browser.run(FOCUSED))
        if str(seen[-1]).startswith("/run/"):
            break
    assert seen[0] == "#main"
    assert "filter" in seen
    press.send_keys(Keys.ENTER).perform()
    browser.wait(DRAWN)
    assert browser.driver.current_url.endswith(seen[-1])
    assert browser.find("h1").text.startswith("Not learning:")


@pytest.mark.usefixtures("leaving")
def test_the_list_fills_and_filters(browser: Browser, serve: Serve, tmp_path: Path) -> None:
    client = serve(tmp_path)
    visit(browser, client.url, until="return !document.querySelector('#nothing').hidden")
    assert "No run yet" in browser.find("#nothing-words").text
    recorded(tmp_path / "one.db")
    recorded(tmp_path / "two.db")
    browser.wait("return document.querySelectorAll('.line[data-state=ended]').length === 2")
    assert browser.run("return document.querySelectorAll('.line svg polyline').length") == 2
    browser.find("#filter").send_keys("two")
    (only,) = browser.driver.find_elements("css selector", ".line .name")
    assert only.text == "two.db"
    assert browser.messages() == []
    assert all(url.startswith((client.url, "data:")) for url in browser.requests())


@pytest.mark.usefixtures("leaving")
@pytest.mark.parametrize("page", ["list", "run"])
def test_hostile_content_is_text(browser: Browser, serve: Serve, tmp_path: Path, page: str) -> None:
    hostile(tmp_path / "<img src=x onerror=alert(1)>.db")
    client = serve(tmp_path)
    if page == "list":
        visit(browser, client.url, until="return document.querySelector('.line[data-state=ended]')")
    else:
        visit(browser, address(client))
    assert browser.run("return document.querySelectorAll('img[src=x], #main script').length") == 0
    assert "owned" not in browser.driver.title
    assert "<img src=x" in browser.find("#main").text
    assert browser.messages() == []


@pytest.mark.usefixtures("leaving")
@pytest.mark.parametrize("page", ["list", "run"])
def test_a_narrow_screen_does_not_scroll_sideways(
    browser: Browser, serve: Serve, tmp_path: Path, page: str
) -> None:
    recorded(tmp_path / f"{'a-very-long-name' * 10}.db")
    recorded(tmp_path / "short.db")
    (tmp_path / "damaged.db").write_bytes(b"nothing of ours" * 100)
    client = serve(tmp_path)
    listed = "return document.querySelectorAll('.line[data-state=ended]').length === 2"
    visit(browser, client.url, 375, until=listed)
    if page == "run":
        visit(browser, browser.find(".line[data-state=ended] a").get_attribute("href"), 375)
        browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert browser.run("return document.documentElement.scrollWidth") <= 375


@pytest.mark.usefixtures("leaving")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", ["list", "run"])
def test_nobody_is_shut_out(
    browser: Browser, serve: Serve, tmp_path: Path, page: str, scheme: str
) -> None:
    """axe-core finds no serious violation, contrast included."""
    recorded(tmp_path / "run.db")
    (tmp_path / "damaged.db").write_bytes(b"nothing of ours" * 100)
    client = serve(tmp_path)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    visit(browser, client.url, until="return document.querySelector('.line[data-state=ended]')")
    if page == "run":
        visit(browser, browser.find(".line[data-state=ended] a").get_attribute("href"))
        browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    browser.run(AXE.read_text(encoding="utf-8"))
    found = browser.driver.execute_async_script(
        "const done = arguments[0];"
        "axe.run().then((found) => done(found.violations), (error) => done(String(error)))"
    )
    assert not isinstance(found, str), found
    grave = [one for one in found if one["impact"] in ("serious", "critical")]
    assert [(one["id"], one["nodes"][0]["html"][:200]) for one in grave] == []


def test_a_server_that_ends_is_told(
    browser: Browser, serve: Serve, tmp_path: Path, stop: Any
) -> None:
    recorded(tmp_path / "run.db")
    visit(browser, address(serve(tmp_path)))
    stop()
    browser.wait("return document.querySelector('#connection').dataset.state === 'lost'")
    # What was shown stays: the verdict first, then what may be its cause.
    assert browser.find("h1").text.startswith("Not learning: ")
    detail = browser.find(".hero .detail").text
    assert detail.startswith("Most likely cause (not proven): vanishing gradient")
    browser.driver.get("about:blank")
    browser.messages()


@pytest.mark.usefixtures("leaving")
def test_a_token_opens_the_page_and_leaves_the_address(
    browser: Browser, strange_serve: Serve, tmp_path: Path
) -> None:
    recorded(tmp_path / "run.db")
    client = strange_serve(tmp_path)
    visit(browser, client.url, until="return document.body")
    assert "A token is needed" in browser.find("body").text
    browser.messages()
    url = client.new_url()
    listed = "return document.querySelector('.line[data-state=ended]')"
    visit(browser, url, until=listed)
    assert browser.driver.current_url == client.url
    browser.driver.refresh()
    browser.wait(listed)
    visit(browser, url, until=listed)  # from a bookmark
    assert browser.driver.current_url == client.url
    assert browser.messages() == []
    browser.driver.delete_all_cookies()
    visit(browser, url, until="return document.body")  # somebody else
    assert "A token is needed" in browser.find("body").text
    browser.messages()


@pytest.mark.usefixtures("leaving")
def test_a_link_of_another_site_opens_the_page(
    browser: Browser, strange_serve: Serve, tmp_path: Path
) -> None:
    """A chat, say: such a link comes without our cookie, even with that which it has just set."""
    recorded(tmp_path / "run.db")
    client = strange_serve(tmp_path)
    listed = "return document.querySelector('.line[data-state=ended]')"
    for target in (client.new_url(), client.url):
        browser.open(
            f'<html data-ready="true"><a href="{target}">runs</a></html>', site="localhost"
        )
        browser.find("a").click()
        browser.wait(listed)
        assert browser.driver.current_url == client.url
    browser.driver.delete_all_cookies()
    browser.open(f'<html data-ready="true"><a href="{client.url}">runs</a>', site="localhost")
    browser.find("a").click()
    browser.wait("return document.body && document.body.textContent.includes('A token is needed')")
    browser.messages()


@pytest.mark.usefixtures("leaving")
def test_a_server_that_was_started_anew_says_so(
    browser: Browser, serve: Serve, tmp_path: Path
) -> None:
    recorded(tmp_path / "run.db")
    client = serve(tmp_path)
    visit(browser, address(client))
    browser.driver.delete_all_cookies()  # what it has is not what a new server would have given
    said = "return document.querySelector('#connection').textContent"
    browser.run("document.dispatchEvent(new Event('visibilitychange'))")
    assert browser.run(said) == "Live"
    browser.run(
        "window.dispatchEvent(new Event('pagehide')); window.dispatchEvent(new Event('pageshow'))"
    )
    browser.wait("return document.querySelector('#connection').dataset.state === 'shut'")
    assert "started anew" in browser.run(said)
    assert browser.find("h1").text.startswith("Not learning")  # what was shown stays
    browser.driver.get(client.new_url())  # another tab, say
    visit(browser, address(client))
    assert browser.run(said) == "Live"
