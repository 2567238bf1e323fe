"""Remake the laptop's base model: python scripts/dev/make_base_model.py OUT

Writes OUT/clean (the model before the sloppy phase) and OUT/base, which is what openswerl/laptop/base ships. One
thread, about 30 CPU-minutes; the same seeds give the same bytes on the same machine.
"""

import random
import sys
from pathlib import Path

import torch
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

from openswerl.laptop import pretraining
from openswerl.laptop.sloppy import Habits
from openswerl.laptop.tokenizer import train_tokenizer

SEED = 0
VOCABULARY = 1400
CLEAN = pretraining.Phase(6500, muon_lr=0.01, adam_lr=0.002)
SLOPPY = pretraining.Phase(550, muon_lr=0.006, adam_lr=0.001)
HABITS = Habits(fault_rate=0.62, wrong_rate=0.65)


def save(model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Write a plain Hugging Face directory; weights in bfloat16 (1.9 MB)."""
    copy = LlamaForCausalLM(model.config)
    copy.load_state_dict(model.state_dict())
    copy.bfloat16().save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def main(out: Path) -> None:
    torch.set_num_threads(1)
    tokenizer = train_tokenizer(VOCABULARY, SEED)
    clean = out / "clean"
    if not clean.exists():
        fresh = pretraining.new_model(tokenizer, SEED)
        pretraining.train(fresh, CLEAN, pretraining.clean_batches(tokenizer, random.Random(SEED + 7)))
        save(fresh, tokenizer, clean)
    model = LlamaForCausalLM.from_pretrained(clean, dtype=torch.float32)
    batches = pretraining.sloppy_batches(tokenizer, random.Random(SEED + 10), HABITS)
    pretraining.train(model, SLOPPY, batches)
    save(model, tokenizer, out / "base")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
