"""Our advantages, loss and gradients against TRL's GRPOTrainer on the same weights, tokens and rewards."""

from pathlib import Path

import pytest
import torch

from openswerl.grpo.advantages import group_advantages
from openswerl.grpo.loss import Batch, LossTerms, Objective, grpo_loss
from openswerl.models.logprobs import branch_logprobs
from openswerl.models.packing import Tree
from oracle.trainer import COMPLETIONS, GROUP, LONGEST, PROMPTS, REWARDS, ask_trl, model, moved

pytest.importorskip("trl", reason="the extra oracle is not installed: pip install -c constraints.txt -e '.[oracle]'")
BATCH = Batch(sequences=len(COMPLETIONS), tokens=sum(map(len, COMPLETIONS)), longest=LONGEST)
# (TRL's settings, ours): every choice that both have.
CASES = {
    "grpo": ({"loss_type": "grpo"}, {}),
    "bnpo": ({"loss_type": "bnpo"}, {"normalisation": "token"}),
    "dapo": ({"loss_type": "dapo"}, {"normalisation": "token"}),
    "dr_grpo": ({"loss_type": "dr_grpo", "scale_rewards": "none"}, {"normalisation": "constant"}),
    "gspo": ({"loss_type": "grpo", "importance_sampling_level": "sequence"}, {"ratio": "geometric"}),
    "kl": ({"loss_type": "grpo", "beta": 0.04}, {"kl_coefficient": 0.04}),
    "kl_dapo": ({"loss_type": "dapo", "beta": 0.5}, {"kl_coefficient": 0.5, "normalisation": "token"}),
    "narrow_clip": ({"loss_type": "grpo", "epsilon": 0.05}, {"clip_low": 0.05, "clip_high": 0.05}),
    "clip_high": ({"loss_type": "grpo", "epsilon": 0.1, "epsilon_high": 0.28}, {"clip_low": 0.1, "clip_high": 0.28}),
    "temperature": ({"loss_type": "grpo", "temperature": 0.7, "beta": 0.1}, {"kl_coefficient": 0.1}),
    "batch_std": ({"loss_type": "grpo", "scale_rewards": "batch"}, {}),
}
SCALINGS = {"group": "group_std", "none": "none", "batch": "batch_std"}
UNEQUAL = [*REWARDS[:GROUP], 0.5, 0.5, 0.5, 0.5]


def table(rewards: list[float | None]) -> torch.Tensor:
    return torch.tensor([float("nan") if r is None else r for r in rewards]).view(-1, GROUP)


def ours(trl: dict, own: dict, forward: str) -> tuple[LossTerms, dict[str, torch.Tensor]]:
    """The same three policies as the oracle's, and one backward pass."""
    trees = [Tree(p, COMPLETIONS[i * GROUP : (i + 1) * GROUP]) for i, p in enumerate(PROMPTS)]
    policy, temperature = model(0), trl.get("temperature", 1.0)
    values = []
    for seed in (1, 2):
        with torch.no_grad():
            values.append(branch_logprobs(policy, trees, temperature=temperature, forward=forward).logprobs)
        moved(policy, seed)
    reference, old = values
    now = branch_logprobs(policy, trees, temperature=temperature, forward=forward)
    advantages, _ = group_advantages(table(REWARDS), SCALINGS[trl.get("scale_rewards", "group")])
    objective = Objective(**{"clip_low": 0.2, "clip_high": 0.2} | own)
    kept = reference if objective.kl_coefficient else None
    terms = grpo_loss(now.logprobs, old, kept, advantages.flatten(), now.mask, BATCH, objective)
    terms.loss.backward()
    return terms, {name: p.grad for name, p in policy.named_parameters()}


@pytest.mark.parametrize("forward", ["packed", "padded"])
@pytest.mark.parametrize("case", CASES)
def test_equal_loss_and_gradients(case: str, forward: str, tmp_path: Path) -> None:
    trl, own = CASES[case]
    wanted, (terms, gradients) = ask_trl(tmp_path, **trl), ours(trl, own, forward)
    torch.testing.assert_close(terms.loss.detach(), wanted.loss, rtol=1e-5, atol=1e-6)
    assert gradients.keys() == wanted.gradients.keys()
    for name, gradient in gradients.items():
        difference = (gradient - wanted.gradients[name]).norm()
        assert difference <= 1e-5 * wanted.gradients[name].norm(), name


@pytest.mark.parametrize("case", ["grpo", "narrow_clip", "clip_high", "kl", "temperature"])
def test_equal_kl_and_clipped_shares(case: str, tmp_path: Path) -> None:
    trl, own = CASES[case]
    wanted, (terms, _) = ask_trl(tmp_path, **trl).metrics, ours(trl, own, "packed")
    shares = {name: total / terms.sums["tokens"] for name, total in terms.sums.items()}
    assert shares["clipped_low"] == pytest.approx(wanted["clip_ratio/low_mean"], abs=1e-6)
    assert shares["clipped_high"] == pytest.approx(wanted["clip_ratio/high_mean"], abs=1e-6)
    assert shares["clipped_low"] > 0 and shares["clipped_high"] > 0, "else this compares nothing"
    if "beta" in trl:
        assert shares["kl"] == pytest.approx(wanted["kl"], rel=1e-5)


@pytest.mark.parametrize("scaling", SCALINGS)
@pytest.mark.parametrize("rewards", [REWARDS, UNEQUAL, [None, *REWARDS[1:]]], ids=["plain", "alike", "unscored"])
def test_equal_advantages(rewards: list[float | None], scaling: str, tmp_path: Path) -> None:
    advantages, _ = group_advantages(table(rewards), SCALINGS[scaling])
    wanted = ask_trl(tmp_path, rewards, scale_rewards=scaling).advantages
    torch.testing.assert_close(advantages.flatten(), wanted, rtol=1e-5, atol=1e-6)
