from __future__ import annotations

from pathlib import Path

from tests.run.support import script, under_watch

TEXT = """
import torch
from torch import nn

class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
    def forward(self, x):
        return self.fc(x)

class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
        self.head = nn.Linear(4, 1)
    def forward(self, x):
        return self.head(self.inner(x))

class Runner:
    def __init__(self):
        self.net = Outer()
        self.opt = torch.optim.Adam(self.net.head.parameters())
        self.other = torch.optim.SGD(self.net.inner.parameters(), lr=0.1)
    def run(self):
        for _ in range(3):
            self.net(torch.ones(2, 4)).sum().backward()
            self.opt.step()
            self.other.step()

Runner().run()
"""


def test_parts_and_names_as_the_user_has_them(tmp_path: Path) -> None:
    (record,) = under_watch(script(tmp_path, TEXT)).outcome.records
    assert record.called == "self.net"
    assert record.name == "net"
    assert len(record.chart.optimizers) == 2
    lines = {name: place.line for name, place in record.layers.items()}
    assert lines == {"Outer": 22, "inner": 15, "inner.fc": 8, "head": 16}
    assert record.places["optimizer"].line == 23
