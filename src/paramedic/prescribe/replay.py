"""Judging a recorded run again, and saying what to do about it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from paramedic.diagnose import replay as judging
from paramedic.diagnose.replay import Replay
from paramedic.diagnose.rules import DEFAULT
from paramedic.prescribe.pharmacist import Pharmacist


def replay(
    run: str | os.PathLike[str],
    rules: str = DEFAULT,
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    thresholds: Mapping[str, Mapping[str, Any]] | None = None,
    **settings: Mapping[str, Any],
) -> Replay:
    """Judge a recorded run, as a live run would have been judged, with remedies.

    Args:
        run: the trace.
        rules: the rule set: `default`, `autotrainer`, `bttackler` or `training-doctor`.
        select: only these detectors, by code (`G001`), family (`G`) or slug.
        ignore: not these detectors.
        thresholds: other thresholds than the defaults: `{"vanishing-gradient": {"ratio": 1e-4}}`.
        **settings: the same by code: `G001={"ratio": 1e-4}`.

    Example:
        >>> paramedic.replay("run.db", G001={"ratio": 1e-4}).remedies[0].code  # doctest: +SKIP
    """
    return judging.replay(
        run,
        rules,
        select=select,
        ignore=ignore,
        thresholds=thresholds,
        adviser=Pharmacist,
        **settings,
    )
