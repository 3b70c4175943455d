"""Findings about amounts: lines, summary, total and payments must add up to the same invoice.

A cent of difference is allowed for every line that was rounded. The exchange system itself allows up to one euro
between lines and summary, so what is below that is an «avviso» only.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from typing import TypeAlias

from functions._shared.fatturapa import model, money, totals
from functions._shared.fatturapa.model import Finding, Invoice, Line, Severity, Summary

# A rate and a nature: what lines and summaries are grouped by.
Group: TypeAlias = tuple[Decimal, str]

EURO = Decimal(1)
CENT = Decimal("0.01")


def findings(invoice: Invoice) -> Iterator[Finding]:
    """What does not add up. The summary of a simplified invoice is ours, so there it is not compared."""
    if invoice.version != model.SIMPLIFIED:
        for line in invoice.lines:
            yield from _line(line)
        yield from _lines_against_summary(invoice)
        yield from _taxes(invoice)
        yield from _total(invoice)
    yield from _payments(invoice)


def rate_of(text: str | None) -> Decimal:
    """A rate as a number, so that «22» and «22.00» are one."""
    return Decimal(text or 0).normalize()


def _euros(amount: Decimal) -> str:
    return money.euros(int((amount * 100).quantize(EURO, ROUND_HALF_UP)))


def _group(each: Line | Summary | model.Fund) -> Group:
    return rate_of(each.vat_rate), each.nature or ""


def _called(group: Group) -> str:
    return f"natura {group[1]}" if group[1] else f"aliquota {money.decimal(str(group[0]))} %"


def _line(line: Line) -> Iterator[Finding]:
    """The price, with its discounts, times the quantity. An amount off may be meant by piece or for the whole line."""
    if line.price is None or line.total is None:
        return
    quantity, by_piece, off_line = Decimal(line.quantity or 1), Decimal(line.price), Decimal(0)
    for each in line.discounts:
        sign = 1 if each.kind == "MG" else -1
        if each.amount is not None:
            off_line += sign * Decimal(each.amount)
        elif each.percent is not None:
            by_piece += sign * by_piece * Decimal(each.percent) / 100
    possible = ((by_piece + off_line) * quantity, by_piece * quantity + off_line)
    stated = Decimal(line.total)
    if all(abs(each - stated) > CENT for each in possible):
        text = f"Riga {line.no or '?'}: prezzo per quantità fa {_euros(possible[0])}, ma il totale è {_euros(stated)}."
        yield Finding("riga", "avviso", text)


def _lines_against_summary(invoice: Invoice) -> Iterator[Finding]:
    if any(each.total is None for each in invoice.lines) or any(each.amount_cents is None for each in invoice.funds):
        return
    sums: dict[Group, Decimal] = {}
    counts: dict[Group, int] = {}
    for group, amount in (
        *((_group(each), Decimal(each.total or 0)) for each in invoice.lines),
        *((_group(each), Decimal(each.amount_cents or 0) / 100) for each in invoice.funds),
    ):
        sums[group] = sums.get(group, Decimal(0)) + amount
        counts[group] = counts.get(group, 0) + 1
    for group in dict.fromkeys((*sums, *map(_group, invoice.summaries))):
        summaries = [each for each in invoice.summaries if _group(each) == group]
        if all(each.taxable_cents is not None for each in summaries):
            yield from _one_group(group, sums.get(group, Decimal(0)), counts.get(group, 1), summaries)


def _one_group(group: Group, lines: Decimal, count: int, summaries: list[Summary]) -> Iterator[Finding]:
    if not summaries:
        if lines:
            text = f"Ci sono righe per {_euros(lines)} ({_called(group)}) che nel riepilogo dell’IVA mancano."
            yield Finding("riepilogo_mancante", "errore", text)
        return
    stated = sum((Decimal(each.taxable_cents or 0) / 100 for each in summaries), Decimal(0))
    costs = sum((Decimal(each.extra_costs_cents or 0) / 100 for each in summaries), Decimal(0))
    rounding = sum((Decimal(each.rounding or 0) for each in summaries), Decimal(0))
    off = min(abs(lines + costs + rounding - stated), abs(lines + costs - stated))
    if off > CENT * count:
        severity: Severity = "errore" if off > EURO else "avviso"
        extra = f" e le spese accessorie {_euros(costs)}" if costs else ""
        text = (
            f"Riepilogo, {_called(group)}: l’imponibile è {_euros(stated)}, ma le righe fanno {_euros(lines)}{extra}."
        )
        yield Finding("imponibile", severity, text)


def _taxes(invoice: Invoice) -> Iterator[Finding]:
    for each in invoice.summaries:
        if each.taxable_cents is None or each.tax_cents is None or each.vat_rate is None:
            continue
        expected = money.share(each.taxable_cents, each.vat_rate)
        lines = sum(_group(line) == _group(each) for line in invoice.lines)
        if abs(expected - each.tax_cents) > max(1, lines):
            text = (
                f"Il {money.decimal(each.vat_rate)} % di {money.euros(each.taxable_cents)} fa {money.euros(expected)}, "
                f"ma l’imposta indicata è {money.euros(each.tax_cents)}."
            )
            yield Finding("imposta", "errore", text)


def _total(invoice: Invoice) -> Iterator[Finding]:
    net, vat, stated = invoice.net_cents, invoice.vat_cents, invoice.stated_total_cents
    expected = totals.computed_total_cents(invoice)
    if net is None or vat is None or stated is None or expected is None:
        return
    rounding, stamp = invoice.rounding_cents or 0, (invoice.stamp.amount_cents if invoice.stamp else None) or 0
    off = totals.document_discount_cents(invoice, net + vat)
    if min(abs(expected - stated), abs(expected + stamp - stated)) <= max(1, len(invoice.lines)):
        return
    parts = [f"imponibile {money.euros(net)}", f"imposta {money.euros(vat)}"]
    parts += [f"{name} {money.euros(each)}" for name, each in (("arrotondamento", rounding), ("sconto", -off)) if each]
    text = f"Il totale del documento è {money.euros(stated)}, ma {', '.join(parts)} fanno {money.euros(expected)}"
    text += f" ({money.euros(expected + stamp)} con il bollo)." if stamp else "."
    yield Finding("totale", "errore", text)


def _payments(invoice: Invoice) -> Iterator[Finding]:
    amounts = [each.amount_cents for each in invoice.installments]
    total, due, withheld = invoice.total_cents, invoice.due_cents, totals.withheld_cents(invoice)
    if not amounts or None in amounts or due is None or total is None or invoice.type_code in model.SELF_INVOICES:
        return
    stamp = (invoice.stamp.amount_cents if invoice.stamp else None) or 0
    paid = sum(each or 0 for each in amounts)
    if min(abs(paid - due), abs(paid - due - stamp)) <= len(amounts):
        return
    split = totals.split_vat_cents(invoice) or 0
    less = [
        f"{name} {money.euros(each)}"
        for name, each in (("ritenute", withheld or 0), ("IVA versata da chi compra", split))
        if each
    ]
    why = f" (totale {money.euros(total)} meno {' e '.join(less)})" if less else ""
    text = f"I pagamenti indicati fanno {money.euros(paid)}, ma da pagare risultano {money.euros(due)}{why}."
    yield Finding("pagamenti", "avviso", text)
