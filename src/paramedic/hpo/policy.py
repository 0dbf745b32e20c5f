"""The settings by which trials are judged, and the rule sets that have their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from paramedic.diagnose.detector import Detector
from paramedic.diagnose.rules import DEFAULT, choose

_COUNTS = ("warm_up", "symptoms", "persistence", "fewest", "patience", "confirmed")


@dataclass(frozen=True, slots=True)
class Policy:
    """When a trial ends. The names of sicknesses are slugs.

    Args:
        fatal: end a trial at once, even in the warm-up.
        benign: mean that the trial may be finished.
        ignored: never count.
        warm_up: epochs in which only what is fatal counts.
        symptoms: how many symptoms, each measured in another way, end a trial: inside the net,
            on its own curve, against the others.
        persistence: at how many epochs in a row a lone finding ends it.
        protect: the share of the best trials so far that no finding stops.
        behind: the share of the others that were better when a fifth of the trial was over, which
            is a symptom; it shrinks as the trial gets older, to `behind_late` at its end.
        behind_late: see `behind`; the best so many are never stopped for being behind.
        far: if a trial is worse than the best tenth were at the same age, by so many times what
            these differed, `behind_late` is enough at any age; 0 never.
        reach: the share of the others that are better already than the trial will be at its end,
            which is a symptom.
        fewest: other trials that are needed for a comparison.
        patience: epochs without a new best after which a trial is finished; 0 never.
        confirmed: the same if a benign finding says so too and the trial is not protected, or if
            so many were better as `passed` says; 0 leaves it to the finding.
        any_symptom: every finding ends a trial that is not protected, at once.
    """

    fatal: tuple[str, ...] = ("non-finite",)
    benign: tuple[str, ...] = ("no-more-gain",)
    ignored: tuple[str, ...] = ("too-few-steps", "overfitting")
    warm_up: int = 2
    symptoms: int = 2
    persistence: int = 5
    protect: float = 0.4
    behind: float = 0.4
    behind_late: float = 0.13
    far: float = 2.0
    reach: float = 0.1
    fewest: int = 8
    patience: int = 9
    confirmed: int = 4
    passed: float = 0.2
    any_symptom: bool = False

    def __post_init__(self) -> None:
        for name in _COUNTS:
            least = 0 if name in ("warm_up", "patience", "confirmed") else 1
            if not _is_count(getattr(self, name), least):
                raise ValueError(
                    f"`{name}` must be a whole number of at least {least} but got "
                    f"{getattr(self, name)!r}."
                )
        for name in ("protect", "behind", "behind_late", "reach", "passed"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(
                    f"`{name}` must be a share between 0 and 1 but got {getattr(self, name)!r}."
                )

        if not self.far >= 0:
            raise ValueError(f"`far` must be at least 0 but got {self.far!r}.")

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
    behind_late=1.0,
    far=0.0,
    reach=1.0,
    fewest=10,
    patience=0,
    confirmed=0,
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
