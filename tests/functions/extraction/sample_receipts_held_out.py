"""Receipts of the held-out half: of a supermarket, a restaurant and a pad of forms."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.functions.extraction import sample_facts_held_out as held_out
from tests.functions.extraction.sample_facts import in_words, money
from tests.functions.extraction.sample_others import Drawn
from tests.functions.extraction.sample_paper import Paper

LEFT, RIGHT = 14, 206
FOODS = (
    "LATTE P.S. 1L",
    "PANE KG 0,512",
    "MELE GOLDEN",
    "DETERSIVO",
    "BISCOTTI",
    "OLIO EVO",
    "PROSCIUTTO",
    "BIRRA 66CL",
)
DISHES = ("COPERTO", "SPAGHETTI VONGOLE", "FRITTO MISTO", "ACQUA NAT.", "VINO CASA 1/2", "DOLCE", "CAFFE'")
SHOPS = ("Alimentari Pavesi S.r.l.", "Supermercati Vicino SpA", "Osteria Tre Scalini di Gori Ugo", "Bottega Antica snc")


def _tax(cents: int, rate: int) -> int:
    return (cents * rate + (100 + rate) // 2) // (100 + rate)


def supermarket(rng: Random) -> Drawn:
    """Articles of three rates, the tax of each rate below the total."""
    who, day = held_out.vendor(rng, SHOPS[:2]), held_out.invoice(rng).issued_on
    paper = Paper("vera", 7.5, (220, 520))
    y = paper.lines(110, 30, [who.name.upper(), who.street, who.town, f"Partita IVA {who.vat_number}"], align="centre")
    y = paper.lines(110, y + 10, ["DOCUMENTO COMMERCIALE", "di vendita o prestazione"], align="centre")
    paper.row(y + 8, [(LEFT, "DESCRIZIONE"), (120, "IVA"), (-RIGHT, "Prezzo(€)")])
    y += 10
    sums = {4: 0, 10: 0, 22: 0}
    for good in rng.sample(FOODS, k=rng.randrange(4, 8)):
        y += 11
        rate, cents = rng.choice((4, 10, 22)), rng.randrange(90, 1_900)
        sums[rate] += cents
        paper.row(y, [(LEFT, good), (120, f"{rate},00%"), (-RIGHT, money(cents))])
    total = sum(sums.values())
    tax = sum(_tax(cents, rate) for rate, cents in sums.items())
    paper.row(y + 22, [(LEFT, "TOTALE COMPLESSIVO"), (-RIGHT, money(total))], bold=True, size=9)
    paper.row(y + 35, [(LEFT, "di cui IVA"), (-RIGHT, money(tax))])
    paper.row(y + 52, [(LEFT, "Pagamento elettronico"), (-RIGHT, money(total))])
    paper.row(y + 63, [(LEFT, "Importo pagato"), (-RIGHT, money(total))])
    number = f"{rng.randrange(9999):04d}-{rng.randrange(999):04d}"
    stamp = f"{day.strftime('%d-%m-%Y')} {rng.randrange(9, 20)}:{rng.randrange(10, 59)}"
    paper.lines(
        110, y + 84, [stamp, f"DOCUMENTO N. {number}", "RT 96MKR001188", "GRAZIE E ARRIVEDERCI"], align="centre"
    )
    truth = {"supplier": who.name, "vat_number": who.vat_number, "issued_on": day.isoformat(), "number": number}
    return "ricevuta", paper.pdf(), truth | {"total": str(total), "vat": str(tax)}


def restaurant(rng: Random) -> Drawn:
    """Draw a subtotal, a discount, cash and change."""
    who, day = held_out.vendor(rng, SHOPS[2:]), held_out.invoice(rng).issued_on
    paper = Paper("mono", 8, (220, 460))
    y = paper.lines(110, 30, [who.name, who.street, who.town, f"P.I. {who.vat_number}"], align="centre")
    y = paper.lines(110, y + 8, ["DOCUMENTO COMMERCIALE", "di vendita o prestazione"], align="centre", bold=True)
    total = 0
    for dish in rng.sample(DISHES, k=rng.randrange(3, 7)):
        y += 12
        cents = rng.randrange(150, 2_400)
        total += cents
        paper.row(y, [(LEFT, dish), (-RIGHT, money(cents))])
    off = total // 10 // 10 * 10
    paper.row(y + 18, [(LEFT, "SUBTOTALE"), (-RIGHT, money(total))])
    paper.row(y + 30, [(LEFT, "SCONTO"), (-RIGHT, money(-off))])
    total -= off
    paper.row(y + 48, [(LEFT, "TOTALE COMPLESSIVO"), (-RIGHT, money(total))], bold=True)
    paper.row(y + 60, [(LEFT, "di cui IVA"), (-RIGHT, money(_tax(total, 10)))])
    given = (total // 5000 + 1) * 5000
    paper.row(y + 78, [(LEFT, "Pagamento contante"), (-RIGHT, money(given))])
    paper.row(y + 90, [(LEFT, "Resto"), (-RIGHT, money(given - total))])
    number = f"{rng.randrange(9999):04d}-{rng.randrange(999):04d}"
    paper.lines(
        110, y + 112, [f"{day.strftime('%d/%m/%Y')} 13:42", f"DOC. N. {number}", "RT 72IDF000119"], align="centre"
    )
    truth = {"supplier": who.name, "vat_number": who.vat_number, "issued_on": day.isoformat(), "number": number}
    return "ricevuta", paper.pdf(), truth | {"total": str(total), "vat": str(_tax(total, 10))}


def pad(rng: Random) -> Drawn:
    """Draw a form of a pad, filled in: no tax."""
    it = held_out.invoice(rng)
    paper = Paper("serif", 11, (420, 300))
    paper.lines(28, 40, [it.supplier.name, it.supplier.town, f"P.IVA {it.supplier.vat_number}"])
    paper.row(96, [(28, f"RICEVUTA N. {it.number}"), (250, f"Data {it.issued_on.strftime('%d/%m/%Y')}")], bold=True)
    paper.text(28, 126, f"Ricevo da {it.customer.name}")
    paper.text(28, 150, f"la somma di € {money(it.total_cents)}")
    paper.text(28, 174, f"per {it.items[0].text.lower()}, a saldo, pagato in contanti il {in_words(it.issued_on)}")
    paper.row(214, [(28, "TOTALE"), (150, f"€ {money(it.total_cents)}")], bold=True)
    paper.text(280, 262, "Firma")
    return "ricevuta", paper.pdf(), held_out.truth(it, "vat_number", "number", "issued_on", "total")


LAYOUTS: dict[str, Callable[[Random], Drawn]] = {"supermarket": supermarket, "restaurant": restaurant, "pad": pad}
