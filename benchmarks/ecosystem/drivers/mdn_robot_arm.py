"""A mixture-density network (plain PyTorch) for the inverse kinematics of a two-link robot arm.

Two elbow positions reach the same point, so the answer is a mixture.

Mistake: the targets get one axis too many and are broadcast: each is compared with every output.
"""

import support
import torch
from torch import nn
from torch.distributions import Categorical, Independent, MixtureSameFamily, Normal
from torch.utils.data import DataLoader, TensorDataset

SEED = 0
torch.manual_seed(SEED)

lengths = (0.8, 0.5)
shoulder = 0.3 + 0.9 * torch.rand(6000)
elbow = -2.6 + 5.2 * torch.rand(6000)
reached = torch.stack(
    [
        lengths[0] * shoulder.cos() + lengths[1] * (shoulder + elbow).cos(),
        lengths[0] * shoulder.sin() + lengths[1] * (shoulder + elbow).sin(),
    ],
    dim=1,
)
angles = torch.stack([shoulder, elbow], dim=1)
angles = (angles - angles.mean(0)) / angles.std(0)
train_loader = DataLoader(
    TensorDataset(reached[:5000], angles[:5000]), batch_size=128, shuffle=True
)
x_test, y_test = reached[5000:], angles[5000:]


class MDN(nn.Module):
    def __init__(self, inputs, outputs, components=5, hidden=64):
        super().__init__()
        self.shape = (components, outputs)
        self.body = nn.Sequential(
            nn.Linear(inputs, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh()
        )
        self.weight = nn.Linear(hidden, components)
        self.mean = nn.Linear(hidden, components * outputs)
        self.log_scale = nn.Linear(hidden, components * outputs)

    def forward(self, x):
        hidden = self.body(x)
        mean = self.mean(hidden).unflatten(-1, self.shape)
        scale = self.log_scale(hidden).unflatten(-1, self.shape).clamp(-6, 3).exp()
        mixture = Categorical(logits=self.weight(hidden))
        return MixtureSameFamily(mixture, Independent(Normal(mean, scale), 1))


model = MDN(2, 2)
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)


@torch.no_grad()
def evaluate():
    return -model(x_test).log_prob(y_test).mean().item()


for epoch in range(1, 31):
    for x, y in train_loader:
        if support.MISTAKE:
            y = y.unsqueeze(1)
        loss = -model(x).log_prob(y).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 5 == 0:
        print(f"epoch {epoch:2d}: loss {loss.item():.4f}, test {evaluate():.4f}")

gaussian = -Normal(0.0, 1.0).log_prob(y_test).sum(1).mean().item()
support.outcome("negative log density", evaluate(), baseline=gaussian, needed=0.5)
