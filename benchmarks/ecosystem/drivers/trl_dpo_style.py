"""A small Qwen2 learns with trl's DPOTrainer to prefer Shakespeare's lines to Melville's.

Mistake: the warm-up is far longer than the whole training, so that the rate stays near zero.
"""

import copy
import gzip
import math
import random
import tempfile

import support
from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM, set_seed
from trl import DPOConfig, DPOTrainer

set_seed(0)
shakespeare = gzip.decompress(support.data("tinyshakespeare/input.txt.gz").read_bytes()).decode()
melville = gzip.decompress(support.data("gutenberg/moby_dick.txt.gz").read_bytes()).decode()
speeches = [part.split("\n") for part in shakespeare.split("\n\n") if part.count("\n") > 2]
lines = [line for line in melville.split("\n") if len(line) > 40]

bpe = Tokenizer(models.BPE())
bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
bpe.decoder = decoders.ByteLevel()
special = ["<pad>", "<eos>"]
bpe.train_from_iterator(
    [shakespeare[:200_000], melville[:200_000]],
    trainers.BpeTrainer(vocab_size=600, special_tokens=special),
)
tokenizer = PreTrainedTokenizerFast(tokenizer_object=bpe, pad_token="<pad>", eos_token="<eos>")

random.seed(0)
pairs = [
    {"prompt": f"{who}\n{first}\n", "chosen": second, "rejected": random.choice(lines)}
    for who, first, second, *_ in speeches[:1050]
]
dataset = Dataset.from_list(pairs).train_test_split(test_size=100, seed=0)

config = Qwen2Config(
    vocab_size=len(tokenizer),
    hidden_size=64,
    intermediate_size=128,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    max_position_embeddings=256,
    pad_token_id=tokenizer.pad_token_id,
    eos_token_id=tokenizer.eos_token_id,
    bos_token_id=None,
)
model = Qwen2ForCausalLM(config)

with tempfile.TemporaryDirectory() as folder:
    trainer = DPOTrainer(
        model=model,
        ref_model=copy.deepcopy(model),
        args=DPOConfig(
            output_dir=folder,
            beta=0.1,
            num_train_epochs=1,
            per_device_train_batch_size=8,
            per_device_eval_batch_size=50,
            learning_rate=1e-3,
            warmup_steps=20_000 if support.MISTAKE else 10,
            max_length=128,
            eval_strategy="steps",
            eval_steps=60,
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
    loss = trainer.evaluate()["eval_loss"]

support.outcome("held-out DPO loss", loss, baseline=math.log(2), needed=0.4)
