"""The GPU backend: vLLM in this process. Written against vllm 0.32; docs/STATUS.md says what has run."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from omegaconf import DictConfig

from openswerl.errors import UserError
from openswerl.models.checkpoint import encode
from openswerl.models.prompts import Prompt
from openswerl.rollout import Completion


class VllmSampler:
    """Samples from a checkpoint on disk; it does not follow a policy in training."""

    def __init__(self, model: DictConfig, checkpoint: Path | str) -> None:
        try:
            from vllm import LLM
        except ImportError:
            raise UserError("rollout.backend=vllm needs vLLM: pip install -c constraints-gpu.txt -e '.[gpu]'") from None
        self.model = model
        length = model.max_prompt_tokens + model.max_response_tokens
        self.engine = LLM(model=str(checkpoint), dtype=model.dtype, max_model_len=length, revision=model.revision)
        self.tokenizer = self.engine.get_tokenizer()

    def generate(
        self, prompts: Sequence[Prompt], *, samples: int, temperature: float, seed: int
    ) -> list[list[Completion]]:
        """Return `samples` completions per prompt, in order."""
        from vllm import SamplingParams
        from vllm.inputs import TokensPrompt

        encoded = [encode(self.tokenizer, prompt, self.model.max_prompt_tokens) for prompt in prompts]
        settings = SamplingParams(
            n=samples, temperature=temperature, top_p=1.0, max_tokens=self.model.max_response_tokens, seed=seed
        )
        outputs = self.engine.generate([TokensPrompt(prompt_token_ids=ids) for ids in encoded], settings)
        return [[self._completion(one) for one in output.outputs] for output in outputs]

    def _completion(self, output: Any) -> Completion:
        return Completion(output.text, list(output.token_ids), output.finish_reason == "stop")
