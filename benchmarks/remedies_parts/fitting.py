"""From trials to the tables of the package, and to what they claim of runs they have not seen."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from paramedic.prescribe import confidence as belief
from paramedic.prescribe.confidence import LEAST, Outcomes
from paramedic.prescribe.cures import cure_named
from paramedic.prescribe.ranking import Ranking
from paramedic.prescribe.ranking import fit as fit_ranking

from .trial import Trial

SOURCE = "zoo"
DUAL = "dual/"


@dataclass(frozen=True, slots=True)
class Fitted:
    """What was learned from the part that is there to learn from."""

    outcomes: Outcomes
    ranking: Ranking

    def confidence(self, problem: str, remedy: str) -> float:
        """What is claimed of a remedy."""
        prior = cure_named(remedy).against[problem]
        return belief.confidence(prior, *self.outcomes.count(problem, remedy))


def single(trials: Sequence[Trial], part: str) -> list[Trial]:
    """The trials of one part on runs with one fault."""
    return [one for one in trials if one.part == part and not one.run.startswith(DUAL)]


def dual(trials: Sequence[Trial], part: str) -> list[Trial]:
    """The trials of one part on runs with two faults."""
    return [one for one in trials if one.part == part and one.run.startswith(DUAL)]


def fit(trials: Sequence[Trial], date: str, command: str) -> Fitted:
    """Count what the fitting part shows."""
    known = {"date": date, "command": command}
    seen = single(trials, "fit")
    counted = belief.tally([(one.problem, one.remedy, one.worked) for one in seen], SOURCE)
    how = (
        f"{len(seen)} repairs of {len({one.run for one in seen})} sick runs of the tuning half of "
        "benchmarks/zoo, each trained again from its seed with one remedy; it worked if the "
        "problem was gone and a quarter of what the fault had cost was won back"
    )
    both = [one for one in dual(trials, "fit") if len(one.problems) > 1]
    ranking = fit_ranking(
        [(one.problems, one.remedy, one.all_gone and one.worked) for one in both],
        {
            "how": f"{len(both)} repairs of runs with two faults (benchmarks/remedies_parts/"
            "duals.py); it worked if all problems were gone and the score came back",
            **known,
        },
    )
    return Fitted(Outcomes(counted, {"how": how, **known}), ranking)


def write(fitted: Fitted, folder: Path) -> None:
    """The tables that come with the package."""
    belief.write(fitted.outcomes.outcomes, fitted.outcomes.provenance, folder / belief.FILE)
    data = fitted.ranking.to_json()
    rows = ",\n".join(f"  {json.dumps(one)}" for one in data["pairs"])
    head = json.dumps(data["provenance"], indent=2).replace("\n", "\n ")
    (folder / "ranking.json").write_text(
        f'{{\n "provenance": {head},\n "pairs": [\n{rows}\n ]\n}}\n'
    )


def claims(
    trials: Sequence[Trial], fitted: Fitted, least: float = LEAST
) -> list[tuple[float, bool]]:
    """What is claimed of each trial, and whether it worked; only of what would be advised."""
    pairs = [(fitted.confidence(one.problem, one.remedy), one.worked) for one in trials]
    return [pair for pair in pairs if pair[0] >= least]
