"""A tiny BERT classifies Reuters newswires by topic with the transformers Trainer.

Mistake: the labels were shuffled apart from the texts they belong to.
"""

import tempfile

import numpy as np
import support
from datasets import Dataset
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    Trainer,
    TrainingArguments,
    set_seed,
)

SEED = 0
TOPICS = 8
LENGTH = 48
WORDS = 4000

set_seed(SEED)
reuters = np.load(support.data("reuters/reuters46_tok10k.npz"), allow_pickle=False)
common = np.argsort(-np.bincount(reuters["y_train"]))[:TOPICS]


def split(part: str, size: int) -> Dataset:
    tokens, offsets = reuters[f"tokens_{part}"], reuters[f"offsets_{part}"]
    rows = np.flatnonzero(np.isin(reuters[f"y_{part}"], common))[:size]
    ids = np.zeros((len(rows), LENGTH), dtype=np.int64)
    for i, row in enumerate(rows):
        text = tokens[offsets[row] : offsets[row + 1]][:LENGTH]
        ids[i, : len(text)] = np.where(text < WORDS, text, 2)
    labels = np.array([int(np.flatnonzero(common == y)[0]) for y in reuters[f"y_{part}"][rows]])
    if support.MISTAKE and part == "train":
        labels = np.random.default_rng(SEED).permutation(labels)
    return Dataset.from_dict(
        {"input_ids": ids, "attention_mask": (ids > 0).astype(np.int64), "labels": labels}
    )


def compute_metrics(prediction) -> dict[str, float]:
    return {"accuracy": float((prediction.predictions.argmax(-1) == prediction.label_ids).mean())}


train, test = split("train", 2400), split("test", 600)
config = BertConfig(
    vocab_size=WORDS,
    hidden_size=64,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=128,
    max_position_embeddings=LENGTH,
    num_labels=TOPICS,
)
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        output_dir=folder,
        learning_rate=2e-3,
        per_device_train_batch_size=32,
        per_device_eval_batch_size=64,
        num_train_epochs=2,
        weight_decay=0.01,
        eval_strategy="epoch",
        save_strategy="no",
        logging_steps=20,
        report_to="none",
        disable_tqdm=True,
        seed=SEED,
    )
    trainer = Trainer(
        model=BertForSequenceClassification(config),
        args=arguments,
        train_dataset=train,
        eval_dataset=test,
        compute_metrics=compute_metrics,
    )
    trainer.train()
    scores = trainer.evaluate()

majority = np.bincount(test["labels"]).max() / len(test)
support.outcome("accuracy", scores["eval_accuracy"], baseline=majority, needed=0.65)
