"""Many requests at once, for code that knows nothing of event loops."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")
A = TypeVar("A")
END = object()


class Pool:
    """An event loop in a thread of its own; what is entered stays open from one call to the next, until `close`."""

    def __init__(self, connections: int) -> None:
        self.connections = connections
        self.stack = AsyncExitStack()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, name="requests", daemon=True)
        self.thread.start()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run one coroutine to its end."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result()

    def enter(self, client: AbstractAsyncContextManager[T]) -> T:
        """Open a client on the loop; `close` closes it."""
        return self.run(self.stack.enter_async_context(client))

    def stream(self, items: Sequence[T], work: Callable[[T], Awaitable[A]]) -> Iterator[A]:
        """Yield what `work` returns for each item as it comes, with at most `connections` under way.

        The first exception cancels the others and is raised, and so does closing the iterator.
        """
        found: SimpleQueue[Any] = SimpleQueue()
        future = asyncio.run_coroutine_threadsafe(self._all(items, work, found.put), self.loop)
        future.add_done_callback(lambda _: found.put(END))
        try:
            while (item := found.get()) is not END:
                yield item
            future.result()
        finally:
            future.cancel()

    async def _all(self, items: Sequence[T], work: Callable[[T], Awaitable[A]], put: Callable[[A], None]) -> None:
        waiting = iter(items)

        async def worker() -> None:
            for item in waiting:
                put(await work(item))

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self.connections, len(items))):
                    group.create_task(worker())
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None

    def close(self) -> None:
        """Cancel what is under way, close what was entered, and end the thread."""
        if self.loop.is_closed():
            return
        self.run(self._finish())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    async def _finish(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self.stack.aclose()
