"""Parameter counts against those that the models' makers publish, and against the weights themselves."""

import json
import struct

import pytest
from omegaconf import OmegaConf

from openswerl.errors import UserError
from openswerl.plan.known import KNOWN
from openswerl.plan.shapes import PACKAGED, Shape, read_shape, shape_of

# Half the total_size in the index of their bfloat16 safetensors.
PUBLISHED = {
    "meta-llama/Llama-3.3-70B-Instruct": 70_553_706_496,
    "meta-llama/Llama-3.1-8B-Instruct": 8_030_261_248,
    "Qwen/Qwen2.5-Coder-7B-Instruct": 7_615_616_512,
    "Qwen/Qwen2.5-Coder-32B-Instruct": 32_763_876_352,
    "HuggingFaceTB/SmolLM2-135M-Instruct": 134_515_008,
}


def model(path):
    return OmegaConf.create({"path": path})


@pytest.mark.parametrize(("name", "count"), PUBLISHED.items())
def test_known_models_have_as_many_weights_as_published(name, count):
    assert shape_of(model(name)).parameters == count


def test_the_laptop_model_has_as_many_weights_as_its_file_holds():
    data = (PACKAGED / "model.safetensors").read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    sizes = (entry["shape"] for name, entry in header.items() if name != "__metadata__")
    count = sum(shape[0] * (shape[1] if len(shape) > 1 else 1) for shape in sizes)
    assert shape_of(model(None)).parameters == count


def test_a_token_in_the_cache():
    """By hand: keys and values, layers, key heads, head size, two bytes."""
    assert Shape(**KNOWN["meta-llama/Llama-3.3-70B-Instruct"]).cache_bytes(2) == 2 * 80 * 8 * 128 * 2 == 327_680
    assert Shape(**KNOWN["Qwen/Qwen2.5-Coder-7B-Instruct"]).cache_bytes(2) == 2 * 28 * 4 * 128 * 2 == 57_344


def test_adapters():
    """By hand, rank 16 on q_proj (8192 x 8192) and v_proj (8192 x 1024) of 80 blocks."""
    shape = Shape(**KNOWN["meta-llama/Llama-3.3-70B-Instruct"])
    assert shape.lora(16, ("q_proj", "v_proj")) == 80 * 16 * (8192 + 8192 + 8192 + 1024)


def test_a_folder_is_read(tmp_path):
    config = {"num_hidden_layers": 2, "hidden_size": 64, "intermediate_size": 96, "num_attention_heads": 4}
    (tmp_path / "config.json").write_text(json.dumps(config | {"vocab_size": 100}))
    shape = shape_of(model(str(tmp_path)))
    assert (shape.heads, shape.kv_heads, shape.head_size, shape.tied) == (4, 4, 16, False)


def test_what_cannot_be_planned_is_one_line():
    with pytest.raises(UserError, match=r"model.path=some/model is not known: give a folder .* config.json, or one of"):
        shape_of(model("some/model"))
    with pytest.raises(UserError, match="num_local_experts=8: models of experts"):
        read_shape({"num_local_experts": 8}, "mixtral")
    with pytest.raises(UserError, match="of x has no 'num_attention_heads'"):
        read_shape({}, "x")
