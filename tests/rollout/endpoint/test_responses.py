"""The cache of answers, in real files, shared by threads and processes."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openswerl.errors import UserError
from openswerl.rollout.endpoint.responses import Responses, key_of
from openswerl.rollout.samples import Completion, Usage

WHOLE = Completion("text\ud800\x00é", [1, 2], True, [-0.1, -1e-300], None, Usage(3, 2, 4), "model", 7)
BODY = {"model": "m", "prompt": "p", "temperature": 1.0, "seed": 1}
NAMED = ("http://h/v1", "/completions", BODY, 1, 0)


def test_an_answer_comes_back_whole_and_unknown_keys_are_left_out(tmp_path):
    path = tmp_path / "new" / "responses.sqlite"
    responses = Responses(path)
    responses.keep(b"a", WHOLE)
    assert responses.find([b"a", b"b"]) == {b"a": WHOLE}
    responses.close()
    assert Responses(path).find([b"b", b"a"]) == {b"a": WHOLE}


def test_more_keys_than_one_query_takes(tmp_path):
    responses = Responses(tmp_path / "r")
    keys = [str(number).encode() for number in range(1201)]
    for key in keys[::2]:
        responses.keep(key, Completion(key.decode(), [], True))
    found = responses.find(keys)
    assert {key: one.text for key, one in found.items()} == {k: k.decode() for k in keys[::2]}


def test_a_fault_is_not_kept_and_the_first_answer_stays(tmp_path):
    responses = Responses(tmp_path / "r")
    responses.keep(b"a", Completion("", [], False, fault="rate_limit"))
    assert responses.find([b"a"]) == {}
    responses.keep(b"a", WHOLE)
    responses.keep(b"a", Completion("other", [], True))
    assert responses.find([b"a"]) == {b"a": WHOLE}


@pytest.mark.parametrize(
    "other",
    [
        ("http://h2/v1", "/completions", BODY, 1, 0),
        ("http://h/v1", "/chat/completions", BODY, 1, 0),
        ("http://h/v1", "/completions", BODY | {"model": "m2"}, 1, 0),
        ("http://h/v1", "/completions", BODY | {"prompt": "q"}, 1, 0),
        ("http://h/v1", "/completions", BODY | {"temperature": 0.5}, 1, 0),
        ("http://h/v1", "/completions", BODY | {"extra": None}, 1, 0),
        ("http://h/v1", "/completions", BODY, 2, 0),
        ("http://h/v1", "/completions", BODY, 1, 1),
    ],
)
def test_whatever_is_part_of_a_request_is_part_of_its_key(other):
    assert key_of(*other) != key_of(*NAMED)


@given(st.permutations(list(BODY)))
def test_the_order_of_fields_is_not(fields):
    assert key_of("http://h/v1", "/completions", {field: BODY[field] for field in fields}, 1, 0) == key_of(*NAMED)


def test_threads_may_share_one(tmp_path):
    responses = Responses(tmp_path / "r")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: responses.keep(str(number).encode(), WHOLE), range(200)))
    assert len(responses.find(str(number).encode() for number in range(200))) == 200


WRITER = """
import sys
from pathlib import Path
from openswerl.rollout.endpoint.responses import Responses
from openswerl.rollout.samples import Completion
responses, first = Responses(Path(sys.argv[1])), int(sys.argv[2])
for number in range(first, first + 300):
    responses.keep(str(number).encode(), Completion(str(number), [], True))
    print(number, flush=True)
sys.stdin.read()
"""


def test_processes_may_share_one_and_what_keep_returned_from_survives_a_kill(tmp_path):
    path = tmp_path / "r"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    command = [sys.executable, "-c", WRITER, str(path)]
    writers = [subprocess.Popen([*command, str(first)], text=True, **pipes) for first in (0, 150, 1000)]
    said = []
    for writer in writers:
        lines = [writer.stdout.readline() for _ in range(250)]
        writer.kill()
        said += [*lines, *writer.stdout.readlines()]
        writer.communicate()
    keys = [line.strip().encode() for line in said if line.endswith("\n")]
    found = Responses(path).find(keys)
    assert {key: one.text for key, one in found.items()} == {key: key.decode() for key in keys} and len(found) >= 650


def test_a_file_that_is_no_cache_is_one_line(tmp_path):
    (tmp_path / "r").write_bytes(b"this is no database, and long enough to be read as one" * 20)
    with pytest.raises(UserError) as error:
        Responses(tmp_path / "r")
    assert str(error.value) == (
        f"the answers at {tmp_path / 'r'} cannot be used (file is not a database): name a folder on a disk of this "
        "machine by serving.folder, delete the file if it is damaged, or set serving.cache=false"
    )


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"the answers at .*file/r cannot be used \(.*(Not a directory|File exists)"):
        Responses(tmp_path / "file" / "r")


def test_neither_prompt_nor_request_stands_in_the_file(tmp_path):
    """Only hashes: the cache may be copied with the results, and a prompt may be private."""
    path = tmp_path / "r"
    responses = Responses(path)
    responses.keep(
        key_of("http://h/v1", "/completions", {"prompt": "planted-prompt"}, 1, 0), Completion("hi", [], True)
    )
    responses.close()
    assert b"hi" in path.read_bytes()
    assert b"planted-prompt" not in path.read_bytes()
