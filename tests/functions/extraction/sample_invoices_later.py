"""Three layouts of invoices that were written when the rules stood: what they fail at tells how good the rules are."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tests.functions.extraction import sample_facts as facts
from tests.functions.extraction.sample_facts import money
from tests.functions.extraction.sample_paper import WIDTH, Paper

Drawn = tuple[bytes, dict[str, str]]
RIGHT = WIDTH - 38


def workshop(rng: Random) -> Drawn:
    """A workshop's: the customer on the left, the supplier in a frame on the right, freight and stamp at the foot."""
    it = replace(facts.invoice(rng), stamp_cents=200)
    paper = Paper("serif", 9.5)
    paper.box(320, 40, RIGHT, 105)
    own = it.supplier
    paper.text(326, 56, own.name, size=13, bold=True)
    paper.lines(326, 70, [f"{own.street} - {own.town}", f"Partita I.V.A. e Cod. Fiscale {own.vat_number}", own.email])
    paper.lines(38, 120, ["Spett.le Cliente", it.customer.name, it.customer.street, it.customer.town])
    paper.text(38, 174, f"P.IVA {it.customer.vat_number}  C.F. {it.customer.vat_number}")
    paper.text(38, 205, f"FATTURA DI VENDITA N. {it.number}", bold=True, size=12)
    paper.text(RIGHT, 205, f"del {facts.in_words(it.issued_on)}", align="right")
    y = 235.0
    paper.row(y, [(38, "Descrizione lavorazione"), (-440, "%IVA"), (-RIGHT, "Imp. netto")], bold=True)
    for item in it.items:
        y += 16
        paper.row(y, [(38, item.text), (-440, str(item.rate)), (-RIGHT, money(item.cents))])
    y += 40
    heads = [(38, "Imponibile"), (130, "IVA"), (220, "Bollo"), (310, "Totale fattura"), (430, "Scadenza")]
    paper.row(y, heads, size=7.5)
    due = it.due_on.strftime("%d/%m/%Y")
    cells = [(38, money(it.net_cents)), (130, money(it.vat_cents)), (220, "2,00"), (310, money(it.total_cents))]
    paper.row(y + 13, [*cells, (430, due)], bold=True)
    paper.text(38, y + 50, f"Appoggio bancario c/o Banca Popolare: {it.iban}")
    return paper.pdf(), it.truth()


def agency(rng: Random) -> Drawn:
    """An agency's: everything to the right of a colon, two rates beside each other, «Tot.» and the sign in front."""
    it = facts.invoice(rng, rates=(22, 10))
    paper = Paper(size=10)
    paper.text(38, 58, it.supplier.name, size=20, bold=True)
    paper.text(38, 75, f"{it.supplier.street} | {it.supplier.town} | P.IVA: {it.supplier.vat_number}", size=8)
    rows = [f"Fattura: {it.number}", f"Data di emissione: {it.issued_on.strftime('%d/%m/%Y')}"]
    paper.lines(38, 115, [*rows, f"Da pagare entro il: {it.due_on.strftime('%d/%m/%Y')}"])
    paper.lines(340, 115, ["Intestata a:", it.customer.name, it.customer.street, it.customer.town])
    paper.text(340, 170, f"P.IVA: {it.customer.vat_number}")
    y = 215.0
    for item in it.items:
        paper.row(
            y, [(38, f"{item.quantity} × {item.text}"), (-430, f"{item.rate}%"), (-RIGHT, f"€ {money(item.cents)}")]
        )
        y += 17
    y += 20
    for rate, (net, tax) in it.rates.items():
        cells = [(200, f"Imponibile al {rate}%:"), (-380, f"€ {money(net)}"), (410, f"IVA {rate}%:")]
        paper.row(y, [*cells, (-RIGHT, f"€ {money(tax)}")])
        y += 16
    paper.row(y + 14, [(410, "Tot. fattura:"), (-RIGHT, f"€ {money(it.total_cents)}")], bold=True)
    paper.lines(38, y + 60, [f"IBAN: {facts.spaced(it.iban)}", f"Causale: saldo fattura {it.number}"])
    return paper.pdf(), it.truth()


def notary(rng: Random) -> Drawn:
    """A professional's with expenses paid in advance on top of a fund and a withholding."""
    who = facts.person(rng, "Dott.ssa ")
    it = replace(facts.invoice(rng, who, most=2), fund_percent=4, withholding_percent=20)
    paper = Paper("serif", 10.5)
    paper.lines(45, 60, [who.name, "Commercialista", who.street, who.town], bold=True)
    paper.lines(45, 120, [f"C.F.: {who.tax_code}", f"P.IVA: {who.vat_number}"])
    paper.lines(330, 150, ["Spett.le", it.customer.name, it.customer.street, it.customer.town])
    paper.text(330, 207, f"Partita IVA: {it.customer.vat_number}")
    paper.text(45, 250, f"Parcella n. {it.number}   Data {it.issued_on.strftime('%d/%m/%Y')}", bold=True)
    rows = [(item.text, item.cents) for item in it.items]
    rows += [("Contributo integrativo 4%", it.fund_cents), ("Imponibile IVA", it.net_cents)]
    rows += [("IVA 22%", it.vat_cents), ("Totale documento", it.total_cents)]
    rows += [("A dedurre ritenuta d'acconto 20%", it.withholding_cents), ("Totale netto a pagare", it.due_cents)]
    for place, (label, cents) in enumerate(rows):
        paper.row(290 + place * 18, [(45, label), (-RIGHT, f"{money(cents)}")])
    paper.text(45, 520, f"Bonifico su IBAN {facts.spaced(it.iban)} con scadenza {it.due_on.strftime('%d/%m/%Y')}")
    return paper.pdf(), it.truth() | {"tax_code": who.tax_code}


LAYOUTS = {"workshop": workshop, "agency": agency, "notary": notary}
