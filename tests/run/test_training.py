from __future__ import annotations

from pathlib import Path

from tests.run.support import script, under_watch

TEXT = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
x = torch.randn(64, 4)
y = x.sum(1, keepdim=True)
model = nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.05)
mse = nn.MSELoss()
for epoch in range(3):
    total = 0.0
    for a, b in DataLoader(TensorDataset(x[:48], y[:48]), batch_size=16):
        opt.zero_grad()
        loss = mse(model(a), b)
        loss.backward()
        opt.step()
        total += loss.item()
    with torch.no_grad():
        print(total / 3, mse(model(x[48:]), y[48:]).item())
"""


def test_epochs_have_the_numbers_that_the_program_prints(tmp_path: Path) -> None:
    seen = under_watch(script(tmp_path, TEXT))
    (record,) = seen.outcome.records
    printed = [tuple(map(float, line.split())) for line in seen.stdout.splitlines()]
    found = [(one.values["train_loss"], one.values["val_loss"]) for one in record.epochs]
    assert len(found) == 3
    for ours, theirs in zip(found, printed, strict=True):
        assert abs(ours[0] - theirs[0]) < 1e-6
        assert abs(ours[1] - theirs[1]) < 1e-6
    assert [one.step for one in record.epochs] == [2, 5, 8]
    assert (record.root_class, record.called) == ("Linear", "model")
    assert record.trace is not None
    assert record.trace.exists()
