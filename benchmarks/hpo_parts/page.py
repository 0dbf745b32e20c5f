"""The page: words, tables and a picture; every number comes from the results."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.hpo_parts.cost import more, uncertainty
from benchmarks.hpo_parts.cost_trial import OTHERS
from benchmarks.hpo_parts.tasks import EPOCHS, TASKS
from paramedic.hpo.policy import Policy

NOTE = "<!-- Written by `benchmarks/hpo.py`; edit that, not this. -->"
MEASURES = {
    "time_saved": "TSBA", "top_ten": "Top10HR", "trials": "trials in the same time",
    "lost": "good trials stopped", "cut": "good trials finished too early",
    "missed": "ten best missed", "spent": "time spent",
}  # fmt: skip
INTRODUCTION = """\
# Ending trials early: what it saves, and what it loses

A study is recorded once, every trial to its end, and then replayed under each rule, without \
training. The three tasks are BTTackler's, made small: {trials} trials of {epochs} epochs, \
{minutes:.0f} minutes of one core in all, which nothing was tuned on; the settings were chosen on \
{tuning} others."""
TRADE = """\
Of the good trials, {cut} are finished too early: they are not blamed and keep the value they had, \
but it is not among the best tenth any more. That is in studies of {length} trials. In their time \
the rule runs {trials} times as many, and of these it does not try to keep the best tenth, but the \
best {most}: of the ten best it misses {missed}. With `Policy(most=0)`, which keeps the best tenth \
of any number, it misses {all_missed} of them, and has a Top10HR of {all_hits}: the time is better \
spent on new trials."""
BOUND = """\
How far could any rule come? An oracle that knows how each trial will end, and stops all but the \
best tenth after so many epochs:"""
HEALTHY = """\
In three studies of {trials} healthy trials together (Adam, rate 1e-3 to 4e-3, dropout up to 0.2, \
batches of 16 to 48, the sizes drawn as above) our rule ended: {ended}. A healthy trial that is \
worse than the others is `finished: no-more-gain`: it is not blamed and keeps its value."""
COST = """\
Watching and judging took {more:.1%} more processor time than the same trials without ({each}; the \
standard error is {error:.1f} points): {trials} trials of an Optuna study that has had {others} \
others, each run {repeats} times with and without in turn, of which the medians of each epoch \
count. These trials are larger than the recorded ones: 10,000 images and batches of 45 to 720, as \
in the paper, or 3000 windows and batches of 32 to 256, for {epochs} epochs; {seconds:.0f} seconds \
on average. In shorter ones it is more: the first steps are always looked at, and each epoch is \
examined."""
METHOD = """\
**The trials.** A CNN with 13 hyperparameters on 2000 images of CIFAR-10 (16×16 pixels, 10,000 to \
validate, as many as in the paper), an LSTM with 8 on the rows of the same images, a transformer \
with 8 that forecasts 96 days of eight exchange rates from 96 (800 windows, 400 to validate). \
Random hyperparameters: rate 1e-4 to 0.4, weight decay 1e-5 to 1e-3, five optimizers, dropout 0 to \
0.9, sizes, and for the CNN five activations and batch normalisation. With 2000 images instead of \
50,000, batches are of 16 to 160 (12 to 64 for the transformer) instead of 45 to 720. A trial's \
value is its best validation accuracy (or, for the transformer, loss). Times are processor times \
of the recorded trials, watching included.

**What was changed in the trials, and why.** Before, 2000 images validated, and exchange rates of \
years after those of training, with levels that training never saw. There the best tenth was as \
much luck as merit. With 2000 images two trials of the LSTM differ by 0.8 points of noise, half of \
what the best differ by. For the transformer, 40 hyperparameters were trained with two seeds each: \
in the better half the ranks of the two correlated with 0.53; now that each of five spans of years \
is trained on in its first 70 % and validated with in the rest, with 0.83. This was decided by how \
well a value repeats, before any rule was replayed on the new trials. On the trials of before, the \
rule of then had a TSBA of 12 %, a Top10HR of 69 % and lost 8 %.

**The measures.** Each of {draws} draws is a pair of studies of {length} trials, drawn with \
repetition in random order from the trials, such that all draws together have each trial equally \
often, and played both ways round: else luck of the draws moves a Top10HR by two points. There are \
{good} good ones among them; a rule may run up to six times {length} in the time; the intervals \
tell how much the order matters, not how other trials would do. *TSBA*: the share of time saved in \
reaching the best value that the study without any rule reaches, with the trials in the same \
order; -100 % if it is not reached any more. *Top10HR*: of the ten best trials of two studies that \
take the same time, one with the rule and one, drawn independently, without, the share that is the \
rule's: no rule at all has 50 % on average, and with *n* times as many trials and none lost it is \
*n* / (*n* + 1), so 75 % takes three times as many. (In the paper the samplers learn from what was \
found; here every trial is random.) *Good trials* are the best tenth by their value at the end; \
*stopped* ones are lost, and so are those *finished too early*, which keep a value that is not \
among the best tenth of the {length}. *Ten best missed*: of the ten best of all trials that a rule \
runs in the time, if each had come to its end, the share that it ended before they were as good. \
In brackets: where 95 % of the draws lie.

**Our rule.** A trial ends when its chance to be among the best tenth at its end is below 2.5 %, \
as it looks; of more than 120 trials, to be among the best twelve. The chance is told by the share \
of others that were better at the same age, by the geometric mean over its value, its loss in \
validation and its loss in training; its logarithm may still change, the more the more doublings \
of the age are left, and of few others a share is not sure. With 100 others, a trial ends if 80 % \
of them are better after the first of twenty epochs, 62 % after two, 49 % after four, 33 % after \
ten; with 400, 25, 21, 17 and 12 %. One whose value is among the best tenth is never behind. It is \
*stopped* if something was found in it that was there all the time (two epochs at least) or with \
which nothing is learned, which is the cause, and *finished* else: then it keeps its value. What \
is hopeless (a rate far too low, a gradient that vanishes …) for three epochs ends a trial that is \
not among the best and whose loss does not fall faster and faster, and no new best for 60 % of the \
planned epochs finishes it.

**How the settings were chosen.** On {tuning} trials for tuning, among them those that earlier \
rules were judged on. What becomes of a share was fitted over all tasks: with each doubling of the \
age its logarithm goes 5 % of the way to the border of the best tenth, and how far from there it \
may come. To add how the ranks moved, the size of the updates inside the net, or the \
hyperparameters of the trials before (a regression that each study learns) gained little or \
nothing, at 1 % of the good ones lost, on trials that were left out. The chance and the number to \
keep were chosen by replaying, such that all goals have a margin. The rule of the version before, \
judged on 150 + 150 + 150 trials, had a TSBA of 51.0 %, a Top10HR of 75.3 % and lost 5.4 %. The \
rule of now was judged once before, on 450 + 450 + 450 other trials, when it also finished a trial \
after four epochs without a new best if a fifth of the others would be better: 46.1 %, 76.0 %, \
1.7 % lost, most of them by that. It was taken out, those trials joined the tuning part, and the \
trials of this page were drawn anew. Nothing in the rule was changed since they were replayed; \
when looks had become cheaper and rarer, the same trials were recorded and replayed once more: our \
means differ by less than 0.1 points.

**Fairness.** The rivals have their usual settings: median stop after two epochs and five trials, \
ASHA with rungs at epochs 2, 6 and 18 of which the best third goes on, Hyperband with three \
brackets, extrapolation by a power law from epoch 6, patience of 5 epochs. BTTackler's rules are \
to the letter of its paper, with its protection of the best tenth. The trials were recorded with a \
budget of 2 % for looks, `watch` has 1 %."""
NO_LIVE = """\
live studies with the samplers Random, TPE, GP and SMAC (`benchmarks/hpo.py live`)"""
LIVE = """\
Nothing is replayed here: on {task} with {images} images ({validation} to validate), Optuna \
studies of {budget:.0f} seconds ran with each sampler, without any pruning and with \
`paramedic.hpo.optuna.watch` and `DiagnosisPruner()`, as its manual shows it. The two of a pair \
have the same seed and run at the same time, in two processes of one thread; the trial that is \
running when the time is up does not count. Means over {seeds} {noun}."""
LIVE_MEASURES = """\
*Best*: the best validation accuracy of any trial. *Top10HR*: of the ten best trials of both \
studies, the share that is of the one with. *TSBA*: the share of time saved in reaching the best \
value of the study without; -100 % if it was not reached. The last two columns are the time in \
which the study without found its best, and that in which the study with had one as good, where \
it had. GP is shown pruned trials too, sick ones with the worst value of the study; SMAC, over \
its ask and tell and with ten trials to begin with like TPE and GP, is told of a pruned trial as \
crashed with the last value that it reported. A study got {ours:.0f} processor seconds with and \
{plain:.0f} without, on average."""
NO_HEALTHY = "studies of healthy trials only (`benchmarks/hpo.py healthy` records 60)"
NO_COST = "what watching costs in trials of a realistic size (`benchmarks/hpo.py cost`)"


def write(results: dict[str, Any], folder: Path) -> Path:
    """Write `hpo.md` and its picture."""
    from benchmarks.hpo_parts.plots import draw

    folder.mkdir(parents=True, exist_ok=True)
    picture = draw(results, folder)
    page = folder / "hpo.md"
    parts = [NOTE, *_sections(results), f"![Time saved against good trials lost]({picture.name})"]
    (folder / "hpo.json").write_text(json.dumps(results, indent=1) + "\n")
    page.write_text("\n\n".join([*parts, *_live(results), _method(results)]) + "\n")
    return page


def _method(results: dict[str, Any]) -> str:
    good = _sum(results, "good")
    text = METHOD.format(
        draws=results["draws"], length=results["length"], good=good, tuning=_sum(results, "tuning")
    )
    missing = [] if "live" in results else [NO_LIVE]
    missing += [] if "healthy" in results else [NO_HEALTHY]
    missing += [] if "cost" in results else [NO_COST]
    if not missing:
        return text
    listed = "; ".join(missing)
    return f"{text}\n\n**Not measured.** {listed[0].upper()}{listed[1:]}."


def _sum(results: dict[str, Any], name: str) -> str:
    return " + ".join(str(one[name]) for one in results["tasks"].values())


def _sections(results: dict[str, Any]) -> Iterator[str]:
    tasks = results["tasks"]
    trials, tuning = _sum(results, "trials"), _sum(results, "tuning")
    minutes = sum(one["seconds"] for one in tasks.values()) / 60
    yield INTRODUCTION.format(trials=trials, epochs=EPOCHS, minutes=minutes, tuning=tuning)
    yield "## Goals"
    yield _goals(results)
    yield _rivals(results)
    yield _trade(results)
    yield "## Mean of the three tasks"
    yield table(mean(results))
    yield BOUND
    yield _bounds(results)
    if "healthy" in results:
        ended = ", ".join(f"{count} {how}" for how, count in results["healthy"]["ended"].items())
        yield HEALTHY.format(trials=results["healthy"]["trials"], ended=ended)
    if "cost" in results:
        yield _cost(results["cost"])
    for name, one in tasks.items():
        yield f"## {TASKS[name].title}"
        yield table({rule: report["measures"] for rule, report in one["reports"].items()})
        yield f"Ours ended trials because of: {_causes(one['reports']['ours']['causes'])}."


def _bounds(results: dict[str, Any]) -> str:
    lines = ["| epochs | TSBA | Top10HR | time spent |", "|---:|---:|---:|---:|"]
    for epochs, measures in mean(results, "bounds").items():
        cells = [_cell(name, measures[name]) for name in ("time_saved", "top_ten", "spent")]
        lines.append(f"| {epochs} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _live(results: dict[str, Any]) -> Iterator[str]:
    """The section on live studies, if there were any."""
    live = results.get("live")
    if live is None:
        return
    samplers, (images, validation) = live["samplers"], live["images"]
    yield "## Live studies"
    yield LIVE.format(
        task=TASKS["cnn"].title, images=images, validation=validation, budget=live["budget"],
        seeds=live["seeds"], noun="seed" if live["seeds"] == 1 else "seeds",
    )  # fmt: skip
    yield _live_table(live)
    ours, plain = (
        sum(one[f"processor_{which}"] for one in samplers.values()) / len(samplers)
        for which in ("with", "without")
    )
    yield LIVE_MEASURES.format(ours=ours, plain=plain)
    yield "How the trials with ended, if not at their last epoch:"
    yield "\n".join(
        f"* {name}, of {one['all_trials_with']}: {_causes(one['ended'])}."
        for name, one in samplers.items()
    )


def _live_table(live: dict[str, Any]) -> str:
    lines = [
        "| sampler | best without | best with | trials without | trials with | Top10HR | TSBA | "
        "best found without | as good with |",
        "|---|" + "---:|" * 8,
    ]
    for name, one in live["samplers"].items():
        after = "never" if one["reached"] is None else f"{one['reached']:.0f} s"
        cells = [
            name, f"{one['best_without']:.1%}", f"{one['best_with']:.1%}",
            f"{one['trials_without']:.0f}", f"{one['trials_with']:.0f}", f"{one['top_ten']:.0%}",
            f"{one['time_saved']:.0%}", f"{one['needed']:.0f} s",
            f"{after} ({one['reached_in']} of {live['seeds']})",
        ]  # fmt: skip
        lines.append(_spaced("| " + " | ".join(cells) + " |"))
    return "\n".join(lines)


def _cost(cost: dict[str, Any]) -> str:
    each = (f"{TASKS[name].title} {more({name: one}):.1%}" for name, one in cost.items())
    seconds = [trial["without"] for task in cost.values() for trial in task["trials"]]
    repeats = min(task["repeats"] for task in cost.values())
    text = COST.format(
        more=more(cost), each=", ".join(each), error=100 * uncertainty(cost), trials=len(seconds),
        repeats=repeats, others=OTHERS, epochs=EPOCHS, seconds=sum(seconds) / len(seconds),
    )  # fmt: skip
    return _spaced(text)


def mean(results: dict[str, Any], kind: str = "reports") -> dict[str, dict[str, dict[str, float]]]:
    """Each rule's measures, averaged over the tasks."""
    reports = [one[kind] for one in results["tasks"].values()]
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
    return _spaced(text)


def _spaced(text: str) -> str:
    """With a space before each percent sign that has none."""
    return re.sub(r"(?<=\d)%", " %", text)


def _goals(results: dict[str, Any]) -> str:
    ours = _plain(mean(results)["ours"])
    harm = _harm(ours)
    rows: list[tuple[str, float, bool]] = [
        ("TSBA at least 45 %", ours["time_saved"], ours["time_saved"] >= 0.45),
        ("Top10HR at least 75 %", ours["top_ten"], ours["top_ten"] >= 0.75),
        ("at most 1 % of the good trials stopped", ours["lost"], ours["lost"] <= 0.01),
        ("at most 1 % of them stopped or finished too early", harm, harm <= 0.01),
    ]
    if "cost" in results:
        cost = more(results["cost"])
        rows.append(("diagnosis takes at most 2 % of the time of a trial", cost, cost <= 0.02))
    lines = ["| goal | ours | |", "|---|---:|---|"]
    for goal, value, reached in rows:
        cell = _spaced(f"{value:.2%}")
        lines.append(f"| {goal} | {cell} | {'reached' if reached else '**missed**'} |")
    return "\n".join(lines)


def _rivals(results: dict[str, Any]) -> str:
    """Which rules do better by one of the two measures, and what they lose."""
    rules = {rule: _plain(measures) for rule, measures in mean(results).items()}
    ours = rules["ours"]
    better = {
        rule: one
        for rule, one in rules.items()
        if one["time_saved"] > ours["time_saved"] or one["top_ten"] > ours["top_ten"]
    }
    if not better:
        return "No other rule has a better TSBA or Top10HR."
    told = (
        f"{rule} ({one['time_saved']:.1%} and {one['top_ten']:.1%}, {_harm(one):.1%} lost)"
        for rule, one in better.items()
    )
    as_few = [rule for rule, one in better.items() if _harm(one) <= _harm(ours)]
    loses = f"{', '.join(as_few)} of them" if as_few else "none of them"
    return _spaced(
        f"Better by TSBA or Top10HR: {', '.join(told)}; {loses} with as few good trials lost."
    )


def _trade(results: dict[str, Any]) -> str:
    """What is lost for what is gained, by the number of trials that are kept."""
    rules = mean(results)
    ours, every = (_plain(rules[name]) for name in ("ours", "ours, any best tenth"))
    return _spaced(
        TRADE.format(
            cut=f"{ours['cut']:.1%}", length=results["length"], trials=f"{ours['trials']:.1f}",
            most=Policy().most, missed=f"{ours['missed']:.1%}",
            all_missed=f"{every['missed']:.1%}", all_hits=f"{every['top_ten']:.1%}",
        )
    )  # fmt: skip


def _plain(measures: dict[str, dict[str, float]]) -> dict[str, float]:
    return {name: one["mean"] for name, one in measures.items()}


def _harm(measures: dict[str, float]) -> float:
    return measures["lost"] + measures["cut"]


def _causes(causes: dict[str, int]) -> str:
    return ", ".join(f"{cause} ({count})" for cause, count in causes.items()) or "nothing"
