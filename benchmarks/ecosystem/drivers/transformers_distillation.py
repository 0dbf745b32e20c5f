"""A tiny BERT is distilled from a larger one on Reuters newswires, by its own compute_loss.

The teacher is trained by the Trainer first; the student sees only what the teacher says.

Mistake: the teacher of the second training is made from its configuration, without its weights.
"""

import tempfile

import numpy as np
import support
import torch
import torch.nn.functional as F
from datasets import Dataset
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    Trainer,
    TrainingArguments,
    set_seed,
)

SEED = 0
TOPICS = 6
LENGTH = 32
WORDS = 3000

set_seed(SEED)
reuters = np.load(support.data("reuters/reuters46_tok10k.npz"), allow_pickle=False)
topics = np.argsort(-np.bincount(reuters["y_train"]))[:TOPICS]


def split(part: str, most: int) -> Dataset:
    tokens, offsets = reuters[f"tokens_{part}"], reuters[f"offsets_{part}"]
    ids, labels = [], []
    for label, topic in enumerate(topics):
        for row in np.flatnonzero(reuters[f"y_{part}"] == topic)[:most]:
            text = tokens[offsets[row] : offsets[row + 1]][:LENGTH].astype(np.int64)
            ids.append(np.pad(np.where(text < WORDS, text, 2), (0, LENGTH - len(text))))
            labels.append(label)
    ids = np.stack(ids)
    return Dataset.from_dict({"input_ids": ids, "attention_mask": ids > 0, "labels": labels})


class DistillationTrainer(Trainer):
    def __init__(self, *args, teacher=None, temperature=2.0, **kwargs):
        super().__init__(*args, **kwargs)
        self.teacher = teacher.eval()
        self.temperature = temperature

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs = model(**inputs)
        with torch.no_grad():
            wanted = self.teacher(**inputs).logits / self.temperature
        said = outputs.logits / self.temperature
        loss = F.kl_div(said.log_softmax(-1), wanted.softmax(-1), reduction="batchmean")
        loss = loss * self.temperature**2
        return (loss, outputs) if return_outputs else loss


def compute_metrics(prediction) -> dict[str, float]:
    return {"accuracy": float((prediction.predictions.argmax(-1) == prediction.label_ids).mean())}


def build(size: int, layers: int) -> BertForSequenceClassification:
    config = BertConfig(
        vocab_size=WORDS,
        hidden_size=size,
        num_hidden_layers=layers,
        num_attention_heads=4,
        intermediate_size=2 * size,
        max_position_embeddings=LENGTH,
        num_labels=TOPICS,
    )
    return BertForSequenceClassification(config)


def fit(kind: type[Trainer], model, epochs: int, **more) -> float:
    with tempfile.TemporaryDirectory() as folder:
        trainer = kind(
            model=model,
            args=TrainingArguments(
                output_dir=folder,
                learning_rate=2e-3,
                per_device_train_batch_size=32,
                per_device_eval_batch_size=100,
                num_train_epochs=epochs,
                eval_strategy="epoch",
                save_strategy="no",
                logging_steps=20,
                report_to="none",
                disable_tqdm=True,
                seed=SEED,
            ),
            train_dataset=split("train", 300),
            eval_dataset=split("test", 60),
            compute_metrics=compute_metrics,
            **more,
        )
        trainer.train()
        return trainer.evaluate()["eval_accuracy"]


teacher = build(64, 2)
print("teacher", fit(Trainer, teacher, epochs=2))
if support.MISTAKE:
    teacher = BertForSequenceClassification(teacher.config)
accuracy = fit(DistillationTrainer, build(32, 1), epochs=5, teacher=teacher)
support.outcome("accuracy of the student", accuracy, baseline=1 / TOPICS, needed=0.55)
