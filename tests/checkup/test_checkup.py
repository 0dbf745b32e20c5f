"""The public name: a room that can be called."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

ORDERS = [
    "import paramedic; f = g = h = paramedic.checkup",
    "import paramedic; f = paramedic.checkup; from paramedic.checkup import checkup as g; h = f",
    "import paramedic.checkup.report; f = g = h = paramedic.checkup",
]


@pytest.mark.parametrize("order", ORDERS)
def test_it_can_be_called_whatever_was_imported_before(order: str) -> None:
    code = (
        f"{order}\nfrom torch import nn, ones\n"
        "for one in (f, g, h): assert one(nn.Linear(2, 1), ones(3, 2), select=['memory']).ok\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_its_signature_is_that_of_the_function() -> None:
    import paramedic

    assert list(inspect.signature(paramedic.checkup).parameters)[:4] == [
        "model", "batch", "loss_fn", "optimizer",
    ]  # fmt: skip
