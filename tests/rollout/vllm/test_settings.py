import pytest

from openswerl.config import load
from openswerl.errors import UserError
from openswerl.rollout.vllm.settings import engine_settings, options


def of(*overrides, lora=False):
    cfg = load("rollout=vllm", *overrides)
    return engine_settings(cfg.model, cfg.rollout, "/m", lora=lora)


def test_nothing_truncates_what_is_sampled_from():
    settings = of("model.max_prompt_tokens=300", "model.max_response_tokens=44")
    assert settings["max_model_len"] == 344
    assert settings["generation_config"] == "vllm"  # not the model's own top_p and penalties
    assert settings["logprobs_mode"] == "processed_logprobs"


@pytest.mark.parametrize(("rank", "room"), [(1, 1), (2, 8), (8, 8), (9, 16), (512, 512)])
def test_there_is_room_for_an_adapter(rank, room):
    assert of(f"model.lora.rank={rank}", lora=True)["max_lora_rank"] == room
    assert "enable_lora" not in of(f"model.lora.rank={rank}")


def test_an_adapter_that_is_too_large_is_refused():
    with pytest.raises(UserError, match=r"^model\.lora\.rank=600 is more than the 512 that vLLM serves: lower it$"):
        of("model.lora.rank=600", lora=True)


def test_options():
    given = {"max_model_len": 5, "enforce_eager": True, "enable_lora": False, "dtype": "float32"}
    assert options(given) == ["--max-model-len", "5", "--enforce-eager", "--dtype", "float32"]
