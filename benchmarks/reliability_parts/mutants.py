"""Strangers' files: mutants of all formats, and small files that ask for much."""

from __future__ import annotations

import logging
import os
from collections import Counter
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

from reliability_parts import bombs
from reliability_parts.sizes import Sizes
from tests.fuzz.formats import FORMATS
from tests.fuzz.fuzzing import fuzz

_AT_ONCE = 1000
_COUNTED = ("mutants", "read", "refused", "tracebacks", "unnamed", "over_budget")


def measure(sizes: Sizes) -> dict[str, Any]:
    """How many were read, refused with one clear error, or answered in another way."""
    logging.getLogger("paramedic").setLevel(logging.ERROR)  # it tells of each file it ignores
    totals: Counter[str] = Counter(dict.fromkeys(_COUNTED, 0))
    longest, problems = 0.0, Counter[str]()
    for seed in range(0, sizes.mutants, _AT_ONCE):
        found = fuzz(min(_AT_ONCE, sizes.mutants - seed), seed)
        totals.update({name: getattr(found, name) for name in _COUNTED})
        problems.update(found.problems)
        longest = max(longest, found.longest)
        print(f"  mutants: {dict(totals)} {dict(problems)}", flush=True)
    told = {"formats": len(FORMATS), "longest": round(longest, 3), "problems": dict(problems)}
    return {**totals, **told, "bombs": bombs.measure()}
