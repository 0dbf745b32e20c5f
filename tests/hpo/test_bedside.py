from __future__ import annotations

import math
import time

import pytest

from paramedic.hpo.bedside import Bedside, Orders
from paramedic.hpo.judge import nobody
from paramedic.hpo.standing import Others
from paramedic.hpo.verdict import Decision, Verdict
from tests.hpo.trainings import nan_from, patient, train


class Broken(Exception):
    pass


def bedside(told: list[Verdict], **settings: object) -> tuple[Bedside, object, object]:
    model, optimizer = patient()
    orders = Orders(**settings)  # type: ignore[arg-type]
    watched = Bedside(
        model, optimizer, orders, peers=nobody, told=told.append, broken=lambda verdict: Broken()
    )
    return watched, model, optimizer


def test_a_fatal_finding_breaks_the_loop_and_is_told_once() -> None:
    told: list[Verdict] = []
    watched, model, optimizer = bedside(told)
    epochs = train(model, optimizer, 3, spoil=nan_from(3))  # type: ignore[arg-type]
    with pytest.raises(Broken):
        next(epochs)
    watched.close()
    assert [str(one) for one in told] == ["stop: non-finite"]
    assert watched.epochs == 0
    assert watched.should_stop
    assert not watched.finished


def test_closed_it_leaves_nothing_behind() -> None:
    watched, model, optimizer = bedside([])
    watched.close()
    watched.close()
    assert not optimizer._optimizer_step_post_hooks  # type: ignore[attr-defined]
    assert list(train(model, optimizer, 1, spoil=nan_from(0)))  # type: ignore[arg-type]
    assert watched.seconds == watched.seconds


def test_a_shadow_keeps_the_first_verdict_that_would_have_ended_the_trial() -> None:
    told: list[Verdict] = []
    watched, model, optimizer = bedside(told, shadow=True)
    for values in train(model, optimizer, 3, spoil=nan_from(3)):  # type: ignore[arg-type]
        assert not watched.epoch(**values).ends
    watched.close()
    assert watched.final.decision is Decision.STOP
    assert watched.final.epoch == 0
    assert all(one == watched.final for one in told)


@pytest.mark.parametrize(
    ("settings", "values", "best"),
    [
        ({}, [{"val_loss": 2.0}, {"val_loss": 1.0}, {"val_loss": 3.0}], 1.0),
        ({}, [{"val_loss": 2.0}, {"val_loss": math.nan}], 2.0),
        ({"direction": "maximize"}, [{"val_acc": 0.2, "val_loss": 1.0}], -0.2),
        ({"metric": "f1", "direction": "maximize"}, [{"f1": 0.5, "val_acc": 0.9}], -0.5),
        ({}, [{"temperature": 3.0}], math.nan),
    ],
)
def test_the_best_value_so_far(
    settings: dict[str, object], values: list[dict[str, float]], best: float
) -> None:
    watched, _, _ = bedside([], **settings)
    for one in values:
        watched.epoch(**one)
    watched.close()
    assert watched.visits[-1].value == pytest.approx(best, nan_ok=True)


def test_epochs_are_counted_and_findings_can_be_asked_for() -> None:
    watched, model, optimizer = bedside([], rules=["N001"])
    for values in train(model, optimizer, 2):  # type: ignore[arg-type]
        watched.step(values["train_loss"])
        watched.epoch(**values)
    assert watched.epochs == 2
    assert watched.findings == ()
    watched.close()


def test_who_does_not_tell_the_loss_in_training_is_compared_by_what_was_seen() -> None:
    watched, model, optimizer = bedside([])
    seen = []
    for values in train(model, optimizer, 3):  # type: ignore[arg-type]
        seen.append(values.pop("train_loss"))
        watched.epoch(**values)
    watched.close()
    assert watched.losses["train_loss"] == pytest.approx(seen, rel=1e-5)
    assert all(map(math.isnan, watched.losses["val_loss"]))  # it is judged by that


def test_what_judging_takes_is_paid_for_by_looking_later() -> None:
    """To read the other trials may take long, of a large study or over a network."""

    def peers() -> Others:
        time.sleep(0.2)
        return nobody()

    model, optimizer = patient()
    watched = Bedside(
        model, optimizer, Orders(overhead=0.5), peers=peers, told=lambda _: None, broken=Broken
    )
    for values in train(model, optimizer, 3):
        watched.epoch(**values)
    assert watched.monitor.spent["seconds"] > 0.4
    assert watched.monitor._loop.schedule.wait() > 20
    watched.close()


def test_an_error_in_judging_ends_the_judging_alone(caplog: pytest.LogCaptureFixture) -> None:
    def peers() -> Others:
        raise OSError("the storage is gone")

    model, optimizer = patient()
    watched = Bedside(model, optimizer, Orders(), peers=peers, told=lambda _: None, broken=Broken)
    for values in train(model, optimizer, 4):
        assert not watched.epoch(**values).ends
    watched.close()
    assert "judge" in watched.monitor.not_checked
    assert sum("judge" in record.getMessage() for record in caplog.records) == 1
