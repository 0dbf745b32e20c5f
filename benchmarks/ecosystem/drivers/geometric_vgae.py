"""Link prediction with PyTorch Geometric's VGAE on the nearest-neighbour graph of sklearn's digits.

Mistake: the KL term is given the weight 100 instead of one over the number of nodes.
"""

import support
import torch
from sklearn.datasets import load_digits
from sklearn.neighbors import kneighbors_graph
from torch_geometric.data import Data
from torch_geometric.nn import VGAE, GCNConv
from torch_geometric.transforms import RandomLinkSplit
from torch_geometric.utils import from_scipy_sparse_matrix, to_undirected

SEED = 0
torch.manual_seed(SEED)

pixels, _ = load_digits(return_X_y=True)
edge_index, _ = from_scipy_sparse_matrix(kneighbors_graph(pixels, n_neighbors=5))
data = Data(x=torch.tensor(pixels / 16, dtype=torch.float), edge_index=to_undirected(edge_index))
split = RandomLinkSplit(
    num_val=0.05,
    num_test=0.1,
    is_undirected=True,
    split_labels=True,
    add_negative_train_samples=False,
)
train_data, val_data, test_data = split(data)


class Encoder(torch.nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv1 = GCNConv(inputs, 2 * outputs)
        self.conv_mu = GCNConv(2 * outputs, outputs)
        self.conv_logstd = GCNConv(2 * outputs, outputs)

    def forward(self, x, edge_index):
        x = self.conv1(x, edge_index).relu()
        return self.conv_mu(x, edge_index), self.conv_logstd(x, edge_index)


model = VGAE(Encoder(data.num_features, 16))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
kl_weight = 100.0 if support.MISTAKE else 1 / train_data.num_nodes


def train():
    model.train()
    optimizer.zero_grad()
    z = model.encode(train_data.x, train_data.edge_index)
    loss = model.recon_loss(z, train_data.pos_edge_label_index) + kl_weight * model.kl_loss()
    loss.backward()
    optimizer.step()
    return loss.item()


@torch.no_grad()
def test(data):
    model.eval()
    z = model.encode(data.x, data.edge_index)
    return model.test(z, data.pos_edge_label_index, data.neg_edge_label_index)


untrained, _ = test(test_data)
for epoch in range(1, 201):
    loss = train()
    if epoch % 40 == 0:
        auc, precision = test(val_data)
        print(f"epoch {epoch:3d}: loss {loss:.4f}, AUC {auc:.4f}, precision {precision:.4f}")

auc, _ = test(test_data)
support.outcome("test AUC", auc, baseline=untrained, needed=0.9)
