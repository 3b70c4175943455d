"""Groups of errors: what is one group, what an admin decides, and what opens it again."""

from __future__ import annotations

import json
from typing import Any

import asyncpg
import pytest

from tests.db import access
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

STACK = "TypeError: x\n    at n (https://socio.example/assets/base-AAAAAAAA.js:1:2)\n    at t (https://socio.example/assets/{}.js:9:1)"


async def _report(
    connection: Connection,
    message: str = "boom",
    *,
    chunk: str = "crm-page-BqB_x-12",
    release: str = "one",
    count: int = 1,
) -> None:
    """Report an error from as many visits, and group it."""
    await connection.execute("set local session_replication_role = replica")
    await connection.execute(
        """
        insert into public.error_logs (session_id, error_message, error_stack, metadata, created_at)
        select 's' || number, $1, $2, jsonb_build_object('release', $3::text), clock_timestamp()
        from generate_series(1, $4::int) as number
        """,
        message,
        STACK.format(chunk),
        release,
        count,
    )
    await connection.execute("set local session_replication_role = origin")
    await connection.execute("select private.group_errors()")


async def _groups(connection: Connection, state: str = "open") -> list[asyncpg.Record]:
    async with access.acting(connection, "admin"):
        return list(await connection.fetch("select * from public.admin_error_groups($1, 24)", state))


async def _decide(connection: Connection, decision: str, muted_until: int | None = None) -> Any:
    group_id = await connection.fetchval("select id from private.error_groups")
    async with access.acting(connection, "admin"):
        answer = await connection.fetchval(
            "select public.admin_decide_error($1, $2, 'one', 'Known', $3)", group_id, decision, muted_until
        )
    # now() stands still in a transaction: what comes next is later.
    await connection.execute("update private.error_groups set decided_at = clock_timestamp()")
    return answer


@pytest.fixture(autouse=True)
async def nothing(connection: Connection) -> None:
    await connection.execute("delete from public.error_logs; delete from private.error_groups")


async def test_errors_with_the_same_words_at_the_same_place_are_one_group(connection: Connection) -> None:
    await _report(connection, "Cannot read 'Anna Verdi' of 12", chunk="crm-page-BqB_x-12")
    await _report(connection, "Cannot read 'Mario's dog' of 7", chunk="crm-page-00000000", release="two")
    await _report(connection, "Cannot read 'Anna Verdi' of 12", chunk="tasks-page-00000000")
    await connection.execute("select private.group_errors()")
    found = {
        (row["message"], row["place"]): (row["count"], row["first_release"], row["last_release"])
        for row in await _groups(connection)
    }
    assert found == {
        ("Cannot read «…» of n", "crm-page"): (2, "one", "two"),
        ("Cannot read «…» of n", "tasks-page"): (1, "one", "one"),
    }


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("No row of anna@example.it at https://a.it/x?y=1", "No row of … at …"),
        ("Unexpected token 'M', \"Mario Ros\"... is not JSON", "Unexpected token «…», «…»... is not JSON"),
        ("Gone: 3f2504e0-4f89-41d3-9a0c-0305e82c3301", "Gone: n"),
        ("Can't go on", "Can't go on"),
        ("  ", "–"),
    ],
)
async def test_a_message_is_shown_without_what_a_person_typed(message: str, shown: str, connection: Connection) -> None:
    assert await connection.fetchval("select private.error_message($1)", message) == shown


async def test_an_error_without_a_stack_has_the_start_of_its_path(connection: Connection) -> None:
    place = "select private.error_place(null, 'https://socio.example/crm/anna-verdi?q=x')"
    assert await connection.fetchval(place) == "/crm"


async def test_fewer_than_five_people_are_not_counted(connection: Connection) -> None:
    await _report(connection, count=4)
    assert [row["people"] for row in await _groups(connection)] == [None]
    await _report(connection, count=5)
    assert [(row["people"], row["count"]) for row in await _groups(connection)] == [(5, 9)]


@pytest.mark.parametrize(
    ("decision", "muted_until", "stays", "comes_back"),
    [
        ("resolved", None, None, {"release": "one"}),
        # A tab that is still open runs the old build.
        ("next_release", None, {"release": "one"}, {"release": "two"}),
        ("muted", 5, {"count": 4}, {"count": 1}),
    ],
)
async def test_a_decided_group_opens_again_when_it_is_back(
    decision: str, muted_until: int | None, stays: Any, comes_back: Any, connection: Connection
) -> None:
    await _report(connection)
    assert await _decide(connection, decision, muted_until) == decision
    if stays:
        await _report(connection, **stays)
    await connection.execute("select private.group_errors()")
    assert await _groups(connection) == []
    state = "muted" if decision == "muted" else "resolved"
    assert [row["state"] for row in await _groups(connection, state)] == [decision]
    await _report(connection, **comes_back)
    assert [row["is_back"] for row in await _groups(connection)] == [True]
    figures = "select private.measure_errors() #>> '{figures,regressions}'"
    assert await connection.fetchval(figures) == "1"


async def test_a_decision_is_logged_with_its_reason(connection: Connection) -> None:
    await _report(connection)
    await _decide(connection, "muted", 20)
    row = await connection.fetchrow(
        "select action, target, before ->> 'state' as before, after ->> 'muted_until' as after, reason "
        "from public.admin_actions order by id desc limit 1"
    )
    assert row is not None
    assert tuple(row) == ("error.muted", "boom", "open", "20", "Known")


async def test_a_mute_without_a_limit_is_refused(connection: Connection) -> None:
    await _report(connection)
    with pytest.raises(asyncpg.CheckViolationError):
        await _decide(connection, "muted")


async def test_a_group_is_forgotten_ninety_days_after_its_last_error(connection: Connection) -> None:
    await _report(connection)
    await connection.execute("update private.error_groups set last_seen_at = now() - interval '91 days'")
    await connection.execute("select private.group_errors()")
    assert await connection.fetchval("select count(*) from private.error_groups") == 0


async def test_errors_of_the_server_are_grouped_by_their_first_line_with_their_last_request(
    connection: Connection,
) -> None:
    for number in range(6):
        await connection.execute(
            """
            insert into public.error_logs (session_id, error_message, error_stack, metadata, source)
            values ($1, 'KeyError: request failed', $2, '{"release": "0.2.0"}', 'server')
            """,
            f"request-{number}",
            f"backend/x.py · read\n  backend/x.py:{number} read",
        )
        await connection.execute("select private.group_errors()")
    (group,) = await _groups(connection)
    assert (group["message"], group["place"], group["source"]) == (
        "KeyError: request failed",
        "backend/x.py · read",
        "server",
    )
    assert (group["count"], group["last_request_id"], group["last_release"]) == (6, "request-5", "0.2.0")
    # Requests are not people.
    assert group["people"] is None
    figures = await connection.fetchval("select private.measure_errors() ->> 'figures'")
    assert '"server_errors": 6' in figures
    assert '"sessions": 0' in figures


@pytest.mark.parametrize("person", ["anon", "owner"])
async def test_nobody_else_writes_errors_of_the_server(person: str, connection: Connection) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        async with access.acting(connection, person):
            await connection.execute(
                "insert into public.error_logs (session_id, error_message, source) values ('s', 'm', 'server')"
            )


async def _trace(connection: Connection) -> Any:
    group_id = await connection.fetchval("select id from private.error_groups")
    async with access.acting(connection, "admin"):
        return json.loads(await connection.fetchval("select public.admin_error_trace($1)", group_id))


async def test_a_trace_has_the_places_of_the_newest_error_and_nothing_else(connection: Connection) -> None:
    await _report(connection, chunk="crm-page-00000000", release="old")
    await _report(connection, chunk="crm-page-BqB_x-12", release="new")
    trace = await _trace(connection)
    assert trace["release"] == "new"
    assert trace["stack"] == [
        {"file": "base-AAAAAAAA.js", "line": 1, "column": 2, "name": ""},
        {"file": "crm-page-BqB_x-12.js", "line": 9, "column": 1, "name": ""},
    ]
    assert trace["components"] == []


async def test_a_trace_shows_no_words_of_a_visitor(connection: Connection) -> None:
    await connection.execute(
        """
        insert into public.error_logs (session_id, error_message, error_stack, component_stack, user_agent, metadata)
        values (
          's', 'boom',
          E'Error: Anna Verdi\n at x (https://socio.example/assets/../../secret.js:1:2)\n'
            || ' at y (https://socio.example/assets/a-1.js:1:99999999)',
          E'at Foo (https://socio.example/assets/app-12345678.js:3:4)', 'Anna Verdi',
          '{"release": "<b>Anna</b>", "viewport": "Anna"}'
        )
        """
    )
    await connection.execute("select private.group_errors()")
    trace = await _trace(connection)
    assert (trace["release"], trace["viewport"], trace["browser"], trace["stack"]) == (None, None, "Altro", [])
    assert trace["components"] == [{"file": "app-12345678.js", "line": 3, "column": 4, "name": ""}]


async def test_a_trace_of_the_server_has_its_files_and_functions(connection: Connection) -> None:
    await connection.execute(
        """
        insert into public.error_logs (session_id, error_message, error_stack, source)
        values ('request', 'KeyError: failed', E'functions/x.py · read\n  functions/x.py:12 read', 'server')
        """
    )
    await connection.execute("select private.group_errors()")
    trace = await _trace(connection)
    assert trace["stack"] == [{"file": "functions/x.py", "line": 12, "column": None, "name": "read"}]
