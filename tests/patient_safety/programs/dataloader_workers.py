"""DataLoaders with forked workers: persistent ones over a map dataset, and an iterable dataset."""

import random

import numpy as np
import torch
from patient import say, watched
from torch import nn
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info

torch.manual_seed(32)
random.seed(32)
np.random.seed(32)
torch.set_num_threads(1)


class Noisy(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        draws = torch.tensor([random.random(), np.random.rand(), index / 24])
        return draws.float() + torch.randn(3), torch.tensor([float(index % 2)])


class Stream(IterableDataset):
    def __iter__(self):
        worker = get_worker_info()
        for index in range(worker.id, 12, worker.num_workers):
            yield torch.randn(3) + index, torch.tensor([float(index % 2)])


def seed_worker(number):
    random.seed(torch.initial_seed() % 2**32)
    np.random.seed(torch.initial_seed() % 2**32)


model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
persistent = DataLoader(
    Noisy(), batch_size=6, shuffle=True, num_workers=2, persistent_workers=True,
    worker_init_fn=seed_worker, generator=torch.Generator().manual_seed(1),
)  # fmt: skip
stream = DataLoader(Stream(), batch_size=3, num_workers=2)
losses = []
with watched(model, optimizer):
    for loader in (persistent, persistent, stream):
        for x, y in loader:
            loss = nn.functional.binary_cross_entropy_with_logits(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())

say("losses", losses)
say("model", model)
say("optimizer", optimizer)
say("rng", torch.get_rng_state(), list(random.getstate()[1]))
say("numpy rng", np.random.get_state()[1].tolist())
