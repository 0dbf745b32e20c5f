"""Graph classification with GIN (PyTorch Geometric): digits images of sklearn turned into graphs.

The nodes are the inked pixels (brightness and position), the edges join neighbouring pixels.

Mistake: `optimizer.step()` is forgotten in the training loop.
"""

import support
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import MLP, GINConv, global_add_pool
from torch_geometric.utils import grid, subgraph

SEED = 0
torch.manual_seed(SEED)

images, labels = load_digits(return_X_y=True)
all_edges, position = grid(8, 8)
position = position / 7


def to_graph(image, label):
    ink = torch.tensor(image, dtype=torch.float) / 16
    kept = ink > 0.2
    edges, _ = subgraph(kept, all_edges, relabel_nodes=True, num_nodes=64)
    x = torch.cat([ink[:, None], position], dim=1)[kept]
    return Data(x=x, edge_index=edges, y=torch.tensor([label]))


graphs = [to_graph(image, int(label)) for image, label in zip(images, labels, strict=True)]
order = torch.randperm(len(graphs)).tolist()
graphs = [graphs[i] for i in order]
train_loader = DataLoader(graphs[:1400], batch_size=64, shuffle=True)
test_loader = DataLoader(graphs[1400:], batch_size=200)


class GIN(torch.nn.Module):
    def __init__(self, inputs, hidden, classes, layers=3):
        super().__init__()
        self.convs = torch.nn.ModuleList()
        for layer in range(layers):
            mlp = MLP([inputs if layer == 0 else hidden, hidden, hidden])
            self.convs.append(GINConv(mlp))
        self.classify = MLP([hidden, hidden, classes], norm=None, dropout=0.2)

    def forward(self, x, edge_index, batch):
        for conv in self.convs:
            x = conv(x, edge_index).relu()
        return self.classify(global_add_pool(x, batch))


model = GIN(3, 32, 10)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)


def train():
    model.train()
    total = 0.0
    for batch in train_loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(batch.x, batch.edge_index, batch.batch), batch.y)
        loss.backward()
        if not support.MISTAKE:
            optimizer.step()
        total += loss.item() * batch.num_graphs
    return total / len(train_loader.dataset)


@torch.no_grad()
def test():
    model.eval()
    correct = 0
    for batch in test_loader:
        predicted = model(batch.x, batch.edge_index, batch.batch).argmax(dim=1)
        correct += (predicted == batch.y).sum().item()
    return correct / len(test_loader.dataset)


for epoch in range(1, 13):
    print(f"epoch {epoch:2d}: loss {train():.4f}, test accuracy {test():.3f}")

counts = torch.bincount(torch.tensor([graph.y.item() for graph in graphs[1400:]]))
baseline = counts.max().item() / counts.sum().item()
support.outcome("test accuracy", test(), baseline=baseline, needed=0.6)
