"""A small vision transformer (ViT from its config) learns MNIST with the transformers Trainer.

Mistake: the pixels are divided by 255 twice, so that every image is all but black.
"""

import tempfile

import numpy as np
import support
import torch
from datasets import Dataset
from transformers import (
    Trainer,
    TrainingArguments,
    ViTConfig,
    ViTForImageClassification,
    set_seed,
)

SEED = 0

set_seed(SEED)
mnist = np.load(support.data("mnist/mnist.npz"), allow_pickle=False)


def split(part: str, size: int) -> Dataset:
    images, labels = mnist[f"x_{part}"][:size], mnist[f"y_{part}"][:size]
    return Dataset.from_dict({"image": images, "label": labels.astype(np.int64)}).with_format(
        "numpy"
    )


def collate(rows: list[dict]) -> dict[str, torch.Tensor]:
    images = torch.tensor(np.stack([row["image"] for row in rows])).unsqueeze(1)
    pixels = images / (255 * 255 if support.MISTAKE else 255)
    labels = torch.tensor([int(row["label"]) for row in rows])
    return {"pixel_values": (pixels - 0.5) / 0.5, "labels": labels}


def compute_metrics(prediction) -> dict[str, float]:
    return {"accuracy": float((prediction.predictions.argmax(-1) == prediction.label_ids).mean())}


config = ViTConfig(
    image_size=28,
    patch_size=7,
    num_channels=1,
    hidden_size=64,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=128,
    num_labels=10,
)
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        output_dir=folder,
        learning_rate=3e-3,
        warmup_steps=20,
        per_device_train_batch_size=32,
        per_device_eval_batch_size=100,
        num_train_epochs=3,
        eval_strategy="epoch",
        save_strategy="no",
        logging_steps=25,
        remove_unused_columns=False,
        report_to="none",
        disable_tqdm=True,
        seed=SEED,
    )
    trainer = Trainer(
        model=ViTForImageClassification(config),
        args=arguments,
        train_dataset=split("train", 3500),
        eval_dataset=split("test", 500),
        data_collator=collate,
        compute_metrics=compute_metrics,
    )
    trainer.train()
    scores = trainer.evaluate()

majority = np.bincount(mnist["y_test"][:500]).max() / 500
support.outcome("accuracy", scores["eval_accuracy"], baseline=majority, needed=0.6)
