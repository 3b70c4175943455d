"""The four amounts of an invoice that a register needs; each is None when a figure that it needs is missing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from functions._shared.fatturapa import model, money
from functions._shared.fatturapa.model import Invoice, StampBearer

_STAMP_LINE = re.compile(r"\bbollo\b", re.IGNORECASE)


def with_totals(invoice: Invoice) -> Invoice:
    """The invoice with its amounts worked out."""
    net = _sum(each.taxable_cents for each in invoice.summaries) if invoice.summaries else None
    vat = _sum(each.tax_cents for each in invoice.summaries) if invoice.summaries else None
    summed = replace(invoice, net_cents=net, vat_cents=vat)
    total = invoice.stated_total_cents if invoice.stated_total_cents is not None else computed_total_cents(summed)
    return replace(summed, total_cents=total, due_cents=_due(invoice, total), stamp_borne_by=_stamp_borne_by(summed))


def computed_total_cents(invoice: Invoice) -> int | None:
    """Net, tax and rounding less the discount on the whole document; a stamp is not in it."""
    if invoice.net_cents is None or invoice.vat_cents is None:
        return None
    gross = invoice.net_cents + invoice.vat_cents
    return gross + (invoice.rounding_cents or 0) - document_discount_cents(invoice, gross)


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


def _stamp_borne_by(invoice: Invoice) -> StampBearer | None:
    """Only a line or a total that says so shows that the customer pays the stamp (art. 22 DPR 642/72 lets both pay)."""
    if not invoice.stamp:
        return None
    cents = invoice.stamp.amount_cents
    if any(
        _STAMP_LINE.search(line.description or "") and (cents is None or line.total_cents == cents)
        for line in invoice.lines
    ):
        return "riga"
    stated, computed = invoice.stated_total_cents, computed_total_cents(invoice)
    if cents is None or stated is None or computed is None:
        return None
    return "totale" if abs(computed + cents - stated) < abs(computed - stated) else "emittente"


def _due(invoice: Invoice, total: int | None) -> int | None:
    if invoice.type_code in model.SELF_INVOICES:
        return 0
    withheld, split = withheld_cents(invoice), split_vat_cents(invoice)
    return None if total is None or withheld is None or split is None else total - withheld - split


def _sum(amounts: Iterable[int | None]) -> int | None:
    known = list(amounts)
    return None if None in known else sum(each or 0 for each in known)
