from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest

import paramedic
from paramedic.diagnose.replay import replay as judged

BANK = Path(__file__).parent.parent / "bank"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    packed = BANK / "missing-zero-grad--fc-digits-never-momentum-s0.db.xz"
    path = tmp_path / "run.db"
    path.write_bytes(lzma.decompress(packed.read_bytes()))
    return path


def test_a_replay_says_what_to_do(run: Path) -> None:
    verdict = paramedic.replay(run)
    assert verdict.remedies[0].slug == "zero-grad"
    assert verdict.remedies[0].code.startswith("optimizer.zero_grad()")
    text = json.dumps(verdict.to_json()["remedies"], allow_nan=False)
    assert json.loads(text)[0]["ground"]


def test_without_an_adviser_there_are_no_remedies(run: Path) -> None:
    verdict = judged(run)
    assert verdict.findings
    assert verdict.remedies == ()
