"""When a sample is at its end: an end-of-sequence token, or the closing tag that the config names."""

from functools import cached_property

from transformers import GenerationConfig, PreTrainedModel, PreTrainedTokenizerBase


def eos_of(tokenizer: PreTrainedTokenizerBase, generation: GenerationConfig | None) -> frozenset[int]:
    """Return the tokens that end a sample: the tokenizer's and those of a model's generation config."""
    named = getattr(generation, "eos_token_id", None)
    listed = named if isinstance(named, list) else [named]
    return frozenset({tokenizer.eos_token_id, *listed} - {None})


class Ending:
    """Tells from a row's tokens whether its last one ends it."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase, eos: frozenset[int], tag: str | None) -> None:
        self.tokenizer, self.eos, self.tag = tokenizer, eos, tag

    @classmethod
    def of(cls, policy: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, tag: str | None) -> "Ending":
        """The end-of-sequence tokens are the tokenizer's and those of the policy's generation config."""
        return cls(tokenizer, eos_of(tokenizer, policy.generation_config), tag)

    def __call__(self, row: list[int]) -> bool:
        """Whether the row, whose earlier tokens did not end it, is at its end."""
        if row[-1] in self.eos:
            return True
        if self.tag is None or row[-1] not in self._may_close:
            return False
        return self.tag in self.tokenizer.decode(row[-2 * len(self.tag) :])  # more tokens than the tag has letters

    @cached_property
    def _may_close(self) -> frozenset[int]:
        """The tokens that hold the tag's last character; without them a row need not be decoded at every step."""
        assert self.tag
        numbers = self.tokenizer.get_vocab().values()
        return frozenset(number for number in numbers if self.tag[-1] in self.tokenizer.decode([number]))
