"""The settings by which trials are judged, and the rule sets that have their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from paramedic.diagnose.detector import Detector
from paramedic.diagnose.rules import DEFAULT, choose

_COUNTS = ("warm_up", "symptoms", "persistence", "most", "fewest")
_MAY_BE_NONE = ("warm_up", "most")
_SHARES = ("protect", "best", "chance", "patience")


@dataclass(frozen=True, slots=True)
class Policy:
    """When a trial ends. The names of sicknesses are slugs.

    The settings that compare trials were chosen on recorded studies: `docs/benchmarks/hpo.md`.

    Args:
        fatal: end a trial at once, even in the warm-up.
        benign: mean that the trial may be finished.
        hopeless: with these a net learns nothing; they need not wait for a stall.
        ignored: never count.
        warm_up: epochs in which only what is fatal counts; a trial that warms up its rate, say, is
            compared with others too early without one.
        symptoms: how many symptoms, each measured in another way, end a trial that gains nothing:
            inside the net, and on its loss.
        persistence: at how many epochs in a row a lone finding ends it.
        protect: the share of the best trials so far that no finding stops.
        best: the share of the best trials that are not to be lost; who is among them by its value
            is never behind.
        most: how many trials these are at the most: of a thousand nobody needs the best hundred,
            and the time is better spent on new ones. 0 for no limit.
        chance: a trial is behind, and ends, if its chance to be among the best at its end is
            smaller, as it looks (`outlook`): as sick if something was found in it that is hopeless
            or lasts, else as finished. 0 compares no trials.
        fewest: other trials that are needed for a comparison.
        patience: the share of the planned epochs without a new best after which a trial is
            finished; 0, or where the planned epochs are not known, leaves it to a benign finding.
        any_symptom: every finding ends a trial that is not protected, at once.
    """

    fatal: tuple[str, ...] = ("non-finite",)
    benign: tuple[str, ...] = ("no-more-gain",)
    hopeless: tuple[str, ...] = (
        "learning-rate-too-low", "vanishing-gradient", "dying-relu", "loss-explosion",
        "loss-plateau", "uninformative-labels",
    )  # fmt: skip
    ignored: tuple[str, ...] = ("too-few-steps", "overfitting")
    warm_up: int = 0
    symptoms: int = 2
    persistence: int = 3
    protect: float = 0.3
    best: float = 0.1
    most: int = 12
    chance: float = 0.025
    fewest: int = 3
    patience: float = 0.6
    any_symptom: bool = False

    def __post_init__(self) -> None:
        for name in _COUNTS:
            least = 0 if name in _MAY_BE_NONE else 1
            if not _is_count(getattr(self, name), least):
                raise ValueError(
                    f"`{name}` must be a whole number of at least {least} but got "
                    f"{getattr(self, name)!r}."
                )
        for name in _SHARES:
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(
                    f"`{name}` must be a share between 0 and 1 but got {getattr(self, name)!r}."
                )

    def among(self, others: int) -> float:
        """The share of the best that are not to be lost, in a study with so many other trials."""
        return min(self.best, self.most / others) if self.most and others else self.best

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
    hopeless=(),
    ignored=(),
    warm_up=0,
    protect=0.1,
    chance=0.0,
    fewest=10,
    patience=0.0,
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
