from pathlib import Path
from typing import Any

import pytest
from omegaconf import OmegaConf

from openswerl.errors import UserError
from openswerl.evaluate.policies import checkpoint, open_policy
from openswerl.evaluate.run import run
from openswerl.models.checkpoint import base_checkpoint

FOLDERS = {"laptop": Path("l"), "evaluate-gold-seed0": Path("g"), "evaluate-none-seed0": Path("n")}


def _cfg(policy: str) -> Any:
    return OmegaConf.create({"policy": policy, "model": {"path": None}})


def test_base_is_the_starting_point_and_others_are_what_training_wrote() -> None:
    assert checkpoint(_cfg("base"), FOLDERS) == base_checkpoint(_cfg("base").model)
    for name in ("sft-paper-seed0", "grpo-discrete-seed1"):
        assert checkpoint(_cfg("any"), {**FOLDERS, name: Path("trained")}) == Path("trained/policy")


def test_a_missing_or_double_policy_is_refused() -> None:
    with pytest.raises(UserError, match="needs one trained policy among the inputs, not 0"):
        checkpoint(_cfg("sft"), FOLDERS)
    with pytest.raises(UserError, match="not 2"):
        checkpoint(_cfg("sft"), {**FOLDERS, "sft-paper-seed0": Path("a"), "grpo-x-seed0": Path("b")})


def test_a_trained_policy_is_not_evaluated_by_a_model_elsewhere() -> None:
    cfg = OmegaConf.create({"policy": "sft", "model": {"path": None}, "rollout": {"backend": "openai"}})
    with pytest.raises(UserError) as error:
        open_policy(cfg, {**FOLDERS, "sft-paper-seed0": Path("trained")})
    assert str(error.value) == (
        "rollout=openai asks a model that is elsewhere, and policy=sft is in trained/policy: choose rollout=local or "
        "rollout=vllm, or serve that folder and evaluate it as policy=base"
    )


@pytest.fixture
def saved_policy(tiny_policy: Any, tmp_path: Path) -> Path:
    """A random model and a word tokenizer as a Hugging Face directory."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = {word: number for number, word in enumerate(["[UNK]", "</s>", *(f"w{i}" for i in range(58))])}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="</s>").save_pretrained(tmp_path / "model")
    tiny_policy.save_pretrained(tmp_path / "model")
    return tmp_path / "model"


def test_the_stage_runs_with_a_real_model(stage: Any, saved_policy: Path) -> None:
    """A random model never finds the form, and does not find it in the same way twice."""
    stage.gate()
    overrides = [f"model.path={saved_policy}", "model.max_prompt_tokens=120", "model.max_response_tokens=8"]
    result = run(stage.job("base", *overrides))
    greedy = [row for row in stage.outcomes("base") if row["decoding"] == "greedy"]
    assert {row["status"] for row in greedy} == {"format_error"} and result["executed"] == 0
    assert {row["reason"] for row in greedy} <= {"unfinished", "missing_tag"}
    again = stage.outcomes("base")
    run(stage.job("base", *overrides))
    assert stage.outcomes("base") == again
