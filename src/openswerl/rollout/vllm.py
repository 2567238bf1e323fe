"""The GPU backend: vLLM in this process. Written against vllm 0.32; docs/STATUS.md says what has run."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from omegaconf import DictConfig
from transformers import AutoTokenizer, PreTrainedTokenizerBase

from openswerl.errors import UserError
from openswerl.models.checkpoint import encode
from openswerl.models.prompts import Prompt
from openswerl.rollout import Completion
from openswerl.rollout.agreement import check_agreement


class VllmSampler:
    """Samples from a checkpoint on disk; it does not follow a policy in training."""

    def __init__(self, model: DictConfig, rollout: DictConfig, checkpoint: Path | str) -> None:
        try:
            from vllm import LLM
        except ImportError:
            raise UserError("rollout.backend=vllm needs vLLM: pip install -c constraints-gpu.txt -e '.[gpu]'") from None
        self.model, self.rollout = model, rollout
        self.engine = LLM(
            model=str(checkpoint),
            dtype=model.dtype,
            max_model_len=model.max_prompt_tokens + model.max_response_tokens,
            revision=model.revision,
            logprobs_mode="processed_logprobs",  # at the sampling temperature
        )
        self.tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(
            checkpoint, revision=model.revision or "main"
        )
        check_agreement(self.tokenizer, self.engine.get_tokenizer())

    def generate(
        self, prompts: Sequence[Prompt], *, samples: int, temperature: float, seeds: Sequence[int]
    ) -> list[list[Completion]]:
        """Return `samples` completions per prompt, in order; vLLM gives sample i the seed of its prompt plus i."""
        from vllm import SamplingParams
        from vllm.inputs import TokensPrompt

        encoded = [encode(self.tokenizer, prompt, self.model.max_prompt_tokens) for prompt in prompts]
        settings = [
            SamplingParams(
                n=samples,
                temperature=temperature,
                top_p=1.0,
                max_tokens=self.model.max_response_tokens,
                seed=seed,
                stop=self.rollout.stop,
                include_stop_str_in_output=True,
                logprobs=0,
            )
            for seed in seeds
        ]
        outputs = self.engine.generate([TokensPrompt(prompt_token_ids=ids) for ids in encoded], settings)
        return [[_completion(one) for one in output.outputs] for output in outputs]


def _completion(output: Any) -> Completion:
    tokens = list(output.token_ids)
    logprobs = [entry[token].logprob for token, entry in zip(tokens, output.logprobs, strict=True)]
    return Completion(output.text, tokens, output.finish_reason == "stop", logprobs)
