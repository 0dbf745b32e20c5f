from __future__ import annotations

from pathlib import Path

from paramedic.diagnose.conclusion import Conclusion
from paramedic.diagnose.verdict import Assessment
from paramedic.run.keeping import Keeping
from paramedic.run.outcome import Record
from paramedic.run.places import Place
from paramedic.types import Verdict

FAILED = Conclusion(Assessment(Verdict.NOT_LEARNING, "the loss is no lower than at first"))


def _record(folder: Path, place: int, steps: int = 5, **more: object) -> Record:
    trace = folder / f"run-{place}.db"
    trace.touch()
    places = {"optimizer": Place("train.py", 7)}
    return Record("inner", steps, trace=trace, places=places, **more)  # type: ignore[arg-type]


def test_few_are_all_kept(tmp_path: Path) -> None:
    keeping = Keeping()
    for place in range(5):
        keeping.add(_record(tmp_path, place))
    assert len(keeping.records()) == 5
    assert keeping.rest() == ()


def test_of_many_the_first_the_gravest_and_the_longest_are_kept(tmp_path: Path) -> None:
    keeping = Keeping()
    for place in range(100):
        record = _record(tmp_path, place, steps=500 if place == 60 else 5)
        if place == 30:
            record = _record(tmp_path, place, conclusion=FAILED)
        keeping.add(record)
    kept = keeping.records()
    assert len(kept) == 5
    assert {"run-0.db", "run-30.db", "run-60.db"} <= {one.trace.name for one in kept if one.trace}
    assert len(list(tmp_path.iterdir())) == 5
    assert keeping.rest() == (
        "95 more trainings of inner (train.py:7), of 5 steps on average: none graver than those "
        "that are listed.",
    )


def test_other_kinds_are_kept_beside_them(tmp_path: Path) -> None:
    keeping = Keeping()
    for place in range(20):
        keeping.add(_record(tmp_path, place))
    keeping.add(Record("outer", 3))
    assert [one.name for one in keeping.records()] == ["inner"] * 5 + ["outer"]


def test_a_training_without_a_step_leaves_nothing(tmp_path: Path) -> None:
    keeping = Keeping()
    keeping.add(_record(tmp_path, 0, steps=0))
    assert not keeping
    assert list(tmp_path.iterdir()) == []
