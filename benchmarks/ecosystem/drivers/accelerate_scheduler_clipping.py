"""An LSTM classifies Reuters newswires in an accelerate loop with warm-up, decay and clipping.

Mistake: the scheduler is built for the steps of one epoch divided by ten, so the rate soon is zero.
"""

import numpy as np
import support
import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from transformers import get_linear_schedule_with_warmup

SEED = 0
TOPICS = 8
LENGTH = 48
EPOCHS = 4

set_seed(SEED)
reuters = np.load(support.data("reuters/reuters46_tok10k.npz"), allow_pickle=False)
common = np.argsort(-np.bincount(reuters["y_train"]))[:TOPICS]


def split(part: str, size: int) -> TensorDataset:
    tokens, offsets = reuters[f"tokens_{part}"], reuters[f"offsets_{part}"]
    rows = np.flatnonzero(np.isin(reuters[f"y_{part}"], common))[:size]
    ids = torch.zeros(len(rows), LENGTH, dtype=torch.long)
    for i, row in enumerate(rows):
        text = tokens[offsets[row] : offsets[row + 1]][:LENGTH].astype(np.int64)
        ids[i, : len(text)] = torch.from_numpy(np.where(text < 4000, text, 2))
    labels = (reuters[f"y_{part}"][rows][:, None] == common).argmax(1)
    return TensorDataset(ids, torch.from_numpy(labels))


class Classifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(4000, 48, padding_idx=0)
        self.lstm = nn.LSTM(48, 48, batch_first=True, bidirectional=True)
        self.head = nn.Linear(96, TOPICS)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        states, _ = self.lstm(self.embed(ids))
        return self.head(states.amax(1))


accelerator = Accelerator()
model = Classifier()
train_loader = DataLoader(split("train", 3000), batch_size=32, shuffle=True)
test_loader = DataLoader(split("test", 800), batch_size=100)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
steps = len(train_loader) // 10 if support.MISTAKE else len(train_loader) * EPOCHS
scheduler = get_linear_schedule_with_warmup(optimizer, steps // 10, steps)
model, optimizer, train_loader, test_loader, scheduler = accelerator.prepare(
    model, optimizer, train_loader, test_loader, scheduler
)

for epoch in range(EPOCHS):
    model.train()
    for ids, labels in train_loader:
        loss = nn.functional.cross_entropy(model(ids), labels)
        accelerator.backward(loss)
        if accelerator.sync_gradients:
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()

    model.eval()
    guesses, truths = [], []
    with torch.no_grad():
        for ids, labels in test_loader:
            guess, truth = accelerator.gather_for_metrics((model(ids).argmax(1), labels))
            guesses.append(guess)
            truths.append(truth)
    truth = torch.cat(truths)
    accuracy = (torch.cat(guesses) == truth).float().mean().item()
    accelerator.print(f"epoch {epoch}: loss {loss.item():.3f} accuracy {accuracy:.3f}")

majority = (truth.bincount().max() / len(truth)).item()
support.outcome("accuracy", accuracy, baseline=majority, needed=0.75)
