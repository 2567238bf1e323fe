"""Ask a policy the questions of all suites, greedily (Table 3), each different prompt once."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
from omegaconf import DictConfig, OmegaConf

from openswerl.evaluate.oracle.repair import Policy
from openswerl.models.prompts import Prompt, digest_of
from openswerl.rollout import Completion, seed_of
from openswerl.rollout.endpoint.responses import Responses

CHUNK = 256  # answers that a kill can lose
TOO_LONG = Completion("", [], False, fault="prompt_too_long")
Answers = Mapping[str, Completion]
"""By the digest of the prompt; TOO_LONG for one that does not fit."""


def policy_settings(cfg: Any) -> DictConfig:
    """Return what `open_policy` reads, with the lengths of this stage."""
    lengths = {"max_prompt_tokens": cfg.ood.max_prompt_tokens, "max_response_tokens": cfg.ood.max_response_tokens}
    parts = {key: OmegaConf.to_container(cfg[key]) for key in ("model", "rollout", "serving")}
    parts["model"] |= lengths  # type: ignore[operator, assignment]
    return OmegaConf.create({**parts, "policy": cfg.policy})


def ask(prompts: Iterable[Prompt], policy: Policy, folder: Path, seed: int, say: Callable[[str], None]) -> Answers:
    """Return the greedy answer to every prompt. What came is kept in `folder`, so that a killed run goes on."""
    every = {digest_of(prompt): prompt for prompt in prompts}
    with closing(Responses(folder / "answers.sqlite", "delete it and ask again")) as kept:
        found = {key.hex(): completion for key, completion in kept.find(map(bytes.fromhex, every)).items()}
        found |= {name: TOO_LONG for name, prompt in every.items() if name not in found and not policy.fits(prompt)}
        left = [name for name in every if name not in found]
        for start in range(0, len(left), CHUNK):
            names = left[start : start + CHUNK]
            seeds = [seed_of(seed, name) for name in names]
            asked = [every[name] for name in names]
            rows = policy.sampler.generate(asked, samples=1, temperature=0.0, seeds=seeds)
            for name, (completion,) in zip(names, rows, strict=True):
                found[name] = msgspec.structs.replace(completion, token_ids=[], logprobs=None)
                kept.keep(bytes.fromhex(name), found[name])
            say(f"{start + len(names)}/{len(left)} answered")
    return found
