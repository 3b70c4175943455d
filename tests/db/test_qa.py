"""Quality: runs on phones and in browsers, what admins say about a cell, and the devices of real visits."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from tests.db import access, accounts
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

KEEP = "select private.keep_qa_run($1::text::jsonb, $2::text::jsonb)"
JUDGE = "select public.admin_judge_qa('mobile', '/home', '360', $1, $2, $3)"
BEGUN = datetime(2026, 11, 1, 10, tzinfo=UTC)
PIXEL = "iVBORw0KGgo="


@pytest.fixture(autouse=True)
async def nothing(connection: Connection) -> None:
    await connection.execute(
        "delete from private.qa_runs; delete from private.qa_verdicts; delete from private.qa_requests"
    )


async def _keep(
    connection: Connection, number: int, *failed: str, kind: str = "mobile", browser: str = "chromium 150.0.1"
) -> bool:
    """Keep a run of /home that began `number` days after the first, in which these checks failed."""
    name, version = browser.rsplit(" ", 1)
    begun = BEGUN + timedelta(days=number)
    run = {
        "id": f"{kind}-{number}-{name}",
        "kind": kind,
        "source": "Playwright 1.65.1",
        "browser": name,
        "browser_version": version,
        "started_at": begun.isoformat(),
        "finished_at": begun.isoformat(),
    }
    items = [
        {
            "route": "/home",
            "width": 360 if kind == "mobile" else None,
            "check_name": check,
            "outcome": "failed" if check in failed else "passed",
            "note": "too wide" if check in failed else "",
            "picture": PIXEL if check in failed else None,
        }
        for check in ("opens", "overflow", "tap_target")
    ]
    is_new: bool = await connection.fetchval(KEEP, json.dumps(run), json.dumps(items))
    return is_new


async def _called(connection: Connection, statement: str, *arguments: object, role: str = "admin") -> Any:
    async with access.acting(connection, role):
        return await connection.fetchval(statement, *arguments)


async def _cells(connection: Connection, kind: str = "mobile") -> dict[str, Any]:
    found = json.loads(await _called(connection, "select public.admin_qa($1)::text", kind))
    return {cell["place"]: cell for cell in found["cells"]}


async def _judge(connection: Connection, outcome: str, until: date | None = None, note: str = "Visto a mano") -> Any:
    return await _called(connection, JUDGE, outcome, note, until)


async def _today(connection: Connection) -> date:
    day: date = await connection.fetchval("select (now() at time zone 'Europe/Rome')::date")
    return day


async def test_the_newest_run_of_a_cell_counts_whenever_it_was_sent(connection: Connection) -> None:
    await _keep(connection, 2)
    await _keep(connection, 1, "overflow")
    assert (await _cells(connection))["360"]["state"] == "passed"
    await _keep(connection, 3, "overflow")
    cell = (await _cells(connection))["360"]
    assert (cell["state"], cell["failed"], cell["run_id"]) == ("failed", ["overflow"], "mobile-3-chromium")
    assert [(item["check"], item["note"], item["has_picture"]) for item in cell["items"]] == [
        ("opens", "", False), ("overflow", "too wide", True), ("tap_target", "", False),
    ]  # fmt: skip


async def test_a_run_that_is_known_changes_nothing(connection: Connection) -> None:
    assert await _keep(connection, 1)
    assert not await _keep(connection, 1, "overflow")
    assert (await _cells(connection))["360"]["state"] == "passed"


async def test_a_browser_has_a_column_for_each_major_version(connection: Connection) -> None:
    await _keep(connection, 1, kind="browser")
    await _keep(connection, 2, "opens", kind="browser", browser="chromium 150.9")
    await _keep(connection, 3, kind="browser", browser="firefox 140.2")
    states = {place: cell["state"] for place, cell in (await _cells(connection, "browser")).items()}
    assert states == {"chromium 150": "failed", "firefox 140": "passed"}


@pytest.mark.parametrize("role", ["admin", "anon", "owner", "other_admin"])
async def test_only_admins_read_the_picture_of_a_failure(role: str, connection: Connection) -> None:
    await _keep(connection, 1, "overflow")
    item_id = await connection.fetchval("select id from private.qa_items where picture is not null")
    read = "select public.admin_qa_picture($1)"
    if role == "admin":
        assert await _called(connection, read, item_id) == PIXEL
        return
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await _called(connection, read, item_id, role=role)


async def test_an_exception_holds_until_its_day_and_for_the_checks_that_had_failed(connection: Connection) -> None:
    await _keep(connection, 1, "overflow")
    today = await _today(connection)
    assert await _judge(connection, "accepted", today) == "accepted"
    # Another run with the same fault; then one with another fault beside it.
    await _keep(connection, 2, "overflow")
    assert (await _cells(connection))["360"]["state"] == "accepted"
    await connection.execute("update private.qa_verdicts set until = $1", today - timedelta(days=1))
    assert (await _cells(connection))["360"]["state"] == "failed"
    await connection.execute("update private.qa_verdicts set until = $1", today)
    await _keep(connection, 3, "overflow", "tap_target")
    assert (await _cells(connection))["360"]["state"] == "failed"
    await _keep(connection, 4)
    assert (await _cells(connection))["360"]["state"] == "passed"


@pytest.mark.parametrize("days", [None, -1, 400])
async def test_an_exception_needs_a_day_within_a_year(days: int | None, connection: Connection) -> None:
    await _keep(connection, 1, "overflow")
    until = None if days is None else await _today(connection) + timedelta(days=days)
    with pytest.raises(asyncpg.PostgresError) as refusal:
        await _judge(connection, "accepted", until)
    assert refusal.value.sqlstate == "PT422"


@pytest.mark.parametrize(("width", "code"), [("360", "PT422"), ("390", "PT404")])
async def test_nothing_is_accepted_where_nothing_failed_nor_judged_where_nothing_ran(
    width: str, code: str, connection: Connection
) -> None:
    await _keep(connection, 1)
    judge = JUDGE.replace("360", width)
    with pytest.raises(asyncpg.PostgresError) as refusal:
        await _called(connection, judge, "accepted", "Visto a mano", await _today(connection))
    assert refusal.value.sqlstate == code


async def test_what_an_admin_saw_holds_until_the_next_run_and_is_logged(connection: Connection) -> None:
    await _keep(connection, 1, "overflow")
    await connection.execute("update private.qa_runs set kept_at = now() - interval '1 hour'")
    assert await _judge(connection, "passed") == "passed"
    cell = (await _cells(connection))["360"]
    assert (cell["outcome"], cell["verdict"]["note"]) == ("failed", "Visto a mano")
    await _keep(connection, 2, "overflow")
    assert (await _cells(connection))["360"]["state"] == "failed"
    row = await connection.fetchrow(
        "select admin_id, target, before ->> 'state' as before, after ->> 'outcome' as after, reason "
        "from public.admin_actions where action = 'qa.verdict'"
    )
    assert row is not None
    assert tuple(row) == (access.PEOPLE["admin"], "mobile /home 360", "failed", "passed", "Visto a mano")


async def test_a_verdict_needs_a_note(connection: Connection) -> None:
    await _keep(connection, 1)
    with pytest.raises(asyncpg.CheckViolationError):
        await _judge(connection, "failed", note=" ")


async def test_the_last_thirty_runs_of_each_kind_are_kept_with_their_items(connection: Connection) -> None:
    for number in range(32):
        await _keep(connection, number)
    await _keep(connection, 0, kind="browser")
    async with access.acting(connection, "service_role"):
        assert await connection.fetchval("select private.forget_qa_runs(1000)") == 2
        assert await connection.fetchval("select private.forget_qa_runs(1000)") == 0
    rows = await connection.fetch(
        "select kind, min(started_at) as oldest from private.qa_runs group by kind order by kind"
    )
    assert [tuple(row) for row in rows] == [("browser", BEGUN), ("mobile", BEGUN + timedelta(days=2))]
    assert await connection.fetchval("select count(*) from private.qa_items") == 31 * 3


ASK = "select public.admin_ask_qa($1)"
CANCEL = "select public.admin_cancel_qa($1)"
TAKE = "select private.take_qa_request($1)::text"
NOTE = "select private.note_qa_request($1, $2)"


async def _served(connection: Connection, statement: str, *arguments: object) -> Any:
    return await _called(connection, statement, *arguments, role="service_role")


async def _request(connection: Connection, kind: str = "mobile") -> dict[str, Any] | None:
    """Return the request as the screen of its kind has it."""
    found: dict[str, Any] | None = json.loads(await _called(connection, "select public.admin_qa($1)::text", kind))[
        "request"
    ]
    return found


async def _state(connection: Connection) -> str | None:
    request = await _request(connection)
    return None if request is None else str(request["state"])


async def _pass(connection: Connection, time: str) -> None:
    """Let this much time go by for every request."""
    await connection.execute(
        "update private.qa_requests set asked_at = asked_at - $1::text::interval, "
        "taken_at = taken_at - $1::text::interval, seen_at = seen_at - $1::text::interval",
        time,
    )


async def test_a_second_question_finds_the_request_that_is_open_and_only_the_first_is_logged(
    connection: Connection,
) -> None:
    first = await _called(connection, ASK, "mobile")
    assert await _called(connection, ASK, "mobile") == first
    assert await _state(connection) == "waiting"
    await _served(connection, TAKE, "banco-1")
    assert await _called(connection, ASK, "mobile") == first
    assert await _called(connection, ASK, "browser") != first
    rows = await connection.fetch(
        "select admin_id, target, after ->> 'request' as request from public.admin_actions "
        "where action = 'qa.ask' and target = 'mobile'"
    )
    assert [tuple(row) for row in rows] == [(access.PEOPLE["admin"], "mobile", str(first))]


@pytest.mark.parametrize("role", ["anon", "owner", "other_admin", "service_role"])
@pytest.mark.parametrize("statement", [ASK, CANCEL])
async def test_only_admins_with_a_second_factor_ask_and_cancel(
    statement: str, role: str, connection: Connection
) -> None:
    request_id = await _called(connection, ASK, "mobile")
    argument = "browser" if statement == ASK else request_id
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await _called(connection, statement, argument, role=role)


@pytest.mark.parametrize("statement", [TAKE, NOTE])
async def test_admins_do_not_pass_for_a_machine(statement: str, connection: Connection) -> None:
    request_id = await _called(connection, ASK, "mobile")
    arguments = ("banco-1",) if statement == TAKE else (request_id, "Perché sì")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await _called(connection, statement, *arguments)


async def test_machines_take_the_oldest_request_first_and_each_once(connection: Connection) -> None:
    mobile = await _called(connection, ASK, "mobile")
    await _pass(connection, "1 minute")
    browser = await _called(connection, ASK, "browser")
    taken = [await _served(connection, TAKE, f"banco-{number}") for number in (1, 2, 3)]
    assert [each and json.loads(each) for each in taken] == [
        {"id": str(mobile), "kind": "mobile"}, {"id": str(browser), "kind": "browser"}, None,
    ]  # fmt: skip
    request = await _request(connection)
    assert request is not None
    assert (request["state"], request["machine"], request["failure"]) == ("running", "banco-1", None)


async def test_a_request_that_is_not_taken_within_an_hour_is_over_and_a_new_one_replaces_it(
    connection: Connection,
) -> None:
    first = await _called(connection, ASK, "mobile")
    await _pass(connection, "59 minutes")
    assert await _state(connection) == "waiting"
    await _pass(connection, "2 minutes")
    assert await _state(connection) == "expired"
    assert await _served(connection, TAKE, "banco-1") is None
    assert not await _called(connection, CANCEL, first)
    assert await _called(connection, ASK, "mobile") != first
    assert await _state(connection) == "waiting"


async def test_a_silent_machine_loses_its_request_and_a_sign_of_it_brings_it_back(connection: Connection) -> None:
    first = await _called(connection, ASK, "mobile")
    await _served(connection, TAKE, "banco-1")
    # However long it takes, as long as there are signs of it.
    for _ in range(20):
        await _pass(connection, "4 minutes")
        assert await _served(connection, NOTE, first, None)
        assert await _state(connection) == "running"
    await _pass(connection, "6 minutes")
    assert await _state(connection) == "expired"
    assert await _served(connection, NOTE, first, None)
    assert await _state(connection) == "running"
    await _pass(connection, "6 minutes")
    second = await _called(connection, ASK, "mobile")
    assert not await _served(connection, NOTE, first, None)
    assert not await _served(connection, NOTE, first, "Troppo tardi")
    assert await _state(connection) == "waiting"
    # Nor does a sign pass for taking it.
    assert not await _served(connection, NOTE, second, None)


async def test_a_failure_is_the_end_and_says_why(connection: Connection) -> None:
    request_id = await _called(connection, ASK, "mobile")
    await _served(connection, TAKE, "banco-1")
    assert await _served(connection, NOTE, request_id, "Manca Chromium")
    request = await _request(connection)
    assert request is not None
    assert (request["state"], request["failure"]) == ("failed", "Manca Chromium")
    assert not await _served(connection, NOTE, request_id, None)
    await _pass(connection, "1 day")
    assert await _state(connection) == "failed"
    await _called(connection, ASK, "mobile")
    assert await _state(connection) == "waiting"


@pytest.mark.parametrize("is_taken", [False, True])
async def test_a_cancelled_request_is_gone_also_for_its_machine_and_logged(
    is_taken: bool, connection: Connection
) -> None:
    request_id = await _called(connection, ASK, "mobile")
    if is_taken:
        await _served(connection, TAKE, "banco-1")
    assert await _called(connection, CANCEL, request_id)
    assert await _request(connection) is None
    assert not await _served(connection, NOTE, request_id, None)
    assert not await _called(connection, CANCEL, request_id)
    rows = await connection.fetch(
        "select target, before ->> 'request' from public.admin_actions where action = 'qa.cancel'"
    )
    assert [tuple(row) for row in rows] == [("mobile", str(request_id))]


CHROME = (
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{}.0.0.0 Mobile Safari/537.36"
)
AGENTS = {
    CHROME.format(150): ("Chrome", 150, "Android", True),
    CHROME.format(90) + " EdgA/90.0.1": ("Edge", 90, "Android", False),
    "Mozilla/5.0 (Linux; Android 10) Chrome/120 SamsungBrowser/23.0 Safari": ("Samsung Internet", 23, "Android", True),
    "Mozilla/5.0 (X11; Linux x86_64) Chrome/150.0 Safari/537.36 OPR/118.0": ("Opera", 118, "Linux", True),
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0": ("Firefox", 140, "Linux", True),
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Version/15.6 Safari/604.1": ("Safari", 15, "iOS", False),
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/18.1 Safari/605.1": ("Safari", 18, "macOS", True),
    "Mozilla/5.0 (Windows NT 10.0) Trident/7.0; rv:11.0": ("Altro", None, "Windows", False),
    "Firefox/99999999999999999999": ("Firefox", None, "Altro", False),
    "": ("Altro", None, "Altro", False),
}  # fmt: skip


@pytest.mark.parametrize(("agent", "expected"), AGENTS.items(), ids=[f"{a[0]} {a[1]}" for a in AGENTS.values()])
async def test_a_browser_is_known_by_family_and_major_version(
    agent: str, expected: tuple[Any, ...], connection: Connection
) -> None:
    row = await connection.fetchrow(
        """
        select browser, version, private.system_of($1), private.is_supported_browser(browser, version)
        from (select private.browser_of($1) as browser, private.browser_version_of($1) as version) as known
        """,
        agent,
    )
    assert row is not None
    assert tuple(row) == expected


async def _visit(
    connection: Connection, session: str, agent: str, viewport: str | None = "compact", **more: Any
) -> None:
    properties = {"page": "/home", "viewport": viewport, "lcp": 1000, "inp": 80, "cls": 0.01, "push": True, **more}
    await connection.execute(
        "insert into public.analytics_events (event_name, session_id, properties, user_agent) "
        "values ('web_vitals', $1, $2::text::jsonb, $3)",
        session,
        json.dumps(properties),
        agent,
    )


async def _measured(connection: Connection) -> Any:
    await connection.execute("delete from private.admin_snapshots")
    await connection.execute("select private.take_snapshot('devices', interval '1 hour')")
    report = json.loads(await _called(connection, "select public.admin_report('devices', 168)::text"))
    assert "Mozilla" not in json.dumps(report)
    return report


async def test_devices_and_browsers_have_at_least_five_visits(connection: Connection) -> None:
    await connection.execute("delete from public.analytics_events; delete from public.error_logs")
    for number in range(5):
        await _visit(connection, f"new{number}", CHROME.format(150), speech=number < 2)
    for number in range(4):
        await _visit(connection, f"old{number}", CHROME.format(90), "large")
    # One of a visit that is counted, one of a visitor who did not agree.
    await connection.execute(
        "insert into public.error_logs (session_id, error_message) values ('new0', 'x'), ('unseen', 'x')"
    )
    report = await _measured(connection)
    assert report["figures"] == {"device_visits": 9, "compact_share": 55.6, "visit_error_rate": 11.1}
    [device], [browser] = report["tables"]["devices"], report["tables"]["browsers"]
    assert device == {
        "viewport": "compact", "system": "Android", "visits": 5, "visit_share": 55.6, "error_rate": 20.0,
        "lcp": 1000, "inp": 80, "cls": 0.01,
    }  # fmt: skip
    assert browser == {
        "browser": "Chrome", "browser_version": "150", "visits": 5, "visit_share": 55.6, "error_rate": 20.0,
        "push": 100, "speech": 40, "opfs": None, "is_supported": True,
    }  # fmt: skip
    await _visit(connection, "old4", CHROME.format(90), "nonsense")
    report = await _measured(connection)
    assert report["figures"]["unsupported_share"] == 50.0
    supported = {row["browser_version"]: row["is_supported"] for row in report["tables"]["browsers"]}
    assert supported == {"150": True, "90": False}
    assert [row["viewport"] for row in report["tables"]["devices"]] == ["compact"]


async def test_nobody_is_counted_below_five_visits(connection: Connection) -> None:
    await connection.execute("delete from public.analytics_events; delete from public.error_logs")
    for number in range(4):
        await _visit(connection, f"s{number}", CHROME.format(90))
    report = await _measured(connection)
    assert (report["figures"], report["tables"]) == ({}, {"devices": [], "browsers": []})


async def _bought(connection: Connection, user_id: UUID, cents: int, *, refunded: int, days: int) -> None:
    await connection.execute(
        """
        insert into public.credit_orders (
          user_id, pack_id, catalog_version, amount_cents, refunded_cents, currency, credits, bonus, expires_at, paid_at
        ) values ($1, 'starter', 1, $2, $3, 'EUR', 100, 0, now(), now() - $4 * interval '1 day')
        """,
        user_id,
        cents,
        refunded,
        days,
    )


@pytest.mark.parametrize("count", [4, 5])
async def test_accounts_with_an_old_browser_are_told_from_five_on(count: int, connection: Connection) -> None:
    await connection.execute("delete from public.analytics_events")
    for number in range(count):
        user_id = await accounts.create(connection)
        for agent in (CHROME.format(90), CHROME.format(150)) if number else (CHROME.format(90),):
            await connection.execute(
                "insert into public.analytics_events (event_name, session_id, user_id, user_agent) "
                "values ('page_view', $1, $2, $3)",
                f"s{number}",
                user_id,
                agent,
            )
        await _bought(connection, user_id, 999, refunded=9, days=29)
        await _bought(connection, user_id, 999, refunded=0, days=31)
    # Of somebody whose browser is new enough.
    await _bought(connection, await accounts.create(connection), 5000, refunded=0, days=1)
    figures = (await _measured(connection))["figures"]
    assert figures.get("unsupported_revenue_cents") == (5 * 990 if count == 5 else None)
    assert figures.get("unsupported_people") == (5 if count == 5 else None)
    assert figures.get("unsupported_people_share") == (100 if count == 5 else None)
