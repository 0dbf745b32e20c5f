from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

pytest.importorskip("lightning")
pytestmark = pytest.mark.filterwarnings("ignore")


def _fit(watch: Any, fails: bool = False) -> None:
    import lightning

    class Classifier(lightning.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.net = nn.Linear(8, 2)

        def training_step(self, batch: Any, index: int) -> Any:
            if fails and index == 3:
                raise RuntimeError("out of patience")
            loss = nn.functional.cross_entropy(self.net(batch[0]), batch[1])
            self.log("train/loss", loss, on_epoch=True, on_step=False)
            return loss

        def validation_step(self, batch: Any, index: int) -> None:
            self.log("val_loss", nn.functional.cross_entropy(self.net(batch[0]), batch[1]))

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.1)

    x = torch.randn(60, 8)
    data = DataLoader(TensorDataset(x, (x[:, 0] > 0).long()), batch_size=12)
    trainer = lightning.Trainer(
        max_epochs=2, accelerator="cpu", logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False, callbacks=[watch],
    )  # fmt: skip
    trainer.fit(Classifier(), data, data)


def test_a_trainer_is_watched() -> None:
    from paramedic.integrations.lightning import Watch

    watch = Watch(strict=True, overhead=None)
    _fit(watch)
    assert watch.monitor is not None
    assert watch.monitor.last_step == 9
    assert watch.monitor.status().steps == 10
    epochs = watch.monitor.window().epochs
    assert [sorted(epoch.values) for epoch in epochs] == [["train_loss", "val_loss"]] * 2
    assert not torch.nn.modules.module._has_any_global_hook()


def test_it_is_closed_after_an_error() -> None:
    from paramedic.integrations.lightning import Watch

    backward = torch.autograd.backward
    with pytest.raises(RuntimeError, match="out of patience"):
        _fit(Watch(strict=True), fails=True)
    assert torch.autograd.backward is backward
