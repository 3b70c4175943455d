"""Quotes, contracts, receipts, F24 and papers that only look like a debt, of the held-out half."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from random import Random

from tests.functions.extraction import sample_facts as facts
from tests.functions.extraction import sample_facts_held_out as held_out
from tests.functions.extraction.sample_facts import in_words, money, spaced
from tests.functions.extraction.sample_others import Drawn
from tests.functions.extraction.sample_paper import WIDTH, Paper

RIGHT = WIDTH - 52
SUMS = ("net", "vat", "total")


def quote_letter(rng: Random) -> Drawn:
    it = held_out.invoice(rng)
    paper = Paper("serif", 11)
    paper.text(WIDTH / 2, 60, it.supplier.name, size=16, bold=True, align="centre")
    line = f"{it.supplier.street} - {it.supplier.town} - P.IVA {it.supplier.vat_number}"
    paper.text(WIDTH / 2, 76, line, size=8.5, align="centre")
    paper.text(52, 130, f"{it.supplier.town.split()[1]}, {in_words(it.issued_on)}")
    paper.lines(330, 130, ["Spett.le", it.customer.name, it.customer.street, it.customer.town])
    paper.text(52, 220, f"Oggetto: Preventivo n. {it.number}", bold=True)
    y = paper.paragraph(52, 250, "A seguito della Vostra gentile richiesta Vi sottoponiamo il preventivo per:", 480) + 8
    for item in it.items:
        paper.row(y, [(66, f"- {item.text}"), (-RIGHT, f"euro {money(item.cents)}")])
        y += 18
    for label, cents in (
        ("Totale imponibile", it.net_cents),
        ("IVA 22%", it.vat_cents),
        ("Totale complessivo", it.total_cents),
    ):
        y += 18
        paper.row(y, [(300, label), (-RIGHT, f"euro {money(cents)}")])
    paper.text(52, y + 40, f"Il presente preventivo è valido fino al {it.due_on.strftime('%d/%m/%Y')}.")
    paper.lines(
        52, y + 70, ["Pagamento: 30% all'ordine, saldo a fine lavori.", "Distinti saluti", "Firma per accettazione"]
    )
    return "preventivo", paper.pdf(), held_out.truth(it, "vat_number", "number", "issued_on", "due_on", *SUMS)


def quote_works(rng: Random) -> Drawn:
    """Draw a builder's offer with numbered works and the bank account for the deposit."""
    it = held_out.invoice(rng, rates=(10,))
    paper = Paper("vera", 8.5)
    paper.text(52, 60, it.supplier.name, size=14, bold=True)
    paper.lines(52, 76, [it.supplier.street, it.supplier.town, f"Partita IVA: {it.supplier.vat_number}"])
    paper.lines(340, 76, ["Committente", it.customer.name, it.customer.town])
    day = it.issued_on.strftime("%d-%m-%Y")
    paper.text(52, 150, f"OFFERTA N. {it.number} DEL {day}", size=13, bold=True)
    heads = [(52, "Art."), (90, "Descrizione dei lavori"), (-360, "Q.tà"), (-430, "Prezzo"), (-RIGHT, "Importo")]
    paper.row(180, heads, bold=True)
    y = 180.0
    for place, item in enumerate(it.items, 1):
        y += 17
        cells = [(52, f"{place}.1"), (90, item.text), (-360, str(item.quantity)), (-430, money(item.price_cents))]
        paper.row(y, [*cells, (-RIGHT, money(item.cents))])
    for label, cents in (("Imponibile", it.net_cents), ("IVA 10%", it.vat_cents), ("TOTALE OFFERTA", it.total_cents)):
        y += 20
        paper.row(y, [(360, label), (-RIGHT, money(cents))])
    paper.lines(52, y + 40, [f"Acconto con bonifico su IBAN {spaced(it.iban)}", "Validità dell'offerta 30 giorni."])
    return "preventivo", paper.pdf(), held_out.truth(it, "vat_number", "number", "issued_on", *SUMS)


def contract_services(rng: Random) -> Drawn:
    """Parties in paragraphs of their own, then articles with headings; it speaks of invoices."""
    it = held_out.invoice(rng)
    one, other, end = it.supplier, it.customer, it.issued_on + timedelta(days=730)
    paper = Paper("vera", 9)
    paper.text(WIDTH / 2, 64, "CONTRATTO DI FORNITURA DI SERVIZI", size=13, bold=True, align="centre")
    parts = [
        "TRA",
        f"{one.name}, con sede legale in {one.town}, P.IVA {one.vat_number}, di seguito denominata «Fornitore»",
        "E",
        f"{other.name}, con sede in {other.town}, P.IVA {other.vat_number}, di seguito denominata «Cliente»",
        "PREMESSO CHE",
        "a) il Fornitore opera nel settore; b) il Cliente intende avvalersi dei suoi servizi;",
        "Art. 1 Oggetto",
        "Il Fornitore si impegna a prestare i servizi descritti nell'allegato tecnico.",
        "Art. 2 Corrispettivi e fatturazione",
        f"Il Cliente corrisponde un canone mensile di euro {money(it.net_cents)} oltre IVA, con fattura a 30 giorni.",
        "Art. 3 Durata",
        f"Il contratto decorre dal {in_words(it.issued_on)} e scade il {in_words(end)}.",
        "Art. 4 Foro competente",
        "Per ogni controversia è competente in via esclusiva il foro di Genova.",
    ]
    y = 100.0
    for part in parts:
        y = paper.paragraph(52, y, part, 490) + 6
    paper.text(52, y + 16, f"Genova, {it.issued_on.strftime('%d/%m/%Y')}")
    paper.row(y + 50, [(52, "Il Fornitore"), (360, "Il Cliente")])
    return (
        "contratto",
        paper.pdf(),
        held_out.truth(it) | {"issued_on": it.issued_on.isoformat(), "due_on": end.isoformat()},
    )


def engagement(rng: Random) -> Drawn:
    it = held_out.invoice(rng)
    paper = Paper("sans", 10.5)
    paper.text(52, 60, it.customer.name, size=13, bold=True)
    paper.lines(52, 76, [it.customer.street, it.customer.town])
    paper.text(52, 130, "LETTERA DI INCARICO PROFESSIONALE", size=13, bold=True)
    end = it.issued_on + timedelta(days=180)
    text = (
        f"Il sottoscritto committente {it.customer.name} conferisce a {it.supplier.name}, P.IVA "
        f"{it.supplier.vat_number}, che accetta, l'incarico professionale alle condizioni che seguono."
    )
    parts = [
        text,
        "1. Prestazioni",
        "Assistenza contabile, dichiarazioni e adempimenti periodici.",
        "2. Compenso",
        f"Il compenso annuo è di € {money(it.net_cents)} oltre IVA e cassa, pagato su fattura trimestrale.",
        "3. Durata",
        f"L'incarico termina il {end.strftime('%d/%m/%Y')} salvo recesso di una delle parti.",
    ]
    y = 160.0
    for part in parts:
        y = paper.paragraph(52, y, part, 480) + 8
    paper.text(52, y + 20, f"Perugia, lì {it.issued_on.strftime('%d/%m/%Y')}")
    paper.text(52, y + 40, "Letto, approvato e sottoscritto")
    return (
        "contratto",
        paper.pdf(),
        held_out.truth(it) | {"issued_on": it.issued_on.isoformat(), "due_on": end.isoformat()},
    )


def _f24_sections(paper: Paper, y: float, codes: tuple[tuple[str, str, int], ...], year: int) -> float:
    for section, code, cents in codes:
        paper.text(52, y, f"SEZIONE {section}", bold=True)
        paper.row(
            y + 12,
            [
                (60, "codice tributo"),
                (160, "rateazione"),
                (260, "anno"),
                (-420, "importi a debito"),
                (-RIGHT, "importi a credito"),
            ],
        )
        paper.row(y + 25, [(60, code), (160, "0101"), (260, str(year)), (-420, money(cents)), (-RIGHT, "0,00")])
        y += 48
    return y


def f24_bank(rng: Random) -> Drawn:
    """As a bank prints what it has paid."""
    who, day = facts.person(rng), held_out.invoice(rng).issued_on
    one, two = rng.randrange(5_000, 250_000), rng.randrange(5_000, 90_000)
    paper = Paper("vera", 8)
    paper.text(52, 56, "Modello F24 - Agenzia delle Entrate", size=12, bold=True)
    paper.text(52, 72, "Modello di pagamento unificato - copia per il soggetto che effettua il versamento")
    paper.row(98, [(52, "Codice fiscale"), (140, who.tax_code), (330, "Contribuente"), (400, who.name.upper())])
    y = _f24_sections(paper, 125, (("ERARIO", "1792", one), ("INPS", "CXX", two)), day.year)
    paper.row(y + 10, [(300, "SALDO FINALE EURO"), (-RIGHT, money(one + two))], bold=True)
    paper.row(y + 34, [(52, "Data versamento"), (150, day.strftime("%d/%m/%Y")), (300, "Addebito su conto corrente")])
    return "f24", paper.pdf(), {"tax_code": who.tax_code, "total": str(one + two), "due_on": day.isoformat()}


def carriage(rng: Random) -> Drawn:
    """Draw a delivery note with prices."""
    it = held_out.invoice(rng)
    paper = Paper("mono", 8)
    paper.text(52, 58, it.supplier.name, size=12, bold=True)
    paper.lines(52, 72, [it.supplier.street, it.supplier.town, f"P.IVA {it.supplier.vat_number}"])
    paper.lines(330, 72, ["Spett.le", it.customer.name, it.customer.town])
    paper.text(52, 130, f"DDT n. {it.number} del {it.issued_on.strftime('%d/%m/%Y')}", size=12, bold=True)
    paper.row(160, [(52, "Descrizione"), (-380, "Q.tà"), (-460, "Prezzo"), (-RIGHT, "Importo")])
    y = 160.0
    for item in it.items:
        y += 14
        paper.row(
            y,
            [(52, item.text), (-380, str(item.quantity)), (-460, money(item.price_cents)), (-RIGHT, money(item.cents))],
        )
    paper.row(y + 30, [(360, "Totale merce"), (-RIGHT, money(it.goods_cents))])
    paper.lines(
        52,
        y + 60,
        ["Causale trasporto: vendita", "N. colli 2  Vettore: mittente", "Firma destinatario", "Seguirà fattura"],
    )
    return "altro", paper.pdf(), {}


def overdue(rng: Random) -> Drawn:
    """Draw a reminder with an invoice, a sum and an account."""
    it = held_out.invoice(rng)
    paper = Paper("sans", 10)
    paper.text(52, 60, it.supplier.name, size=14, bold=True)
    paper.text(52, 76, f"{it.supplier.street}, {it.supplier.town} - P.IVA {it.supplier.vat_number}", size=8)
    paper.lines(340, 110, ["Spett.le", it.customer.name, it.customer.town])
    paper.text(
        52,
        190,
        rng.choice(("Oggetto: sollecito di pagamento", "SOLLECITO DI PAGAMENTO", "Secondo sollecito")),
        bold=True,
    )
    text = (
        f"Dai nostri controlli contabili risulta non ancora pagata la fattura n. {it.number} del "
        f"{it.issued_on.strftime('%d/%m/%Y')}, scaduta il {it.due_on.strftime('%d/%m/%Y')}, per il totale di euro "
        f"{money(it.total_cents)}. Vi preghiamo di provvedere con bonifico entro 7 giorni."
    )
    y = paper.paragraph(52, 220, text, 480)
    paper.row(y + 16, [(52, "Totale fattura"), (-300, money(it.total_cents))])
    paper.lines(52, y + 44, [f"IBAN {spaced(it.iban)}", "Restando a disposizione porgiamo cordiali saluti"])
    return "altro", paper.pdf(), {}


def proforma_note(rng: Random) -> Drawn:
    it = held_out.invoice(rng)
    paper = Paper("vera", 9)
    paper.text(52, 60, it.supplier.name, size=14, bold=True)
    paper.text(52, 76, f"{it.supplier.town} P.IVA {it.supplier.vat_number}")
    paper.lines(340, 100, ["Cliente", it.customer.name, it.customer.town])
    title = rng.choice(("Avviso di fattura", "FATTURA PROFORMA", "Pro-forma"))
    paper.text(52, 170, f"{title} n. {it.number} del {it.issued_on.strftime('%d/%m/%Y')}", size=12, bold=True)
    y = 200.0
    for label, cents in (("Imponibile", it.net_cents), ("IVA 22%", it.vat_cents), ("Totale", it.total_cents)):
        paper.row(y, [(330, label), (-RIGHT, money(cents))])
        y += 18
    paper.lines(52, y + 20, [f"IBAN {spaced(it.iban)}", "La fattura sarà emessa al ricevimento del pagamento."])
    return "altro", paper.pdf(), {}


def order(rng: Random) -> Drawn:
    """Draw an order confirmation with sums, days and an account, but no debt yet."""
    it = held_out.invoice(rng)
    paper = Paper("sans", 9)
    paper.text(52, 60, it.supplier.name, size=14, bold=True)
    paper.text(52, 76, f"{it.supplier.town} P.IVA {it.supplier.vat_number}")
    paper.lines(340, 100, ["Cliente", it.customer.name, it.customer.town])
    title = rng.choice(("CONFERMA D'ORDINE", "Ordine di acquisto", "CONFERMA ORDINE"))
    paper.text(52, 170, f"{title} n. {it.number} del {it.issued_on.strftime('%d/%m/%Y')}", size=12, bold=True)
    y = 200.0
    for item in it.items:
        paper.row(y, [(52, item.text), (-400, str(item.quantity)), (-RIGHT, money(item.cents))])
        y += 15
    for label, cents in (("Imponibile", it.net_cents), ("IVA 22%", it.vat_cents), ("Totale ordine", it.total_cents)):
        paper.row(y, [(330, label), (-RIGHT, money(cents))])
        y += 18
    paper.text(52, y + 20, f"Consegna prevista {it.due_on.strftime('%d/%m/%Y')}. Pagamento bonifico {spaced(it.iban)}")
    return "altro", paper.pdf(), {}


LAYOUTS: dict[str, Callable[[Random], Drawn]] = {
    "quote_letter": quote_letter,
    "quote_works": quote_works,
    "contract_services": contract_services,
    "engagement": engagement,
    "f24_bank": f24_bank,
    "carriage": carriage,
    "overdue": overdue,
    "proforma_note": proforma_note,
    "order": order,
}
