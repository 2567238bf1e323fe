"""How a training stage lies on the machines: the part of the config that memory and time depend on."""

from dataclasses import dataclass
from typing import Any

from omegaconf import DictConfig

from openswerl.plan.shapes import Shape

BYTES = {"float32": 4, "bfloat16": 2}
GIB = 2**30


@dataclass(frozen=True)
class Layout:
    """One training stage, with lengths in tokens at their limits.

    `prompts` x `group` samples a step, of which `together` prompts share a pass; of sft they are rows without branches,
    `prompt` long. `sampler` is local, colocated, server or elsewhere; `devices` are those of a server.
    """

    stage: str
    kind: str
    size: int
    forward: str
    machines: int
    processes: int
    devices_per_machine: int
    memory: float
    host_memory: float
    zero: int
    offload: bool
    checkpointing: bool
    team: int
    rank: int
    targets: tuple[str, ...]
    kl: bool
    prompts: int
    group: int
    together: int
    prompt: int
    response: int
    max_prompt: int
    max_response: int
    sampler: str
    batch_rows: int
    tensor_parallel: int
    engine_share: float
    devices: tuple[str, ...] | None

    @classmethod
    def of(cls, cfg: DictConfig, stage: str) -> "Layout":
        """Return the layout of sft or grpo under a composed config."""
        own, rollout, plan = cfg[stage], cfg.rollout, cfg.plan
        devices = rollout.engine.devices
        return cls(
            stage=stage,
            kind=plan.device.kind,
            size=BYTES[cfg.model.dtype],
            forward=cfg.model.forward,
            machines=cfg.nodes,
            processes=cfg.processes,
            devices_per_machine=plan.devices,
            memory=plan.device.memory_gib * GIB,
            host_memory=plan.memory_gib * GIB,
            zero=own.optimiser.zero_stage,
            offload=own.optimiser.offload == "cpu",
            checkpointing=own.optimiser.gradient_checkpointing,
            team=own.optimiser.sequence_parallel,
            rank=cfg.model.lora.rank,
            targets=tuple(cfg.model.lora.targets),
            max_prompt=cfg.model.max_prompt_tokens,
            max_response=cfg.model.max_response_tokens,
            sampler=_sampler(rollout),
            batch_rows=rollout.batch_rows,
            tensor_parallel=rollout.engine.tensor_parallel,
            engine_share=rollout.engine.gpu_memory,
            devices=None if devices is None else tuple(str(devices).split(",")),
            **(_grpo(cfg) if stage == "grpo" else _sft(cfg)),
        )

    @property
    def world(self) -> int:
        """How many processes train together."""
        return self.machines * self.processes

    @property
    def teams(self) -> int:
        """How many teams read rows; a team of one is a process by itself (models/ulysses.py)."""
        return max(1, self.world // self.team)

    @property
    def share(self) -> int:
        """How many prompts, or rows, the busiest team has (models/distributed.py)."""
        return -(-self.prompts // self.teams)

    @property
    def in_pass(self) -> int:
        """How many prompts of a team share a pass (grpo/micro.py)."""
        return min(self.together, self.share)

    @property
    def row(self) -> int:
        """Tokens of one pass: packed, prompts are read once; padded, with every answer (models/logprobs.py)."""
        if self.stage == "sft":
            return self.prompt
        if self.forward == "padded":
            return self.in_pass * self.group * (self.prompt + self.response)
        return self.in_pass * (self.prompt + self.group * self.response)

    @property
    def stretch(self) -> int:
        """Tokens of a pass on one device: a team shares its row."""
        return -(-self.row // self.team)

    @property
    def asked(self) -> int:
        """Tokens of a stretch whose log-probabilities are asked for, at most; of sft all."""
        answers = self.row if self.stage == "sft" else self.in_pass * self.group * self.response
        return min(self.stretch, answers)

    @property
    def reference(self) -> bool:
        """Whether the KL term needs a frozen copy: with adapters the policy is its own (grpo/reference.py)."""
        return self.kl and not self.rank

    def trained(self, shape: Shape) -> int:
        """How many weights have a gradient."""
        return shape.lora(self.rank, self.targets) if self.rank else shape.parameters


def _sampler(rollout: DictConfig) -> str:
    if rollout.backend != "vllm":
        return "local" if rollout.backend == "local" else "elsewhere"
    return str(rollout.engine.mode)


def _grpo(cfg: DictConfig) -> dict[str, Any]:
    """Groups of samples of a prompt."""
    own, model = cfg.grpo, cfg.model
    return {
        "kl": bool(own.kl_coefficient),
        "prompts": own.prompts_per_step,
        "group": own.group_size,
        "together": own.micro_batch_groups,
        "prompt": model.max_prompt_tokens,
        "response": model.max_response_tokens,
    }


def _sft(cfg: DictConfig) -> dict[str, Any]:
    """Rows of documents; each is a pass of its own (sft/trainer.py). Samples are those of the demonstrations."""
    return {
        "kl": False,
        "prompts": cfg.sft.rows_per_step,
        "group": cfg.sft.samples_per_prompt,
        "together": 1,
        "prompt": cfg.sft.row_tokens,
        "response": 0,
    }
