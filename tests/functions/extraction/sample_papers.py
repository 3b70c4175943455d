"""Papers that the confidence was tuned with: their truth is complete, what it does not say is not on the paper."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from random import Random

from tests.functions.extraction import sample_facts as facts
from tests.functions.extraction.sample_facts import in_words, money, spaced
from tests.functions.extraction.sample_others import Drawn
from tests.functions.extraction.sample_paper import WIDTH, Paper

RIGHT = WIDTH - 45


def _some(it: facts.Invoice, *keys: str) -> dict[str, str]:
    every = it.truth()
    return {key: every[key] for key in keys}


def consultancy(rng: Random) -> Drawn:
    """Draw a contract whose parties have roles, in articles with headings on lines of their own."""
    it = facts.invoice(rng)
    one, other, end = it.supplier, it.customer, it.issued_on + timedelta(days=365)
    paper = Paper("sans", 10)
    paper.text(45, 60, "CONTRATTO DI CONSULENZA", size=14, bold=True)
    parts = [
        f"Tra {other.name}, con sede in {other.town}, P.IVA {other.vat_number} (di seguito «Committente»)",
        f"e {one.name}, con sede in {one.town}, P.IVA {one.vat_number} (di seguito «Consulente»)",
        "si conviene quanto segue.",
        "Art. 1",
        "Il Consulente presta la propria opera senza vincolo di subordinazione.",
        "Art. 2 - Compenso",
        f"Il compenso è di euro {money(it.net_cents)} oltre IVA, su presentazione di regolare fattura.",
        "Art. 3 - Durata",
        f"Il contratto ha effetto dal {in_words(it.issued_on)} fino al {in_words(end)}.",
    ]
    y = 90.0
    for part in parts:
        y = paper.paragraph(45, y, part, 500) + 6
    paper.text(45, y + 20, f"Padova, {it.issued_on.strftime('%d/%m/%Y')}")
    truth = _some(it, "supplier", "customer", "issued_on")
    return "contratto", paper.pdf(), truth | {"due_on": end.isoformat()}


def estimate(rng: Random) -> Drawn:
    it = facts.invoice(rng, rates=(22, 10))
    paper = Paper("vera", 8.5)
    paper.text(45, 56, it.supplier.name, size=13, bold=True)
    paper.lines(45, 70, [it.supplier.street, it.supplier.town, f"P. IVA {it.supplier.vat_number}"])
    paper.lines(340, 70, ["Cliente", it.customer.name, it.customer.street, it.customer.town])
    paper.row(150, [(45, "Preventivo n."), (120, it.number), (300, "Data"), (340, it.issued_on.strftime("%d/%m/%Y"))])
    paper.row(180, [(45, "Descrizione"), (-380, "Q.tà"), (-460, "Prezzo"), (-RIGHT, "Importo")], bold=True)
    y = 180.0
    for item in it.items:
        y += 16
        cells = [(45, item.text), (-380, str(item.quantity)), (-460, money(item.price_cents))]
        paper.row(y, [*cells, (-RIGHT, money(item.cents))])
    for label, cents in (("Imponibile", it.net_cents), ("IVA", it.vat_cents), ("Totale", it.total_cents)):
        y += 20
        paper.row(y, [(380, label), (-RIGHT, money(cents))])
    paper.text(45, y + 30, "Prezzi validi 60 giorni. IBAN per l'acconto " + spaced(it.iban))
    keys = ("supplier", "customer", "vat_number", "number", "issued_on", "net", "vat", "total")
    return "preventivo", paper.pdf(), _some(it, *keys)


def _letter(rng: Random, title: str, text: str) -> tuple[facts.Invoice, bytes]:
    """Draw a letter with the head of an invoice, with sums and an account."""
    it = facts.invoice(rng)
    paper = Paper("serif", 10.5)
    paper.text(45, 60, it.supplier.name, size=15, bold=True)
    paper.lines(45, 76, [it.supplier.street, it.supplier.town, f"P.IVA {it.supplier.vat_number}"])
    paper.lines(330, 110, ["Spett.le", it.customer.name, it.customer.street, it.customer.town])
    day, due = it.issued_on.strftime("%d/%m/%Y"), it.due_on.strftime("%d/%m/%Y")
    paper.text(45, 200, title.format(n=it.number, day=day), size=12, bold=True)
    y = paper.paragraph(45, 225, text.format(n=it.number, day=day, due=due, total=money(it.total_cents)), 490)
    for label, cents in (("Imponibile", it.net_cents), ("IVA 22%", it.vat_cents), ("Totale", it.total_cents)):
        y += 18
        paper.row(y, [(330, label), (-RIGHT, money(cents))])
    paper.text(45, y + 40, f"Coordinate per il bonifico: IBAN {spaced(it.iban)}")
    return it, paper.pdf()


def dunning(rng: Random) -> Drawn:
    text = "Vi ricordiamo che la fattura n. {n} del {day} di euro {total}, scaduta il {due}, non risulta pagata."
    return (
        "altro",
        _letter(rng, rng.choice(("Oggetto: sollecito pagamento fattura n. {n}", "2° SOLLECITO")), text)[1],
        {},
    )


def confirmation(rng: Random) -> Drawn:
    text = "Confermiamo il Vostro ordine n. {n} del {day}; consegna e scadenza il {due}. Seguirà fattura."
    return "altro", _letter(rng, rng.choice(("Conferma d'ordine n. {n} del {day}", "ORDINE N. {n}")), text)[1], {}


def advance_notice(rng: Random) -> Drawn:
    text = "Documento non valido ai fini fiscali: la fattura sarà emessa al pagamento di euro {total}, entro il {due}."
    return "altro", _letter(rng, rng.choice(("Proforma n. {n} del {day}", "Preavviso di parcella n. {n}")), text)[1], {}


def delivered(rng: Random) -> Drawn:
    text = "Causale del trasporto: vendita. Aspetto dei beni: cartoni. Porto franco. Totale merce {total}. Data {due}."
    return (
        "altro",
        _letter(rng, rng.choice(("D.D.T. n. {n} del {day}", "Documento di trasporto n. {n} del {day}")), text)[1],
        {},
    )


LAYOUTS: dict[str, Callable[[Random], Drawn]] = {
    "consultancy": consultancy,
    "estimate": estimate,
    "dunning": dunning,
    "confirmation": confirmation,
    "advance_notice": advance_notice,
    "delivered": delivered,
}
