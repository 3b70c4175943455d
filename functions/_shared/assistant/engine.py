"""Runs a turn: from the question to the end of its answer, whoever reads along, and pays by the written rule.

An answer that ended by itself costs its price; one that its person stopped after text was shown, be it a view of the
council that is done, costs its price times the share of agents that had finished, rounded up, and at least 1; one that
is empty, failed, was cut, stalled or crashed costs nothing, and its text so far is kept. Whatever happens,
`private.finish_turn` is the end; when this process dies before it, the sweep is.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import math
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

import asyncpg

from backend.edge import api
from functions._shared.assistant import feed, figures, gate, history, learning, limits, provider, settlements
from functions._shared.assistant.told import ONLY_CARDS, Silent, Told
from functions._shared.assistant.turn import Turn

logger = logging.getLogger("functions.chat")

# How long the end of a turn is tried when the database is away; then the sweep writes it.
ENDING_PAUSES_S = (0.1, 0.3, 1.0, 3.0, 0.0)
# How often an answer is told to stop, and how long it is waited for each time.
CANCELLATIONS, CANCELLING_S = 5, 0.5
State = Literal["done", "stopped", "error"]
# Loaded in a thread: what they stand on takes seconds to import.
_HEAVY = "functions._shared.assistant.answering"
_warming, _is_warm = asyncio.Lock(), asyncio.Event()


@dataclass(frozen=True)
class Begun:
    """A turn as `private.begin_turn` wrote it down. `choice` is the provider's model, None for the local one."""

    run_id: str
    conversation_id: str
    user_message_id: str
    message_id: str
    quote: int
    uses_memory: bool
    auto_approve: frozenset[str]
    is_deep: bool
    choice: provider.Choice | None

    @property
    def mode(self) -> str:
        """As `messages.mode` has it."""
        return "ia" if self.choice else "locale"

    def to_json(self) -> dict[str, Any]:
        """As readers are told first, without who was asked."""
        names = ("run_id", "conversation_id", "user_message_id", "message_id", "mode", "quote")
        return {name: getattr(self, name) for name in names} | {"model": self.choice.name if self.choice else None}


@dataclass(frozen=True)
class End:
    """How an answer ended."""

    state: State
    code: str | None = None


def start(
    context: api.Context, user_id: str, begun: Mapping[str, Any], choice: provider.Choice | None, *, is_deep: bool
) -> None:
    """Lets a turn run in this process, for as long as it takes; `begun` is what `private.begin_turn` answered."""
    names = ("run_id", "conversation_id", "user_message_id", "message_id", "quote", "uses_memory")
    approved = frozenset(begun["auto_approve"])
    work = Begun(**{name: begun[name] for name in names}, auto_approve=approved, is_deep=is_deep, choice=choice)
    context.wait_until(run(context, user_id, work, feed.opened(work.run_id, context)))


async def warm_up(*, has_provider: bool = True) -> None:
    """Load what answers, off the event loop: some seconds the first time, nothing after that."""
    if not _is_warm.is_set():
        # One thread does it: the others are wanted elsewhere meanwhile.
        async with _warming:
            await asyncio.to_thread(_load, has_provider=has_provider)
            _is_warm.set()


def _load(*, has_provider: bool) -> None:
    if not has_provider:
        from genai_prices import data_snapshot

        # pydantic-ai loads the prices of every provider for any model: 65 MB that the local one does not need.
        data_snapshot.set_custom_snapshot(data_snapshot.DataSnapshot([], from_auto_update=False))
    importlib.import_module(_HEAVY)


async def run(context: api.Context, user_id: str, begun: Begun, line: feed.Feed) -> None:
    """One turn, from its start to its end."""
    turn = Turn(
        context, user_id, begun.conversation_id, begun.message_id, "", context.now(),
        uses_memory=begun.uses_memory, auto_approve=begun.auto_approve,
    )  # fmt: skip
    told = Told(turn, line)
    # What stays when the process ends in between.
    end = End("error", "interrotta")
    line.start()
    try:
        end = await _end_of(_answer(begun, told) if begun.choice else _in_turn(begun, told), line)
    finally:
        await asyncio.shield(_finish(begun, told, end))


async def _in_turn(begun: Begun, told: Told) -> End:
    """As `_answer`, once it is its turn: it computes here, and does not wait for somebody else."""
    async with gate.turn():
        return await _answer(begun, told)


async def _answer(begun: Begun, told: Told) -> End:
    """Has the question answered, and tells what belongs to an answer. Raises what went wrong."""
    turn = told.turn
    async with gate.passed(), turn.database() as connection:
        branch = await history.branch(connection, begun.user_message_id)
        wanted: str = await connection.fetchval(
            "select agent from public.messages where id = $1", UUID(turn.message_id)
        )
    told.feed.tell("start", begun.to_json() | {"agent": wanted})
    turn.question, turn.attachments = branch.question, branch.attachments
    turn.picked = history.pointed_at(turn, branch.picked)
    turn.tainted_by |= branch.tainted_by
    turn.untrusted += branch.untrusted
    turn.earlier += branch.figures
    await warm_up()
    from functions._shared.assistant import answering

    await answering.answer(begun.choice, wanted, branch, told, is_deep=begun.is_deep)
    told.flush()
    told.cards()
    if not told.content and turn.proposals:
        told.say(ONLY_CARDS)
    if not told.content:
        return End("error", "vuota")
    told.unverified = sorted([*figures.unverified(told.content, turn), *settlements.unproved(told.content, turn)])
    if turn.suggestions:
        told.feed.tell("suggestions", {"suggestions": turn.suggestions})
    await _learn(told)
    return End("done")


async def _learn(told: Told) -> None:
    """Proposes what the person's words tell of themselves. What goes wrong with it spoils no answer."""
    try:
        for memory in await learning.after(told.turn, told.turn.context.as_service):
            told.feed.tell("memory", memory)
    except (api.Refused, asyncpg.PostgresError) as error:
        logger.warning("nothing could be learned", extra={"message": told.turn.message_id, "cause": str(error)})


async def _end_of(answer: Coroutine[Any, Any, End], line: feed.Feed) -> End:
    """Waits for the answer, for its person's word to stop, or for its time to run out; leaves nothing running."""
    answering, stopping = asyncio.create_task(answer), asyncio.create_task(line.stopped.wait())
    try:
        await asyncio.wait({answering, stopping}, timeout=limits.TURN_S, return_when=asyncio.FIRST_COMPLETED)
        if answering.done() and not answering.cancelled():
            return _judged(answering)
        return End("stopped") if stopping.done() else End("error", "lenta")
    finally:
        await _cancelled(answering, stopping)


async def _cancelled(*tasks: asyncio.Task[Any]) -> None:
    """Ends tasks. A library may lose a cancellation, so it is told again; one that never hears keeps nobody waiting."""
    going = set(tasks)
    for _ in range(CANCELLATIONS):
        for task in going:
            task.cancel()
        ended, going = await asyncio.wait(going, timeout=CANCELLING_S)
        for task in ended:
            if not task.cancelled():
                task.exception()  # looked at, or asyncio complains that nobody did
        if not going:
            return
    logger.error("an answer does not end", extra={"tasks": len(going)})


def _judged(answering: asyncio.Task[End]) -> End:
    """The end of an answer that ended by itself; what went wrong is in the log, its code in the answer."""
    error = answering.exception()
    if error is None:
        return answering.result()
    if isinstance(error, api.Refused):
        # The database is away, or its disk is full.
        logger.warning("an answer failed", extra={"cause": str(error)})
        return End("error", "errore")
    known = provider.translate(error)
    if known is None and not isinstance(error, Silent):
        logger.error("an answer failed", exc_info=error)
        return End("error", "errore")
    logger.warning("an answer failed", extra={"cause": str(known or error)})
    return End("error", known.code if known else "muta")


async def _finish(begun: Begun, told: Told, end: End) -> None:
    """Writes the end down, then tells it. Never raises: what cannot be written is left to the sweep."""
    outcome, row = dict[str, Any](), None
    for pause_s in ENDING_PAUSES_S:
        try:
            outcome = outcome or await _outcome(begun, told, end)
            row = await _written(told.turn, begun, outcome)
            break
        except Exception as error:
            # Whatever it is: the database may be back in a moment, and readers must not wait for ever.
            is_bug = not isinstance(error, api.Refused)
            extra = {"run": begun.run_id, "cause": str(error)}
            logger.error("the end of an answer could not be written", exc_info=is_bug, extra=extra)
            await asyncio.sleep(pause_s)
    told.feed.close(row)


async def _written(turn: Turn, begun: Begun, outcome: dict[str, Any]) -> feed.Row | None:
    """The message and its conversation after the end; None when they were deleted meanwhile."""
    async with gate.passed(turn.user_id), turn.context.as_service() as connection:
        await connection.execute("select (private.finish_turn($1, $2)).id", UUID(begun.run_id), outcome)
        return await feed.rows(connection, begun.run_id)


async def _outcome(begun: Begun, told: Told, end: End) -> dict[str, Any]:
    """As `private.finish_turn` takes it, once all that was told is kept."""
    told.flush()
    told.cards()
    await told.feed.settle()
    price = {"done": begun.quote, "stopped": max(1, math.ceil(begun.quote * told.finished_share)), "error": 0}
    return {
        "state": end.state, "error_code": end.code, "content": told.content, "cost": min(begun.quote, price[end.state]),
        "refs": told.refs, "unverified": told.unverified, "suggestions": told.turn.suggestions, "views": told.views,
        "tokens_in": told.tokens_in, "tokens_out": told.tokens_out, "agent": told.agent, "mode": begun.mode,
        "memory_ids": told.turn.memories, "title": limits.title(told.turn.question),
    }  # fmt: skip
