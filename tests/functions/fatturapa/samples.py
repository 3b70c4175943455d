"""Invoices of all kinds, as `Invoice` objects that `builder` writes down; nobody in them exists.

python -m tests.functions.fatturapa.samples <folder>     writes three XML files and a signed one
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from functions._shared.fatturapa.model import (
    Address,
    Attachment,
    Corrected,
    Delivery,
    Discount,
    Extra,
    Fund,
    Installment,
    Invoice,
    ItemCode,
    Line,
    Party,
    Professional,
    Reference,
    Registration,
    Stamp,
    Summary,
    Transmission,
    Transport,
    Vehicle,
    Withholding,
)
from tests.functions.fatturapa import builder

IBAN = "IT60X0542811101000000123456"
MILAN = Address("Via Torino", "12/A", "20123", "Milano", "MI", "IT")
ROME = Address("Piazza dell’Esquilino 3", None, "00185", "Roma", "RM", "IT")
STUDIO = Party(
    "Studio Verdi di Anna Verdi",
    "IT",
    "12345670157",
    "VRDNNA80A41H501H",
    regime="RF01",
    professional=Professional("Ordine degli architetti", "MI", "A1234", date(2008, 5, 6)),
    address=MILAN,
    phone="0212345678",
    email="studio@example.it",
)
FLAT_RATE = Party("Luca Bianchi", "IT", "02345670588", None, "Luca", "Bianchi", regime="RF19", address=ROME)
SHOP = Party(
    "Ferramenta Perché No s.r.l.",
    "IT",
    "07643520567",
    "07643520567",
    regime="RF01",
    address=ROME,
    registration=Registration("RM", "123456", 1_000_000, "SM", "LN"),
)
COMPANY = Party("Rossi s.r.l.", "IT", "01234560157", "01234560157", address=ROME)
OFFICE = Party("Comune di Esempio", None, None, "80012340586", address=ROME)
GERMAN = Party(
    "Müller & Söhne GmbH", "DE", "123456789", None, address=Address("Hauptstraße 1", None, "00000", "Köln", None, "DE")
)
AMERICAN = Party(
    "Acme Inc.", "US", "99999999999", None, address=Address("5th Avenue 1", None, "00000", "New York", None, "US")
)
SENT = Transmission("IT01234560157", "00001", "FPR12", "ABC1234", None, None, None)


def line(no: int, price: str, quantity: str | None = None, rate: str = "22.00", **fields: Any) -> Line:
    """A line that adds up, unless `total` says otherwise."""
    worth = f"{Decimal(price) * Decimal(quantity or 1):.2f}"
    values: dict[str, Any] = {
        "no": no,
        "kind": None,
        "codes": (),
        "description": f"Prestazione {no}",
        "quantity": quantity,
        "unit": "pz" if quantity else None,
        "starts_on": None,
        "ends_on": None,
        "price": price,
        "discounts": (),
        "total": worth,
        "vat_rate": rate,
        "withheld": False,
        "nature": None,
        "admin_reference": None,
        "extras": (),
    }
    values |= fields
    return Line(total_cents=round(Decimal(values["total"]) * 100), **values)


def summary(taxable: int, tax: int, rate: str = "22.00", **fields: Any) -> Summary:
    """A summary of so many cents."""
    values: dict[str, Any] = dict.fromkeys(("nature", "extra_costs_cents", "rounding", "due", "law"))
    return Summary(vat_rate=rate, taxable_cents=taxable, tax_cents=tax, **(values | {"due": "I"} | fields))


def installment(no: int, amount: int | None, due_on: date | None, **fields: Any) -> Installment:
    """A bank transfer."""
    values: dict[str, Any] = dict.fromkeys(Installment.__dataclass_fields__)
    values |= {"condition": "TP02", "method": "MP05", "iban": IBAN, "due_by_terms": False}
    return Installment(**(values | fields | {"no": no, "amount_cents": amount, "due_on": due_on}))


def invoice(**fields: Any) -> Invoice:
    """1.000,00 € and 22 % from a studio to a company, paid in thirty days."""
    values: dict[str, Any] = {
        "version": "FPR12",
        "body_no": 1,
        "transmission": SENT,
        "supplier": STUDIO,
        "customer": COMPANY,
        "representative": None,
        "intermediary": None,
        "issued_by": None,
        "type_code": "TD01",
        "currency": "EUR",
        "issued_on": date(2026, 11, 10),
        "number": "12/2026",
        "withholdings": (),
        "stamp": None,
        "funds": (),
        "discounts": (),
        "stated_total_cents": 122_000,
        "rounding_cents": None,
        "reasons": (),
        "art73": False,
        "references": (),
        "phases": (),
        "deliveries": (),
        "transport": None,
        "main_invoice": None,
        "corrected_invoice": None,
        "lines": (line(1, "1000.00"),),
        "summaries": (summary(100_000, 22_000),),
        "vehicle": None,
        "installments": (installment(1, 122_000, date(2026, 12, 10)),),
        "attachments": (),
    }
    made = Invoice(**(values | fields))
    return replace(made, transmission=replace(made.transmission, format=made.version))


def exempt(nature: str, cents: int = 50_000, **fields: Any) -> Invoice:
    """An invoice without tax, for this reason."""
    price = f"{cents // 100}.00"
    values: dict[str, Any] = {
        "lines": (line(1, price, rate="0.00", nature=nature),),
        "summaries": (summary(cents, 0, "0.00", nature=nature, due=None, law="art. 1 legge di esempio"),),
        "stated_total_cents": cents,
        "installments": (installment(1, cents, date(2026, 12, 31)),),
    }
    return invoice(**(values | fields))


def self_invoice(type_code: str, supplier: Party) -> Invoice:
    """The customer adds the Italian tax to a purchase."""
    return invoice(
        type_code=type_code, supplier=replace(supplier, regime="RF18"), customer=STUDIO, installments=(), number="A1"
    )


def professional() -> Invoice:
    """A professional's bill: 4 % for the fund, 20 % withheld."""
    return invoice(
        type_code="TD06",
        withholdings=(Withholding("RT01", 20_000, "20.00", "A"),),
        funds=(Fund("TC04", "4.00", 4_000, 100_000, "22.00", False, None, None),),
        lines=(line(1, "1000.00", withheld=True, description="Progetto esecutivo, «lotto 1» & perizia"),),
        summaries=(summary(104_000, 22_880),),
        stated_total_cents=126_880,
        installments=(installment(1, 106_880, date(2026, 12, 10), beneficiary="Anna Verdi", bank="Banca di Esempio"),),
        reasons=("Onorario per il progetto di ristrutturazione", "Seconda riga della causale"),
    )


def public_office() -> Invoice:
    """To an administration, which pays the tax itself; CIG and CUP of the order."""
    return invoice(
        version="FPA12",
        customer=OFFICE,
        transmission=replace(SENT, recipient_code="UFABCD"),
        summaries=(summary(100_000, 22_000, due="S", law="Scissione dei pagamenti art. 17-ter DPR 633/72"),),
        references=(
            Reference("ordine", (1,), "ODA-77", date(2026, 9, 1), "1", "COMM", "J31B20000000006", "7890123ABC"),
            Reference("contratto", (), "CTR-5", date(2026, 1, 15), None, None, None, "7890123ABC"),
        ),
        installments=(installment(1, 100_000, date(2026, 12, 10)),),
        stamp=None,
    )


def goods() -> Invoice:
    """A shop's deferred invoice: three rates, discounts, delivery notes, extra data, two instalments by terms."""
    return invoice(
        supplier=SHOP,
        type_code="TD24",
        number="FT 345/B",
        lines=(
            line(
                1,
                "0.12345678",
                "1000.00",
                total="123.46",
                codes=(ItemCode("EAN", "8001234567890"), ItemCode("INT", "V-8")),
            ),
            line(2, "50.00", "4.00", total="180.00", discounts=(Discount("SC", "10.00", None),), unit="h"),
            line(3, "10.00", "2.00", "10.00", total="22.00", discounts=(Discount("MG", None, "1.00"),)),
            line(4, "3.50", None, "4.00", kind="AC", extras=(Extra("TARGA", "AB123CD", "7.50", date(2026, 10, 1)),)),
            line(5, "-3.46", None, "22.00", kind="SC", starts_on=date(2026, 10, 1), ends_on=date(2026, 10, 31)),
        ),
        summaries=(summary(30_000, 6_600), summary(2_200, 220, "10.00"), summary(350, 14, "4.00")),
        stated_total_cents=39_384,
        deliveries=(Delivery("DDT 1", date(2026, 10, 5), (1, 2)), Delivery("DDT 2", date(2026, 10, 9), ())),
        installments=(
            installment(
                1,
                20_000,
                date(2026, 12, 10),
                condition="TP01",
                method="MP12",
                terms_from=date(2026, 11, 10),
                terms_days=30,
                due_by_terms=True,
                iban=None,
                abi="05428",
                cab="11101",
            ),
            installment(
                2,
                19_384,
                date(2027, 1, 9),
                condition="TP01",
                terms_from=date(2026, 11, 10),
                terms_days=60,
                due_by_terms=True,
            ),
        ),
    )


def transported() -> Invoice:
    """Everything that is rare: transport, vehicle, main invoice, representative, intermediary, branch, attachments."""
    carrier = Party("Corriere Veloce", "IT", "01234560157", None)
    return invoice(
        supplier=replace(SHOP, branch=MILAN, admin_reference="REP-1", fax="061234"),
        customer=replace(GERMAN, branch=ROME, representative=Party("Fisco Italia", "IT", "07643520567", None)),
        representative=Party("Rappresentante s.p.a.", "IT", "01234560157", None),
        intermediary=Party("Intermediario s.r.l.", "IT", "07643520567", "07643520567", eori="IT123", title="Dott."),
        issued_by="TZ",
        transport=Transport(
            carrier,
            "Camion",
            "Vendita",
            3,
            "Scatole",
            "kg",
            "12.50",
            "10.00",
            datetime.fromisoformat("2026-11-09T08:30:00"),
            date(2026, 11, 9),
            "DAP",
            MILAN,
            datetime.fromisoformat("2026-11-09T17:00:00+01:00"),
        ),
        main_invoice=Corrected("99", date(2026, 10, 1)),
        references=tuple(
            Reference(kind, (), f"{kind}-1", None, None, None, None, None)
            for kind in ("convenzione", "ricezione", "fattura_collegata")
        ),
        phases=(1, 2),
        vehicle=Vehicle(date(2020, 2, 3), "km 10000"),
        art73=True,
        rounding_cents=1,
        stated_total_cents=117_001,
        discounts=(Discount("SC", None, "50.00"),),
        installments=(
            installment(
                1,
                117_001,
                date(2026, 12, 10),
                receipt_name="Neri",
                receipt_tax_code="VRDNNA80A41H501H",
                post_office="P1",
                bic="ABCDITMM",
                early_discount_cents=100,
                early_until=date(2026, 11, 20),
                late_penalty_cents=200,
                late_from=date(2027, 1, 1),
                payment_code="RIF-9",
            ),
        ),
        attachments=(
            Attachment("listino.pdf", None, "PDF", "Il listino", 8, b"%PDF-1.7"),
            Attachment("note.zip", "ZIP", None, None, 4, b"PK\x03\x04"),
        ),
    )


def simplified(**fields: Any) -> Invoice:
    """A receipt of 122,00 € with its tax inside."""
    values: dict[str, Any] = {
        "version": "FSM10",
        "type_code": "TD07",
        "supplier": replace(SHOP, registration=None, phone=None, email=None),
        "lines": (simple_line(1, "122.00", "22.00"),),
        "summaries": (summary(10_000, 2_200, due=None),),
        "stated_total_cents": 12_200,
        "installments": (),
    }
    return invoice(**(values | fields))


def simple_line(no: int, total: str, rate: str | None, nature: str | None = None) -> Line:
    """A line of a simplified invoice."""
    return replace(line(no, total), price=None, unit=None, vat_rate=rate, nature=nature)


SAMPLES: dict[str, Callable[[], list[Invoice]]] = {
    "plain": lambda: [invoice()],
    "professional": lambda: [professional()],
    "public office": lambda: [public_office()],
    "public office with a stamp": lambda: [
        replace(exempt("N4", version="FPA12", customer=OFFICE), stamp=Stamp(True, 200))
    ],
    "goods": lambda: [goods()],
    "everything": lambda: [transported()],
    "flat rate with stamp": lambda: [exempt("N2.2", supplier=FLAT_RATE, stamp=Stamp(True, 200))],
    "flat rate below the stamp": lambda: [exempt("N2.2", 7_000, supplier=FLAT_RATE)],
    "credit note": lambda: [
        invoice(
            type_code="TD04",
            references=(Reference("fattura_collegata", (), "11/2026", date(2026, 10, 1), None, None, None, None),),
        )
    ],
    "debit note": lambda: [invoice(type_code="TD05")],
    "advance": lambda: [
        invoice(type_code="TD02", installments=(installment(1, 122_000, date(2026, 11, 10), condition="TP03"),))
    ],
    "professional advance": lambda: [invoice(type_code="TD03")],
    "domestic reverse charge": lambda: [self_invoice("TD16", COMPANY)],
    "services from abroad": lambda: [self_invoice("TD17", AMERICAN)],
    "goods from the union": lambda: [self_invoice("TD18", GERMAN)],
    "goods of foreigners": lambda: [self_invoice("TD19", GERMAN)],
    "regularisation": lambda: [replace(self_invoice("TD20", COMPANY), issued_by="CC")],
    "splafonamento": lambda: [self_invoice("TD21", STUDIO)],
    "deposit": lambda: [self_invoice("TD22", COMPANY)],
    "deposit with tax": lambda: [self_invoice("TD23", COMPANY)],
    "deferred by triangulation": lambda: [invoice(type_code="TD25")],
    "assets": lambda: [invoice(type_code="TD26")],
    "own use": lambda: [invoice(type_code="TD27", customer=STUDIO, installments=())],
    "san marino": lambda: [self_invoice("TD28", COMPANY)],
    "irregular": lambda: [self_invoice("TD29", COMPANY)],
    "export": lambda: [exempt("N3.1", customer=AMERICAN, transmission=replace(SENT, recipient_code="XXXXXXX"))],
    "within the union": lambda: [exempt("N3.2", customer=GERMAN, transmission=replace(SENT, recipient_code="XXXXXXX"))],
    "reverse charge": lambda: [exempt("N6.7")],
    "margin": lambda: [exempt("N5")],
    "private customer": lambda: [
        invoice(
            customer=Party("Maria Neri", None, None, "VRDNNA80A41H501H", "Maria", "Neri", address=ROME),
            transmission=replace(
                SENT, recipient_code="0000000", recipient_pec="maria@pec.example.it", phone="06123", email="a@b.it"
            ),
        )
    ],
    "lot": lambda: [
        replace(
            invoice(
                number=f"{no}/2026",
                lines=(line(1, f"{no}000.00"),),
                summaries=(summary(no * 100_000, no * 22_000),),
                stated_total_cents=no * 122_000,
                installments=(installment(1, no * 122_000, date(2026, 12, no)),),
            ),
            body_no=no,
        )
        for no in (1, 2, 3)
    ],
    "simplified": lambda: [simplified()],
    "simplified, several rates": lambda: [
        simplified(
            lines=(
                simple_line(1, "61.00", "22.00"),
                simple_line(2, "11.00", "10.00"),
                simple_line(3, "5.00", None, "N1"),
            ),
            summaries=(
                summary(5_000, 1_100, due=None),
                summary(1_000, 100, "10.00", due=None),
                Summary(None, "N1", None, None, 500, 0, None, "art. 15"),
            ),
            stated_total_cents=7_700,
        )
    ],
    "simplified credit note": lambda: [
        simplified(type_code="TD08", corrected_invoice=Corrected("7", date(2026, 10, 2), "prezzo"))
    ],
    "simplified lot with stamp": lambda: [replace(simplified(stamp=Stamp(True, None)), body_no=no) for no in (1, 2)],
}


def as_bytes(name: str, **options: Any) -> bytes:
    """A sample as a file."""
    return builder.written(SAMPLES[name](), **options).encode()


def main(folder: Path) -> None:
    """Writes the files that end-to-end tests drop."""
    from tests.functions.fatturapa import signing

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "IT12345670157_00001.xml").write_bytes(as_bytes("professional"))
    (folder / "IT12345670157_00002.xml").write_bytes(as_bytes("lot"))
    (folder / "IT07643520567_00003.xml").write_bytes(as_bytes("goods"))
    (folder / "IT12345670157_00004.xml.p7m").write_bytes(signing.Signer().signed(as_bytes("public office")))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
