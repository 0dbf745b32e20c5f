"""A Lightning module and its trainer; the learning rate is the argument."""

import sys
import warnings

import lightning
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")


class Classifier(lightning.LightningModule):
    def __init__(self, rate):
        super().__init__()
        self.rate = rate
        self.net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))

    def training_step(self, batch, index):
        x, y = batch
        return nn.functional.cross_entropy(self.net(x), y)

    def validation_step(self, batch, index):
        x, y = batch
        self.log("val_loss", nn.functional.cross_entropy(self.net(x), y))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.rate)


torch.manual_seed(0)
x = torch.randn(600, 8)
y = (x[:, 0] * x[:, 1] > 0).long()
train = DataLoader(TensorDataset(x[:500], y[:500]), batch_size=25, shuffle=True)
val = DataLoader(TensorDataset(x[500:], y[500:]), batch_size=100)
trainer = lightning.Trainer(
    max_epochs=10,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
)
trainer.fit(Classifier(float(sys.argv[1])), train, val)
