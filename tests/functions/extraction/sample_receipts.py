"""Receipts as tills print them, on a strip of paper: the ones the rules were made with."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.functions.extraction import sample_facts as facts
from tests.functions.extraction.sample_facts import money
from tests.functions.extraction.sample_others import Drawn
from tests.functions.extraction.sample_paper import Paper

STRIP = (227.0, 430.0)
LEFT, MIDDLE, RIGHT = 12, 113.5, 215
GOODS = ("CAFFE'", "PANINO", "ACQUA 0,5L", "CORNETTO", "TAGLIERE", "VITI 4X40", "PENNELLO", "TONER NERO", "CARTA A4")
SHOPS = ("BAR CENTRALE", "FERRAMENTA MODERNA", "TRATTORIA LA QUERCIA", "CARTOLERIA ROSSI", "TABACCHERIA SALA")


def till(rng: Random) -> Drawn:
    """«Documento commerciale» with the tax of each article and «di cui IVA»."""
    who, day = facts.company(rng), facts.invoice(rng).issued_on
    shop, number = rng.choice(SHOPS), f"{rng.randrange(1, 2000):04d}-{rng.randrange(1, 400):04d}"
    rate = rng.choice((10, 22))
    paper = Paper("mono", 9, STRIP)
    paper.text(MIDDLE, 28, shop, size=11, bold=True, align="centre")
    y = paper.lines(MIDDLE, 42, [f"di {who.name}", who.street, who.town], align="centre")
    paper.text(MIDDLE, y, f"P.IVA {who.vat_number}", align="centre")
    y = paper.lines(MIDDLE, y + 24, ["DOCUMENTO COMMERCIALE", "di vendita o prestazione"], align="centre", bold=True)
    paper.row(y + 10, [(LEFT, "DESCRIZIONE"), (130, "IVA"), (-RIGHT, "Prezzo(€)")])
    y += 10
    total = 0
    for good in rng.sample(GOODS, k=rng.randrange(2, 6)):
        y += 13
        cents = rng.randrange(120, 4_900)
        total += cents
        paper.row(y, [(LEFT, good), (130, f"{rate}%"), (-RIGHT, money(cents))])
    tax = (total * rate + (100 + rate) // 2) // (100 + rate)
    paper.row(y + 24, [(LEFT, "TOTALE COMPLESSIVO"), (-RIGHT, money(total))], bold=True, size=10)
    paper.row(y + 38, [(LEFT, "di cui IVA"), (-RIGHT, money(tax))])
    paid = rng.choice(("Pagamento contante", "Pagamento elettronico"))
    paper.row(y + 60, [(LEFT, paid), (-RIGHT, money(total))])
    paper.row(y + 73, [(LEFT, "Importo pagato"), (-RIGHT, money(total))])
    stamp = f"{day.strftime('%d-%m-%Y')} {rng.randrange(8, 20)}:{rng.randrange(10, 60)}"
    paper.lines(MIDDLE, y + 98, [stamp, f"DOCUMENTO N. {number}", "RT 99MEX012345"], align="centre")
    truth = {"number": number, "issued_on": day.isoformat(), "total": str(total), "vat": str(tax)}
    return "ricevuta", paper.pdf(), truth | {"vat_number": who.vat_number, "supplier": who.name}


LAYOUTS: dict[str, Callable[[Random], Drawn]] = {"till": till}
