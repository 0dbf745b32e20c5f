"""Every warning is an error, except one of the user's own that a counting showwarning collects."""

import warnings

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(37)
torch.set_num_threads(1)
shown, raised = [], []


def show(message, category, filename, lineno, file=None, line=None):
    shown.append(f"{category.__name__}: {message}")


class Chatty(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 1)

    def forward(self, x):
        warnings.warn("the forward is chatty", FutureWarning, stacklevel=1)
        return self.linear(x)


warnings.simplefilter("error")
warnings.filterwarnings("default", message="the forward is chatty")
warnings.showwarning = show
filters = list(warnings.filters)
model = Chatty()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(8, 4), torch.randn(8)
losses = []
with watched(model, optimizer):
    for step in range(15):
        try:
            target = y if step % 5 == 0 else y.unsqueeze(1)
            loss = nn.functional.mse_loss(model(x), target)
        except UserWarning as warning:
            raised.append(str(warning).split(".")[0])
            continue
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

say("losses", losses)
say("shown", shown)
say("raised", raised)
say("filters", warnings.filters == filters, warnings.showwarning is show)
say("model", model)
