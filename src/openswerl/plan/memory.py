"""What a stage holds on each device, by component, in each of its phases; and in the main memory of a machine."""

from collections.abc import Mapping
from dataclasses import dataclass

from openswerl.plan import activations, sampling, states
from openswerl.plan.layout import GIB, Layout
from openswerl.plan.shapes import Shape

Parts = Mapping[str, float]
PROCESS = 4 * GIB  # our guess: main memory of a process with PyTorch, CUDA and NCCL


@dataclass(frozen=True)
class Memory:
    """Bytes by component: of the phases `start`, `pass`, `step` and `sample` on a device, and in main memory."""

    phases: Mapping[str, Parts]
    host: Parts

    @property
    def phase(self) -> str:
        """The phase that needs most."""
        return max(self.phases, key=lambda name: total(self.phases[name]))

    @property
    def peak(self) -> float:
        """Bytes of that phase."""
        return total(self.phases[self.phase])


def total(parts: Parts) -> float:
    """Return the sum of the components."""
    return sum(parts.values())


def memory_of(layout: Layout, shape: Shape, taken: float) -> Memory:
    """Return what a layout needs; `taken` bytes of a device are gone before."""
    return Memory(phases_of(layout, shape, taken), host_of(layout, shape))


def phases_of(layout: Layout, shape: Shape, taken: float) -> dict[str, Parts]:
    """Return the components of each phase on the device of the busiest process."""
    resident = {
        "process": taken,
        "weights": states.weights(layout, shape),
        "reference": states.reference(layout, shape),
        "optimiser": states.optimiser(layout, shape),
    }
    gradients = {"gradients": states.gradients(layout, shape)}
    asleep = {"engine asleep": sampling.ASLEEP if layout.sampler == "colocated" else 0.0}
    work = {
        "gather and reduce": states.buffers(layout, shape),
        "activations": activations.kept(layout, shape) + activations.ends(layout, shape),
        "block at work": activations.recomputed(layout, shape),
        "logits chunk": activations.logits(layout, shape),
    }
    step = {"gather and reduce": states.buffers(layout, shape), "step copies": states.step_copies(layout, shape)}
    return {
        "pass": resident | gradients | asleep | work,
        "step": resident | gradients | asleep | step,
        "sample": resident | sampled(layout, shape),
    }


def sampled(layout: Layout, shape: Shape) -> dict[str, float]:
    """Return what drawing samples adds on a trainer's device."""
    if layout.sampler == "colocated":
        return {"engine": layout.engine_share * layout.memory}
    if layout.sampler == "local":
        whole = layout.size * shape.parameters if layout.zero == 3 else 0
        return {"whole weights": float(whole), "KV cache": sampling.local_cache(layout, shape)}
    return {}


def host_of(layout: Layout, shape: Shape) -> Parts:
    """Return the components in the main memory of one machine, each at its most.

    Every process reads the checkpoint whole, and copies it if there is a reference, before ZeRO spreads it. An engine
    asleep keeps its weights there; the main process gathers the policy to write it; a server reads its weights from
    files in TMPDIR.
    """
    if layout.kind == "cpu":
        return {}
    whole = float(layout.size * shape.parameters)
    colocated = whole if layout.sampler == "colocated" else 0.0
    return {
        "processes": layout.processes * PROCESS,
        "checkpoints at the start": max(
            layout.processes * whole * (2 if layout.reference else 1), layout.processes * colocated + whole
        ),
        "offload": offloaded(layout, shape) / layout.machines,
        "published weights": whole if layout.sampler == "server" and not layout.rank else 0.0,
    }


def offloaded(layout: Layout, shape: Shape) -> float:
    """Return what offload=cpu keeps in main memory, of all machines: states, gradients; in stage 3 weights too."""
    if not layout.offload:
        return 0.0
    kept = states.optimiser_whole(layout, shape) + states.FLOAT * layout.trained(shape)
    models = layout.size * shape.parameters * (2 if layout.reference else 1)
    return kept + (models if layout.zero == 3 else 0)
