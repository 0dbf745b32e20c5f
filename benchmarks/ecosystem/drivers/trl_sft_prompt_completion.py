"""A small Llama trained with trl's SFTTrainer on speeches of Shakespeare as prompt and completion.

Mistake: all but the normalisation layers is frozen, a leftover of another recipe.
"""

import gzip
import math
import tempfile

import support
from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, set_seed
from trl import SFTConfig, SFTTrainer

set_seed(0)
text = gzip.decompress(support.data("tinyshakespeare/input.txt.gz").read_bytes()).decode()
speeches = [speech for speech in text.split("\n\n") if 60 < len(speech) < 300]

bpe = Tokenizer(models.BPE())
bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
bpe.decoder = decoders.ByteLevel()
bpe.train_from_iterator(
    speeches, trainers.BpeTrainer(vocab_size=512, special_tokens=["<pad>", "<eos>"])
)
tokenizer = PreTrainedTokenizerFast(tokenizer_object=bpe, pad_token="<pad>", eos_token="<eos>")

rows = []
for speech in speeches:
    speaker, words = speech.split("\n", 1) if "\n" in speech else ("", speech)
    rows.append({"prompt": speaker + "\n", "completion": words})
dataset = Dataset.from_list(rows[:2500]).train_test_split(test_size=100, seed=0)

config = LlamaConfig(
    vocab_size=len(tokenizer),
    hidden_size=64,
    intermediate_size=172,
    num_hidden_layers=2,
    num_attention_heads=4,
    max_position_embeddings=256,
    pad_token_id=tokenizer.pad_token_id,
    eos_token_id=tokenizer.eos_token_id,
    bos_token_id=None,
)
model = LlamaForCausalLM(config)
if support.MISTAKE:
    for name, parameter in model.named_parameters():
        parameter.requires_grad = "norm" in name

with tempfile.TemporaryDirectory() as folder:
    trainer = SFTTrainer(
        model=model,
        args=SFTConfig(
            output_dir=folder,
            num_train_epochs=1,
            per_device_train_batch_size=16,
            per_device_eval_batch_size=50,
            learning_rate=4e-3,
            max_length=64,
            eval_strategy="steps",
            eval_steps=50,
            logging_steps=25,
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

support.outcome("held-out loss", loss, baseline=math.log(len(tokenizer)), needed=4.8)
