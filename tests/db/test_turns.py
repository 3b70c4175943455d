"""Turns of a conversation: begun once, limited, and about nothing of a stranger."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest

from tests.db import accounts, documents, ledger, talks
from tests.db.access import PEOPLE
from tests.db.accounts import Connection, Pool

pytestmark = pytest.mark.anyio

STRANGER = PEOPLE["stranger"]


async def _refused(connection: Connection, user_id: UUID, **turn: Any) -> tuple[str, str | None]:
    """SQLSTATE and detail of a turn that is refused."""
    with pytest.raises(asyncpg.PostgresError) as refusal:
        async with connection.transaction():
            await talks.begin(connection, user_id, **turn)
    return str(refusal.value.sqlstate), refusal.value.detail


async def test_a_turn_writes_question_answer_run_and_hold(connection: Connection, anna: UUID) -> None:
    turn = await talks.begin(connection, anna, "Quanto ho in trattativa?", mode="ia", agent="consiglio")
    rows = await connection.fetch(
        "select role, content, status, quote, parent_id from public.messages where user_id = $1 order by role desc",
        anna,
    )
    assert [tuple(row) for row in rows] == [
        ("user", "Quanto ho in trattativa?", "done", None, None),
        ("assistant", "", "queued", 3, UUID(turn["user_message_id"])),
    ]
    assert await ledger.wallet(connection, anna) == (7, 3)
    assert not turn["repeated"]
    assert turn["uses_memory"]


async def test_twenty_equal_requests_at_once_are_one_turn(pool: Pool) -> None:
    user_id = await accounts.create(pool)
    key = uuid4()
    turns = await asyncio.gather(*(talks.begin(pool, user_id, client_key=key, mode="ia") for _ in range(20)))
    assert Counter(turn.pop("repeated") for turn in turns) == {False: 1, True: 19}
    assert all(turn == turns[0] for turn in turns)
    assert await ledger.wallet(pool, user_id) == (99, 1)
    assert await pool.fetchval("select turns from private.assistant_use where span = '1 minute'") == 1


async def test_answers_of_one_person_at_once_are_three_and_one_a_conversation(pool: Pool) -> None:
    user_id = await accounts.create(pool)

    async def ask(conversation_id: str | None) -> str:
        try:
            turn = await talks.begin(pool, user_id, conversation_id=conversation_id)
        except asyncpg.PostgresError as refusal:
            return f"{refusal.sqlstate} {refusal.detail or ''}".strip()
        return str(turn["conversation_id"])

    first = await talks.begin(pool, user_id)
    assert await ask(first["conversation_id"]) == f"SA002 {first['run_id']}"
    answers = Counter(await asyncio.gather(*(ask(None) for _ in range(10))))
    assert answers.pop("SA003") == 8
    assert len(answers) == 2


async def test_a_question_edited_and_an_answer_made_anew_are_siblings(connection: Connection, anna: UUID) -> None:
    first = await talks.begin(connection, anna)
    await talks.finish(connection, first["run_id"])
    talk = {"conversation_id": first["conversation_id"]}
    anew = await talks.begin(connection, anna, "", regenerate=first["message_id"], **talk)
    await talks.finish(connection, anew["run_id"])
    follow = await talks.begin(connection, anna, parent_id=first["message_id"], **talk)
    await talks.finish(connection, follow["run_id"])
    edited = await talks.begin(connection, anna, "E oggi?", **talk)
    rows = await connection.fetch(
        "select id::text, parent_id::text as parent from public.messages where user_id = $1", anna
    )
    parents = {row["id"]: row["parent"] for row in rows}
    assert anew["user_message_id"] == first["user_message_id"]
    assert parents[anew["message_id"]] == parents[first["message_id"]] == first["user_message_id"]
    assert parents[follow["user_message_id"]] == first["message_id"]
    assert parents[edited["user_message_id"]] is None
    assert len(parents) == 7


async def test_nothing_of_a_stranger_can_be_named(connection: Connection, anna: UUID) -> None:
    mine, theirs = await talks.begin(connection, anna), await talks.begin(connection, STRANGER)
    for turn in (mine, theirs):
        await talks.finish(connection, turn["run_id"])
    other = await talks.begin(connection, anna)
    await talks.finish(connection, other["run_id"])
    talk = {"conversation_id": mine["conversation_id"]}
    gone = await documents.document(connection, anna)
    await connection.execute("update public.documents set deleted_at = now() where id = $1", gone)
    for named in (
        {"conversation_id": theirs["conversation_id"]},
        {**talk, "parent_id": theirs["message_id"]},
        {**talk, "parent_id": other["message_id"]},
        {**talk, "parent_id": mine["user_message_id"]},
        {**talk, "regenerate": theirs["message_id"]},
        {"regenerate": mine["message_id"]},
        {"attachments": [await documents.document(connection, STRANGER)]},
        {"attachments": [gone]},
    ):
        assert (await _refused(connection, anna, **named))[0] == "PT404", named
    mine_too = await documents.document(connection, anna)
    await talks.begin(connection, anna, attachments=[mine_too], parent_id=mine["message_id"], **talk)


@pytest.mark.parametrize("content", ["", " \n\t", "x" * 20_001], ids=["nothing", "spaces", "too long"])
async def test_a_question_has_something_to_say_and_an_end(content: str, connection: Connection, anna: UUID) -> None:
    with pytest.raises(asyncpg.PostgresError) as refusal:
        await talks.begin(connection, anna, content)
    assert refusal.value.sqlstate == "SA004"


async def test_without_credits_nothing_is_written_and_local_mode_goes_on(connection: Connection) -> None:
    poor = await ledger.empty(connection)
    assert (await _refused(connection, poor, mode="ia"))[0] == "SC003"
    await ledger.grant(connection, poor, 5)
    await connection.execute("update public.credit_settings set monthly_cap = 2 where user_id = $1", poor)
    assert (await _refused(connection, poor, mode="ia", agent="consiglio"))[0] == "SC005"
    assert await connection.fetchval("select count(*) from public.conversations where user_id = $1", poor) == 0
    assert await connection.fetchval("select count(*) from private.assistant_use where user_id = $1", poor) == 0
    assert (await talks.begin(connection, poor))["quote"] == 0


async def test_the_price_is_of_who_answers_and_never_more_than_was_shown(connection: Connection, anna: UUID) -> None:
    first = await talks.begin(connection, anna, mode="ia", agent="consiglio")
    await talks.finish(connection, first["run_id"])
    same = {"conversation_id": first["conversation_id"], "mode": "ia"}
    assert await _refused(connection, anna, **same, max_credits=2) == ("SA005", "3")
    for turn, quote in (
        ({"max_credits": 3}, 3),
        ({"is_deep": True}, 3),
        ({"agent": "logico", "max_credits": 1}, 1),
        ({"mode": "locale", "max_credits": 0}, 0),
    ):
        begun = await talks.begin(connection, anna, **same | turn)
        assert begun["quote"] == quote, turn
        await talks.finish(connection, begun["run_id"])


@pytest.mark.parametrize(
    ("pack", "span", "most"),
    [
        (None, "1 minute", 20),
        (None, "1 hour", 100),
        (None, "1 day", 1000),
        ("starter", "1 hour", 500),
        ("pro", "1 hour", 2000),
    ],
)
async def test_a_turn_too_many_says_when_there_is_room_again(
    pack: str | None, span: str, most: int, connection: Connection, anna: UUID
) -> None:
    if pack:
        await connection.execute(
            """
            insert into public.credit_orders (
              user_id, pack_id, catalog_version, amount_cents, currency, credits, bonus, expires_at, paid_at,
              fulfilled_at
            ) values ($1, $2, 1, 999, 'EUR', 100, 0, now(), now(), now())
            """,
            anna,
            pack,
        )
    await connection.execute(
        """
        insert into private.assistant_use (user_id, span, started_at, turns)
        values ($1, $2::text::interval, now() - $2::text::interval + interval '10 seconds', $3)
        """,
        anna,
        span,
        most - 1,
    )
    turn = await talks.begin(connection, anna)
    # Who deletes the conversation gets nothing back.
    await connection.execute("delete from public.conversations where id = $1", turn["conversation_id"])
    assert await _refused(connection, anna) == ("SA001", "10")
    await connection.execute("update private.assistant_use set started_at = started_at - interval '10 seconds'")
    assert (await talks.begin(connection, anna))["run_id"]


async def test_who_asks_again_need_not_wait_for_the_sweep(connection: Connection, anna: UUID) -> None:
    turn = await talks.begin(connection, anna)
    await talks.fall_silent(connection, turn["run_id"])
    again = await talks.begin(connection, anna, conversation_id=turn["conversation_id"])
    assert again["run_id"] != turn["run_id"]


async def test_a_temporary_conversation_uses_no_memory(connection: Connection, anna: UUID) -> None:
    assert not (await talks.begin(connection, anna, is_temporary=True))["uses_memory"]
    await connection.execute("insert into public.memory_settings (user_id, in_new_chats) values ($1, false)", anna)
    assert not (await talks.begin(connection, anna))["uses_memory"]
