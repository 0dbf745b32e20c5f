"""What runs in the sandbox: the patched program, watched, and what was seen of it as JSON.

It is what `paramedic run` does, without a command line; and the losses are told as well. As there,
neither torch nor numpy is imported before the program does it.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from paramedic.run.crier import Crier
from paramedic.run.program import Program
from paramedic.run.running import watched
from paramedic.run.settings import Settings

if TYPE_CHECKING:
    from paramedic.run.fix.course import Course
    from paramedic.run.outcome import Outcome

REPORT = "tried.json"
_TRACE = "run.db"


@dataclass(frozen=True, slots=True)
class Report:
    """The course of the first training, and the slugs of what any of them may suffer from."""

    course: Course
    slugs: tuple[str, ...]


def command(program: Program, private: Path, steps: int | None) -> list[str]:
    """What to run; it leaves `REPORT` in the folder `private`."""
    told = {"module": program.is_module, "private": str(private), "steps": steps}
    us = [sys.executable, "-m", "paramedic.run.fix.tried", json.dumps(told)]
    return [*us, program.target, *program.arguments]


def read(text: bytes) -> Report:
    """What was left."""
    from paramedic.run.fix.course import Course
    from paramedic.types import Epoch

    found = json.loads(text)
    epochs = tuple(Epoch(*one) for one in found["epochs"])
    return Report(Course(found["losses"], epochs), tuple(found["slugs"]))


def main() -> int:
    """Run it to its end, or for so many steps; gives the exit code of the program."""
    told, target, *arguments = json.loads(sys.argv[1]), *sys.argv[2:]
    private = Path(told["private"])
    settings = Settings(max_steps=told["steps"], trace=private / _TRACE)
    program = Program(target, tuple(arguments), is_module=told["module"])
    outcome, ending = watched(program, settings, Crier(quiet=True))
    (private / REPORT).write_text(_report(outcome), encoding="utf-8")
    return ending.code


def _report(outcome: Outcome) -> str:
    from paramedic.run.fix.course import Course, course_of_record

    trainings = outcome.to_json()["trainings"]
    slugs = [
        finding["slug"]
        for training in trainings
        for finding in training["findings"]
        if finding["severity_if_cause"] != "info"
    ]
    first = [one for one in outcome.records if one.trace is not None and one.trace.name == _TRACE]
    course = course_of_record(first[0]) if first else Course()
    epochs = [(one.epoch, one.step, dict(one.values)) for one in course.epochs]
    return json.dumps({"losses": list(course.losses), "epochs": epochs, "slugs": slugs})


if __name__ == "__main__":
    sys.exit(main())
