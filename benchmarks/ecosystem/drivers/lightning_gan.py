"""A GAN of sklearn's 8x8 digits in Lightning with manual optimisation and two optimizers.

Mistake: the generator's loss is taken on detached images, so that no gradient reaches it.
"""

import tempfile

import lightning as L
import numpy as np
import support
import torch
from lightning.pytorch.loggers import CSVLogger
from scipy.linalg import sqrtm
from sklearn.datasets import load_digits
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

SEED = 1


class GAN(L.LightningModule):
    def __init__(self, latent_dim=32):
        super().__init__()
        self.automatic_optimization = False
        self.latent_dim = latent_dim
        self.generator = nn.Sequential(
            nn.Linear(latent_dim, 128),
            nn.BatchNorm1d(128),
            nn.LeakyReLU(0.2),
            nn.Linear(128, 128),
            nn.BatchNorm1d(128),
            nn.LeakyReLU(0.2),
            nn.Linear(128, 64),
            nn.Tanh(),
        )
        self.discriminator = nn.Sequential(
            nn.Linear(64, 128),
            nn.LeakyReLU(0.2),
            nn.Linear(128, 64),
            nn.LeakyReLU(0.2),
            nn.Linear(64, 1),
        )

    def forward(self, z):
        return self.generator(z)

    def training_step(self, batch, batch_idx):
        opt_g, opt_d = self.optimizers()
        real = batch[0]
        ones, zeros = torch.ones(len(real), 1), torch.zeros(len(real), 1)
        fake = self(torch.randn(len(real), self.latent_dim))

        judged = self.discriminator(fake.detach() if support.MISTAKE else fake)
        g_loss = F.binary_cross_entropy_with_logits(judged, ones)
        opt_g.zero_grad()
        self.manual_backward(g_loss)
        opt_g.step()

        real_loss = F.binary_cross_entropy_with_logits(self.discriminator(real), ones)
        fake_loss = F.binary_cross_entropy_with_logits(self.discriminator(fake.detach()), zeros)
        d_loss = (real_loss + fake_loss) / 2
        opt_d.zero_grad()
        self.manual_backward(d_loss)
        opt_d.step()
        self.log_dict({"g_loss": g_loss, "d_loss": d_loss})

    def configure_optimizers(self):
        opt_g = torch.optim.Adam(self.generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
        opt_d = torch.optim.Adam(self.discriminator.parameters(), lr=2e-4, betas=(0.5, 0.999))
        return [opt_g, opt_d]


def frechet(a, b):
    """The Fréchet distance between two sets of images, each taken as a normal distribution."""
    cov_a, cov_b = np.cov(a.T), np.cov(b.T)
    return ((a.mean(0) - b.mean(0)) ** 2).sum() + np.trace(
        cov_a + cov_b - 2 * sqrtm(cov_a @ cov_b).real
    )


@torch.no_grad()
def samples(model):
    model.eval()
    images = model(torch.randn(1797, model.latent_dim)).numpy()
    model.train()
    return images


L.seed_everything(SEED)
digits = (load_digits().data / 8 - 1).astype("float32")
model = GAN()
before = frechet(samples(model), digits)
with tempfile.TemporaryDirectory() as folder:
    trainer = L.Trainer(
        max_epochs=40,
        accelerator="cpu",
        logger=CSVLogger(folder),
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(model, DataLoader(TensorDataset(torch.from_numpy(digits)), 64, shuffle=True))

after = frechet(samples(model), digits)
support.outcome("Fréchet distance", after, baseline=before, needed=0.3 * before)
