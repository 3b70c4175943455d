"""What is concluded from a document that was read: its kind, its fields, whom it is from, the invoices in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import Any

from functions._shared.fatturapa.model import Installment, Invoice, Party

# Below it a person should look.
SURE = 0.8
METHOD = re.compile(r"MP[0-9]{2}")
TYPE = re.compile(r"TD[0-9]{2}")
CURRENCY = re.compile(r"[A-Z]{3}")
MAX_VALUE, MAX_LABEL, MAX_IBAN, MAX_NUMBER, MAX_NAME, MAX_VAT = 1000, 200, 50, 100, 500, 50


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
    """What a document is and says; `counterparty` is {name, vat_number, tax_code, email}, as far as it is known."""

    kind: str = "altro"
    confidence: float | None = None
    rule: str | None = None
    fields: tuple[Field, ...] = ()
    counterparty: Mapping[str, str] = field(default_factory=dict)
    total_cents: int | None = None
    currency: str = "EUR"
    invoices: tuple[Mapping[str, Any], ...] = ()

    def value(self, key: str) -> str | None:
        """What a field says."""
        return next((each.value for each in self.fields if each.key == key), None)

    def day(self, key: str) -> date | None:
        """The same as a date; None for what is none."""
        try:
            return date.fromisoformat(self.value(key) or "")
        except ValueError:
            return None

    def is_sure(self) -> bool:
        """Whether nobody needs to look."""
        return all(each.confidence >= SURE for each in self.fields)


# --- electronic invoices --------------------------------------------------------------------------------------------


def of_invoices(invoices: Sequence[Invoice], own_vat: str | None, own_tax_code: str | None) -> Conclusion:
    """Everything is certain; the fields and the counterparty are those of the first body, the total is of all."""
    first = invoices[0]
    issued = is_issued(first, own_vat, own_tax_code)
    totals = [each.total_cents or 0 for each in invoices if each.currency == first.currency]
    return Conclusion(
        kind="fattura",
        confidence=1.0,
        rule=f"Fattura elettronica ({first.version})",
        fields=tuple(_fields(first)),
        counterparty=_about(first.customer if issued else first.supplier),
        total_cents=sum(totals),
        currency=_matching(CURRENCY, first.currency) or "EUR",
        invoices=tuple(_stored(each, is_issued(each, own_vat, own_tax_code)) for each in invoices if _is_whole(each)),
    )


def is_issued(invoice: Invoice, own_vat: str | None, own_tax_code: str | None) -> bool:
    """Whether it is one's own; without one's numbers it is taken for received, as most are."""
    own = {each for each in (own_vat, own_tax_code) if each}
    return bool(own & {invoice.supplier.vat_number, invoice.supplier.tax_code})


def _fields(invoice: Invoice) -> Iterator[Field]:
    days = [each.due_on for each in invoice.installments if each.due_on]
    ibans = [each.iban for each in invoice.installments if each.iban]
    said: dict[str, Any] = {
        "supplier": invoice.supplier.name,
        "customer": invoice.customer.name,
        "vat_number": invoice.supplier.vat_number,
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
    told = {"name": party.name, "vat_number": party.vat_number, "tax_code": party.tax_code, "email": party.email}
    return {key: value for key, value in told.items() if value}


def _is_whole(invoice: Invoice) -> bool:
    return bool(invoice.number and invoice.issued_on is not None and invoice.total_cents is not None)


def _stored(invoice: Invoice, issued: bool) -> dict[str, Any]:
    """As private.store_invoice takes it."""
    other = invoice.customer if issued else invoice.supplier
    return {
        "body_no": invoice.body_no,
        "direction": "attiva" if issued else "passiva",
        "type_code": _matching(TYPE, invoice.type_code) or "TD01",
        "number": (invoice.number or "")[:MAX_NUMBER],
        "issued_on": str(invoice.issued_on),
        "counterparty_name": other.name and other.name[:MAX_NAME],
        "counterparty_vat": other.vat_number and other.vat_number[:MAX_VAT],
        "net_cents": invoice.net_cents,
        "vat_cents": invoice.vat_cents,
        "total_cents": invoice.total_cents,
        "due_cents": invoice.due_cents,
        "currency": _matching(CURRENCY, invoice.currency) or "EUR",
        "content": invoice.to_json(),
        "findings": [asdict(finding) for finding in invoice.findings],
        "source": "fatturapa",
        "schedules": [_schedule(no, each) for no, each in enumerate(_with_amount(invoice.installments), 1)],
    }


def _with_amount(installments: Iterable[Installment]) -> Iterator[Installment]:
    return (each for each in installments if each.amount_cents is not None)


def _schedule(no: int, installment: Installment) -> dict[str, Any]:
    return {
        "no": no,
        "due_on": installment.due_on and str(installment.due_on),
        "amount_cents": installment.amount_cents,
        "method": _matching(METHOD, installment.method),
        "iban": installment.iban and installment.iban[:MAX_IBAN],
    }


def _matching(pattern: re.Pattern[str], text: str | None) -> str | None:
    return text if text and pattern.fullmatch(text) else None
