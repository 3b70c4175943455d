"""What a person is told of their account: its sign-in was changed, its data were taken along."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest

from scripts.paths import ROOT
from tests.db import accounts
from tests.db.accounts import Connection
from tests.db.test_notices import told

pytestmark = pytest.mark.anyio

DEVICES = ROOT / "tests" / "vectors" / "devices.json"
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


async def test_an_export_is_told_once_it_is_ready_or_failed(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    ask = "select id from private.request_export($1, '{profilo}', true)"
    export_id = await connection.fetchval(ask, user_id)
    await connection.execute("select private.start_export($1)", export_id)
    await connection.execute("select private.note_export_progress($1, 50)", export_id)
    assert await told(connection, user_id) == []
    await connection.execute("select private.finish_export($1, 9, 'digest', now())", export_id)
    ready = ("esportazione_conclusa", "I tuoi dati sono pronti", False)
    assert await told(connection, user_id) == [ready]
    await connection.execute("select private.fail_export($1)", await connection.fetchval(ask, user_id))
    failed = ("avviso", "Archivio dei tuoi dati non riuscito", False)
    assert sorted(await told(connection, user_id)) == sorted([ready, failed])


CHROME = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{} Safari/537.36"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Mobile/15E148 Safari/604.1"


@pytest.mark.parametrize("case", json.loads(DEVICES.read_text()), ids=lambda case: case["name"])
async def test_devices_are_named_as_in_the_client(case: dict[str, str], connection: Connection) -> None:
    named = await connection.fetchval("select private.device_name($1)", case["user_agent"])
    assert named == case["name"]


async def sign_in(connection: Connection, user_id: object, user_agent: str | None) -> None:
    insert = "insert into auth.sessions (id, user_id, user_agent, ip) values ($1, $2, $3, '192.0.2.7')"
    await connection.execute(insert, uuid4(), user_id, user_agent)


async def test_a_new_kind_of_device_is_told_once_and_the_first_one_and_an_update_are_not(
    connection: Connection,
) -> None:
    user_id = await accounts.create(connection)
    await sign_in(connection, user_id, CHROME.format("142.0.0.0"))
    await connection.execute("delete from auth.sessions where user_id = $1", user_id)
    await sign_in(connection, user_id, CHROME.format("143.0.0.0"))
    assert await told(connection, user_id) == []
    await sign_in(connection, user_id, IPHONE)
    await sign_in(connection, user_id, IPHONE)
    assert await told(connection, user_id) == [("sicurezza", "Nuovo accesso: Safari su iPhone", False)]
    await sign_in(connection, user_id, None)
    assert ("sicurezza", "Nuovo accesso: Dispositivo sconosciuto", False) in await told(connection, user_id)


async def test_a_device_of_one_person_is_new_to_another(connection: Connection) -> None:
    user_id, other = await accounts.create(connection), await accounts.create(connection)
    await sign_in(connection, other, IPHONE)
    await sign_in(connection, user_id, CHROME.format("142.0.0.0"))
    await sign_in(connection, user_id, IPHONE)
    assert await told(connection, other) == []
    assert len(await told(connection, user_id)) == 1
