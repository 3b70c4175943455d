"""The regime forfettario: takings are the register's, every figure of the law has a source, and nobody else is told."""

from __future__ import annotations

import json
from datetime import date, timedelta
from typing import Any

import asyncpg
import pytest

from tests.db import access
from tests.db.accounts import Connection
from tests.db.home import ME, ROLE, call, insights, invoice, overview, pay, today

pytestmark = pytest.mark.anyio

CHOICES = "insert into public.flat_rate_choices (user_id, activity, is_startup, contributions, fixed_cents) values "
# The year that the tests live in, at its end: a pace is to be seen.
LAST = date(today().year, 12, 31)


async def begin(connection: Connection, choices: str | None = None) -> None:
    await connection.execute("update public.profiles set tax_regime = 'forfettario' where user_id = $1", ME)
    if choices:
        await connection.execute(f"{CHOICES} ({choices})", *([ME] if "$1" in choices else []))


async def flat_rate(connection: Connection, day: date) -> dict[str, Any]:
    """Reckon as on a day."""
    told = await connection.fetchval("select private.flat_rate($1, $2)", ME, day)
    found: dict[str, Any] = json.loads(told) if isinstance(told, str) else told
    return found


async def test_who_has_another_regime_is_told_nothing(connection: Connection) -> None:
    await pay(connection, await invoice(connection, "1", 9_000_000), today())
    assert (await overview(connection))["flat_rate"] is None
    await connection.execute("update public.profiles set tax_regime = 'ordinario' where user_id = $1", ME)
    assert (await overview(connection))["flat_rate"] is None
    assert await insights(connection, "soglia_forfettario") == []


async def test_takings_are_what_was_paid_this_year_once_and_less_credit_notes(connection: Connection) -> None:
    await begin(connection)
    await pay(connection, await invoice(connection, "1", 1_000_000), date(LAST.year, 2, 1))
    await pay(connection, await invoice(connection, "1", 1_000_000), date(LAST.year, 2, 1))  # the same in another file
    await pay(connection, await invoice(connection, "2", 200_000, type_code="TD04"), date(LAST.year, 3, 1))
    await pay(connection, await invoice(connection, "3", 500_000), date(LAST.year - 1, 12, 31))
    await pay(connection, await invoice(connection, "4", 500_000, currency="USD"), date(LAST.year, 3, 1))
    await pay(connection, await invoice(connection, "5", 500_000, direction="passiva"), date(LAST.year, 3, 1))
    told = await flat_rate(connection, LAST)
    assert (told["cash_cents"], told["other_currencies"], told["year"]) == (800_000, 1, LAST.year)
    assert (told["threshold_cents"], told["exit_cents"]) == (8_500_000, 10_000_000)
    assert told["set_aside"] is told["choices"] is None
    assert all(len(figure["source"]) > 5 and figure["since"] for figure in told["figures"].values())


@pytest.mark.parametrize(
    ("choices", "income", "contribution", "tax"),
    [
        ("$1, 'redditivita_professioni', false, 'gestione_separata', null", 780_000, 203_346, 86_498),
        ("$1, 'redditivita_professioni', true, 'gestione_separata', null", 780_000, 203_346, 28_833),
        ("$1, 'redditivita_commercio', false, 'importo_fisso', 450000", 400_000, 450_000, 0),
    ],
    ids=["15 %", "first years", "fixed contributions"],
)
async def test_what_to_set_aside_is_reckoned_as_the_law_says(
    connection: Connection, choices: str, income: int, contribution: int, tax: int
) -> None:
    await begin(connection, choices)
    await pay(connection, await invoice(connection, "1", 1_000_000), date(LAST.year, 2, 1))
    parts = {"contribution_cents": contribution, "tax_cents": tax}
    amounts = {"income_cents": income, **parts, "cents": sum(parts.values())}
    assert (await flat_rate(connection, LAST))["set_aside"] == amounts
    assert json.loads(await call(connection, "flat_rate_if", 1_000_000)) == amounts
    assert await call(connection, "flat_rate_if", 1_000_000, role="stranger") is None


async def test_the_pace_names_the_day_of_the_threshold(connection: Connection) -> None:
    await begin(connection)
    await pay(connection, await invoice(connection, "1", 5_000_000), date(LAST.year, 2, 1))
    # 50,000 in 181 days.
    june = await flat_rate(connection, date(LAST.year, 6, 30))
    assert june["cash_cents"] == 5_000_000
    assert june["reaches_threshold_on"] == (date(LAST.year - 1, 12, 31) + timedelta(days=308)).isoformat()
    assert june["projected_cents"] > 8_500_000
    assert (await flat_rate(connection, date(LAST.year, 1, 15)))["projected_cents"] is None
    assert (await flat_rate(connection, LAST))["reaches_threshold_on"] is None


async def test_a_passed_threshold_is_told_since_its_day_and_by_name(connection: Connection) -> None:
    await begin(connection)
    day = today()
    for number in range(2):
        await pay(connection, await invoice(connection, str(number), 4_300_000), day)
    await overview(connection)
    [over] = await insights(connection, "soglia_forfettario")
    assert (over["title"], over["amount_cents"]) == ("Hai superato 85.000,00 € di incassi", 8_600_000)
    await pay(connection, await invoice(connection, "3", 2_000_000), day)
    page = await overview(connection)
    [out] = await insights(connection, "soglia_forfettario")
    assert (out["title"], "subito" in out["body"]) == ("Hai superato 100.000,00 € di incassi", True)
    assert any(line["section"] == "rischi" and "100.000,00" in line["text"] for line in page["briefing"])


async def test_a_choice_is_on_the_page_at_once(connection: Connection) -> None:
    await begin(connection)
    assert (await overview(connection))["flat_rate"]["choices"] is None
    async with access.acting(connection, ROLE):
        await connection.execute("insert into public.flat_rate_choices (activity) values ('redditivita_professioni')")
    assert (await overview(connection))["flat_rate"]["choices"]["activity"] == "redditivita_professioni"


async def test_only_an_admin_changes_the_figures_of_the_law(connection: Connection) -> None:
    change = "select public.admin_set_tax_parameter('soglia', $1, 90000, 'L. 1/2099, art. 1')"
    for role in ("owner", "other_admin"):
        with pytest.raises(asyncpg.PostgresError) as refusal:
            async with connection.transaction(), access.acting(connection, role):
                await connection.execute(change, LAST)
        assert refusal.value.sqlstate == "42501"
    async with access.acting(connection, "admin"):
        await connection.execute(change, LAST)
        listed = await connection.fetch("select * from public.admin_tax_parameters() where name = 'soglia'")
        with pytest.raises(asyncpg.PostgresError) as unknown:
            async with connection.transaction():
                await connection.execute(change.replace("soglia", "inventata"), LAST)
    assert (listed[0]["valid_from"], listed[0]["value"], len(listed)) == (LAST, 90_000, 2)
    assert unknown.value.sqlstate == "PT404"
    action = await connection.fetchrow("select * from public.admin_actions order by id desc limit 1")
    assert action is not None
    assert (action["action"], action["target"], action["before"]) == ("tax_parameter", f"soglia {LAST}", None)
    assert (json.loads(action["after"])["value"], action["reason"]) == (90_000, "L. 1/2099, art. 1")
    await begin(connection)
    assert (await flat_rate(connection, LAST))["threshold_cents"] == 9_000_000
    assert (await flat_rate(connection, LAST - timedelta(days=1)))["threshold_cents"] == 8_500_000


async def test_days_to_pay_become_tasks_once(connection: Connection) -> None:
    assert await call(connection, "add_tax_deadlines") == 0
    await begin(connection)
    assert [await call(connection, "add_tax_deadlines") for _ in range(2)] == [6, 0]
    rows = await connection.fetch(
        "select title::text, (due_at at time zone 'Europe/Rome')::date as day from public.tasks where user_id = $1", ME
    )
    assert len({row["title"] for row in rows}) == 6
    assert all(today() <= row["day"] <= today(368) and row["day"].isoweekday() < 6 for row in rows)


@pytest.mark.parametrize(
    ("month", "day", "on", "due"),
    [
        (6, 30, date(2026, 6, 30), date(2026, 6, 30)),
        (6, 30, date(2026, 7, 1), date(2027, 6, 30)),
        (5, 31, date(2026, 5, 31), date(2026, 6, 1)),
        (2, 28, date(2026, 3, 1), date(2026, 3, 2)),
        (2, 28, date(2026, 3, 3), date(2027, 3, 1)),
    ],
    ids=["today", "next year", "Sunday", "moved into today", "Sunday next year"],
)
async def test_a_day_to_pay_on_a_weekend_is_the_monday_after(
    connection: Connection, month: int, day: int, on: date, due: date
) -> None:
    assert await connection.fetchval("select private.next_deadline($1, $2, $3)", month, day, on) == due
