"""Forward hooks with always_call that see a forward raise, while training goes on."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(3)
torch.set_num_threads(1)
calls, messages = [], []


class Moody(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.count = 0

    def forward(self, x):
        self.count += 1
        if self.count % 4 == 0:
            raise ValueError(f"moody at call {self.count}")
        return self.linear(x).relu()


model = nn.Sequential(nn.Linear(3, 4), Moody(), nn.Linear(4, 2))
model[1].register_forward_hook(
    lambda m, args, out: calls.append("none" if out is None else "tensor"), always_call=True
)
model.register_forward_hook(lambda m, args, out: calls.append("whole"), always_call=True)
model.register_forward_hook(lambda m, args, out: calls.append("only when fine"), prepend=True)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
x, y = torch.randn(20, 3), torch.randint(0, 2, (20,))
losses = []
with watched(model, optimizer):
    for _ in range(24):
        optimizer.zero_grad()
        try:
            loss = nn.functional.cross_entropy(model(x), y)
        except ValueError as error:
            messages.append(
                f"{type(error).__name__}: {error} {error.__cause__} {error.__context__}"
            )
            continue
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

say("losses", losses)
say("calls", calls)
say("messages", messages)
say("model", model)
say("optimizer", optimizer)
