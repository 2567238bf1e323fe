"""Score one answer in this process."""

import time
import traceback

from openswerl.edits import FormatError, TooLargeError
from openswerl.errors import UserError
from openswerl.reward.outcome import Score, UnscorableError
from openswerl.reward.registry import kind_of, value_of
from openswerl.reward.settings import Call, Settings
from openswerl.reward.work import SMALL, Budget, Work


def score_small(call: Call, settings: Settings) -> Score:
    """Score an answer whose cost is surely small. Raises TooLargeError for any other, and for kinds that may not."""
    if not getattr(kind_of(settings.kind), "INLINE", False):
        raise TooLargeError
    return _score(call, settings, SMALL)


def score_any(call: Call, settings: Settings) -> Score:
    """Score an answer however long it takes; the time on a big rewrite grows faster than quadratically."""
    return _score(call, settings, Budget())


def _score(call: Call, settings: Settings, budget: Budget) -> Score:
    start = time.perf_counter()
    work = Work(call, settings, budget)
    try:
        value = value_of(settings.kind, work)
    except FormatError as error:
        return Score(settings.format_penalty, error.reason, seconds=time.perf_counter() - start)
    except UnscorableError as error:
        return Score(None, error.reason, events=work.events, seconds=time.perf_counter() - start)
    except (TooLargeError, UserError, MemoryError):
        raise
    except Exception as error:
        traceback.print_exc()
        raise UserError(f"reward.kind={settings.kind} raised {type(error).__name__}: {error}; see above") from error
    return Score(value.reward, None, value.files, work.events, time.perf_counter() - start)
