"""Ask the policies on realtime.messages who may read or write a private channel (REALTIME-03).

Reading: rows are put in and asked for again as the caller. Writing: the caller puts rows in. Everything is rolled back.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import asyncpg

from backend.core import db
from backend.core.db import Connection

logger = logging.getLogger("backend.realtime")

BROADCAST, PRESENCE = "broadcast", "presence"


@dataclass(frozen=True)
class Rights:
    """What policies allow on one channel."""

    broadcast: bool
    presence: bool


ALL = Rights(broadcast=True, presence=True)


class _Undo(Exception):
    """Takes the probes back."""


async def may_read(pool: db.Pool, claims: Mapping[str, Any], topic: str) -> Rights:
    """Which messages of this channel the caller sees."""
    seen: set[str] = set()
    try:
        async with db.transaction(pool) as connection:
            rows = await connection.fetch(
                """
                insert into realtime.messages (topic, extension, private)
                values ($1, 'broadcast', true), ($1, 'presence', true)
                returning id
                """,
                topic,
            )
            await _become(connection, claims, topic)
            found = await connection.fetch(
                "select extension from realtime.messages where id = any($1::uuid[])", [row["id"] for row in rows]
            )
            seen = {row["extension"] for row in found}
            raise _Undo
    except _Undo:
        pass
    except asyncpg.PostgresError as error:
        _note(error)
        return Rights(broadcast=False, presence=False)
    return Rights(BROADCAST in seen, PRESENCE in seen)


async def may_write(pool: db.Pool, claims: Mapping[str, Any], topic: str) -> Rights:
    """Which messages the caller may send to this channel."""
    allowed = set()
    try:
        async with db.transaction(pool) as connection:
            await _become(connection, claims, topic)
            for extension in (BROADCAST, PRESENCE):
                if await _can_insert(connection, topic, extension):
                    allowed.add(extension)
            raise _Undo
    except _Undo:
        pass
    return Rights(BROADCAST in allowed, PRESENCE in allowed)


async def _can_insert(connection: Connection, topic: str, extension: str) -> bool:
    try:
        async with connection.transaction():
            await connection.execute(
                "insert into realtime.messages (topic, extension, private) values ($1, $2, true)", topic, extension
            )
    except asyncpg.DiskFullError:
        raise  # it is no answer of a policy
    except asyncpg.PostgresError as error:
        _note(error)
        return False
    return True


def _note(error: asyncpg.PostgresError) -> None:
    """A policy that fails, such as one that takes any topic for a uuid, allows nothing."""
    if not isinstance(error, asyncpg.InsufficientPrivilegeError):
        logger.warning("a policy could not be asked", extra={"cause": str(error)})


async def _become(connection: Connection, claims: Mapping[str, Any], topic: str) -> None:
    await connection.execute("select set_config('realtime.topic', $1, true)", topic)
    await db.become(connection, claims)
