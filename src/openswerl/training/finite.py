"""Steps that change nothing, as their numbers are not finite: a few pass; a run that ends in them is no success."""

import math
from dataclasses import dataclass

from transformers import PreTrainedModel

from openswerl.errors import UserError
from openswerl.models.distributed import gather

NOT_FINITE = (
    "had no finite loss and gradient and were left out; lower {stage}.optimiser.lr and run again: that is another "
    "config, which starts anew"
)


@dataclass
class Guard:
    """Counts steps in a row, of `steps`, in a state that `trouble` describes.

    While `row` is above 0 nothing is saved, so that a run that resumes counts as the undisturbed one does.
    """

    stage: str
    limit: int
    steps: int
    trouble: str = NOT_FINITE
    row: int = 0

    def watch(self, step: int, sound: bool) -> None:
        """Note a step, from 0. Raises UserError after `limit` in a row, or if the last step of all is one."""
        self.row = 0 if sound else self.row + 1
        if self.row >= self.limit or (self.row and step + 1 == self.steps):
            raise UserError(f"{self.row} steps in a row up to step {step + 1} {self.trouble.format(stage=self.stage)}")


def all_finite(*values: float) -> bool:
    """Whether no value is nan or infinite."""
    return all(map(math.isfinite, values))


def require_finite(policy: PreTrainedModel, stage: str) -> None:
    """Raise UserError, on every process, if a weight is not finite; each looks at the part that it holds."""
    parts = ((name, getattr(weights, "ds_tensor", weights)) for name, weights in policy.named_parameters())
    if bad := gather([name for name, part in parts if not part.isfinite().all()]):
        raise UserError(
            f"{bad[0]} holds weights that are not finite, so no policy is written; lower {stage}.optimiser.lr and run "
            "again: that is another config, which starts anew"
        )
