from pathlib import Path

from mini_runs import ScriptedSampler
from openswerl.evaluate.oracle.repair import Policy
from openswerl.models.prompts import digest_of
from openswerl.ood.asking import TOO_LONG, ask
from openswerl.rollout import Completion

PROMPTS = ["one\nFiles:\n", "two\nFiles:\n", "lost\nFiles:\n"]


def _answer(step: str, prompt: str, number: int) -> Completion:
    fault = "no_answer" if prompt.startswith("lost") else None
    return Completion("\ud800" + prompt[:3], [1, 2], True, fault=fault)


def test_what_came_is_not_asked_again_whatever_it_holds(tmp_path: Path) -> None:
    """A server may send what UTF-8 cannot hold; what never came is asked again."""
    first = ScriptedSampler(_answer)
    found = ask(PROMPTS, Policy(first, first.fits), tmp_path, 0, lambda text: None)
    again = ScriptedSampler(_answer)
    assert ask(PROMPTS, Policy(again, again.fits), tmp_path, 0, lambda text: None) == found
    assert [found[digest_of(prompt)].text for prompt in PROMPTS[:2]] == ["\ud800one", "\ud800two"]
    assert first.prompts == PROMPTS and again.prompts == PROMPTS[2:]


def test_a_prompt_that_does_not_fit_is_not_asked(tmp_path: Path) -> None:
    sampler = ScriptedSampler(_answer)
    found = ask(PROMPTS[:1], Policy(sampler, lambda prompt: False), tmp_path, 0, lambda text: None)
    assert [*found.values()] == [TOO_LONG] and not sampler.prompts
