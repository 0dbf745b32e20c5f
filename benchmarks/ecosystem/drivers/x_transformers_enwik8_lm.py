"""A byte-level decoder of x-transformers under an AutoregressiveWrapper learns a part of enwik8.

Mistake: the gradients are set to zero between the backward passes and the optimizer's step.
"""

import gzip

import numpy as np
import support
import torch
from torch.utils.data import DataLoader, Dataset
from x_transformers import AutoregressiveWrapper, Decoder, TransformerWrapper

torch.manual_seed(0)
LENGTH = 64
ACCUMULATE = 2

raw = gzip.decompress(support.data("enwik8/enwik8_first2MB.txt.gz").read_bytes())
text = torch.from_numpy(np.frombuffer(raw, dtype=np.uint8).copy()).long()
train_text, valid_text = text[:1_900_000], text[1_900_000:]


class Snippets(Dataset):
    """Snippets of the text from random places."""

    def __init__(self, text: torch.Tensor) -> None:
        self.text = text

    def __getitem__(self, index: int) -> torch.Tensor:
        start = torch.randint(0, len(self.text) - LENGTH - 1, (1,)).item()
        return self.text[start : start + LENGTH + 1]

    def __len__(self) -> int:
        return len(self.text) // LENGTH


train_loader = iter(DataLoader(Snippets(train_text), batch_size=16))
valid_batches = valid_text[: 64 * (LENGTH + 1)].view(-1, LENGTH + 1).split(32)

model = AutoregressiveWrapper(
    TransformerWrapper(
        num_tokens=256,
        max_seq_len=LENGTH,
        attn_layers=Decoder(dim=96, depth=2, heads=4, attn_dim_head=24, rotary_pos_emb=True),
    )
)
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)


def validate() -> float:
    model.eval()
    with torch.no_grad():
        losses = [model(batch).item() for batch in valid_batches]
    return sum(losses) / len(losses)


untrained = validate()
for step in range(120):
    model.train()
    for _ in range(ACCUMULATE):
        loss = model(next(train_loader))
        (loss / ACCUMULATE).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    if support.MISTAKE:
        optimizer.zero_grad()
    optimizer.step()
    optimizer.zero_grad()
    if step % 50 == 0:
        print(f"step {step} training loss {loss.item():.3f} validation loss {validate():.3f}")

support.outcome("validation loss", validate(), baseline=untrained, needed=3.0)
