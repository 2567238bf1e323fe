"""What to do about each cause of a bad answer."""

# The answer came and is not well formed.
FORM = {
    "truncated": "cut off at model.max_response_tokens: raise it, or ask for a shorter thought",
    "goes_on": "a tag twice, or text after the answer: set rollout.stop=</solution>",
    "fenced": "a markdown fence around the whole answer: say in the prompt that tags stand outside fences",
    "prose": "prose in place of edits: the model does not follow the prompt; train sft first, or try model.prompt=chat",
    "bare_blocks": "edits without a complete fence, file name and markers: sft on a few demonstrations cures that",
    "no_thought": "the answer without a thought between <think> tags: the server may strip them (a reasoning parser)",
    "paraphrased": "the SEARCH text is not the file's, only like it: a stronger model, or a lower temperature",
    "invented": "the SEARCH text stands in no file shown: the model guesses what it cannot see",
    "gibberish": "hardly any code or English: the temperature is too high, or the tokenizers differ",
    "noop": "SEARCH and REPLACE are equal: nothing is changed",
    "form": "the form is nearly right: sft on a few demonstrations cures that",
}
HOT = "greedy answers have the right form and most sampled ones do not: lower grpo.temperature"

# No answer came, or it could not be scored.
FAULTS = {
    "context_length": "the prompt and its answer are longer than the endpoint's context: lower model.max_prompt_tokens",
    "content_filter": "the endpoint's content filter held the answer back",
    "rate_limit": "the endpoint let no more requests through: lower serving.connections",
    "too_slow": "the answer did not come in time: raise serving.timeout_s or serving.total_timeout_s",
    "broken_answer": "the endpoint's answers could not be read: set serving.debug=true and look",
    "server_error": "the endpoint failed: try again later",
    "not_recorded": "the record has no such answer",
    "refused": "the endpoint refused the request: set serving.debug=true and look",
    "unreachable": "the endpoint could not be reached",
    "timeout": "the answer could not be scored in time: raise reward.time_limit_s",
    "worker_died": "scoring broke down: fewer reward.workers, more memory",
    "memory_limit": "scoring the answer took more memory than it may",
}


def advice_on(cause: str) -> str:
    """Return what the cause means and what to do; a reward of one's own may have codes that are not listed."""
    return FORM.get(cause) or FAULTS.get(cause) or f"the reward could not score the answer ({cause})"
