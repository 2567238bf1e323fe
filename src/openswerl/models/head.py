"""From hidden states to logits, as the checkpoint's own forward pass does it."""

from collections.abc import Callable
from typing import Any

import torch
from transformers import PreTrainedModel

from openswerl.errors import UserError

LARGE = 100.0
Values = tuple[torch.Tensor, torch.Tensor]
Head = Callable[[torch.Tensor], torch.Tensor]
Work = Callable[[Head, torch.Tensor], Values]


def logits_of(policy: PreTrainedModel, hidden: torch.Tensor) -> torch.Tensor:
    """Return logits [..., vocabulary] for the base model's last hidden states [..., size].

    Some families scale or cap what their head gives: Granite divides by `logits_scaling`, Cohere multiplies by
    `logit_scale`, Gemma caps by `final_logit_softcapping`.
    """
    return _finished(policy, policy.lm_head(hidden))


def within_head(policy: PreTrainedModel, hidden: torch.Tensor, work: Work) -> Values:
    """Return what `work` makes of a function from hidden states to logits, and of `hidden`, in one call of the head.

    ZeRO-3 gathers weights at a module's call, all processes together. The function may be called as often as one likes:
    on each process another number of times.
    """
    head = policy.lm_head
    plain, before = head.forward, head.__dict__.get("forward")

    def forward(states: torch.Tensor) -> Values:
        return work(lambda some: _finished(policy, plain(some)), states)

    head.forward = forward
    try:
        values: Values = head(hidden)
    finally:
        del head.forward
        if before is not None:
            head.forward = before
    return values


def _finished(policy: PreTrainedModel, logits: torch.Tensor) -> torch.Tensor:
    config = policy.config.get_text_config()
    if (divisor := getattr(config, "logits_scaling", None)) is not None:
        logits = logits / divisor
    if (factor := getattr(config, "logit_scale", None)) is not None:
        logits = logits * factor
    if (cap := getattr(config, "final_logit_softcapping", None)) is not None:
        logits = torch.tanh(logits / cap) * cap
    return logits


@torch.no_grad()
def check_head(policy: PreTrainedModel) -> None:
    """Raise UserError unless `logits_of` gives the logits of the model's own forward pass.

    One token is read. Its hidden state is exchanged for a large one on the way, so that a cap shows too.
    """
    if not isinstance(head := getattr(policy, "lm_head", None), torch.nn.Linear):
        raise UserError(f"{type(policy).__name__} has no lm_head to take logits from; choose another model.path")
    hidden = LARGE * torch.arange(head.in_features, device=policy.device).sin().to(policy.dtype)[None, None]

    def exchange(_module: torch.nn.Module, _args: Any, output: Any) -> Any:
        output.last_hidden_state = hidden
        return output

    hook = policy.base_model.register_forward_hook(exchange)
    try:
        token = torch.zeros(1, 1, dtype=torch.long, device=policy.device)
        theirs = policy(input_ids=token, attention_mask=torch.ones_like(token), use_cache=False).logits.float()
    finally:
        hook.remove()
    ours = logits_of(policy, hidden).float()
    if not torch.allclose(ours, theirs, rtol=0, atol=0.02 * float(theirs.abs().max())):
        raise UserError(
            f"{type(policy).__name__} makes logits of hidden states in a way that is not known here; choose another "
            "model.path"
        )
