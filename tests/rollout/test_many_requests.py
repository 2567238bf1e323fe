"""Hundreds of requests at once against a real server: what is killed is not paid for twice, what fails is told."""

import hashlib
import json
import re
import resource
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from echo_server import answer, settings
from openswerl.config import load
from openswerl.rollout.endpoint.responses import Responses
from openswerl.rollout.openai import OpenAiSampler
from servers import Handler, hang_up, running, status

SAMPLES = 4


@pytest.fixture(autouse=True)
def many_files():
    """A thousand connections are as many open files, on both sides."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, hard), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def seed_sent(prompt: int, sample: int) -> int:
    """What the README says of the seed, written anew: prompt k has seed 1000 + k."""
    digest = hashlib.sha256(f"{1000 + prompt}\n{sample}".encode()).digest()
    return (int.from_bytes(digest[:8], "big") >> 1) % 2**31


def number_of(body: str) -> int:
    """The place of a request: 4 times the number of its prompt, and its sample."""
    asked = json.loads(body)
    prompt = int(re.fullmatch(r"question (\d+)", asked["prompt"])[1])
    return SAMPLES * prompt + [seed_sent(prompt, sample) for sample in range(SAMPLES)].index(asked["seed"])


def expected(prompts: int) -> list[list[str]]:
    return [[f"question {k} with {seed_sent(k, i)}" for i in range(SAMPLES)] for k in range(prompts)]


CLIENT = """
import json, sys
from openswerl.config import load
from openswerl.rollout.openai import OpenAiSampler
cfg = load(*sys.argv[1:])
sampler = OpenAiSampler(cfg.model, cfg.rollout, cfg.serving)
drawn = sampler.generate(
    [f"question {k}" for k in range(50)], samples=4, temperature=1.0, seeds=[1000 + k for k in range(50)]
)
sampler.close()
print(json.dumps([[one.text for one in row] for row in drawn]))
"""


def kept(path: Path) -> int:
    return Responses(path).count()


def test_no_answered_request_is_repeated_after_a_kill(tmp_path):
    """The server answers 140 of 200 requests and holds back 60, until every answer has reached the cache."""
    held, release = set(range(0, 200, 10)) | set(range(3, 200, 5)), threading.Event()
    path = tmp_path / "responses.sqlite"

    def serve(handler: Handler, body: str) -> None:
        if number_of(body) in held:
            release.wait(120)
        answer(handler, body)

    with running(serve) as server:
        command = [sys.executable, "-c", CLIENT, *settings(server.url, tmp_path, connections=200)]
        with subprocess.Popen(command) as first:
            deadline = time.monotonic() + 120
            while not (len(server.asked) == 200 and path.exists() and kept(path) == 200 - len(held)):
                assert time.monotonic() < deadline and first.poll() is None
                time.sleep(0.05)
            first.kill()
        release.set()
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        times = Counter(number_of(one.body) for one in server.asked)
    assert len(held) == 60 and times == {number: 1 + (number in held) for number in range(200)}
    assert json.loads(done.stdout) == expected(50)
    assert kept(path) == 200


class Faults:
    """Of every 20 requests one fails: four kinds fail once and one kind always.

    The latter fail last, when all others have been answered: so many failures in a row are no dead endpoint.
    """

    KINDS = (status(500), status(429, Retry_After="0"), hang_up, status(200, b"<no json>"), status(503))

    def __init__(self, requests: int) -> None:
        self.seen: Counter[int] = Counter()
        self.lock, self.all_here = threading.Lock(), threading.Barrier(requests)
        self.good = sum(self.kind(number) != 4 for number in range(requests))
        self.only_bad_left = threading.Event()

    @staticmethod
    def kind(number: int) -> int | None:
        return number // 20 % 5 if number % 20 == 7 else None

    def serve(self, handler: Handler, body: str) -> None:
        number = number_of(body)
        with self.lock:
            self.seen[number] += 1
            first = self.seen[number] == 1
        if first:
            self.all_here.wait(120)
        kind = self.kind(number)
        if kind == 4:
            self.only_bad_left.wait(120)
        if kind == 4 or (kind is not None and first):
            self.KINDS[kind](handler)
        else:
            answer(handler, body)
            self._count()

    def _count(self) -> None:
        with self.lock:
            self.good -= 1
        if not self.good:
            self.only_bad_left.set()


@pytest.mark.slow
def test_a_thousand_at_once_with_faults_are_all_answered_or_told(tmp_path):
    faults = Faults(1000)
    with running(faults.serve) as server:
        cfg = load(*settings(server.url, tmp_path, connections=1000))
        sampler = OpenAiSampler(cfg.model, cfg.rollout, cfg.serving)
        seeds = [1000 + k for k in range(250)]
        drawn = sampler.generate([f"question {k}" for k in range(250)], samples=4, temperature=1.0, seeds=seeds)
        sampler.close()
    never = {number for number in range(1000) if faults.kind(number) == 4}
    once = {number for number in range(1000) if faults.kind(number) in (0, 1, 2, 3)}
    assert (len(never), len(once)) == (10, 40)
    flat, wanted = [one for row in drawn for one in row], [text for row in expected(250) for text in row]
    assert [(one.text, one.finished, one.fault) for one in flat] == [
        ("", False, "server_error") if number in never else (wanted[number], True, None) for number in range(1000)
    ]
    assert faults.seen == {n: 3 if n in never else 2 if n in once else 1 for n in range(1000)}
    used = sampler.usage
    assert (used.answered, used.faults, used.cached, used.requests) == (990, 10, 0, 950 + 80 + 30)
    assert (used.prompt_tokens, used.completion_tokens) == (3 * 990, 2 * 990)
    assert kept(tmp_path / "responses.sqlite") == 990
