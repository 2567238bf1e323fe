"""Score answers under a time limit: small ones here, large ones in processes that can be killed."""

import atexit
from collections.abc import Sequence
from functools import cache
from types import TracebackType

from openswerl.errors import UserError
from openswerl.reward.outcome import Score
from openswerl.reward.processes import Failure, Processes
from openswerl.reward.registry import Settings
from openswerl.reward.scoring import Call, TooLargeError, score_any, score_small


def score(
    code_context: dict[str, str],
    oracle_new_content: dict[str, str],
    output: str,
    *,
    compat: str = "paper",
    format_penalty: float = -1.0,
    kind: str = "continuous",
    time_limit_s: float | None = None,
    timeout_reward: float = -1.0,
) -> Score:
    """Score one model output (paper Eq. 1, or 3.6 with kind="discrete").

    `code_context` and `oracle_new_content` map path to full text. Without a time limit the answer is scored in this
    process however long it takes; with one, in seconds, a large answer is scored in a process that is killed at the
    limit, and then has reason "timeout" and reward `timeout_reward`. Raises UserError for an unknown kind or compat.
    """
    settings = Settings(kind, compat, format_penalty)
    call = Call(code_context, oracle_new_content, output)
    if time_limit_s is None:
        return score_any(call, settings)
    try:
        return score_small(call, settings)
    except TooLargeError:
        return _as_score(_shared_processes().run([call], settings, time_limit_s)[0], timeout_reward)


@cache
def _shared_processes() -> Processes:
    processes = Processes(1)
    atexit.register(processes.close)
    return processes


def _as_score(outcome: Score | Failure, failure_reward: float) -> Score:
    return outcome if isinstance(outcome, Score) else Score(failure_reward, outcome)


class ScorePool:
    """Scores batches of outputs; a context manager.

    No process is started before the first large answer. An answer not scored within `time_limit_s` seconds (None: no
    limit), or whose process dies twice, gets `timeout_reward` and the reason "timeout" or "worker_died"; its process
    is replaced. Raises UserError for an unknown kind or compat, a limit that is not positive, or no workers.
    """

    def __init__(
        self,
        kind: str = "continuous",
        compat: str = "paper",
        format_penalty: float = -1.0,
        time_limit_s: float | None = None,
        workers: int = 1,
        timeout_reward: float = -1.0,
    ) -> None:
        if workers < 1 or (time_limit_s is not None and time_limit_s <= 0):
            raise UserError(f"scoring needs at least one worker and a positive time limit: {workers}, {time_limit_s}")
        self._settings = Settings(kind, compat, format_penalty)
        self._time_limit_s = time_limit_s
        self._timeout_reward = timeout_reward
        self._processes = Processes(workers)

    def score_many(self, calls: Sequence[tuple[dict[str, str], dict[str, str], str]]) -> list[Score]:
        """Score (context, oracle, output) triples; the scores keep their order."""
        scores = [self._score_small(Call(*call)) for call in calls]
        large = [Call(*call) for call, small in zip(calls, scores, strict=True) if small is None]
        outcomes = iter(self._processes.run(large, self._settings, self._time_limit_s))
        return [_as_score(next(outcomes), self._timeout_reward) if small is None else small for small in scores]

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
