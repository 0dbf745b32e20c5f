from __future__ import annotations

import logging

import pytest

from paramedic.run.crier import Crier, logging_aside
from paramedic.run.places import Place
from paramedic.types import Finding, Remedy, Severity

FINDING = Finding("G001", "vanishing-gradient", Severity.WARNING, 0.9, "It is small.", 12)


def test_a_finding_with_its_line_and_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    Crier().finding(FINDING, Remedy("r", "Do this", 0.5), Place("gone.py", 3))
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == (
        "paramedic: step 12: vanishing-gradient (G001) (gone.py:3): It is small.\n"
        "paramedic:   try: Do this\n"
    )


def test_notes_wait_and_quiet_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    Crier().finding(Finding("L006", "no-more-gain", Severity.INFO, 0.9, "", 1))
    Crier(quiet=True).finding(FINDING)
    assert capsys.readouterr().err == ""


def test_progress_bars_stay_whole(capsys: pytest.CaptureFixture[str]) -> None:
    tqdm = pytest.importorskip("tqdm")
    with tqdm.tqdm(total=3, mininterval=0) as bar:
        bar.update(1)
        Crier().say("something")
    lines = capsys.readouterr().err.replace("\r", "\n").splitlines()
    assert "paramedic: something" in lines


def test_the_program_s_log_is_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    logger, seen = logging.getLogger("paramedic"), []
    handler = logging.Handler()
    handler.emit = seen.append  # type: ignore[method-assign]
    logging.getLogger().addHandler(handler)
    try:
        with logging_aside(Crier()):
            logger.warning("a finding")
            try:
                raise KeyError("x")
            except KeyError:
                logger.warning("Switched off.", exc_info=True)
    finally:
        logging.getLogger().removeHandler(handler)
    assert seen == []
    assert capsys.readouterr().err == "paramedic: Switched off. (KeyError: 'x')\n"
    assert logger.propagate
