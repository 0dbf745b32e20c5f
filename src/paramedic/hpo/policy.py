"""The settings by which trials are judged, and the rule sets that have their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from paramedic.diagnose.detector import Detector
from paramedic.diagnose.rules import DEFAULT, choose


@dataclass(frozen=True, slots=True)
class Policy:
    """When a trial ends. The names of sicknesses are slugs.

    Args:
        fatal: end a trial at once, even in the warm-up.
        benign: mean that the trial is finished.
        ignored: never count.
        warm_up: epochs in which only what is fatal counts.
        symptoms: how many symptoms, each measured in another way, end a trial.
        persistence: at how many epochs in a row a lone symptom ends it.
        protect: the share of the best trials so far that is spared.
        behind: the share of trials that must have been better at the same age for a trial to be
            `behind`, which is a symptom; 1 or more switches it off.
        fewest: trials that must have come as far before they are compared with.
        finish: whether a benign finding ends a trial.
        any_symptom: every finding ends a trial that is not protected, at once.
    """

    fatal: tuple[str, ...] = ("non-finite",)
    benign: tuple[str, ...] = ("no-more-gain",)
    ignored: tuple[str, ...] = ("too-few-steps",)
    warm_up: int = 2
    symptoms: int = 2
    persistence: int = 3
    protect: float = 0.2
    behind: float = 0.5
    fewest: int = 5
    finish: bool = True
    any_symptom: bool = False

    def __post_init__(self) -> None:
        for name in ("warm_up", "symptoms", "persistence", "fewest"):
            least = 0 if name == "warm_up" else 1
            if not _is_count(getattr(self, name), least):
                raise ValueError(
                    f"`{name}` must be a whole number of at least {least} but got "
                    f"{getattr(self, name)!r}."
                )
        for name in ("protect", "behind"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(
                    f"`{name}` must be a share between 0 and 1 but got {getattr(self, name)!r}."
                )

    def changed(self, **settings: Any) -> Policy:
        """The same with other settings; unknown ones are told with those that there are."""
        known = [one.name for one in fields(self)]
        for name in settings:
            if name not in known:
                raise ValueError(f"A policy has no setting `{name}`; it has {', '.join(known)}.")
        return replace(self, **settings)


def _is_count(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


# BTTackler: any indicator ends a trial at once, except the best tenth once ten came as far.
BTTACKLER = Policy(
    fatal=("bttackler-abnormal-gradient-values",),
    benign=("bttackler-no-more-gain",),
    ignored=(),
    warm_up=0,
    protect=0.1,
    behind=1.0,
    fewest=10,
    any_symptom=True,
)
POLICIES = {DEFAULT: Policy(), "bttackler": BTTACKLER}
Rules = str | Sequence[str]
Thresholds = Mapping[str, Mapping[str, Any]]


def detectors_of(
    rules: Rules = DEFAULT, thresholds: Thresholds | None = None
) -> tuple[Detector, ...]:
    """The detectors of a rule set, or those of ours that a list of codes or slugs names."""
    if isinstance(rules, str):
        return choose(_check(rules), settings=thresholds)
    return choose(DEFAULT, select=tuple(rules), settings=thresholds)


def staged(
    rules: str, epochs: int | None, thresholds: Thresholds | None = None
) -> dict[str, dict[str, Any]]:
    """The thresholds, with the planned epochs where BTTackler's stages are counted by them."""
    given = {name: dict(values) for name, values in (thresholds or {}).items()}
    if rules == "bttackler" and epochs is not None:
        for detector in choose(rules):
            if "epochs" in detector.thresholds():
                given.setdefault(detector.code, {}).setdefault("epochs", epochs)
    return given


def policy_of(rules: Rules = DEFAULT) -> Policy:
    """The policy of a rule set; a list of codes is judged by ours."""
    return POLICIES[_check(rules)] if isinstance(rules, str) else POLICIES[DEFAULT]


def _check(rules: str) -> str:
    if rules not in POLICIES:
        raise ValueError(
            f"`rules` must be {' or '.join(map(repr, POLICIES))}, or a list of codes like "
            f"['N001', 'G'], but got {rules!r}."
        )
    return rules
