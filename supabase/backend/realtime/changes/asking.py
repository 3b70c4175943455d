"""Find out who may see a row by reading it again by its key as each of the bearers (REALTIME-07).

Questions of the same moment about the same table are asked together: becoming somebody and planning the question cost
more than looking for one row, so fifty changes cost little more than one (GOAL-P10).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

import asyncpg

from backend.core import db
from backend.realtime.changes.catalog import Table
from backend.realtime.changes.pgoutput import Value

logger = logging.getLogger("backend.realtime.changes")

# So many bearers are asked on one connection; the next ones at the same time on another.
BEARERS_AT_ONCE = 250


@dataclass(frozen=True)
class Question:
    """One row, and the claims (as JSON) of those who may or may not see it."""

    key: Sequence[Value]
    bearers: Sequence[db.Json]
    answer: asyncio.Future[list[db.Json]]


class Asking:
    """The questions that wait to be asked."""

    def __init__(self, pool: db.Pool) -> None:
        self._pool = pool
        self._waiting: dict[int, list[Question]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def who_sees(self, table: Table, key: Sequence[Value], bearers: Sequence[db.Json]) -> list[db.Json]:
        """Which of these claims see the row. Raises ServiceUnavailable."""
        question = Question(key, bearers, asyncio.get_running_loop().create_future())
        waiting = self._waiting.setdefault(table.oid, [])
        waiting.append(question)
        if len(waiting) == 1:
            # Begins when everybody who is about to ask in this turn of the loop has asked.
            task = asyncio.create_task(self._answer(table))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return await question.answer

    async def _answer(self, table: Table) -> None:
        questions = self._waiting.pop(table.oid)
        keys = [question.key for question in questions]
        bearers = list({bearer: None for question in questions for bearer in question.bearers})
        try:
            parts = [bearers[start : start + BEARERS_AT_ONCE] for start in range(0, len(bearers), BEARERS_AT_ONCE)]
            seen: dict[db.Json, Sequence[bool]] = {}
            for part in await asyncio.gather(*(self._ask(table, keys, part) for part in parts)):
                seen |= part
        except Exception as error:
            for question in questions:
                if not question.answer.done():
                    question.answer.set_exception(error)
            return
        for number, question in enumerate(questions):
            if not question.answer.done():
                question.answer.set_result([bearer for bearer in question.bearers if seen[bearer][number]])

    async def _ask(
        self, table: Table, keys: Sequence[Sequence[Value]], bearers: Sequence[db.Json]
    ) -> dict[db.Json, Sequence[bool]]:
        """For each of the bearers which rows they see. A policy that fails hides one row from one of them only."""
        try:
            async with db.transaction(self._pool) as connection:
                seen = await connection.fetchval(
                    "select realtime.who_sees($1, $2::jsonb, $3::jsonb[])",
                    _question(table),
                    keys,
                    bearers,
                )
        except asyncpg.PostgresError as error:
            if len(bearers) > 1:
                apart = [await self._ask(table, keys, [bearer]) for bearer in bearers]
                return {bearer: rows for one in apart for bearer, rows in one.items()}
            if len(keys) > 1:
                rows = [(await self._ask(table, [key], bearers))[bearers[0]][0] for key in keys]
                return {bearers[0]: rows}
            logger.warning("a policy could not be asked", extra={"cause": str(error)})
            return {bearers[0]: [False]}
        width = len(keys)
        return {bearer: seen[place * width : (place + 1) * width] for place, bearer in enumerate(bearers)}


def _question(table: Table) -> str:
    conditions = " and ".join(
        f"{quoted(name)} = (asked.key ->> {place})::{kind}" for place, (name, kind) in enumerate(table.key.items())
    )
    return (
        f"select array_agg(exists (select from {quoted(table.schema)}.{quoted(table.name)} where {conditions})"  # noqa: S608
        " order by asked.place) from jsonb_array_elements($1) with ordinality as asked (key, place)"
    )


def quoted(name: str) -> str:
    """An identifier for SQL."""
    return '"' + name.replace('"', '""') + '"'
