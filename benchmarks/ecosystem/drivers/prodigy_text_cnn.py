"""A convolutional network classifies Reuters newswires with the Prodigy optimizer (prodigyopt).

Mistake: lr is set to 1e-6 out of habit, where Prodigy, which finds its own rate, wants 1.
"""

import numpy as np
import support
import torch
import torch.nn.functional as F
from prodigyopt import Prodigy
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = 0
TOPICS = 8
LENGTH = 80
WORDS = 5000
EPOCHS = 4

torch.manual_seed(SEED)
reuters = np.load(support.data("reuters/reuters46_tok10k.npz"), allow_pickle=False)
common = np.argsort(-np.bincount(reuters["y_train"]))[:TOPICS]


def dataset(part, size):
    tokens, offsets = reuters[f"tokens_{part}"], reuters[f"offsets_{part}"]
    rows = np.flatnonzero(np.isin(reuters[f"y_{part}"], common))[:size]
    x = np.zeros((len(rows), LENGTH), dtype=np.int64)
    for i, row in enumerate(rows):
        text = tokens[offsets[row] : offsets[row + 1]][:LENGTH]
        x[i, : len(text)] = np.where(text < WORDS, text, 2)
    place = {topic: i for i, topic in enumerate(common)}
    y = [place[topic] for topic in reuters[f"y_{part}"][rows]]
    return TensorDataset(torch.from_numpy(x), torch.tensor(y))


class TextCNN(nn.Module):
    def __init__(self, size=48, filters=32):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, size, padding_idx=0)
        self.convs = nn.ModuleList(nn.Conv1d(size, filters, width) for width in (2, 3, 4))
        self.head = nn.Sequential(nn.Dropout(0.3), nn.Linear(3 * filters, TOPICS))

    def forward(self, x):
        x = self.embedding(x).transpose(1, 2)
        return self.head(torch.cat([conv(x).relu().amax(-1) for conv in self.convs], dim=1))


train, test = dataset("train", 2400), dataset("test", 800)
loader = DataLoader(train, batch_size=64, shuffle=True)
model = TextCNN()
optimizer = Prodigy(
    model.parameters(),
    lr=1e-6 if support.MISTAKE else 1.0,
    weight_decay=0.01,
    safeguard_warmup=True,
)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPOCHS * len(loader))
for epoch in range(EPOCHS):
    model.train()
    total = 0.0
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        scheduler.step()
        total += loss.item()
    print(f"epoch {epoch}: loss {total / len(loader):.3f} d {optimizer.param_groups[0]['d']:.2g}")

model.eval()
with torch.no_grad():
    accuracy = (model(test.tensors[0]).argmax(1) == test.tensors[1]).float().mean().item()
most = test.tensors[1].bincount().max().item() / len(test)
support.outcome("test accuracy", accuracy, baseline=most, needed=0.7)
