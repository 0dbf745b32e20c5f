from __future__ import annotations

import json
import time

import numpy as np

from paramedic.report.view.course import Course
from paramedic.report.view.judgement import Judgement
from paramedic.report.view.run import run_view
from paramedic.types import Event, Pulse
from tests.report.made import chart, course, judgement, names, sick_run


def test_everything_a_reader_needs() -> None:
    run = sick_run()
    assert (run.headline.tone, run.headline.word) == ("critical", "Not learning")
    assert len(run.cards) == 4
    assert run.facts["optimizer"] == "SGD"
    assert run.facts["parameters"] == "300"
    assert "task" not in run.facts, "what is not known is not told"
    assert [(one.why, one.slugs) for one in run.unchecked] == [("no dropout", ("wrong-mode",))]
    assert (run.cost.share, run.cost.seconds, run.cost.looks) == (0.012, 1.5, 100)
    assert [event.kind for event in run.events] == ["jump"]


def test_json_for_the_scripts() -> None:
    told = json.loads(json.dumps(sick_run().to_json(), allow_nan=False))
    assert told["panels"][0]["name"] == "loss"
    assert told["maps"][0]["name"] == "grad_norm"
    assert [mark["slug"] for mark in told["marks"]] == [
        "vanishing-gradient", "loss-plateau", "too-few-steps",
    ]  # fmt: skip
    assert told["marks"][0]["where"] == ["body.0", "body.1"]
    assert [mark["severity"] for mark in told["marks"]] == ["info"] * 3, "suspicions"
    assert told["last_step"] == 99
    assert (told["health"], told["verdict"]) == ("critical", "Not learning")


def test_costs_that_a_stranger_made_up() -> None:
    run = run_view("x", course(), Judgement(), spent={"share": "much", "seconds": None})
    assert (run.cost.share, run.cost.seconds) == (None, None)


def test_charts_are_no_news() -> None:
    run = course()
    told = [Event(1, "chart", "The chart changed."), Event(2, "jump", "A jump.")]
    shown = run_view("x", Course(run.chart, run.pulse, run.steps, events=tuple(told)), Judgement())
    assert [event.kind for event in shown.events] == ["jump"]


def test_a_hundred_thousand_steps_are_quick() -> None:
    steps, looks, layers = 100_000, 2_000, 50
    rows = np.random.default_rng(0).random((looks, layers)).astype(np.float32)
    run = Course(
        chart(names(layers)),
        Pulse(np.arange(steps), np.random.default_rng(1).random(steps), np.ones(steps, bool),
              np.zeros(steps, bool)),
        np.linspace(0, steps - 1, looks).astype(np.int64),
        {"grad_norm": rows[:, 0].astype(float), "lr/0": np.ones(looks)},
        dict.fromkeys(("grad_norm", "update_ratio", "act_dead", "act_saturated"), rows),
    )  # fmt: skip
    run_view("warm", course(), judgement())
    took = []
    for _ in range(3):
        began = time.perf_counter()
        run_view("x", run, Judgement())
        took.append(time.perf_counter() - began)
    assert min(took) < 0.2
