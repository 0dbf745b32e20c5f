"""The page: words first, then tables and pictures; every number comes from the JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from paramedic.diagnose.rules import DEFAULT, rule_sets

from . import tables
from .counting import calm, early, switched_off, tally
from .goals import ALL, Verdict, verdicts
from .judging import EVERY, variants
from .naming import SPARSE, symptoms
from .runs import HALVES, Judged, healthy, of_half, sick

BLIND = "judging"  # the half whose runs are not named
NOTE = "<!-- Written by `benchmarks/detection.py`; edit that, not this. -->"
PARTIAL = (
    "> **Not all runs**: {seen} of the {all} runs of the zoo were judged, so the goals on them "
    "are not."
)
WORDS = """\
The verdict, and whether there is a fault, are what a user is told; everything else here is \
evidence, which treatment, repair and the judge of trials act on, whether or not a user is told \
of it. *Verdict right*: the verdict on a sick run is `not learning` or `diverged`, or a fault is \
told (the exit code is 1 in both cases). A fault need not keep a run from learning: if the run \
learned by its own metric, `learning` is right, too. It did if its validation score at the end is \
above that of the best constant answer to the same samples, an accuracy by three standard errors \
and at least 0.05, shares of explained variance and of uncertainty by 0.05; where models are not \
right or wrong, if its validation loss fell as that of a healthy run must. The metric is computed \
by the zoo itself, also where the run does not hand it in, and no rule sees it then. `too early \
to say` and `cannot tell` are never right for a sick run. *Right cause first*: the sickness that \
was built in, or a neighbour that the recipe accepts as another right name, is the first among \
faults and suspicions, in the order in which likely causes are listed; consequences of what was \
found are not listed. A sickness that is no cause but a symptom ({symptoms}) must be the root of \
all that is found instead. *Anything found*: at least one finding, of any severity, kind and \
name. *It is found*: a right name is among the findings. *Named first*: it is the root of the \
diagnosis, symptoms included. The *delay* goes from the step at which the fault begins to the \
step at which a right name is first found, as a share of the planned steps; runs that are not \
found have none."""
BESIDE = """\
The same traces under the rules of the three other systems, written to the letter of their papers \
and code; BTTackler is told the planned number of epochs of each run. Their names are translated \
into ours, generously where one of theirs covers several of ours. Each has rules for some of the \
sicknesses only, so the share named first is given over those too. *Warned*: of our catalogue, \
that a user is told of a fault, of a symptom of a run that fails, of the most likely cause of one \
that is seen not to learn, at any step, even if it learns later, or that the verdict at the end \
is that it fails. The other systems have no verdict and tell what they find, so that of them it \
is a finding of severity warning or worse. *Anything serious found* is that for all of them; \
until the verdict became a fact it was what is called warned. *Found per run* counts every time \
that something new is found. """
SPARSELY = """\
*{title}* is our catalogue again, but of each trace only every {every}th frame is told, as a \
watch with a small budget would record; losses of every step, events and epochs are replayed as \
they are."""
METHOD = """\
The zoo (`benchmarks/zoo`) is a set of short training runs of which the sickness, or the health, \
is known because it was built in: each sick run is a sound one with one fault put in, and has a \
twin without it. They are recorded once, with all statistics at every step, and then replayed \
under each rule set, without torch, one thread per process. The tuning half is there to set \
thresholds on, the judging half to judge them; no pair of architecture and data set is in both. \
An architecture of which a run went wrong and was looked at leaves the judging half, and others \
that were written without a look at any detector take its place. Judged for the first time after \
its seventh filling, the half had four of 172 sick runs named wrong and two of 132 healthy ones \
warned, these two by a recurrent cell written by hand whose state begins at zero. That was mended \
and the architecture taken out; the 51 healthy runs of the eighth filling were written by then \
without knowing it, and judged once. All runs of a half count, none is left out. A healthy run \
counts as a false alarm if a user was warned at a single step, even if it was taken back, or if \
its verdict is that it fails; what a user is told while a run goes on is replayed as a watch \
reports it. Some sick runs have more than one right name, such as a bad initialization that shows \
as a vanishing gradient; their recipes list them. The speed is that of judging a synthetic trace \
with all statistics at every step on one core, reading the file included; the machine is shared \
with other work, so the best of the replays counts, by the clock. The processor time of the same \
replays is given beside it, which other work disturbs less; it is not what is judged."""
UNNAMED = """\
Runs of the judging half are counted and not named: nobody shall mend a rule for one of them. In \
bold what was named instead."""
_MISTAKES = (
    ("Verdict not right", tables.misjudged_totals, tables.misjudged_list),
    ("Another cause first", tables.miscaused_totals, tables.miscaused_list),
    ("Another name first", tables.misnamed_totals, tables.misnamed_list),
)


def write(results: dict[str, Any], judged: list[Judged], folder: Path) -> Path:
    """Draw the pictures and write `detection.md`."""
    from .plots import draw

    folder.mkdir(parents=True, exist_ok=True)
    pictures = dict(draw(judged, folder))
    page = folder / "detection.md"
    page.write_text("\n\n".join(_sections(results, judged, pictures)) + "\n")
    return page


def _sections(results: dict[str, Any], judged: list[Judged], pictures: dict[str, str]) -> list[str]:
    found = verdicts(results, judged)
    halves = {half: of_half(judged, half) for half in HALVES}
    halves = {half: runs for half, runs in halves.items() if runs}
    return [
        "# How well sick runs are recognised",
        NOTE,
        *_warnings(results, judged),
        summary(halves, found),
        "## The goals\n\n" + tables.goals_table(found),
        "## Verdicts\n\n" + tables.verdicts_table(halves),
        *_sickness_sections(halves, pictures),
        *_beside_sections(halves, pictures),
        *_error_sections(halves),
        "## How it was measured\n\n" + METHOD,
        _particulars(results, judged),
    ]


def _warnings(results: dict[str, Any], judged: list[Judged]) -> list[str]:
    every = sum(results["expected"].values())
    found = [PARTIAL.format(seen=len(judged), all=every)] if len(judged) < every else []
    if results["failed"]:
        found.append(f"> **Could not be judged**: {', '.join(results['failed'])}.")
    return found


def summary(halves: dict[str, list[Judged]], found: list[Verdict]) -> str:
    """One paragraph that says how it went."""
    runs = halves.get("judging", [])
    sentences = [
        _our_sentence(runs),
        _healthy_sentence(halves),
        _sparse_sentence(runs),
        *(_their_sentence(runs, name) for name in rule_sets()[1:]),
        _goal_sentence(found),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _our_sentence(runs: list[Judged]) -> str:
    counted = tally(runs, DEFAULT)
    if not counted.runs:
        return ""
    delay = f"median delay {counted.delay.middle:.3f} of the run" if counted.delay else "never"
    return (
        f"Of the {counted.runs} sick runs of the judging half the verdict is right in "
        f"{_percent(counted.told, counted.runs)} and the right cause comes first in "
        f"{_percent(counted.caused, counted.runs)}; something was found in "
        f"{_percent(counted.noticed, counted.runs)}, the sickness itself in "
        f"{_percent(counted.found, counted.runs)} ({delay}), and it was named "
        f"first in {_percent(counted.named, counted.runs)}."
    )


def _healthy_sentence(halves: dict[str, list[Judged]]) -> str:
    counted = [(half, calm(runs, DEFAULT)) for half, runs in halves.items() if healthy(runs)]
    texts = [f"{one.alarmed} of {one.runs} in the {half} half" for half, one in counted]
    return f"Healthy runs of which a user was warned: {' and '.join(texts)}." if texts else ""


def _sparse_sentence(runs: list[Judged]) -> str:
    counted, sound = tally(runs, SPARSE), calm(runs, SPARSE)
    if not counted.runs:
        return ""
    shares = [_percent(n, counted.runs) for n in (counted.noticed, counted.found, counted.named)]
    warned = f", with {sound.alarmed} of {sound.runs} healthy runs warned" if sound.runs else ""
    return f"With one frame in {EVERY} it is {shares[0]}, {shares[1]} and {shares[2]}{warned}."


def _their_sentence(runs: list[Judged], name: str) -> str:
    if not (sick(runs) and healthy(runs)):
        return ""
    counted, sound = tally(runs, name), calm(runs, name)
    return (
        f"{tables.TITLES.get(name, name)} finds something in "
        f"{_percent(counted.noticed, counted.runs)} of the sick runs, names the sickness first in "
        f"{_percent(counted.named, counted.runs)} and warns in "
        f"{_percent(sound.alarmed, sound.runs)} of the healthy ones."
    )


def _goal_sentence(found: list[Verdict]) -> str:
    groups = []
    for verdict in ALL:
        names = [one.goal for one in found if one.verdict == verdict]
        if names:
            groups.append(f"**{len(names)} {verdict}**: {'; '.join(names)}")
    return f"Of {len(found)} goals {'. '.join(groups)}."


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "none"


def _picture(pictures: dict[str, str], name: str) -> str:
    return f"\n\n![{pictures[name]}]({name})" if name in pictures else ""


def _sickness_sections(halves: dict[str, list[Judged]], pictures: dict[str, str]) -> list[str]:
    sections = [
        f"## Each sickness, {half} half\n\n{tables.slugs_table(runs)}"
        for half, runs in halves.items()
        if sick(runs)
    ]
    if not sections:
        return []
    words = WORDS.format(symptoms=", ".join(sorted(symptoms())))
    sections[0] = sections[0].replace("\n\n", f"\n\n{words}\n\n", 1)
    delays = tables.families_table(halves) + _picture(pictures, "detection.delays.png")
    return [*sections, "## Delays by family\n\n" + delays]


def _beside_sections(halves: dict[str, list[Judged]], pictures: dict[str, str]) -> list[str]:
    shown = [
        f"The {half} half:\n\n{tables.sets_table(runs, variants())}"
        for half, runs in halves.items()
    ]
    words = BESIDE + SPARSELY.format(title=tables.TITLES[SPARSE], every=EVERY)
    picture = _picture(pictures, "detection.sets.png").strip()
    return ["## Other rules beside ours", words, *shown, *([picture] if picture else [])]


def _error_sections(halves: dict[str, list[Judged]]) -> list[str]:
    """Every mistake: by name in the tuning half, in the judging half only how many. Who knows the
    runs that went wrong will mend their rules for them, and the half judges no more."""
    sections = ["## Healthy runs\n\n" + tables.healthy_table(halves)]
    every = [one for runs in halves.values() for one in runs]
    if notes := tables.notes_list(every):
        sections.append(f"Only noted, without a warning: {notes}.")
    for half, runs in halves.items():
        shown = tables.alarms_totals(runs) if half == BLIND else tables.alarms_list(runs)
        sections.append(f"### False alarms, {half} half\n\n{shown}")
        shown = tables.suspected_totals(runs) if half == BLIND else tables.suspected_list(runs)
        sections.append(f"### Anything serious found in healthy runs, {half} half\n\n{shown}")
    sections.append("## Sick runs that went wrong\n\n" + UNNAMED)
    for half, runs in halves.items():
        for title, totals, listed in _MISTAKES:
            shown = totals(runs) if half == BLIND else listed(runs)
            sections.append(f"### {title}, {half} half\n\n{shown}")
    return sections


def _particulars(results: dict[str, Any], judged: list[Judged]) -> str:
    """What happened on the way, and the machine."""
    lines = [
        *(f"- The detector `{slug}` was {why}." for slug, why in _off(judged).items()),
        *(_early_line(one) for one in early(judged, DEFAULT)),
    ]
    facts = results["machine"]
    packages = facts["packages"]
    lines.append(
        f"- {facts['cores']} cores ({facts['processor']}), {facts['system']}, Python "
        f"{facts['python']}, numpy {packages['numpy']}, torch {packages['torch']} (for recording)."
    )
    return "## Particulars\n\n" + "\n".join(lines)


def _early_line(one: Judged) -> str:
    where = "a run of the judging half" if one.run.half == BLIND else f"`{one.run.name}`"
    return (
        f"- In {where} a right name was found before the fault began (step {one.run.onset}); its "
        "delay counts as below zero."
    )


def _off(judged: list[Judged]) -> dict[str, str]:
    return {slug: why for name in variants() for slug, why in switched_off(judged, name).items()}
