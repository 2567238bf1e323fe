"""A word-like BPE for the laptop model: identifiers, newline-with-indent and the four tags are single tokens."""

import random

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from openswerl.edits import render
from openswerl.laptop.sloppy import Habits, sloppy_answer
from openswerl.laptop.steps import make_localisation, make_reproduction
from openswerl.laptop.tasks import make_instructed_edit, make_repair, perfect_answer
from openswerl.models.prompts import hinted_prompt, repair_prompt

TAGS = ["<think>", "</think>", "<solution>", "</solution>"]
HABITS = Habits(fault_rate=1.0, wrong_rate=0.5, spread=0.9, ceiling=0.95)
SPLIT = Regex(r"\n *|[ _]?[A-Za-z]+| ?\d| ?[^\sA-Za-z\d_]+|[ _]")


def train_tokenizer(vocabulary: int, seed: int) -> PreTrainedTokenizerFast:
    """Return a tokenizer of about `vocabulary` entries trained on prompts and answers of the laptop world."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.decoder = decoders.ByteLevel()  # type: ignore[assignment]
    words = pre_tokenizers.Split(SPLIT, "isolated")
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([words, byte_level])  # type: ignore[assignment]
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=["<pad>", "<eos>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_texts(random.Random(seed)), trainer)
    tokenizer.add_tokens(TAGS)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<eos>")


def _texts(rng: random.Random) -> list[str]:
    texts = []
    for _ in range(1500):
        for task in (make_repair(rng), make_instructed_edit(rng)):
            texts.append(f"{repair_prompt(task.task, 'compact')}{perfect_answer(task)}")
    for _ in range(500):
        task = make_repair(rng, untidy_fix=True)
        answer = sloppy_answer(task, rng, HABITS)
        texts.append(f"{hinted_prompt(task.task, task.gold, 'compact')}{answer}")
        texts.append(render("The change belongs in this file.", task.gold))
        texts += [f"{step.prompt}{step.answer}" for step in (make_localisation(rng), make_reproduction(rng))]
    return texts
