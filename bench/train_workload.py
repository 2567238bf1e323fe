"""A tiny random Llama with a BPE tokenizer and prompts of given lengths, on disk, for the engines that are compared."""

import json
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from openswerl.models.prompts import repair_prompt
from openswerl.records import Instance, SourceFile

VOCABULARY, GROUP, PROMPTS_PER_STEP = 4096, 8, 2


@dataclass(frozen=True)
class Shape:
    """Tokens of a prompt (about) and of an answer, and the steps that are measured, after one that is not."""

    prompt: int
    answer: int
    steps: int

    @property
    def name(self) -> str:
        return f"{self.prompt}_{self.answer}"


SHAPES = {shape.name: shape for shape in (Shape(300, 128, 4), Shape(1500, 64, 2))}


def sources() -> list[str]:
    """The modules of the standard library, about 2 MB."""
    texts, size = [], 0
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        if size < 2_000_000:
            texts.append(path.read_text(encoding="utf-8"))
            size += len(texts[-1])
    return texts


def make_checkpoint(folder: Path) -> PreTrainedTokenizerFast:
    """Write model (2.36 million parameters) and tokenizer; returns the tokenizer."""
    words = Tokenizer(models.BPE())
    words.pre_tokenizer, words.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY, special_tokens=["<pad>", "<eos>"], initial_alphabet=alphabet, show_progress=False
    )
    words.train_from_iterator(sources(), trainer)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="<eos>")
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=192,
        intermediate_size=512,
        num_hidden_layers=4,
        num_attention_heads=6,
        num_key_value_heads=2,
        tie_word_embeddings=True,
        max_position_embeddings=4096,
        bos_token_id=None,
        eos_token_id=None,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return tokenizer


def instances(tokenizer: PreTrainedTokenizerFast, shape: Shape) -> Iterator[Instance]:
    """Yield the prompts of all steps, each as long as whole lines of a module allow."""
    long = [text for text in sources() if len(text) > 10 * shape.prompt]
    for number, text in enumerate(long[: PROMPTS_PER_STEP * (shape.steps + 1)]):
        lines = text.splitlines(keepends=True)
        fitting = Instance("", "", "", "", [], [], [], "")
        for end in range(1, len(lines)):
            files = [SourceFile("module.py", "".join(lines[:end]))]
            longer = Instance(f"bench-{number}", "bench", "", "It fails.", files, [], files, "")
            if len(tokenizer.encode(prompt_of(longer), add_special_tokens=False)) > shape.prompt:
                break
            fitting = longer
        yield fitting


def prompt_of(instance: Instance) -> str:
    """The prompt of the laptop's form."""
    prompt = repair_prompt(instance.task, "compact")
    assert isinstance(prompt, str)
    return prompt


def reward(text: str) -> float:
    """A number that costs nothing and differs from answer to answer."""
    return len(text) % 17 / 16


def make(folder: Path) -> None:
    """Write the checkpoint and, for each shape, the prompts for the trainer that does not know our records."""
    tokenizer = make_checkpoint(folder / "model")
    for shape in SHAPES.values():
        texts = [prompt_of(instance) for instance in instances(tokenizer, shape)]
        (folder / f"{shape.name}.json").write_text(json.dumps(texts))
