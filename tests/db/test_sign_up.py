"""What a new account finds, whatever its sign-up sent along."""

from __future__ import annotations

import json
from typing import Any

import asyncpg
import pytest

from tests.db import accounts
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio


async def test_account_starts_with_profile_wallet_and_welcome(connection: Connection) -> None:
    user_id = await accounts.create(connection, confirmed=False, metadata={"full_name": "Giulia Ferri"})
    profile = await connection.fetchrow("select * from public.profiles where user_id = $1", user_id)
    assert profile is not None
    assert profile["full_name"] == "Giulia Ferri"
    assert profile["onboarding_completed"] is False
    notification = await connection.fetchrow("select * from public.notifications where user_id = $1", user_id)
    assert notification is not None
    assert notification["title"] == "Ti diamo il benvenuto in Socio"
    assert "100 crediti" in notification["message"]
    assert notification["is_read"] is False
    assert await _balance(connection, user_id) == 0


async def test_welcome_credits_come_with_the_first_confirmation_and_only_then(connection: Connection) -> None:
    user_id = await accounts.create(connection, confirmed=False)
    await accounts.confirm(connection, user_id)
    assert await _balance(connection, user_id) == 100
    await connection.execute("update auth.users set email_confirmed_at = null where id = $1", user_id)
    await accounts.confirm(connection, user_id)
    assert await _balance(connection, user_id) == 100
    assert await connection.fetchval("select count(*) from public.notifications where user_id = $1", user_id) == 1


async def test_account_that_is_born_confirmed_has_its_credits_at_once(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    assert await _balance(connection, user_id) == 100


async def test_a_mailbox_is_welcomed_once_also_after_its_account_is_erased(connection: Connection) -> None:
    first = await accounts.create(connection, email="anna@posta.it")
    await connection.execute("delete from auth.users where id = $1", first)
    again = await accounts.create(connection, email="anna+bis@posta.it")
    assert await _balance(connection, again) == 0
    assert await connection.fetchval("select message from public.notifications where user_id = $1", again) == (
        "I crediti di benvenuto spettano una volta a ogni casella email: questa li ha già avuti con un altro account."
    )
    # Another mailbox of the same person is another one.
    await connection.execute("update auth.users set email = 'bruno@posta.it' where id = $1", again)
    assert await _balance(connection, again) == 600


@pytest.mark.parametrize(
    ("metadata", "full_name"),
    [
        ({"full_name": "  Ada \t\n Lovelace  "}, "Ada Lovelace"),
        ({"full_name": "x" * 10_000}, "x" * 120),
        ({"full_name": "🦊" * 200}, "🦊" * 120),
        ({"full_name": "a" * 119 + " b"}, "a" * 119),
        ({"full_name": "a\u0001b\u007fc"}, "a b c"),
        ({"full_name": ""}, None),
        ({"full_name": " \n "}, None),
        ({"full_name": None}, None),
        ({"full_name": 42}, None),
        ({"full_name": True}, None),
        ({"full_name": {"first": "Ada"}}, None),
        ({"full_name": ["Ada"]}, None),
        ({"full_name": "<script>alert(1)</script>"}, "<script>alert(1)</script>"),
        ({"full_name": "'; drop table public.profiles; --"}, "'; drop table public.profiles; --"),
        ({}, None),
        ([], None),
        ("Ada", None),
        (7, None),
    ],
    ids=repr,
)
async def test_odd_metadata_never_fails_a_sign_up(metadata: Any, full_name: str | None, connection: Connection) -> None:
    user_id = await accounts.create(connection, metadata=metadata)
    assert await connection.fetchval("select full_name from public.profiles where user_id = $1", user_id) == full_name


async def test_missing_metadata_never_fails_a_sign_up(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    await connection.execute("delete from public.profiles where user_id = $1", user_id)
    await connection.execute("update auth.users set raw_user_meta_data = null where id = $1", user_id)
    await accounts.confirm(connection, user_id)
    assert await connection.fetchval("select full_name is null from public.profiles where user_id = $1", user_id)


async def test_auth_service_signs_up_with_no_right_on_the_product(connection: Connection) -> None:
    await connection.execute("set local role supabase_auth_admin")
    user_id = await accounts.create(connection)
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        async with connection.transaction():
            await connection.execute("select from public.profiles")
    await connection.execute("reset role")
    assert await _balance(connection, user_id) == 100


async def test_erased_account_leaves_accounting_and_telemetry_without_a_name(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    await connection.execute(
        """
        insert into public.analytics_events (event_name, user_id, session_id, user_agent) values ('x', $1, 'mine', 'x')
        """,
        user_id,
    )
    await connection.execute("delete from auth.users where id = $1", user_id)
    for table in ("profiles", "notifications", "user_roles"):
        assert await connection.fetchval(f"select count(*) from public.{table} where user_id = $1", user_id) == 0
    assert await connection.fetchval("select user_id is null from public.analytics_events where session_id = 'mine'")
    assert await _balance(connection, user_id) == 100


@pytest.mark.parametrize(
    "change",
    [
        {"full_name": ""},
        {"full_name": "x" * 121},
        {"full_name": "a\nb"},
        {"business_name": "x" * 121},
        {"activity": "x" * 201},
        {"goal": ""},
        {"goal": "x" * 501},
        {"onboarding_step": 5},
        {"onboarding_step": -1},
        {"avatar_url": "javascript:alert(1)"},
        {"avatar_url": "data:image/png;base64,AAAA"},
        {"avatar_url": "//evil.example/a.png"},
        {"avatar_url": 'https://site.example/"onerror='},
        {"avatar_url": "https://site.example/" + "x" * 1000},
    ],
    ids=repr,
)
async def test_profile_refuses(change: dict[str, Any], connection: Connection) -> None:
    await accounts.create(connection)
    (column,) = change
    with pytest.raises(asyncpg.CheckViolationError):
        await connection.execute(
            f"""
            update public.profiles
            set {column} = (jsonb_populate_record(null::public.profiles, $1::text::jsonb)).{column}
            """,
            json.dumps(change),
        )


@pytest.mark.parametrize(
    "address", ["https://site.example/a.png?size=2", "http://127.0.0.1:54321/storage/v1/a.png", "/a.png", None]
)
async def test_profile_takes_the_picture(address: str | None, connection: Connection) -> None:
    user_id = await accounts.create(connection)
    await connection.execute("update public.profiles set avatar_url = $1 where user_id = $2", address, user_id)


async def _balance(connection: Connection, user_id: object) -> int:
    return int(await connection.fetchval("select balance from public.credit_wallets where user_id = $1", user_id))
