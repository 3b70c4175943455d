"""What a person is told of their account: its sign-in was changed, its data were taken along."""

from __future__ import annotations

from uuid import uuid4

import pytest

from tests.db import accounts
from tests.db.accounts import Connection
from tests.db.test_notices import told

pytestmark = pytest.mark.anyio

COSTS = "$argon2id$v=19$m=19456,t=2,p=1"


async def set_password(connection: Connection, user_id: object, encrypted: str) -> None:
    await connection.execute("update auth.users set encrypted_password = $2 where id = $1", user_id, encrypted)


async def test_another_password_is_told_and_the_same_with_higher_costs_is_not(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    # The first one of an invited account, the import of a bcrypt hash, and its first sign-in.
    await set_password(connection, user_id, "$2b$10$abcdefghijklmnopqrstuv")
    await set_password(connection, user_id, f"{COSTS}$c2FsdA$aGFzaA")
    assert await told(connection, user_id) == []
    await set_password(connection, user_id, f"{COSTS}$c2FsdDI$aGFzaDI")
    assert await told(connection, user_id) == [("sicurezza", "Password cambiata", False)]


async def test_another_address_is_told_and_a_deletion_is_not(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    await connection.execute("update auth.users set email = 'nuovo@example.test' where id = $1", user_id)
    assert await told(connection, user_id) == [("sicurezza", "Indirizzo email cambiato", False)]
    await connection.execute("update auth.users set email = 'x', deleted_at = now() where id = $1", user_id)
    assert len(await told(connection, user_id)) == 1


async def test_a_second_factor_is_told_when_it_counts_and_when_it_is_gone(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    insert = """
        insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
        values ($1, $2, 'totp', 'unverified', now(), now())
    """
    factor, dropped = uuid4(), uuid4()
    await connection.execute(insert, factor, user_id)
    await connection.execute(insert, dropped, user_id)
    await connection.execute("delete from auth.mfa_factors where id = $1", dropped)
    assert await told(connection, user_id) == []
    await connection.execute("update auth.mfa_factors set status = 'verified' where id = $1", factor)
    await connection.execute("delete from auth.mfa_factors where id = $1", factor)
    assert [title for _, title, _ in await told(connection, user_id)] == [
        "Secondo fattore attivato",
        "Secondo fattore rimosso",
    ]
    await connection.execute("delete from auth.users where id = $1", user_id)


async def test_an_export_is_told_once_it_is_whole(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    await connection.fetchval("select private.begin_export($1, true)", user_id)
    assert await told(connection, user_id) == []
    await connection.execute(
        "update public.data_exports set finished_at = now(), bytes = 9 where user_id = $1", user_id
    )
    assert await told(connection, user_id) == [("esportazione_conclusa", "Esportazione conclusa", False)]
