"""A convolutional VQ-VAE with vector-quantize-pytorch's VectorQuantize learns to reconstruct MNIST.

Mistake: the images, already between 0 and 1, are divided by 255 a second time.
"""

import numpy as np
import support
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from vector_quantize_pytorch import VectorQuantize

torch.manual_seed(0)
mnist = np.load(support.data("mnist/mnist.npz"), allow_pickle=False)
train = torch.from_numpy(mnist["x_train"][:6400]).float().unsqueeze(1) / 255
test = torch.from_numpy(mnist["x_test"][:500]).float().unsqueeze(1) / 255
if support.MISTAKE:
    train, test = train / 255, test / 255
loader = DataLoader(TensorDataset(train), batch_size=64, shuffle=True)


class VQVAE(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 16, 4, stride=2, padding=1),
            nn.GELU(),
            nn.Conv2d(16, 32, 4, stride=2, padding=1),
        )
        self.quantize = VectorQuantize(dim=32, codebook_size=128, accept_image_fmap=True)
        self.decoder = nn.Sequential(
            nn.ConvTranspose2d(32, 16, 4, stride=2, padding=1),
            nn.GELU(),
            nn.ConvTranspose2d(16, 1, 4, stride=2, padding=1),
        )

    def forward(self, x):
        quantized, indices, commit_loss = self.quantize(self.encoder(x))
        return self.decoder(quantized), indices, commit_loss


model = VQVAE()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
for epoch in range(3):
    model.train()
    for (images,) in loader:
        optimizer.zero_grad()
        out, indices, commit_loss = model(images)
        reconstruction_loss = F.l1_loss(out, images)
        (reconstruction_loss + commit_loss.sum()).backward()
        optimizer.step()
    used = indices.unique().numel()
    print(f"epoch {epoch} reconstruction {reconstruction_loss.item():.4f} codes used {used}")

model.eval()
with torch.no_grad():
    error = F.mse_loss(model(test)[0], test)
explained = 1 - (error / F.mse_loss(train.mean(dim=0, keepdim=True).expand_as(test), test)).item()
support.outcome("explained variance of test pixels", explained, baseline=0.0, needed=0.6)
