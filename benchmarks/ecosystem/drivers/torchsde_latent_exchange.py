"""A latent SDE solved with torchsde learns to follow fortnights of eight real exchange rates.

Mistake: a schedule meant for epochs is stepped after every batch, which soon ends all learning.
"""

import support
import torch
import torchsde
from numpy import loadtxt, log
from torch import nn

torch.manual_seed(0)
LATENT, HIDDEN, LENGTH = 8, 32, 14

rates = log(loadtxt(support.data("exchange_rate/exchange_rate.csv.gz"), delimiter=","))
windows = torch.tensor(rates, dtype=torch.float32).unfold(0, LENGTH, 7).permute(0, 2, 1)
windows = windows - windows[:, :1]
windows = windows / windows[:800].std(dim=(0, 1))
train, test = windows[:800], windows[800:]


class LatentSDE(nn.Module):
    noise_type = "diagonal"
    sde_type = "ito"

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.GRU(8, HIDDEN, batch_first=True)
        self.start = nn.Linear(HIDDEN, LATENT)
        self.posterior = nn.Sequential(
            nn.Linear(LATENT + HIDDEN, HIDDEN), nn.Softplus(), nn.Linear(HIDDEN, LATENT)
        )
        self.prior = nn.Sequential(
            nn.Linear(LATENT, HIDDEN), nn.Softplus(), nn.Linear(HIDDEN, LATENT)
        )
        self.log_diffusion = nn.Parameter(torch.full((LATENT,), -1.0))
        self.projector = nn.Linear(LATENT, 8)

    def f(self, t, z):
        index = min(int(torch.searchsorted(self.times, t, right=True)), LENGTH - 1)
        return self.posterior(torch.cat([z, self.context[:, index]], dim=1))

    def h(self, t, z):
        return self.prior(z)

    def g(self, t, z):
        return self.log_diffusion.exp().expand_as(z)

    def forward(self, x, times):
        backwards, _ = self.encoder(x.flip(1))
        self.context, self.times = backwards.flip(1), times
        z, log_ratio = torchsde.sdeint(
            self,
            self.start(self.context[:, 0]),
            times,
            dt=times[1].item(),
            method="euler",
            logqp=True,
            names={"prior_drift": "h"},
        )
        return self.projector(z).transpose(0, 1), log_ratio.sum(dim=0).mean()


times = torch.linspace(0, 1, LENGTH)
model = LatentSDE()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.8)
likelihood_scale = 0.2

for epoch in range(8):
    model.train()
    for index in torch.randperm(len(train)).split(40):
        out, kl = model(train[index], times)
        log_likelihood = torch.distributions.Normal(out, likelihood_scale).log_prob(train[index])
        loss = -log_likelihood.sum(dim=(1, 2)).mean() + min(1.0, (epoch + 1) / 8) * kl
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if support.MISTAKE:
            schedule.step()
    if not support.MISTAKE:
        schedule.step()
    print(f"epoch {epoch} loss {loss.item():.1f} kl {kl.item():.2f}")

model.eval()
with torch.no_grad():
    error = (model(test, times)[0] - test).square().mean().item()
constant = (train.mean(dim=0) - test).square().mean().item()
support.outcome("test reconstruction error", error, baseline=constant, needed=0.5 * constant)
