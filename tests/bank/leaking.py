"""A run for the bank that is in no zoo: each position sees the character that it is asked for."""

from __future__ import annotations

from pathlib import Path

import torch
from sklearn import datasets
from torch import Tensor, nn

from paramedic import watch

STEPS, WIDTH, LENGTH, BATCH = 400, 32, 32, 32


class Reader(nn.Module):
    """Predicts each next character from a text that it reads in both directions."""

    def __init__(self, characters: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(characters, WIDTH)
        self.read = nn.GRU(WIDTH, WIDTH, batch_first=True, bidirectional=True)
        self.answer = nn.Linear(2 * WIDTH, characters)

    def forward(self, tokens: Tensor) -> Tensor:
        found: Tensor = self.answer(self.read(self.embed(tokens))[0])
        return found


def record(path: Path) -> None:
    """Train it and write the trace."""
    torch.manual_seed(0)
    texts = (datasets.load_iris, datasets.load_wine, datasets.load_breast_cancer)
    text = "".join(load().DESCR for load in texts)
    alphabet = sorted(set(text))
    codes = torch.tensor([alphabet.index(one) for one in text])
    model = Reader(len(alphabet))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    criterion = nn.CrossEntropyLoss()
    with watch(model, optimizer, trace=path, overhead=None):
        for _ in range(STEPS):
            places = torch.randint(len(codes) - LENGTH - 1, (BATCH,))
            rows = torch.stack([codes[at : at + LENGTH + 1] for at in places])
            # The last character has no next one in the row: it is not asked for.
            targets = rows[:, 1:].clone()
            targets[:, -1] = -100
            loss = criterion(model(rows[:, :-1]).flatten(0, 1), targets.flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
