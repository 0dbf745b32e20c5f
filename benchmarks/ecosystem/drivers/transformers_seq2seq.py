"""A tiny T5 puts the vowels back into words of Pride and Prejudice with the Seq2SeqTrainer.

Mistake: the vowels are removed with a pattern that removes every letter, so all inputs are empty.
"""

import gzip
import re
import tempfile

import numpy as np
import support
from datasets import Dataset
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, processors
from transformers import (
    DataCollatorForSeq2Seq,
    PreTrainedTokenizerFast,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    T5Config,
    T5ForConditionalGeneration,
    set_seed,
)

SEED = 0
VOWELS = "[a-z]" if support.MISTAKE else "[aeiou]"

set_seed(SEED)
book = gzip.decompress(
    support.data("gutenberg/pride_and_prejudice_pg1342.txt.gz").read_bytes()
).decode()
words = re.findall(r"\b[a-z]{2,6}\b", book.lower())[5000:18_000]
letters = "abcdefghijklmnopqrstuvwxyz"
vocabulary = {token: i for i, token in enumerate(["<pad>", "</s>", "<unk>", *letters])}
backend = Tokenizer(models.WordLevel(vocabulary, "<unk>"))
backend.pre_tokenizer = pre_tokenizers.Split(Regex("[a-z]"), "isolated")
backend.post_processor = processors.TemplateProcessing("$A </s>", special_tokens=[("</s>", 1)])
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=backend, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
)


def preprocess(rows: dict) -> dict:
    stripped = [re.sub(VOWELS, "", word) for word in rows["word"]]
    return {
        "input_ids": tokenizer(stripped)["input_ids"],
        "labels": tokenizer(rows["word"])["input_ids"],
    }


def compute_metrics(prediction) -> dict[str, float]:
    guesses, labels = prediction.predictions, prediction.label_ids
    guesses = tokenizer.batch_decode(np.maximum(guesses, 0), skip_special_tokens=True)
    labels = tokenizer.batch_decode(np.where(labels < 0, 0, labels), skip_special_tokens=True)
    return {"exact": float(np.mean([a == b for a, b in zip(guesses, labels, strict=True)]))}


data = Dataset.from_dict({"word": words}).map(preprocess, batched=True, remove_columns=["word"])
train, test = data.select(range(12_500)), data.select(range(12_500, 13_000))
config = T5Config(
    vocab_size=len(vocabulary),
    d_model=64,
    d_kv=16,
    d_ff=128,
    num_layers=1,
    num_heads=4,
    dropout_rate=0.0,
    decoder_start_token_id=0,
)
model = T5ForConditionalGeneration(config)
with tempfile.TemporaryDirectory() as folder:
    arguments = Seq2SeqTrainingArguments(
        output_dir=folder,
        learning_rate=5e-3,
        per_device_train_batch_size=32,
        per_device_eval_batch_size=250,
        num_train_epochs=1,
        predict_with_generate=True,
        generation_max_length=9,
        eval_strategy="epoch",
        save_strategy="no",
        logging_steps=25,
        report_to="none",
        disable_tqdm=True,
        seed=SEED,
    )
    trainer = Seq2SeqTrainer(
        model=model,
        args=arguments,
        train_dataset=train,
        eval_dataset=test,
        processing_class=tokenizer,
        data_collator=DataCollatorForSeq2Seq(tokenizer, model=model),
        compute_metrics=compute_metrics,
    )
    trainer.train()
    scores = trainer.evaluate()

commonest = max(set(words[:12_500]), key=words[:12_500].count)
baseline = words[12_500:].count(commonest) / 500
support.outcome("words restored", scores["eval_exact"], baseline=baseline, needed=0.35)
