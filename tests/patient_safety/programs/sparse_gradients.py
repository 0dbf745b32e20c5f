"""Embeddings with sparse gradients, one left uncoalesced, trained by SparseAdam and by SGD."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(65)
torch.set_num_threads(1)

words = nn.Embedding(50, 6, sparse=True, padding_idx=0)
bag = nn.EmbeddingBag(20, 6, mode="sum", sparse=True)
head = nn.Linear(6, 3)
model = nn.ModuleDict({"words": words, "bag": bag, "head": head})
sparse = torch.optim.SparseAdam([words.weight], lr=0.05)
dense = torch.optim.SGD([*head.parameters(), bag.weight], lr=0.1)
tokens, labels = torch.randint(0, 50, (16, 5)), torch.randint(0, 3, (16,))
losses, layouts = [], []
with watched(model, [sparse, dense]):
    for _ in range(20):
        hidden = words(tokens).mean(dim=1) + bag(tokens % 20)
        loss = nn.functional.cross_entropy(head(hidden), labels)
        sparse.zero_grad()
        dense.zero_grad()
        loss.backward()
        grad = words.weight.grad
        layouts.append([str(grad.layout), grad.is_coalesced(), grad._nnz()])
        layouts.append([bag.weight.grad.is_sparse, bag.weight.grad._nnz()])
        sparse.step()
        dense.step()
        losses.append(loss.item())

say("losses", losses)
say("layouts", layouts)
say("weights", [p.detach() for p in model.parameters()])
say("values", words.weight.grad._values(), words.weight.grad._indices())
say("optimizer", sparse)
