"""Score answers under a time limit: small ones here, large ones in processes that can be killed; equal ones once."""

import atexit
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from types import TracebackType
from typing import Any, Literal

from omegaconf import DictConfig, OmegaConf

from openswerl.edits import RULES, Rules, TooLargeError, named_rules, rules_of
from openswerl.errors import UserError
from openswerl.reward.cache import ScoreCache, key_of
from openswerl.reward.outcome import Score
from openswerl.reward.processes import Failure, Processes
from openswerl.reward.registry import answer_of, check_options
from openswerl.reward.scoring import score_any, score_small
from openswerl.reward.settings import Call, Settings


def score(
    code_context: dict[str, str],
    oracle_new_content: dict[str, str],
    output: str,
    *,
    compat: Literal["paper", "strict"] = "paper",
    format_penalty: float = -1.0,
    kind: str = "continuous",
    options: Mapping[str, Any] | None = None,
    time_limit_s: float | None = None,
) -> Score:
    """Score one model output (paper Eq. 1, or 3.6 with kind="discrete").

    `code_context` and `oracle_new_content` map path to full text. Without a time limit the answer is scored in this
    process however long it takes; with one, in seconds, a large answer is scored in a process that is killed at the
    limit: reward None, reason "timeout". Raises UserError for an unknown kind or compat.
    """
    settings = Settings(kind, named_rules(compat), format_penalty, options or {})
    check_options(kind, settings.options)
    call = Call(code_context, oracle_new_content, output)
    if time_limit_s is None:
        return score_any(call, settings)
    try:
        return score_small(call, settings)
    except TooLargeError:
        return _as_score(_shared_processes().run([call], settings, time_limit_s)[0], time_limit_s)


@cache
def _shared_processes() -> Processes:
    processes = Processes(1)
    atexit.register(processes.close)
    return processes


def _as_score(outcome: Score | Failure, seconds: float | None) -> Score:
    return outcome if isinstance(outcome, Score) else Score(None, outcome, seconds=seconds or 0.0)


class ScorePool:
    """Scores batches of outputs; a context manager. Not safe to use from several threads.

    No process is started before the first large answer. An answer not scored within `time_limit_s` seconds (None: no
    limit), whose process dies twice, or which needs more memory than a scoring process may take gets the reward None
    and the reason "timeout", "worker_died" or "memory_limit"; its process is replaced or goes on. Equal calls are
    scored once, and the latest `cache_size` scores are kept. Raises UserError for an unknown kind, options that make no
    sense, a limit that is not positive, or no workers.
    """

    def __init__(
        self,
        kind: str = "continuous",
        edits: Rules = RULES["strict"],
        *,
        format_penalty: float = -1.0,
        options: Mapping[str, Any] | None = None,
        time_limit_s: float | None = None,
        workers: int = 1,
        cache_size: int = 0,
    ) -> None:
        if workers < 1 or (time_limit_s is not None and time_limit_s <= 0) or cache_size < 0:
            raise UserError(
                "scoring needs at least one worker, a positive time limit and no negative cache: "
                f"reward.workers={workers}, reward.time_limit_s={time_limit_s}, reward.cache_size={cache_size}"
            )
        check_options(kind, options or {})
        self._settings = Settings(kind, edits, format_penalty, options or {})
        self._time_limit_s = time_limit_s
        self._processes = Processes(workers)
        self._cache = ScoreCache(cache_size)

    @property
    def kind(self) -> str:
        """The name of the reward."""
        return self._settings.kind

    @property
    def answer(self) -> str:
        """The form of answer that the reward reads: "search_replace" or "unidiff"."""
        return answer_of(self.kind)

    def score_many(self, calls: Iterable[Call | tuple[dict[str, str], dict[str, str], str]]) -> list[Score]:
        """Score calls (see `call_of`), or (context, oracle, output) triples; the scores keep their order."""
        wanted = [Call(*call) for call in calls]
        keys = [key_of(call) for call in wanted]
        distinct = dict(zip(keys, wanted, strict=True))
        found = {key: self._cache.get(key) for key in distinct}
        new = [key for key in distinct if found[key] is None]
        for key, result in zip(new, self._score([distinct[key] for key in new]), strict=True):
            found[key] = result
            self._cache.put(key, result)
        return [known for key in keys if (known := found[key]) is not None]

    def _score(self, calls: Sequence[Call]) -> list[Score]:
        scores = [self._score_small(call) for call in calls]
        large = [call for call, small in zip(calls, scores, strict=True) if small is None]
        outcomes = iter(self._processes.run(large, self._settings, self._time_limit_s))
        return [_as_score(next(outcomes), self._time_limit_s) if small is None else small for small in scores]

    def _score_small(self, call: Call) -> Score | None:
        try:
            return score_small(call, self._settings)
        except TooLargeError:
            return None

    def close(self) -> None:
        """End the scoring processes."""
        self._processes.close()

    def __enter__(self) -> "ScorePool":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_rewards(reward: DictConfig, edits: DictConfig) -> ScorePool:
    """Return the scorer that the config groups `reward` and `edits` describe; a context manager."""
    options: Any = OmegaConf.to_container(reward.options)
    return ScorePool(
        reward.kind,
        rules_of(edits),
        format_penalty=reward.format_penalty,
        options=options,
        time_limit_s=reward.time_limit_s,
        workers=reward.workers,
        cache_size=reward.cache_size,
    )
