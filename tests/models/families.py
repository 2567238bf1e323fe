"""Random tiny models of several families, and trees for them."""

import random

import torch
from transformers import AutoModelForCausalLM, PreTrainedModel
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from openswerl.models.packing import Tree

VOCABULARY = 60
FAMILIES = {
    "llama": {"num_key_value_heads": 2},
    "qwen2": {"num_key_value_heads": 1, "tie_word_embeddings": True},
    "qwen3": {"num_key_value_heads": 2, "head_dim": 16},
    "mistral": {"num_key_value_heads": 2, "sliding_window": 64},
    "gpt_neox": {},
    "granite": {"num_key_value_heads": 2, "logits_scaling": 3.0},
    "cohere": {"num_key_value_heads": 2, "logit_scale": 0.25},
    "gemma3_text": {
        "num_key_value_heads": 2,
        "head_dim": 8,
        "query_pre_attn_scalar": 8,
        "sliding_window": 64,
        "final_logit_softcapping": 2.0,
    },
}
TREES = [
    Tree([5, 9, 7], [[4, 8, 1], [6, 1]]),
    Tree([11, 6, 30, 8, 12, 40, 9], [[9, 9, 12, 33, 1], [2, 7], [3]]),
    Tree([4], [[7, 8]]),
]


def model_of(family: str, **settings: object) -> PreTrainedModel:
    """Return a random model in training mode, the same at every call."""
    torch.manual_seed(0)
    shape = {
        "vocab_size": VOCABULARY,
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "max_position_embeddings": 256,
        "initializer_range": 0.15,
        "pad_token_id": 0,
        "eos_token_id": 1,
        "bos_token_id": None,
        **FAMILIES.get(family, {}),
        **settings,
    }
    return AutoModelForCausalLM.from_config(CONFIG_MAPPING[family](**shape)).train()


def random_trees(seed: int, prompt: int, branch: int, group: int, count: int = 2) -> list[Tree]:
    """Return trees with prompts of `prompt` tokens and branches of up to `branch`."""
    rng = random.Random(seed)

    def tokens(length: int) -> list[int]:
        return [rng.randrange(2, VOCABULARY) for _ in range(length)]

    return [Tree(tokens(prompt), [tokens(rng.randint(1, branch)) for _ in range(group)]) for _ in range(count)]
