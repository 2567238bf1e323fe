"""The pool: order, bounds, failures and cancellation, with coroutines that tell when they are where."""

import asyncio
import threading
from contextlib import asynccontextmanager

import pytest

from openswerl.rollout.endpoint.pool import Pool


@pytest.fixture
def pool():
    pool = Pool(4)
    yield pool
    pool.close()


def test_results_come_as_they_are_ready(pool):
    """The first item waits for the last one: it could not come first, and in the order of the items none would come."""
    last = asyncio.Event()

    async def work(number: int) -> int:
        if number == 0:
            await last.wait()
        if number == 9:
            last.set()
        return number

    assert list(pool.stream(range(10), work)) == [*range(1, 10), 0]


def test_no_more_than_so_many_are_under_way(pool):
    under_way, most = 0, 0
    full = asyncio.Event()

    async def work(number: int) -> int:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        if under_way == 4:
            full.set()
        await full.wait()
        await asyncio.sleep(0)
        under_way -= 1
        return number

    assert sorted(pool.stream(range(40), work)) == list(range(40))
    assert (most, under_way) == (4, 0)


def test_a_failure_cancels_the_others_and_is_raised(pool):
    cancelled = []

    async def work(number: int) -> int:
        if number == 3:
            raise ValueError("third")
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(number)
            raise
        return number

    with pytest.raises(ValueError, match="third"):
        list(pool.stream(range(10), work))
    assert sorted(cancelled) == [0, 1, 2]


def test_closing_the_iterator_cancels_what_is_under_way(pool):
    ended = threading.Event()

    async def work(number: int) -> int:
        if number == 0:
            return number
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return number

    stream = pool.stream(range(3), work)
    assert next(stream) == 0
    stream.close()
    assert ended.wait(20)

    async def identity(number: int) -> int:
        return number

    assert list(pool.stream([7], identity)) == [7], "the pool can be used again"


def test_nothing_to_ask_is_no_wait(pool):
    async def work(number: int) -> int:
        raise AssertionError

    assert list(pool.stream([], work)) == []


def test_a_client_is_opened_and_closed_on_the_loop_and_closing_twice_is_once():
    seen = []

    @asynccontextmanager
    async def client():
        seen.append(("open", asyncio.get_running_loop()))
        yield "client"
        seen.append(("close", asyncio.get_running_loop()))

    pool = Pool(1)
    assert pool.enter(client()) == "client"
    pool.close()
    pool.close()
    assert seen == [("open", pool.loop), ("close", pool.loop)] and not pool.thread.is_alive()
