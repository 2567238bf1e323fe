"""No dropout in training.

With it the first update of a step would be off-policy (its ratio must be 1), and a resumed run would differ from an
undisturbed one, as checkpoints hold no random state and recomputed layers would draw anew.
"""

from typing import Any

import torch
from torch.nn.modules.dropout import _DropoutNd
from transformers import PreTrainedModel

RANDOM = ("drop", "jitter")


def remove_dropout(policy: PreTrainedModel) -> None:
    """Set every rate of dropout, layer drop and router noise to 0, in the modules and in the config that they read."""
    for module in policy.modules():
        if isinstance(module, _DropoutNd):
            module.p = 0.0
        _zero_rates(module)
    for config in {id(c): c for c in (policy.config, policy.config.get_text_config())}.values():
        _zero_rates(config)


def _zero_rates(owner: torch.nn.Module | Any) -> None:
    """Attention keeps its rate as a number and hands it to the attention function."""
    for name, value in list(vars(owner).items()):
        if isinstance(value, float) and any(word in name for word in RANDOM):
            setattr(owner, name, 0.0)
