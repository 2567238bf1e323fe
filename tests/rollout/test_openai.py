"""The backend for endpoints, against a server of the laptop's model."""

import json
import random
import threading

import pytest
import torch

from echo_server import answer, settings
from openswerl.config import load
from openswerl.errors import UserError
from openswerl.laptop.tasks import make_repair
from openswerl.models.checkpoint import PACKAGED, load_policy
from openswerl.models.prompts import repair_prompt
from openswerl.rollout import open_sampler
from openswerl.rollout.openai import OpenAiSampler
from servers import Handler, running

PROMPTS = [repair_prompt(make_repair(random.Random(number)).task, "compact") for number in range(3)]
DRAW = {"samples": 2, "temperature": 1.0, "seeds": [1, 2, 3]}


@pytest.fixture(scope="module")
def local():
    torch.set_num_threads(1)
    cfg = load()
    return open_sampler(cfg.model, cfg.rollout, cfg.serving, PACKAGED)


@pytest.fixture
def opened(server, tmp_path):
    """Open samplers on the server; they are closed at the end."""
    made = []

    def make(*overrides: str) -> OpenAiSampler:
        cfg = load(*server.overrides(), f"serving.folder={tmp_path}", *overrides)
        made.append(OpenAiSampler(cfg.model, cfg.rollout, cfg.serving))
        return made[-1]

    yield make
    for sampler in made:
        sampler.close()


def policy_sampler(local, server, folder, *overrides):
    cfg = load(*server.overrides(), f"serving.folder={folder}", *overrides)
    return OpenAiSampler.for_policy(cfg.model, cfg.rollout, cfg.serving, local.tokenizer)


@pytest.mark.parametrize("stream", ["false", "true"])
def test_the_greedy_text_is_that_of_the_model_in_process(opened, local, stream):
    sampler = opened(f"serving.stream={stream}", "serving.cache=false")
    here = local.generate(PROMPTS, samples=1, temperature=0.0, seeds=[0] * 3)
    there = sampler.generate(PROMPTS, samples=1, temperature=0.0, seeds=[0] * 3)
    assert [(a.text, a.finished) for (a,) in there] == [(b.text, b.finished) for (b,) in here]
    assert [(a.model, a.usage.completion) for (a,) in there] == [("tiny", len(b.token_ids)) for (b,) in here]


@pytest.mark.parametrize("tag", ["</solution>", "EPLA"])
@pytest.mark.parametrize("ids", ["false", "true"])
def test_a_closing_tag_ends_an_answer_as_it_does_in_process(opened, local, tag, ids):
    """Sent to a server that can keep the tag, and cut here for the others."""
    cfg = load(f"rollout.stop='{tag}'")
    here = type(local)(local.policy, local.tokenizer, cfg.model, cfg.rollout)
    sampler = opened(f"rollout.stop='{tag}'", f"rollout.endpoint.token_ids={ids}")
    expected = [one.text for (one,) in here.generate(PROMPTS, samples=1, temperature=0.0, seeds=[0] * 3)]
    found = [one.text for (one,) in sampler.generate(PROMPTS, samples=1, temperature=0.0, seeds=[0] * 3)]
    assert any(tag in text for text in expected)

    def up_to_tag(text: str) -> str:
        before, there, _ = text.partition(tag)  # the token that ends it may reach beyond
        return before + there

    assert [up_to_tag(text) for text in found] == [up_to_tag(text) for text in expected]


def test_samples_depend_on_seed_and_number_alone(opened):
    sampler = opened("serving.cache=false")
    drawn = sampler.generate(PROMPTS, **DRAW)
    again = sampler.generate(PROMPTS[::-1], samples=2, temperature=1.0, seeds=[3, 2, 1])[::-1]
    assert [[one.text for one in row] for row in again] == [[one.text for one in row] for row in drawn]
    assert len({one.text for row in drawn for one in row}) > 3, "another seed is another sample"


def test_for_a_policy_ids_come_with_the_log_probabilities_of_the_same_weights(local, server, tmp_path):
    sampler = policy_sampler(local, server, tmp_path)
    before = len(server.requests())
    drawn = sampler.generate(PROMPTS, **DRAW)
    again = policy_sampler(local, server, tmp_path)
    assert again.generate(PROMPTS, **DRAW)[2][1].token_ids == drawn[2][1].token_ids
    assert (again.usage.cached, again.usage.requests) == (6, 0)
    sampler.close()
    again.close()
    policy, tokenizer = load_policy(load().model, PACKAGED)
    for prompt, row in zip(PROMPTS, drawn, strict=True):
        ids = tokenizer.encode(prompt, add_special_tokens=False)
        for one in row:
            assert one.text == tokenizer.decode(one.token_ids, skip_special_tokens=True)
            with torch.no_grad():
                logits = policy(torch.tensor([ids + one.token_ids])).logits[0, len(ids) - 1 : -1]
            expected = logits.log_softmax(-1).gather(1, torch.tensor(one.token_ids)[:, None])[:, 0]
            torch.testing.assert_close(torch.tensor(one.logprobs), expected, atol=1e-4, rtol=0)
    bodies = [one["body"] for one in server.requests()[before:]]
    assert sorted(body["prompt"][0] for body in bodies) == sorted(2 * [tokenizer.encode(p)[0] for p in PROMPTS])


def test_a_policy_is_not_trained_on_answers_without_ids(local, tmp_path):
    with running(answer) as server:
        cfg = load(*settings(server.url, tmp_path))
        sampler = OpenAiSampler.for_policy(cfg.model, cfg.rollout, cfg.serving, local.tokenizer)
        with pytest.raises(UserError) as error:
            sampler.generate(PROMPTS, **DRAW)
        sampler.close()
    assert str(error.value) == (
        f"{server.url}/v1 answers without token ids and log-probabilities, which training needs: use a server that "
        "gives them (vLLM does), or choose another rollout"
    )


def test_equal_requests_are_sent_once_and_all_get_the_answer(tmp_path):
    with running(answer) as server:
        cfg = load(*settings(server.url, tmp_path))
        sampler = OpenAiSampler(cfg.model, cfg.rollout, cfg.serving)
        drawn = sampler.generate(["a", "b", "a"], samples=1, temperature=0.0, seeds=[0, 0, 0])
        sampler.close()
        assert len(server.asked) == 2
    assert [row[0].text.partition(" ")[0] for row in drawn] == ["a", "b", "a"]


def test_closing_tells_what_was_asked_and_what_was_at_hand(tmp_path, capsys):
    with running(answer) as server:
        cfg = load(*settings(server.url, tmp_path))
        for prompts in (["a"], ["a", "b"], []):
            sampler = OpenAiSampler(cfg.model, cfg.rollout, cfg.serving)
            sampler.generate(prompts, samples=1, temperature=0.0, seeds=[0] * len(prompts))
            sampler.close()
    first, second = capsys.readouterr().err.splitlines()
    told = f"{server.url}/v1: {{}} of them at hand, and 0 that never came; 1 requests, 3 tokens read, 2 written"
    assert (first, second) == (told.format("1 answers, 0"), told.format("2 answers, 1"))


def test_another_seed_is_another_sample_where_no_seed_is_sent(tmp_path):
    """Else every step of a training run would get the first step's samples out of the cache."""
    with running(answer) as server:
        cfg = load(*settings(server.url, tmp_path), "rollout.endpoint.send_seed=false")
        for seed in (1, 2, 1):
            sampler = OpenAiSampler(cfg.model, cfg.rollout, cfg.serving)
            sampler.generate(["a"], samples=2, temperature=1.0, seeds=[seed])
            sampler.close()
        assert len(server.asked) == 4


def test_without_a_tokenizer_the_endpoint_judges_lengths_and_with_one_we_do(opened, local):
    """The estimate leaves a prompt out where the caller asks it; it is no reason to end a run."""
    long = "word " * 9000
    sampler = opened()
    assert not sampler.fits(long)
    (one,) = sampler.generate([long], samples=1, temperature=0.0, seeds=[0])[0]
    assert (one.text, one.finished, one.fault) == ("", False, "context_length")
    exact = opened(f"rollout.endpoint.tokenizer={PACKAGED}")
    assert exact.count(PROMPTS[0]) == local.count(PROMPTS[0])
    with pytest.raises(UserError, match=r"more than model\.max_prompt_tokens=400"):
        exact.generate([long], samples=1, temperature=0.0, seeds=[0])


def test_a_tokenizer_that_is_not_there_is_one_line(opened):
    with pytest.raises(UserError) as raised:
        opened("rollout.endpoint.tokenizer=/no/such/folder")
    assert str(raised.value) == (
        "cannot load the tokenizer at /no/such/folder: there is no such folder; check rollout.endpoint.tokenizer"
    )


def test_closing_in_the_middle_ends_what_is_under_way(tmp_path):
    release = threading.Event()

    def serve(handler: Handler, body: str) -> None:
        if json.loads(body)["prompt"] == "held":
            release.wait(60)
        answer(handler, body)

    with running(serve) as server:
        cfg = load(*settings(server.url, tmp_path))
        sampler = OpenAiSampler(cfg.model, cfg.rollout, cfg.serving)
        stream = sampler.stream(["quick", "held"], samples=1, temperature=0.0, seeds=[0, 0])
        assert next(stream).prompt == 0
        sampler.close()
        assert not sampler.pool.thread.is_alive() and not release.is_set()
        release.set()
