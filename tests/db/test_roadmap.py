"""Roadmap: ideas of people, what admins make of them, what everybody sees, and votes."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import asyncpg
import pytest

from tests.db import access
from tests.db.access import PEOPLE
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

WRITE = "select public.admin_write_roadmap_item($1, '', $2, $3, $4::date)"
ANSWER = "select public.admin_answer_idea($1, $2, $3)"


@pytest.fixture(autouse=True)
async def nothing(connection: Connection) -> None:
    await connection.execute("delete from private.ideas; delete from private.roadmap_items")


async def _send(connection: Connection, title: str, role: str = "owner") -> int:
    async with access.acting(connection, role):
        idea_id: int = await connection.fetchval("select public.send_idea($1, 'Ne ho venti al mese')", title)
    return idea_id


async def _write(
    connection: Connection,
    state: str = "planned",
    *,
    title: str = "Fatture in blocco",
    is_public: bool = True,
    due_on: date | None = None,
) -> int:
    async with access.acting(connection, "admin"):
        item_id: int = await connection.fetchval(WRITE, title, state, is_public, due_on)
    return item_id


async def _move(connection: Connection, item_id: int, state: str) -> None:
    async with access.acting(connection, "admin"):
        await connection.execute(
            "select public.admin_write_roadmap_item('Fatture in blocco', '', $2, true, _id => $1)", item_id, state
        )


async def _answer(connection: Connection, idea_id: int, item_id: int | None, reply: str | None = None) -> None:
    async with access.acting(connection, "admin"):
        await connection.execute(ANSWER, idea_id, item_id, reply)


async def _board(connection: Connection, role: str = "anon") -> list[dict[str, Any]]:
    async with access.acting(connection, role):
        return [dict(row) for row in await connection.fetch("select * from public.roadmap_board()")]


async def _vote(connection: Connection, item_id: int, role: str, *, is_for: bool = True) -> int:
    async with access.acting(connection, role):
        votes: int = await connection.fetchval("select public.vote_roadmap_item($1, $2)", item_id, is_for)
    return votes


async def _told(connection: Connection, role: str) -> list[str]:
    rows = await connection.fetch(
        "select title from public.notifications where user_id = $1 and kind = 'idea' order by created_at, title",
        PEOPLE[role],
    )
    return [row["title"] for row in rows]


async def _mine(connection: Connection, role: str = "owner") -> list[tuple[Any, ...]]:
    async with access.acting(connection, role):
        rows = await connection.fetch("select title, state, item_title, reply from public.my_ideas()")
    return [tuple(row) for row in rows]


async def test_an_idea_is_read_by_its_author_and_by_admins_without_a_name(connection: Connection) -> None:
    idea_id = await _send(connection, "Le fatture in blocco")
    assert await _mine(connection) == [("Le fatture in blocco", "new", None, None)]
    assert await _mine(connection, "stranger") == []
    async with access.acting(connection, "admin"):
        seen = json.loads(await connection.fetchval("select public.admin_roadmap()::text"))
    [idea] = seen["ideas"]
    assert (idea["id"], idea["text"], idea["item_id"]) == (idea_id, "Ne ho venti al mese", None)
    assert str(PEOPLE["owner"]) not in json.dumps(seen)
    assert await _board(connection) == []


async def test_the_same_idea_comes_once_and_the_eleventh_of_a_day_not(connection: Connection) -> None:
    assert await _send(connection, "Idea 0") == await _send(connection, "Idea 0")
    for number in range(1, 10):
        await _send(connection, f"Idea {number}")
    with pytest.raises(asyncpg.PostgresError) as refused:
        await _send(connection, "Idea 10")
    assert refused.value.sqlstate == "SC061"


async def test_ideas_with_one_item_are_one_wish_and_their_authors_vote_for_it(connection: Connection) -> None:
    item_id = await _write(connection)
    for role in ("owner", "stranger"):
        await _answer(connection, await _send(connection, "Fatture insieme", role), item_id)
    [item] = await _board(connection, "owner")
    assert (item["id"], item["votes"], item["is_mine"]) == (item_id, 2, True)
    assert await _mine(connection) == [("Fatture insieme", "planned", "Fatture in blocco", None)]
    assert await _told(connection, "owner") == ["La tua idea: è prevista"]


async def test_a_refusal_needs_a_reason_which_its_author_reads(connection: Connection) -> None:
    idea_id = await _send(connection, "Un’app per frigoriferi")
    with pytest.raises(asyncpg.CheckViolationError):
        async with connection.transaction():
            await _answer(connection, idea_id, None, "  ")
    await _answer(connection, idea_id, None, "Non è un lavoro per Socio")
    assert await _mine(connection) == [("Un’app per frigoriferi", "declined", None, "Non è un lavoro per Socio")]
    assert await _told(connection, "owner") == ["La tua idea: non la faremo"]


async def test_who_asked_and_who_voted_hears_once_that_it_is_done(connection: Connection) -> None:
    item_id = await _write(connection)
    await _answer(connection, await _send(connection, "Fatture insieme"), item_id)
    await _vote(connection, item_id, "stranger")
    for state in ("started", "done", "done", "started", "done"):
        await _move(connection, item_id, state)
    assert sorted(await _told(connection, "owner")) == [
        "La tua idea: ci stiamo lavorando",
        "La tua idea: è fatta",
        "La tua idea: è prevista",
    ]
    assert await _told(connection, "stranger") == ["Fatto: Fatture in blocco"]


async def test_votes_count_once_are_taken_back_and_only_for_what_is_public_and_open(connection: Connection) -> None:
    item_id = await _write(connection)
    assert [await _vote(connection, item_id, role) for role in ("owner", "owner", "stranger")] == [1, 1, 2]
    assert await _vote(connection, item_id, "owner", is_for=False) == 1
    assert [(row["votes"], row["is_mine"]) for row in await _board(connection, "owner")] == [(1, False)]
    for closed in (await _write(connection, is_public=False), await _write(connection, "done"), item_id + 99):
        with pytest.raises(asyncpg.PostgresError) as refused:
            async with connection.transaction():
                await _vote(connection, closed, "owner")
        assert refused.value.sqlstate == "PT404"


async def test_everybody_sees_public_items_the_most_wanted_first_and_what_is_late(connection: Connection) -> None:
    await _write(connection, title="Nascosta", is_public=False)
    await _write(connection, "declined", title="Rifiutata")
    await _write(connection, "done", title="Fatta tardi", due_on=date(2020, 1, 1))
    late = await _write(connection, "started", title="In ritardo", due_on=date(2020, 1, 1))
    await _write(connection, title="Più tardi", due_on=date(2999, 1, 1))
    await _vote(connection, late, "owner")
    assert [(row["title"], row["is_late"]) for row in await _board(connection)] == [
        ("In ritardo", True),
        ("Più tardi", False),
        ("Fatta tardi", False),
    ]


async def test_a_technical_item_stays_inside_and_no_idea_leads_to_it(connection: Connection) -> None:
    technical = "select public.admin_write_roadmap_item('Indice', '', 'planned', $1, _kind => 'technical')"
    with pytest.raises(asyncpg.CheckViolationError):
        async with connection.transaction(), access.acting(connection, "admin"):
            await connection.fetchval(technical, True)
    async with access.acting(connection, "admin"):
        item_id = await connection.fetchval(technical, False)
    idea_id = await _send(connection, "Più veloce")
    with pytest.raises(asyncpg.PostgresError) as refused:
        async with connection.transaction():
            await _answer(connection, idea_id, item_id)
    assert refused.value.sqlstate == "PT404"


async def test_an_erased_idea_leaves_what_was_planned_and_others_keep_theirs(connection: Connection) -> None:
    item_id = await _write(connection)
    idea_id = await _send(connection, "Fatture insieme")
    await _answer(connection, idea_id, item_id)
    for role, left in (("stranger", 1), ("owner", 0)):
        async with access.acting(connection, role):
            await connection.execute("select public.delete_idea($1)", idea_id)
        assert len(await _mine(connection)) == left
    assert [row["id"] for row in await _board(connection)] == [item_id]


async def test_what_admins_write_is_logged_and_nobody_else_writes(connection: Connection) -> None:
    item_id = await _write(connection)
    await _answer(connection, await _send(connection, "Fatture insieme"), item_id)
    rows = await connection.fetch(
        "select action, reason, subject_id from public.admin_actions order by id desc limit 2"
    )
    assert [tuple(row) for row in rows] == [
        ("idea.answer", "Collegata a: Fatture in blocco", PEOPLE["owner"]),
        ("roadmap.write", "Fatture in blocco", None),
    ]
    for call in (
        WRITE.replace("$1", "'Altro'").replace("$2", "'planned'").replace("$3", "true").replace("$4", "null"),
        "select public.admin_roadmap()",
        "select public.admin_answer_idea(1, null, 'No grazie')",
    ):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            async with connection.transaction(), access.acting(connection, "owner"):
                await connection.execute(call)
