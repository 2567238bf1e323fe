"""Packed rows on one large GPU, in six minutes at most: python bench/gpu_smoke.py [--tiny]. Last line JSON.

Needs PyTorch and transformers alone, no network; the model is random, of about a billion parameters. It compares packed
rows (FlexAttention) with padded ones: log-probabilities and gradients in float32 and bfloat16; seconds, tokens per
second and peak memory of a forward and backward pass over one group at prompts of 4k, 8k and 16k tokens; then makes one
whole GRPO step. `--tiny` runs the same on a CPU in seconds, by parts instead of FlexAttention. What does not fit into
memory or into the time is said so in its place.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
from transformers import LlamaConfig, LlamaForCausalLM

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from openswerl.models.logprobs import TokenLogprobs, branch_logprobs
from openswerl.models.packing import Tree

LIMIT_S = 330.0
FORWARDS = ("packed", "padded")


@dataclass(frozen=True)
class Size:
    """The model's shape, and the lengths that are measured."""

    hidden: int
    layers: int
    heads: int
    vocabulary: int
    prompts: tuple[int, ...]
    answer: int
    group: int
    exact_prompt: int
    repeats: int


LARGE = Size(2048, 16, 32, 128_256, (4096, 8192, 16384), 512, 8, 2048, 2)
TINY = Size(64, 2, 4, 500, (32, 64), 16, 4, 48, 1)


def model_of(size: Size, device: torch.device, dtype: torch.dtype, layers: int) -> LlamaForCausalLM:
    """Return a random model with four query heads to a key head, in training mode."""
    config = LlamaConfig(
        vocab_size=size.vocabulary,
        hidden_size=size.hidden,
        intermediate_size=4 * size.hidden,
        num_hidden_layers=layers,
        num_attention_heads=size.heads,
        num_key_value_heads=size.heads // 4,
        max_position_embeddings=2 * max(size.prompts),
        tie_word_embeddings=True,
        pad_token_id=0,
        eos_token_id=1,
        bos_token_id=None,
    )
    torch.manual_seed(0)
    with device:
        return LlamaForCausalLM(config).to(dtype).train()


def tree_of(size: Size, prompt: int) -> Tree:
    """Return a random group whose answers are from half as long to as long as `size.answer`."""
    seeded = torch.Generator().manual_seed(prompt)

    def tokens(count: int) -> list[int]:
        return torch.randint(2, size.vocabulary, (count,), generator=seeded).tolist()

    lengths = torch.randint(size.answer // 2, size.answer + 1, (size.group,), generator=seeded).tolist()
    return Tree(tokens(prompt), [tokens(length) for length in lengths])


def passes(model: LlamaForCausalLM, tree: Tree, forward: str) -> TokenLogprobs:
    """One forward and backward pass; every answer has another weight, so that no gradient cancels."""
    model.zero_grad()
    done = branch_logprobs(model, [tree], forward=forward)
    weights = torch.linspace(-1, 1, len(tree.branches), device=done.logprobs.device)
    ((done.logprobs * done.mask).sum(1) * weights / done.mask.sum(1)).sum().backward()
    return done


def gradient(model: LlamaForCausalLM) -> torch.Tensor:
    """Return all gradients in one row, on the CPU in float32."""
    return torch.cat([p.grad.detach().float().flatten().cpu() for p in model.parameters() if p.grad is not None])


def exactness(size: Size, device: torch.device, dtype: torch.dtype) -> dict[str, float]:
    """Return how far packed is from padded, and, in bfloat16, how far each is from padded float32."""
    tree, found = tree_of(size, size.exact_prompt), {}
    kinds = [(dtype, forward) for forward in FORWARDS] + [(torch.float32, "padded")] * (dtype != torch.float32)
    for kind, forward in kinds:
        model = model_of(size, device, dtype, layers=2).to(kind)
        done = passes(model, tree, forward)
        found[kind, forward] = done.logprobs[done.mask].detach(), gradient(model)
    report = _distance("packed_padded", found[dtype, "packed"], found[dtype, "padded"])
    if dtype != torch.float32:
        for forward in FORWARDS:
            report |= _distance(f"{forward}_float32", found[dtype, forward], found[torch.float32, "padded"])
    return report


def _distance(name: str, one: tuple[torch.Tensor, ...], other: tuple[torch.Tensor, ...]) -> dict[str, float]:
    return {
        f"{name}_logprob": (one[0] - other[0]).abs().max().item(),
        f"{name}_gradient_relative": ((one[1] - other[1]).norm() / other[1].norm()).item(),
    }


def speed(model: LlamaForCausalLM, tree: Tree, forward: str, repeats: int) -> dict[str, Any]:
    """Return the best seconds of a forward and backward pass after a first one, which compiles, and its peak memory."""
    cuda = model.device.type == "cuda"
    try:
        first = _seconds(lambda: passes(model, tree, forward), cuda)
        if cuda:
            torch.cuda.reset_peak_memory_stats()
        best = min(_seconds(lambda: passes(model, tree, forward), cuda) for _ in range(repeats))
    except torch.OutOfMemoryError:
        model.zero_grad()
        torch.cuda.empty_cache()
        return {"out_of_memory": True}
    answers = sum(map(len, tree.branches))
    peak = torch.cuda.max_memory_allocated() / 2**30 if cuda else None
    return {"first_s": first, "seconds": best, "answer_tokens_per_s": answers / best, "peak_gib": peak}


def _seconds(work: Callable[[], object], cuda: bool) -> float:
    start = time.perf_counter()
    work()
    if cuda:
        torch.cuda.synchronize()
    return time.perf_counter() - start


def grpo_step(size: Size, device: torch.device) -> dict[str, Any]:
    """Sample a group, reward it (here: the share of even tokens), and make one step on the clipped objective."""
    model = model_of(size, device, torch.bfloat16, size.layers)
    _recompute(model)
    adamw = torch.optim.AdamW(model.parameters(), lr=1e-4, weight_decay=0.0)
    prompt = tree_of(size, size.prompts[0]).prompt
    start = time.perf_counter()
    with torch.no_grad():
        drawn = model.eval().generate(
            torch.tensor([prompt], device=device),
            attention_mask=torch.ones(1, len(prompt), dtype=torch.long, device=device),
            do_sample=True,
            top_k=0,
            num_return_sequences=size.group,
            max_new_tokens=size.answer // 2,
            min_new_tokens=2,
        )
    sampled = time.perf_counter()
    answers = [_ended(row) for row in drawn[:, len(prompt) :].tolist()]
    rewards = torch.tensor([sum(token % 2 == 0 for token in row) / len(row) for row in answers], device=device)
    advantages = (rewards - rewards.mean()) / (rewards.std() + 1e-4)
    now = branch_logprobs(model.train(), [Tree(prompt, answers)])
    ratio = (now.logprobs - now.logprobs.detach()).exp()
    gain = torch.minimum(ratio * advantages[:, None], ratio.clamp(0.8, 1.2) * advantages[:, None])
    loss = -((gain * now.mask).sum(1) / now.mask.sum(1)).mean()
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    before = model.model.layers[0].mlp.up_proj.weight.detach().clone()
    adamw.step()
    moved = (model.model.layers[0].mlp.up_proj.weight != before).float().mean()
    trained = time.perf_counter()
    return {
        "loss": loss.item(),
        "grad_norm": norm.item(),
        "weights_moved": moved.item(),
        "entropy": (now.entropy.sum() / now.mask.sum()).item(),
        "sample_s": sampled - start,
        "train_s": trained - sampled,
        "answer_tokens": sum(map(len, answers)),
    }


def _ended(row: list[int]) -> list[int]:
    """Return a sampled row without what follows its end-of-sequence token."""
    return row[: row.index(1) + 1] if 1 in row else row


def _recompute(model: LlamaForCausalLM) -> None:
    """Gradient checkpointing; releases of transformers differ in the name of the method."""
    enable = getattr(model, "activation_checkpointing_enable", None) or model.gradient_checkpointing_enable
    enable({"use_reentrant": False})


def measure(size: Size, device: torch.device) -> dict[str, Any]:
    """Return everything that fits into the time, the most telling first; `skipped` names the rest."""
    start, report = time.perf_counter(), {"device": _name(device), "torch": torch.__version__, "skipped": []}
    report["transformers"] = transformers.__version__

    def part(name: str, work: Callable[[], object]) -> None:
        if time.perf_counter() - start > LIMIT_S:
            report["skipped"].append(name)
            return
        report[name] = work()
        print(f"{time.perf_counter() - start:6.1f} s {name}: {json.dumps(report[name])}", flush=True)

    for dtype in (torch.float32, torch.bfloat16):
        part(f"exact_{str(dtype).removeprefix('torch.')}", lambda dtype=dtype: exactness(size, device, dtype))
    part("grpo_step", lambda: grpo_step(size, device))
    model = model_of(size, device, torch.bfloat16, size.layers)
    _recompute(model)
    report["parameters"] = model.num_parameters()
    for prompt in size.prompts:
        for forward in FORWARDS:
            tree = tree_of(size, prompt)
            part(f"{forward}_{prompt}", lambda f=forward, tree=tree: speed(model, tree, f, size.repeats))
    report["total_s"] = time.perf_counter() - start
    return report


def _name(device: torch.device) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tiny", action="store_true", help="a small model on the CPU")
    tiny = parser.parse_args().tiny
    if not tiny and not torch.cuda.is_available():
        raise SystemExit("gpu_smoke: error: no GPU is visible; --tiny runs on a CPU")
    print(json.dumps(measure(TINY if tiny else LARGE, torch.device("cpu" if tiny else "cuda"))))


if __name__ == "__main__":
    main()
