"""The shape of a model, and how many weights it has. Dense decoders alone: attention with shared keys, gated MLP."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from omegaconf import DictConfig

from openswerl.errors import UserError
from openswerl.plan.known import KNOWN

PACKAGED = Path(__file__).resolve().parents[1] / "laptop" / "base"
EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts")


@dataclass(frozen=True)
class Shape:
    """Numbers of config.json; `bias` says whether queries, keys and values have one, `tied` that the head is shared."""

    layers: int
    hidden: int
    intermediate: int
    heads: int
    kv_heads: int
    head_size: int
    vocabulary: int
    tied: bool
    bias: bool

    @property
    def query(self) -> int:
        """Width of all queries."""
        return self.heads * self.head_size

    @property
    def key(self) -> int:
        """Width of all keys, and of all values."""
        return self.kv_heads * self.head_size

    @property
    def linear(self) -> dict[str, tuple[int, int]]:
        """Inputs and outputs of the linear layers of a block, by the names that LoRA's targets use."""
        return {
            "q_proj": (self.hidden, self.query),
            "k_proj": (self.hidden, self.key),
            "v_proj": (self.hidden, self.key),
            "o_proj": (self.query, self.hidden),
            "gate_proj": (self.hidden, self.intermediate),
            "up_proj": (self.hidden, self.intermediate),
            "down_proj": (self.intermediate, self.hidden),
        }

    @property
    def layer(self) -> int:
        """Weights of one block: its linear layers, biases and two norms."""
        biases = (self.query + 2 * self.key) if self.bias else 0
        return sum(rows * columns for rows, columns in self.linear.values()) + biases + 2 * self.hidden

    @property
    def head(self) -> int:
        """Weights of the output head, the largest tensor; a tied one is the embedding."""
        return self.vocabulary * self.hidden

    @property
    def parameters(self) -> int:
        """All weights: blocks, embedding, head unless tied, last norm."""
        return self.layers * self.layer + self.head * (1 if self.tied else 2) + self.hidden

    def lora(self, rank: int, targets: tuple[str, ...]) -> int:
        """Weights of adapters of a rank: two factors a linear layer (models/lora.py)."""
        return self.layers * rank * sum(sum(self.linear[name]) for name in targets if name in self.linear)

    def cache_bytes(self, size: int) -> int:
        """Bytes of one token in a KV cache, over all layers, of numbers of `size` bytes."""
        return 2 * self.layers * self.key * size


def shape_of(model: DictConfig) -> Shape:
    """Return the shape of `cfg.model`: by its config.json if its path is a folder, else from the known models.

    Raises UserError for a model that is neither, or that is no dense decoder.
    """
    folder = PACKAGED if model.path is None else Path(model.path)
    if (folder / "config.json").is_file():
        return read_shape(json.loads((folder / "config.json").read_text()), str(folder))
    if model.path in KNOWN:
        return Shape(**KNOWN[model.path])
    raise UserError(
        f"the shape of model.path={model.path} is not known: give a folder that holds its config.json, or one of "
        f"{', '.join(KNOWN)}"
    )


def read_shape(config: Mapping[str, Any], name: str) -> Shape:
    """Return the shape that a config.json of Hugging Face describes. Raises UserError if it lacks a number."""
    if experts := [key for key in EXPERTS if config.get(key)]:
        raise UserError(f"{name} has {experts[0]}={config[experts[0]]}: models of experts cannot be planned")
    try:
        heads, hidden = config["num_attention_heads"], config["hidden_size"]
        return Shape(
            layers=config["num_hidden_layers"],
            hidden=hidden,
            intermediate=config["intermediate_size"],
            heads=heads,
            kv_heads=config.get("num_key_value_heads") or heads,
            head_size=config.get("head_dim") or hidden // heads,
            vocabulary=config["vocab_size"],
            tied=config.get("tie_word_embeddings", False),
            bias=config.get("attention_bias", config.get("model_type") == "qwen2"),
        )
    except KeyError as error:
        raise UserError(f"config.json of {name} has no {error}: it is no model that can be planned") from None
