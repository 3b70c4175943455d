"""/home: every figure is the sum of what it opens, what is left out is named, and a change is on the page at once."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, time, timedelta

import pytest

from tests.db import access, accounts, crm, documents, home, pipeline, work
from tests.db.accounts import Connection, Pool
from tests.db.home import ME, call, invoice, overview, pay, today

pytestmark = pytest.mark.anyio


async def test_an_empty_home_has_nothing_to_say(connection: Connection) -> None:
    page = await overview(connection)
    assert (page["insights"], page["briefing"], page["activity"]) == ([], [], [])
    assert (page["has_contacts"], page["has_invoices"], page["day"]) == (False, False, today().isoformat())
    assert (page["to_cash"]["open_cents"], page["deals"]["count"], page["work"]["today"]) == (0, 0, 0)
    assert len(page["months"]) == 6
    assert len(page["forecast"]["weeks"]) == 13


async def test_what_is_to_be_cashed_is_the_sum_of_its_list_and_the_rest_is_named(connection: Connection) -> None:
    await invoice(connection, "1", 100_000)
    await invoice(connection, "2", 20_050, due_on=today(3).isoformat())
    await invoice(connection, "3", 30_000, due_on=None)
    await invoice(connection, "4", 40_000, currency="USD")
    await invoice(connection, "5", 5_000, type_code="TD04", due_on=today(40).isoformat())
    await invoice(connection, "1", 100_000)  # the same in another file
    await pay(connection, await invoice(connection, "6", 60_000), today(-1))
    await invoice(connection, "7", 70_000, direction="passiva", due_on=today(2).isoformat())
    page = await overview(connection)
    async with access.acting(connection, home.ROLE):
        listed = await connection.fetchrow(
            """
            select sum(open_cents) filter (where direction = 'attiva') as cash, sum(late_cents) as late,
              sum(open_cents) filter (where direction = 'passiva') as pay
            from public.invoice_register
            where paid_on is null and currency = 'EUR' and deleted_at is null and twin is null
            """
        )
    assert listed is not None
    cash = page["to_cash"]
    assert (cash["open_cents"], cash["late_cents"]) == (listed["cash"], listed["late"]) == (145_050, 100_000)
    assert page["to_pay"]["open_cents"] == listed["pay"] == 70_000
    assert (cash["undated_cents"], cash["undated"], cash["others"]) == (30_000, 1, {"USD": 40_000})
    assert (cash["late"], cash["soon"], cash["soon_cents"]) == (2, 1, 20_050)


async def test_papers_that_no_sum_counts_are_named(connection: Connection) -> None:
    await connection.execute("update public.profiles set vat_number = '09876540155' where user_id = $1", ME)
    document_id = await documents.document(
        connection, ME, kind="fattura", kind_confidence=0.95, state="da_verificare", total_cents=12_200
    )
    for key, value in {"vat_number": "09876540155", "number": "9", "total": "12200"}.items():
        await documents.field(connection, document_id, key, value, 0.95)
    page = await overview(connection)
    waiting = page["waiting"]
    assert (waiting["count"], waiting["issued"], waiting["issued_cents"], waiting["unread"]) == (1, 1, 12_200, 0)
    assert page["to_cash"]["open_cents"] == 0
    assert "Fuori dai conti: una fattura da verificare." in page["briefing"][0]["text"]


async def test_thirteen_weeks_and_what_has_no_week_are_all_that_is_to_be_cashed(connection: Connection) -> None:
    rossi = await crm.contact(connection, ME)
    for number, days in (("1", 50), ("2", 54)):
        await pay(connection, await invoice(connection, number, 1_000, contact_id=str(rossi)), today(days - 60))
    # Due yesterday, but this client takes fifty days: in twenty of them.
    await invoice(
        connection, "3", 30_000, contact_id=str(rossi), issued_on=today(-30).isoformat(), due_on=today(-1).isoformat()
    )
    await invoice(connection, "4", 4_000)
    await invoice(connection, "5", 500, due_on=None)
    await invoice(connection, "6", 60, due_on=today(120).isoformat())
    await invoice(connection, "7", 7, due_on=today(13 * 7 - 14).isoformat())
    await invoice(connection, "8", 80_000, direction="passiva", due_on=today(20).isoformat())
    page = await overview(connection)
    forecast, weeks = page["forecast"], page["forecast"]["weeks"]
    monday = today(-today().weekday())
    by_week = {week["week"]: (week["in_cents"], week["out_cents"]) for week in weeks if week["in_cents"]}
    expected = today(20) - timedelta(days=today(20).weekday())
    assert by_week[expected.isoformat()] == (30_000, 80_000)
    assert weeks[0]["week"] == monday.isoformat()
    assert (forecast["late_cents"], forecast["undated_cents"], forecast["later_cents"]) == (4_000, 500, 60)
    assert sum(week["in_cents"] for week in weeks) + 4_560 == page["to_cash"]["open_cents"]


async def test_months_count_what_came_in_by_its_day_and_what_is_open_by_its_due_date(connection: Connection) -> None:
    first = today().replace(day=1)
    before = first - timedelta(days=1)
    await pay(connection, await invoice(connection, "1", 1_000), before)
    await pay(connection, await invoice(connection, "2", 200), first)
    await invoice(connection, "3", 30, due_on=before.isoformat())
    months = (await overview(connection))["months"]
    assert [
        (month["month"], month["paid_cents"], month["open_cents"], month["late_cents"]) for month in months[-2:]
    ] == [
        (before.replace(day=1).isoformat(), 1_000, 30, 30),
        (first.isoformat(), 200, 0, 0),
    ]


async def test_tasks_deals_and_people_are_counted_as_their_screens_count_them(connection: Connection) -> None:
    noon = datetime.combine(today(), time(12), home.ROME)
    await work.task(connection, ME, title="Chiamare Rossi", due_at=noon, due_is_allday=False)
    await work.task(connection, ME, title="Fattura", due_at=noon)
    await work.task(connection, ME, title="Ieri", due_at=noon - timedelta(days=1))
    await work.task(connection, ME, title="Domani", due_at=noon + timedelta(days=1))
    await work.task(connection, ME, title="Fatta", due_at=noon, state="fatto")
    stages = await pipeline.stages(connection, home.ROLE)
    await pipeline.deal(connection, ME, stages["Trattativa"], amount_cents=100_000)
    await pipeline.deal(connection, ME, stages["Contatto"], amount_cents=50_000, probability=20)
    await pipeline.deal(connection, ME, stages["Vinta"], amount_cents=999)
    await pipeline.deal(connection, ME, stages["Contatto"], amount_cents=70, currency="USD")
    for name, days in (("Anna", 10), ("Luca", 40)):
        at = datetime.now(UTC) - timedelta(days=days)
        await crm.contact(connection, ME, first_name=name, touch_days=30, created_at=at)
    page = await overview(connection)
    assert (page["work"]["today"], page["work"]["late"], page["work"]["people"]) == (2, 1, 1)
    assert [task["title"] for task in page["work"]["tasks"]] == ["Chiamare Rossi", "Fattura"]
    deals = page["deals"]
    assert (deals["count"], deals["cents"], deals["weighted_cents"]) == (3, 150_000, 85_000)
    assert deals["others"] == {"USD": 70}
    told = {line["section"]: line["text"] for line in page["briefing"]}
    assert told == {
        "agenda": "Oggi 2 attività, la prima alle 12:00: «Chiamare Rossi» e altro. Un’attività è scaduta.",
        "persone": "Da risentire: Luca Verdi.",
    }


async def test_the_page_is_computed_again_after_a_change_and_only_then(connection: Connection) -> None:
    first = (await overview(connection))["refreshed_at"]
    assert (await overview(connection))["refreshed_at"] == first
    invoice_id = await invoice(connection, "1")
    marked = await connection.fetchval("select count(*) from private.insight_marks where user_id = $1", ME)
    assert marked > 0
    assert (await overview(connection))["to_cash"]["open_cents"] == 100_000
    assert await connection.fetchval("select count(*) from private.insight_marks where user_id = $1", ME) == 0
    await pay(connection, invoice_id, today())
    assert (await overview(connection))["to_cash"]["open_cents"] == 0


async def test_a_page_of_yesterday_is_computed_again(connection: Connection) -> None:
    await overview(connection)
    await connection.execute("update private.home_pages set day = day - 1, content = '{}' where user_id = $1", ME)
    assert (await overview(connection))["day"] == today().isoformat()
    assert "to_cash" in await overview(connection)


async def test_a_change_that_is_committed_later_is_not_lost(pool: Pool) -> None:
    user_id = await accounts.create(pool)
    refresh = "select private.refresh_home($1)"
    await pool.execute(refresh, user_id)
    async with pool.acquire() as writer, writer.transaction():
        await work.task(writer, user_id, due_at=datetime.now(UTC) - timedelta(days=2))
        # Does not wait for the writer, and does not take its mark away.
        async with asyncio.timeout(5):
            await pool.execute(refresh, user_id)
    content = "select content #>> '{work,late}' from private.home_pages where user_id = $1"
    assert await pool.fetchval(content, user_id) == "0"
    assert await pool.fetchval("select count(*) from private.insight_marks where user_id = $1", user_id) == 1
    await pool.execute(refresh, user_id)
    assert await pool.fetchval(content, user_id) == "1"


async def test_writers_of_one_person_do_not_wait_for_each_other(pool: Pool) -> None:
    user_id = await accounts.create(pool)
    async with pool.acquire() as writer, writer.transaction():
        await work.task(writer, user_id)
        async with asyncio.timeout(5):
            await work.task(pool, user_id)


async def test_twenty_refreshes_at_once_write_each_fact_once(pool: Pool) -> None:
    user_id = await accounts.create(pool)
    await work.task(pool, user_id, due_at=datetime.now(UTC) - timedelta(days=2))
    await asyncio.gather(*(pool.execute("select private.refresh_home($1)", user_id) for _ in range(20)))
    assert await pool.fetchval("select count(*) from public.insights where user_id = $1", user_id) == 1


async def test_an_account_goes_with_its_home(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    await work.task(connection, user_id, due_at=datetime.now(UTC) - timedelta(days=2))
    await connection.execute("select private.refresh_home($1)", user_id)
    await connection.execute("delete from auth.users where id = $1", user_id)
    # Marks of the rows that went with it are swept up by the job, which finds nobody.
    await connection.execute("select private.refresh_home($1)", user_id)
    left = await connection.fetchval(
        """
        select (select count(*) from private.home_pages where user_id = $1)
          + (select count(*) from public.insights where user_id = $1)
          + (select count(*) from private.insight_marks where user_id = $1)
        """,
        user_id,
    )
    assert left == 0


async def test_what_happened_last_is_listed_with_its_contact(connection: Connection) -> None:
    rossi = await crm.contact(connection, ME)
    await connection.execute(
        "insert into public.notes (user_id, contact_id, body) values ($1, $2, 'Preferisce il mattino')", ME, rossi
    )
    (latest,) = (await overview(connection))["activity"]
    assert (latest["kind"], latest["contact"], latest["body"]) == ("nota", "Anna Verdi", "Preferisce il mattino")


async def test_visitors_see_no_home(connection: Connection) -> None:
    async with access.acting(connection, "anon"):
        with pytest.raises(Exception, match="permission denied"):
            async with connection.transaction():
                await connection.fetchval("select public.home_overview()")
    assert await call(connection, "home_overview", role="stranger")
