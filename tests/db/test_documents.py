"""Documents: what the owner may say about one, what a confirmation teaches, whom it is about, the trash."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from tests.db import access, crm, documents, pipeline
from tests.db.access import PEOPLE
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

OWNER, STRANGER = PEOPLE["owner"], PEOPLE["stranger"]
SUPPLIER = {
    "name": "Officine Lombarde  Srl",
    "vat_number": "IT 00743110157",
    "tax_code": "00743110157",
    "email": "Info@Officine.it",
}


async def _call(connection: Connection, function: str, *arguments: Any, role: str = "owner") -> Any:
    places = ", ".join(f"${place}" for place in range(1, len(arguments) + 1))
    async with access.acting(connection, role):
        return await connection.fetchval(f"select public.{function}({places})", *arguments)


async def _row(connection: Connection, document_id: UUID) -> asyncpg.Record:
    row = await connection.fetchrow("select * from public.documents where id = $1", document_id)
    assert row is not None
    return row


async def _aliases(connection: Connection, contact_id: UUID) -> dict[str, tuple[str, str]]:
    rows = await connection.fetch(
        "select kind::text, value, state::text from public.document_aliases where contact_id = $1", contact_id
    )
    return {row["kind"]: (row["value"], row["state"]) for row in rows}


@pytest.fixture
async def scan(connection: Connection) -> UUID:
    """A scan of an invoice that waits for two fields to be confirmed."""
    document_id = await documents.document(
        connection, OWNER, kind="fattura", state="da_verificare", supplier=json.dumps(SUPPLIER)
    )
    place = {"page": 1, "box": [10, 20, 30, 40], "label": "Totale documento"}
    await documents.field(connection, document_id, "total", "122000", 0.6, **place)
    await documents.field(connection, document_id, "number", "12/2026", 0.95)
    await documents.field(connection, document_id, "issued_on", "2026-03-01", 0.5)
    return document_id


async def _field(connection: Connection, document_id: UUID, key: str) -> asyncpg.Record | None:
    return await connection.fetchrow(
        "select * from public.document_fields where document_id = $1 and key = $2", document_id, key
    )


async def test_a_document_is_ready_when_the_last_unsure_field_is_confirmed(connection: Connection, scan: UUID) -> None:
    await _call(connection, "confirm_field", scan, "total", "122000")
    assert (await _row(connection, scan))["state"] == "da_verificare"
    await _call(connection, "confirm_field", scan, "issued_on", "2026-03-02")
    row = await _row(connection, scan)
    assert (row["state"], row["issued_on"], row["total_cents"]) == ("pronto", date(2026, 3, 2), 122_000)


async def test_a_value_confirmed_as_read_keeps_its_place_and_another_is_the_persons(
    connection: Connection, scan: UUID
) -> None:
    await _call(connection, "confirm_field", scan, "total", "122000")
    kept = await _field(connection, scan, "total")
    assert kept
    assert (kept["source"], kept["page"], kept["box"]) == ("ocr", 1, [10, 20, 30, 40])
    await _call(connection, "confirm_field", scan, "total", "123000")
    changed = await _field(connection, scan, "total")
    assert changed
    assert (changed["source"], changed["page"], changed["confidence"]) == ("persona", None, 1)


async def test_a_confirmation_teaches_beside_which_words_a_supplier_writes(connection: Connection, scan: UUID) -> None:
    lessons = "select label from public.document_corrections where user_id = $1 and vat_number = $2 and key = 'total'"
    await documents.field(connection, scan, "vat_number", "00743110157")
    await _call(connection, "confirm_field", scan, "total", "122000")
    assert await connection.fetchval(lessons, OWNER, "00743110157") == "Totale documento"
    await _call(connection, "confirm_field", scan, "total", "124000", 1, [1, 2, 3, 4], "Netto a pagare")
    assert await connection.fetchval(lessons, OWNER, "00743110157") == "Netto a pagare"


async def test_a_field_that_says_nothing_is_taken_away(connection: Connection, scan: UUID) -> None:
    await _call(connection, "confirm_field", scan, "total", "  ")
    assert await _field(connection, scan, "total") is None


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("issued_on", "1/3/2026"),
        ("due_on", "2026-02-30"),
        # Ten years later no clock counts any more.
        ("issued_on", "9999-12-31"),
        ("due_on", "0202-06-01"),
        ("total", "12,50"),
        ("total", "abc"),
    ],
)
async def test_what_is_no_date_or_amount_is_refused(key: str, value: str, connection: Connection, scan: UUID) -> None:
    with pytest.raises(asyncpg.PostgresError) as refusal:
        await _call(connection, "confirm_field", scan, key, value)
    assert refusal.value.sqlstate == "22023"


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("confirm_field", ["total", "1"]),
        ("set_document_kind", ["f24"]),
        ("refuse_document_contact", []),
        ("contact_from_document", []),
        ("confirm_invoice", []),
    ],
)
async def test_nobody_decides_about_another_persons_document(
    function: str, arguments: list[str], connection: Connection, scan: UUID
) -> None:
    with pytest.raises(asyncpg.PostgresError) as refusal:
        await _call(connection, function, scan, *arguments, role="stranger")
    assert refusal.value.sqlstate == "PT404"


async def test_a_chosen_kind_is_the_persons_word_and_sets_the_retention(connection: Connection) -> None:
    document_id = await documents.document(connection, OWNER, kind="altro", issued_on=date(2026, 3, 1))
    assert (await _row(connection, document_id))["retention_until"] is None
    await _call(connection, "set_document_kind", document_id, "contratto")
    row = await _row(connection, document_id)
    assert (row["kind"], row["kind_by_user"], row["retention_until"]) == ("contratto", True, date(2036, 3, 1))


async def test_a_retention_that_was_chosen_stays(connection: Connection) -> None:
    document_id = await documents.document(connection, OWNER, kind="fattura", issued_on=date(2026, 3, 1))
    change = "update public.documents set {} where id = $1"
    await connection.execute(change.format("issued_on = '2026-05-01'"), document_id)
    assert (await _row(connection, document_id))["retention_until"] == date(2036, 5, 1)
    await connection.execute(change.format("retention_until = '2030-01-01'"), document_id)
    await connection.execute(change.format("issued_on = '2026-06-01', kind = 'altro'"), document_id)
    assert (await _row(connection, document_id))["retention_until"] == date(2030, 1, 1)


async def test_what_came_in_a_document_goes_into_the_trash_and_comes_back_with_it(connection: Connection) -> None:
    archive = await documents.document(connection, OWNER)
    inside, earlier = [await documents.document(connection, OWNER, parent_id=archive) for _ in range(2)]
    trash = "update public.documents set deleted_at = $2 where id = $1"
    await connection.execute(trash, earlier, datetime(2026, 1, 1, tzinfo=UTC))
    async with access.acting(connection, "owner"):
        await connection.execute(trash, archive, datetime.now(UTC))
        gone_at = (await _row(connection, archive))["deleted_at"]
        assert (await _row(connection, inside))["deleted_at"] == gone_at is not None
        await connection.execute(trash, archive, None)
    assert (await _row(connection, inside))["deleted_at"] is None
    assert (await _row(connection, earlier))["deleted_at"] is not None


@pytest.mark.parametrize("table", ["contacts", "deals", "documents", "drafts", "notes", "projects", "tasks"])
async def test_no_browser_says_since_when_something_is_in_the_trash(connection: Connection, table: str) -> None:
    trash = f"update public.{table} set deleted_at = $2 where user_id = $1 returning deleted_at"
    now = await connection.fetchval("select now()")
    other = datetime(2020, 1, 1, tzinfo=UTC)
    async with access.acting(connection, "owner"):
        assert await connection.fetchval(trash, OWNER, other) == now
        assert await connection.fetchval(trash, OWNER, None) is None
    assert await connection.fetchval(trash, OWNER, other) == other
    async with access.acting(connection, "owner"):
        # Thrown away once more: the thirty days do not begin anew.
        assert await connection.fetchval(trash, OWNER, now) == other


async def test_what_is_restored_outlives_what_it_came_in(connection: Connection) -> None:
    archive = await documents.document(connection, OWNER)
    mail, other = [await documents.document(connection, OWNER, parent_id=archive) for _ in range(2)]
    attached = await documents.document(connection, OWNER, parent_id=mail)
    (invoice_id,) = await documents.store_invoices(connection, attached, {})
    trash = "update public.documents set deleted_at = $2 where id = any ($1)"
    async with access.acting(connection, "owner"):
        await connection.execute(trash, [archive], datetime(2026, 2, 1, tzinfo=UTC))
        await connection.execute(trash, [mail], None)
        assert [(await _row(connection, document_id))["parent_id"] for document_id in (mail, attached)] == [None, mail]
        await connection.execute("delete from public.documents where id = $1", archive)
    left = await connection.fetch(
        "select id from public.documents where id = any ($1)", [archive, mail, other, attached]
    )
    assert {row["id"] for row in left} == {mail, attached}
    assert await connection.fetchval("select document_id from public.invoices where id = $1", invoice_id) == attached


async def test_what_is_restored_with_what_it_came_in_stays_in_it(connection: Connection) -> None:
    archive = await documents.document(connection, OWNER)
    inside = await documents.document(connection, OWNER, parent_id=archive)
    trash = "update public.documents set deleted_at = $2 where id = any ($1)"
    async with access.acting(connection, "owner"):
        await connection.execute(trash, [archive], datetime(2026, 2, 1, tzinfo=UTC))
        await connection.execute(trash, [inside, archive], None)
    row = await _row(connection, inside)
    assert (row["parent_id"], row["deleted_at"]) == (archive, None)


async def test_what_comes_out_of_a_document_in_the_trash_is_there_too(connection: Connection) -> None:
    gone_at = datetime(2026, 2, 1, tzinfo=UTC)
    archive = await documents.document(connection, OWNER, deleted_at=gone_at)
    row = await _row(connection, await documents.document(connection, OWNER, parent_id=archive))
    assert (row["parent_id"], row["deleted_at"]) == (archive, gone_at)


async def test_counts_tell_kinds_and_states_outside_of_the_trash(connection: Connection) -> None:
    before = json.loads(await _call(connection, "document_counts"))
    await documents.document(connection, OWNER, kind="durc", state="errore")
    await documents.document(connection, OWNER, kind="durc", deleted_at=datetime.now(UTC))
    counts = json.loads(await _call(connection, "document_counts"))
    assert counts["kinds"] == {**before["kinds"], "durc": 1}
    assert counts["states"] == {**before["states"], "errore": 1}
    assert counts["trash"] == before["trash"] + 1


async def test_linking_a_contact_remembers_by_what_it_is_known(connection: Connection, scan: UUID) -> None:
    contact_id = await crm.contact(connection, OWNER)
    await _call(connection, "link_document_contact", scan, contact_id)
    assert (await _row(connection, scan))["contact_id"] == contact_id
    assert await _aliases(connection, contact_id) == {
        "vat_number": ("00743110157", "confermato"),
        "tax_code": ("00743110157", "confermato"),
        "email": ("info@officine.it", "confermato"),
        "name": ("officinelombardesrl", "confermato"),
    }


async def test_a_refused_suggestion_is_remembered_and_forgotten_when_linked_after_all(
    connection: Connection, scan: UUID
) -> None:
    contact_id = await crm.contact(connection, OWNER)
    await connection.execute(
        "update public.documents set contact_suggestion = $2, contact_reason = 'Stessa P.IVA' where id = $1",
        scan,
        contact_id,
    )
    await _call(connection, "refuse_document_contact", scan)
    row = await _row(connection, scan)
    assert (row["contact_suggestion"], row["contact_reason"]) == (None, None)
    assert {state for _, state in (await _aliases(connection, contact_id)).values()} == {"rifiutato"}
    await _call(connection, "link_document_contact", scan, contact_id)
    assert {state for _, state in (await _aliases(connection, contact_id)).values()} == {"confermato"}


async def test_a_document_is_not_linked_to_a_strangers_contact(connection: Connection, scan: UUID) -> None:
    strangers = await crm.contact(connection, STRANGER)
    with pytest.raises(asyncpg.PostgresError) as refusal:
        await _call(connection, "link_document_contact", scan, strangers)
    assert refusal.value.sqlstate == "PT404"


async def test_a_contact_is_made_of_a_document_once(connection: Connection, scan: UUID) -> None:
    contact_id = await _call(connection, "contact_from_document", scan)
    assert await _call(connection, "contact_from_document", scan) == contact_id
    contact = await connection.fetchrow("select * from public.contacts where id = $1", contact_id)
    assert contact is not None
    assert (contact["type"], contact["name"], contact["origin"]) == ("azienda", "Officine Lombarde Srl", "documento")
    assert (contact["vat_number"], contact["tax_code"]) == ("00743110157", "00743110157")
    assert (
        await connection.fetchval("select norm from public.contact_emails where contact_id = $1", contact_id)
        == "info@officine.it"
    )
    # The next paper of the same supplier finds the contact.
    second = await documents.document(connection, OWNER, supplier=json.dumps(SUPPLIER))
    assert await _call(connection, "contact_from_document", second) == contact_id


async def test_a_document_that_names_nobody_makes_no_contact(connection: Connection) -> None:
    document_id = await documents.document(connection, OWNER)
    with pytest.raises(asyncpg.PostgresError) as refusal:
        await _call(connection, "contact_from_document", document_id)
    assert refusal.value.sqlstate == "SC042"


async def test_documents_stay_when_their_contact_is_erased_and_are_in_its_copy(
    connection: Connection, scan: UUID
) -> None:
    contact_id = await crm.contact(connection, OWNER)
    await _call(connection, "link_document_contact", scan, contact_id)
    await documents.store_invoices(connection, scan, {})
    copy = json.loads(await _call(connection, "export_contact", contact_id))
    assert [document["id"] for document in copy["documents"]] == [str(scan)]
    assert [len(copy[table]) for table in ("invoices", "document_aliases")] == [1, 4]
    async with access.acting(connection, "owner"):
        receipt = await crm.erase(connection, contact_id)
    assert receipt["via"]["document_aliases"] == 4
    assert (receipt["resta"]["documents"], receipt["resta"]["invoices"]) == (1, 1)
    assert (await _row(connection, scan))["contact_id"] is None


async def test_documents_follow_a_merge_of_contacts_and_its_undoing(connection: Connection, scan: UUID) -> None:
    winner, loser = [await crm.contact(connection, OWNER) for _ in range(2)]
    await _call(connection, "link_document_contact", scan, loser)
    await documents.store_invoices(connection, scan, {})
    hangs = "select contact_id from public.documents where id = $1 union select contact_id from public.invoices"
    hangs += " where document_id = $1"
    merge_id = await _call(connection, "merge_contacts", winner, loser)
    assert [row["contact_id"] for row in await connection.fetch(hangs, scan)] == [winner]
    assert len(await _aliases(connection, winner)) == 4
    await _call(connection, "undo_merge", merge_id)
    assert [row["contact_id"] for row in await connection.fetch(hangs, scan)] == [loser]
    assert len(await _aliases(connection, loser)) == 4


async def test_the_timeline_tells_documents_and_payments_outside_of_the_trash(
    connection: Connection, scan: UUID
) -> None:
    contact_id = await crm.contact(connection, OWNER)
    await _call(connection, "link_document_contact", scan, contact_id)
    invoice_id = (await documents.store_invoices(connection, scan, {}))[0]
    await _call(connection, "mark_invoice_paid", invoice_id, date(2026, 4, 1))
    told = "select kind, title, ref_type, ref_id from public.timeline where contact_id = $1 order by kind"
    async with access.acting(connection, "owner"):
        assert [tuple(row) for row in await connection.fetch(told, contact_id)] == [
            ("documento", "Fattura", "document", scan),
            ("pagamento", "Fattura pagata", "document", scan),
        ]
        await connection.execute("update public.documents set deleted_at = now() where id = $1", scan)
        assert await connection.fetch(told, contact_id) == []


async def test_a_link_leads_to_a_deal_or_a_task_and_goes_with_it(connection: Connection, scan: UUID) -> None:
    deal_id = await pipeline.deal(connection, OWNER, (await pipeline.stages(connection))["Contatto"])
    link = "insert into public.document_links (document_id, deal_id) values ($1, $2)"
    async with access.acting(connection, "owner"):
        with pytest.raises(asyncpg.CheckViolationError):
            async with connection.transaction():
                await connection.execute(link, scan, None)
        await connection.execute(link, scan, deal_id)
        await connection.execute("delete from public.deals where id = $1", deal_id)
        assert not await connection.fetchval(
            "select exists (select from public.document_links where document_id = $1)", scan
        )


async def test_a_path_lies_in_the_folder_of_its_owner(connection: Connection) -> None:
    with pytest.raises(asyncpg.CheckViolationError):
        await documents.document(connection, OWNER, storage_path=f"{STRANGER}/x.pdf")
