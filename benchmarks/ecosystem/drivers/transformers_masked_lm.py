"""A tiny ModernBERT learns to fill in masked characters of tinyshakespeare with transformers.

Mistake: the learning rate is 2e-5, the one for fine-tuning, although the model starts from scratch.
"""

import gzip
import math
import tempfile

import numpy as np
import support
from datasets import Dataset
from tokenizers import Regex, Tokenizer, models, pre_tokenizers
from transformers import (
    DataCollatorForLanguageModeling,
    ModernBertConfig,
    ModernBertForMaskedLM,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    set_seed,
)

SEED = 0
BLOCK = 48

set_seed(SEED)
text = (
    gzip.decompress(support.data("tinyshakespeare/input.txt.gz").read_bytes())
    .decode()[:300_000]
    .lower()
)
vocabulary = ["[PAD]", "[UNK]", "[MASK]", *sorted(set(text))]
backend = Tokenizer(models.WordLevel({token: i for i, token in enumerate(vocabulary)}, "[UNK]"))
backend.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=backend, pad_token="[PAD]", unk_token="[UNK]", mask_token="[MASK]"
)


def blocks(text: str) -> Dataset:
    chunks = [text[i : i + BLOCK] for i in range(0, len(text) - BLOCK + 1, BLOCK)]
    return Dataset.from_dict(dict(tokenizer(chunks, return_special_tokens_mask=True)))


cut = int(0.95 * len(text))
train, valid = blocks(text[:cut]), blocks(text[cut:])
config = ModernBertConfig(
    vocab_size=len(vocabulary),
    hidden_size=64,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=96,
    max_position_embeddings=BLOCK,
    pad_token_id=tokenizer.pad_token_id,
    bos_token_id=None,
    eos_token_id=None,
    cls_token_id=None,
    sep_token_id=None,
)
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        output_dir=folder,
        learning_rate=2e-5 if support.MISTAKE else 5e-3,
        per_device_train_batch_size=32,
        per_device_eval_batch_size=32,
        max_steps=180,
        warmup_steps=20,
        weight_decay=0.01,
        eval_strategy="steps",
        eval_steps=60,
        save_strategy="no",
        logging_steps=20,
        report_to="none",
        disable_tqdm=True,
        seed=SEED,
    )
    trainer = Trainer(
        model=ModernBertForMaskedLM(config),
        args=arguments,
        train_dataset=train,
        eval_dataset=valid,
        data_collator=DataCollatorForLanguageModeling(tokenizer, mlm_probability=0.2),
    )
    trainer.train()
    loss = trainer.evaluate()["eval_loss"]

counts = np.bincount(np.concatenate(train["input_ids"]), minlength=len(vocabulary)) + 1
unigram = -np.log(counts / counts.sum())[np.concatenate(valid["input_ids"])].mean()
support.outcome("perplexity", math.exp(loss), baseline=math.exp(unigram), needed=14)
