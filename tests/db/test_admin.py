"""Functions for admins: who may call them, what they log, and that they show counts only."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import asyncpg
import pytest

from tests.db import access, accounts, ledger
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio


async def _action(connection: Connection, subject_id: object) -> int:
    action_id: int = await connection.fetchval(
        "insert into public.admin_actions (admin_id, subject_id, action, reason) "
        "values ($1, $2, 'user.suspend', 'Spam') returning id",
        access.PEOPLE["admin"],
        subject_id,
    )
    return action_id


@pytest.mark.parametrize(
    "statement",
    [
        "delete from public.admin_actions where id = $1",
        "update public.admin_actions set reason = 'Other' where id = $1",
        "update public.admin_actions set subject_id = admin_id where id = $1",
    ],
)
async def test_an_admin_action_never_changes(statement: str, connection: Connection) -> None:
    action_id = await _action(connection, access.PEOPLE["owner"])
    with pytest.raises(asyncpg.IntegrityConstraintViolationError):
        await connection.execute(statement, action_id)


async def test_an_admin_action_outlives_the_account_concerned(connection: Connection) -> None:
    user_id = uuid4()
    await accounts.create(connection, user_id)
    action_id = await _action(connection, user_id)
    await connection.execute("delete from auth.users where id = $1", user_id)
    row = await connection.fetchrow("select subject_id, reason from public.admin_actions where id = $1", action_id)
    assert row is not None
    assert tuple(row) == (None, "Spam")


async def _measure(connection: Connection, name: str) -> None:
    await connection.execute("select private.take_snapshot($1, interval '10 minutes')", name)


async def _called(connection: Connection, statement: str, *arguments: object) -> Any:
    async with access.acting(connection, "admin"):
        return await connection.fetchval(statement, *arguments)


async def _lights(connection: Connection) -> dict[str, str]:
    overview = json.loads(await _called(connection, "select public.admin_overview()::text"))
    return {name: part["light"] for name, part in overview.items()}


@pytest.mark.parametrize(
    ("name", "fault", "light"),
    [
        ("credits", "update public.credit_wallets set balance = balance + 1", "error"),
        ("payments", "update public.payment_events set handled_at = null, outcome = 'failed'", "error"),
        ("security", "create table public.open_to_all (id int primary key)", "error"),
        (
            "errors",
            """
            set local session_replication_role = replica;
            insert into public.error_logs (session_id, error_message) select 's', 'boom' from generate_series(1, 501)
            """,
            "error",
        ),
    ],
)
async def test_a_fault_turns_its_light(name: str, fault: str, light: str, connection: Connection) -> None:
    await connection.execute("delete from public.payment_alerts; update public.payment_events set handled_at = now()")
    await _measure(connection, name)
    assert (await _lights(connection))[name] in ("ok", "warning")
    await connection.execute("delete from private.admin_snapshots")
    await connection.execute(fault)
    await _measure(connection, name)
    assert (await _lights(connection))[name] == light


async def test_a_light_is_old_when_the_worker_has_stopped(connection: Connection) -> None:
    await _measure(connection, "database")
    await connection.execute("update private.admin_snapshots set taken_at = now() - interval '31 minutes'")
    assert (await _lights(connection))["database"] == "old"


async def test_an_interval_has_one_snapshot_and_only_the_newest_has_tables(connection: Connection) -> None:
    await connection.execute("delete from private.admin_snapshots")
    await _measure(connection, "database")
    await connection.execute("update private.admin_snapshots set slot = slot - interval '2 hours'")
    await _measure(connection, "database")
    await _measure(connection, "database")
    rows = await connection.fetch(
        "select content ? 'tables' as has_tables from private.admin_snapshots where name = 'database' order by slot"
    )
    assert [row["has_tables"] for row in rows] == [False, True]
    report = json.loads(await _called(connection, "select public.admin_report('database', 1)::text"))
    assert report["before"]["size_bytes"] > 0
    assert len(report["points"]) == 1


async def test_a_report_groups_no_fewer_than_five_people(connection: Connection) -> None:
    for count in (4, 5):
        while True:
            people = await connection.fetchval(
                "select count(distinct user_id) from public.credit_lots where expires_at = '2031-05-02'"
            )
            if people == count:
                break
            user_id = await ledger.empty(connection)
            await ledger.grant(connection, user_id, 1)
            await connection.execute(
                "update public.credit_lots set expires_at = '2031-05-02' where user_id = $1", user_id
            )
        tables = json.loads(await connection.fetchval("select (private.measure_credits() -> 'tables')::text"))
        assert ("2031-05" in [row["name"] for row in tables["liability"]]) == (count == 5)


async def test_replaying_an_event_is_logged_with_its_reason(connection: Connection) -> None:
    await connection.execute(
        "update public.payment_events set handled_at = null, outcome = 'failed' where id = 'evt_old'"
    )
    replay = "select public.admin_replay_event('evt_old', 'The order was repaired')"
    assert [await _called(connection, replay), await _called(connection, replay)] == ["ignored", "known"]
    row = await connection.fetchrow(
        "select admin_id, action, target, before ->> 'outcome' as before, after ->> 'outcome' as after, reason "
        "from public.admin_actions where action = 'payment.replay' order by id limit 1"
    )
    assert row is not None
    assert tuple(row) == (
        access.PEOPLE["admin"], "payment.replay", "evt_old", "failed", "ignored", "The order was repaired",
    )  # fmt: skip


async def test_an_action_without_a_reason_is_refused(connection: Connection) -> None:
    with pytest.raises(asyncpg.CheckViolationError):
        await _called(connection, "select public.admin_sweep_holds(' ')")


async def test_analytics_follow_new_accounts_and_hide_small_weeks(connection: Connection) -> None:
    await connection.execute("delete from public.analytics_events")
    measured = "select private.measure_analytics()::text"
    before = json.loads(await connection.fetchval(measured))["figures"]
    people = [await ledger.empty(connection) for _ in range(5)]
    await connection.execute(
        "update auth.users set created_at = now() - interval '20 days', last_sign_in_at = now() where id = any ($1)",
        people,
    )
    await connection.execute("set local session_replication_role = replica")
    await connection.executemany(
        "insert into public.analytics_events (event_name, user_id, session_id, user_agent, created_at) "
        "select 'plan_click', $1::uuid, $1::text, 'test', created_at + interval '7 days' from auth.users where id = $1",
        [(user_id,) for user_id in people],
    )
    await connection.execute("set local session_replication_role = origin")
    after = json.loads(await connection.fetchval(measured))
    assert after["figures"]["registered"] - before["registered"] == 5
    assert after["figures"]["visits"] == 5
    assert after["figures"]["consent_rate"] == 100
    assert after["tables"]["events"] == [{"name": "plan_click", "count": 5, "sessions": 5}]
    assert [row["week_1"] for row in after["tables"]["weeks"] if row["week_1"]] == [100.0]
    await connection.execute("delete from public.analytics_events where user_id = $1", people[0])
    after = json.loads(await connection.fetchval(measured))
    assert after["tables"]["events"] == []
    assert [row["week_1"] for row in after["tables"]["weeks"] if row["week_1"]] == []


VITALS = {"page": "/crm/:contactId", "device": "phone", "lcp": 2400, "inp": 90, "cls": 0.05, "ttfb": 300}


async def _visit(connection: Connection, session_id: str, age: str = "1 hour", **changed: object) -> None:
    await connection.execute("set local session_replication_role = replica")
    await connection.execute(
        "insert into public.analytics_events (event_name, session_id, properties, user_agent, created_at) "
        "values ('web_vitals', $1, $2, 'test', now() - $3::text::interval)",
        session_id,
        json.dumps(VITALS | changed),
        age,
    )
    await connection.execute("set local session_replication_role = origin")


async def _performance(connection: Connection) -> Any:
    return json.loads(await connection.fetchval("select private.measure_performance()::text"))


def _of(report: Any, hours: int) -> list[tuple[object, ...]]:
    columns = ("page", "device", "count", "lcp", "inp", "cls", "ttfb")
    return [tuple(row.get(name) for name in columns) for row in report["tables"]["routes"] if row["hours"] == hours]


async def test_performance_is_the_75th_percentile_of_each_route_and_device(connection: Connection) -> None:
    await connection.execute("delete from public.analytics_events")
    for number, lcp in enumerate((1000, 2000, 3000, 4000, 5000)):
        await _visit(connection, f"s{number}", lcp=lcp)
        await _visit(connection, f"s{number}", age="20 days", device="computer", lcp=100)
    report = await _performance(connection)
    assert _of(report, 24) == _of(report, 168) == [("/crm/:contactId", "phone", 5, 4000, 90, 0.05, 300)]
    assert _of(report, 720) == [
        ("/crm/:contactId", "computer", 5, 100, 90, 0.05, 300),
        ("/crm/:contactId", "phone", 5, 4000, 90, 0.05, 300),
    ]
    figures = report["figures"]
    assert (figures["lcp_24"], figures["lcp_good_24"], figures["cls_good_24"]) == (4000, 40.0, 100.0)
    assert (figures["lcp_720"], figures["lcp_good_720"]) == (2750, 70.0)


async def test_performance_hides_what_fewer_than_five_visits_measured(connection: Connection) -> None:
    await connection.execute("delete from public.analytics_events")
    for number in (0, 1, 2, 3, 3):
        await _visit(connection, f"s{number}")
    report = await _performance(connection)
    assert (report["figures"], report["tables"]["routes"]) == ({}, [])
    # A fifth visit in which nobody touched anything.
    await _visit(connection, "s4", inp=None)
    report = await _performance(connection)
    assert _of(report, 24) == [("/crm/:contactId", "phone", 6, 2400, None, 0.05, 300)]
    assert "inp_24" not in report["figures"]


@pytest.mark.parametrize(
    "forged",
    [{"page": "/crm/<b>Mario Rossi</b>"}, {"page": "/a?b=mario@example.com"}, {"device": "watch"}, {"page": None}],
)
async def test_performance_lists_no_page_that_is_no_route(forged: dict[str, Any], connection: Connection) -> None:
    await connection.execute("delete from public.analytics_events")
    for number in range(5):
        await _visit(connection, f"s{number}", **forged)
    assert (await _performance(connection))["tables"]["routes"] == []


@pytest.mark.parametrize("forged", ["fast", -1, 10**40, [1]])
async def test_performance_ignores_measures_that_cannot_be(forged: object, connection: Connection) -> None:
    await connection.execute("delete from public.analytics_events")
    for number in range(5):
        await _visit(connection, f"s{number}", lcp=forged)
    assert _of(await _performance(connection), 24) == [("/crm/:contactId", "phone", 5, None, 90, 0.05, 300)]


@pytest.mark.parametrize(
    ("changed", "light"),
    [({}, "ok"), ({"lcp": 2501}, "warning"), ({"inp": 201}, "warning"), ({"cls": 0.101}, "warning"),
     ({"lcp": 4001}, "error"), ({"inp": 501}, "error"), ({"cls": 0.251}, "error")],
)  # fmt: skip
async def test_slow_pages_turn_the_light_of_performance(
    changed: dict[str, Any], light: str, connection: Connection
) -> None:
    await connection.execute("delete from public.analytics_events; delete from private.admin_snapshots")
    for number in range(5):
        await _visit(connection, f"s{number}", **changed)
    await _measure(connection, "performance")
    report = json.loads(await _called(connection, "select public.admin_report('performance', 168)::text"))
    assert report["light"] == light


@pytest.mark.parametrize("person", ["owner", "other_admin"])
async def test_only_an_admin_reads_the_report_on_performance(person: str, connection: Connection) -> None:
    await _measure(connection, "performance")
    with pytest.raises(asyncpg.PostgresError):
        async with access.acting(connection, person):
            await connection.fetchval("select public.admin_report('performance', 168)")


@pytest.mark.parametrize(
    ("statement", "shown"),
    [
        ("select  a1\nfrom t where b = $1", "select a1 from t where b = $1"),
        ("select 'Mario', E'l\\'oro', 12.5, $2 from t -- for Mario", "select ?, ?, ?, $2 from t ?"),
        ("select $$Mario$$, $a$Rossi$a$ /* it's Mario */ from t", "select ?, ? ? from t"),
        ("select 'it''s' from t limit 10", "select ? from t limit ?"),
        ("select 'cut in the mid", "?"),
    ],
)
async def test_a_statement_is_shown_without_its_values(statement: str, shown: str, connection: Connection) -> None:
    assert await connection.fetchval("select private.without_values($1)", statement) == shown


async def test_endpoints_are_listed_by_their_95th_percentile(connection: Connection) -> None:
    await connection.execute(
        """
        insert into platform.request_times (hour, endpoint, requests, failures, seconds, buckets)
        select now() - age, endpoint, (select sum(each) from unnest(buckets) as each), failures, seconds, buckets
        from (values
          -- The 95th of a hundred is the fifth of ten between 100 and 250 ms.
          ('GET /rest/v1/a', interval '1 hour', 5, 3.0, array[90, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0]),
          ('POST /functions/v1/b', '1 hour', 0, 400.0, array[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10]),
          ('POST /functions/v1/b', '2 hours', 0, 400.0, array[10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
          ('GET /rest/v1/rare', '1 hour', 0, 95.0, array[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 19]),
          ('GET /rest/v1/old', '3 days', 0, 0.4, array[100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        ) as kept (endpoint, age, failures, seconds, buckets)
        """
    )
    listed = (await _performance(connection))["tables"]["endpoints"]
    columns = ("endpoint", "requests", "p95_ms", "mean_ms", "failed_percent")
    assert [tuple(row[name] for name in columns) for row in listed if row["hours"] == 24] == [
        ("POST /functions/v1/b", 20, 10_000, 40_000, 0),
        ("GET /rest/v1/a", 100, 175, 30, 5),
    ]
    assert [row["endpoint"] for row in listed if row["hours"] == 168][-1] == "GET /rest/v1/old"


async def test_statements_are_listed_where_the_extension_can_be_read(connection: Connection) -> None:
    assert "statements" not in (await _performance(connection))["tables"]
    # Its library is not loaded here, so a table of the same name says what it would.
    await connection.execute("create extension pg_stat_statements schema extensions")
    assert "statements" not in (await _performance(connection))["tables"]
    await connection.execute(
        """
        alter extension pg_stat_statements drop view extensions.pg_stat_statements;
        drop view extensions.pg_stat_statements;
        create table extensions.pg_stat_statements as
        select oid as dbid, query, 4::bigint as calls, total as total_exec_time, total / 4 as mean_exec_time
        from pg_database cross join (values
          ('alter role mario password ''secret''', 900.0::float8),
          ('select ''Mario'' from t', 100),
          ('with a as (select 1) select', 800)
        ) as seen (query, total)
        where datname = current_database()
        """
    )
    assert (await _performance(connection))["tables"]["statements"] == [
        {"statement": "with a as (select ?) select", "calls": 4, "total_ms": 800, "mean_ms": 200.0},
        {"statement": "select ? from t", "calls": 4, "total_ms": 100, "mean_ms": 25.0},
    ]


async def test_the_last_twelve_versions_of_the_client_are_known_with_their_weight(connection: Connection) -> None:
    await connection.execute("delete from private.admin_snapshots")
    for release, size in [
        ("aaaaaaaa", 100),
        ("aaaaaaaa", 100),
        ("bbbbbbbb", 200),
        *((f"c{n:07}", n) for n in range(11)),
    ]:
        await connection.execute(
            "select private.keep_client_sizes($1, $2::text::jsonb)", release, json.dumps({"app": size})
        )
    report = json.loads(await _called(connection, "select public.admin_report('client', 24)::text"))
    releases = report["tables"]["releases"]
    assert [(one["release"], one["app"]) for one in releases] == [
        *((f"c{n:07}", n) for n in reversed(range(11))),
        ("bbbbbbbb", 200),
    ]
    assert report["figures"] == {"app": 10}
