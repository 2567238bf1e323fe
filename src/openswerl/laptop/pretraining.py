"""Make the laptop's base model: clean pretraining from a copying start, then a sloppy phase. Run once, offline.

Budgets are steps, so the same seed gives the same weights. The mixture holds every kind of prompt that the graph puts
to the model: repair, the hinted prompt of SFT synthesis, localisation and reproduction tests.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from openswerl.laptop.copying import ROPE_THETA, start_copying
from openswerl.laptop.sloppy import Habits, sloppy_answer
from openswerl.laptop.steps import Step, make_localisation, make_reproduction, spoil
from openswerl.laptop.tasks import BugTask, make_instructed_edit, make_repair, perfect_answer
from openswerl.models.prompts import Prompt, hinted_prompt, repair_prompt

Row = tuple[list[int], list[int]]
PROMPT_WEIGHT = 0.1
HINTED = 0.12
SPOILED = 0.25
BATCH = 8
POOL = 8


@dataclass(frozen=True)
class Mixture:
    """Shares of the questions besides repair, and how often two broken files are tried (`tasks.make_repair`)."""

    localisation: float
    reproduction: float
    double: float


GENERAL = Mixture(0.1, 0.15, 0.4)
REPAIRS = Mixture(0.03, 0.045, 0.6)  # repairs are the hardest to learn, those of two files above all
SLOPPY = Mixture(0.06, 0.09, 0.6)


@dataclass(frozen=True)
class Phase:
    """Steps and peak learning rates (Muon for matrices, AdamW for the rest) of one phase."""

    steps: int
    muon_lr: float
    adam_lr: float


def new_model(tokenizer: PreTrainedTokenizerFast, seed: int) -> LlamaForCausalLM:
    """Return a Llama of about 0.97 M parameters with the copying start."""
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=128,
        intermediate_size=352,
        num_hidden_layers=4,
        num_attention_heads=2,
        num_key_value_heads=2,
        head_dim=64,
        max_position_embeddings=1024,
        rope_parameters={"rope_type": "default", "rope_theta": ROPE_THETA},
        initializer_range=0.05,
        tie_word_embeddings=True,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
    )
    model = LlamaForCausalLM(config)
    start_copying(model)
    return model


def clean_batches(tokenizer: PreTrainedTokenizerFast, rng: random.Random) -> Callable[[float], list[Row]]:
    """Return progress -> batch: copy soup first, then instructed edits giving way to correct answers of every kind."""

    answers = _alike(lambda: _clean_row(tokenizer, rng, GENERAL), rng)

    def batch(progress: float) -> list[Row]:
        if rng.random() < max(0.05, 0.5 * (1 - progress / 0.25)):
            return [_soup(rng, len(tokenizer)) for _ in range(BATCH * 2)]
        if rng.random() < max(0.3, 0.6 - progress):
            return [_task_row(tokenizer, edit, perfect_answer(edit)) for edit in _many(make_instructed_edit, rng)]
        return next(answers)

    return batch


def repair_batches(tokenizer: PreTrainedTokenizerFast, rng: random.Random) -> Callable[[float], list[Row]]:
    """Return progress -> batch of correct answers, mostly repairs."""
    batches = _alike(lambda: _clean_row(tokenizer, rng, REPAIRS), rng)
    return lambda _: next(batches)


def sloppy_batches(
    tokenizer: PreTrainedTokenizerFast, rng: random.Random, habits: Habits
) -> Callable[[float], list[Row]]:
    """Return progress -> batch of answers with poor habits; a hint makes the fix right more often, not the form."""

    def row() -> Row:
        if rng.random() < 0.1:
            task = make_instructed_edit(rng)
            return _task_row(tokenizer, task, sloppy_answer(task, rng, habits))
        if step := _draw_step(rng, SLOPPY):
            return _row(tokenizer, step.prompt, spoil(step, rng) if rng.random() < SPOILED else step.answer)
        hinted = rng.random() < HINTED
        task = make_repair(rng, untidy_fix=hinted and rng.random() < 0.5, double=SLOPPY.double)
        habit = replace(habits, wrong_rate=habits.wrong_rate / 2) if hinted else habits
        return _task_row(tokenizer, task, sloppy_answer(task, rng, habit), hinted=hinted)

    batches = _alike(row, rng)
    return lambda _: next(batches)


def _alike(draw: Callable[[], Row], rng: random.Random) -> Iterator[list[Row]]:
    """Yield batches of rows of like length, which saves a third of the time; the batches of a pool are shuffled."""
    while True:
        rows = sorted((draw() for _ in range(BATCH * POOL)), key=lambda row: len(row[0]) + len(row[1]))
        batches = [rows[start : start + BATCH] for start in range(0, len(rows), BATCH)]
        rng.shuffle(batches)
        yield from batches


def _draw_step(rng: random.Random, mixture: Mixture) -> Step | None:
    """Return a question of another step than repair as often as the mixture has them."""
    draw = rng.random()
    if draw < mixture.localisation:
        return make_localisation(rng, mixture.double)
    if draw < mixture.localisation + mixture.reproduction:
        return make_reproduction(rng, mixture.double)
    return None


def _many(make: Callable[[random.Random], BugTask], rng: random.Random) -> list[BugTask]:
    return [make(rng) for _ in range(BATCH)]


def _clean_row(tokenizer: PreTrainedTokenizerFast, rng: random.Random, mixture: Mixture) -> Row:
    if step := _draw_step(rng, mixture):
        return _row(tokenizer, step.prompt, step.answer)
    hinted = rng.random() < HINTED
    task = make_repair(rng, untidy_fix=hinted and rng.random() < 0.5, double=mixture.double)
    return _task_row(tokenizer, task, perfect_answer(task), hinted=hinted)


def _task_row(tokenizer: PreTrainedTokenizerFast, task: BugTask, answer: str, *, hinted: bool = False) -> Row:
    ask = hinted_prompt(task.task, task.gold, "compact") if hinted else repair_prompt(task.task, "compact")
    return _row(tokenizer, ask, answer)


def _row(tokenizer: PreTrainedTokenizerFast, prompt: Prompt, answer: str) -> Row:
    assert tokenizer.eos_token_id is not None
    return tokenizer.encode(str(prompt)), [*tokenizer.encode(answer), tokenizer.eos_token_id]


def _soup(rng: random.Random, vocabulary: int) -> Row:
    """Lines of random tokens, then the same lines shuffled: all but line starts can be predicted by copying."""
    lines = [[rng.randrange(2, vocabulary) for _ in range(rng.randint(3, 9))] for _ in range(rng.randint(3, 8))]
    shuffled = rng.sample(lines, len(lines))[:4]
    return _joined(lines), _joined(shuffled)


def _joined(lines: list[list[int]]) -> list[int]:
    return [token for line in lines for token in [*line, 2]]


def train(model: LlamaForCausalLM, phase: Phase, batch: Callable[[float], list[Row]], log_every: int = 200) -> None:
    """Train in place: full rate for the first half, then linear decay to 5 %."""
    matrices = [p for name, p in model.named_parameters() if p.ndim == 2 and "embed" not in name]
    others = [p for name, p in model.named_parameters() if p.ndim != 2 or "embed" in name]
    muon = torch.optim.Muon(matrices, lr=phase.muon_lr, momentum=0.95, weight_decay=0.01)
    adam = torch.optim.AdamW(others, lr=phase.adam_lr, weight_decay=0.0, betas=(0.9, 0.98))
    losses: list[float] = []
    for step in range(phase.steps):
        progress = step / phase.steps
        scale = min(1.0, (step + 1) / 50) * min(1.0, (1 - progress) / 0.5 + 0.05)
        losses.append(_step(model, batch(progress)))
        for optimiser, rate in ((muon, phase.muon_lr), (adam, phase.adam_lr)):
            optimiser.param_groups[0]["lr"] = rate * scale
            optimiser.step()
            optimiser.zero_grad()
        if (step + 1) % log_every == 0:
            print(f"step {step + 1}/{phase.steps} loss {sum(losses[-log_every:]) / log_every:.3f}", flush=True)


def _step(model: LlamaForCausalLM, rows: list[Row]) -> float:
    """Back-propagate one batch; prompt tokens weigh 0.1, answer tokens 1."""
    longest = max(len(prompt) + len(answer) for prompt, answer in rows)
    tokens = torch.zeros(len(rows), longest, dtype=torch.long)
    weights = torch.zeros(len(rows), longest)
    for i, (prompt, answer) in enumerate(rows):
        end = len(prompt) + len(answer)
        tokens[i, :end] = torch.tensor(prompt + answer)
        weights[i, : len(prompt)], weights[i, len(prompt) : end] = PROMPT_WEIGHT, 1.0
    kept = weights[:, 1:] > 0
    hidden = model.model(tokens).last_hidden_state[:, :-1][kept]
    losses = F.cross_entropy(model.lm_head(hidden), tokens[:, 1:][kept], reduction="none")
    weight = weights[:, 1:][kept]
    loss = (losses * weight).sum() / weight.sum()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    return loss.item()
