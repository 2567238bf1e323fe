"""The ways to a vLLM that runs: in this process, or behind an address."""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import torch
from safetensors.torch import save_file

from openswerl.errors import UserError
from openswerl.rollout.vllm.engine import EngineSampler
from openswerl.rollout.vllm.inside import reason_of
from openswerl.rollout.vllm.server import MODEL, Server
from openswerl.rollout.vllm.settings import ADAPTER

FILE_BYTES = 2**30
Weights = Iterable[tuple[str, torch.Tensor]]


class Link(Protocol):
    """How weights reach vLLM, and what it then makes of given tokens."""

    def take_weights(self, weights: Weights) -> None:
        """Replace all weights; what was computed from the old ones is forgotten."""
        ...

    def take_adapter(self, folder: Path) -> None:
        """Replace the adapter. The folder is one that vLLM has not seen, as its caches go by the name."""
        ...

    def scores(self, probes: Sequence[list[int]]) -> list[list[float]]:
        """Return the log-probability of each token but the first, at temperature 1."""
        ...


class EngineLink:
    """To the engine of this process, which takes the tensors themselves."""

    def __init__(self, sampler: EngineSampler) -> None:
        self.sampler = sampler

    def take_weights(self, weights: Weights) -> None:
        """Hand over one tensor after the other."""
        with _one_line("the weights"), self.sampler.awake():
            self.sampler.llm.collective_rpc("receive_weights", args=(weights,))
            if not self.sampler.llm.reset_prefix_cache():
                raise UserError("vLLM keeps what it has computed from the old weights: are requests under way?")

    def take_adapter(self, folder: Path) -> None:
        """Load it in place of the one before."""
        from vllm.lora.request import LoRARequest

        with _one_line("the adapter"), self.sampler.awake():
            self.sampler.llm.llm_engine.add_lora(LoRARequest(ADAPTER, 1, str(folder), load_inplace=True))
        self.sampler.adapter = LoRARequest(ADAPTER, 1, str(folder))

    def scores(self, probes: Sequence[list[int]]) -> list[list[float]]:
        """Ask for one more token after each text; one text at a time, as vLLM's adapters mix up several."""
        return [self._score(ids) for ids in probes]

    def _score(self, ids: list[int]) -> list[float]:
        from vllm import SamplingParams

        asked = (ids, SamplingParams(max_tokens=1, temperature=0.0, prompt_logprobs=0))
        ((_, output),) = self.sampler.answers([asked])
        return [output.prompt_logprobs[i][ids[i]].logprob for i in range(1, len(ids))]


class ServerLink:
    """To a server on this machine, which reads the weights from files; TMPDIR says where they are for that time."""

    def __init__(self, server: Server, timeout_s: float) -> None:
        self.server, self.timeout_s, self.model = server, timeout_s, MODEL

    def take_weights(self, weights: Weights) -> None:
        """Write files of about a gigabyte, and let the server read them."""
        with tempfile.TemporaryDirectory(prefix="openswerl-") as folder:
            for number, part in enumerate(_parts(weights)):
                save_file(part, Path(folder, f"{number:05d}.safetensors"))
            body = {"method": "receive_folder", "args": [folder], "timeout": self.timeout_s}
            self.server.post("/collective_rpc", body, self.timeout_s)
        if not self.server.post("/reset_prefix_cache", {}, self.timeout_s)["success"]:
            raise UserError("vLLM keeps what it has computed from the old weights: are requests under way?")

    def take_adapter(self, folder: Path) -> None:
        """Load it in place of the one before."""
        body = {"lora_name": ADAPTER, "lora_path": str(folder), "load_inplace": True}
        self.server.post("/v1/load_lora_adapter", body, self.timeout_s)
        self.model = ADAPTER

    def scores(self, probes: Sequence[list[int]]) -> list[list[float]]:
        """Ask for one more token after each text, one text at a time."""
        return [self._score(ids) for ids in probes]

    def _score(self, ids: list[int]) -> list[float]:
        body = {"model": self.model, "prompt": ids, "max_tokens": 1, "temperature": 0.0, "prompt_logprobs": 0}
        row = self.server.post("/v1/completions", body, self.timeout_s)["choices"][0]["prompt_logprobs"]
        return [row[i][str(ids[i])]["logprob"] for i in range(1, len(ids))]


@contextmanager
def _one_line(what: str) -> Iterator[None]:
    try:
        yield
    except UserError:
        raise
    except Exception as error:  # what vLLM's loaders raise is of many kinds
        raise UserError(f"vLLM does not take {what}: {reason_of(error)}") from None


def _parts(weights: Weights) -> Iterator[dict[str, torch.Tensor]]:
    """Yield the tensors on the CPU, as many at a time as a file holds."""
    part: dict[str, torch.Tensor] = {}
    size = 0
    for name, tensor in weights:
        part[name] = tensor.cpu().contiguous()
        size += tensor.nbytes
        if size >= FILE_BYTES:
            yield part
            part, size = {}, 0
    if part:
        yield part
