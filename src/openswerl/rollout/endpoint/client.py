"""Ask an endpoint through the official client, with one patience for all that are asked at once."""

import asyncio
import logging
import random
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeVar

import httpx2
import msgspec
import openai
from omegaconf import DictConfig
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

from openswerl.errors import UserError
from openswerl.rollout.endpoint import transport
from openswerl.rollout.endpoint.bodies import Reply, decoded
from openswerl.rollout.endpoint.channel import Channel
from openswerl.rollout.endpoint.debug import Debug
from openswerl.rollout.endpoint.errors import no_model, of_reply
from openswerl.rollout.endpoint.problems import Faulty, Problem
from openswerl.rollout.endpoint.replies import completion_of, prompt_read
from openswerl.rollout.endpoint.requests import Question, body
from openswerl.rollout.samples import Completion, Usage
from openswerl.waits import delay

for name in ("openai", "httpx2", "httpcore2"):  # they would log every request, and what the server echoes
    logging.getLogger(name).setLevel(logging.WARNING)

FAILURES_IN_A_ROW = 10
OF_ONE_REQUEST = ("context_length", "content_filter")  # no sign that the endpoint does not work
LONG_WAIT_S = 10.0
T = TypeVar("T")


class Client:
    """A connection to one endpoint, to be entered on the event loop that uses it.

    Entering raises UserError if no model is named; the message lists those that the endpoint offers.
    """

    def __init__(self, channel: Channel, endpoint: DictConfig, serving: DictConfig) -> None:
        self.channel, self.endpoint, self.serving = channel, endpoint, serving
        self.debug = Debug(Path(serving.folder) if serving.debug else None, channel)
        self.answered, self.failures, self.free_at = 0, 0, 0.0
        self.told: set[str] = set()

    async def __aenter__(self) -> Self:
        self.sdk = self._open()
        try:
            if self.channel.model is None:
                raise UserError(no_model(self.channel, await self._models()))
        except Faulty as faulty:
            await self.sdk.close()
            raise UserError(faulty.problem.message) from None
        except BaseException:
            await self.sdk.close()
            raise
        return self

    def _open(self) -> openai.AsyncOpenAI:
        serving = self.serving
        try:
            return openai.AsyncOpenAI(
                api_key=self.channel.key,
                base_url=self.channel.base_url,
                max_retries=0,  # ours wait together
                timeout=httpx2.Timeout(serving.timeout_s, connect=serving.connect_timeout_s),
                http_client=openai.DefaultAsyncHttpxClient(
                    limits=httpx2.Limits(max_connections=serving.connections),
                    follow_redirects=False,
                ),
            )
        except (ImportError, ValueError, OSError, httpx2.InvalidURL) as error:  # it reads the environment here
            raise UserError(transport.of_environment(error, self.channel)) from None

    async def __aexit__(self, *_: object) -> None:
        await self.sdk.close()

    async def ask(self, question: Question) -> Completion:
        """Return the answer, or a completion with a fault after `serving.attempts`.

        Raises UserError for a fault that every request would have, and after ten requests without an
        answer, while none of the others got one.
        """
        path, asked = body(question, self.channel, self.endpoint)
        if self.serving.stream:
            asked |= {"stream": True, "stream_options": {"include_usage": True}}
        retrying, answered = self._retrying(), self.answered
        try:
            read = partial(completion_of, channel=self.channel, stop=question.stop)
            completion: Completion = await retrying(self._once, path, asked, read)
        except Faulty as faulty:
            dead = self.answered == answered  # if others were answered meanwhile, the endpoint works
            return await self._gave_up(faulty.problem, retrying.statistics["attempt_number"], dead=dead)
        self.answered, self.failures = self.answered + 1, 0
        return _counted(completion, retrying.statistics["attempt_number"])

    async def models(self) -> list[str]:
        """Return the ids of the models that the endpoint offers; empty if it does not say."""
        try:
            return await self._models()
        except Faulty:
            return []

    async def _models(self) -> list[str]:
        """Raises Faulty if there is no server, or it does not accept the key."""
        reply = await self._send("GET", "/models", None)
        if reply.status in (401, 403) or 300 <= reply.status < 400:
            raise Faulty(of_reply(reply, self.channel))
        try:
            return [self.channel.scrub(str(one["id"])) for one in decoded(reply.text)["data"]]
        except (ValueError, KeyError, TypeError):
            return []

    async def prompt_tokens(self, question: Question) -> tuple[list[int], int]:
        """Return the token ids of a prompt as the endpoint reads it, empty if it names none, and their number.

        Raises UserError for every fault.
        """
        try:
            read = partial(prompt_read, channel=self.channel)
            return await self._retrying()(self._once, *body(question, self.channel, self.endpoint), read)
        except Faulty as faulty:
            raise UserError(faulty.problem.message) from None

    async def _once(self, path: str, asked: dict[str, Any], read: Callable[[Reply], T]) -> T:
        """Ask once. Raises Faulty."""
        while (left := self.free_at - time.monotonic()) > 0:  # others may have made it longer meanwhile
            await asyncio.sleep(left)
        reply = await self._send("POST", path, asked)
        return read(reply)

    async def _send(self, method: str, path: str, asked: dict[str, Any] | None) -> Reply:
        request = {"method": method, "url": self.channel.base_url + path, "body": asked}
        try:
            async with asyncio.timeout(self.serving.total_timeout_s):
                reply = await self._through_sdk(method, path, asked)
        except TimeoutError:
            self.debug.note(request, {"error": "total time-out"})
            raise Faulty(transport.too_slow(self.channel, self.serving.total_timeout_s)) from None
        except (openai.APIConnectionError, httpx2.HTTPError, OSError) as error:
            problem = transport.of_failure(error, self.channel)
            self.debug.note(request, {"error": problem.message})
            raise Faulty(problem) from None
        self.debug.note(request, msgspec.to_builtins(reply))
        return reply

    async def _through_sdk(self, method: str, path: str, asked: dict[str, Any] | None) -> Reply:
        """Return the response as it came, so that what is no answer can be explained."""
        try:
            if method == "GET":
                response = await self.sdk.get(path, cast_to=httpx2.Response)
            else:
                response = await self.sdk.post(path, body=asked, cast_to=httpx2.Response)
        except openai.APIStatusError as error:
            response = error.response
        headers = {name: self.channel.scrub(value) for name, value in response.headers.items()}
        text = response.content.decode("utf-8-sig", "replace")  # JSON is UTF-8, whatever the headers say
        return Reply(response.status_code, headers, self.channel.scrub(text))

    def _retrying(self) -> AsyncRetrying:
        return AsyncRetrying(
            stop=stop_after_attempt(self.serving.attempts),
            retry=retry_if_exception(lambda error: isinstance(error, Faulty) and error.problem.passing),
            wait=self._wait,
            reraise=True,
        )

    def _wait(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        assert isinstance(error, Faulty)
        seconds = delay(state.attempt_number, error.problem.wait_s, self.serving.max_wait_s, random.random())
        if error.problem.limited:
            self._hold(seconds, error.problem)
        return seconds

    def _hold(self, seconds: float, problem: Problem) -> None:
        """Let nobody ask for so long, and say so once."""
        now = time.monotonic()
        if seconds >= LONG_WAIT_S and self.free_at <= now:
            print(f"{problem.message}; waiting for {seconds:.0f} s", file=sys.stderr, flush=True)
        self.free_at = max(self.free_at, now + seconds)

    async def _gave_up(self, problem: Problem, attempts: int, *, dead: bool) -> Completion:
        if problem.code == "no_model":
            raise UserError(no_model(self.channel, await self.models()))
        if problem.fatal:
            raise UserError(problem.message)
        self.failures += dead and problem.code not in OF_ONE_REQUEST
        if self.failures >= FAILURES_IN_A_ROW:
            raise UserError(
                f"{problem.message}; so ended {self.failures} requests in a row. What came is kept, run again later"
            )
        if problem.code not in self.told:  # the first of its kind; all are counted
            self.told.add(problem.code)
            print(problem.message, file=sys.stderr, flush=True)
        return Completion("", [], False, fault=problem.code, usage=Usage(requests=attempts))


def _counted(completion: Completion, attempts: int) -> Completion:
    usage = completion.usage or Usage()
    return msgspec.structs.replace(completion, usage=msgspec.structs.replace(usage, requests=attempts))
