"""The in-process backend: a Hugging Face model and our KV-cache sampler."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from omegaconf import DictConfig
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from openswerl.models.checkpoint import encode, load_policy
from openswerl.models.prompts import Prompt
from openswerl.rollout.agreement import check_policy
from openswerl.rollout.decoding import Row, decode
from openswerl.rollout.ending import Ending
from openswerl.rollout.samples import Answered, Completion, Sampler


class LocalSampler(Sampler):
    """Samples from a live model: what the trainer changes, the next call sees.

    Raises UserError if the tokenizer does not fit the model, or the lengths of `model` do not fit its context.
    """

    tokenizer: PreTrainedTokenizerBase
    version: int | None

    def __init__(
        self,
        policy: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        model: DictConfig,
        rollout: DictConfig,
    ) -> None:
        check_policy(policy, tokenizer, model)
        self.policy, self.tokenizer, self.model, self.rollout = policy, tokenizer, model, rollout
        self.max_prompt_tokens, self.version = model.max_prompt_tokens, None
        self.ending = Ending.of(policy, tokenizer, rollout.stop)

    @classmethod
    def load(cls, model: DictConfig, rollout: DictConfig, checkpoint: Path | str) -> "LocalSampler":
        """Load policy and tokenizer from a Hugging Face directory."""
        return cls(*load_policy(model, checkpoint), model, rollout)

    def stream(
        self, prompts: Sequence[Prompt], *, samples: int, temperature: float, seeds: Sequence[int]
    ) -> Iterator[Answered]:
        """Yield `samples` completions per prompt; each prompt is read once, and its cache shared by its samples.

        Prompts of like length share a batch, as padding is computed too.
        """
        encoded = [encode(self.tokenizer, prompt, self.model.max_prompt_tokens) for prompt in prompts]
        order = sorted(range(len(encoded)), key=lambda i: len(encoded[i]))
        step = max(1, self.rollout.batch_rows // samples)
        for start in range(0, len(order), step):
            part = order[start : start + step]
            with _evaluating(self.policy):
                rows = decode(
                    self.policy,
                    [encoded[i] for i in part],
                    samples=samples,
                    max_new=self.model.max_response_tokens,
                    temperature=temperature,
                    seeds=[seeds[i] for i in part],
                    ended=self.ending,
                )
            for place, row in enumerate(rows):
                yield Answered(part[place // samples], place % samples, self._completion(row))

    def _completion(self, row: Row) -> Completion:
        text = self.tokenizer.decode(row.tokens, skip_special_tokens=True)
        return Completion(str(text), row.tokens, row.finished, row.logprobs, version=self.version)


@contextmanager
def _evaluating(policy: PreTrainedModel) -> Iterator[None]:
    """Leave training mode inside the block: with activation checkpointing it allows no KV cache."""
    training = policy.training
    policy.eval()
    try:
        yield
    finally:
        policy.train(training)
