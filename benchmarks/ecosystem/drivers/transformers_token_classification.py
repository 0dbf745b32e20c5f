"""A tiny DistilBERT tags which words of Pride and Prejudice are capitalised, with transformers.

Mistake: the learning rate is 0.5, copied from a recipe for plain SGD.
"""

import gzip
import re
import tempfile
from collections import Counter

import numpy as np
import support
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    DataCollatorForTokenClassification,
    DistilBertConfig,
    DistilBertForTokenClassification,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    set_seed,
)

SEED = 0
LENGTH = 40

set_seed(SEED)
book = gzip.decompress(
    support.data("gutenberg/pride_and_prejudice_pg1342.txt.gz").read_bytes()
).decode()
words = re.findall(r"\w+|[^\w\s]", book)[10_000:130_000]
common = [word for word, _ in Counter(word.lower() for word in words).most_common(1500)]
vocabulary = {token: i for i, token in enumerate(["[PAD]", "[UNK]", *common])}
backend = Tokenizer(models.WordLevel(vocabulary, "[UNK]"))
backend.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, pad_token="[PAD]", unk_token="[UNK]")


def tokenize_and_align(rows: dict) -> dict:
    encoded = tokenizer(rows["tokens"], is_split_into_words=True)
    encoded["labels"] = [
        [-100 if i is None else tags[i] for i in encoded.word_ids(row)]
        for row, tags in enumerate(rows["tags"])
    ]
    return dict(encoded)


def sentences(words: list[str]) -> Dataset:
    rows = [words[i : i + LENGTH] for i in range(0, len(words), LENGTH)]
    data = Dataset.from_dict(
        {
            "tokens": [[word.lower() for word in row] for row in rows],
            "tags": [[int(word[0].isupper()) for word in row] for row in rows],
        }
    )
    return data.map(tokenize_and_align, batched=True, remove_columns=["tokens", "tags"])


def compute_metrics(prediction) -> dict[str, float]:
    guess, label = prediction.predictions.argmax(-1), prediction.label_ids
    hits = ((guess == 1) & (label == 1)).sum()
    return {"f1": float(2 * hits / (((guess == 1) & (label >= 0)).sum() + (label == 1).sum()))}


config = DistilBertConfig(
    vocab_size=len(vocabulary),
    dim=64,
    n_layers=2,
    n_heads=4,
    hidden_dim=128,
    max_position_embeddings=64,
    num_labels=2,
)
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        output_dir=folder,
        learning_rate=0.5 if support.MISTAKE else 2e-3,
        per_device_train_batch_size=16,
        per_device_eval_batch_size=32,
        num_train_epochs=1,
        weight_decay=0.01,
        eval_strategy="epoch",
        save_strategy="no",
        logging_steps=20,
        report_to="none",
        disable_tqdm=True,
        seed=SEED,
    )
    trainer = Trainer(
        model=DistilBertForTokenClassification(config),
        args=arguments,
        train_dataset=sentences(words[:110_000]),
        eval_dataset=sentences(words[110_000:]),
        processing_class=tokenizer,
        data_collator=DataCollatorForTokenClassification(tokenizer),
        compute_metrics=compute_metrics,
    )
    trainer.train()
    scores = trainer.evaluate()

share = np.mean([word[0].isupper() for word in words[110_000:]])
support.outcome("F1", scores["eval_f1"], baseline=2 * share / (1 + share), needed=0.6)
