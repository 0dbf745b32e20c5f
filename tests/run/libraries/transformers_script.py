"""The Trainer of Transformers on a tiny encoder; the learning rate is the argument."""

import sys
import tempfile

import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

torch.manual_seed(0)


class Sequences(Dataset):
    def __init__(self, count):
        self.tokens = torch.randint(2, 30, (count, 8))
        self.labels = (self.tokens[:, 0] > 15).long()

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, index):
        return {"input_ids": self.tokens[index], "labels": self.labels[index]}


config = BertConfig(
    vocab_size=32,
    hidden_size=32,
    num_hidden_layers=1,
    num_attention_heads=2,
    intermediate_size=64,
    max_position_embeddings=16,
)
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        output_dir=folder,
        num_train_epochs=5,
        per_device_train_batch_size=16,
        learning_rate=float(sys.argv[1]),
        lr_scheduler_type="constant",
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        use_cpu=True,
        seed=0,
    )
    trainer = Trainer(
        model=BertForSequenceClassification(config),
        args=arguments,
        train_dataset=Sequences(640),
    )
    trainer.train()
