"""A variational autoencoder trained with Pyro's SVI on sklearn's digits.

Mistake: `pyro.module` is forgotten for the decoder, so that SVI never trains it.
"""

import pyro
import pyro.distributions as dist
import support
import torch
from pyro.infer import SVI, Trace_ELBO
from pyro.optim import Adam
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = 0
pyro.set_rng_seed(SEED)

images = torch.tensor(load_digits().images, dtype=torch.float).flatten(1)
images = (images > 8).float()[torch.randperm(len(images))]
train_loader = DataLoader(TensorDataset(images[:1500]), batch_size=64, shuffle=True)
test_loader = DataLoader(TensorDataset(images[1500:]), batch_size=64)


class Encoder(nn.Module):
    def __init__(self, z_dim, hidden):
        super().__init__()
        self.hidden = nn.Linear(64, hidden)
        self.loc = nn.Linear(hidden, z_dim)
        self.log_scale = nn.Linear(hidden, z_dim)

    def forward(self, x):
        hidden = nn.functional.softplus(self.hidden(x))
        return self.loc(hidden), self.log_scale(hidden).exp()


class VAE(nn.Module):
    def __init__(self, z_dim=8, hidden=128):
        super().__init__()
        self.z_dim = z_dim
        self.encoder = Encoder(z_dim, hidden)
        self.decoder = nn.Sequential(
            nn.Linear(z_dim, hidden), nn.Softplus(), nn.Linear(hidden, 64), nn.Sigmoid()
        )

    def model(self, x):
        if not support.MISTAKE:
            pyro.module("decoder", self.decoder)
        with pyro.plate("data", len(x)):
            loc = x.new_zeros(len(x), self.z_dim)
            z = pyro.sample("latent", dist.Normal(loc, torch.ones_like(loc)).to_event(1))
            pyro.sample("obs", dist.Bernoulli(self.decoder(z)).to_event(1), obs=x)

    def guide(self, x):
        pyro.module("encoder", self.encoder)
        with pyro.plate("data", len(x)):
            loc, scale = self.encoder(x)
            pyro.sample("latent", dist.Normal(loc, scale).to_event(1))


vae = VAE()
svi = SVI(vae.model, vae.guide, Adam({"lr": 2e-3}), loss=Trace_ELBO())


def evaluate():
    loss = sum(svi.evaluate_loss(x) for (x,) in test_loader)
    return loss / len(test_loader.dataset)


untrained = evaluate()
for epoch in range(1, 41):
    loss = sum(svi.step(x) for (x,) in train_loader) / len(train_loader.dataset)
    if epoch % 8 == 0:
        print(f"epoch {epoch:2d}: train loss {loss:.3f}, test loss {evaluate():.3f}")

support.outcome("negative ELBO of test images", evaluate(), baseline=untrained, needed=23.0)
