"""The events of runs: told at once to who listens in this process, kept in the table for who listens elsewhere.

A run outlives its readers. Each event gets its number here; the table is written in batches, whose answer also says
whether the person asked to stop. The last event is never kept: it is what the message's row says (`ending`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import asyncpg

from backend.edge import api
from functions._shared.assistant import gate
from functions._shared.assistant.events import SENTENCES, Event

# How long an event may wait for its batch, and how long a run may be silent towards the database.
BATCH_S, HEARTBEAT_S = 0.1, 0.5
# So many batches are written without waiting: the first words shall survive whatever happens next.
PROMPT_BATCHES = 3
# A reader hears that we are there; a reader of another process looks so often.
QUIET_S, POLL_S = 15.0, 0.1

logger = logging.getLogger("functions.chat")

_live: dict[str, Feed] = {}

Row = Mapping[str, Any]
# Where a feed is kept: takes the number of the first event and the events as JSON, answers whether to stop.
Keep = Callable[[int, str], Awaitable[bool]]


class Feed:
    """What one run tells. `stopped` is set once its person asked to stop, or nobody waits for it any more."""

    def __init__(self, run_id: str, keep: Keep) -> None:
        self.run_id = run_id
        self.stopped = asyncio.Event()
        self._keep = keep
        self._events: list[Event] = []
        self._kept = 0
        self._is_over = False
        self._news = asyncio.Event()
        self._settling = asyncio.Event()
        self._keeping: asyncio.Task[None] | None = None

    def tell(self, name: str, data: Mapping[str, Any]) -> None:
        """One more event."""
        self._events.append(Event.of(len(self._events) + 1, name, data))
        self._wake()

    def start(self) -> None:
        """Keeps events from here on."""
        self._keeping = asyncio.create_task(self._keep_on())

    async def settle(self) -> None:
        """Keeps what is left, if the database can be had, and ends keeping: the end of the run is told by its row."""
        self._settling.set()
        self._wake()
        if self._keeping is not None:
            await self._keeping

    def close(self, rows: Row | None) -> None:
        """The run is over: tells how, unless nobody knows; then readers ask again."""
        if rows is not None:
            self._events.append(ending(rows["message"], rows["conversation"], len(self._events) + 1))
        self._is_over = True
        _live.pop(self.run_id, None)
        self._wake()

    async def _keep_on(self) -> None:
        """Batch after batch, and a sign of life where there is nothing to keep."""
        batches = 0
        while not self._settling.is_set():
            if self._kept == len(self._events):
                await _happened(self._news, HEARTBEAT_S)
            is_kept = await self._keep_batch()
            batches += 1
            if not is_kept or batches > PROMPT_BATCHES:
                await _happened(self._settling, BATCH_S if is_kept else HEARTBEAT_S)
        if self._kept < len(self._events):
            await self._keep_batch()

    async def _keep_batch(self) -> bool:
        """Keeps what is not kept yet; False when the database is away: then again, and readers here still hear."""
        batch = self._events[self._kept :]
        told = f"[{','.join(each.kept() for each in batch)}]"
        try:
            async with gate.passed():
                must_stop = await self._keep(self._kept + 1, told)
        except (api.Refused, asyncpg.PostgresError) as error:
            logger.warning("events of a run are not kept", extra={"run": self.run_id, "cause": str(error)})
            return False
        self._kept += len(batch)
        if must_stop:
            self.stopped.set()
        return True

    async def follow(self, after: int) -> AsyncIterator[Event | None]:
        """The events after a number, as they come; None where there was nothing for a while."""
        position = after
        while True:
            while position < len(self._events):
                yield self._events[position]
                position += 1
            if self._is_over:
                return
            if not await _happened(self._news, QUIET_S):
                yield None

    def _wake(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()


async def _happened(event: asyncio.Event, limit_s: float) -> bool:
    """Waits for an event; answers whether it came in time."""
    try:
        async with asyncio.timeout(limit_s):
            await event.wait()
    except TimeoutError:
        return False
    return True


def opened(run_id: str, context: api.Context) -> Feed:
    """The feed of a run that begins in this process."""

    async def keep(first: int, events: str) -> bool:
        stop: bool = await context.call("private.append_events", UUID(run_id), first, api.Json(events))
        return stop

    feed = _live[run_id] = Feed(run_id, keep)
    return feed


def ending(message: Row, conversation: Row, seq: int) -> Event:
    """The last event of a run, as the row of its message tells it."""
    if message["status"] != "error":
        return Event.of(seq, "done", {"message": message, "conversation": conversation})
    code = message["error_code"]
    sentence = SENTENCES.get(code, SENTENCES["errore"])
    return Event.of(seq, "error", {"code": code, "message": sentence, "row": message, "conversation": conversation})


async def is_left(context: api.Context, run_id: str, after: int) -> bool:
    """Whether there is something to follow after a number: not when it was the last, nor when events are gone."""
    if run_id in _live:
        return True
    async with context.as_service() as connection:
        kept = await _look(connection, run_id, after)
    return kept is not None and (kept.state == "running" or (kept.has_events and after <= kept.seq))


async def follow(context: api.Context, run_id: str, after: int) -> AsyncIterator[Event | None]:
    """The events of a run after a number, wherever it runs; when they are gone, how it ended."""
    live = _live.get(run_id)
    events = live.follow(after) if live else _poll(context, run_id, after)
    async for event in events:
        yield event


async def _poll(context: api.Context, run_id: str, after: int) -> AsyncIterator[Event | None]:
    """Looks into the table until the run is over, or its conversation deleted."""
    quiet_s = 0.0
    while True:
        async with gate.passed(), context.as_service() as connection:
            kept = await _look(connection, run_id, after)
            told = await rows(connection, run_id) if kept and kept.state != "running" else None
        # A crash of the database empties the table: half of an answer is worse than waiting for its row.
        is_gapless = kept is not None and (not kept.events or kept.events[0].seq == after + 1)
        for event in kept.events if kept and is_gapless else ():
            after = event.seq
            yield event
        if kept is not None and told is not None:
            yield ending(told["message"], told["conversation"], max(after, kept.seq) + 1)
        if kept is None or kept.state != "running":
            return
        quiet_s = 0.0 if kept.events else quiet_s + POLL_S
        if quiet_s >= QUIET_S:
            quiet_s = 0.0
            yield None
        await asyncio.sleep(POLL_S)


async def rows(connection: api.Connection, run_id: str) -> Row | None:
    """The message of a run and its conversation, as its last event tells them; None when they were deleted."""
    found: Row | None = await connection.fetchval(
        """
        select jsonb_build_object(
          'message', to_jsonb(messages) - '{stems,words}'::text[],
          'conversation', jsonb_build_object('id', conversations.id, 'title', conversations.title)
        )
        from public.runs
        join public.messages on messages.id = runs.message_id
        join public.conversations on conversations.id = runs.conversation_id
        where runs.id = $1
        """,
        UUID(run_id),
    )
    return found


@dataclass(frozen=True)
class _Kept:
    """A run as the tables have it."""

    state: str
    seq: int
    has_events: bool
    events: list[Event]


async def _look(connection: api.Connection, run_id: str, after: int) -> _Kept | None:
    """In one statement, so that its state is never newer than its events; None when the run was deleted."""
    found = await connection.fetchrow(
        """
        select state, seq,
          exists (select from private.run_events where run_id = runs.id) as has_events,
          array(
            select jsonb_build_array(seq, event, data) from private.run_events
            where run_id = runs.id and seq > $2 order by seq
          ) as events
        from public.runs where id = $1
        """,
        UUID(run_id),
        after,
    )
    if found is None:
        return None
    events = [Event.of(*each) for each in found["events"]]
    return _Kept(found["state"], found["seq"], found["has_events"], events)
