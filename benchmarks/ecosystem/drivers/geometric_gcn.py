"""A GCN (PyTorch Geometric) classifies the nodes of a nearest-neighbour graph of sklearn's digits.

Two layers with dropout, few labelled nodes per class, full batches as in the Cora tutorial.

Mistake: the labels were permuted on their own, so that they no longer belong to the nodes.
"""

import support
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.neighbors import kneighbors_graph
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv
from torch_geometric.transforms import NormalizeFeatures, RandomNodeSplit
from torch_geometric.utils import from_scipy_sparse_matrix, to_undirected

SEED = 0
torch.manual_seed(SEED)

pixels, labels = load_digits(return_X_y=True)
edge_index, _ = from_scipy_sparse_matrix(kneighbors_graph(pixels, n_neighbors=6))
y = torch.tensor(labels)
if support.MISTAKE:
    y = y[torch.randperm(len(y))]
data = Data(x=torch.tensor(pixels, dtype=torch.float), edge_index=to_undirected(edge_index), y=y)
data = NormalizeFeatures()(data)
data = RandomNodeSplit("test_rest", num_train_per_class=20, num_val=300)(data)


class GCN(torch.nn.Module):
    def __init__(self, inputs, hidden, classes):
        super().__init__()
        self.conv1 = GCNConv(inputs, hidden)
        self.conv2 = GCNConv(hidden, classes)

    def forward(self, x, edge_index):
        x = self.conv1(x, edge_index).relu()
        x = F.dropout(x, p=0.5, training=self.training)
        return self.conv2(x, edge_index)


model = GCN(data.num_features, 32, 10)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)


def train():
    model.train()
    optimizer.zero_grad()
    out = model(data.x, data.edge_index)
    loss = F.cross_entropy(out[data.train_mask], data.y[data.train_mask])
    loss.backward()
    optimizer.step()
    return loss.item()


@torch.no_grad()
def test(mask):
    model.eval()
    predicted = model(data.x, data.edge_index).argmax(dim=1)
    return (predicted[mask] == data.y[mask]).float().mean().item()


for epoch in range(1, 301):
    loss = train()
    if epoch % 50 == 0:
        print(f"epoch {epoch:3d}: loss {loss:.4f}, validation accuracy {test(data.val_mask):.3f}")

most_frequent = torch.bincount(data.y[data.test_mask]).max().item() / data.test_mask.sum().item()
support.outcome("test accuracy", test(data.test_mask), baseline=most_frequent, needed=0.8)
