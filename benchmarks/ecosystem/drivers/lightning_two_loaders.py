"""Lightning trains on two loaders at once: few labelled digits and many unlabelled ones.

The unlabelled ones are to be classified alike with and without noise (the Pi model).

Mistake: the images of the unlabelled loader are taken together with the labels of the other.
"""

import tempfile

import lightning as L
import numpy as np
import support
import torch
from lightning.pytorch.loggers import CSVLogger
from lightning.pytorch.utilities import CombinedLoader
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

SEED = 1


class PiModel(L.LightningModule):
    def __init__(self, weight=1.0, lr=2e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Conv2d(1, 8, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(8, 16, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Dropout(0.2),
            nn.Linear(16 * 49, 10),
        )

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, batch_idx):
        x, y = batch["labelled"]
        (other,) = batch["unlabelled"]
        supervised = F.cross_entropy(self(other if support.MISTAKE else x), y)
        with torch.no_grad():
            clean = self(other).softmax(1)
        noisy = self(other + 0.2 * torch.randn_like(other)).softmax(1)
        consistency = F.mse_loss(noisy, clean)
        loss = supervised + self.hparams.weight * consistency
        self.log_dict({"train_loss": loss, "supervised": supervised, "consistency": consistency})
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_accuracy", (self(x).argmax(1) == y).float().mean())

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)


L.seed_everything(SEED)
mnist = np.load(support.data("mnist/mnist.npz"), allow_pickle=False)
images = {
    name: torch.from_numpy(mnist[f"x_{name}"][:4000]).float()[:, None] / 255
    for name in ("train", "test")
}
labels = {name: torch.from_numpy(mnist[f"y_{name}"]).long() for name in ("train", "test")}

few = TensorDataset(images["train"][:500], labels["train"][:500])
many = TensorDataset(images["train"][500:4000])
train_loader = CombinedLoader(
    {
        "labelled": DataLoader(few, batch_size=32, shuffle=True, drop_last=True),
        "unlabelled": DataLoader(many, batch_size=32, shuffle=True, drop_last=True),
    },
    mode="max_size_cycle",
)
val_loader = DataLoader(TensorDataset(images["test"][:1000], labels["test"][:1000]), batch_size=250)

model = PiModel()
with tempfile.TemporaryDirectory() as folder:
    trainer = L.Trainer(
        max_epochs=4,
        accelerator="cpu",
        logger=CSVLogger(folder),
        log_every_n_steps=20,
        enable_progress_bar=False,
        enable_model_summary=False,
        enable_checkpointing=False,
    )
    trainer.fit(model, train_loader, val_loader)
    accuracy = trainer.validate(model, val_loader, verbose=False)[0]["val_accuracy"]

most = labels["test"][:1000].bincount().max().item() / 1000
support.outcome("validation accuracy", accuracy, baseline=most, needed=0.8)
