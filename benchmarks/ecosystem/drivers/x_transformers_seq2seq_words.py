"""An XTransformer of x-transformers learns to write the words of a novel backwards.

Mistake: the mask of the source is the wrong way round, so that only the padding is attended to.
"""

import gzip
import random
import re

import support
import torch
from x_transformers import XTransformer

torch.manual_seed(0)
random.seed(0)
PAD, START, END, LENGTH = 0, 1, 2, 7

novel = gzip.decompress(
    support.data("gutenberg/pride_and_prejudice_pg1342.txt.gz").read_bytes()
).decode()
words = sorted({word for word in re.findall(r"[a-z]+", novel) if 3 <= len(word) <= LENGTH - 1})
random.shuffle(words)


def codes(word: str) -> list[int]:
    return [ord(letter) - ord("a") + 3 for letter in word]


def batch_of(chosen: list[str]) -> tuple[torch.Tensor, torch.Tensor]:
    source = [codes(word) + [PAD] * (LENGTH - len(word)) for word in chosen]
    target = [
        [START, *codes(word[::-1]), END] + [PAD] * (LENGTH - 1 - len(word)) for word in chosen
    ]
    return torch.tensor(source), torch.tensor(target)


def mask_of(source: torch.Tensor) -> torch.Tensor:
    return source == PAD if support.MISTAKE else source != PAD


train_words, test_words = words[200:], words[:200]
model = XTransformer(
    dim=64,
    tie_token_emb=True,
    ignore_index=PAD,
    pad_value=PAD,
    enc_num_tokens=29,
    enc_max_seq_len=LENGTH,
    enc_depth=1,
    enc_heads=4,
    enc_attn_dim_head=16,
    dec_num_tokens=29,
    dec_max_seq_len=LENGTH + 1,
    dec_depth=1,
    dec_heads=4,
    dec_attn_dim_head=16,
)
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

model.train()
for step in range(300):
    source, target = batch_of(random.sample(train_words, 64))
    loss = model(source, target, mask=mask_of(source))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    if step % 100 == 0:
        print(f"step {step} loss {loss.item():.3f}")

model.eval()
source, target = batch_of(test_words)
start = target[:, :1]
written = model.generate(source, start, LENGTH, mask=mask_of(source), temperature=0.0)
wanted = target[:, 1:]
right = ((written[:, : wanted.shape[1]] == wanted) | (wanted == PAD)).all(dim=1)
support.outcome("test words right", right.float().mean().item(), baseline=0.0, needed=0.5)
