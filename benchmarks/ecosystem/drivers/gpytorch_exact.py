"""Exact Gaussian process regression with GPyTorch: a currency of the exchange rate data over time.

Every fourth day is held out; the hyperparameters are fitted with Adam as in the first tutorial.

Mistake: the sign of the loss: the marginal log likelihood is minimised instead of maximised.
"""

import gpytorch
import numpy as np
import support
import torch

SEED = 0
torch.manual_seed(SEED)

rates = np.loadtxt(support.data("exchange_rate/exchange_rate.csv.gz"), delimiter=",")
series = torch.tensor(rates[:600, 1], dtype=torch.float)
days = torch.linspace(0, 1, len(series))
held_out = torch.arange(len(series)) % 4 == 1
mean, std = series[~held_out].mean(), series[~held_out].std()
series = (series - mean) / std
train_x, train_y = days[~held_out], series[~held_out]
test_x, test_y = days[held_out], series[held_out]


class ExactGP(gpytorch.models.ExactGP):
    def __init__(self, x, y, likelihood):
        super().__init__(x, y, likelihood)
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


likelihood = gpytorch.likelihoods.GaussianLikelihood()
model = ExactGP(train_x, train_y, likelihood)
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
mll = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)


def density():
    """The mean log density of the held-out days."""
    model.eval()
    likelihood.eval()
    with torch.no_grad():
        predicted = likelihood(model(test_x))
        each = torch.distributions.Normal(predicted.mean, predicted.stddev)
        return each.log_prob(test_y).mean().item()


untrained = density()
model.train()
likelihood.train()
for i in range(1, 121):
    optimizer.zero_grad()
    loss = mll(model(train_x), train_y)
    if not support.MISTAKE:
        loss = -loss
    loss.backward()
    if i % 20 == 0:
        lengthscale = model.covar_module.base_kernel.lengthscale.item()
        noise = likelihood.noise.item()
        print(f"{i:3d}: loss {loss.item():.3f}, lengthscale {lengthscale:.3f}, noise {noise:.3f}")
    optimizer.step()

support.outcome("log density of held-out days", density(), baseline=untrained, needed=0.5)
