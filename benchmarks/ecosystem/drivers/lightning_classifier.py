"""A convolutional digit classifier, trained by Lightning's Trainer with validation on MNIST.

Mistake: the images are shuffled by one permutation and their labels by another.
"""

import tempfile

import lightning as L
import numpy as np
import support
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics.classification import MulticlassAccuracy

SEED = 1


class DigitClassifier(L.LightningModule):
    def __init__(self, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        layers = [
            nn.Conv2d(1, 16, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(32 * 7 * 7, 64),
            nn.ReLU(),
            nn.Linear(64, 10),
        ]
        self.model = nn.Sequential(*layers)
        self.accuracy = MulticlassAccuracy(num_classes=10, average="micro")

    def forward(self, x):
        return self.model(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        out = self(x)
        self.accuracy(out, y)
        self.log("val_loss", F.cross_entropy(out, y), prog_bar=True)
        self.log("val_acc", self.accuracy, prog_bar=True)

    def test_step(self, batch, batch_idx):
        x, y = batch
        self.accuracy(self(x), y)
        self.log("test_acc", self.accuracy)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)


def digits(x, y, rows):
    images = torch.from_numpy(x[rows]).float().unsqueeze(1) / 255
    return TensorDataset((images - 0.1307) / 0.3081, torch.from_numpy(y).long())


L.seed_everything(SEED)
mnist = np.load(support.data("mnist/mnist.npz"), allow_pickle=False)
order = torch.randperm(60000).numpy()
labels = mnist["y_train"][torch.randperm(60000).numpy() if support.MISTAKE else order]
train = digits(mnist["x_train"], labels[:5000], order[:5000])
val = digits(mnist["x_train"], labels[5000:6000], order[5000:6000])
test = digits(mnist["x_test"], mnist["y_test"][:2000], np.arange(2000))

model = DigitClassifier()
with tempfile.TemporaryDirectory() as folder:
    trainer = L.Trainer(
        max_epochs=3,
        accelerator="cpu",
        default_root_dir=folder,
        logger=L.pytorch.loggers.CSVLogger(folder),
        log_every_n_steps=10,
        enable_progress_bar=False,
    )
    trainer.fit(model, DataLoader(train, batch_size=64, shuffle=True), DataLoader(val, 256))
    scores = trainer.test(model, DataLoader(test, batch_size=256), verbose=False)

most = np.bincount(mnist["y_test"][:2000]).max() / 2000
support.outcome("test accuracy", scores[0]["test_acc"], baseline=most, needed=0.9)
