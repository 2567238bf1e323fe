"""TRL's own GRPOTrainer on a tiny model, fed with our prompts, completions and rewards."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

GROUP, LONGEST = 4, 6
PROMPTS = [[5, 9, 7, 31, 2], [11, 6, 30]]
COMPLETIONS = [
    *([4, 8, 1], [6, 1], [9, 9, 12, 33, 17, 21], [2, 7, 1]),
    *([3, 3, 8, 40, 1], [1], [13, 14, 15, 16, 1], [22, 1]),
]
REWARDS = [0.9, -1.0, 0.35, 0.1, 1.0, 0.2, -1.0, 0.6]
VOCABULARY = 64


def model(seed: int) -> LlamaForCausalLM:
    torch.manual_seed(seed)
    sizes = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2}
    return LlamaForCausalLM(LlamaConfig(vocab_size=VOCABULARY, **sizes, **heads, initializer_range=0.2))


def moved(policy: LlamaForCausalLM, seed: int) -> None:
    """Add noise, so that ratios leave the clip range on both sides."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in policy.parameters():
            parameter += 0.04 * torch.randn(parameter.shape, generator=generator)


def tokenizer() -> PreTrainedTokenizerFast:
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = Tokenizer(models.WordLevel({str(k): k for k in range(VOCABULARY)}, unk_token="0"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(tokenizer_object=words, unk_token="0", eos_token="1", pad_token="0")


@dataclass(frozen=True)
class Oracle:
    """What TRL makes of the batch: advantages [rows], the loss, and each parameter's gradient."""

    advantages: torch.Tensor
    loss: torch.Tensor
    gradients: dict[str, torch.Tensor]
    metrics: dict[str, float]


def ask_trl(folder: Path, rewards: list[float | None] = REWARDS, **settings: Any) -> Oracle:
    """Run the trainer under some of its settings: the reference, then the old policy, then the new one."""
    import trl
    from datasets import Dataset

    model(0).save_pretrained(folder / "reference")
    texts = [" ".join(map(str, prompt)) for prompt in PROMPTS for _ in range(GROUP)]
    asked = [prompt for prompt in PROMPTS for _ in range(GROUP)]
    unused = [[0.0] * len(row) for row in COMPLETIONS]
    arguments = trl.GRPOConfig(
        str(folder / "trl"),
        use_cpu=True,
        bf16=False,
        report_to="none",
        gradient_checkpointing=False,
        per_device_train_batch_size=len(COMPLETIONS),
        num_generations=GROUP,
        max_completion_length=LONGEST,
        use_bias_correction_kl=False,  # on by default; Eq. 2 has no ratio in its KL term
        num_iterations=2,  # so that the old policy is kept apart from the present one
        **settings,
    )
    trainer = trl.GRPOTrainer(
        str(folder / "reference"),
        reward_funcs=lambda completions, **_: rewards,
        args=arguments,
        train_dataset=Dataset.from_list([{"prompt": text} for text in texts]),
        processing_class=tokenizer(),
        rollout_func=lambda *_: {"prompt_ids": asked, "completion_ids": COMPLETIONS, "logprobs": unused},
    )
    trainer.current_gradient_accumulation_steps = 1  # its training loop would set it
    trainer.model.train()
    moved(trainer.model, 1)
    batch = trainer._generate_and_score_completions([{"prompt": text} for text in texts])
    moved(trainer.model, 2)
    loss = trainer.compute_loss(trainer.model, batch)
    loss.backward()
    gradients = {name: p.grad.clone() for name, p in trainer.model.named_parameters()}
    metrics = {name: values[-1] for name, values in trainer._metrics["train"].items()}
    return Oracle(batch["advantages"], loss.detach(), gradients, metrics)
