"""The four amounts of an invoice that a register needs; each is None when a figure that it needs is missing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from functions._shared.fatturapa import model, money
from functions._shared.fatturapa.model import Invoice


def with_totals(invoice: Invoice) -> Invoice:
    """The invoice with its amounts worked out."""
    net = _sum(each.taxable_cents for each in invoice.summaries) if invoice.summaries else None
    vat = _sum(each.tax_cents for each in invoice.summaries) if invoice.summaries else None
    total = invoice.stated_total_cents
    if total is None and net is not None and vat is not None:
        total = net + vat + (invoice.rounding_cents or 0) - document_discount_cents(invoice, net + vat)
    return replace(invoice, net_cents=net, vat_cents=vat, total_cents=total, due_cents=_due(invoice, total))


def withheld_cents(invoice: Invoice) -> int | None:
    """What the customer pays to the state or a fund out of the total."""
    return _sum(each.amount_cents for each in invoice.withholdings)


def split_vat_cents(invoice: Invoice) -> int | None:
    """The tax that the customer himself pays to the state (scissione dei pagamenti)."""
    return _sum(each.tax_cents for each in invoice.summaries if each.due == "S")


def document_discount_cents(invoice: Invoice, total_cents: int) -> int:
    """Discounts less surcharges on the whole document, in cents of this total."""
    result = 0
    for each in invoice.discounts:
        from_amount = money.cents(each.amount)
        share = from_amount if from_amount is not None else money.share(total_cents, each.percent)
        result += -share if each.kind == "MG" else share
    return result


def _due(invoice: Invoice, total: int | None) -> int | None:
    if invoice.type_code in model.SELF_INVOICES:
        return 0
    withheld, split = withheld_cents(invoice), split_vat_cents(invoice)
    return None if total is None or withheld is None or split is None else total - withheld - split


def _sum(amounts: Iterable[int | None]) -> int | None:
    known = list(amounts)
    return None if None in known else sum(each or 0 for each in known)
