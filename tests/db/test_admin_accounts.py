"""Accounts for admins: a list without content, and actions that are logged and that never leave us without an admin."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest

from tests.db import access, accounts, ledger, talks
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

ADMIN = access.PEOPLE["admin"]


async def _call(connection: Connection, statement: str, *arguments: object) -> Any:
    async with access.acting(connection, "admin"):
        return await connection.fetch(statement, *arguments)


async def _suspend(connection: Connection, user_id: UUID, *, on: bool = True, reason: str = "Spam") -> None:
    await _call(connection, "select public.admin_suspend_account($1, $2, $3)", user_id, on, reason)


async def _set_admin(connection: Connection, user_id: UUID, *, on: bool = True) -> None:
    await _call(connection, "select public.admin_set_admin($1, $2, 'New colleague')", user_id, on)


async def _grant(connection: Connection, user_id: UUID, amount: object, key: UUID) -> None:
    await _call(connection, "select public.admin_grant_credits($1, $2, $3, 'An excuse')", user_id, amount, key)


async def _refused(connection: Connection, statement: str, *arguments: object) -> str | None:
    with pytest.raises(asyncpg.PostgresError) as refusal:
        async with connection.transaction():
            await _call(connection, statement, *arguments)
    return refusal.value.sqlstate


async def _logged(connection: Connection, user_id: UUID) -> list[tuple[Any, ...]]:
    rows = await connection.fetch(
        "select action, before::text, after::text, admin_id from public.admin_actions"
        " where subject_id = $1 order by id",
        user_id,
    )
    assert {row["admin_id"] for row in rows} <= {ADMIN}
    return [(row["action"], json.loads(row["before"]), json.loads(row["after"])) for row in rows]


async def test_accounts_are_listed_newest_first_by_pages(connection: Connection) -> None:
    people = [await accounts.create(connection) for _ in range(30)]
    # At the same moment, so that the id decides.
    await connection.execute("update auth.users set created_at = '2099-01-01' where id = any ($1)", people)
    first = await _call(connection, "select * from public.admin_accounts()")
    assert len(first) == 26
    last = first[24]
    page = "select * from public.admin_accounts('', $1, $2)"
    second = await _call(connection, page, last["created_at"], last["id"])
    listed = [row["id"] for row in first[:25]] + [row["id"] for row in second]
    assert listed[:30] == sorted(people, reverse=True)
    assert len(set(listed)) == len(listed)


async def test_an_account_is_found_by_address_or_name_and_says_its_state(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 7)
    await connection.execute("update auth.users set email = 'Anna_1%@example.it' where id = $1", user_id)
    await connection.execute("update public.profiles set full_name = 'Anna Verdissima' where user_id = $1", user_id)
    found = "select * from public.admin_accounts($1)"
    for words in ("anna_1%@", " VERDISSIMA "):
        [row] = await _call(connection, found, words)
        assert (row["id"], row["name"], row["credits"]) == (user_id, "Anna Verdissima", 7)
        assert [row[name] for name in ("is_admin", "is_verified", "has_factor", "is_suspended")] == [False] * 4
    assert await _call(connection, found, "nobody has this address") == []


async def test_a_suspended_account_is_out_and_nothing_leaves_it(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    await ledger.grant(connection, user_id, 100)
    turn = await talks.begin(connection, user_id, mode="ia")
    await connection.execute("insert into auth.sessions (id, user_id) values (gen_random_uuid(), $1)", user_id)
    await _suspend(connection, user_id)
    await _suspend(connection, user_id)
    assert await connection.fetchval(
        "select banned_until > now() + interval '50 years' from auth.users where id = $1", user_id
    )
    assert await connection.fetchval("select count(*) from auth.sessions where user_id = $1", user_id) == 0
    assert await connection.fetchval("select private.append_events($1, 1, '[]')", turn["run_id"])
    assert await connection.fetchval("select private.are_goals_stopped($1)", user_id)
    with pytest.raises(asyncpg.PostgresError) as refusal:
        async with connection.transaction():
            await talks.begin(connection, user_id)
    assert refusal.value.sqlstate == "SD001"
    await _suspend(connection, user_id, on=False)
    assert await connection.fetchval("select banned_until is null from auth.users where id = $1", user_id)
    assert not await connection.fetchval("select private.are_goals_stopped($1)", user_id)
    off, on = {"is_suspended": False}, {"is_suspended": True}
    assert await _logged(connection, user_id) == [("account.suspend", off, on), ("account.reactivate", on, off)]


async def test_a_suspended_admin_does_nothing_with_the_token_that_is_left(connection: Connection) -> None:
    await connection.execute("update auth.users set banned_until = now() + interval '1 day' where id = $1", ADMIN)
    user_id = await accounts.create(connection)
    assert await _refused(connection, "select public.admin_set_admin($1, true, 'A friend')", user_id) == "42501"
    await connection.execute("update auth.users set banned_until = now() - interval '1 day' where id = $1", ADMIN)
    await _set_admin(connection, user_id)


async def test_an_admin_is_made_and_unmade_by_another(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    for on in (True, True, False):
        await _set_admin(connection, user_id, on=on)
        roles = await connection.fetchval("select count(*) from public.user_roles where user_id = $1", user_id)
        assert roles == int(on)
    no, yes = {"is_admin": False}, {"is_admin": True}
    assert await _logged(connection, user_id) == [("account.make_admin", no, yes), ("account.unmake_admin", yes, no)]


async def test_an_account_that_nobody_can_enter_becomes_no_admin(connection: Connection) -> None:
    set_admin = "select public.admin_set_admin($1, true, 'New colleague')"
    assert await _refused(connection, set_admin, await accounts.create(connection, confirmed=False)) == "SU003"
    user_id = await accounts.create(connection)
    await _suspend(connection, user_id)
    assert await _refused(connection, set_admin, user_id) == "SU003"


async def test_two_admins_cannot_remove_each_other(connection: Connection) -> None:
    """The second waits for the table, and finds that it is no admin any more."""
    await connection.execute("delete from public.user_roles where user_id = $1", ADMIN)
    other = access.PEOPLE["other_admin"]
    assert await _refused(connection, "select public.admin_set_admin($1, false, 'Out')", other) == "42501"
    assert await connection.fetchval("select count(*) from public.user_roles where role = 'admin'") >= 1


async def test_credits_are_given_once_for_each_key(connection: Connection) -> None:
    user_id, key = await ledger.empty(connection), uuid4()
    await _grant(connection, user_id, 50, key)
    await _grant(connection, user_id, 50, key)
    assert await ledger.wallet(connection, user_id) == (50, 0)
    assert await _logged(connection, user_id) == [("credits.adjust", {"balance": 0}, {"balance": 50})]
    again = "select public.admin_grant_credits($1, 60, $2, 'An excuse')"
    assert await _refused(connection, again, user_id, key) == "SC001"
    assert await ledger.broken(connection) == {}


@pytest.mark.parametrize("amount", [0, -1, 5001, None])
async def test_an_amount_has_bounds(amount: int | None, connection: Connection) -> None:
    give = "select public.admin_grant_credits($1, $2, gen_random_uuid(), 'An excuse')"
    assert await _refused(connection, give, await ledger.empty(connection), amount) == "22023"


ACTIONS = {
    "suspend": "select public.admin_suspend_account($1, true, 'Test')",
    "unmake": "select public.admin_set_admin($1, false, 'Test')",
    "grant": "select public.admin_grant_credits($1, 5, gen_random_uuid(), 'Test')",
}


@pytest.mark.parametrize("statement", ACTIONS.values(), ids=ACTIONS)
async def test_no_action_is_for_the_own_account_or_one_that_is_not_there(
    statement: str, connection: Connection
) -> None:
    assert await _refused(connection, statement, ADMIN) == "SU001"
    assert await _refused(connection, statement, uuid4()) == "PT404"


async def test_an_action_without_a_reason_does_nothing(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    assert await _refused(connection, "select public.admin_suspend_account($1, true, ' ')", user_id) == "23514"
    assert await connection.fetchval("select banned_until is null from auth.users where id = $1", user_id)
