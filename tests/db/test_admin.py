"""Functions for admins: who may call them, what they log, and that they show counts only."""

from __future__ import annotations

from uuid import uuid4

import asyncpg
import pytest

from tests.db import access, accounts
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio


async def _action(connection: Connection, subject_id: object) -> int:
    action_id: int = await connection.fetchval(
        "insert into public.admin_actions (admin_id, subject_id, action, reason) "
        "values ($1, $2, 'user.suspend', 'Spam') returning id",
        access.PEOPLE["admin"],
        subject_id,
    )
    return action_id


@pytest.mark.parametrize(
    "statement",
    [
        "delete from public.admin_actions where id = $1",
        "update public.admin_actions set reason = 'Other' where id = $1",
        "update public.admin_actions set subject_id = admin_id where id = $1",
    ],
)
async def test_an_admin_action_never_changes(statement: str, connection: Connection) -> None:
    action_id = await _action(connection, access.PEOPLE["owner"])
    with pytest.raises(asyncpg.IntegrityConstraintViolationError):
        await connection.execute(statement, action_id)


async def test_an_admin_action_outlives_the_account_concerned(connection: Connection) -> None:
    user_id = uuid4()
    await accounts.create(connection, user_id)
    action_id = await _action(connection, user_id)
    await connection.execute("delete from auth.users where id = $1", user_id)
    row = await connection.fetchrow("select subject_id, reason from public.admin_actions where id = $1", action_id)
    assert row is not None
    assert tuple(row) == (None, "Spam")
