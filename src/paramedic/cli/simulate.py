"""`paramedic simulate`: replay a recorded study under any rules, without training."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paramedic.cli.choosing import Json, Set, split, write_json
from paramedic.cli.failing import fails_clearly

if TYPE_CHECKING:
    from paramedic.hpo.bootstrap import Report
    from paramedic.hpo.calibration import Calibration
    from paramedic.hpo.policy import Policy
    from paramedic.hpo.recording import StudyFolder

_POLICY = "policy"
_TITLES = {
    "time_saved": "time saved", "top_ten": "top-10 hits", "trials": "trials", "lost": "good lost",
    "cut": "good cut", "missed": "top-10 missed", "spent": "time spent",
}  # fmt: skip


@fails_clearly
def simulate(
    study: Annotated[Path, typer.Argument(metavar="STUDY_DIR", help="A recorded study.")],
    rules: Annotated[
        list[str] | None,
        typer.Option(
            help="Rule sets, rivals or codes: default, bttackler, median, asha, hyperband, "
            "extrapolation, patience, none, N001+G001.",
            metavar="A,B",
        ),
    ] = None,
    settings: Set = None,
    draws: Annotated[int, typer.Option(help="Studies to draw from the trials.", min=1)] = 50,
    calibrate: Annotated[
        bool, typer.Option("--calibrate", help="Search settings on half of the trials.")
    ] = False,
    json: Json = None,
) -> None:
    """Replay a recorded study: what rules would have saved, and which good trials lost.

    `--set L006.epochs=12` sets a threshold of a detector, `--set policy.chance=0.05` one of the
    policy. `--calibrate` finds settings of the policy on half of the trials and tests them on
    the other half.
    """
    from paramedic.hpo.recording import StudyFolder

    folder = StudyFolder(study)
    thresholds, policy = _settings(settings or ())
    if calibrate:
        found = _calibrated(folder, thresholds, policy, draws)
        told: Any = {"changed": found.changed, "testing": found.testing[0].to_json()}
        if json is None or not write_json(told, json):
            _show_calibration(found)
        return
    names = split(rules) or ("none", "default", "bttackler", "median", "asha", "extrapolation")
    reports = list(_reports(folder, names, thresholds, policy, draws))
    if json is None or not write_json([one.to_json() for one in reports], json):
        _show(reports)


def _settings(texts: Sequence[str]) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    """Thresholds of detectors, and settings of the policy."""
    from paramedic.diagnose.config import parse_settings

    found = parse_settings(texts)
    policy = found.pop(_POLICY, {})
    return found, policy


def _reports(
    folder: StudyFolder,
    names: Sequence[str],
    thresholds: dict[str, dict[str, Any]],
    settings: dict[str, Any],
    draws: int,
) -> Iterator[Report]:
    from paramedic.hpo.bootstrap import bootstrap
    from paramedic.hpo.policy import POLICIES, policy_of
    from paramedic.hpo.rivals import RIVALS, Diagnosed, Rule
    from paramedic.hpo.timeline import timelines

    for name in names:
        if name in RIVALS:
            rule: Rule = RIVALS[name]()
            pool = timelines(folder, ())
        else:
            chosen = name if name in POLICIES else name.split("+")
            rule = Diagnosed(_policy(policy_of(chosen), settings))
            pool = timelines(folder, chosen, thresholds)
        yield bootstrap(name, rule, pool, draws)


def _policy(policy: Policy, settings: dict[str, Any]) -> Policy:
    return policy.changed(**settings)


def _calibrated(
    folder: StudyFolder, thresholds: dict[str, Any], settings: dict[str, Any], draws: int
) -> Calibration:
    from paramedic.hpo.calibration import calibrate
    from paramedic.hpo.policy import Policy
    from paramedic.hpo.timeline import timelines

    pool = timelines(folder, thresholds=thresholds)
    return calibrate([pool], _policy(Policy(), settings), draws=draws)


def _show_calibration(found: Calibration) -> None:
    words = ", ".join(f"policy.{name}={value}" for name, value in found.changed.items())
    typer.echo(f"{found.tried} policies were tried on half of the trials.")
    typer.echo(f"Best settings: {words or 'those it began with'}.")
    typer.echo("On the other half, with the settings it began with and with the best:")
    _show([*found.default, *found.testing])


def _show(reports: Sequence[Report]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("rule")
    for title in _TITLES.values():
        table.add_column(title, justify="right")
    table.add_column("ended because of", overflow="fold")
    for one in reports:
        cells = [_cell(name, one) for name in _TITLES]
        why = ", ".join(f"{count} {cause}" for cause, count in one.causes.items())
        table.add_row(one.rule, *cells, why)
    Console(highlight=False).print(table)


def _cell(name: str, report: Report) -> str:
    found = report.measures[name]
    if name == "trials":
        return f"×{found.mean:.2f} ({found.low:.2f}–{found.high:.2f})"
    return f"{found.mean:.0%} ({found.low:.0%} – {found.high:.0%})"
