"""Turn demonstrations and general chat data into documents: prompt tokens, and the answer tokens that carry loss."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec
from omegaconf import DictConfig
from transformers import PreTrainedTokenizerBase

from openswerl.errors import UserError
from openswerl.models.checkpoint import encode
from openswerl.models.packing import Tree
from openswerl.models.prompts import Prompt
from openswerl.records import Instance
from openswerl.sft.demonstrations import Demonstration
from openswerl.sft.questions import KINDS

FORM = '{"messages": [{"role": "user", "content": "..."}, {"role": "assistant", "content": "..."}]}'


class Message(msgspec.Struct, frozen=True):
    """One turn of a conversation."""

    role: str
    content: str


class Conversation(msgspec.Struct, frozen=True):
    """One line of a file of general data; other keys of the line are ignored."""

    messages: list[Message]


class Reader:
    """Makes documents of at most `sft.row_tokens` tokens and counts those that are longer."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase, cfg: DictConfig) -> None:
        self.tokenizer, self.cfg, self.too_long = tokenizer, cfg, 0

    def documents(self, found: Iterable[Demonstration], instances: Mapping[str, Instance]) -> list[Tree]:
        """Return a document for each kept demonstration, its prompt the one that evaluation shows."""
        kept = ((item, instances[item.instance_id], item.answer) for item in found if item.answer is not None)
        return self._made((KINDS[item.kind].prompt(instance, self.cfg), answer) for item, instance, answer in kept)

    def general(self, path: str | None) -> list[Tree]:
        """Return a document for each assistant's turn of a JSON Lines file of conversations, in order.

        What came before a turn is its prompt, and carries no loss. Raises UserError for a file that cannot be read as
        such, or a model without a chat template.
        """
        if path is None:
            return []
        if not self.tokenizer.chat_template:
            raise UserError(f"sft.mix.path={path} needs a model with a chat template; {self.cfg.model.name} has none")
        turns = [turn for number, line in _lines(path) for turn in _turns(_conversation(path, number, line))]
        if not (made := self._made(turns)):
            raise UserError(f"{path}: no assistant's turn of at most sft.row_tokens={self.cfg.sft.row_tokens} tokens")
        return made

    def _made(self, pairs: Iterable[tuple[Prompt, str]]) -> list[Tree]:
        documents = [self._document(*pair) for pair in pairs]
        fitting = [document for document in documents if len(document) <= self.cfg.sft.row_tokens]
        self.too_long += len(documents) - len(fitting)
        return fitting

    def _document(self, prompt: Prompt, answer: str) -> Tree:
        """The answer ends with the end-of-sequence token, which the policy must learn to write."""
        ids = [*self.tokenizer.encode(answer, add_special_tokens=False), self.tokenizer.eos_token_id]
        return Tree(encode(self.tokenizer, prompt, sys.maxsize), [ids])


def _lines(path: str) -> Iterator[tuple[int, bytes]]:
    """Yield number and text of each line that is not empty. Raises UserError for a file that cannot be read."""
    try:
        with Path(path).open("rb") as file:
            yield from ((number, line) for number, line in enumerate(file, start=1) if line.strip())
    except OSError as error:
        raise UserError(f"sft.mix.path={path}: {error.strerror}; give a file of conversations") from None


def _conversation(path: str, number: int, line: bytes) -> Conversation:
    try:
        return msgspec.json.decode(line, type=Conversation)
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError) as error:
        raise UserError(f"{path}, line {number}: {error}; a line is {FORM}") from None


def _turns(conversation: Conversation) -> Iterator[tuple[Prompt, str]]:
    messages = conversation.messages
    for place, message in enumerate(messages):
        if message.role == "assistant" and place and message.content.strip():
            yield [msgspec.to_builtins(earlier) for earlier in messages[:place]], message.content
