"""Deep kernel learning with GPyTorch: a network below an exact GP, on measures of tumours.

The "worst" radius in sklearn's breast cancer data is to be told from the means of other measures.

Mistake: the optimizer is told to maximise, but the loss is already the negative likelihood.
"""

import gpytorch
import support
import torch
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn

SEED = 0
STEPS = 60

torch.manual_seed(SEED)
table = load_breast_cancer(as_frame=True).frame
inputs = table.filter(like="mean ").drop(columns=["mean area", "mean radius", "mean perimeter"])
x_train, x_test, y_train, y_test = train_test_split(
    inputs.to_numpy(), table[["worst radius"]].to_numpy(), test_size=0.3, random_state=0
)
scale_x, scale_y = StandardScaler().fit(x_train), StandardScaler().fit(y_train)
x_train, x_test = (torch.tensor(scale_x.transform(x)).float() for x in (x_train, x_test))
y_train, y_test = (torch.tensor(scale_y.transform(y)).float()[:, 0] for y in (y_train, y_test))


class DeepKernelGP(gpytorch.models.ExactGP):
    def __init__(self, x, y, likelihood):
        super().__init__(x, y, likelihood)
        self.features = nn.Sequential(
            nn.Linear(x.shape[1], 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 2)
        )
        self.scale_to_bounds = gpytorch.utils.grid.ScaleToBounds(-1.0, 1.0)
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel(ard_num_dims=2))

    def forward(self, x):
        z = self.scale_to_bounds(self.features(x))
        return gpytorch.distributions.MultivariateNormal(self.mean_module(z), self.covar_module(z))


likelihood = gpytorch.likelihoods.GaussianLikelihood()
model = DeepKernelGP(x_train, y_train, likelihood)
optimizer = torch.optim.Adam(
    [
        {"params": model.features.parameters()},
        {"params": model.covar_module.parameters()},
        {"params": model.mean_module.parameters()},
        {"params": likelihood.parameters()},
    ],
    lr=0.02,
    maximize=support.MISTAKE,
)
marginal = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)

model.train()
likelihood.train()
for step in range(STEPS):
    optimizer.zero_grad()
    loss = -marginal(model(x_train), y_train)
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(f"step {step}: loss {loss.item():.3f} noise {likelihood.noise.item():.3f}")

model.eval()
likelihood.eval()
with torch.no_grad(), gpytorch.settings.fast_pred_var():
    predicted = likelihood(model(x_test))
    density = predicted.to_data_independent_dist().log_prob(y_test).mean().item()
constant = torch.distributions.Normal(0.0, 1.0).log_prob(y_test).mean().item()
support.outcome("test log density", density, baseline=constant, needed=constant + 0.5)
