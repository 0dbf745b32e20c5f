"""Bayesian linear regression with Pyro's AutoDiagonalNormal guide on sklearn's diabetes data.

Mistake: ClippedAdam's `lrd` is set to 0.9 as if it were applied per epoch; it is applied per step.
"""

import pyro
import pyro.distributions as dist
import support
import torch
from pyro.infer import SVI, Predictive, Trace_ELBO
from pyro.infer.autoguide import AutoDiagonalNormal
from pyro.nn import PyroModule, PyroSample
from pyro.optim import ClippedAdam
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn

SEED = 0
pyro.set_rng_seed(SEED)

x, y = load_diabetes(return_X_y=True)
x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.25, random_state=SEED)
scale_x, scale_y = StandardScaler().fit(x_train), StandardScaler().fit(y_train[:, None])


def prepare(x, y):
    x, y = scale_x.transform(x), scale_y.transform(y[:, None])[:, 0]
    return torch.tensor(x, dtype=torch.float), torch.tensor(y, dtype=torch.float)


x_train, y_train = prepare(x_train, y_train)
x_test, y_test = prepare(x_test, y_test)


class BayesianRegression(PyroModule):
    def __init__(self, inputs):
        super().__init__()
        self.linear = PyroModule[nn.Linear](inputs, 1)
        self.linear.weight = PyroSample(dist.Normal(0.0, 1.0).expand([1, inputs]).to_event(2))
        self.linear.bias = PyroSample(dist.Normal(0.0, 1.0).expand([1]).to_event(1))

    def forward(self, x, y=None):
        sigma = pyro.sample("sigma", dist.Uniform(0.0, 3.0))
        mean = pyro.deterministic("mean", self.linear(x).squeeze(-1))
        with pyro.plate("data", len(x)):
            return pyro.sample("obs", dist.Normal(mean, sigma), obs=y)


model = BayesianRegression(x_train.shape[1])
guide = AutoDiagonalNormal(model)
steps = 1500
lrd = 0.9 if support.MISTAKE else 0.1 ** (1 / steps)
svi = SVI(model, guide, ClippedAdam({"lr": 0.02, "lrd": lrd}), loss=Trace_ELBO())


def predict(x):
    draws = Predictive(model, guide=guide, num_samples=200, return_sites=("mean",))(x)
    return draws["mean"].mean(0).squeeze()


for step in range(1, steps + 1):
    loss = svi.step(x_train, y_train)
    if step % 300 == 0:
        print(f"step {step:4d}: loss per row {loss / len(x_train):.4f}")

with torch.no_grad():
    r2 = 1 - ((predict(x_test) - y_test) ** 2).mean().item() / y_test.var().item()
support.outcome("R2 of the posterior mean", r2, baseline=0.0, needed=0.25)
