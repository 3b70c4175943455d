"""What stands on the paper, from the two parties at its top to the notes at its end. An empty section is left out."""

from __future__ import annotations

from datetime import date

from reportlab.platypus import Flowable, KeepTogether

from functions._shared.fatturapa import codes, identities, model, money, totals
from functions._shared.fatturapa.model import Address, Discount, Installment, Invoice, Line, Party, Summary
from functions._shared.fatturapa.paper import details, layout
from functions._shared.fatturapa.paper.layout import columns, gap, grid, heading, sums, text


def title(invoice: Invoice) -> str:
    """«Fattura n. 12/2026 del 10/11/2026»."""
    name = codes.words("documents", invoice.type_code) or "Documento"
    number = f" n. {invoice.number}" if invoice.number else ""
    return f"{name}{number}{f' del {details.day(invoice.issued_on)}' if invoice.issued_on else ''}"


def story(invoice: Invoice) -> list[Flowable]:
    """All sections."""
    return [
        _head(invoice),
        gap(14),
        columns(_customer(invoice), _delivery(invoice)),
        *details.references(invoice),
        *_lines(invoice),
        *_summaries(invoice),
        *_totals(invoice),
        *_payments(invoice),
        *details.transport(invoice),
        *details.notes(invoice),
    ]


def _head(invoice: Invoice) -> Flowable:
    supplier = invoice.supplier
    name = codes.words("documents", invoice.type_code) or "Documento"
    left = [text(supplier.name, 11, bold=True), *_party(supplier), *_trade(supplier)]
    right = [
        text(name, 13, bold=True, right=True),
        gap(3),
        text(f"n. {invoice.number or 'non indicato'}", 9, right=True),
    ]
    right.append(text(f"del {details.day(invoice.issued_on) or 'data non indicata'}", 9, right=True))
    right.append(text(codes.words("versions", invoice.version), 6.5, grey=True, right=True))
    return columns(left, right, 0.55)


def _customer(invoice: Invoice) -> list[Flowable]:
    customer = invoice.customer
    return [layout.heading("CLIENTE"), text(customer.name, 9, bold=True), *_party(customer)]


def _party(party: Party) -> list[Flowable]:
    lines = [
        *address_lines(party.address),
        f"P. IVA {party.vat_country or ''}{party.vat_number}" if party.vat_number else "",
        f"Codice fiscale {party.tax_code}" if party.tax_code else "",
        f"Stabile organizzazione: {', '.join(address_lines(party.branch))}" if party.branch else "",
        f"Rappresentante fiscale: {party.representative.name or ''}" if party.representative else "",
    ]
    return [text("\n".join(filter(None, lines)), 8)]


def address_lines(address: Address | None) -> list[str]:
    """Street and place."""
    if address is None:
        return []
    street = ", ".join(filter(None, (address.street, address.number)))
    province = f"({address.province})" if address.province else None
    country = address.country if address.country != "IT" else None
    return [
        each
        for each in (street, " ".join(filter(None, (address.postal_code, address.city, province, country))))
        if each
    ]


def _trade(party: Party) -> list[Flowable]:
    rea, listed = party.registration, party.professional
    lines = [
        f"Regime fiscale: {codes.words('regimes', party.regime)}" if party.regime else "",
        " ".join(filter(None, ("REA", rea.office, rea.number))) if rea else "",
        f"Capitale sociale {money.euros(rea.capital_cents)}" if rea and rea.capital_cents is not None else "",
        " ".join(filter(None, (listed.register, listed.province, listed.number and f"n. {listed.number}")))
        if listed
        else "",
        " · ".join(filter(None, (party.phone, party.email))),
    ]
    return [text("\n".join(filter(None, lines)), 7, grey=True)]


def _delivery(invoice: Invoice) -> list[Flowable]:
    sent = invoice.transmission
    lines = [
        f"Codice destinatario {sent.recipient_code}" if sent.recipient_code else "",
        f"PEC {sent.recipient_pec}" if sent.recipient_pec else "",
        codes.words("issuers", invoice.issued_by),
        f"Rappresentante fiscale di chi vende: {invoice.representative.name or ''}" if invoice.representative else "",
        f"Intermediario: {invoice.intermediary.name or ''}" if invoice.intermediary else "",
    ]
    found = "\n".join(filter(None, lines))
    return [heading("CONSEGNA"), text(found, 8)] if found else []


def _lines(invoice: Invoice) -> list[Flowable]:
    if not invoice.lines:
        return []
    short = invoice.version == model.SIMPLIFIED
    of: list[layout.Column] = [
        ("", 22, True),
        ("Descrizione", None, False),
        ("Quantità", 52, True),
        ("Prezzo", 62, True),
        ("Sconto", 46, True),
        ("IVA", 38, True),
        ("Totale con IVA" if short else "Totale", 66, True),
    ]
    return [gap(10), grid(of, [_line(each) for each in invoice.lines])]


def _line(line: Line) -> list[str]:
    kind = codes.words("lines", line.kind)
    described = "\n".join(filter(None, (line.description, kind and f"({kind})", *details.line_notes(line))))
    quantity = " ".join(filter(None, (money.decimal(line.quantity) if line.quantity else "", line.unit)))
    return [
        str(line.no or ""),
        described,
        quantity,
        _price(line.price),
        "\n".join(map(_discount, line.discounts)),
        line.nature or (f"{money.decimal(line.vat_rate)} %" if line.vat_rate else ""),
        _price(line.total),
    ]


def _price(amount: str | None) -> str:
    """With two decimals at least, and as many as are there."""
    if amount is None:
        return ""
    shown = money.decimal(amount)
    whole, _, rest = shown.partition(",")
    return f"{whole},{rest.ljust(2, '0')}"


def _discount(discount: Discount) -> str:
    sign = "+" if discount.kind == "MG" else "-"
    by = _price(discount.amount) if discount.amount else f"{money.decimal(discount.percent or '0')} %"
    return f"{sign}{by}"


def _summaries(invoice: Invoice) -> list[Flowable]:
    if not invoice.summaries:
        return []
    of: list[layout.Column] = [("Aliquota o natura", None, False), ("Imponibile", 80, True), ("Imposta", 80, True)]
    return [heading("RIEPILOGO IVA"), grid(of, [_summary(each) for each in invoice.summaries])]


def _summary(each: Summary) -> list[str]:
    rate = f"{money.decimal(each.vat_rate)} %" if each.vat_rate and not each.nature else ""
    nature = f"{each.nature} · {codes.words('natures', each.nature)}" if each.nature else ""
    # Immediate is what everybody expects, and the law often says the other two.
    told = each.due == "I" or (each.due == "S" and "scissione" in (each.law or "").lower())
    due = "" if told else codes.words("exigibility", each.due)
    costs = f"di cui spese accessorie {money.written(each.extra_costs_cents)}" if each.extra_costs_cents else ""
    what = "\n".join(filter(None, (" ".join(filter(None, (rate, nature))), each.law, due, costs)))
    return [what, *("" if cents is None else money.written(cents) for cents in (each.taxable_cents, each.tax_cents))]


def _totals(invoice: Invoice) -> list[Flowable]:
    rows = _sums(invoice)
    return [gap(8), KeepTogether([sums(rows)])] if rows else []


def _sums(invoice: Invoice) -> list[tuple[str, str, bool]]:
    split = totals.split_vat_cents(invoice)
    # A stamp in a line is in the net amount already, one that the supplier keeps is in no sum: the notes tell of those.
    stamp = invoice.stamp if invoice.stamp_borne_by == "totale" else None
    rows: list[tuple[str, int | None, bool]] = [
        *((_fund(each), each.amount_cents, False) for each in invoice.funds),
        ("Imponibile", invoice.net_cents, False),
        ("IVA", invoice.vat_cents, False),
        ("Imposta di bollo", stamp.amount_cents if stamp else None, False),
        ("Arrotondamento", invoice.rounding_cents, False),
        ("Totale documento", invoice.total_cents, True),
        *((_withholding(each), _minus(each.amount_cents), False) for each in invoice.withholdings),
        ("IVA versata da chi compra", _minus(split) if split else None, False),
    ]
    if invoice.due_cents is not None and invoice.due_cents != invoice.total_cents:
        rows.append(("Da pagare", invoice.due_cents, True))
    discounts = [
        (codes.words("discounts", each.kind) + " sul totale", _discount(each), False) for each in invoice.discounts
    ]
    shown = [(label, money.euros(cents, invoice.currency), bold) for label, cents, bold in rows if cents is not None]
    return [*discounts, *shown]


def _minus(cents: int | None) -> int | None:
    return None if cents is None else -cents


def _fund(fund: model.Fund) -> str:
    rate = f" {money.decimal(fund.rate)} %" if fund.rate else ""
    return f"di cui {codes.words('funds', fund.type_code) or 'cassa previdenziale'}{rate}"


def _withholding(withholding: model.Withholding) -> str:
    rate = f" {money.decimal(withholding.rate)} %" if withholding.rate else ""
    reason = f", causale {withholding.reason}" if withholding.reason else ""
    return f"{codes.words('withholdings', withholding.type_code) or 'Ritenuta'}{rate}{reason}"


def _payments(invoice: Invoice) -> list[Flowable]:
    if not invoice.installments:
        return []
    of: list[layout.Column] = [
        ("Scadenza", 60, False),
        ("Modo", 110, False),
        ("Conto e note", None, False),
        ("Importo", 80, True),
    ]
    return [heading("PAGAMENTO"), grid(of, [_payment(each, invoice.currency) for each in invoice.installments])]


def _payment(each: Installment, currency: str | None) -> list[str]:
    notes = [
        each.beneficiary and f"a {each.beneficiary}",
        each.iban and f"IBAN {identities.in_fours(each.iban)}",
        each.bic and f"BIC {each.bic}",
        " ".join(filter(None, (each.bank, each.abi and f"ABI {each.abi}", each.cab and f"CAB {each.cab}"))),
        each.payment_code and f"Codice pagamento {each.payment_code}",
        each.terms_days is not None and f"{each.terms_days} giorni da {_from(each.terms_from)}",
        each.early_discount_cents
        and f"Sconto {money.euros(each.early_discount_cents)} entro {_from(each.early_until)}",
        each.late_penalty_cents and f"Penale {money.euros(each.late_penalty_cents)} dal {_from(each.late_from)}",
    ]
    condition = codes.words("conditions", each.condition) if each.condition != "TP02" else ""
    return [
        details.day(each.due_on) or "",
        "\n".join(filter(None, (codes.words("methods", each.method), condition))),
        "\n".join(note for note in notes if note),
        "" if each.amount_cents is None else money.euros(each.amount_cents, currency),
    ]


def _from(moment: date | None) -> str:
    return details.day(moment) or "data non indicata"
