"""The whole module is pickled and torch.saved in mid-run, inside the watched loop."""

import io
import pickle

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(25)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 6), nn.ReLU())
        self.head = nn.Linear(6, 1)
        self.notes = {"calls": 0}

    def forward(self, x):
        self.notes["calls"] += 1
        return self.head(self.body(x))


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
x, y = torch.randn(20, 4), torch.randn(20, 1)
losses, contents, outputs = [], [], []
with watched(model, optimizer):
    for step in range(20):
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if step % 7 == 3:
            whole = pickle.dumps(model)
            buffer = io.BytesIO()
            torch.save({"model": model, "optimizer": optimizer.state_dict()}, buffer)
            torch.save(model, "model.pt")
            contents.append(
                [b"patient" in whole, b"aramedic" in whole, b"aramedic" in buffer.getvalue()]
            )
            twin = pickle.loads(whole)
            again = torch.load("model.pt", weights_only=False)
            outputs += [twin(x), again(x)]
            contents.append([sorted(vars(twin)), sorted(vars(again.head)), twin.notes["calls"]])

say("losses", losses)
say("contents", contents)
say("outputs", outputs)
say("optimizer pickle", pickle.loads(pickle.dumps(optimizer)))
say("model", model)
say("calls", model.notes)
