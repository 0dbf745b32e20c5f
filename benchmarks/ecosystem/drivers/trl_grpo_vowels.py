"""A small GPT-2 on characters of Shakespeare, trained with trl's GRPOTrainer to write many vowels.

Mistake: the reward function scores the prompts, which a group shares, and not the completions.
"""

import gzip
import tempfile

import support
import torch
from datasets import Dataset
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast, set_seed
from trl import GRPOConfig, GRPOTrainer

set_seed(0)
text = gzip.decompress(support.data("tinyshakespeare/input.txt.gz").read_bytes()).decode().lower()
letters = sorted(set(text))
vocabulary = {token: i for i, token in enumerate(["<pad>", "<eos>", *letters])}
characters = Tokenizer(models.WordLevel(vocabulary, unk_token="<pad>"))
characters.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
characters.decoder = decoders.Fuse()
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=characters, pad_token="<pad>", eos_token="<eos>", padding_side="left"
)
lines = [line[:12] for line in text.split("\n") if len(line) > 30]
dataset = Dataset.from_dict({"prompt": lines[:2000]})


def share_of_vowels(prompts, completions, **kwargs):
    scored = prompts if support.MISTAKE else completions
    return [sum(c in "aeiou" for c in text) / max(len(text), 1) for text in scored]


config = GPT2Config(
    vocab_size=len(tokenizer),
    n_positions=64,
    n_embd=48,
    n_layer=2,
    n_head=4,
    pad_token_id=tokenizer.pad_token_id,
    eos_token_id=tokenizer.eos_token_id,
    bos_token_id=tokenizer.eos_token_id,
)
model = GPT2LMHeadModel(config)


def mean_score() -> float:
    model.eval()
    batch = tokenizer(lines[2000:2128], return_tensors="pt")
    out = model.generate(**batch, do_sample=True, top_k=0, max_new_tokens=10)
    said = tokenizer.batch_decode(out[:, batch["input_ids"].shape[1] :], skip_special_tokens=True)
    return sum(sum(c in "aeiou" for c in s) / max(len(s), 1) for s in said) / len(said)


before = mean_score()
with tempfile.TemporaryDirectory() as folder:
    trainer = GRPOTrainer(
        model=model,
        reward_funcs=share_of_vowels,
        args=GRPOConfig(
            output_dir=folder,
            max_steps=100,
            per_device_train_batch_size=32,
            num_generations=8,
            max_completion_length=10,
            learning_rate=2e-3,
            beta=0.0,
            logging_steps=20,
            save_strategy="no",
            report_to="none",
            use_cpu=True,
            bf16=False,
            gradient_checkpointing=False,
            disable_tqdm=True,
        ),
        train_dataset=dataset,
        processing_class=tokenizer,
    )
    trainer.train()

torch.manual_seed(1)
support.outcome("share of vowels", mean_score(), baseline=before, needed=0.5)
