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
WARNED = "healthy runs of which a user is warned"
TOLD = "sick runs with the right verdict"
CAUSED = "sick runs with the right cause first among faults and suspicions"
SUSPECTED = "healthy runs in which anything serious is found, told or not"
RECALL, NAMED, CAUSE, RIGHT = 0.98, 0.95, 0.95, 0.97
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
    """Every goal with its verdict; those on what is told come first, then those on evidence."""
    half, other = of_half(judged, JUDGING), of_half(judged, TUNING)
    partial = len(half) < results["expected"].get(JUDGING, 1)
    warned, suspected = _false_alarms(half, other, partial)
    told, found = _shares(half, partial)
    return [
        warned,
        *told,
        *found,
        suspected,
        *_delays(half, partial),
        _speed(results.get("speed")),
    ]


def shown(judged: list[Judged]) -> dict[str, dict[str, dict[str, int]]]:
    """By half: what is told of healthy and of sick runs, counted."""
    found = {}
    for half in (JUDGING, TUNING):
        runs = of_half(judged, half)
        counted, sound = tally(runs, DEFAULT), calm(runs, DEFAULT)
        if runs:
            found[half] = {
                WARNED: {"count": sound.alarmed, "of": sound.runs},
                TOLD: {"count": counted.told, "of": counted.runs},
                CAUSED: {"count": counted.caused, "of": counted.runs},
            }
    return found


def _judge(met: bool, partial: bool) -> str:
    return PARTIAL if partial else MET if met else MISSED


def _shares(half: list[Judged], partial: bool) -> tuple[list[Verdict], list[Verdict]]:
    """Of the sick runs, what is told and what is found."""
    counted = tally(half, DEFAULT)

    def verdict(goal: str, count: int, limit: float) -> Verdict:
        if not counted.runs:
            return Verdict(goal, "judging half", f"≥ {limit:.2f}", "–", UNKNOWN)
        share = count / counted.runs
        seen = f"{share:.3f} ({count} of {counted.runs})"
        return Verdict(
            goal, "judging half", f"≥ {limit:.2f}", seen, _judge(share >= limit, partial)
        )

    told = [
        verdict(TOLD, counted.told, RIGHT),
        verdict(CAUSED, counted.caused, CAUSE),
    ]
    found = [
        verdict("sick runs in which anything is found", counted.noticed, RECALL),
        verdict("sick runs with the right name first", counted.named, NAMED),
    ]
    return told, found


def _false_alarms(
    half: list[Judged], other: list[Judged], partial: bool
) -> tuple[Verdict, Verdict]:
    """Healthy runs of which a user is warned, and those in which something serious is found."""
    seen, beside = calm(half, DEFAULT), calm(other, DEFAULT)

    def verdict(goal: str, count: int, elsewhere: int) -> Verdict:
        if not seen.runs:
            return Verdict(goal, "judging half", "0", "–", UNKNOWN)
        where = f"all {seen.runs} healthy runs of the judging half"
        text = f"{count} of {seen.runs}"
        if beside.runs:
            text += f" (tuning half: {elsewhere} of {beside.runs})"
        return Verdict(goal, where, "0", text, _judge(count == 0, partial))

    return (
        verdict(WARNED, seen.alarmed, beside.alarmed),
        verdict(SUSPECTED, seen.suspected, beside.suspected),
    )


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
