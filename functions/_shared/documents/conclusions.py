"""What is concluded from a document that was read: its kind, its fields, whom it is from, the invoices in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from functions._shared import fatturapa
from functions._shared.documents.errors import Code, Unreadable
from functions._shared.fatturapa.model import CREDIT_NOTES, Invoice, Party

CURRENCY = re.compile(r"[A-Z]{3}")
MAX_VALUE = 1000


@dataclass(frozen=True)
class Field:
    """A row of document_fields: a date is ISO 8601, an amount its cents."""

    key: str
    value: str
    confidence: float
    source: str
    page: int | None = None
    box: Sequence[int] | None = None
    label: str | None = None


@dataclass(frozen=True)
class Conclusion:
    """What a document is and says; `counterparty` is {name, vat_number, tax_code, email}, as far as it is known, and
    `missing` what could not be taken from it.
    """

    kind: str = "altro"
    confidence: float | None = None
    rule: str | None = None
    fields: tuple[Field, ...] = ()
    counterparty: Mapping[str, str] = field(default_factory=dict)
    total_cents: int | None = None
    currency: str = "EUR"
    invoices: tuple[Mapping[str, Any], ...] = ()
    missing: Unreadable | None = None

    def value(self, key: str) -> str | None:
        """What a field says."""
        return next((each.value for each in self.fields if each.key == key), None)

    def day(self, key: str) -> date | None:
        """The same as a date; None for what is none."""
        try:
            return date.fromisoformat(self.value(key) or "")
        except ValueError:
            return None


# --- electronic invoices --------------------------------------------------------------------------------------------


def of_invoices(invoices: Sequence[Invoice], own_vat: str | None, own_tax_code: str | None) -> Conclusion:
    """Everything is certain; the fields and the counterparty are those of the first body, the total is of all: a credit
    note takes away.
    """
    first = invoices[0]
    issued = fatturapa.direction(first, own_vat, own_tax_code) == "attiva"
    total = sum(_signed(each.type_code, each.total_cents or 0) for each in invoices if each.currency == first.currency)
    return Conclusion(
        kind="fattura",
        confidence=1.0,
        rule=f"Fattura elettronica ({first.version})",
        fields=tuple(_fields(first)),
        counterparty=_about(first.customer if issued else first.supplier),
        total_cents=total if abs(total) < fatturapa.MAX_CENTS else None,
        currency=first.currency if first.currency and CURRENCY.fullmatch(first.currency) else "EUR",
        invoices=tuple(fatturapa.for_store(invoices, own_vat, own_tax_code)),
        missing=_left_out(sum(not fatturapa.is_complete(each) for each in invoices), len(invoices)),
    )


def _signed(type_code: str | None, cents: int) -> int:
    return -abs(cents) if type_code in CREDIT_NOTES else cents


def _left_out(incomplete: int, bodies: int) -> Unreadable | None:
    if not incomplete:
        return None
    if bodies == 1:
        return Unreadable(Code.INCOMPLETE_INVOICE)
    which = f"{incomplete} fatture su {bodies} non sono" if incomplete > 1 else f"1 fattura su {bodies} non è"
    why = "numero, data o totale mancano o non si leggono. Chiedi un file corretto a chi lo ha emesso."
    return Unreadable(Code.INCOMPLETE_INVOICE, f"{which} nel registro: {why}")


def _fields(invoice: Invoice) -> Iterator[Field]:
    days = [each.due_on for each in invoice.installments if each.due_on]
    ibans = [each.iban for each in invoice.installments if each.iban]
    said: dict[str, Any] = {
        "supplier": invoice.supplier.name,
        "customer": invoice.customer.name,
        "vat_number": fatturapa.vat_of(invoice.supplier),
        "tax_code": invoice.supplier.tax_code,
        "number": invoice.number,
        "issued_on": invoice.issued_on,
        "net": invoice.net_cents,
        "vat": invoice.vat_cents,
        "total": invoice.total_cents,
        "iban": ibans[0] if ibans else None,
        "due_on": min(days) if days else None,
    }
    for key, value in said.items():
        if value is not None and (text := str(value).strip()):
            yield Field(key, text[:MAX_VALUE], 1.0, "fatturapa")


def _about(party: Party) -> dict[str, str]:
    told = {"name": party.name, "vat_number": fatturapa.vat_of(party), "tax_code": party.tax_code, "email": party.email}
    return {key: value for key, value in told.items() if value}


# --- everything else ------------------------------------------------------------------------------------------------


def of_words(told: Mapping[str, Any], own_vat: str | None, own_tax_code: str | None) -> Conclusion:
    """What the rules of extraction found (`reading.analysed`); an invoice of one's own is about its customer."""
    fields = tuple(Field(**{**each, "value": each["value"][:MAX_VALUE]}) for each in told["fields"])
    said = {each.key: each.value for each in fields}
    # As private.is_of_owner: a paper that was received may show its reader's tax code anywhere.
    issuer = said.get("vat_number") or said.get("tax_code")
    if issuer and issuer in (own_vat, own_tax_code):
        about = {"name": said.get("customer"), "vat_number": said.get("customer_vat_number")}
    else:
        about = {"name": said.get("supplier"), "vat_number": said.get("vat_number"), "tax_code": said.get("tax_code")}
    total, currency = said.get("total", ""), said.get("currency", "")
    return Conclusion(
        kind=told["kind"],
        confidence=told["confidence"],
        rule=told["rule"],
        fields=fields,
        counterparty={key: value for key, value in about.items() if value},
        total_cents=_signed(said.get("type_code"), int(total)) if re.fullmatch("-?[0-9]{1,13}", total) else None,
        currency=currency if CURRENCY.fullmatch(currency) else "EUR",
    )
