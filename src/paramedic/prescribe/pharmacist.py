"""The door of this room: from a diagnosis to ranked remedies.

Values are computed from the window in which the problem was told: later the numbers from before
the fault have left it, and the weights may be ruined. So whoever watches a run lets a
`Pharmacist` see every case as it opens; `prescribe` is the same for a diagnosis at hand.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from paramedic.diagnose.causes import Diagnosis
from paramedic.diagnose.detector import Detector
from paramedic.prescribe.confidence import LEAST, Outcomes, confidence, ground, measured
from paramedic.prescribe.cure import Cure, Family
from paramedic.prescribe.cures import cures_for
from paramedic.prescribe.ranking import Emergency, direct_first, emergency, ranked, told
from paramedic.prescribe.spelling import can_be_pasted
from paramedic.types import Finding, Remedy, Window

_log = logging.getLogger("paramedic")


def prescribe(
    diagnosis: Diagnosis,
    window: Window,
    detectors: Iterable[Detector] = (),
    *,
    least: float = LEAST,
) -> tuple[Remedy, ...]:
    """What to do about a diagnosis, the single best intervention first.

    Only the root and what stands beside it is treated: what they bring about goes with them.

    Args:
        diagnosis: what is wrong.
        window: the numbers that values are computed from.
        detectors: those that judged; the remedies of plug-ins are merged in.
        least: the confidence below which nothing is advised.
    """
    pharmacist = Pharmacist(detectors, least=least)
    return pharmacist.remedies(diagnosis, window)


def remedies_for(
    finding: Finding,
    window: Window,
    detectors: Iterable[Detector] = (),
    *,
    least: float = LEAST,
    outcomes: Outcomes | None = None,
) -> tuple[Remedy, ...]:
    """What to do about one finding, the surest first."""
    table = measured() if outcomes is None else outcomes
    ours = (_remedy(cure, finding, window, table) for cure in cures_for(finding.slug))
    theirs = (one for detector in detectors for one in _of_detector(detector, finding))
    found = [one for one in (*ours, *theirs) if one is not None and one.confidence >= least]
    return ranked({finding.slug: found})


class Pharmacist:
    """Prepares remedies as problems are told, and hands out the right ones when asked."""

    def __init__(
        self,
        detectors: Iterable[Detector] = (),
        *,
        least: float = LEAST,
        outcomes: Outcomes | None = None,
    ) -> None:
        self._detectors = tuple(detectors)
        self._least = least
        self._outcomes = outcomes
        self._prepared: dict[str, tuple[Remedy, ...]] = {}

    def see(self, finding: Finding, window: Window) -> tuple[Remedy, ...]:
        """Prepare remedies for a finding while the numbers of its time are there."""
        self._prepared[finding.slug] = remedies_for(
            finding, window, self._detectors, least=self._least, outcomes=self._outcomes
        )
        return self._prepared[finding.slug]

    def remedies(self, diagnosis: Diagnosis, window: Window) -> tuple[Remedy, ...]:
        """What to do about a diagnosis, the best first."""
        roots = () if diagnosis.root is None else (diagnosis.root, *diagnosis.others)
        found = {one.slug: self._for(one, window) for one in roots}
        effects = [one.slug for one in diagnosis.consequences if told(one)]
        return direct_first(ranked(found, effects=effects))

    def emergency(self, diagnosis: Diagnosis, window: Window) -> Emergency | None:
        """Several problems at once as one event; None if fewer than two hold."""
        return emergency(diagnosis, self.remedies(diagnosis, window))

    def _for(self, finding: Finding, window: Window) -> tuple[Remedy, ...]:
        known = self._prepared.get(finding.slug)
        return self.see(finding, window) if known is None else known


def _remedy(cure: Cure, finding: Finding, window: Window, table: Outcomes) -> Remedy | None:
    if cure.family is Family.ARCHITECTURE and "moment" in finding.evidence:
        return None  # one odd step is no reason for another net
    try:
        with np.errstate(all="ignore"):
            dose = cure.dose(finding, window)
    except Exception as error:  # noqa: BLE001 - no advice is better than a broken run
        _log.warning("No `%s` against %s: it failed: %s.", cure.slug, finding.slug, error)
        return None
    if dose is None:
        return None
    if not can_be_pasted(dose.code, window):
        dose = replace(dose, code="")
    prior = cure.against[finding.slug]
    counts = table.count(finding.slug, cure.slug)
    sure = round(confidence(prior, *counts), 3)
    return cure.filled(dose, finding.slug, sure, ground(prior, *counts))


def _of_detector(detector: Detector, finding: Finding) -> Iterator[Remedy]:
    """The remedies of a plug-in: somebody else's code, so they are checked."""
    if detector.slug != finding.slug:
        return
    try:
        given: Sequence[object] = list(detector.prescribe(finding))
    except Exception as error:  # noqa: BLE001 - somebody's broken plug-in is not the user's
        _log.warning("%s (%s) could not prescribe: %s.", detector.code, detector.slug, error)
        return
    for one in given:
        if isinstance(one, Remedy) and _is_share(one.confidence):
            yield replace(
                one,
                ground=one.ground or f"by the detector {detector.code}",
                against=one.against or (finding.slug,),
            )
        else:
            _log.warning("%s (%s) prescribed %r.", detector.code, detector.slug, one)


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value) and 0 <= value <= 1


def by_problem(remedies: Sequence[Remedy]) -> Mapping[str, tuple[Remedy, ...]]:
    """The remedies of each problem, in their order."""
    slugs = dict.fromkeys(slug for remedy in remedies for slug in remedy.against)
    return {slug: tuple(one for one in remedies if slug in one.against) for slug in slugs}
