"""Six layouts of invoices that were written before the rules and that no rule was made with: they tell how the rules
fare on paper they have not seen."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tests.functions.extraction import sample_facts as facts
from tests.functions.extraction.sample_facts import money
from tests.functions.extraction.sample_paper import HEIGHT, WIDTH, Paper

Drawn = tuple[bytes, dict[str, str]]
RIGHT = WIDTH - 40


def modern(rng: Random) -> Drawn:
    """Letterhead top right, names above their values, short labels, the euro sign behind."""
    it = facts.invoice(rng)
    paper = Paper(size=9.5)
    paper.text(RIGHT, 55, it.supplier.name, size=18, bold=True, align="right")
    contact = [it.supplier.street, it.supplier.town, it.supplier.email, f"P. IVA {it.supplier.vat_number}"]
    paper.lines(RIGHT, 72, contact, align="right")
    paper.text(40, 150, "Fatturato a", size=8)
    who = it.customer
    paper.lines(40, 164, [who.name, who.street, who.town, f"P. IVA {who.vat_number}"])
    heads = [("Documento nr", it.number), ("Data doc.", it.issued_on.strftime("%d.%m.%Y"))]
    heads += [("Data scadenza", it.due_on.strftime("%d.%m.%Y"))]
    for place, (label, value) in enumerate(heads):
        paper.text(300 + place * 90, 164, label, size=8)
        paper.text(300 + place * 90, 178, value, bold=True)
    paper.text(40, 255, "Fattura", size=22, bold=True)
    paper.row(290, [(40, "Servizio"), (-430, "Quantità"), (-490, "Unitario"), (-RIGHT, "Totale")], size=8)
    y = 292.0
    for item in it.items:
        y += 20
        cells = [(40, item.text), (-430, str(item.quantity)), (-490, money(item.price_cents))]
        paper.row(y, [*cells, (-RIGHT, f"{money(item.cents)} €")])
    paper.rule(y + 10)
    for label, cents in (("Netto", it.net_cents), ("I.V.A. 22%", it.vat_cents), ("Totale", it.total_cents)):
        y += 24
        paper.row(y, [(400, label), (-RIGHT, f"{money(cents)} €")], bold=label == "Totale")
    paper.lines(40, y + 60, ["Modalità di pagamento: bonifico", f"IBAN {facts.spaced(it.iban)}"])
    return paper.pdf(), it.truth()


def flat_rate(rng: Random) -> Drawn:
    """A person in the flat-rate scheme: no tax, a stamp, short dates."""
    who = facts.person(rng)
    it = facts.invoice(rng, who, rates=(0,), most=2)
    it = replace(it, stamp_cents=200)
    paper = Paper("serif", 10.5)
    paper.text(50, 60, who.name, size=14, bold=True)
    own = [who.street, who.town, f"Codice fiscale {who.tax_code}", f"Partita IVA {who.vat_number}", who.email]
    paper.lines(50, 76, own)
    client = it.customer
    paper.text(50, 170, "Cliente:", bold=True)
    paper.lines(100, 170, [client.name, client.street, client.town, f"Partita IVA {client.vat_number}"])
    day = it.issued_on.strftime("%d.%m.%y")
    paper.text(50, 255, f"Fattura nr. {it.number}      Data: {day}", bold=True, size=12)
    y = 290.0
    for item in it.items:
        paper.row(
            y, [(50, f"{item.text} ({item.quantity} x {money(item.price_cents)})"), (-520, f"€ {money(item.cents)}")]
        )
        y += 18
    paper.row(y + 10, [(300, "Compenso"), (-520, f"€ {money(it.net_cents)}")])
    paper.row(y + 28, [(300, "Imposta di bollo"), (-520, f"€ {money(it.stamp_cents)}")])
    paper.row(y + 46, [(300, "Totale da pagare"), (-520, f"€ {money(it.total_cents)}")], bold=True)
    law = (
        "Operazione effettuata ai sensi dell'art. 1, commi da 54 a 89, della legge n. 190/2014 - regime forfettario. "
        "Compenso non soggetto a IVA né a ritenuta d'acconto ai sensi della legge 190 del 23/12/2014."
    )
    y = paper.paragraph(50, y + 90, law, 480)
    paper.text(50, y + 10, f"Da versare entro il {it.due_on.strftime('%d.%m.%y')} sul conto {it.iban}")
    return paper.pdf(), it.truth() | {"tax_code": who.tax_code}


def ledger(rng: Random) -> Drawn:
    """What an old accounting program prints: typewriter letters, labels on two lines, many cells at the foot."""
    it = facts.invoice(rng, rates=(22, 10))
    paper = Paper("mono", 8)
    paper.text(40, 45, it.supplier.name.upper(), size=11, bold=True)
    paper.lines(40, 58, [f"{it.supplier.street} {it.supplier.town}", f"Cod.Fisc. e Part.IVA {it.supplier.vat_number}"])
    paper.lines(40, 80, [f"Tel {it.supplier.phone}  Iscr. Reg. Imprese di Milano n. {it.supplier.vat_number}"])
    who = it.customer
    paper.lines(330, 110, ["Spett.", who.name.upper(), who.street.upper(), who.town.upper()])
    paper.lines(40, 110, ["Luogo di consegna", "IDEM"])
    rows = ["Cod.Cliente", "Part.IVA cliente", "Tipo doc.", "Numero doc.", "Data doc.", "Pag."]
    places = [40, 115, 230, 320, 410, 500]
    values = ["C00412", who.vat_number, "FATTURA IMMEDIATA", it.number, it.issued_on.strftime("%d/%m/%y"), "1"]
    paper.rule(185)
    paper.row(195, list(zip(places, rows, strict=True)), size=7)
    paper.row(206, list(zip(places, values, strict=True)))
    paper.rule(212)
    paper.row(225, [(40, "Articolo / Descrizione"), (-330, "Q.ta'"), (-400, "Prezzo"), (-470, "Importo"), (500, "Iva")])
    y = 228.0
    for item in it.items:
        y += 13
        cells = [(40, item.text), (-330, str(item.quantity)), (-400, money(item.price_cents))]
        paper.row(y, [*cells, (-470, money(item.cents)), (500, str(item.rate))])
    paper.rule(600)
    paper.row(
        609,
        [(40, "Totale"), (140, "Sconto"), (220, "Spese"), (300, "Totale"), (400, "Totale"), (490, "TOTALE")],
        size=7,
    )
    paper.row(
        618,
        [(40, "merce"), (140, "%"), (220, "trasporto"), (300, "imponibile"), (400, "I.V.A."), (490, "FATTURA")],
        size=7,
    )
    sums = [(40, money(it.net_cents)), (140, "0,00"), (220, "0,00"), (300, money(it.net_cents))]
    paper.row(630, [*sums, (400, money(it.vat_cents)), (490, money(it.total_cents))])
    paper.rule(638)
    paper.row(648, [(40, "Scadenze"), (200, "Importo rata"), (300, "Banca d'appoggio")], size=7)
    paper.row(660, [(40, it.due_on.strftime("%d/%m/%y")), (200, money(it.total_cents)), (300, it.iban)])
    truth = it.truth() | {"supplier": it.supplier.name.upper(), "customer": who.name.upper()}
    return paper.pdf(), truth


def sidebar(rng: Random) -> Drawn:
    """Two columns: who and how to pay in the narrow one, the work in the wide one."""
    who = facts.person(rng, "Studio ")
    it = replace(facts.invoice(rng, who, most=3), withholding_percent=20)
    paper = Paper(size=8.5)
    paper.text(35, 60, who.name, size=12, bold=True)
    paper.lines(35, 80, [who.street, who.town, who.email, who.phone])
    paper.lines(35, 140, ["P.IVA", who.vat_number, "Cod. Fisc.", who.tax_code])
    paper.lines(
        35, 300, ["Pagamento", "Bonifico a vista fattura", "IBAN", it.iban, "Scadenza", facts.in_words(it.due_on)]
    )
    left = 215.0
    client = it.customer
    paper.lines(left, 60, ["Alla cortese attenzione di", client.name, client.street, client.town], size=9.5)
    paper.text(left, 112, f"P.IVA {client.vat_number}")
    paper.text(left, 160, f"Fattura numero {it.number}", size=14, bold=True)
    paper.text(left, 178, f"Data di emissione: {facts.in_words(it.issued_on)}")
    y = 215.0
    for item in it.items:
        y = paper.paragraph(left, y, f"{item.text}, {item.quantity} x {money(item.price_cents)} euro", 230)
        paper.text(RIGHT, y - 11.5, money(item.cents), align="right")
        y += 8
    rows = [
        ("Imponibile", it.net_cents),
        ("IVA (22%)", it.vat_cents),
        ("Totale documento", it.total_cents),
        ("Ritenuta d'acconto (20%)", -it.withholding_cents),
        ("Totale a pagare", it.due_cents),
    ]
    y += 20
    for label, cents in rows:
        paper.row(y, [(left, label), (-RIGHT, f"€ {money(cents)}")], bold=label.startswith("Totale"))
        y += 17
    return paper.pdf(), it.truth() | {"tax_code": who.tax_code}


def credit_note(rng: Random) -> Drawn:
    """A credit note, amounts with a space between the thousands, EUR in front."""
    it = facts.invoice(rng, rates=(22, 4))
    paper = Paper("serif", 10)
    paper.text(WIDTH / 2, 55, it.supplier.name, size=16, bold=True, align="centre")
    paper.text(
        WIDTH / 2, 70, f"{it.supplier.street}, {it.supplier.town} - P.I. {it.supplier.vat_number}", align="centre"
    )
    paper.rule(80)
    who = it.customer
    paper.lines(320, 105, ["Spett.le Ditta", who.name, who.street, who.town, f"P.I. {who.vat_number}"])
    paper.text(50, 190, "NOTA DI CREDITO", size=14, bold=True)
    before = facts.invoice(rng)
    paper.text(50, 207, f"Numero: {it.number}")
    paper.text(50, 221, f"Data: {it.issued_on.strftime('%d/%m/%Y')}")
    paper.text(50, 245, f"A storno della fattura n. {before.number} del {before.issued_on.strftime('%d/%m/%Y')}")
    y = 270.0
    for item in it.items:
        paper.row(y, [(50, item.text), (-480, f"IVA {item.rate}%"), (-RIGHT, money(item.cents, "1 234,56"))])
        y += 16
    y += 20
    for rate, (net, tax) in it.rates.items():
        paper.row(y, [(250, f"Imponibile {rate}%"), (-RIGHT, f"EUR {money(net, '1 234,56')}")])
        paper.row(y + 15, [(250, f"IVA {rate}%"), (-RIGHT, f"EUR {money(tax, '1 234,56')}")])
        y += 30
    paper.row(y + 4, [(250, "Totale nota di credito"), (-RIGHT, f"EUR {money(it.total_cents, '1 234,56')}")], bold=True)
    return paper.pdf(), it.truth("iban", "due_on")


def footer(rng: Random) -> Drawn:
    """The supplier's numbers stand in the foot line only; the customer stands on top, without «Spett.le»."""
    it = facts.invoice(rng, rates=(22, 10))
    paper = Paper(size=9)
    paper.text(40, 60, it.supplier.name, size=20, bold=True)
    who = it.customer
    paper.lines(40, 110, ["INTESTATARIO FATTURA", who.name, who.street, who.town, f"P.IVA/C.F. {who.vat_number}"])
    facts_of = [
        ("Fattura n°", it.number),
        ("Data emissione", it.issued_on.strftime("%d/%m/%Y")),
        ("Rif. ordine", f"ORD-{rng.randrange(1000, 9999)} del {it.issued_on.strftime('%d/%m/%Y')}"),
        ("Scad. pagamento", it.due_on.strftime("%d/%m/%Y")),
    ]
    for place, (label, value) in enumerate(facts_of):
        paper.row(110 + place * 14, [(340, label), (440, value)])
    y = 200.0
    paper.row(y, [(40, "Descrizione"), (-400, "Aliq."), (-RIGHT, "Imponibile")], bold=True)
    for item in it.items:
        y += 15
        paper.row(y, [(40, item.text), (-400, f"{item.rate},00"), (-RIGHT, money(item.cents))])
    y += 40
    paper.text(40, y, "Riepilogo IVA", bold=True)
    heads = [(40, "Aliq."), (-200, "Imponibile"), (-290, "Imposta"), (-380, "Totale")]
    paper.row(y + 14, heads, size=8)
    y += 14
    for rate, (net, tax) in it.rates.items():
        y += 13
        paper.row(y, [(40, f"{rate}%"), (-200, money(net)), (-290, money(tax)), (-380, money(net + tax))])
    y += 40
    for label, cents in (
        ("Tot. imponibile", it.net_cents),
        ("Tot. IVA", it.vat_cents),
        ("Tot. documento", it.total_cents),
    ):
        paper.row(y, [(380, label), (-RIGHT, f"€{money(cents)}")], bold=True)
        y += 15
    paper.text(40, y + 40, f"Coordinate per il bonifico: {facts.spaced(it.iban)} (BIC BCITITMM)")
    own = f"{it.supplier.name} - {it.supplier.street} - {it.supplier.town} - Cap. soc. € 10.000,00 i.v."
    paper.text(WIDTH / 2, HEIGHT - 50, own, size=7, align="centre")
    own = f"Registro imprese e P.IVA {it.supplier.vat_number} - REA MI 1822334 - {it.supplier.email}"
    paper.text(WIDTH / 2, HEIGHT - 40, own, size=7, align="centre")
    return paper.pdf(), it.truth()


LAYOUTS = {
    "modern": modern,
    "flat_rate": flat_rate,
    "ledger": ledger,
    "sidebar": sidebar,
    "credit_note": credit_note,
    "footer": footer,
}
