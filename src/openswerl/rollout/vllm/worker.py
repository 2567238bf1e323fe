"""Runs inside vLLM's workers: takes the weights of a policy. Nothing here may import more than a worker needs."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

NAME = f"{__name__}.Receiver"


class Receiver:
    """What vLLM adds to its worker class (`worker_extension_cls`), so that `self` is a worker."""

    reload_weights: Any
    get_model: Any

    def receive_folder(self, folder: str) -> None:
        """Load the weights in the safetensors files of a folder."""
        self.receive_weights(_read(Path(folder)))

    def receive_weights(self, weights: "Iterable[tuple[str, Any]]") -> None:
        """Load (name, tensor) pairs, named as in a checkpoint, in place of the weights served so far."""
        self.reload_weights(weights_iterator=weights)
        _repack_heads(self.get_model())


def _read(folder: Path) -> "Iterator[tuple[str, Any]]":
    from safetensors import safe_open

    for path in sorted(folder.glob("*.safetensors")):
        with safe_open(path, framework="pt") as file:
            for name in file.keys():  # noqa: SIM118 - no mapping
                yield name, file.get_tensor(name)


def _repack_heads(model: Any) -> None:
    """Let heads that are tied to the embedding follow it: on a CPU vLLM keeps a packed copy, which a reload forgets."""
    from vllm.model_executor.layers.vocab_parallel_embedding import ParallelLMHead, UnquantizedEmbeddingMethod

    for layer in model.modules():
        if isinstance(layer, ParallelLMHead) and type(layer.quant_method) is UnquantizedEmbeddingMethod:
            layer.quant_method.process_weights_after_loading(layer)
