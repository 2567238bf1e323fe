"""Remake the laptop's base model: python scripts/dev/make_base_model.py OUT

Writes OUT/general, OUT/clean (the model before the sloppy phase) and OUT/base, which is what openswerl/laptop/base
ships. One thread, about 45 CPU-minutes; the same seeds give the same bytes on the same machine. A phase that is done is
kept. The shipped model's phases were not made in one go: docs/STATUS.md.
"""

import random
import shutil
import sys
from pathlib import Path

import torch
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

from openswerl.laptop import pretraining
from openswerl.laptop.sloppy import Habits
from openswerl.laptop.tokenizer import train_tokenizer

SEED = 0
VOCABULARY = 1400
GENERAL = pretraining.Phase(6000, muon_lr=0.01, adam_lr=0.002)
REPAIRS = pretraining.Phase(2200, muon_lr=0.007, adam_lr=0.0014)
SLOPPY = pretraining.Phase(550, muon_lr=0.006, adam_lr=0.001)
HABITS = Habits(fault_rate=0.62, wrong_rate=0.65)


def save(model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Write a plain Hugging Face directory, whole or not at all; weights in bfloat16 (1.9 MB)."""
    fresh = folder.with_name(f".{folder.name}.tmp")
    shutil.rmtree(fresh, ignore_errors=True)
    copy = LlamaForCausalLM(model.config)
    copy.load_state_dict(model.state_dict())
    copy.bfloat16().save_pretrained(fresh)
    tokenizer.save_pretrained(fresh)
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)


def load(folder: Path) -> LlamaForCausalLM:
    """Return a phase's model, whose weights are those of the file."""
    return LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32)


def main(out: Path) -> None:
    """Train the three phases, each from the one before, into folders below `out`."""
    torch.set_num_threads(1)
    tokenizer = train_tokenizer(VOCABULARY, SEED)
    general, clean = out / "general", out / "clean"
    if not general.exists():
        model = pretraining.new_model(tokenizer, SEED)
        pretraining.train(model, GENERAL, pretraining.clean_batches(tokenizer, random.Random(SEED + 7)))
        save(model, tokenizer, general)
    if not clean.exists():
        model = load(general)
        pretraining.train(model, REPAIRS, pretraining.repair_batches(tokenizer, random.Random(SEED + 8)))
        save(model, tokenizer, clean)
    model = load(clean)
    batches = pretraining.sloppy_batches(tokenizer, random.Random(SEED + 10), HABITS)
    pretraining.train(model, SLOPPY, batches)
    save(model, tokenizer, out / "base")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
