"""Our reward inside TRL's own GRPOTrainer: a training step with the laptop's model and answers that we choose."""

from functools import partial
from pathlib import Path

import pytest

import openswerl
from openswerl.reward.adapters.trl import row_of, similarity_reward
from repair_instances import LARGE, LIMITED, MALFORMED, NEAR, SMALL, near_reward

pytest.importorskip("trl", reason="the extra oracle is not installed: pip install -c constraints.txt -e '.[oracle]'")
BASE = Path(openswerl.__file__).parent / "laptop" / "base"


def test_a_step_of_trl_on_our_rewards_leaves_out_what_has_none(tmp_path: Path) -> None:
    import trl
    from datasets import Dataset
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(BASE)
    answers = [tokenizer(text)["input_ids"] for text in (NEAR, MALFORMED)]

    def rollout(prompts: list[str], trainer: object) -> dict[str, list]:
        """Answer every prompt nearly rightly, then out of form."""
        chosen = [answers[place % 2] for place in range(len(prompts))]
        ids = [tokenizer(prompt)["input_ids"] for prompt in prompts]
        return {"prompt_ids": ids, "completion_ids": chosen, "logprobs": [[0.0] * len(ids) for ids in chosen]}

    arguments = trl.GRPOConfig(
        str(tmp_path),
        use_cpu=True,
        bf16=False,
        report_to="none",
        gradient_checkpointing=False,
        per_device_train_batch_size=4,
        num_generations=2,
        max_completion_length=200,
        max_steps=1,
        logging_steps=1,
        shuffle_dataset=False,
    )
    trainer = trl.GRPOTrainer(
        str(BASE),
        reward_funcs=partial(similarity_reward, settings=LIMITED),
        args=arguments,
        train_dataset=Dataset.from_list([row_of(SMALL, "Fix the small one."), row_of(LARGE, "Fix the large one.")]),
        processing_class=tokenizer,
        rollout_func=rollout,
    )
    trainer.train()
    # Of four rewards one is missing; were it 0, the mean would be of four.
    assert trainer.state.log_history[0]["rewards/similarity_reward/mean"] == pytest.approx((near_reward() - 2) / 3)
