"""The page that is written of what was measured."""

from __future__ import annotations

from typing import Any

SIZE, PAINT, UPDATE = 400_000, 1.0, 0.2  # the goals: bytes, seconds, seconds


def render(found: dict[str, Any]) -> str:
    """Markdown."""
    parts = [
        "# What showing a run costs",
        "<!-- Written by `benchmarks/show.py`; edit that, not this. -->",
        *_goals(found),
        *_report(found.get("report")),
        *_live(found.get("live")),
        *_machine(found.get("machine"), found),
    ]
    return "\n\n".join(parts) + "\n"


def _goals(found: dict[str, Any]) -> list[str]:
    rows = []
    if report := found.get("report"):
        size = f"{report['steps']:,} steps, {report['layers']} layers"
        rows.append(_goal(f"size of the report, {size}", report["bytes"] / 1e3, SIZE / 1e3, "kB"))
    if live := found.get("live"):
        runs, update = f"{live['runs']} runs of {live['steps']:,} steps", live["update"]
        shown = "from the commit of steps until they are on the screen"
        rows += [
            _goal(f"first paint of the list, {runs}", live["list_cold"]["paint"], PAINT, "s"),
            _goal("first paint of a run", live["cold"]["paint"], PAINT, "s"),
            _goal("a run, all of it drawn", live["cold"]["drawn"], PAINT, "s"),
            _goal(f"{shown}, median of {update['count']}", update["median"], UPDATE, "s"),
            _goal(f"{shown}, worst", update["worst"], UPDATE, "s"),
        ]
    head = "| goal | limit | measured | verdict |\n| --- | --- | --- | --- |\n"
    return [head + "\n".join(rows)] if rows else []


def _goal(name: str, value: float, limit: float, unit: str) -> str:
    verdict = "met" if value <= limit else "missed"
    return f"| {name} | ≤ {limit:g} {unit} | {_number(value)} {unit} | **{verdict}** |"


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.2f}"


def _report(report: dict[str, Any] | None) -> list[str]:
    if report is None:
        return []
    drawn = max(report["drawn"], report["paint"])  # a frame is shown after it is drawn
    return [
        "## The report",
        f"A run of {report['steps']:,} steps with {report['layers']} layers, a look at every "
        "tenth step.",
        f"Reading, judging by a replay and writing takes {report['seconds']:.2f} s; the page has "
        f"{report['bytes'] / 1e3:.0f} kB, paints after {report['paint']:.2f} s and has drawn "
        f"everything after {drawn:.2f} s.",
    ]


def _live(live: dict[str, Any] | None) -> list[str]:
    if live is None:
        return []
    clients, update = live["clients"], live["update"]
    rows = [
        ("list, first visit", live["list_cold"]),
        ("list, again", live["list"]),
        ("a run, first visit", live["cold"]),
        ("a run, again", live["warm"]),
        (f"a run with {live['dense_looks']:,} full looks, first visit", live["dense_cold"]),
    ]
    table = "| page | first paint, s | all drawn, s |\n| --- | --- | --- |\n" + "\n".join(
        f"| {name} | {one['paint']:.2f} | {one['drawn']:.2f} |" for name, one in rows
    )
    return [
        "## The live page",
        f"{live['runs']} runs of {live['steps']:,} steps and {live['layers']} layers in one "
        f"folder, with {live['looks']:,} looks each ({live['megabytes']} MB), one of them with "
        f"{live['dense_looks']:,} full looks ({live['dense_megabytes']} MB). Chromium and server "
        "share the machine. Medians; the server is new at each first visit.",
        table,
        f"From the commit of the writer until the page has painted the new steps: median "
        f"{update['median'] * 1e3:.0f} ms, 90 % within {update['p90'] * 1e3:.0f} ms, worst of "
        f"{update['count']} {update['worst'] * 1e3:.0f} ms. An update takes "
        f"{update['server'] * 1e3:.0f} ms of a processor on the server (with its looks at the file "
        f"during a second) and has {live['bytes'] / 1e3:.0f} kB.",
        f"With {clients['count']} listeners at one run the first hears of a commit after "
        f"{clients['first'] * 1e3:.0f} ms and the last after {clients['last'] * 1e3:.0f} ms "
        f"(medians; worst {clients['worst'] * 1e3:.0f} ms). The server took at most "
        f"{live['memory']:.0f} MB.",
    ]


def _machine(machine: dict[str, Any] | None, found: dict[str, Any]) -> list[str]:
    if machine is None:
        return []
    packages = ", ".join(f"{name} {version}" for name, version in machine["packages"].items())
    loads = [found[part]["load"] for part in ("report", "live") if part in found]
    load = f" Load average at the end of the parts: {', '.join(f'{one:.1f}' for one in loads)}."
    if max(loads, default=0.0) > machine["cores"]:
        load += (
            " Other work kept the machine busy: what is measured by a clock here is more than what "
            "the pages need."
        )
    return [
        "## The machine",
        f"{machine['cores']} cores, {machine['processor']}, Python {machine['python']}, "
        f"{machine['chromium']}, {packages}.{load}",
    ]
