"""One client and one retry policy for every server: patient with faults that pass, quick with those that do not."""

import logging
import random
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self, TypeVar

import httpx
from omegaconf import DictConfig
from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt, stop_when_event_set
from tenacity.nap import sleep_using_event

from openswerl import __version__
from openswerl.errors import UserError
from openswerl.waits import advice, delay

logging.getLogger("httpx").setLevel(logging.WARNING)  # it would log every request

T = TypeVar("T")
AGENT = f"open-swe-rl/{__version__}"
PASSING = (408, 425, 429)
# What GitHub asks for when it refuses a burst of requests without saying for how long.
UNSAID_WAIT_S = 60.0
FAILURES_IN_A_ROW = 10
LONG_WAIT_S = 10.0


class Transient(Exception):
    """A fault that may pass. `wait_s`: the server's advice, None if it gave none; `limited`: a rate limit."""

    def __init__(self, message: str, wait_s: float | None = None, *, limited: bool = False) -> None:
        super().__init__(message)
        self.wait_s, self.limited = wait_s, limited


class GaveUp(Exception):
    """No attempt succeeded; the message is one line. `limited`: because of a rate limit."""

    def __init__(self, message: str, *, limited: bool = False) -> None:
        super().__init__(message)
        self.limited = limited


class Web:
    """A client for one server, to be shared by threads; leaving the context ends all waits."""

    def __init__(self, network: DictConfig, server: str, headers: Mapping[str, str] | None = None) -> None:
        self.server, self.attempts, self.longest = server.rstrip("/"), network.attempts, network.max_wait_s
        self.ended = threading.Event()
        self.free_at, self.failures = 0.0, 0
        self.client = httpx.Client(
            headers={"User-Agent": AGENT, **(headers or {})},
            timeout=network.timeout_s,
            limits=httpx.Limits(max_connections=network.connections),
            follow_redirects=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.client.close()

    def attempt(self, what: str, work: Callable[[], T]) -> T:
        """Return what `work` returns, calling it again while it raises Transient.

        Raises GaveUp after `network.attempts`, and UserError when that happens ten times in a row.
        """
        try:
            result = self._retrying()(work)
        except Transient as error:
            self.failures += 1
            if self.failures >= FAILURES_IN_A_ROW:
                raise UserError(f"{self.server} does not work: {error}; what came is kept, run again later") from None
            raise GaveUp(f"{what}: {error}, after {self.attempts} attempts", limited=error.limited) from None
        except Exception:
            self.failures = 0
            raise
        self.failures = 0
        return result

    def _retrying(self) -> Retrying:
        return Retrying(
            stop=stop_after_attempt(self.attempts) | stop_when_event_set(self.ended),
            wait=self._wait,
            before_sleep=self._before_sleep,
            retry=retry_if_exception_type(Transient),
            sleep=sleep_using_event(self.ended),
            reraise=True,
        )

    def _wait(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        advised = error.wait_s if isinstance(error, Transient) else None
        return delay(state.attempt_number, advised, self.longest, random.random())

    def _before_sleep(self, state: RetryCallState) -> None:
        if state.outcome and state.next_action:
            self._tell(state.next_action.sleep, str(state.outcome.exception()))

    def _tell(self, seconds: float, why: str) -> None:
        if seconds >= LONG_WAIT_S:
            print(f"{self.server}: {why}; waiting for {seconds:.0f} s", file=sys.stderr, flush=True)

    @contextmanager
    def open(self, method: str, path: str, **options: Any) -> Iterator[httpx.Response]:
        """Send one request and yield the answer, its body still to be read.

        Raises Transient for what may pass, within the block too, and UserError if the address cannot be asked.
        """
        left = self.free_at - time.monotonic()
        self._tell(left, "rate limit")
        self.ended.wait(max(0.0, left))
        try:
            with self.client.stream(method, self.server + path, **options) as response:
                check(response)
                if response.headers.get("x-ratelimit-remaining") == "0":
                    self.hold(advice(response.headers) or 0.0)
                yield response
        except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            raise UserError(f"{self.server} is not an address: {error}; see conf/network") from None
        except httpx.HTTPError as error:
            raise Transient(f"{type(error).__name__} {error}".strip()) from None

    def hold(self, seconds: float) -> None:
        """Send nothing for so long, though no longer than `network.max_wait_s`."""
        self.free_at = max(self.free_at, time.monotonic() + min(seconds, self.longest))


def check(response: httpx.Response) -> None:
    """Raise Transient for an answer that may be another one later: a server's fault, or a rate limit."""
    status, wait_s = response.status_code, advice(response.headers)
    refused = status == 403 and (wait_s is not None or b"rate limit" in response.read().lower())
    if refused or status == 429:
        default = UNSAID_WAIT_S if refused else None
        raise Transient(f"rate limit ({status})", default if wait_s is None else wait_s, limited=True)
    if status in PASSING or status >= 500:
        raise Transient(f"status {status}", wait_s)
