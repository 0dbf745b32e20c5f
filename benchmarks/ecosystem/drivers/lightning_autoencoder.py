"""An autoencoder of MNIST digits with a code of eight numbers, trained by Lightning's Trainer.

Mistake: the StepLR that was meant to decay per epoch is set to decay per step.
"""

import tempfile

import lightning as L
import numpy as np
import support
import torch
from lightning.pytorch.loggers import CSVLogger
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

SEED = 1


class LitAutoEncoder(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(28 * 28, 128), nn.ReLU(), nn.Linear(128, 8))
        self.decoder = nn.Sequential(nn.Linear(8, 128), nn.ReLU(), nn.Linear(128, 28 * 28))

    def forward(self, x):
        return self.decoder(self.encoder(x))

    def training_step(self, batch, batch_idx):
        x = batch[0].flatten(1)
        loss = F.mse_loss(self(x), x)
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x = batch[0].flatten(1)
        self.log("val_loss", F.mse_loss(self(x), x))

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=1e-3)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.7)
        interval = "step" if support.MISTAKE else "epoch"
        return {
            "optimizer": optimizer,
            "lr_scheduler": {"scheduler": scheduler, "interval": interval},
        }


L.seed_everything(SEED)
mnist = np.load(support.data("mnist/mnist.npz"), allow_pickle=False)
train = TensorDataset(torch.from_numpy(mnist["x_train"][:10000]).float() / 255)
val = TensorDataset(torch.from_numpy(mnist["x_test"][:2000]).float() / 255)

model = LitAutoEncoder()
with tempfile.TemporaryDirectory() as folder:
    trainer = L.Trainer(
        max_epochs=5,
        accelerator="cpu",
        logger=CSVLogger(folder),
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    val_loader = DataLoader(val, batch_size=256)
    trainer.fit(model, DataLoader(train, batch_size=64, shuffle=True), val_loader)
    error = trainer.validate(model, val_loader, verbose=False)[0]["val_loss"]

mean_image = train.tensors[0].mean(0)
constant = F.mse_loss(mean_image.expand_as(val.tensors[0]), val.tensors[0]).item()
support.outcome("validation MSE", error, baseline=constant, needed=0.04)
