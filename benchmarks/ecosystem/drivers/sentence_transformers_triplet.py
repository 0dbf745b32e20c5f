"""A tiny DistilBERT embeds Reuters newswires by topic with sentence-transformers' TripletLoss.

Mistake: the columns are anchor, negative, positive, but it is their order that counts.
"""

import gzip
import tempfile

import numpy as np
import support
from datasets import Dataset
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
    models,
)
from sentence_transformers.evaluation import TripletEvaluator
from sentence_transformers.losses import TripletLoss
from tokenizers import Tokenizer, pre_tokenizers
from tokenizers.models import WordLevel
from transformers import DistilBertConfig, DistilBertModel, PreTrainedTokenizerFast, set_seed

SEED = 0
TOPICS = 10
LENGTH = 32

set_seed(SEED)
generator = np.random.default_rng(SEED)
words = (
    gzip.decompress(support.data("reuters/vocab10k.txt.gz").read_bytes())
    .decode()
    .splitlines()[:3000]
)
reuters = np.load(support.data("reuters/reuters46_tok10k.npz"), allow_pickle=False)
common = np.argsort(-np.bincount(reuters["y_train"]))[:TOPICS]


def triplets(part: str, size: int) -> Dataset:
    tokens, offsets = reuters[f"tokens_{part}"], reuters[f"offsets_{part}"]
    rows = [np.flatnonzero(reuters[f"y_{part}"] == topic) for topic in common]
    columns = {"anchor": [], "positive": [], "negative": []}
    for _ in range(size):
        same, other = generator.choice(TOPICS, 2, replace=False)
        for name, topic in zip(columns, (same, same, other), strict=True):
            row = generator.choice(rows[topic])
            piece = tokens[offsets[row] + 1 : offsets[row + 1]][:LENGTH]
            columns[name].append(" ".join(words[i] for i in piece if i < len(words)))
    return Dataset.from_dict(columns)


def build(folder: str) -> SentenceTransformer:
    backend = Tokenizer(WordLevel({word: i for i, word in enumerate(words)}, "<oov>"))
    backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=backend, pad_token="<pad>", unk_token="<oov>"
    )
    config = DistilBertConfig(
        vocab_size=len(words),
        dim=48,
        n_layers=1,
        n_heads=4,
        hidden_dim=96,
        max_position_embeddings=64,
    )
    tokenizer.save_pretrained(folder)
    DistilBertModel(config).save_pretrained(folder)
    transformer = models.Transformer(folder, max_seq_length=LENGTH)
    pooling = models.Pooling(transformer.get_word_embedding_dimension(), "mean")
    return SentenceTransformer(modules=[transformer, pooling], device="cpu")


train, test = triplets("train", 3200), triplets("test", 300)
evaluator = TripletEvaluator(test["anchor"], test["positive"], test["negative"], name="reuters")
if support.MISTAKE:
    train = train.select_columns(["anchor", "negative", "positive"])

with tempfile.TemporaryDirectory() as folder:
    model = build(folder)
    before = evaluator(model)["reuters_cosine_accuracy"]
    trainer = SentenceTransformerTrainer(
        model=model,
        args=SentenceTransformerTrainingArguments(
            output_dir=folder,
            learning_rate=2e-3,
            per_device_train_batch_size=16,
            num_train_epochs=1,
            warmup_steps=10,
            eval_strategy="steps",
            eval_steps=100,
            save_strategy="no",
            logging_steps=25,
            report_to="none",
            disable_tqdm=True,
            seed=SEED,
        ),
        train_dataset=train,
        evaluator=evaluator,
        loss=TripletLoss(model),
    )
    trainer.train()
    accuracy = evaluator(model)["reuters_cosine_accuracy"]

support.outcome("triplet accuracy", accuracy, baseline=before, needed=0.77)
