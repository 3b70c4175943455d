"""Invoices and bills of the held-out half: no rule was made with them; only counts of their fields are looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from random import Random

from tests.functions.extraction import sample_facts as facts
from tests.functions.extraction import sample_facts_held_out as held_out
from tests.functions.extraction.sample_facts import in_words, money, spaced
from tests.functions.extraction.sample_others import Drawn
from tests.functions.extraction.sample_paper import WIDTH, Paper

RIGHT = WIDTH - 48
ALL = ("vat_number", "number", "issued_on", "net", "vat", "total", "due", "iban", "due_on")


def two_sides(rng: Random) -> Drawn:
    """Supplier and customer side by side in frames, the days in a strip, two rates."""
    it = held_out.invoice(rng, rates=(22, 10))
    paper = Paper("vera", 8)
    for x, head, who in ((48, "CEDENTE / PRESTATORE", it.supplier), (310, "CESSIONARIO / COMMITTENTE", it.customer)):
        paper.box(x - 6, 48, x + 236, 128)
        paper.text(x, 60, head, size=6.5, bold=True)
        paper.text(x, 76, who.name, size=10, bold=True)
        paper.lines(x, 90, [who.street, who.town, f"Partita IVA IT{who.vat_number}"])
    paper.row(150, [(48, "Tipo"), (150, "Numero"), (270, "Data"), (390, "Scadenza")], size=6.5)
    day, due = it.issued_on.strftime("%d/%m/%Y"), it.due_on.strftime("%d/%m/%Y")
    paper.row(164, [(48, "Fattura"), (150, it.number), (270, day), (390, due)], bold=True)
    heads = [
        (48, "Cod."),
        (90, "Descrizione"),
        (-350, "Qta"),
        (-420, "Prezzo un."),
        (-470, "% IVA"),
        (-RIGHT, "Prezzo tot."),
    ]
    paper.row(190, heads, size=6.5)
    y = 192.0
    for place, item in enumerate(it.items):
        y += 16
        cells = [(48, f"A{place:03d}"), (90, item.text), (-350, str(item.quantity)), (-420, money(item.price_cents))]
        paper.row(y, [*cells, (-470, str(item.rate)), (-RIGHT, money(item.cents))])
    y += 40
    paper.text(48, y, "RIEPILOGO IVA E TOTALI", size=6.5, bold=True)
    paper.row(
        y + 14,
        [(48, "Esigibilità IVA"), (-250, "% IVA"), (-350, "Totale imponibile"), (-RIGHT, "Totale imposta")],
        size=6.5,
    )
    y += 14
    for rate, (net, tax) in it.rates.items():
        y += 14
        paper.row(y, [(48, "I (immediata)"), (-250, str(rate)), (-350, money(net)), (-RIGHT, money(tax))])
    paper.row(y + 30, [(300, "Totale documento"), (-RIGHT, money(it.total_cents))], bold=True, size=10)
    paper.lines(
        48,
        y + 60,
        [f"Modalità pagamento: bonifico - IBAN {it.iban}", f"Data scadenza {due} - Importo {money(it.total_cents)}"],
    )
    return "fattura", paper.pdf(), held_out.truth(it, *ALL)


def one_man(rng: Random) -> Drawn:
    """Draw a letter of somebody in the flat-rate scheme, with the number below the word."""
    who = replace(facts.person(rng), name=rng.choice(("Ilaria Pozzi", "Tommaso Leone", "Nadia Fabbri")))
    it = replace(held_out.invoice(rng, rates=(0,), most=2), supplier=who, stamp_cents=200)
    paper = Paper("serif", 11)
    paper.text(60, 70, who.name, size=18)
    paper.lines(
        60, 88, ["Traduzioni e revisione testi", who.street, who.town, f"P.IVA {who.vat_number}", f"CF {who.tax_code}"]
    )
    paper.lines(340, 170, ["Spettabile", it.customer.name, it.customer.street, it.customer.town])
    paper.text(60, 260, "FATTURA", size=16, bold=True)
    paper.lines(60, 280, [f"Numero: {it.number}", f"Data: {in_words(it.issued_on)}"])
    y = 330.0
    for item in it.items:
        paper.row(y, [(60, item.text), (-RIGHT, f"{money(item.cents)} €")])
        y += 20
    paper.row(y + 8, [(300, "Imponibile"), (-RIGHT, f"{money(it.net_cents)} €")])
    paper.row(y + 26, [(300, "Bollo"), (-RIGHT, f"{money(it.stamp_cents)} €")])
    paper.row(y + 44, [(300, "Totale a pagare"), (-RIGHT, f"{money(it.total_cents)} €")], bold=True)
    y = paper.paragraph(
        60, y + 90, "Operazione in franchigia da IVA ai sensi della Legge 190/2014 art. 1 commi 54-89.", 460
    )
    paper.text(60, y + 14, f"Pagamento entro il {in_words(it.due_on)} su IBAN {spaced(it.iban)}")
    return "fattura", paper.pdf(), held_out.truth(it, *ALL)


def shop(rng: Random) -> Drawn:
    """Of an online shop: order and delivery have numbers and days of their own; nothing is left to pay by transfer."""
    it = held_out.invoice(rng)
    paper = Paper("sans", 9)
    paper.text(48, 60, it.supplier.name, size=14, bold=True)
    paper.text(48, 74, f"{it.supplier.street} - {it.supplier.town} - P. IVA: {it.supplier.vat_number}", size=7.5)
    day = it.issued_on.strftime("%d/%m/%Y")
    before = (it.issued_on - timedelta(days=4)).strftime("%d/%m/%Y")
    rows = [("Numero fattura", it.number), ("Data fattura", day), ("Numero ordine", f"{rng.randrange(10**6)}")]
    for place, (label, value) in enumerate([*rows, ("Data ordine", before)]):
        paper.row(110 + 14 * place, [(340, label), (-RIGHT, value)])
    paper.lines(48, 110, ["Intestatario fattura", it.customer.name, it.customer.street, it.customer.town])
    paper.row(210, [(48, "Articolo"), (-360, "Quantità"), (-440, "Prezzo unitario"), (-RIGHT, "Importo")], bold=True)
    y = 210.0
    for item in it.items:
        y += 18
        paper.row(
            y,
            [(48, item.text), (-360, str(item.quantity)), (-440, money(item.price_cents)), (-RIGHT, money(item.cents))],
        )
    for label, cents in (("Subtotale", it.net_cents), ("IVA (22%)", it.vat_cents), ("Totale fattura", it.total_cents)):
        y += 22
        paper.row(y, [(360, label), (-RIGHT, f"€ {money(cents)}")])
    paper.text(48, y + 50, "Spedito con corriere espresso. Assistenza: info@negozio.example", size=7.5)
    return "fattura", paper.pdf(), held_out.truth(it, *ALL[:7])


def bill(rng: Random, place: int, what: str, facts_of: tuple[str, ...], family: str) -> Drawn:
    """Draw a utility's bill: the sum and its day in a band, the rest in a table of costs."""
    it = held_out.invoice(rng, held_out.UTILITIES[place : place + 1], rates=(10,), most=3)
    paper = Paper(family, 8.5)
    paper.text(48, 58, it.supplier.name, size=15, bold=True)
    paper.text(48, 72, "L'energia che ti sta vicina" if place < 2 else "Sempre connessi con te", size=8)
    paper.lines(350, 60, ["Gentile Cliente", it.customer.name, it.customer.street, it.customer.town])
    paper.text(48, 130, f"Bolletta {what}", size=13, bold=True)
    day, due = it.issued_on.strftime("%d.%m.%Y"), it.due_on.strftime("%d.%m.%Y")
    paper.row(
        148, [(48, f"n. {it.number}"), (180, f"emessa il {day}"), (330, f"Codice cliente {rng.randrange(10**9)}")]
    )
    begin = (it.issued_on - timedelta(days=61)).strftime("%d.%m.%Y")
    paper.text(48, 164, f"Periodo dal {begin} al {(it.issued_on - timedelta(days=1)).strftime('%d.%m.%Y')}")
    paper.box(44, 178, RIGHT, 212)
    paper.row(
        198,
        [(52, "IMPORTO DA PAGARE"), (-260, f"€ {money(it.total_cents)}"), (330, f"SCADENZA {due}")],
        bold=True,
        size=11,
    )
    y = paper.lines(48, 236, list(facts_of))
    paper.text(48, y + 10, "Dettaglio dei costi", bold=True)
    y += 12
    for item, name in zip(it.items, ("Quota fissa", "Quota consumi", "Oneri e servizi"), strict=False):
        y += 14
        paper.row(y, [(48, name), (-420, money(item.cents))])
    for label, cents in (("Imponibile", it.net_cents), ("IVA 10%", it.vat_cents), ("Totale bolletta", it.total_cents)):
        y += 15
        paper.row(y, [(48, label), (-420, money(cents))], bold=label.startswith("Tot"))
    paper.text(48, y + 34, f"Puoi pagare con bonifico: IBAN {spaced(it.iban)}")
    paper.text(
        48,
        800,
        f"{it.supplier.name} - {it.supplier.street} - {it.supplier.town} - P.IVA {it.supplier.vat_number}",
        size=6.5,
    )
    return "fattura", paper.pdf(), held_out.truth(it, *ALL)


def light(rng: Random) -> Drawn:
    rows = (f"POD IT001E{rng.randrange(10**7, 10**8)}", "Potenza impegnata 4,5 kW", "Consumo 312 kWh a 0,24 €/kWh")
    return bill(rng, 0, "energia elettrica", rows, "vera")


def gas(rng: Random) -> Drawn:
    rows = (f"PDR {rng.randrange(10**13, 10**14)}", "Consumo 186 Smc", "Lettura rilevata 4.512")
    return bill(rng, 1, "del gas naturale", rows, "sans")


def telephone(rng: Random) -> Drawn:
    rows = (f"Linea 0{rng.randrange(10, 99)} {rng.randrange(10**6, 10**7)}", "Offerta Fibra Lavoro, canone mensile")
    return bill(rng, 2, "telefonica", rows, "serif")


def water(rng: Random) -> Drawn:
    rows = (f"Matricola contatore {rng.randrange(10**6)}", "Consumo 41 mc, acquedotto, fognatura e depurazione")
    return bill(rng, 3, "servizio idrico", rows, "mono")


LAYOUTS: dict[str, Callable[[Random], Drawn]] = {
    "two_sides": two_sides,
    "one_man": one_man,
    "shop": shop,
    "light": light,
    "gas": gas,
    "telephone": telephone,
    "water": water,
}
