"""A small UNet2DModel of diffusers learns to remove a DDPMScheduler's noise from MNIST at 16 x 16.

Mistake: the noise that is added to the images is drawn anew and is not the one that is the target.
"""

import numpy as np
import support
import torch
import torch.nn.functional as F
from diffusers import DDPMScheduler, UNet2DModel
from diffusers.optimization import get_cosine_schedule_with_warmup
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
mnist = np.load(support.data("mnist/mnist.npz"), allow_pickle=False)


def images(name: str, count: int) -> torch.Tensor:
    pixels = torch.from_numpy(mnist[name][:count]).float().unsqueeze(1) / 127.5 - 1
    return F.interpolate(pixels, size=(16, 16), mode="area")


loader = DataLoader(TensorDataset(images("x_train", 1920)), batch_size=16, shuffle=True)
held_out = images("x_test", 256)

model = UNet2DModel(
    sample_size=16,
    in_channels=1,
    out_channels=1,
    layers_per_block=1,
    block_out_channels=(16, 32),
    down_block_types=("DownBlock2D", "AttnDownBlock2D"),
    up_block_types=("AttnUpBlock2D", "UpBlock2D"),
    norm_num_groups=8,
)
scheduler = DDPMScheduler(num_train_timesteps=1000)
steps = scheduler.config.num_train_timesteps
epochs = 1
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
schedule = get_cosine_schedule_with_warmup(
    optimizer, num_warmup_steps=10, num_training_steps=epochs * len(loader)
)

for epoch in range(epochs):
    model.train()
    for step, (clean,) in enumerate(loader):
        noise = torch.randn_like(clean)
        timesteps = torch.randint(0, steps, (len(clean),))
        added = torch.randn_like(clean) if support.MISTAKE else noise
        noisy = scheduler.add_noise(clean, added, timesteps)
        loss = F.mse_loss(model(noisy, timesteps, return_dict=False)[0], noise)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 50 == 0:
            print(f"epoch {epoch} step {step} loss {loss.item():.4f}")

model.eval()
with torch.no_grad():
    generator = torch.Generator().manual_seed(1)
    noise = torch.randn(held_out.shape, generator=generator)
    timesteps = torch.randint(0, steps, (len(held_out),), generator=generator)
    predicted = model(scheduler.add_noise(held_out, noise, timesteps), timesteps).sample
    error = F.mse_loss(predicted, noise).item()
support.outcome("held-out error of the noise", error, baseline=1.0, needed=0.25)
