from __future__ import annotations

from pathlib import Path

from paramedic.run.fix.patch import Patch
from paramedic.types import Remedy


def test_a_unified_diff() -> None:
    patch = Patch(Remedy("r", "R", 0.5), Path("train.py"), "a\nb\n", "a\nc")
    assert patch.diff() == "--- a/train.py\n+++ b/train.py\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
