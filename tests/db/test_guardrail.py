"""The credit guardrail: what spends reads it in its own transaction, and only an admin changes it, with a reason."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from tests.db import access, accounts, ledger, talks
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio


async def _set(connection: Connection, reason: str = "Costs too much", **change: Any) -> None:
    async with access.acting(connection, "admin"):
        await connection.execute("select public.admin_set_guardrail($1::text::jsonb, $2)", json.dumps(change), reason)


async def _guardrail(connection: Connection) -> Any:
    async with access.acting(connection, "admin"):
        return json.loads(await connection.fetchval("select public.admin_guardrail()::text"))


async def _rich(connection: Connection, *, owned: int = 100) -> UUID:
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, owned)
    return user_id


async def _refused(connection: Connection, user_id: UUID, **turn: Any) -> tuple[str | None, str | None]:
    with pytest.raises(asyncpg.PostgresError) as refusal:
        async with connection.transaction():
            await talks.begin(connection, user_id, **turn)
    return refusal.value.sqlstate, refusal.value.detail


async def test_daily_cap_counts_what_was_used_today_and_what_is_held(connection: Connection) -> None:
    user_id = await _rich(connection)
    await _set(connection, daily_cap=10)
    held = await ledger.hold(connection, user_id, 6, "first")
    await ledger.settle(connection, held["id"], 4)
    await ledger.hold(connection, user_id, 3, "second")
    with pytest.raises(asyncpg.PostgresError) as refusal:
        async with connection.transaction():
            await ledger.hold(connection, user_id, 4, "third")
    assert (refusal.value.sqlstate, refusal.value.detail) == ("SC009", "10")
    await ledger.hold(connection, user_id, 3, "third")
    # Another account has its own day.
    await ledger.hold(connection, await _rich(connection), 10)
    await _set(connection, daily_cap=None)
    await ledger.hold(connection, user_id, 50, "fourth")


async def test_daily_cap_starts_again_at_midnight_in_italy(connection: Connection) -> None:
    user_id = await _rich(connection)
    held = await ledger.hold(connection, user_id, 6)
    await ledger.settle(connection, held["id"], 6)
    midnight = "date_trunc('day', now() at time zone 'Europe/Rome') at time zone 'Europe/Rome'"
    for moment, used in ((midnight, 6), (f"{midnight} - interval '1 second'", 0)):
        await connection.execute("set local session_replication_role = replica")
        await connection.execute(
            f"update public.credit_ledger set created_at = {moment} where user_id = $1 and kind = 'settle'", user_id
        )
        await connection.execute("set local session_replication_role = origin")
        assert await connection.fetchval("select private.used_today($1)", user_id) == used


async def test_over_the_daily_cap_nothing_is_written_and_local_mode_goes_on(connection: Connection) -> None:
    user_id = await _rich(connection)
    await _set(connection, daily_cap=2)
    assert await _refused(connection, user_id, mode="ia", agent="consiglio") == ("SC009", "2")
    assert await connection.fetchval("select count(*) from public.conversations where user_id = $1", user_id) == 0
    assert (await talks.begin(connection, user_id))["quote"] == 0


async def test_stopped_no_answer_of_a_provider_begins_and_local_mode_goes_on(connection: Connection) -> None:
    user_id = await _rich(connection)
    await _set(connection, ai_stopped=True)
    assert (await _refused(connection, user_id, mode="ia"))[0] == "SA008"
    await talks.begin(connection, user_id)
    await _set(connection, ai_stopped=False)
    await talks.begin(connection, user_id, mode="ia")


async def _must_stop(connection: Connection, run_id: str) -> bool:
    stops: bool = await connection.fetchval("select private.append_events($1, 1, '[]')", run_id)
    return stops


async def test_an_answer_that_is_cut_by_the_stop_says_so_and_costs_nothing(connection: Connection) -> None:
    user_id = await _rich(connection)
    asked, local = await talks.begin(connection, user_id, mode="ia"), await talks.begin(connection, user_id)
    assert not await _must_stop(connection, asked["run_id"])
    await _set(connection, ai_stopped=True)
    assert await _must_stop(connection, asked["run_id"])
    assert not await _must_stop(connection, local["run_id"])
    cut = await talks.finish(connection, asked["run_id"], state="stopped", mode="ia", cost=1)
    assert (cut["status"], cut["error_code"], cut["cost"]) == ("error", "ai_stopped", 0)
    assert (await talks.finish(connection, local["run_id"], mode="locale"))["status"] == "done"
    assert await ledger.wallet(connection, user_id) == (100, 0)


async def test_an_answer_that_its_person_stopped_costs_as_ever(connection: Connection) -> None:
    user_id = await _rich(connection)
    asked = await talks.begin(connection, user_id, mode="ia")
    await connection.execute("update public.runs set stop_requested_at = now() where id = $1", asked["run_id"])
    await _set(connection, ai_stopped=True)
    stopped = await talks.finish(connection, asked["run_id"], state="stopped", mode="ia", cost=1)
    assert (stopped["status"], stopped["cost"]) == ("stopped", 1)


async def test_a_new_price_is_a_new_catalogue_and_leaves_what_is_held(connection: Connection) -> None:
    user_id = await _rich(connection)
    before = json.loads(await connection.fetchval("select public.catalog()::text"))
    asked = await talks.begin(connection, user_id, mode="ia", max_credits=1)
    await _set(connection, prices={"chat": 4})
    after = json.loads(await connection.fetchval("select public.catalog()::text"))
    assert after["version"] > before["version"]
    prices = {row["action"]: (row["min_credits"], row["max_credits"]) for row in before["credit_prices"]}
    assert {row["action"]: (row["min_credits"], row["max_credits"]) for row in after["credit_prices"]} == {
        **prices,
        "chat": (4, 4),
    }
    for part in ("plans", "packs", "claims"):
        assert after[part] == before[part]
    assert (await talks.finish(connection, asked["run_id"], cost=4))["cost"] == 1
    more = {"conversation_id": asked["conversation_id"], "mode": "ia"}
    assert await _refused(connection, user_id, **more, max_credits=1) == ("SA005", "4")
    assert (await talks.begin(connection, user_id, **more, max_credits=4))["quote"] == 4


async def test_a_price_is_refused_while_a_catalogue_is_to_come(connection: Connection) -> None:
    tomorrow = "update public.catalog_versions set published_at = now() + interval '1 day' where version = $1"
    await connection.execute(tomorrow, access.DRAFT_VERSION)
    with pytest.raises(asyncpg.PostgresError) as refusal:
        await _set(connection, prices={"chat": 4})
    assert refusal.value.sqlstate == "SC010"


async def test_a_change_is_logged_once_with_before_and_after(connection: Connection) -> None:
    await _set(connection, daily_cap=500, ai_stopped=True)
    # The second click changes nothing.
    await _set(connection, daily_cap=500, ai_stopped=True)
    guardrail = await _guardrail(connection)
    assert (guardrail["daily_cap"], guardrail["ai_stopped"]) == (500, True)
    assert guardrail["stopped_at"]
    [row] = await connection.fetch(
        "select admin_id, before::text, after::text, reason from public.admin_actions"
        " where action = 'credits.guardrail'"
    )
    prices = {"chat": 1, "chat_deep": 2, "advice": 3, "voice_minute": 1, "letter": 1}
    assert (row["admin_id"], row["reason"]) == (access.PEOPLE["admin"], "Costs too much")
    assert json.loads(row["before"]) == {"daily_cap": None, "ai_stopped": False, "prices": prices}
    assert json.loads(row["after"]) == {"daily_cap": 500, "ai_stopped": True, "prices": prices}


@pytest.mark.parametrize(
    "change",
    [
        {"daily_cap": 0}, {"daily_cap": -5}, {"daily_cap": 1.5}, {"daily_cap": 10_000_000}, {"daily_cap": "all"},
        {"ai_stopped": "yes"}, {"prices": {"chat": -1}}, {"prices": {"chat": 1000}}, {"prices": {"chat": None}},
        {"prices": {"chat_local": 1}}, {"prices": {"ocr": 1}}, {"prices": [1]}, {"marketing": True},
    ],
)  # fmt: skip
async def test_what_is_no_limit_is_refused(change: dict[str, Any], connection: Connection) -> None:
    with pytest.raises(asyncpg.PostgresError) as refusal:
        await _set(connection, **change)
    assert refusal.value.sqlstate == "22023"


async def test_a_change_without_a_reason_changes_nothing(connection: Connection) -> None:
    with pytest.raises(asyncpg.CheckViolationError):
        async with connection.transaction():
            await _set(connection, " ", ai_stopped=True)
    assert not (await _guardrail(connection))["ai_stopped"]


async def test_agents_are_stopped_for_everybody_and_say_so(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    await _set(connection, ai_stopped=True)
    assert await connection.fetchval("select private.are_goals_stopped($1)", user_id)
    assert json.loads(await connection.fetchval("select public.agents_stopped()::text")) == {"mine": False, "all": True}
