from __future__ import annotations

from pathlib import Path

from paramedic.run.fix.patchers.initial import reinitialise
from tests.run.fix.jobs import changed, job

TEXT = """
def init(m):
    nn.init.constant_(m.weight, 0.5)
    nn.init.zeros_(m.bias)
model = Net()  # root model
"""


def test_by_hand_and_anew(tmp_path: Path) -> None:
    by_hand, anew = reinitialise(job(tmp_path, TEXT, scheme="Glorot's"))
    assert changed(by_hand)[1:] == ["+nn.init.xavier_uniform_(m.weight)"]
    assert "model = Net()  # root model\nfor layer in model.modules():\n" in anew.after
