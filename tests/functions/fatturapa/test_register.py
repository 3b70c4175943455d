"""What the register is told of an invoice: whose it is, with whom, what is due; and the database takes it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from backend.core import db
from backend.core.resources import Resources
from functions._shared import fatturapa
from functions._shared.fatturapa.model import Invoice
from tests.db import accounts
from tests.functions.fatturapa import builder, samples
from tests.functions.fatturapa.keeping import kept_document
from tests.functions.fatturapa.samples import COMPANY, GERMAN, STUDIO, installment, invoice, self_invoice

OURS = STUDIO.vat_number
DAY, LATER = date(2026, 12, 10), date(2027, 1, 10)
# Of 44,02 € the file asks for 36,08 €, which is the amount without VAT: the VAT is owed to the supplier too.
FOR_THE_NET = invoice(
    summaries=(samples.summary(3_608, 794),),
    stated_total_cents=4_402,
    installments=(installment(1, 3_608, DAY),),
)


def stored(made: Invoice, own_vat: str | None = OURS, own_tax_code: str | None = None) -> dict[str, Any]:
    """The one entry."""
    (entry,) = fatturapa.for_store(fatturapa.read(builder.written([made]).encode()), own_vat, own_tax_code)
    return entry


@pytest.mark.parametrize(
    ("made", "own", "expected"),
    [
        (invoice(), (OURS, None), "attiva"),
        (invoice(), ("IT" + str(OURS), None), "attiva"),
        (invoice(), (None, "vrdnna80a41h501h"), "attiva"),
        (invoice(), (COMPANY.vat_number, None), "passiva"),
        (invoice(customer=replace(COMPANY, vat_number=None)), (COMPANY.vat_number, None), "passiva"),
        (self_invoice("TD17", GERMAN), (OURS, None), "passiva"),
        (self_invoice("TD21", STUDIO), (OURS, None), "passiva"),
        (invoice(type_code="TD27", customer=STUDIO), (OURS, None), "attiva"),
        (invoice(), ("02345670588", "RSSMRA80A01H501U"), None),
        (invoice(), (None, None), None),
        (invoice(customer=replace(GERMAN, vat_number="12345670157"), supplier=COMPANY), (OURS, None), None),
    ],
    ids=["sold", "with country", "by tax code", "bought", "by the company's code", "from abroad", "to ourselves",
         "own use", "somebody else's", "nobody known", "same digits abroad"],
)  # fmt: skip
def test_an_invoice_is_issued_or_received(made: Invoice, own: tuple[str, str], expected: str | None) -> None:
    assert fatturapa.direction(made, *own) == expected


def test_an_entry_names_the_other_side_and_what_is_due() -> None:
    entry = stored(samples.professional())
    assert entry["counterparty"] == {
        "name": "Rossi s.r.l.", "vat_number": "01234560157", "tax_code": "01234560157", "email": None, "pec": None,
        "address": {"street": "Piazza dell’Esquilino 3", "number": None, "postal_code": "00185", "city": "Roma",
                    "province": "RM", "country": "IT"},
    }  # fmt: skip
    assert [entry[name] for name in ("direction", "type_code", "number", "issued_on", "currency")] == [
        "attiva", "TD06", "12/2026", "2026-11-10", "EUR",
    ]  # fmt: skip
    amounts = [entry[name] for name in ("net_cents", "vat_cents", "total_cents", "due_cents")]
    assert amounts == [104_000, 22_880, 126_880, 106_880]
    assert entry["schedules"] == [
        {"no": 1, "due_on": "2026-12-10", "amount_cents": 106_880, "method": "MP05", "iban": samples.IBAN}
    ]
    assert entry["findings"] == []
    assert Invoice.from_json(entry["content"]).number == "12/2026"


def test_foreign_numbers_keep_their_country_and_a_pec_is_the_customers() -> None:
    assert stored(self_invoice("TD18", GERMAN))["counterparty_vat"] == "DE123456789"
    assert stored(self_invoice("TD18", GERMAN))["schedules"] == []
    private = samples.SAMPLES["private customer"]()[0]
    assert stored(private)["counterparty"]["pec"] == "maria@pec.example.it"
    assert stored(private, None, private.customer.tax_code)["counterparty"]["pec"] is None


@pytest.mark.parametrize("number", ["0000000", "OO99999999999", "XXXXXXX"])
def test_a_placeholder_is_nobodys_number(number: str) -> None:
    entry = stored(self_invoice("TD18", replace(GERMAN, vat_number=number)))
    assert (entry["counterparty_vat"], entry["counterparty"]["vat_number"]) == (None, None)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("country", "written", "expected"),
    [
        ("DE", "DE123456789", "DE123456789"),
        ("DE", "de 123 456 789", "DE123456789"),
        ("AT", "U12345678", "ATU12345678"),
        ("FR", "40.303265045", "FR40303265045"),
        ("GR", "123456789", "EL123456789"),
        ("GR", "EL123456789", "EL123456789"),
        ("IT", "IT 01234560157", "01234560157"),
        ("HR", "01234560157", "HR01234560157"),
    ],
)
async def test_a_number_is_written_in_one_way(country: str, written: str, expected: str, resources: Resources) -> None:
    party = replace(GERMAN, vat_country=country, vat_number=written)
    assert fatturapa.vat_of(party) == expected
    said = json.dumps({"vat_country": country, "vat_number": written})
    async with db.connection(resources.pool) as connection:
        assert await connection.fetchval("select private.party_vat($1::text::jsonb)", said) == expected
        assert await connection.fetchval("select private.alias_value('vat_number', $1)", expected) == expected


def test_somebody_elses_invoice_counts_as_received_and_says_so() -> None:
    entry = stored(invoice(), "02345670588")
    assert (entry["direction"], entry["counterparty_name"]) == ("passiva", "Studio Verdi di Anna Verdi")
    assert [each["code"] for each in entry["findings"]] == ["non_tua"]
    assert "Nei tuoi dati fiscali manca" in stored(invoice(), None)["findings"][0]["text"]


def test_what_no_register_takes_is_left_out() -> None:
    assert not fatturapa.is_complete(replace(invoice(), total_cents=10**15))
    for broken in (invoice(number=None), invoice(issued_on=None), invoice(summaries=(), stated_total_cents=None)):
        assert fatturapa.for_store(fatturapa.read(builder.written([broken]).encode()), OURS, None) == []


@pytest.mark.parametrize(
    ("made", "due"),
    [
        (invoice(installments=()), [(None, 122_000)]),
        (self_invoice("TD17", GERMAN), []),
        (invoice(installments=(installment(1, 122_000, DAY), installment(2, 122_000, DAY))), [("2026-12-10", 122_000)]),
        (
            invoice(installments=(installment(1, 61_000, DAY), installment(2, 61_000, DAY))),
            [("2026-12-10", 61_000), ("2026-12-10", 61_000)],
        ),
        (replace(samples.professional(), installments=(installment(1, 126_880, DAY),)), [("2026-12-10", 106_880)]),
        (
            replace(samples.professional(), installments=(installment(1, 126_880, DAY), installment(2, 106_880, DAY))),
            [("2026-12-10", 106_880)],
        ),
        (invoice(installments=(installment(1, None, DAY),)), [("2026-12-10", 122_000)]),
        (
            invoice(installments=(installment(1, 22_000, DAY), installment(2, None, LATER))),
            [("2026-12-10", 22_000), ("2027-01-10", 100_000)],
        ),
        (
            invoice(installments=(installment(1, None, None), installment(2, None, DAY))),
            [("2026-12-10", 122_000)],
        ),
        (
            invoice(installments=(installment(1, 122_000, DAY), installment(2, None, LATER))),
            [("2026-12-10", 122_000)],
        ),
        (FOR_THE_NET, [("2026-12-10", 3_608), ("2026-12-10", 794)]),
        (replace(FOR_THE_NET, summaries=(samples.summary(3_608, 794, due="S"),)), [("2026-12-10", 3_608)]),
        (replace(FOR_THE_NET, installments=(installment(1, 4_401, DAY),)), [("2026-12-10", 4_401)]),
        (
            replace(samples.professional(), installments=(installment(1, 63_440, DAY), installment(2, 63_440, LATER))),
            [("2026-12-10", 53_440), ("2027-01-10", 53_440)],
        ),
        (
            invoice(type_code="TD04", installments=(installment(1, -122_000, DAY),)),
            [("2026-12-10", -122_000)],
        ),
    ],
    ids=[
        "nothing told",
        "to oneself",
        "one of two accounts",
        "in two parts",
        "withheld, told without",
        "withheld twice",
        "a day without an amount",
        "the rest",
        "days without amounts",
        "nothing left",
        "less than is owed",
        "without the VAT that is split",
        "a cent of rounding",
        "withheld in two parts",
        "a credit note with a sign",
    ],
)
def test_what_is_due_is_due_once(made: Invoice, due: list[tuple[str | None, int]]) -> None:
    assert [(each["due_on"], each["amount_cents"]) for each in stored(made)["schedules"]] == due


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((None, None), (OURS, None)),
        ((None, None), (None, "VRDNNA80A41H501H")),
        ((OURS, None), (COMPANY.vat_number, None)),
        ((OURS, None), (None, None)),
        ((None, None), ("02345670588", None)),
    ],
    ids=["number set later", "tax code set later", "another number", "number taken away", "somebody else's"],
)
async def test_who_one_is_turns_what_was_registered_before(
    before: tuple[str | None, str | None], after: tuple[str | None, str | None], resources: Resources
) -> None:
    """The database says of what is kept what for_store says of what is read."""
    bodies = [invoice(), self_invoice("TD17", GERMAN), invoice(type_code="TD27", customer=STUDIO)]
    bodies.append(invoice(supplier=replace(GERMAN, vat_number="12345670157"), customer=COMPANY))
    numbers = "update public.profiles set vat_number = $2, tax_code = $3 where user_id = $1"
    columns = ("direction", "counterparty_name", "counterparty_vat", "findings")
    async with db.connection(resources.pool) as connection:
        owner = await accounts.create(connection)
        await connection.execute(numbers, owner, *before)
        documents = []
        itself = await connection.fetchval(
            "insert into public.contacts (user_id, type, business_name) values ($1, 'azienda', 'Io') returning id",
            owner,
        )
        await connection.execute(
            "insert into public.document_aliases (user_id, contact_id, kind, value, state)"
            " select $1, $2, kind, $3::text,"
            " 'confermato' from unnest(array['vat_number', 'tax_code']::public.document_alias_kind[]) as kind"
            " where $3::text is not null",
            owner, itself, after[0] or after[1],
        )  # fmt: skip
        for each in bodies:
            read = fatturapa.read(builder.written([each]).encode())
            documents.append(await kept_document(connection, owner))
            entries = fatturapa.for_store(read, *before)
            await connection.execute("select private.store_invoice($1, $2, $3)", documents[-1], owner, entries)
        await connection.execute(
            "select private.store_schedules(id, user_id, $2) from public.invoices where document_id = $1",
            documents[0],
            [{"no": 1, "due_on": "2099-12-10", "amount_cents": 122_000}],
        )
        linked = "update public.documents set contact_id = $2 where id = $1"
        await connection.execute(linked, documents[0], itself)
        former = fatturapa.direction(bodies[0], *before) or "passiva"
        remind = "select public.remind_of_schedules(id) from public.invoices where document_id = $1"
        await connection.execute("select set_config('request.jwt.claims', $1, false)", json.dumps({"sub": str(owner)}))
        await connection.execute(remind, documents[0])
        await connection.execute("select set_config('request.jwt.claims', '', false)")
        await connection.execute(numbers, owner, *after)
        for each, document in zip(bodies, documents, strict=True):
            (entry,) = fatturapa.for_store(fatturapa.read(builder.written([each]).encode()), *after)
            row = await connection.fetchrow("select * from public.invoices where document_id = $1", document)
            assert row is not None
            assert {name: row[name] for name in columns} == {name: entry[name] for name in columns}
        title = await connection.fetchval("select title from public.tasks where user_id = $1", owner)
        direction = fatturapa.direction(bodies[0], *after)
        # Who turns out to be oneself is no contact of one's papers.
        contact = await connection.fetchval("select contact_id from public.documents where id = $1", documents[0])
        assert contact == (itself if (direction or "passiva") == former else None)
        assert await connection.fetchval("select count(*) from public.document_aliases where user_id = $1", owner) == 0
        assert title.startswith("Incassa fattura" if direction == "attiva" else "Paga fattura")


@pytest.mark.anyio
async def test_the_database_takes_every_kind_twice(resources: Resources) -> None:
    odd = invoice(
        type_code="X1",
        currency="euro",
        number="9" * 20,
        installments=(installment(1, 1, None, method="?", iban="I" * 60),),
    )
    files = [*samples.SAMPLES, "odd"]
    async with db.connection(resources.pool) as connection:
        owner = await accounts.create(connection)
        for name in files:
            content = builder.written([odd]).encode() if name == "odd" else samples.as_bytes(name)
            entries = fatturapa.for_store(fatturapa.read(content, today=date(2026, 11, 21)), OURS, None)
            document = await kept_document(connection, owner)
            for _ in range(2):
                await connection.execute("select private.store_invoice($1, $2, $3)", document, owner, entries)
            rows = await connection.fetch(
                "select * from public.invoices where document_id = $1 order by body_no", document
            )
            assert [row["total_cents"] for row in rows] == [entry["total_cents"] for entry in entries]
            assert [row["content"] for row in rows] == [json.loads(json.dumps(entry["content"])) for entry in entries]
