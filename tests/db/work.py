"""Tasks and projects for the database tests: a row of each table for one person, and bare tasks by the way."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

import asyncpg

from tests.db import access
from tests.db.accounts import Connection, Executor


async def task(connection: Executor, user_id: UUID, **columns: Any) -> asyncpg.Record:
    """Inserts a task and answers its row."""
    return await _insert(connection, "tasks", {"user_id": user_id, "title": "Preventivo", **columns})


async def project(connection: Executor, user_id: UUID, **columns: Any) -> asyncpg.Record:
    """Inserts a project and answers its row."""
    return await _insert(connection, "projects", {"user_id": user_id, "name": "Sito nuovo", **columns})


async def _insert(connection: Executor, table: str, values: Mapping[str, Any]) -> asyncpg.Record:
    places = ", ".join(f"${place}" for place in range(1, len(values) + 1))
    row = await connection.fetchrow(
        f"insert into public.{table} ({', '.join(values)}) values ({places}) returning *", *values.values()
    )
    assert row is not None
    return row


async def read(connection: Executor, task_id: UUID | str) -> asyncpg.Record | None:
    """The row of a task as it is now."""
    return await connection.fetchrow("select * from public.tasks where id = $1", task_id)


async def call(connection: Connection, function: str, task_id: UUID, role: str = "owner") -> Any:
    """What a verb on a task answers to this person."""
    async with access.acting(connection, role):
        answer = await connection.fetchval(f"select public.{function}($1)", task_id)
    return json.loads(answer) if isinstance(answer, str) else answer


async def populate(connection: Connection, owner: UUID) -> Mapping[str, str]:
    """A row of each table for the owner; answers the names that cells use."""
    project_id = (await project(connection, owner))["id"]
    return {
        "owner_project": str(project_id),
        "owner_task": str((await task(connection, owner, project_id=project_id))["id"]),
    }
