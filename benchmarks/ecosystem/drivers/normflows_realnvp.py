"""A RealNVP of normflows, trained by maximum likelihood on small dequantised MNIST.

Mistake: the learning rate is 0.5; the tutorial's loop then skips every step that is not finite.
"""

import normflows as nf
import numpy as np
import support
import torch

SEED = 0
torch.manual_seed(SEED)

with np.load(support.data("mnist/mnist.npz"), allow_pickle=False) as file:
    images = torch.tensor(file["x_train"][:12000], dtype=torch.float)
pixels = torch.nn.functional.avg_pool2d(images[:, 2:26, 2:26], 3).flatten(1)
pixels = ((pixels / 16).floor() + torch.rand_like(pixels)) / 16
mean, std = pixels[:10000].mean(0), pixels[:10000].std(0)
pixels = (pixels - mean) / std.clamp_min(0.1)
train, test = pixels[:10000], pixels[10000:]

flows = []
for _ in range(8):
    network = nf.nets.MLP([32, 64, 64, 64], init_zeros=True)
    flows.append(nf.flows.AffineCouplingBlock(network))
    flows.append(nf.flows.Permute(64, mode="shuffle"))
model = nf.NormalizingFlow(nf.distributions.DiagGaussian(64, trainable=False), flows)
optimizer = torch.optim.Adam(
    model.parameters(), lr=0.5 if support.MISTAKE else 1e-3, weight_decay=1e-5
)


def evaluate():
    model.eval()
    with torch.no_grad():
        loss = model.forward_kld(test).item() / 64
    model.train()
    return loss


# Without learning, every pixel is standard normal.
untrained = evaluate()
for step in range(1, 401):
    optimizer.zero_grad()
    x = train[torch.randint(len(train), (128,))]
    loss = model.forward_kld(x)
    if not (torch.isnan(loss) or torch.isinf(loss)):
        loss.backward()
        optimizer.step()
    if step % 80 == 0:
        print(f"step {step:3d}: loss {loss.item() / 64:.4f} nats per pixel, test {evaluate():.4f}")

support.outcome("nats per test pixel", evaluate(), baseline=untrained, needed=untrained - 0.3)
