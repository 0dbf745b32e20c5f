from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

pytest.importorskip("transformers")
pytestmark = pytest.mark.filterwarnings("ignore")


class Small(nn.Module):
    """As little as a Trainer needs."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, x: Any, labels: Any) -> dict[str, Any]:
        logits = self.layer(x)
        return {"loss": nn.functional.cross_entropy(logits, labels), "logits": logits}


def test_a_trainer_is_watched(tmp_path: Path) -> None:
    from transformers import Trainer, TrainingArguments

    from paramedic.integrations.transformers import Watch

    x = torch.randn(32, 4)
    data: Any = [{"x": one, "labels": (one[0] > 0).long()} for one in x]
    watch = Watch(strict=True, overhead=None)
    arguments = TrainingArguments(
        output_dir=str(tmp_path), num_train_epochs=2, per_device_train_batch_size=8,
        save_strategy="no", report_to="none", disable_tqdm=True, use_cpu=True,
        eval_strategy="epoch", logging_steps=1,
    )  # fmt: skip
    Trainer(
        model=Small(), args=arguments, train_dataset=data, eval_dataset=data, callbacks=[watch]
    ).train()
    assert watch.monitor is not None
    assert watch.monitor.last_step == 7
    assert watch.monitor.status().steps == 8
    epochs = watch.monitor.window().epochs
    assert [sorted(epoch.values) for epoch in epochs] == [["train_loss", "val_loss"]] * 2
    assert watch.monitor._closed
