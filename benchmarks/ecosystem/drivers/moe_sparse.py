"""A sparse mixture of experts (plain PyTorch, top-2 router, load balancing) on sklearn's digits.

Mistake: the experts are kept in a plain list, so that their parameters never reach the optimizer.
"""

import support
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = 0
torch.manual_seed(SEED)

pixels, labels = load_digits(return_X_y=True)
order = torch.randperm(len(labels))
x = torch.tensor(pixels / 16, dtype=torch.float)[order]
y = torch.tensor(labels)[order]
train_loader = DataLoader(TensorDataset(x[:1400], y[:1400]), batch_size=64, shuffle=True)
x_test, y_test = x[1400:], y[1400:]


class SparseMoE(nn.Module):
    def __init__(self, inputs, outputs, experts=6, hidden=32, chosen=2):
        super().__init__()
        self.chosen = chosen
        self.router = nn.Linear(inputs, experts)
        self.experts = [
            nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, outputs))
            for _ in range(experts)
        ]
        if not support.MISTAKE:
            self.experts = nn.ModuleList(self.experts)

    def forward(self, x):
        probabilities = self.router(x).softmax(dim=-1)
        weights, indices = probabilities.topk(self.chosen, dim=-1)
        weights = weights / weights.sum(dim=-1, keepdim=True)
        out = 0.0
        for number, expert in enumerate(self.experts):
            gate = (weights * (indices == number)).sum(dim=-1)
            rows = gate.nonzero().flatten()
            part = gate[rows, None] * expert(x[rows])
            out = out + torch.zeros(len(x), part.shape[1]).index_add(0, rows, part)
        share = F.one_hot(indices, len(self.experts)).float().mean(dim=(0, 1))
        balance = len(self.experts) * (share * probabilities.mean(dim=0)).sum()
        return out, balance


model = SparseMoE(64, 10)
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)


@torch.no_grad()
def accuracy():
    model.eval()
    return (model(x_test)[0].argmax(dim=1) == y_test).float().mean().item()


for epoch in range(1, 31):
    model.train()
    for inputs, targets in train_loader:
        logits, balance = model(inputs)
        loss = F.cross_entropy(logits, targets) + 0.01 * balance
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 5 == 0:
        print(f"epoch {epoch:2d}: loss {loss.item():.4f}, test accuracy {accuracy():.3f}")

most_frequent = torch.bincount(y_test).max().item() / len(y_test)
support.outcome("test accuracy", accuracy(), baseline=most_frequent, needed=0.85)
