"""What a whole run asks of models besides the steps of training: samples for sft, answers of the evaluation."""

from dataclasses import dataclass

from omegaconf import DictConfig

from openswerl.graph import policies

MINI = ("localisation", "repair", "reproduction")


@dataclass(frozen=True)
class Asked:
    """So many samples, in tokens at mean length; a server is billed for the prompt of each."""

    samples: int
    prompt: float
    response: float

    @property
    def prompt_tokens(self) -> float:
        """Tokens of all prompts."""
        return self.samples * self.prompt

    @property
    def response_tokens(self) -> float:
        """Tokens of all answers."""
        return self.samples * self.response


def asked_of(cfg: DictConfig) -> dict[str, Asked]:
    """Return what each stage asks: one run of each, and of evaluate one for each policy and seed of the grid."""
    model = cfg.model
    prompt, response = (cfg.plan.fill * length for length in (model.max_prompt_tokens, model.max_response_tokens))
    gold = cfg.sft.demonstrations == "gold"
    samples = {
        "sft": 0 if gold else cfg.sft.prompts * cfg.sft.samples_per_prompt,
        "grpo": cfg.grpo.steps * cfg.grpo.prompts_per_step * cfg.grpo.group_size,
        "evaluate": len(policies(cfg)) * len(cfg.grid.seed) * answers_of(cfg.evaluate),
    }
    return {stage: Asked(count, prompt, response) for stage, count in samples.items()}


def answers_of(evaluate: DictConfig) -> int:
    """Return how many samples one policy is asked for: Table 2's, greedy and drawn, and each step of Agentless Mini."""
    mini = evaluate.mini
    each = sum(mini[step].samples for step in MINI) + (1 if mini.regression.exclude else 0)
    return sum(evaluate.splits.values()) * (1 + evaluate.samples) + sum(mini.splits.values()) * each
