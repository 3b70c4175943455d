"""The register for the accountant: a row for each invoice and VAT rate, as CSV for Italian Excel or as a workbook;
and a row for each invoice, for the month's packet.

Amounts of credit notes are negative, so that columns add up. What belongs to the whole invoice (total, withholding,
what is to be paid) stands on its first row only, for the same reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from io import BytesIO, StringIO
from typing import Any, TypeAlias

import xlsxwriter  # type: ignore[import-untyped]

from functions._shared import spreadsheets
from functions._shared.fatturapa import codes

# A row of public.invoice_register with the summaries of its content, or of public.invoice_parts with its invoice.
Stored: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Cents:
    """Money, so that a column knows it from text."""

    amount: int


@dataclass(frozen=True)
class Row:
    """A row of the sheet of invoices."""

    direction: str
    type_code: str
    kind: str
    number: str
    issued_on: date
    name: str | None
    vat_number: str | None
    tax_code: str | None
    taxable: Cents | None
    rate: str | None
    nature: str | None
    tax: Cents | None
    exigibility: str | None
    total: Cents | None
    withheld: Cents | None
    due: Cents | None
    currency: str
    paid_on: date | None
    filename: str | None
    warning: str | None


@dataclass(frozen=True)
class Due:
    """A row of the sheet of days of payment."""

    direction: str
    number: str
    issued_on: date
    name: str | None
    due_on: date | None
    amount: Cents
    currency: str
    method: str | None
    iban: str | None
    paid_on: date | None


@dataclass(frozen=True)
class Entry:
    """A row of the month's register: an invoice, or a sum at its end."""

    direction: str
    kind: str | None = None
    number: str | None = None
    issued_on: date | None = None
    name: str | None = None
    vat_number: str | None = None
    tax_code: str | None = None
    taxable: Cents | None = None
    tax: Cents | None = None
    withheld: Cents | None = None
    stamp: Cents | None = None
    total: Cents | None = None
    currency: str = "EUR"
    paid_on: date | None = None
    state: str | None = None
    filename: str | None = None
    warning: str | None = None


HEADINGS = {
    "direction": "Direzione",
    "type_code": "Codice",
    "kind": "Tipo di documento",
    "number": "Numero",
    "issued_on": "Data",
    "name": "Cliente o fornitore",
    "vat_number": "Partita IVA",
    "tax_code": "Codice fiscale",
    "taxable": "Imponibile",
    "rate": "Aliquota IVA",
    "nature": "Natura",
    "tax": "Imposta",
    "exigibility": "Esigibilità",
    "total": "Totale documento",
    "withheld": "Ritenute",
    "stamp": "Bollo",
    "due": "Da pagare",
    "currency": "Valuta",
    "paid_on": "Pagata il",
    "state": "Stato",
    "filename": "File",
    "warning": "Avviso",
    "due_on": "Scadenza",
    "amount": "Importo",
    "method": "Modo",
    "iban": "IBAN",
}
DIRECTIONS = {"attiva": "Emessa", "passiva": "Ricevuta"}
STATES = {
    "aperta": "Aperta",
    "scaduta": "Scaduta",
    "in_parte": "Pagata in parte",
    "pagata": "Pagata",
    "non_si_paga": "Non si paga",
}
_AMOUNTS = ("net_cents", "vat_cents", "total_cents", "payable_cents", "withheld_cents")


def rows_of(stored: Stored) -> Iterator[Row]:
    """The rows of one invoice: one for each rate and nature, or one for all where no summary is known; one without
    amounts for what counts in another file.
    """
    if stored["twin"]:
        stored = {**stored, "summaries": None, **dict.fromkeys(_AMOUNTS)}
    sign = stored["sign"] if stored["summaries"] else 1
    summaries = stored["summaries"] or [{"taxable_cents": stored["net_cents"], "tax_cents": stored["vat_cents"]}]
    for no, summary in enumerate(summaries):
        whole = no == 0
        yield Row(
            direction=stored["direction"],
            type_code=stored["type_code"],
            kind=codes.words("documents", stored["type_code"]),
            number=stored["number"],
            issued_on=stored["issued_on"],
            name=stored["counterparty_name"],
            vat_number=stored["counterparty_vat"],
            tax_code=stored["tax_code"],
            taxable=_cents(summary.get("taxable_cents"), sign),
            rate=summary.get("vat_rate"),
            nature=summary.get("nature"),
            tax=_cents(summary.get("tax_cents"), sign),
            exigibility=codes.words("exigibility", summary.get("due")) or None,
            total=_cents(stored["total_cents"]) if whole else None,
            withheld=_cents(stored["withheld_cents"]) if whole else None,
            due=_cents(stored["payable_cents"]) if whole else None,
            currency=stored["currency"],
            paid_on=stored["paid_on"],
            filename=stored["filename"],
            warning=_warning(stored),
        )


def due_of(stored: Stored) -> Due:
    """The row of one day of payment, with its invoice."""
    return Due(
        direction=stored["direction"],
        number=stored["number"],
        issued_on=stored["issued_on"],
        name=stored["counterparty_name"],
        due_on=stored["due_on"],
        amount=Cents(stored["cents"]),
        currency=stored["currency"],
        method=codes.words("methods", stored["method"]) or None,
        iban=stored["iban"],
        paid_on=stored["paid_on"],
    )


def entry_of(stored: Stored, filename: str | None) -> Entry:
    """Write an invoice of public.month_packet() as one row; without amounts when it counts in another file."""
    return Entry(
        direction=DIRECTIONS[stored["direction"]],
        kind=codes.words("documents", stored["type_code"]),
        number=stored["number"],
        issued_on=date.fromisoformat(stored["issued_on"]),
        name=stored["name"],
        vat_number=stored["vat_number"],
        tax_code=stored["tax_code"],
        currency=stored["currency"],
        paid_on=date.fromisoformat(stored["paid_on"]) if stored["paid_on"] else None,
        state=STATES[stored["state"]],
        filename=filename,
        warning=_warning(stored),
        **({} if stored["twin"] else amounts_of(stored)),
    )


def amounts_of(stored: Stored) -> dict[str, Any]:
    """Return the amounts of an invoice or of a sum of public.month_packet(), by their columns."""
    return {
        "taxable": _cents(stored["net_cents"]),
        "tax": _cents(stored["vat_cents"]),
        "withheld": _cents(stored["withheld_cents"]),
        "stamp": _cents(stored["stamp_cents"]),
        "total": _cents(stored["total_cents"]),
    }


def csv_head(kind: type[Row | Entry] = Row) -> str:
    """The mark by which Excel knows UTF-8, and the headings."""
    return "\ufeff" + _csv([headings(kind)])


def csv_rows(rows: Iterable[Row | Entry]) -> str:
    """Rows as text: semicolons, decimal commas, Italian dates, nothing that a spreadsheet would run."""
    return _csv([_plain(name, value) for name, value in _named(row)] for row in rows)


def workbook(rows: Sequence[Row], dues: Sequence[Due]) -> bytes:
    """Two sheets, «fatture» and «scadenze», with real dates and numbers. Takes a second for ten thousand rows."""
    output = BytesIO()
    book = xlsxwriter.Workbook(output, {"in_memory": True, "default_date_format": "dd/mm/yyyy"})
    _sheet(book, "fatture", Row, rows)
    _sheet(book, "scadenze", Due, dues)
    book.close()
    return output.getvalue()


def headings(kind: type[Row | Due | Entry]) -> list[str]:
    """The first row of a sheet."""
    return [HEADINGS[each.name] for each in fields(kind)]


def _sheet(book: xlsxwriter.Workbook, name: str, kind: type[Row | Due], rows: Sequence[Row | Due]) -> None:
    bold, money = book.add_format({"bold": True, "bottom": 1}), book.add_format({"num_format": "#,##0.00"})
    sheet, last = book.add_worksheet(name), len(fields(kind)) - 1
    sheet.write_row(0, 0, headings(kind), bold)
    sheet.freeze_panes(1, 0)
    sheet.set_column(0, last, 16)
    for at, row in enumerate(rows, 1):
        for column, (field, value) in enumerate(_named(row)):
            _write(sheet, at, column, field, value, money)
    sheet.autofilter(0, 0, len(rows), last)


def _named(row: Row | Due | Entry) -> Iterator[tuple[str, Any]]:
    return ((each.name, getattr(row, each.name)) for each in fields(row))


def _write(sheet: Any, row: int, column: int, field: str, value: Any, money: Any) -> None:
    if isinstance(value, Cents):
        sheet.write_number(row, column, value.amount / 100, money)
    elif isinstance(value, date):
        sheet.write_datetime(row, column, value)
    elif field == "rate" and value is not None:
        sheet.write_number(row, column, float(value), money)
    elif value is not None:
        # Always as text: what begins with «=» stays words.
        sheet.write_string(row, column, str(value))


def _plain(field: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, Cents):
        sign, whole = "-" if value.amount < 0 else "", abs(value.amount)
        return f"{sign}{whole // 100},{whole % 100:02}"
    if isinstance(value, date):
        return f"{value:%d/%m/%Y}"
    text = str(value).replace("\0", "")
    if field == "rate":
        return text.replace(".", ",")
    return spreadsheets.as_text(text)


def _csv(rows: Iterable[Sequence[str]]) -> str:
    output = StringIO()
    spreadsheets.writer(output).writerows(rows)
    return output.getvalue()


def _warning(stored: Stored) -> str | None:
    return f"Doppia: è già in «{stored['twin']}»" if stored["twin"] else None


def _cents(amount: int | None, sign: int = 1) -> Cents | None:
    return None if amount is None else Cents(amount * sign)
