"""GATv2 (PyTorch Geometric) fills in hidden pixels of sklearn's digits, images as 8 x 8 graphs.

Mistake: the mask of the loss is the wrong way round: it is taken over the pixels that are shown.
"""

import support
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GATv2Conv
from torch_geometric.utils import grid

SEED = 0
torch.manual_seed(SEED)

images, _ = load_digits(return_X_y=True)
images = torch.tensor(images, dtype=torch.float) / 16
edges, position = grid(8, 8)
position = position / 7


def to_graph(image):
    """The nodes are told their brightness, unless hidden, whether they are, and their place."""
    hidden = torch.rand(64) < 0.3
    shown = torch.where(hidden, torch.zeros_like(image), image)
    x = torch.cat([shown[:, None], hidden[:, None].float(), position], dim=1)
    return Data(x=x, edge_index=edges, y=image, hidden=hidden)


order = torch.randperm(len(images))[:1000]
graphs = [to_graph(images[i]) for i in order]
train_loader = DataLoader(graphs[:800], batch_size=32, shuffle=True)
test_loader = DataLoader(graphs[800:], batch_size=100)


class GAT(torch.nn.Module):
    def __init__(self, inputs, hidden, heads=4, layers=3):
        super().__init__()
        sizes = [inputs] + [hidden * heads] * (layers - 1)
        self.convs = torch.nn.ModuleList(
            GATv2Conv(size, hidden, heads=heads, residual=True) for size in sizes
        )
        self.out = torch.nn.Linear(hidden * heads, 1)

    def forward(self, x, edge_index):
        for conv in self.convs:
            x = F.elu(conv(x, edge_index))
        return self.out(x).squeeze(-1)


model = GAT(4, 12)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)


def train():
    model.train()
    total = 0.0
    for batch in train_loader:
        optimizer.zero_grad()
        predicted = model(batch.x, batch.edge_index)
        mask = ~batch.hidden if support.MISTAKE else batch.hidden
        loss = F.mse_loss(predicted[mask], batch.y[mask])
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / len(train_loader)


@torch.no_grad()
def test():
    model.eval()
    errors = [
        (model(batch.x, batch.edge_index) - batch.y)[batch.hidden].square() for batch in test_loader
    ]
    return torch.cat(errors).mean().item()


for epoch in range(1, 6):
    print(f"epoch {epoch}: loss {train():.4f}, test error of the hidden {test():.4f}")

constant = torch.cat([graph.y[graph.hidden] for graph in graphs[800:]]).var().item()
support.outcome("MSE of hidden pixels", test(), baseline=constant, needed=0.55 * constant)
