"""A generator and a discriminator with one optimizer each, and gradients through the frozen one."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(12)
torch.set_num_threads(1)

generator = nn.Sequential(nn.Linear(3, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 2))
discriminator = nn.Sequential(
    nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Dropout(0.1), nn.Linear(16, 1)
)
both = nn.ModuleList([generator, discriminator])
opt_g = torch.optim.Adam(generator.parameters(), lr=2e-3, betas=(0.5, 0.999))
opt_d = torch.optim.SGD(discriminator.parameters(), lr=2e-2)
bce = nn.BCEWithLogitsLoss()
ones, zeros = torch.ones(24, 1), torch.zeros(24, 1)
draw = torch.Generator().manual_seed(99)
history = {"g": [], "d": []}
with watched(both, [opt_g, opt_d]):
    for step in range(30):
        real = torch.randn(24, 2, generator=draw) * 0.5 + 1
        fake = generator(torch.randn(24, 3))
        opt_d.zero_grad()
        loss_d = bce(discriminator(real), ones) + bce(discriminator(fake.detach()), zeros)
        loss_d.backward()
        opt_d.step()
        history["d"].append(loss_d.item())
        if step % 2:
            continue
        discriminator.requires_grad_(False)
        opt_g.zero_grad()
        loss_g = bce(discriminator(fake), ones)
        loss_g.backward()
        opt_g.step()
        discriminator.requires_grad_(True)
        history["g"].append(loss_g.item())

say("history", history)
say("models", generator, discriminator)
say("optimizers", opt_g, opt_d)
say("generators", draw.get_state(), torch.get_rng_state())
