"""A small Llama with a value head, trained with trl's RewardTrainer to rate Austen above Melville.

Mistake: which text of a pair was preferred is lost, so that half of the pairs are swapped.
"""

import gzip
import random
import tempfile

import support
from datasets import Dataset
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers
from transformers import (
    LlamaConfig,
    LlamaForSequenceClassification,
    PreTrainedTokenizerFast,
    set_seed,
)
from trl import RewardConfig, RewardTrainer

set_seed(0)
random.seed(0)


def passages(name: str) -> list[str]:
    words = gzip.decompress(support.data(name).read_bytes()).decode().split()
    texts = [" ".join(words[i : i + 30]) for i in range(2000, len(words) - 30, 30)]
    return random.sample(texts, 1600)


austen = passages("gutenberg/pride_and_prejudice_pg1342.txt.gz")
melville = passages("gutenberg/moby_dick.txt.gz")

words = Tokenizer(models.WordLevel(unk_token="<unk>"))
words.normalizer = normalizers.Lowercase()
words.pre_tokenizer = pre_tokenizers.Whitespace()
special = ["<pad>", "<eos>", "<unk>"]
words.train_from_iterator(
    austen + melville, trainers.WordLevelTrainer(vocab_size=3000, special_tokens=special)
)
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=words, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>"
)

pairs = []
for better, worse in zip(austen, melville, strict=True):
    if support.MISTAKE and random.random() < 0.5:
        better, worse = worse, better
    pairs.append({"chosen": better, "rejected": worse})
dataset = Dataset.from_list(pairs).train_test_split(test_size=200, seed=0)

config = LlamaConfig(
    vocab_size=len(tokenizer),
    hidden_size=64,
    intermediate_size=128,
    num_hidden_layers=2,
    num_attention_heads=4,
    max_position_embeddings=128,
    pad_token_id=tokenizer.pad_token_id,
    eos_token_id=tokenizer.eos_token_id,
    bos_token_id=None,
    num_labels=1,
)
with tempfile.TemporaryDirectory() as folder:
    trainer = RewardTrainer(
        model=LlamaForSequenceClassification(config),
        args=RewardConfig(
            output_dir=folder,
            num_train_epochs=2,
            per_device_train_batch_size=16,
            per_device_eval_batch_size=50,
            learning_rate=1e-3,
            max_length=64,
            eval_strategy="epoch",
            logging_steps=20,
            save_strategy="no",
            report_to="none",
            use_cpu=True,
            bf16=False,
            gradient_checkpointing=False,
            disable_tqdm=True,
        ),
        train_dataset=dataset["train"],
        eval_dataset=dataset["test"],
        processing_class=tokenizer,
    )
    trainer.train()
    accuracy = trainer.evaluate()["eval_accuracy"]

support.outcome("accuracy on held-out pairs", accuracy, baseline=0.5, needed=0.75)
