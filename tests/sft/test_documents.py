"""Documents: the prompt of evaluation, the answer with its end, and general conversations turn by turn."""

import json

import pytest
from transformers import AutoTokenizer

from openswerl.errors import UserError
from openswerl.models.checkpoint import PACKAGED, encode
from openswerl.models.packing import Tree
from openswerl.sft.demonstrations import Demonstration
from openswerl.sft.documents import Reader
from openswerl.sft.editing import EDITING
from openswerl.sft.localisation import LOCALISATION
from sft.conftest import OLD, make

ONE = make("o__r-1", {"p/m.py": (OLD, "x = 1\n")})
TEMPLATE = (
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}<eos>{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)
TALK = [
    {"role": "user", "content": "one"},
    {"role": "assistant", "content": "two"},
    {"role": "user", "content": "three"},
    {"role": "assistant", "content": "four"},
]


@pytest.fixture
def tokenizer():
    return AutoTokenizer.from_pretrained(PACKAGED)


@pytest.fixture
def chatty(tokenizer):
    tokenizer.chat_template = TEMPLATE
    return tokenizer


def write(path, *rows):
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return str(path)


def test_prompt_is_that_of_evaluation_and_the_answer_ends(tokenizer, settings):
    cfg = settings()
    found = [
        Demonstration("editing", "o__r-1", "<think>a</think>"),
        Demonstration("localisation", "o__r-1", "p/m.py"),
        Demonstration("editing", "o__r-1", None, "no_blocks"),
    ]
    documents = Reader(tokenizer, cfg).documents(found, {"o__r-1": ONE})
    assert [document.prompt for document in documents] == [
        encode(tokenizer, kind.prompt(ONE, cfg), 10_000) for kind in (EDITING, LOCALISATION)
    ]
    assert [tokenizer.decode(document.branches[0]) for document in documents] == [
        "<think>a</think><eos>",
        "p/m.py<eos>",
    ]


def test_what_is_longer_than_a_row_is_counted(tokenizer, settings):
    found = [Demonstration("editing", "o__r-1", text) for text in ("x", "x " * 400)]
    reader = Reader(tokenizer, settings("sft.row_tokens=200"))
    assert len(reader.documents(found, {"o__r-1": ONE})) == 1 and reader.too_long == 1


def test_each_assistant_turn_is_a_document_that_reads_as_the_whole_talk(chatty, settings, tmp_path):
    path = write(tmp_path / "general.jsonl", {"messages": TALK, "source": "x"}, {"messages": TALK[:2]}, "")
    documents = Reader(chatty, settings()).general(path)
    texts = [(chatty.decode(document.prompt), chatty.decode(document.branches[0])) for document in documents]
    assert texts == [
        ("<user>one<eos><assistant>", "two<eos>"),
        ("<user>one<eos><assistant>two<eos><user>three<eos><assistant>", "four<eos>"),
        ("<user>one<eos><assistant>", "two<eos>"),
    ]
    whole = chatty.apply_chat_template(TALK, return_dict=False)
    assert documents[1] == Tree(whole[: len(documents[1].prompt)], [whole[len(documents[1].prompt) :]])


def test_no_file_no_general_data(tokenizer, settings):
    assert Reader(tokenizer, settings()).general(None) == []


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"messages": TALK}, "{"], r"general\.jsonl, line 2: .* a line is {\"messages\""),
        ([{"text": "x"}], r"general\.jsonl, line 1: .*missing required field `messages`"),
        ([{"messages": [{"role": "user", "content": 3}]}], r"line 1: Expected `str`"),
        ([{"messages": TALK[:1]}], r"general\.jsonl: no assistant's turn of at most sft\.row_tokens="),
    ],
)
def test_a_file_that_cannot_be_read_as_conversations_is_one_line(chatty, settings, tmp_path, rows, message):
    with pytest.raises(UserError, match=message) as caught:
        Reader(chatty, settings()).general(write(tmp_path / "general.jsonl", *rows))
    assert "\n" not in str(caught.value)


def test_a_missing_file_and_a_model_without_template_are_one_line(tokenizer, chatty, settings, tmp_path):
    with pytest.raises(UserError, match=r"sft\.mix\.path=.*No such file or directory"):
        Reader(chatty, settings()).general(str(tmp_path / "none.jsonl"))
    tokenizer.chat_template = None
    with pytest.raises(UserError, match="needs a model with a chat template; laptop has none"):
        Reader(tokenizer, settings()).general(write(tmp_path / "general.jsonl", {"messages": TALK}))
