"""Conversations: found, named and deleted by their owner alone; drafts; and how long credits last."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from tests.db import access, crm, ledger, talks
from tests.db.access import PEOPLE
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

OWNER = PEOPLE["owner"]


async def _talk(connection: Connection, question: str, answer: str, title: str | None = None, **turn: Any) -> str:
    begun = await talks.begin(connection, turn.pop("user_id", OWNER), question, **turn)
    await talks.finish(connection, begun["run_id"], content=answer, title=title)
    return str(begun["conversation_id"])


async def _search(connection: Connection, query: str, role: str = "owner") -> list[asyncpg.Record]:
    async with access.acting(connection, role):
        return await connection.fetch("select * from public.search_conversations($1)", query)


async def test_conversations_are_found_by_what_was_said(connection: Connection) -> None:
    talk = await _talk(
        connection, "Perché la caparra di Nardò è in ritardo?", "Hai due **fatture scadute** di Nardò srl."
    )
    await _talk(connection, "Nardò in segreto", "Nardò", is_temporary=True)
    await _talk(connection, "Nardò è di un altro", "Nardò", user_id=PEOPLE["stranger"])
    for query in ("nardo", "NARDÒ fattura", "caparr", "ritardi", "fatture nardo"):
        rows = await _search(connection, query)
        assert [str(row["conversation_id"]) for row in rows] == [talk], query
        marks, snippet = rows[0]["marks"], rows[0]["snippet"]
        assert marks, query
        marked = {snippet[begin:end].lower() for begin, end in zip(marks[::2], marks[1::2], strict=True)}
        assert marked <= {"nardò", "fatture", "caparra", "ritardo"}, query
    for query in ("nardo bonifico", "", "!!!", "%", "' | *", "\\"):
        assert await _search(connection, query) == [], query
    assert await _search(connection, "caparra", "admin") == []


async def test_a_title_comes_before_what_was_said(connection: Connection) -> None:
    said = await _talk(connection, "Il preventivo del tornio", "Eccolo.", "Lavori")
    named = await _talk(connection, "A chi scrivo?", "A Verdi.", "Preventivi del tornio")
    rows = await _search(connection, "preventivo tornio")
    assert [(str(row["conversation_id"]), row["message_id"] is None) for row in rows] == [(named, True), (said, False)]
    await connection.execute("delete from public.conversations where id = $1", UUID(said))
    assert len(await _search(connection, "preventivo tornio")) == 1


async def test_its_owner_names_pins_and_archives_a_conversation(connection: Connection) -> None:
    talk = UUID(await _talk(connection, "Ciao", "Ciao"))
    async with access.acting(connection, "owner"):
        await connection.execute(
            """
            update public.conversations
            set title = 'Rossi', pinned_at = now(), archived_at = now(), agent = 'logico', uses_memory = false,
              auto_approve = '{create_task,add_note}'
            where id = $1
            """,
            talk,
        )
        for tool in ("send_email", "delete_task"):
            with pytest.raises(asyncpg.CheckViolationError):
                async with connection.transaction():
                    await connection.execute(
                        "update public.conversations set auto_approve = array[$2] where id = $1", talk, tool
                    )
    again = await talks.begin(connection, OWNER, conversation_id=talk)
    assert again["auto_approve"] == ["create_task", "add_note"]
    assert not again["uses_memory"]
    agent = await connection.fetchval("select agent from public.messages where id = $1", UUID(again["message_id"]))
    assert agent == "logico"


async def test_drafts_follow_their_contact_and_those_thrown_away_are_not_told(connection: Connection) -> None:
    winner, loser = await crm.contact(connection, OWNER), await crm.contact(connection, OWNER)
    async with access.acting(connection, "owner"):
        await connection.executemany(
            "insert into public.drafts (contact_id, channel, body) values ($1, 'email', $2)",
            [(loser, "Buongiorno"), (loser, "Buttata")],
        )
        await connection.execute("update public.drafts set deleted_at = now() where body = 'Buttata'")
        merge_id = await connection.fetchval("select public.merge_contacts($1, $2)", winner, loser)
        export = json.loads(await connection.fetchval("select public.export_contact($1)", winner))
        assert [draft["body"] for draft in export["drafts"]] == ["Buongiorno"]
        await connection.execute("select public.undo_merge($1)", merge_id)
        erased = await crm.erase(connection, loser)
    assert erased["via"]["drafts"] == 2
    assert await connection.fetchval("select count(*) from public.drafts where contact_id = $1", winner) == 0


@pytest.mark.parametrize(
    ("used", "days", "per_day", "lasts"),
    [(0, 0, "0.00", None), (30, 10, "3.00", 40), (1, 29, "0.03", None), (14, 1, "2.00", 60)],
    ids=["nothing used", "ten days", "for years", "today"],
)
async def test_a_forecast_divides_what_is_left_by_what_a_day_uses(
    used: int, days: int, per_day: str, lasts: int | None, connection: Connection
) -> None:
    await connection.execute("set local session_replication_role = replica")
    await connection.execute(
        """
        insert into public.credit_ledger
          (user_id, kind, amount, account, lot_id, hold_id, idempotency_key, balance_after, created_at)
        select $1, 'settle', -$2::integer, 'usage', gen_random_uuid(), gen_random_uuid(), 'x', 0,
          now() - make_interval(days => $3, mins => -1) where $2 > 0
        """,
        OWNER,
        used,
        days,
    )
    await connection.execute("update public.credit_wallets set balance = 120 where user_id = $1", OWNER)
    async with access.acting(connection, "owner"):
        row = await connection.fetchrow(
            """
            select balance, used_30d, per_day::text, lasts_until - (now() at time zone 'Europe/Rome')::date as lasts
            from public.credit_forecast()
            """
        )
    assert row is not None
    assert tuple(row) == (120, used, per_day, lasts)


async def test_an_erased_account_leaves_no_conversation_and_no_hold(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 10)
    turn = await talks.begin(connection, user_id, mode="ia")
    await talks.propose(connection, user_id, turn["message_id"])
    await connection.execute(
        """select private.append_events($1, 1, '[{"event": "delta", "data": {"text": "Hai"}}]')""", turn["run_id"]
    )
    await connection.execute("delete from auth.users where id = $1", user_id)
    for table in ("conversations", "messages", "runs", "tool_calls"):
        assert await connection.fetchval(f"select count(*) from public.{table} where user_id = $1", user_id) == 0
    assert await ledger.wallet(connection, user_id) == (10, 0)
