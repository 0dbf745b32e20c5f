"""The page in a real browser: it loads, shows, can be read and used by everybody."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from paramedic.report.view.heal import heal_view
from paramedic.report.view.page import PageView
from tests.report.browser.conftest import Browser
from tests.report.made import CODE, sick_run
from tests.report.test_html import HOSTILE, STUDY, hostile_page
from tests.report.view.test_heal import OUTCOME

ONE = PageView("run.db", (sick_run(),))
ALL = PageView("all", (sick_run(), sick_run(name="b.db")), (heal_view(OUTCOME),), (STUDY,))
AXE = Path(__file__).with_name("axe.min.js")
HEAT = "[data-map='0']"
READOUT = "return document.querySelector('.readout').textContent"


@pytest.mark.parametrize("page", [ONE, ALL], ids=["one", "all"])
def test_it_loads_alone_and_without_complaint(browser: Browser, page: PageView) -> None:
    browser.open(page)
    browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    browser.wait("return document.querySelectorAll('.chart .uplot').length === "
                 "document.querySelectorAll('.chart').length")  # fmt: skip
    assert browser.messages() == []
    asked = {one for one in browser.requests() if not one.startswith("data:")}
    assert len(asked) == 1
    assert asked.pop().endswith("/page.html")


def test_pointing_at_a_cell_tells_its_value(browser: Browser) -> None:
    from selenium.webdriver import ActionChains

    browser.open(ONE)
    canvas = browser.find(f"{HEAT} canvas")
    browser.run("arguments[0].scrollIntoView({block: 'center'})", canvas)
    size = browser.run("return [arguments[0].clientWidth, arguments[0].clientHeight]", canvas)
    # The last column of the second of three rows, which are 22 pixels high.
    right, down = size[0] / 2 - 5, 18 + 1.5 * 22 - size[1] / 2
    ActionChains(browser.driver).move_to_element_with_offset(canvas, right, down).perform()
    assert browser.run(READOUT) == "body.1 (Linear), step 99: 1"
    ActionChains(browser.driver).move_to_element_with_offset(canvas, right, down + 22).perform()
    assert browser.run(READOUT) == "body.2 (Linear), step 99: 0.1"


def test_arrow_keys_tell_values_too(browser: Browser) -> None:
    from selenium.webdriver import Keys

    browser.open(ONE)
    heat = browser.find(HEAT)
    heat.send_keys(Keys.ARROW_RIGHT)
    assert browser.run(READOUT) == "body.0 (Linear), step 0: 0.1"
    heat.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
    assert browser.run(READOUT) == "body.1 (Linear), step 1: 0.02"
    heat.send_keys(Keys.END)
    assert browser.run(READOUT) == "body.1 (Linear), step 99: 1"
    heat.send_keys(Keys.ESCAPE)
    assert browser.run(READOUT) == ""
    chart = browser.find("[data-panel='0']")
    chart.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    legend = browser.run("return document.querySelector('.u-legend').textContent")
    assert legend.startswith("step1loss1.99")


def test_everything_is_reached_by_keys_alone(browser: Browser) -> None:
    from selenium.webdriver import ActionChains, Keys

    browser.open(ONE)
    described = (
        "const one = document.activeElement;"
        "return one.matches('summary') ? one.parentElement.className.split(' ')[0]"
        " : one.className || Object.keys(one.dataset)[0] || one.tagName"
    )
    seen = []
    for _ in range(60):
        ActionChains(browser.driver).send_keys(Keys.TAB).perform()
        seen.append(browser.run(described))
        if seen[-1] == "note":
            break
    assert seen[0] == "skip"
    assert {"themeToggle", "chart", "heat", "card", "copy", "note"} <= set(seen)
    closed = browser.find(".card:not([open]) > summary")
    closed.send_keys(Keys.ENTER)
    assert browser.run("return arguments[0].parentElement.open", closed)


def test_a_card_opens_and_its_code_is_copied(browser: Browser) -> None:
    browser.open(ONE)
    browser.permit("clipboardReadWrite", "clipboardSanitizedWrite")
    card = browser.find("#run-0-card-1")
    summary = card.find_element("css selector", "summary")
    summary.click()
    assert not card.get_property("open")
    summary.click()
    assert card.get_property("open")
    button = card.find_element("css selector", "button[data-copy]")
    browser.run("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()
    browser.wait("return document.querySelector('#run-0-card-1 button').textContent === 'Copied'")
    text = browser.driver.execute_async_script(
        "navigator.clipboard.readText().then(arguments[0], (error) => arguments[0](String(error)))"
    )
    assert text == CODE


def test_a_link_of_the_chain_opens_its_card(browser: Browser) -> None:
    browser.open(ONE)
    assert not browser.find("#run-0-card-2").get_property("open")
    browser.run("document.querySelector('.chain a[href=\"#run-0-card-2\"]').click()")
    assert browser.find("#run-0-card-2").get_property("open")


@pytest.mark.parametrize("page", [ONE, ALL, hostile_page(HOSTILE[-1])], ids=["one", "all", "long"])
def test_a_narrow_screen_does_not_scroll_sideways(browser: Browser, page: Any) -> None:
    browser.open(page, width=375)
    browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert browser.run("return document.documentElement.scrollWidth") <= 375


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nobody_is_shut_out(browser: Browser, scheme: str) -> None:
    """axe-core finds no serious violation, contrast included, with everything unfolded."""
    browser.open(ALL, scheme=scheme)
    browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    browser.run(AXE.read_text(encoding="utf-8"))
    found = browser.driver.execute_async_script(
        "const done = arguments[0];"
        "axe.run().then((found) => done(found.violations), (error) => done(String(error)))"
    )
    assert not isinstance(found, str), found
    serious = [
        (one["id"], one["nodes"][0]["html"][:200], one["nodes"][0]["failureSummary"])
        for one in found
        if one["impact"] in ("serious", "critical")
    ]
    assert serious == []


def test_light_and_dark(browser: Browser) -> None:
    browser.open(ONE, scheme="dark")
    colour = "return getComputedStyle(document.body).backgroundColor"
    dark = browser.run(colour)
    browser.find("[data-theme-toggle]").click()
    assert browser.run(colour) != dark
    assert browser.messages() == []
    browser.run("localStorage.clear()")


@pytest.mark.parametrize("words", HOSTILE[:6])
def test_hostile_text_does_nothing(browser: Browser, words: str) -> None:
    browser.open(hostile_page(words))
    assert browser.messages() == []
    assert browser.run("return document.querySelectorAll('img').length") == 0
    assert {one for one in browser.requests() if one.startswith("http")} == {
        browser.driver.current_url
    }


def test_everything_is_printed_on_white(browser: Browser) -> None:
    browser.open(ONE, scheme="dark")
    state = (
        "return [document.querySelectorAll('details:not([open])').length,"
        " document.documentElement.dataset.theme || '']"
    )
    before = browser.run(state)
    browser.run("dispatchEvent(new Event('beforeprint'))")
    assert browser.run(state) == [0, "light"]
    browser.run("dispatchEvent(new Event('afterprint'))")
    assert browser.run(state) == before
    assert before[0] > 0
