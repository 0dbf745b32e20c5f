"""One model is trained by four optimizers after each other, the second time from where it was."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(101)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.2), nn.PReLU(), nn.Linear(8, 1))
x, y = torch.randn(32, 4), torch.randn(32, 1)
kinds = [
    lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9, maximize=False),
    lambda p: torch.optim.Adam(p, lr=0.01, fused=True),
    lambda p: torch.optim.AdamW(p, lr=torch.tensor(0.01), foreach=False),
    lambda p: torch.optim.ASGD(p, lr=0.01),
]
hooks = []
for kind in kinds:
    optimizer = kind(model.parameters())
    losses = []
    with watched(model, optimizer):
        for step in range(15):
            model.train(step % 5 != 4)
            loss = (model(x) - y).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    say("losses", losses)
    say("optimizer", optimizer)
    hooks.append([len(m._forward_hooks) + len(m._forward_pre_hooks) for m in model.modules()])
    hooks.append([len(optimizer._optimizer_step_post_hooks), "step" in vars(optimizer)])

say("hooks", hooks)
say("model", model)
say("rng", torch.get_rng_state())
