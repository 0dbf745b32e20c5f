"""What the runs say, counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from paramedic.inject.discovery import choose

from .plan import SOON

CLOSE = 1.02  # of the final validation loss of the run without a fault
FAILED = ("not learning", "diverged")
Row = dict[str, Any]


def of_part(rows: Iterable[Row], part: str) -> list[Row]:
    """The rows of one part of the page."""
    return [row for row in rows if row["task"]["part"] == part]


def label(row: Row, name: str) -> Any:
    """What a run is called in the tables."""
    return row["task"]["labels"][name]


def chosen(rows: Iterable[Row], mode: str | None = None, **labels: Any) -> list[Row]:
    """The rows with these labels, and of this way of looking."""
    return [
        row
        for row in rows
        if mode in (None, row["task"]["mode"])
        and all(label(row, name) == value for name, value in labels.items())
    ]


def is_found(row: Row) -> bool:
    """Whether an injection was found by its name, soon enough."""
    return row["delay"] is not None and row["delay"] <= SOON


def is_named(row: Row) -> bool:
    """Whether the root of the diagnosis, in the end, is the fault."""
    return bool(row["root"] == label(row, "fault"))


def is_silent(row: Row) -> bool:
    """Whether a run in which nothing is wrong was left in peace while it went on, and is not said
    to fail at its end."""
    return not warnings(row) and row["verdict"] not in FAILED


def warnings(row: Row) -> list[str]:
    """What a user was told while a run went on."""
    return [slug for step, slug in row["warnings"] if step < _last(row)]


def findings(row: Row) -> list[str]:
    """What was found while a run went on, and treatment would act on, told or not."""
    return [slug for step, slug in row["found"] if step < _last(row)]


def found_at_the_end(row: Row) -> list[str]:
    """What was found when it was over, or with its last step."""
    return [slug for step, slug in row["found"] if step >= _last(row)]


def _last(row: Row) -> int:
    steps: int = row["task"]["patient"]["steps"]
    return steps - 1


def is_one_event(row: Row) -> bool:
    """Whether both faults were in one emergency: by their names, or by what they bring about."""
    wanted = [_accepted(shot["fault"]) for shot in row["task"]["shots"]]
    return any(_both(set(one["problems"]), wanted) for one in row["emergencies"])


def _both(problems: set[str], wanted: Sequence[frozenset[str]]) -> bool:
    first, second = (problems & names for names in wanted)
    return bool(first and second and len(first | second) > 1)


def _accepted(fault: str) -> frozenset[str]:
    found = choose([fault], {})[0]
    return found.neighbours | {found.wakes}


def is_close(row: Row, which: str = "treated") -> bool:
    """Whether the run ended within 2 % of the run without a fault, or better."""
    return row[which] is not None and row[which] <= CLOSE * row["clean"]


def interventions(row: Row) -> list[list[Any]]:
    """What was really done."""
    return [one for one in row["interventions"] if one[3] == "applied" and one[1] != "undo"]


def is_resolved(row: Row) -> bool:
    """Whether the first intervention since the faults, if one was needed, was enough: nothing
    else was done after it for another reason, and the run ended as well as without the faults."""
    began = row["task"]["labels"].get("at", 0)
    done = [one for one in interventions(row) if one[0] >= began]
    first = {(action, cause) for step, action, cause, _ in done if step == done[0][0]}
    others = [one for one in done if (one[1], one[2]) not in first]
    return is_close(row) and not others


def share(rows: Sequence[Row], test: Any) -> str:
    """`12 of 12`, or a dash."""
    return f"{sum(map(test, rows))} of {len(rows)}" if rows else "–"


def ratio(row: Row, which: str) -> float | None:
    """A final loss against that of the run without a fault; None if it is not finite."""
    return None if row[which] is None else row[which] / row["clean"]
