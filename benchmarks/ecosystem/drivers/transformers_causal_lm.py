"""A tiny GPT-2 models the characters of tinyshakespeare with the transformers Trainer.

Mistake: the labels are shifted by one by hand although the model shifts them itself.
"""

import gzip
import math
import tempfile

import numpy as np
import support
from datasets import Dataset
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    Trainer,
    TrainingArguments,
    default_data_collator,
    set_seed,
)

SEED = 0
BLOCK = 64

set_seed(SEED)
text = gzip.decompress(support.data("tinyshakespeare/input.txt.gz").read_bytes()).decode()[:200_000]
characters = sorted(set(text))
index = {character: i for i, character in enumerate(characters)}
ids = np.array([index[character] for character in text])


def blocks(ids: np.ndarray) -> Dataset:
    ids = ids[: len(ids) // BLOCK * BLOCK].reshape(-1, BLOCK)
    return Dataset.from_dict({"input_ids": ids, "labels": ids})


cut = int(0.95 * len(ids))
train, valid = blocks(ids[:cut]), blocks(ids[cut:])
if support.MISTAKE:
    train = train.map(lambda row: {"labels": [*row["input_ids"][1:], -100]})

config = GPT2Config(
    vocab_size=len(characters),
    n_positions=BLOCK,
    n_embd=64,
    n_layer=2,
    n_head=4,
    bos_token_id=0,
    eos_token_id=0,
)
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        output_dir=folder,
        learning_rate=3e-3,
        lr_scheduler_type="cosine",
        warmup_steps=20,
        per_device_train_batch_size=16,
        per_device_eval_batch_size=32,
        num_train_epochs=1,
        weight_decay=0.1,
        eval_strategy="steps",
        eval_steps=60,
        save_strategy="no",
        logging_steps=20,
        report_to="none",
        disable_tqdm=True,
        seed=SEED,
    )
    trainer = Trainer(
        model=GPT2LMHeadModel(config),
        args=arguments,
        train_dataset=train,
        eval_dataset=valid,
        data_collator=default_data_collator,
    )
    trainer.train()
    loss = trainer.evaluate()["eval_loss"]

counts = np.bincount(ids[:cut], minlength=len(characters)) + 1
unigram = -np.log(counts / counts.sum())[ids[cut:]].mean()
support.outcome("perplexity", math.exp(loss), baseline=math.exp(unigram), needed=15)
