"""What the database tests share: accounts made as the auth service makes them, and undoing what a test did."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypeAlias
from uuid import UUID, uuid4

import asyncpg

from backend.core import db

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"
Pool: TypeAlias = "asyncpg.Pool[asyncpg.Record]"
# A pool carries a single statement as well.
Executor: TypeAlias = "db.Connection | Pool"


@asynccontextmanager
async def rolled_back(connection: Connection) -> AsyncIterator[None]:
    """A transaction, or a savepoint inside one, that leaves nothing behind."""
    transaction = connection.transaction()
    await transaction.start()
    try:
        yield
    finally:
        await transaction.rollback()


async def create(
    connection: Executor,
    user_id: UUID | None = None,
    *,
    confirmed: bool = True,
    metadata: Any = None,
    email: str | None = None,
) -> UUID:
    """Inserts an account; `metadata` is what the sign-up form sent along."""
    user_id = user_id or uuid4()
    await connection.execute(
        """
        insert into auth.users (id, aud, role, email, raw_user_meta_data, email_confirmed_at, created_at, updated_at)
        values ($1, 'authenticated', 'authenticated', $2, $3::text::jsonb, case when $4 then now() end, now(), now())
        """,
        user_id,
        email or f"{user_id}@example.test",
        json.dumps({} if metadata is None else metadata),
        confirmed,
    )
    return user_id


async def confirm(connection: Executor, user_id: UUID) -> None:
    """Confirms the address, as the link in the mail does."""
    await connection.execute("update auth.users set email_confirmed_at = now() where id = $1", user_id)
