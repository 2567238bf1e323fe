"""vLLM inside the training process: it samples on the trainer's GPU and sleeps while that trains."""

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from omegaconf import DictConfig
from transformers import PreTrainedTokenizerBase

from openswerl.models.checkpoint import encode
from openswerl.models.prompts import Prompt
from openswerl.rollout.agreement import check_agreement
from openswerl.rollout.samples import Answered, Completion, Sampler
from openswerl.rollout.seeds import seed_of
from openswerl.rollout.vllm import inside

SEEDS = 2**31  # as over the wire


class EngineSampler(Sampler):
    """An engine of this process alone, also among many: each samples its own prompts on its own GPU.

    `adapter` is what vLLM calls a LoRA request. Raises UserError if vLLM does not start.
    """

    tokenizer: PreTrainedTokenizerBase

    def __init__(
        self,
        model: DictConfig,
        rollout: DictConfig,
        tokenizer: PreTrainedTokenizerBase,
        ends: frozenset[int],
        settings: dict[str, Any],
    ) -> None:
        self.model, self.rollout, self.tokenizer, self.ends = model, rollout, tokenizer, ends
        self.max_prompt_tokens = model.max_prompt_tokens
        self.version: int | None = None
        self.adapter: Any = None
        self.numbers = itertools.count()
        self.llm: Any = inside.start(settings, rollout.engine)
        check_agreement(tokenizer, self.llm.get_tokenizer())
        self._sleep()

    def stream(
        self, prompts: Sequence[Prompt], *, samples: int, temperature: float, seeds: Sequence[int]
    ) -> Iterator[Answered]:
        """Yield completions as they come; the engine is awake until the last."""
        encoded = [encode(self.tokenizer, prompt, self.max_prompt_tokens) for prompt in prompts]
        places = [(number, sample) for number in range(len(encoded)) for sample in range(samples)]
        asked = [
            (encoded[number], self._sampling(temperature, seed_of(seeds[number], sample) % SEEDS))
            for number, sample in places
        ]
        version = self.version
        for place, output in self.answers(asked):
            yield Answered(*places[place], self._completion(output.outputs[0], version))

    def answers(self, asked: Sequence[tuple[list[int], Any]]) -> Iterator[tuple[int, Any]]:
        """Yield the number of each (prompt, sampling parameters) with vLLM's output, as they finish."""
        from vllm.inputs import TokensPrompt

        engine, waiting = self.llm.llm_engine, {}
        with self.awake():
            try:
                for place, (ids, sampling) in enumerate(asked):
                    name = str(next(self.numbers))
                    waiting[name] = place
                    engine.add_request(name, TokensPrompt(prompt_token_ids=ids), sampling, lora_request=self.adapter)
                while waiting:
                    for output in engine.step():
                        if output.finished and output.request_id in waiting:  # others were given up before
                            yield waiting.pop(output.request_id), output
            finally:
                engine.abort_request(list(waiting))

    @contextmanager
    def awake(self) -> Iterator[None]:
        """The engine's memory on the GPU inside the block; outside its weights wait in the machine's memory."""
        if self.llm.llm_engine.is_sleeping():
            torch.cuda.empty_cache()  # vLLM takes its memory from the driver, which PyTorch must give it back to first
            self.llm.wake_up()
        try:
            yield
        finally:
            self._sleep()

    def close(self) -> None:
        """Free the engine's memory; the trainer's process group stays."""
        if self.llm is not None:
            inside.stop(self.llm)
            self.llm = None

    def _sleep(self) -> None:
        if inside.can_sleep():
            self.llm.sleep(level=1)

    def _sampling(self, temperature: float, seed: int) -> Any:
        from vllm import SamplingParams

        return SamplingParams(
            temperature=temperature,
            top_p=1.0,
            max_tokens=self.model.max_response_tokens,
            seed=seed,
            stop=self.rollout.stop,
            stop_token_ids=sorted(self.ends),
            include_stop_str_in_output=True,
            logprobs=0,
        )

    def _completion(self, output: Any, version: int | None) -> Completion:
        tokens = list(output.token_ids)
        logprobs = [entry[token].logprob for token, entry in zip(tokens, output.logprobs, strict=True)]
        text = str(self.tokenizer.decode(tokens, skip_special_tokens=True))  # vLLM's ends at the tag, within a token
        return Completion(text, tokens, output.finish_reason == "stop", logprobs, version=version)
