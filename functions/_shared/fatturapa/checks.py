"""What does not fit in an invoice, or what one should know before paying it: plain Italian, with the figures.

«errore» is a contradiction or a missing duty, «avviso» is probably wrong, «nota» is worth knowing. What cannot be told
for certain is not told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date

from functions._shared.fatturapa import amounts, codes, identities, model, money, totals
from functions._shared.fatturapa.codes import CodeList
from functions._shared.fatturapa.model import Finding, Invoice

# Above this sum, in cents, documents without VAT need a stamp (art. 13 DPR 642/72); these natures do.
STAMP_ABOVE_CENTS = 7747
STAMPED = frozenset({"N2", "N2.1", "N2.2", "N3.5", "N3.6", "N4"})
# A simplified invoice's limit; those under a small-business scheme have had none since 2025 (D.Lgs. 180/2024).
SIMPLIFIED_LIMIT_CENTS = 40_000
SMALL_BUSINESS = frozenset({"RF19", "RF20"})
# Natures that were split into finer ones on this day.
SPLIT_NATURES = frozenset({"N2", "N3", "N6"})
SPLIT_SINCE = date(2021, 1, 1)
# Paid on the spot, or kept back: no due date is missed.
AT_ONCE = frozenset({"MP01", "MP08", "MP22"})


def findings(invoice: Invoice, today: date | None) -> Iterator[Finding]:
    """All findings, in the order of the paper; without `today` no date is in the future."""
    yield from _signature(invoice)
    yield from _missing(invoice)
    yield from _codes(invoice)
    yield from _dates(invoice, today)
    yield from identities.findings(invoice)
    yield from _natures(invoice)
    yield from amounts.findings(invoice)
    yield from _stamp(invoice)
    yield from _kind(invoice)
    yield from _regime(invoice)
    yield from _due_dates(invoice)
    yield from _attachments(invoice)


def _signature(invoice: Invoice) -> Iterator[Finding]:
    if invoice.signature and invoice.signature.verified is False:
        yield Finding("firma_non_valida", "errore", invoice.signature.note)


def _missing(invoice: Invoice) -> Iterator[Finding]:
    needed = {
        "il tipo di documento": invoice.type_code,
        "il numero": invoice.number,
        "la data": invoice.issued_on,
        "il nome di chi vende": invoice.supplier.name,
        "la partita IVA di chi vende": invoice.supplier.vat_number,
        "una riga": invoice.lines,
        "il riepilogo dell’IVA": invoice.summaries,
    }
    for what, value in needed.items():
        if not value:
            yield Finding("dato_mancante", "errore", f"Nella fattura manca {what}.")
    if not invoice.customer.vat_number and not invoice.customer.tax_code:
        yield Finding("dato_mancante", "errore", "Di chi compra mancano sia la partita IVA sia il codice fiscale.")


def _codes(invoice: Invoice) -> Iterator[Finding]:
    used: list[tuple[CodeList, str, str | None]] = [
        ("documents", "Il tipo di documento", invoice.type_code),
        ("regimes", "Il regime fiscale", invoice.supplier.regime),
        *(("natures", "La natura", each.nature) for each in invoice.summaries),
        *(("methods", "Il modo di pagamento", each.method) for each in invoice.installments),
        *(("withholdings", "Il tipo di ritenuta", each.type_code) for each in invoice.withholdings),
        *(("funds", "Il tipo di cassa", each.type_code) for each in invoice.funds),
    ]
    for of, what, code in dict.fromkeys(used):
        if code and not codes.known(of, code):
            yield Finding("codice_sconosciuto", "avviso", f"{what} «{code[:20]}» non è tra i codici in uso.")


def _dates(invoice: Invoice, today: date | None) -> Iterator[Finding]:
    if today and invoice.issued_on and invoice.issued_on > today:
        yield Finding("data_futura", "avviso", f"La data della fattura, {_day(invoice.issued_on)}, è nel futuro.")
    counted = Counter(each.no for each in invoice.lines if each.no is not None)
    twice = [str(no) for no, times in counted.items() if times > 1]
    if twice:
        yield Finding("riga_ripetuta", "nota", f"Più righe hanno lo stesso numero: {', '.join(twice[:10])}.")


def _natures(invoice: Invoice) -> Iterator[Finding]:
    pairs = [(each.vat_rate, each.nature) for each in invoice.lines]
    pairs += [(each.vat_rate, each.nature) for each in invoice.summaries]
    for rate, nature in dict.fromkeys(pairs):
        zero = rate is not None and amounts.rate_of(rate) == 0
        if nature and rate is not None and not zero:
            percent = money.decimal(rate)
            text = f"C’è un’aliquota IVA del {percent} % insieme alla natura {nature}, che vale solo senza IVA."
            yield Finding("natura_con_aliquota", "errore", text)
        if zero and not nature:
            yield Finding("natura_mancante", "errore", "L’aliquota è zero, ma manca la natura che dice perché.")
    for nature in dict.fromkeys(each.nature for each in invoice.summaries):
        if nature in SPLIT_NATURES and invoice.issued_on and invoice.issued_on >= SPLIT_SINCE:
            text = f"La natura {nature} dal 1° gennaio 2021 va indicata nel dettaglio (per esempio {nature}.1)."
            yield Finding("natura_generica", "avviso", text)


def _stamp(invoice: Invoice) -> Iterator[Finding]:
    if invoice.stamp or invoice.type_code in model.SELF_INVOICES | model.CREDIT_NOTES:
        return
    # NB1, NB2, NB3 in the lines say that the law exempts the document.
    if any((extra.kind or "").upper().startswith("NB") for line in invoice.lines for extra in line.extras):
        return
    exempt = [each.taxable_cents or 0 for each in invoice.summaries if each.nature in STAMPED]
    if sum(exempt) > STAMP_ABOVE_CENTS:
        text = (
            f"Ci sono {money.euros(sum(exempt))} senza IVA, più di 77,47 €: "
            "l’imposta di bollo di 2,00 € sembra dovuta e non è indicata."
        )
        yield Finding("bollo_mancante", "avviso", text)


def _kind(invoice: Invoice) -> Iterator[Finding]:
    total, credit = invoice.total_cents, invoice.type_code in model.CREDIT_NOTES
    if total is not None and total < 0:
        said = money.euros(total, invoice.currency)
        if credit:
            text = f"Il totale della nota di credito è negativo ({said}): di solito gli importi si scrivono positivi."
        else:
            text = f"Il totale è negativo ({said}): per restituire un importo serve una nota di credito."
        yield Finding("segno", "avviso", text)
    if invoice.type_code in model.SELF_INVOICES:
        text = f"{_what(invoice)}: serve solo per l’IVA, con questo documento non si paga nessuno."
        yield Finding("autofattura", "nota", text)
    over = invoice.version == model.SIMPLIFIED and total is not None and total > SIMPLIFIED_LIMIT_CENTS
    if over and invoice.supplier.regime not in SMALL_BUSINESS:
        text = f"Una fattura semplificata arriva a 400,00 €, questa è di {money.euros(total or 0)}."
        yield Finding("semplificata_limite", "avviso", text)
    split = totals.split_vat_cents(invoice)
    if split:
        text = _split(invoice, split)
        yield Finding("scissione_pagamenti", "nota", text)


def _what(invoice: Invoice) -> str:
    return codes.words("documents", invoice.type_code)


def _split(invoice: Invoice, tax_cents: int) -> str:
    left = "" if invoice.due_cents is None else f", al fornitore restano {money.euros(invoice.due_cents)}"
    return f"Scissione dei pagamenti: l’IVA di {money.euros(tax_cents)} la versa chi compra{left}."


def _regime(invoice: Invoice) -> Iterator[Finding]:
    if invoice.supplier.regime != "RF19" or invoice.type_code in model.SELF_INVOICES:
        return
    if invoice.vat_cents:
        charged = money.euros(invoice.vat_cents)
        text = f"Chi è nel regime forfettario non addebita l’IVA, ma qui ci sono {charged} di imposta."
        yield Finding("forfettario_iva", "avviso", text)
    taxes = [each for each in invoice.withholdings if each.type_code in ("RT01", "RT02")]
    if taxes:
        yield Finding(
            "forfettario_ritenuta",
            "avviso",
            "Chi è nel regime forfettario non subisce la ritenuta d’acconto, ma qui c’è.",
        )


def _due_dates(invoice: Invoice) -> Iterator[Finding]:
    for each in invoice.installments:
        if each.due_on is None and each.amount_cents and each.method not in AT_ONCE:
            days = f": dice {each.terms_days} giorni, ma non da quando" if each.terms_days is not None else ""
            text = f"La rata {each.no} di {money.euros(each.amount_cents, invoice.currency)} non ha una scadenza{days}."
            yield Finding("scadenza_mancante", "nota", text)
    told_nowhere = not invoice.installments and invoice.version != model.SIMPLIFIED
    if told_nowhere and (invoice.due_cents or 0) > 0 and invoice.type_code not in model.CREDIT_NOTES:
        yield Finding("scadenza_mancante", "nota", "La fattura non dice né come né entro quando si paga.")


def _attachments(invoice: Invoice) -> Iterator[Finding]:
    for each in invoice.attachments:
        if each.size_bytes is None:
            yield Finding("allegato_illeggibile", "avviso", f"L’allegato «{each.name[:100]}» è vuoto o rovinato.")


def _day(day: date) -> str:
    return f"{day:%d/%m/%Y}"
