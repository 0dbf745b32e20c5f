"""An autoencoder of scikit-learn's digits with the ResidualVQ of vector-quantize-pytorch."""

import support
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from vector_quantize_pytorch import ResidualVQ

torch.manual_seed(0)
digits = torch.tensor(load_digits().data, dtype=torch.float32) / 16
train, test = train_test_split(digits, test_size=0.2, random_state=0)
loader = DataLoader(TensorDataset(train), batch_size=64, shuffle=True)

encoder = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 16))
quantizer = ResidualVQ(
    dim=16, num_quantizers=4, codebook_size=64, kmeans_init=True, kmeans_iters=10
)
decoder = nn.Sequential(nn.Linear(16, 128), nn.ReLU(), nn.Linear(128, 64))
modules = nn.ModuleList([encoder, quantizer, decoder])
optimizer = torch.optim.Adam(modules.parameters(), lr=2e-3)


def autoencode(images: torch.Tensor):
    code = encoder(images).unsqueeze(1)
    quantized, _, commit_losses = quantizer(code)
    return decoder(quantized.squeeze(1)), commit_losses.sum()


for epoch in range(15):
    modules.train()
    for (images,) in loader:
        out, commit_loss = autoencode(images)
        loss = F.mse_loss(out, images) + 0.25 * commit_loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 5 == 4:
        modules.eval()
        with torch.no_grad():
            error = F.mse_loss(autoencode(test)[0], test).item()
        print(f"epoch {epoch} training loss {loss.item():.4f} test error {error:.4f}")

constant = F.mse_loss(train.mean(dim=0).expand_as(test), test).item()
support.outcome("test reconstruction error", error, baseline=constant, needed=0.5 * constant)
