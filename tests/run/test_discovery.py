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


def test_a_missing_train_is_reported_with_the_line_of_eval(tmp_path: Path) -> None:
    """Two epochs of five in evaluation mode, and hardly a step of them is looked at."""
    text = """
        import torch
        from torch import nn

        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, 1))
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        x = torch.randn(320, 8)
        y = x[:, :1] * 2

        for epoch in range(5):
            if epoch in (0, 3):
                model.train()
            for xs, ys in zip(x.split(16), y.split(16)):
                optimizer.zero_grad()
                nn.functional.mse_loss(model(xs), ys).backward()
                optimizer.step()
            if epoch == 0:
                model.eval()  # and never back
    """
    seen = under_watch(script(tmp_path, text), overhead=1e-6, allowance=0.0)
    record = seen.outcome.records[0]
    (found,) = [one for one in record.diagnosis.findings if one.slug == "wrong-mode"]
    assert found.evidence["first_step"] == 20
    place = record.source(found)[0]
    assert Path(place.file).read_text().splitlines()[place.line - 1].endswith("# and never back")


def test_advice_uses_the_names_of_the_program(tmp_path: Path) -> None:
    text = """
        import torch
        from torch import nn

        class Runner:
            def __init__(self):
                self.net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
                self.opt = torch.optim.SGD(self.net.parameters(), lr=1e-9)
            def run(self):
                for _ in range(200):
                    x = torch.randn(8, 4)
                    self.opt.zero_grad()
                    nn.functional.mse_loss(self.net(x), x[:, :1]).backward()
                    self.opt.step()

        torch.manual_seed(0)
        Runner().run()
    """
    record = under_watch(script(tmp_path, text)).outcome.records[0]
    codes = {remedy.slug: remedy.code for remedy in record.remedies}
    assert codes["raise-rate"].startswith("self.opt = torch.optim.SGD(self.net.parameters(), lr=")
