"""The room and the call have one name: both can be had, in any order."""

from __future__ import annotations

import subprocess
import sys

import pytest

USE = """
import torch
layer = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
with paramedic.inject(layer, optimizer, "exploding-gradient", at=0) as injection:
    layer(torch.ones(1, 2)).sum().backward()
print(injection.log[0][0], layer.bias.grad.tolist())
"""


@pytest.mark.parametrize(
    "first",
    [
        "import paramedic; paramedic.inject; paramedic.inject; import paramedic.inject.discovery",
        "import paramedic.inject.discovery; paramedic.inject.discovery.faults()",
    ],
)
def test_it_can_be_called(first: str) -> None:
    result = subprocess.run(
        [sys.executable, "-c", first + USE], capture_output=True, text=True, check=True, timeout=60
    )
    assert result.stdout.split("\n")[0] == "0 [20.0, 20.0]"
