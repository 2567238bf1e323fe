"""The shipped base model, and the steps that made it."""

import random
from contextlib import closing

import pytest
import torch

from openswerl.config import Cell
from openswerl.edits import FormatError, parse
from openswerl.laptop.pretraining import Phase, clean_batches, new_model, sloppy_batches, train
from openswerl.laptop.sloppy import Habits, sloppy_answer
from openswerl.laptop.steps import localisation, reproduction
from openswerl.laptop.tasks import make_repair, perfect_answer
from openswerl.laptop.tokenizer import train_tokenizer
from openswerl.models.checkpoint import PACKAGED, base_checkpoint
from openswerl.models.prompts import repair_prompt
from openswerl.models.step_prompts import REPRODUCED, named
from openswerl.reward import score
from openswerl.rollout import open_sampler


@pytest.fixture(scope="module")
def tokenizer():
    torch.set_num_threads(1)
    return train_tokenizer(1400, 0)


def oracle(task):
    return {path: module.content for path, module in fixed(task).items()}


def fixed(task):
    sources = {name: next(f.source for f in task.modules[path].functions if f.name == name)
               for path, (name, _) in task.bugs.items()}  # fmt: skip
    return {path: task.modules[path].with_text(name, sources[name]) for path, (name, _) in task.bugs.items()}


def test_shipped_checkpoint_is_small_and_plain():
    files = {path.name: path.stat().st_size for path in PACKAGED.iterdir()}
    assert {"model.safetensors", "config.json", "tokenizer.json"} <= files.keys()
    assert sum(files.values()) <= 4_000_000


def test_shipped_tokenizer_is_the_one_that_the_recipe_makes(tokenizer, tmp_path):
    tokenizer.save_pretrained(tmp_path)
    assert (tmp_path / "tokenizer.json").read_bytes() == (PACKAGED / "tokenizer.json").read_bytes()


@pytest.fixture(scope="module")
def sampler():
    cfg = Cell("grpo").view()
    with closing(open_sampler(cfg.model, cfg.rollout, cfg.serving, base_checkpoint(cfg.model))) as opened:
        yield opened


def greedy(sampler, prompts):
    """One solution a prompt, None where the form is broken."""
    drawn = sampler.generate(prompts, samples=1, temperature=0.0, seeds=range(len(prompts)))
    return [_solution(completions[0].text) for completions in drawn]


def _solution(text):
    try:
        return parse(text).solution
    except FormatError:
        return None


def test_base_knows_the_job_and_has_poor_habits(sampler):
    rng = random.Random(5)
    tasks = [make_repair(rng) for _ in range(16)]
    prompts = [repair_prompt(task.task, "compact") for task in tasks]
    drawn = sampler.generate(prompts, samples=4, temperature=1.0, seeds=range(len(prompts)))
    rewards = [
        score(task.task.context, oracle(task), completion.text).reward
        for task, completions in zip(tasks, drawn, strict=True)
        for completion in completions
    ]
    well_formed = sum(reward >= 0 for reward in rewards) / len(rewards)
    assert 0.1 < well_formed < 0.6
    assert any(reward == 1 for reward in rewards)


def test_base_finds_files_far_better_than_by_chance(sampler):
    rng = random.Random(6)
    tasks = [make_repair(rng) for _ in range(48)]
    found = greedy(sampler, [localisation(rng, task).prompt for task in tasks])
    first = [named(solution)[:1] if solution else [] for solution in found]
    right = sum(path[0] in task.bugs for path, task in zip(first, tasks, strict=True) if path)
    assert right / len(tasks) > 0.45  # by chance: 1 in 9


def test_base_writes_programs_around_the_call_of_the_issue(sampler):
    rng = random.Random(7)
    tasks = [task for task in (make_repair(rng) for _ in range(48)) if task.example]
    steps = [(task, step) for task in tasks if (step := reproduction(rng, task)) and sampler.fits(step.prompt)]
    found = greedy(sampler, [step.prompt for _, step in steps])
    calls = [task.example.call in solution for (task, _), solution in zip(steps, found, strict=True) if solution]
    assert sum(calls) / len(steps) > 0.5
    assert all(REPRODUCED in solution for solution in found if solution and "```python" in solution)


def test_perfect_answers_score_one_and_sloppy_ones_often_fail():
    rng = random.Random(1)
    tasks = [make_repair(rng) for _ in range(300)]
    assert all(score(t.task.context, oracle(t), perfect_answer(t)).reward == 1 for t in tasks)
    answers = [sloppy_answer(task, rng, Habits(fault_rate=0.62, wrong_rate=0.65)) for task in tasks]
    rewards = [score(t.task.context, oracle(t), answer).reward for t, answer in zip(tasks, answers, strict=True)]
    assert 0.2 < sum(reward < 0 for reward in rewards) / 300 < 0.8
    assert 0.05 < sum(reward == 1 for reward in rewards) / 300 < 0.5


def test_same_seed_same_weights(tokenizer):
    def weights():
        model = new_model(tokenizer, 3)
        train(model, Phase(2, 0.01, 0.002), clean_batches(tokenizer, random.Random(1)))
        train(model, Phase(2, 0.006, 0.001), sloppy_batches(tokenizer, random.Random(2), Habits(0.62, 0.65)))
        return torch.cat([parameter.flatten() for parameter in model.parameters()])

    assert torch.equal(weights(), weights())


def test_copying_start_continues_repeated_random_text(tokenizer):
    model = new_model(tokenizer, 0).eval()
    rng = random.Random(0)
    right = 0
    for _ in range(5):
        half = [rng.randrange(300, len(tokenizer)) for _ in range(40)]
        twice = half + half
        guesses = model(torch.tensor([twice])).logits[0].argmax(-1).tolist()
        right += sum(guesses[i] == twice[i + 1] for i in range(44, 79))
    assert right / 175 > 0.3  # by chance: 0.001
