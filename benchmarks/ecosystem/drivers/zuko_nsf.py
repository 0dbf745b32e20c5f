"""A neural spline flow of zuko fitted to the daily returns of three currencies (exchange rates).

Mistake: the flow is built once more after the optimizer, which goes on training the first one.
"""

import numpy as np
import support
import torch
import zuko
from torch.utils.data import DataLoader, TensorDataset

SEED = 0
torch.manual_seed(SEED)

rates = np.loadtxt(support.data("exchange_rate/exchange_rate.csv.gz"), delimiter=",")
returns = torch.tensor(np.diff(np.log(rates[:, [1, 3, 5]]), axis=0), dtype=torch.float)
returns = returns[torch.randperm(len(returns))]
returns = (returns - returns[:6000].mean(0)) / returns[:6000].std(0)
train, test = returns[:6000], returns[6000:]
loader = DataLoader(TensorDataset(train), batch_size=256, shuffle=True)

flow = zuko.flows.NSF(features=3, transforms=3, hidden_features=(64, 64))
optimizer = torch.optim.Adam(flow.parameters(), lr=1e-3)
if support.MISTAKE:
    flow = zuko.flows.NSF(features=3, transforms=3, hidden_features=(64, 64))


@torch.no_grad()
def evaluate():
    return -flow().log_prob(test).mean().item()


untrained = evaluate()
for epoch in range(1, 21):
    losses = []
    for (x,) in loader:
        loss = -flow().log_prob(x).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    if epoch % 4 == 0:
        print(f"epoch {epoch:2d}: loss {np.mean(losses):.4f}, test {evaluate():.4f}")

gauss = torch.distributions.MultivariateNormal(train.mean(0), train.T.cov())
gaussian = -gauss.log_prob(test).mean().item()
print(f"a Gaussian of full covariance: {gaussian:.4f}, the untrained flow: {untrained:.4f}")
support.outcome("negative log density", evaluate(), baseline=untrained, needed=gaussian - 0.2)
