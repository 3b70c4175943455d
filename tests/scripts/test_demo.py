"""The demo account: believable, fresh, true to the cent, and left alone once somebody changed it."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import pytest

from backend.core import config, db, migrate
from backend.core.config import Settings
from backend.storage import blobs
from functions._shared import tax_ids
from functions._shared.documents import concluding, languages
from scripts.demo import account, books, filing, fill, papers
from scripts.postgres import Cluster
from tests import conftest
from tests.databases import Databases

pytestmark = pytest.mark.anyio

EXPECTED = {
    "companies": 25, "people": 40, "deals": 12, "stages": 6, "projects": 4, "tasks": 45, "papers": 20, "issued": 60,
    "received": 30, "late": 3, "talks": 3, "memories": 5, "proposals": 4, "mails": 0,
}  # fmt: skip
COUNTS = """
select
  (select count(*) from public.contacts where user_id = $1 and type = 'azienda') as companies,
  (select count(*) from public.contacts where user_id = $1 and company_id is not null) as people,
  (select count(*) from public.deals where user_id = $1) as deals,
  (select count(distinct stage_id) from public.deals where user_id = $1) as stages,
  (select count(*) from public.projects where user_id = $1) as projects,
  (select count(*) from public.tasks where user_id = $1) as tasks,
  (select count(*) from public.documents where user_id = $1 and mime <> 'application/xml') as papers,
  (select count(*) from public.invoice_register where user_id = $1 and direction = 'attiva') as issued,
  (select count(*) from public.invoice_register where user_id = $1 and direction = 'passiva') as received,
  (select count(*) from public.invoice_register where user_id = $1 and state = 'scaduta') as late,
  (select count(*) from public.conversations where user_id = $1) as talks,
  (select count(*) from public.memories where user_id = $1) as memories,
  (select count(*) from public.goal_steps where user_id = $1 and state = 'in_approvazione') as proposals,
  (select count(*) from public.outgoing_mails where user_id = $1) as mails
"""
# The seed of an older version told of clients that she does not have.
OLD_NOTICE = """
insert into public.notifications (user_id, title, message, action_url)
select id, 'Pagamento ricevuto', 'Fattura 12, Panificio Rinaldi', '/documents' from auth.users where email = $1
"""
CHANGES = {
    "work": "update public.tasks set state = 'fatto' where user_id = $1 and title = 'Mappa del sito'",
    "password": "update auth.users set encrypted_password = 'another' where id = $1",
}


@dataclass
class Demo:
    """The filled account, its database as its owner and the settings of the installation."""

    connection: db.Connection
    settings: Settings
    user_id: UUID

    async def rows(self, query: str) -> list[Any]:
        """Read rows of the account."""
        return list(await self.connection.fetch(query, self.user_id))


@pytest.fixture(scope="module")
async def filled(databases: Databases, cluster: Cluster, installed: Settings, tmp_path_factory: Any) -> Settings:
    """Fill the demo account of an installation, of which each test has a copy: filling takes seconds."""
    database = await databases.clone()
    settings = conftest.settings_of(installed, tmp_path_factory.mktemp("filled"), cluster.database_url(database))
    connection = await db.connect(settings)
    await db.prepare(connection)
    await migrate.seed(connection, [fill.ACCOUNTS])
    await connection.execute(OLD_NOTICE, account.EMAIL)
    assert await account.is_due(settings)
    assert await fill.fill(settings)
    await connection.close()
    return settings


@pytest.fixture
async def demo(filled: Settings, databases: Databases, cluster: Cluster, tmp_path: Path) -> AsyncIterator[Demo]:
    home = shutil.copytree(filled.home, tmp_path / "home")
    database = await databases.clone(urlsplit(filled.database_url).path.removeprefix("/"))
    settings = replace(filled, home=home, database_url=cluster.database_url(database))
    connection = await db.connect(settings)
    await db.prepare(connection)
    user_id, _ = await account.state(connection)
    assert user_id is not None
    yield Demo(connection, settings, user_id)
    await connection.close()


async def test_account_shows_a_business_at_work(demo: Demo) -> None:
    [counts] = await demo.rows(COUNTS)
    assert dict(counts) == EXPECTED
    kinds = {row["kind"] for row in await demo.rows("select kind from public.insights where user_id = $1")}
    assert {"fattura_scaduta", "in_scadenza", "preventivo_fermo", "da_risentire", "contratto_in_scadenza"} <= kinds
    # What was read is registered, and nothing else waits to be.
    assert (
        await demo.rows("select from public.documents where user_id = $1 and kind = 'fattura' and state <> 'pronto'")
        == []
    )
    # Nobody takes it away with a click.
    assert await demo.rows("select from private.demo_rows where user_id = $1") == []


async def test_a_client_waits_for_a_copy_of_their_data(demo: Demo) -> None:
    rows = await demo.connection.fetch(
        "select contact_name, due_on - private.today() as days from public.contact_requests where closed_at is null"
    )
    assert len(rows) == 1
    assert rows[0]["days"] > 7


async def test_register_agrees_with_the_books_to_the_cent(demo: Demo) -> None:
    today = await account.today(demo.connection)
    for rows, direction in ((books.ISSUED, "attiva"), (books.RECEIVED, "passiva")):
        open_rows = [each for each in rows if each.paid_after is None]
        expected = (
            sum(each.total_cents for each in rows),
            sum(each.vat_cents for each in rows),
            sum(each.total_cents for each in open_rows),
            sum(each.total_cents for each in open_rows if each.due_on(today) < today),
        )
        found = await demo.connection.fetchrow(
            """
            select sum(total_cents), sum(vat_cents), sum(open_cents), sum(late_cents) from public.invoice_register
            where user_id = $1 and direction = $2::text::public.invoice_direction
            """,
            demo.user_id,
            direction,
        )
        assert found is not None
        assert tuple(map(int, found)) == expected
    parts = await demo.rows("select sum(cents) as cents from public.invoice_parts where user_id = $1")
    assert parts[0]["cents"] == sum(each.total_cents for each in books.ALL)
    assert await demo.rows("select from public.invoices where user_id = $1 and findings <> '[]'") == []


async def test_late_invoices_are_late_today(demo: Demo) -> None:
    late = await demo.rows(
        """
        select contact_name, direction::text, next_due_on < private.today() as is_over from public.invoice_register
        where user_id = $1 and state = 'scaduta'
        """
    )
    assert all(row["is_over"] and row["direction"] == "attiva" for row in late)
    assert "Edilizia Solida" in {row["contact_name"] for row in late}
    always = await demo.rows(
        "select paid_on - issued_on > 60 as is_slow from public.invoice_register"
        " where user_id = $1 and contact_name = 'Edilizia Solida' and paid_on is not null"
    )
    assert [row["is_slow"] for row in always] == [True] * 4


async def test_every_notice_names_rows_that_are_there(demo: Demo) -> None:
    notices = await demo.rows("select * from public.notifications where user_id = $1")
    assert {row["type"] for row in notices} == {"success", "warning", "error", "info"}
    assert {row["is_read"] for row in notices} == {True, False}
    ids = {str(row["id"]) for row in await demo.rows("select id from public.documents where user_id = $1")}
    names = {row["filename"] for row in await demo.rows("select filename from public.documents where user_id = $1")}
    clients = {row["name"] for row in await demo.rows("select name from public.contacts where user_id = $1")}
    numbers = {row["number"] for row in await demo.rows("select number from public.invoices where user_id = $1")}
    for row in notices:
        text = f"{row['title']}\n{row['message']}"
        assert set(re.findall(r"/documents/([0-9a-f-]{36})", row["action_url"])) <= ids
        assert set(re.findall(r"Fattura (\S+?)[,\s]", text)) <= numbers, text
        assert set(re.findall(r": ([^:\n]+\.(?:pdf|jpg|xml))", text)) <= names, text
        assert set(re.findall(r"Fattura \S+, (.+)|Contratto con (.+?) in scadenza", text)) <= {
            *((name, "") for name in clients), *(("", name) for name in clients)
        }, text  # fmt: skip


async def test_answers_cite_rows_and_say_what_they_hold(demo: Demo) -> None:
    for row in await demo.rows("select content, refs from public.messages where user_id = $1 and role = 'assistant'"):
        assert row["refs"]
        assert set(re.findall(r"\[\^(\d+)\]", row["content"])) == {str(ref["n"]) for ref in row["refs"]}
        for ref in row["refs"]:
            table = {"invoice": "invoices", "contact": "contacts", "document": "documents", "deal": "deals"}[
                ref["kind"]
            ]
            assert await demo.connection.fetchval(
                f"select count(*) from public.{table} where user_id = $1 and id = $2", demo.user_id, UUID(ref["id"])
            ), ref
            if ref["place"]:
                page = "select text from public.document_pages where document_id = $1 and no = $2"
                text = await demo.connection.fetchval(page, UUID(ref["id"]), ref["place"]["page"])
                assert ref["place"]["quote"] in text
    [total] = await demo.rows(
        "select private.euros(sum(late_cents)::bigint, 'EUR') as euros from public.invoice_register where user_id = $1"
    )
    assert await demo.connection.fetchval(
        "select bool_or(content like '%**' || $2 || '**%') from public.messages where user_id = $1",
        demo.user_id,
        total["euros"],
    )
    stage = await demo.rows(
        "select stages.name from public.deals join public.stages on stages.id = stage_id"
        " where deals.user_id = $1 and title = 'Sito e prenotazioni online'"
    )
    assert [row["name"] for row in stage] == ["Preventivo"]


async def test_every_file_opens_as_its_row_says(demo: Demo) -> None:
    rows = await demo.rows(
        "select storage_path, sha256, version, metadata ->> 'mimetype' as mimetype, mime from public.documents"
        " join storage.objects on bucket_id = 'documents' and name = storage_path where user_id = $1"
    )
    assert len(rows) == len(books.ALL) + len(papers.PAPERS)
    async with blobs.opened(demo.settings) as store:
        for row in rows:
            blob = await store.open(row["version"])
            content = b"".join([piece async for piece in blob.read()])
            await blob.close()
            assert (hashlib.sha256(content).hexdigest(), row["mimetype"]) == (row["sha256"], row["mime"])


@pytest.mark.long
async def test_reading_the_files_again_changes_nothing(demo: Demo) -> None:
    """Nothing is here that the product's own reading would not have written."""
    queries = (
        "select to_jsonb(t) - 'updated_at' as row from public.documents as t where user_id = $1 order by id",
        "select to_jsonb(t) - 'created_at' as row from public.document_fields as t where user_id = $1 order by 1",
        "select to_jsonb(t) as row from public.invoices as t where user_id = $1 order by id",
    )
    before = [await demo.rows(query) for query in queries]
    today = await account.today(demo.connection)
    parties = {name: party for name, (_, party) in (await fill.companies(demo.connection, demo.user_id)).items()}
    for each in filing.files(parties, today):
        document = {"id": filing.document_id(demo.user_id, each.name), "user_id": demo.user_id}
        if each.found is not None:
            lang = languages.of(" ".join(page.text for page in each.pages))
            await concluding.conclude(demo.connection, document, each.found, True, lang)
    assert [await demo.rows(query) for query in queries] == before


async def test_filling_again_changes_nothing(demo: Demo) -> None:
    assert not await account.is_due(demo.settings)
    assert not await fill.fill(demo.settings)
    assert await account.is_untouched(demo.connection, demo.user_id)


@pytest.mark.long
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
async def test_days_follow_today_until_somebody_changes_something(demo: Demo, change: str) -> None:
    yesterday = await account.today(demo.connection) - timedelta(days=1)
    await account.mark(demo.connection, demo.user_id, yesterday)
    assert await account.is_due(demo.settings)
    assert await fill.fill(demo.settings)
    _, filled_on = await account.state(demo.connection)
    assert filled_on == await account.today(demo.connection)
    [counts] = await demo.rows(COUNTS)
    assert dict(counts) == EXPECTED
    await account.mark(demo.connection, demo.user_id, yesterday)
    await demo.connection.execute(change, demo.user_id)
    assert not await account.is_due(demo.settings)
    assert not await fill.fill(demo.settings)


async def test_account_from_before_is_left_as_its_user_left_it(
    database: str, installed: Settings, tmp_path: Path
) -> None:
    settings = conftest.settings_of(installed, tmp_path, database)
    connection = await db.connect(settings)
    await migrate.seed(connection, [fill.ACCOUNTS])
    await connection.execute(
        "insert into public.contacts (user_id, first_name) select id, 'Ada' from auth.users where email = $1",
        account.EMAIL,
    )
    assert not await account.is_due(settings)
    assert not await fill.fill(settings)
    await connection.close()


async def test_public_site_is_never_filled() -> None:
    settings = config.load({"SUPABASE_API_EXTERNAL_URL": "https://socio.example"})
    with pytest.raises(config.ConfigError, match="no place on a site"):
        await fill.fill(settings)


async def test_nobody_real_is_named(demo: Demo) -> None:
    for row in await demo.rows("select vat_number from public.contacts where user_id = $1 and type = 'azienda'"):
        assert tax_ids.vat_number(row["vat_number"]) == row["vat_number"]
        assert row["vat_number"][7:10] == "888"
    assert tax_ids.vat_number(books.OWNER_VAT)
    assert tax_ids.tax_code(books.OWNER_TAX_CODE)
    for row in await demo.rows("select value from public.contact_emails where user_id = $1"):
        assert row["value"].endswith(".example")


@pytest.mark.parametrize("days", range(0, 366, 5))
def test_books_are_the_same_story_on_every_day(days: int) -> None:
    today = date(2026, 1, 1) + timedelta(days=days)
    late = [each for each in books.ALL if each.paid_after is None and each.due_on(today) < today]
    assert len(late) == EXPECTED["late"]
    assert all(each.is_issued for each in late)
    issuers = ["" if each.is_issued else each.company for each in books.ALL]
    assert len(set(zip(issuers, books.numbers(today), strict=True))) == len(books.ALL)
    assert all(each.issued_on(today).weekday() < 5 for each in books.ALL)
    assert all(
        (paid_on := each.paid_on(today)) is None or each.issued_on(today) <= paid_on <= today for each in books.ALL
    )
