from __future__ import annotations

import logging

import pytest

from paramedic.probe.isolation import logger
from paramedic.treat.heal.quiet import quiet_monitors


def test_findings_are_kept_back_and_errors_of_ours_are_not(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def say() -> None:
        logger.warning("loss-plateau: it rests")
        logger.warning("A detector was switched off")
        logger.error("it failed")

    with caplog.at_level(logging.INFO, logger=logger.name):
        with quiet_monitors():
            say()
        assert [one.message for one in caplog.records] == [
            "A detector was switched off",
            "it failed",
        ]
        caplog.clear()
        say()
        assert len(caplog.records) == 3
