"""A policy gradient in Lightning: its loss says nothing, the reward that it logs does."""

import warnings
from typing import Any

import lightning
import torch
from torch.utils.data import DataLoader, TensorDataset

warnings.simplefilter("ignore")
torch.manual_seed(0)


class Policy(lightning.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.net = torch.nn.Linear(4, 4)

    def _played(self, batch: Any) -> tuple[torch.Tensor, torch.Tensor]:
        (states,) = batch
        chosen = torch.distributions.Categorical(logits=self.net(states))
        actions = chosen.sample()
        return chosen.log_prob(actions), (actions == states.argmax(1)).float()

    def training_step(self, batch: Any, place: int) -> torch.Tensor:
        probability, rewards = self._played(batch)
        return -(probability * (rewards - rewards.mean())).mean()

    def validation_step(self, batch: Any, place: int) -> None:
        self.log("val_reward", self._played(batch)[1].mean())

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), lr=0.03)


states = torch.eye(4).repeat(64, 1)
trainer = lightning.Trainer(
    max_epochs=12, accelerator="cpu", logger=False, enable_checkpointing=False,
    enable_progress_bar=False, enable_model_summary=False,
)  # fmt: skip
trainer.fit(
    Policy(),
    DataLoader(TensorDataset(states), batch_size=16, shuffle=True),
    DataLoader(TensorDataset(states), batch_size=64),
)
