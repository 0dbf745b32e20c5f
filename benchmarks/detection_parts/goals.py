"""The goals, and whether the runs meet them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from paramedic.diagnose.rules import DEFAULT

from .counting import by_family, calm, tally
from .naming import FAMILIES
from .runs import Judged, of_half

MET, MISSED = "met", "missed"
PARTIAL, UNKNOWN = "not judged: only some of the runs", "not measured"
ALL = (MET, MISSED, PARTIAL, UNKNOWN)
JUDGING, TUNING = "judging", "tuning"
RECALL, NAMED = 0.98, 0.95
DELAY = 0.10  # of the planned steps
PROMPT = ("G", "A", "N", "O", "D")  # families that can be seen early
SPEED = 20_000  # frames per second


@dataclass(frozen=True, slots=True)
class Verdict:
    """One goal: what was asked, what was seen."""

    goal: str
    where: str
    limit: str
    seen: str
    verdict: str


def verdicts(results: dict[str, Any], judged: list[Judged]) -> list[Verdict]:
    """Every goal with its verdict."""
    half = of_half(judged, JUDGING)
    partial = len(half) < results["expected"].get(JUDGING, 1)
    return [
        *_shares(half, partial),
        _false_alarms(half, of_half(judged, TUNING), partial),
        *_delays(half, partial),
        _speed(results.get("speed")),
    ]


def _judge(met: bool, partial: bool) -> str:
    return PARTIAL if partial else MET if met else MISSED


def _shares(half: list[Judged], partial: bool) -> list[Verdict]:
    counted = tally(half, DEFAULT)
    found = []
    for goal, count, limit in (
        ("sick runs in which anything is found", counted.noticed, RECALL),
        ("sick runs with the right name first", counted.named, NAMED),
    ):
        if not counted.runs:
            found.append(Verdict(goal, "judging half", f"≥ {limit:.2f}", "–", UNKNOWN))
            continue
        share = count / counted.runs
        seen = f"{share:.3f} ({count} of {counted.runs})"
        verdict = _judge(share >= limit, partial)
        found.append(Verdict(goal, "judging half", f"≥ {limit:.2f}", seen, verdict))
    return found


def _false_alarms(half: list[Judged], other: list[Judged], partial: bool) -> Verdict:
    goal = "healthy runs with a warning or worse"
    seen, beside = calm(half, DEFAULT), calm(other, DEFAULT)
    if not seen.runs:
        return Verdict(goal, "judging half", "0", "–", UNKNOWN)
    where = f"all {seen.runs} healthy runs of the judging half"
    text = f"{seen.alarmed} of {seen.runs}"
    if beside.runs:
        text += f" (tuning half: {beside.alarmed} of {beside.runs})"
    return Verdict(goal, where, "0", text, _judge(seen.alarmed == 0, partial))


def _delays(half: list[Judged], partial: bool) -> list[Verdict]:
    groups, found = by_family(half), []
    for letter in PROMPT:
        goal = f"median delay, {letter} ({FAMILIES[letter]})"
        counted = tally(groups.get(letter, []), DEFAULT)
        where, limit = "judging half", f"≤ {DELAY:.2f} of the run"
        if counted.delay is None:
            found.append(Verdict(goal, where, limit, "–", UNKNOWN))
            continue
        seen = counted.delay
        text = f"{seen.middle:.3f} ({seen.lower:.3f}–{seen.upper:.3f})"
        found.append(Verdict(goal, where, limit, text, _judge(seen.middle <= DELAY, partial)))
    return found


def _speed(part: dict[str, Any] | None) -> Verdict:
    goal, limit = "frames judged per second, one core", f"≥ {SPEED:,}"
    if part is None:
        return Verdict(goal, "synthetic trace", limit, "–", UNKNOWN)
    rates = part["frames_per_second"]
    where = f"{part['frames']:,} frames, {part['layers']} layers"
    ours = max(part["frames_per_processor_second"])
    seen = f"{max(rates):,.0f}, the best of {len(rates)} ({ours:,.0f} by processor time)"
    return Verdict(goal, where, limit, seen, _judge(max(rates) >= SPEED, False))
