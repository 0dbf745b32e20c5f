from __future__ import annotations

from pathlib import Path

import pytest

from paramedic.run.fix.patchers.inputs import standardise
from tests.run.fix.jobs import job

TEXT = """
import torch.nn as nn
fc = nn.{kind}(2, 2)  # layer fc {kind}
model = {made}  # root
"""


@pytest.mark.parametrize(
    ("kind", "made", "wanted"),
    [
        ("Linear", "Net(3)", "nn.Sequential(nn.LazyBatchNorm1d(affine=False), Net(3))"),
        ("Conv2d", "Net().to(d)", "nn.Sequential(nn.LazyBatchNorm2d(affine=False), Net()).to(d)"),
    ],
)
def test_a_normalisation_in_front(kind: str, made: str, wanted: str, tmp_path: Path) -> None:
    (patch,) = standardise(job(tmp_path, TEXT.format(kind=kind, made=made)))
    assert f"model = {wanted}  # root" in patch.after


def test_tokens_are_no_numbers(tmp_path: Path) -> None:
    assert not list(standardise(job(tmp_path, TEXT.format(kind="Embedding", made="Net()"))))
