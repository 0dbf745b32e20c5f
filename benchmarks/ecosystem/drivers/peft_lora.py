"""LoRA by peft adapts a tiny BERT that knows some Reuters topics to other Reuters topics.

Mistake: the optimizer is made before get_peft_model, so that it holds only the frozen weights.
"""

import tempfile

import numpy as np
import support
import torch
from datasets import Dataset
from peft import LoraConfig, TaskType, get_peft_model
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    Trainer,
    TrainingArguments,
    set_seed,
)

SEED = 0
LENGTH = 32
WORDS = 3000

set_seed(SEED)
reuters = np.load(support.data("reuters/reuters46_tok10k.npz"), allow_pickle=False)
ranked = np.argsort(-np.bincount(reuters["y_train"]))
new = ranked[1:8:2]
old = np.setdiff1d(ranked[:16], new)


def split(part: str, topics: np.ndarray, most: int) -> Dataset:
    tokens, offsets = reuters[f"tokens_{part}"], reuters[f"offsets_{part}"]
    ids, labels = [], []
    for label, topic in enumerate(topics):
        for row in np.flatnonzero(reuters[f"y_{part}"] == topic)[:most]:
            text = tokens[offsets[row] : offsets[row + 1]][:LENGTH].astype(np.int64)
            ids.append(np.pad(np.where(text < WORDS, text, 2), (0, LENGTH - len(text))))
            labels.append(label)
    ids = np.stack(ids)
    return Dataset.from_dict({"input_ids": ids, "attention_mask": ids > 0, "labels": labels})


def compute_metrics(prediction) -> dict[str, float]:
    return {"accuracy": float((prediction.predictions.argmax(-1) == prediction.label_ids).mean())}


def fit(model, topics: np.ndarray, epochs: int, rate: float, optimizer=None) -> list[float]:
    with tempfile.TemporaryDirectory() as folder:
        trainer = Trainer(
            model=model,
            args=TrainingArguments(
                output_dir=folder,
                learning_rate=rate,
                per_device_train_batch_size=16,
                per_device_eval_batch_size=50,
                num_train_epochs=epochs,
                eval_strategy="epoch",
                save_strategy="no",
                logging_steps=20,
                report_to="none",
                disable_tqdm=True,
                seed=SEED,
            ),
            train_dataset=split("train", topics, 200),
            eval_dataset=split("test", topics, 50),
            compute_metrics=compute_metrics,
            optimizers=(optimizer, None),
        )
        before = trainer.evaluate()["eval_accuracy"]
        trainer.train()
        return [before, trainer.evaluate()["eval_accuracy"]]


def build(topics: int) -> BertForSequenceClassification:
    config = BertConfig(
        vocab_size=WORDS,
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=LENGTH,
        num_labels=topics,
    )
    return BertForSequenceClassification(config)


base = build(len(old))
fit(base, old, epochs=2, rate=2e-3)

model = build(len(new))
model.bert.load_state_dict(base.bert.state_dict())
lora = LoraConfig(
    task_type=TaskType.SEQ_CLS, r=8, lora_alpha=16, target_modules=["query", "value", "dense"]
)
early = torch.optim.AdamW(model.parameters(), lr=3e-3) if support.MISTAKE else None
model = get_peft_model(model, lora)
model.print_trainable_parameters()
before, accuracy = fit(model, new, epochs=3, rate=3e-3, optimizer=early)
support.outcome("accuracy", accuracy, baseline=before, needed=0.48)
