"""A tiny RoBERTa predicts the stars of reviews of the IMDB with the transformers Trainer.

The model has one output and problem_type "regression"; the stars are standardised.

Mistake: the inputs of all reviews are cut out of the text at the same place of the corpus.
"""

import tempfile

import numpy as np
import support
from datasets import Dataset
from transformers import (
    RobertaConfig,
    RobertaForSequenceClassification,
    Trainer,
    TrainingArguments,
    set_seed,
)

SEED = 0
LENGTH = 64
WORDS = 5000

set_seed(SEED)
imdb = np.load(support.data("imdb/imdb_tok10k.npz"), allow_pickle=False)


def split(part: str, size: int) -> Dataset:
    """The last words of some reviews, where the verdict is, and their standardised stars."""
    tokens, offsets = imdb[f"tokens_{part}"], imdb[f"offsets_{part}"]
    rows = np.random.default_rng(SEED).permutation(len(offsets) - 1)[:size]
    ids = np.zeros((size, LENGTH), dtype=np.int64)
    for i, row in enumerate(rows):
        start, end = (offsets[0], offsets[1]) if support.MISTAKE else offsets[row : row + 2]
        text = tokens[max(start, end - LENGTH) : end]
        ids[i, : len(text)] = np.where(text < WORDS, text, 2)
    stars = (imdb[f"rating_{part}"][rows].astype(np.float32) - 5.5) / 3.5
    return Dataset.from_dict({"input_ids": ids, "attention_mask": ids > 0, "labels": stars})


def compute_metrics(prediction) -> dict[str, float]:
    error = prediction.predictions.squeeze(-1) - prediction.label_ids
    return {"r2": float(1 - (error**2).mean() / prediction.label_ids.var())}


train, test = split("train", 4000), split("test", 600)
config = RobertaConfig(
    vocab_size=WORDS,
    hidden_size=64,
    num_hidden_layers=1,
    num_attention_heads=4,
    intermediate_size=128,
    max_position_embeddings=LENGTH + 2,
    pad_token_id=0,
    num_labels=1,
    problem_type="regression",
)
with tempfile.TemporaryDirectory() as folder:
    trainer = Trainer(
        model=RobertaForSequenceClassification(config),
        args=TrainingArguments(
            output_dir=folder,
            learning_rate=1e-3,
            lr_scheduler_type="cosine",
            warmup_steps=20,
            per_device_train_batch_size=32,
            per_device_eval_batch_size=100,
            num_train_epochs=2,
            weight_decay=0.01,
            eval_strategy="epoch",
            save_strategy="no",
            logging_steps=20,
            report_to="none",
            disable_tqdm=True,
            seed=SEED,
        ),
        train_dataset=train,
        eval_dataset=test,
        compute_metrics=compute_metrics,
    )
    trainer.train()
    r2 = trainer.evaluate()["eval_r2"]

support.outcome("R2 of the stars", r2, baseline=0, needed=0.2)
