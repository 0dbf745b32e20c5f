"""A tiny BERT embeds Reuters newswires, pairs of one topic, with MultipleNegativesRankingLoss.

Mistake: the tokenizer has no pre-tokenizer, so that every whole text becomes one unknown token.
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
from sentence_transformers.losses import MultipleNegativesRankingLoss
from tokenizers import Tokenizer, pre_tokenizers
from tokenizers.models import WordLevel
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast, set_seed

SEED = 0
TOPICS = 20
LENGTH = 32

set_seed(SEED)
generator = np.random.default_rng(SEED)
words = (
    gzip.decompress(support.data("reuters/vocab10k.txt.gz").read_bytes())
    .decode()
    .splitlines()[:4000]
)
reuters = np.load(support.data("reuters/reuters46_tok10k.npz"), allow_pickle=False)
common = np.argsort(-np.bincount(reuters["y_train"]))[:TOPICS]


def texts(part: str, most: int) -> dict[int, list[str]]:
    tokens, offsets = reuters[f"tokens_{part}"], reuters[f"offsets_{part}"]
    found = {}
    for topic in common:
        rows = np.flatnonzero(reuters[f"y_{part}"] == topic)[:most]
        pieces = [tokens[offsets[row] + 1 : offsets[row] + LENGTH] for row in rows]
        found[int(topic)] = [" ".join(words[i] for i in piece if i < 4000) for piece in pieces]
    return found


def build(folder: str) -> SentenceTransformer:
    backend = Tokenizer(WordLevel({word: i for i, word in enumerate(words)}, "<oov>"))
    if not support.MISTAKE:
        backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=backend, pad_token="<pad>", unk_token="<oov>"
    )
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=64,
        num_hidden_layers=1,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=64,
    )
    tokenizer.save_pretrained(folder)
    BertModel(config).save_pretrained(folder)
    transformer = models.Transformer(folder, max_seq_length=LENGTH)
    pooling = models.Pooling(transformer.get_word_embedding_dimension(), "mean")
    return SentenceTransformer(modules=[transformer, pooling], device="cpu")


def nearest_topic(model: SentenceTransformer) -> float:
    """How many test texts have a training text of their own topic as nearest neighbour."""
    known = [(topic, text) for topic, some in train.items() for text in some[:30]]
    asked = [(topic, text) for topic, some in test.items() for text in some]
    known_vectors = model.encode([text for _, text in known], show_progress_bar=False)
    vectors = model.encode([text for _, text in asked], show_progress_bar=False)
    best = model.similarity(vectors, known_vectors).argmax(1)
    return float(np.mean([known[b][0] == topic for b, (topic, _) in zip(best, asked, strict=True)]))


train, test = texts("train", 100), texts("test", 20)
pairs = []
for _ in range(200):
    for some in train.values():
        pairs.append([some[i] for i in generator.integers(len(some), size=2)])
dataset = Dataset.from_dict({"anchor": [a for a, _ in pairs], "positive": [b for _, b in pairs]})

with tempfile.TemporaryDirectory() as folder:
    model = build(folder)
    before = nearest_topic(model)
    trainer = SentenceTransformerTrainer(
        model=model,
        args=SentenceTransformerTrainingArguments(
            output_dir=folder,
            learning_rate=2e-3,
            per_device_train_batch_size=32,
            num_train_epochs=1,
            warmup_steps=10,
            save_strategy="no",
            logging_steps=20,
            report_to="none",
            disable_tqdm=True,
            seed=SEED,
        ),
        train_dataset=dataset,
        loss=MultipleNegativesRankingLoss(model),
    )
    trainer.train()

support.outcome("nearest topic", nearest_topic(model), baseline=before, needed=0.65)
