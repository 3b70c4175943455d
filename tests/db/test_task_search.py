"""Finding tasks by any part of their title: the same ones as by comparing each title, at a price that stays."""

from __future__ import annotations

import json
from itertools import product

import pytest

from tests.db import access, work
from tests.db.access import PEOPLE
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

OWNER, STRANGER = PEOPLE["owner"], PEOPLE["stranger"]
# More than the search looks at before it asks the index.
MANY = 1_200
FILL = """
set local session_replication_role = replica;
insert into public.tasks (user_id, title, state, completed_at, updated_at)
select $1, concat_ws(' ', (array['Chiamare', 'Scrivere a', 'Così com''è:'])[1 + n % 3],
    (array['Rossi', 'D’Angelò', 'ÈLITE srl', '50% di a_b\\c'])[1 + n % 4], n),
  case when n % 2 = 0 then 'fatto' else 'da_fare' end::public.task_state, case when n % 2 = 0 then now() end,
  now() - n * interval '1 hour'
from generate_series($2::integer, $3::integer) as n;
set local session_replication_role = origin
"""
TEXTS = [
    *("chiamare", "CHIAM", "iamare r", "re a", "ss", "o", " ", "élite", "èlite S"),
    *("angelò", "angelo", "così", "cosi"),
    *("%", "_b", "a_b\\c", "\\", "0% di", "com'è", "m'", "'", "’a", "i 117", "17", "1199"),
    *("1200", "srl 1", "manca", "x", "1 ", "Rossi Bianchi", "& 'rossi':*", ""),
]


async def _fill(connection: Connection, first: int, last: int) -> None:
    for statement in FILL.split(";\n"):
        arguments = (OWNER, first, last) if "$1" in statement else ()
        await connection.execute(statement, *arguments)


async def _found(connection: Connection, text: str, role: str = "owner", is_done: bool | None = None) -> list[str]:
    async with access.acting(connection, role):
        rows = await connection.fetch("select title from public.search_tasks($1, 5, $2)", text, is_done)
    return [row["title"] for row in rows]


async def test_every_part_of_a_title_finds_what_was_changed_last(connection: Connection) -> None:
    await _fill(connection, 1, MANY)
    for text, is_done in product(TEXTS, (None, False, True)):
        expected = await connection.fetch(
            """
            select title::text from public.tasks
            where user_id = $1 and deleted_at is null and strpos(lower(title), lower($2)) > 0 and $2 <> ''
              and (state = 'fatto' or $3 is not true) and (state <> 'fatto' or $3 is not false)
            order by updated_at desc limit 5
            """,
            OWNER,
            text,
            is_done,
        )
        found = await _found(connection, text, is_done=is_done)
        assert (text, found) == (text, [row["title"] for row in expected])


async def test_strangers_and_the_trash_are_never_found(connection: Connection) -> None:
    await work.task(connection, STRANGER, title="Segreto")
    gone = await work.task(connection, OWNER, title="Segreto nel cestino")
    assert await _found(connection, "segret") == ["Segreto nel cestino"]
    await connection.execute("update public.tasks set deleted_at = now() where id = $1", gone["id"])
    assert await _found(connection, "segret") == []


async def test_a_new_title_is_found_at_once_and_the_old_one_no_more(connection: Connection) -> None:
    await _fill(connection, 1, MANY)
    task = await connection.fetchval("select id from public.tasks where title = 'Scrivere a Rossi 1192'")
    await connection.execute("update public.tasks set title = 'Fattura Zanzibar' where id = $1", task)
    assert await _found(connection, "zanzibar") == ["Fattura Zanzibar"]
    assert await _found(connection, "Rossi 1192") == []


async def test_a_search_reads_no_more_as_ones_own_tasks_grow(connection: Connection) -> None:
    async def buffers() -> list[int]:
        await connection.execute("analyze public.tasks")
        return [await read(text) for text in ("chiamare", "manca del tutto", "1199")]

    async def read(text: str) -> int:
        explained = "explain (analyze, buffers, format json) select * from public.search_tasks($1)"
        async with access.acting(connection, "owner"):
            plans = [await connection.fetchval(explained, text) for _ in range(3)]
        return min(int(json.loads(plan)[0]["Plan"]["Shared Hit Blocks"]) for plan in plans)

    await _fill(connection, 1, MANY)
    few = await buffers()
    await _fill(connection, MANY + 1, 8 * MANY)
    many = await buffers()
    assert all(large <= 1.3 * small + 40 for small, large in zip(few, many, strict=True)), (few, many)
