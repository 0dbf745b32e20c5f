"""skorch's NeuralNetClassifier on reviews of the IMDB, with a learning rate that is annealed.

Mistake: the module answers log-probabilities, of which skorch's classifier takes the log again.
"""

import numpy as np
import support
import torch
from skorch import NeuralNetClassifier
from skorch.callbacks import EpochScoring, LRScheduler
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR

SEED = 0
LENGTH = 200
EPOCHS = 8


class BagOfWords(nn.Module):
    """The mean of the embeddings of a review's words, and a small network on it."""

    def __init__(self, words=10_000, size=32, dropout=0.3):
        super().__init__()
        self.embedding = nn.EmbeddingBag(words, size, mode="mean", padding_idx=0)
        self.head = nn.Sequential(
            nn.Dropout(dropout), nn.Linear(size, 32), nn.ReLU(), nn.Linear(32, 2)
        )

    def forward(self, x):
        scores = self.head(self.embedding(x))
        return scores.log_softmax(dim=-1) if support.MISTAKE else scores.softmax(dim=-1)


torch.manual_seed(SEED)
imdb = np.load(support.data("imdb/imdb_tok10k.npz"), allow_pickle=False)


def reviews(part, size):
    """Some reviews of both kinds, cut to one length, and whether they are positive."""
    tokens, offsets = imdb[f"tokens_{part}"], imdb[f"offsets_{part}"]
    rows = np.random.default_rng(SEED).permutation(len(offsets) - 1)[:size]
    x = np.zeros((len(rows), LENGTH), dtype=np.int64)
    for i, row in enumerate(rows):
        text = tokens[offsets[row] : offsets[row + 1]][:LENGTH]
        x[i, : len(text)] = text
    return x, imdb[f"y_{part}"][rows].astype(np.int64)


x_train, y_train = reviews("train", 6000)
x_test, y_test = reviews("test", 1500)

net = NeuralNetClassifier(
    BagOfWords,
    max_epochs=EPOCHS,
    optimizer=torch.optim.Adam,
    lr=0.01,
    batch_size=64,
    iterator_train__shuffle=True,
    callbacks=[
        LRScheduler(CosineAnnealingLR, T_max=EPOCHS),
        EpochScoring("accuracy", on_train=True, name="train_acc", lower_is_better=False),
    ],
)
net.fit(x_train, y_train)

most = np.bincount(y_test).max() / len(y_test)
support.outcome("test accuracy", net.score(x_test, y_test), baseline=most, needed=0.75)
