"""Variational GP regression (GPyTorch SVGP) on exchange rates: one currency from the seven others.

Mistake: the optimizer is given the likelihood's parameters only, not the model's.
"""

import gpytorch
import numpy as np
import support
import torch
from torch.utils.data import DataLoader, TensorDataset

SEED = 0
torch.manual_seed(SEED)

rates = np.loadtxt(support.data("exchange_rate/exchange_rate.csv.gz"), delimiter=",")
rates = torch.tensor((rates - rates.mean(0)) / rates.std(0), dtype=torch.float)
rates = rates[torch.randperm(len(rates))]
train_x, train_y = rates[:3000, 1:], rates[:3000, 0]
test_x, test_y = rates[3000:4500, 1:], rates[3000:4500, 0]
train_loader = DataLoader(TensorDataset(train_x, train_y), batch_size=256, shuffle=True)


class GPModel(gpytorch.models.ApproximateGP):
    def __init__(self, inducing_points):
        variational_distribution = gpytorch.variational.CholeskyVariationalDistribution(
            inducing_points.size(0)
        )
        variational_strategy = gpytorch.variational.VariationalStrategy(
            self, inducing_points, variational_distribution, learn_inducing_locations=True
        )
        super().__init__(variational_strategy)
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


model = GPModel(inducing_points=train_x[:100].clone())
likelihood = gpytorch.likelihoods.GaussianLikelihood()
parameters = [{"params": likelihood.parameters()}]
if not support.MISTAKE:
    parameters.append({"params": model.parameters()})
optimizer = torch.optim.Adam(parameters, lr=0.01)
mll = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=len(train_y))

model.train()
likelihood.train()
for epoch in range(1, 26):
    for x_batch, y_batch in train_loader:
        optimizer.zero_grad()
        loss = -mll(model(x_batch), y_batch)
        loss.backward()
        optimizer.step()
    if epoch % 5 == 0:
        print(f"epoch {epoch:2d}: loss {loss.item():.3f}, noise {likelihood.noise.item():.3f}")

model.eval()
likelihood.eval()
with torch.no_grad():
    predicted = likelihood(model(test_x)).mean
r2 = 1 - ((predicted - test_y) ** 2).mean().item() / test_y.var().item()
support.outcome("R2 on held-out days", r2, baseline=0.0, needed=0.8)
