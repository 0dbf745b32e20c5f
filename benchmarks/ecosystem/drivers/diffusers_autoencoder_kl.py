"""A small AutoencoderKL of diffusers learns to reconstruct MNIST digits through a latent of 7 x 7.

Mistake: the KL term is summed over the latent with weight 1, against a mean over pixels.
"""

import numpy as np
import support
import torch
import torch.nn.functional as F
from diffusers import AutoencoderKL
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
mnist = np.load(support.data("mnist/mnist.npz"), allow_pickle=False)
train = torch.from_numpy(mnist["x_train"][:1920]).float().unsqueeze(1) / 127.5 - 1
test = torch.from_numpy(mnist["x_test"][:200]).float().unsqueeze(1) / 127.5 - 1
loader = DataLoader(TensorDataset(train), batch_size=16, shuffle=True)

vae = AutoencoderKL(
    in_channels=1,
    out_channels=1,
    down_block_types=("DownEncoderBlock2D",) * 3,
    up_block_types=("UpDecoderBlock2D",) * 3,
    block_out_channels=(8, 16, 16),
    layers_per_block=1,
    latent_channels=4,
    norm_num_groups=4,
    sample_size=28,
)
optimizer = torch.optim.AdamW(vae.parameters(), lr=2e-3)
kl_weight = 1.0 if support.MISTAKE else 1e-5

vae.train()
for step, (pixels,) in enumerate(loader):
    posterior = vae.encode(pixels).latent_dist
    reconstruction = vae.decode(posterior.sample()).sample
    reconstruction_loss = F.mse_loss(reconstruction, pixels)
    kl_loss = posterior.kl().mean()
    loss = reconstruction_loss + kl_weight * kl_loss
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(vae.parameters(), 1.0)
    optimizer.step()
    if step % 25 == 0:
        print(f"step {step} mse {reconstruction_loss.item():.4f} kl {kl_loss.item():.2f}")

vae.eval()
with torch.no_grad():
    error = F.mse_loss(vae(test).sample, test).item()
constant = F.mse_loss(train.mean(dim=0, keepdim=True).expand_as(test), test).item()
support.outcome("held-out reconstruction error", error, baseline=constant, needed=0.12)
