"""Four layouts of invoices: the ones the rules were made with."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tests.functions.extraction import sample_facts as facts
from tests.functions.extraction.sample_facts import money
from tests.functions.extraction.sample_paper import WIDTH, Paper

Drawn = tuple[bytes, dict[str, str]]
RIGHT = WIDTH - 45


def letterhead(rng: Random) -> Drawn:
    """Letterhead top left, «Spett.le» on the right, totals at the foot of the items' column."""
    it = facts.invoice(rng)
    paper = Paper()
    paper.text(45, 60, it.supplier.name, size=15, bold=True)
    paper.lines(45, 76, [it.supplier.street, it.supplier.town, f"P.IVA e C.F. {it.supplier.vat_number}"])
    paper.lines(45, 114, [f"Tel. {it.supplier.phone} - {it.supplier.email}"])
    paper.text(340, 110, "Spett.le", bold=True)
    who = it.customer
    paper.lines(340, 123, [who.name, who.street, who.town, f"P.IVA {who.vat_number}"])
    day = it.issued_on.strftime("%d/%m/%Y")
    paper.text(45, 210, f"Fattura n. {it.number} del {day}", size=13, bold=True)
    _items(paper, it, 240)
    y = 520.0
    for label, cents in (
        ("Imponibile", it.net_cents),
        ("IVA 22%", it.vat_cents),
        ("Totale fattura", it.total_cents),
    ):
        paper.row(y, [(380, label), (-RIGHT, f"€ {money(cents)}")], bold=label.startswith("Totale"))
        y += 16
    paper.text(45, 640, f"Pagamento con bonifico bancario entro il {it.due_on.strftime('%d/%m/%Y')}")
    paper.text(45, 654, f"IBAN: {facts.spaced(it.iban)}")
    return paper.pdf(), it.truth()


def _items(paper: Paper, it: facts.Invoice, y: float) -> None:
    paper.row(y, [(45, "Descrizione"), (-330, "Q.tà"), (-400, "Prezzo"), (-450, "IVA"), (-RIGHT, "Importo")], bold=True)
    paper.rule(y + 4)
    for item in it.items:
        y += 17
        cells = [(45, item.text), (-330, str(item.quantity)), (-400, money(item.price_cents))]
        paper.row(y, [*cells, (-450, f"{item.rate}%"), (-RIGHT, money(item.cents))])


def boxes(rng: Random) -> Drawn:
    """Fields in frames with their names above, a table of several rates, the total in a box."""
    it = facts.invoice(rng, rates=(22, 10, 4))
    paper = Paper(size=8.5)
    paper.text(45, 55, it.supplier.name.upper(), size=14, bold=True)
    paper.text(45, 68, f"{it.supplier.street} - {it.supplier.town}")
    paper.text(45, 79, f"Partita IVA: IT{it.supplier.vat_number}   Codice Fiscale: {it.supplier.vat_number}")
    paper.box(45, 95, 290, 165)
    paper.text(50, 106, "Destinatario", size=7)
    paper.lines(50, 119, [it.customer.name, it.customer.street, it.customer.town])
    paper.text(50, 158, f"Partita IVA {it.customer.vat_number}")
    day, due = it.issued_on.strftime("%d-%m-%Y"), it.due_on.strftime("%d-%m-%Y")
    head = [("Tipo documento", "FATTURA"), ("Numero", it.number), ("Data", day), ("Scadenza", due)]
    for place, (label, value) in enumerate(head):
        paper.box(45 + place * 126, 175, 171 + place * 126, 203)
        paper.text(49 + place * 126, 184, label, size=7)
        paper.text(49 + place * 126, 197, value, bold=True)
    _items(paper, it, 225)
    paper.row(600, [(45, "Aliquota"), (-180, "Imponibile"), (-270, "Imposta")], bold=True)
    y = 600.0
    for rate, (net, tax) in it.rates.items():
        y += 13
        paper.row(y, [(45, f"{rate} %"), (-180, money(net)), (-270, money(tax))])
    paper.row(y + 16, [(45, "Totali"), (-180, money(it.net_cents)), (-270, money(it.vat_cents))], bold=True)
    paper.box(400, 590, RIGHT, 630)
    paper.text(405, 601, "TOTALE DOCUMENTO", size=7)
    paper.text(RIGHT - 5, 622, f"EUR {money(it.total_cents)}", size=13, bold=True, align="right")
    paper.text(45, 690, f"Banca di appoggio: Cassa di Risparmio - IBAN {it.iban}")
    return paper.pdf(), it.truth() | {"supplier": it.supplier.name.upper()}


def professional(rng: Random) -> Drawn:
    """A professional's note: fund, withholding, the date after the town."""
    who = facts.person(rng, rng.choice(("Avv. ", "Ing. ", "Dott. ", "Arch. ")))
    it = replace(facts.invoice(rng, who, most=2), fund_percent=4, withholding_percent=20)
    paper = Paper("serif", 11)
    paper.text(WIDTH / 2, 60, who.name, size=17, bold=True, align="centre")
    paper.text(WIDTH / 2, 78, f"{who.street} – {who.town}", align="centre")
    paper.text(WIDTH / 2, 93, f"C.F. {who.tax_code} – P. IVA {who.vat_number}", align="centre")
    client = it.customer
    paper.lines(330, 140, ["Spettabile", client.name, client.street, client.town, f"C.F. e P. IVA {client.vat_number}"])
    paper.text(60, 235, f"{who.town.split()[1]}, lì {facts.in_words(it.issued_on)}")
    paper.text(60, 262, f"FATTURA N° {it.number}", bold=True, size=13)
    y = 300.0
    for item in it.items:
        paper.row(y, [(60, item.text), (-500, money(item.cents, "1234,56"))])
        y += 18
    rows = [
        ("Totale compensi", it.goods_cents),
        ("Cassa previdenza 4%", it.fund_cents),
        ("Totale imponibile IVA", it.net_cents),
        ("IVA 22%", it.vat_cents),
        ("Totale fattura", it.total_cents),
        ("Ritenuta d'acconto 20%", -it.withholding_cents),
        ("Netto a pagare", it.due_cents),
    ]
    for label, cents in rows:
        y += 20
        paper.row(y, [(250, label), (-500, money(cents, "1234,56"))], bold=label.startswith(("Totale f", "Netto")))
    paper.text(60, y + 50, f"Coordinate bancarie: {facts.spaced(it.iban)}")
    return paper.pdf(), it.truth("due_on") | {"tax_code": who.tax_code}


def utility(rng: Random) -> Drawn:
    """A bill for electricity: many amounts, the customer's data as large as the supplier's."""
    it = facts.invoice(rng, most=3)
    paper = Paper(size=8.5)
    paper.text(45, 55, it.supplier.name, size=16, bold=True)
    paper.text(45, 68, f"Sede legale: {it.supplier.street}, {it.supplier.town}")
    paper.text(45, 79, f"Capitale sociale € 120.000,00 i.v. - R.E.A. MI-203344 - P.IVA {it.supplier.vat_number}")
    paper.lines(330, 120, ["Intestatario", it.customer.name, it.customer.street, it.customer.town])
    paper.text(330, 172, f"Partita IVA cliente: {it.customer.vat_number}")
    paper.text(45, 120, "LA TUA BOLLETTA DELLA LUCE", size=12, bold=True)
    paper.lines(45, 138, [f"Bolletta n. {it.number}", f"emessa il {facts.in_words(it.issued_on)}"])
    paper.text(45, 168, f"Codice cliente {rng.randrange(10**8, 10**9)}   POD IT001E{rng.randrange(10**7, 10**8)}")
    paper.box(45, 190, 300, 240)
    paper.text(52, 205, "Totale da pagare")
    paper.text(290, 205, f"{money(it.total_cents)} €", bold=True, align="right", size=12)
    paper.text(52, 228, f"entro il {it.due_on.strftime('%d/%m/%Y')}")
    paper.text(45, 280, "Sintesi degli importi", bold=True)
    y = 296.0
    for item in it.items:
        paper.row(y, [(45, f"Spesa per {item.text.lower()}"), (-420, money(item.cents))])
        y += 14
    paper.row(y, [(45, "Totale imponibile"), (-420, money(it.net_cents))])
    paper.row(y + 14, [(45, "IVA 22% su imponibile di euro " + money(it.net_cents)), (-420, money(it.vat_cents))])
    paper.row(y + 28, [(45, "Totale bolletta"), (-420, money(it.total_cents))], bold=True)
    paper.text(45, y + 70, f"Consumo annuo 2.700 kWh - potenza impegnata 3,00 kW - IBAN per bonifici {it.iban}")
    return paper.pdf(), it.truth()


LAYOUTS = {"letterhead": letterhead, "boxes": boxes, "professional": professional, "utility": utility}
