"""What is concluded: invoices go to the register, fields keep their place, and contacts are linked by number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from backend.core import db
from functions._shared.documents import conclusions, reading
from functions._shared.fatturapa.model import Attachment
from tests.functions.documents import files
from tests.functions.documents.conftest import Desk
from tests.functions.extraction import samples as papers
from tests.functions.fatturapa import builder, samples

pytestmark = pytest.mark.anyio


async def drop_invoice(desk: Desk, number: str, attachment: bytes = b"", **said: Any) -> UUID:
    attached = (Attachment("Dettaglio.pdf", None, "PDF", None, len(attachment), attachment),) if attachment else ()
    invoice = replace(samples.invoice(), number=number, attachments=attached, **said)
    return await desk.drop(builder.written([invoice]).encode(), f"{number}.xml", "application/xml")


async def supplier_as_contact(desk: Desk) -> UUID:
    supplier = samples.invoice().supplier
    async with db.connection(desk.resources.pool) as connection:
        contact: UUID = await connection.fetchval(
            "insert into public.contacts (user_id, type, business_name, vat_number) values ($1, 'azienda', 'X', $2)"
            " returning id",
            desk.user_id,
            supplier.vat_number,
        )
    return contact


async def confirm(desk: Desk, document: UUID, said: Mapping[str, str | None]) -> None:
    async with db.as_claims(desk.resources.pool, {"sub": str(desk.user_id), "role": "authenticated"}) as connection:
        for key, value in said.items():
            await connection.execute("select public.confirm_field($1, $2, $3)", document, key, value)


async def read_again(desk: Desk, document: UUID) -> None:
    async with db.connection(desk.resources.pool) as connection:
        await connection.execute("update public.documents set state = 'annullato' where id = $1", document)
    await desk.ask({"document_id": str(document), "action": "retry"})
    await desk.read()


async def test_an_electronic_invoice_is_read_into_the_register_with_what_came_in_it(desk: Desk) -> None:
    contact = await supplier_as_contact(desk)
    document = await drop_invoice(desk, "12-2026", files.pdf())
    await desk.read()
    row = await desk.row(document)
    assert (row["kind"], row["state"], row["kind_rule"]) == ("fattura", "pronto", "Fattura elettronica (FPR12)")
    assert (row["contact_id"], row["contact_reason"]) == (contact, "Collegato per P.IVA")
    assert (str(row["issued_on"]), str(row["due_on"]), row["total_cents"]) == ("2026-11-10", "2026-12-10", 122_000)
    async with db.connection(desk.resources.pool) as connection:
        invoice = await connection.fetchrow("select * from public.invoices where document_id = $1", document)
        child = await connection.fetchrow("select * from public.documents where parent_id = $1", document)
    assert invoice is not None
    assert (invoice["number"], invoice["direction"], invoice["total_cents"]) == ("12-2026", "passiva", 122_000)
    assert child is not None
    assert (child["filename"], child["state"], child["pages"]) == ("Dettaglio.pdf", "pronto", 1)


@pytest.mark.parametrize("is_contact_first", [True, False])
async def test_issued_invoices_are_linked_to_the_customer_with_their_vat_number(
    desk: Desk, is_contact_first: bool
) -> None:
    own, customer = samples.invoice().supplier.vat_number, samples.invoice().customer.vat_number
    new_contact = (
        "insert into public.contacts (user_id, type, business_name, vat_number) values ($1, 'azienda', 'Cliente', $2)"
    )
    async with db.connection(desk.resources.pool) as connection:
        await connection.execute("update public.profiles set vat_number = $2 where user_id = $1", desk.user_id, own)
        if is_contact_first:
            await connection.execute(new_contact, desk.user_id, customer)
    for number in ("1", "2"):
        await drop_invoice(desk, number)
    await desk.read()
    async with db.connection(desk.resources.pool) as connection:
        if not is_contact_first:
            await connection.execute(new_contact, desk.user_id, customer)
        rows = await connection.fetch(
            "select direction::text, contacts.name, contact_reason from public.invoices"
            " join public.documents on documents.id = document_id"
            " left join public.contacts on contacts.id = invoices.contact_id where invoices.user_id = $1",
            desk.user_id,
        )
    assert [tuple(row) for row in rows] == [("attiva", "Cliente", "Collegato per P.IVA")] * 2


@pytest.mark.long
async def test_own_numbers_that_change_while_an_invoice_is_read_count(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await drop_invoice(desk, "13-2026")
    number, read = samples.invoice().supplier.vat_number, reading.invoices

    async def slow(*arguments: Any) -> Any:
        told = await read(*arguments)
        async with db.connection(desk.resources.pool) as connection:
            await connection.execute(
                "update public.profiles set vat_number = $2 where user_id = $1", desk.user_id, number
            )
        return told

    monkeypatch.setattr(reading, "invoices", slow)
    await desk.read()
    async with db.connection(desk.resources.pool) as connection:
        assert await connection.fetchval("select direction from public.invoices") == "attiva"


async def test_what_was_confirmed_is_linked_the_next_time_and_what_was_refused_is_not(desk: Desk) -> None:
    contact = await supplier_as_contact(desk)
    first = await drop_invoice(desk, "1")
    await desk.read()
    for answer, outcome in (("link_document_contact($1, $2)", contact), ("refuse_document_contact($1)", None)):
        async with db.as_claims(desk.resources.pool, {"sub": str(desk.user_id), "role": "authenticated"}) as connection:
            arguments = [first, contact][: answer.count("$")]
            await connection.execute(f"select public.{answer}", *arguments)
        again = await drop_invoice(desk, answer.partition("_")[0])
        await desk.read()
        row = await desk.row(again)
        assert (row["contact_id"], row["contact_suggestion"]) == (outcome, None)


async def test_fields_of_a_paper_keep_their_place_and_a_users_word_outlasts_another_reading(desk: Desk) -> None:
    paper = papers.sample("letterhead")
    document = await desk.drop(paper.pdf, "fattura.pdf")
    await desk.read()
    async with db.connection(desk.resources.pool) as connection:
        rows = await connection.fetch("select * from public.document_fields where document_id = $1", document)
        found = {row["key"]: row for row in rows}
        await connection.execute(
            "update public.document_fields set value = 'X-1', source = 'persona', confirmed_at = now()"
            " where document_id = $1 and key = 'number'",
            document,
        )
        await connection.execute(
            "update public.documents set kind = 'ricevuta', kind_by_user = true, state = 'errore' where id = $1",
            document,
        )
    assert found["total"]["value"] == paper.truth["total"]
    assert (found["total"]["source"], found["total"]["page"], len(found["total"]["box"])) == ("testo", 1, 4)
    assert (await desk.row(document))["total_cents"] == int(paper.truth["total"])
    await desk.ask({"document_id": str(document), "action": "retry"})
    await desk.read()
    assert (await desk.row(document))["kind"] == "ricevuta"
    number = "select value from public.document_fields where document_id = $1 and key = 'number'"
    assert await desk.value(number, document) == "X-1"


async def test_what_its_owner_confirmed_of_a_document_outlasts_a_reading_that_does_not_find_it(desk: Desk) -> None:
    contact = await supplier_as_contact(desk)
    document = await desk.drop(files.pdf())
    await desk.read()
    vat_number = samples.invoice().supplier.vat_number
    assert vat_number is not None
    said = {"total": "12200", "issued_on": "2026-03-02", "supplier": "Rossi srl", "email": "info@rossi.example"}
    await confirm(desk, document, {**said, "vat_number": vat_number})
    confirmed = await desk.row(document)
    await read_again(desk, document)
    row = await desk.row(document)
    assert row["supplier"] == {"name": "Rossi srl", "email": "info@rossi.example", "vat_number": vat_number}
    assert [row[each] for each in ("total_cents", "issued_on")] == [12_200, confirmed["issued_on"]]
    assert (row["contact_id"], row["contact_reason"]) == (contact, "Collegato per P.IVA")


@pytest.mark.long
async def test_what_its_owner_confirmed_comes_before_what_is_read_again(desk: Desk) -> None:
    document = await drop_invoice(desk, "1", issued_on=None)
    await desk.read()
    await confirm(desk, document, {"supplier": "Rossi srl", "total": "500"})
    await read_again(desk, document)
    row = await desk.row(document)
    assert (row["supplier"]["name"], row["total_cents"]) == ("Rossi srl", 500)
    assert row["supplier"]["vat_number"] == samples.invoice().supplier.vat_number


async def test_an_invoice_of_ones_own_is_about_its_customer_whatever_is_confirmed_of_oneself(desk: Desk) -> None:
    own, customer = samples.invoice().supplier, samples.invoice().customer
    assert own.vat_number is not None
    async with db.connection(desk.resources.pool) as connection:
        await connection.execute(
            "update public.profiles set vat_number = $2 where user_id = $1", desk.user_id, own.vat_number
        )
    document = await drop_invoice(desk, "1", issued_on=None)
    await desk.read()
    await confirm(desk, document, {"supplier": "Io stesso", "vat_number": own.vat_number})
    await read_again(desk, document)
    row = await desk.row(document)
    assert (row["supplier"]["name"], row["supplier"].get("vat_number")) == (customer.name, customer.vat_number)


async def fields_of(desk: Desk, document: UUID) -> dict[str, str]:
    async with db.connection(desk.resources.pool) as connection:
        rows = await connection.fetch("select key, value from public.document_fields where document_id = $1", document)
    return {row["key"]: row["value"] for row in rows}


@pytest.mark.long
async def test_what_was_corrected_or_taken_away_of_a_scan_of_ones_own_stays_so(desk: Desk) -> None:
    own = "01234560157"
    async with db.connection(desk.resources.pool) as connection:
        await connection.execute("update public.profiles set vat_number = $2 where user_id = $1", desk.user_id, own)
    head = ["Studio Verdi", f"P.IVA {own}", "Fattura n. 5/2026", "Data fattura: 16/11/2026", "Spett.le Rossi srl"]
    sums = ["Imponibile 1.000,00", "IVA 22% 220,00", "Totale fattura 1.220,00", "Netto a pagare 1.220,00"]
    document = await desk.drop(files.pdf([[*head, "Scadenza: 16/12/2026", *sums]]), "fattura.pdf")
    await desk.read()
    read = await fields_of(desk, document)
    assert [read[key] for key in ("customer", "due_on", "total", "due")] == [
        "Rossi srl", "2026-12-16", "122000", "122000",
    ]  # fmt: skip
    await confirm(desk, document, {"customer": "Bianchi spa", "total": "100000", "due_on": None})
    said, before = await fields_of(desk, document), await desk.row(document)
    assert (said["due"], before["supplier"]["name"], before["due_on"]) == ("100000", "Bianchi spa", None)
    await read_again(desk, document)
    after = await desk.row(document)
    assert await fields_of(desk, document) == said
    told = ("supplier", "total_cents", "issued_on", "due_on", "currency", "removed_keys", "state")
    assert [after[each] for each in told] == [before[each] for each in told]
    await confirm(desk, document, {"due_on": "2026-12-31"})
    assert (await desk.row(document))["removed_keys"] == []
    await confirm(desk, document, {"vat_number": "09876540155"})
    received = (await desk.row(document))["supplier"]
    assert received == {"name": "Studio Verdi", "vat_number": "09876540155"}
    await read_again(desk, document)
    assert (await desk.row(document))["supplier"] == received


@pytest.mark.long
async def test_a_reading_is_ready_when_all_that_it_doubts_was_confirmed_before(desk: Desk) -> None:
    lines = ["Rossi Srl", "P.IVA 09876540155", "STORNO FATTURA n. 5/2026", "Data documento: 16/11/2026"]
    document = await desk.drop(
        files.pdf([[*lines, "Imponibile 100,00", "IVA 22% 22,00", "Totale 122,00"]]), "storno.pdf"
    )
    await desk.read()
    assert (await desk.row(document))["state"] == "da_verificare"
    await confirm(desk, document, await fields_of(desk, document))
    assert (await desk.row(document))["state"] == "pronto"
    await read_again(desk, document)
    row = await desk.row(document)
    assert (row["state"], row["total_cents"]) == ("pronto", -12_200)
    await confirm(desk, document, {"type_code": None})
    await read_again(desk, document)
    row = await desk.row(document)
    assert (row["state"], row["total_cents"], row["removed_keys"]) == ("pronto", 12_200, ["type_code"])


@pytest.mark.long
async def test_a_kind_that_was_chosen_is_remembered_of_its_issuer_and_never_of_oneself(desk: Desk) -> None:
    own = samples.invoice().supplier.vat_number
    assert own is not None
    theirs = await desk.drop(papers.sample("letterhead").pdf, "fattura.pdf")
    ours = await drop_invoice(desk, "1")
    async with db.connection(desk.resources.pool) as connection:
        await connection.execute("update public.profiles set vat_number = $2 where user_id = $1", desk.user_id, own)
    await desk.read()
    await confirm(desk, theirs, {"vat_number": "09876540155"})
    async with db.as_claims(desk.resources.pool, {"sub": str(desk.user_id), "role": "authenticated"}) as connection:
        for document in (theirs, ours):
            await connection.execute("select public.set_document_kind($1, 'preventivo')", document)
    async with db.connection(desk.resources.pool) as connection:
        rows = await connection.fetch(
            "select vat_number, kind::text from public.document_corrections where user_id = $1 and kind is not null",
            desk.user_id,
        )
    assert [tuple(row) for row in rows] == [("09876540155", "preventivo")]


@pytest.mark.long
async def test_what_a_file_holds_and_no_register_takes_is_told_and_a_credit_note_takes_away(desk: Desk) -> None:
    bodies = [
        replace(samples.invoice(), number="1", body_no=1),
        replace(samples.invoice(), number="2", body_no=2, type_code="TD04"),
        replace(samples.invoice(), number="3", body_no=3),
        replace(samples.invoice(), number="4", body_no=4, issued_on=None),
    ]
    lot = await desk.drop(builder.written(bodies).encode(), "lotto.xml", "application/xml")
    one = await desk.drop(builder.written([replace(bodies[3], body_no=1)]).encode(), "una.xml", "application/xml")
    await desk.read()
    row = await desk.row(lot)
    assert (row["state"], row["error_code"], row["total_cents"]) == ("da_verificare", "incomplete_invoice", 244_000)
    assert row["error"].startswith("1 fattura su 4 non è nel registro")
    assert await desk.value("select count(*) from public.invoices where document_id = $1", lot) == 3
    row = await desk.row(one)
    assert (row["state"], row["error"].split(":")[0]) == ("da_verificare", "Questa fattura non è nel registro")
    await confirm(desk, one, {"issued_on": "2026-11-10"})
    async with db.as_claims(desk.resources.pool, {"sub": str(desk.user_id), "role": "authenticated"}) as connection:
        assert await connection.fetchval("select public.confirm_invoice($1)", one)
    assert await desk.state(one) == ("pronto", "incomplete_invoice")


@pytest.mark.parametrize("totals", [[10**15], [10**15 - 1, 10**15 - 1]], ids=["of one", "of all"])
def test_a_total_that_is_impossible_is_none(totals: list[int]) -> None:
    bodies = [replace(samples.invoice(), body_no=no, total_cents=total) for no, total in enumerate(totals, 1)]
    told = conclusions.of_invoices(bodies, None, None)
    assert told.total_cents is None
    registered = [each["total_cents"] for each in told.invoices]
    assert registered == [total for total in totals if total < 10**15]
    assert (told.missing is None) == (registered == totals)


def test_digits_of_abroad_are_not_ones_own() -> None:
    abroad = replace(samples.GERMAN, vat_number="01234560157", tax_code=None)
    told = conclusions.of_invoices([replace(samples.invoice(), supplier=abroad)], "01234560157", None)
    assert (told.value("vat_number"), told.counterparty["vat_number"]) == ("DE01234560157", "DE01234560157")


@pytest.mark.long
async def test_a_customer_from_abroad_is_one_on_paper_and_in_the_file(desk: Desk) -> None:
    own = samples.STUDIO.vat_number
    async with db.connection(desk.resources.pool) as connection:
        await connection.execute("update public.profiles set vat_number = $2 where user_id = $1", desk.user_id, own)
    await drop_invoice(desk, "5/2026", customer=samples.GERMAN)
    head = ["Studio Verdi", f"P.IVA {own}", "Fattura n. 5/2026", "Data fattura: 10/11/2026"]
    customer = [f"Spett.le {samples.GERMAN.name}", f"P.IVA cliente: DE {samples.GERMAN.vat_number}"]
    scan = await desk.drop(files.pdf([[*head, *customer, "Imponibile 1.220,00", "Totale fattura 1.220,00"]]), "5.pdf")
    await desk.read()
    counterparty = {"name": samples.GERMAN.name, "vat_number": "DE123456789"}
    assert (await desk.row(scan))["supplier"] == counterparty
    async with db.as_claims(desk.resources.pool, {"sub": str(desk.user_id), "role": "authenticated"}) as connection:
        await connection.execute("select public.confirm_invoice($1)", scan)
        rows = await connection.fetch(
            "select source::text, direction::text, counterparty_vat, twin ->> 'filename' as twin"
            " from public.invoices cross join public.twin(invoices) order by source"
        )
    assert [tuple(row) for row in rows] == [
        ("campi", "attiva", "DE123456789", "5/2026.xml"), ("fatturapa", "attiva", "DE123456789", None),
    ]  # fmt: skip
    contact = await linked(desk, scan)
    again = await drop_invoice(desk, "6/2026", customer=samples.GERMAN)
    await desk.read()
    assert (await desk.row(again))["contact_id"] == contact


async def linked(desk: Desk, document: UUID) -> UUID:
    async with db.as_claims(desk.resources.pool, {"sub": str(desk.user_id), "role": "authenticated"}) as connection:
        contact: UUID = await connection.fetchval("select public.contact_from_document($1)", document)
    return contact


async def test_a_scanned_credit_note_in_dollars_is_what_it_is(desk: Desk) -> None:
    lines = ["Fornitura Rossi Srl", "P.IVA 09876540155", "NOTA DI CREDITO n. 5/2026", "Data documento: 16/11/2026"]
    amounts = ["Imponibile USD 1,000.00", "IVA USD 220.00", "Totale nota di credito USD 1,220.00"]
    document = await desk.drop(files.pdf([[*lines, *amounts]]), "nota.pdf")
    await desk.read()
    row = await desk.row(document)
    assert (row["kind"], row["total_cents"], row["currency"]) == ("fattura", -122_000, "USD")
    async with db.as_claims(desk.resources.pool, {"sub": str(desk.user_id), "role": "authenticated"}) as connection:
        await connection.execute("select public.confirm_invoice($1)", document)
        invoice = await connection.fetchrow("select * from public.invoices where document_id = $1", document)
    assert invoice is not None
    assert (invoice["type_code"], invoice["currency"], invoice["total_cents"]) == ("TD04", "USD", 122_000)
