"""A tiny BERT finds who is asked for in sentences of Pride and Prejudice, as spans (transformers).

The question is a title (Mr., Miss, Lady ...), the answer is that title with the name after it.

Mistake: the spans are told in characters of the text and not in tokens.
"""

import gzip
import re
import tempfile
from collections import Counter

import numpy as np
import support
from datasets import Dataset
from transformers import (
    BertConfig,
    BertForQuestionAnswering,
    Trainer,
    TrainingArguments,
    set_seed,
)

SEED = 0
LENGTH = 40
TITLES = ("mr", "mrs", "miss", "lady", "colonel", "sir")

set_seed(SEED)
book = gzip.decompress(support.data("gutenberg/pride_and_prejudice_pg1342.txt.gz").read_bytes())
words = re.findall(r"[a-z]+", book.decode().lower())
known = [word for word, _ in Counter(words).most_common(1500)]
special = ["[PAD]", "[SEP]", "[UNK]"]
vocabulary = {word: i for i, word in enumerate([*special, *known])}


def example(start: int) -> dict | None:
    """A question on one window of the book, if one title occurs in it exactly once."""
    window = words[start : start + LENGTH - 2]
    titles = [title for title in TITLES if window[:-1].count(title) == 1]
    if not titles:
        return None
    title = titles[start % len(titles)]
    place = window.index(title)
    pieces = [title, "[SEP]", *window]
    first, last = place + 2, place + 3
    if support.MISTAKE:
        first = len(" ".join(pieces[: place + 2])) + 1
        last = first + len(" ".join(pieces[place + 2 : place + 4]))
    return {
        "input_ids": [vocabulary.get(piece, 2) for piece in pieces],
        "token_type_ids": [0, 0, *([1] * len(window))],
        "start_positions": first,
        "end_positions": last,
        "right": [place + 2, place + 3],
    }


def compute_metrics(prediction) -> dict[str, float]:
    starts, ends = (scores.argmax(-1) for scores in prediction.predictions)
    right = np.array(test["right"])
    return {"exact_match": float(((starts == right[:, 0]) & (ends == right[:, 1])).mean())}


examples = [one for start in range(0, len(words) - LENGTH, 30) if (one := example(start))]
cut = len(examples) - 300
train, test = Dataset.from_list(examples[:cut]), Dataset.from_list(examples[cut:])

config = BertConfig(
    vocab_size=len(vocabulary),
    hidden_size=64,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=128,
    max_position_embeddings=LENGTH,
)
with tempfile.TemporaryDirectory() as folder:
    trainer = Trainer(
        model=BertForQuestionAnswering(config),
        args=TrainingArguments(
            output_dir=folder,
            learning_rate=2e-3,
            warmup_steps=20,
            per_device_train_batch_size=32,
            per_device_eval_batch_size=100,
            num_train_epochs=5,
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
    score = trainer.evaluate()["eval_exact_match"]

support.outcome("exact match", score, baseline=1 / LENGTH, needed=0.6)
