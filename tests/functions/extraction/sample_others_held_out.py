"""Documents other than invoices that were written before the rules and that no rule was made with."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from random import Random

from tests.functions.extraction import sample_facts as facts
from tests.functions.extraction.sample_facts import money
from tests.functions.extraction.sample_others import Drawn
from tests.functions.extraction.sample_paper import WIDTH, Paper

RIGHT = WIDTH - 50


def offer(rng: Random) -> Drawn:
    it = facts.invoice(rng)
    paper = Paper("serif", 11)
    paper.text(RIGHT, 60, it.supplier.name, size=15, bold=True, align="right")
    paper.lines(
        RIGHT, 76, [it.supplier.street, it.supplier.town, f"Partita IVA {it.supplier.vat_number}"], align="right"
    )
    paper.lines(50, 130, ["Gentile cliente", it.customer.name, it.customer.town])
    paper.lines(50, 200, [f"Offerta economica nr. {it.number}", f"Data: {facts.in_words(it.issued_on)}"], bold=True)
    paper.text(
        50, 240, "con la presente siamo lieti di sottoporle la nostra offerta per le attività di seguito elencate."
    )
    y = 270.0
    for item in it.items:
        paper.row(y, [(50, item.text), (-RIGHT, f"{money(item.cents)} €")])
        y += 18
    paper.row(y + 10, [(300, "Totale IVA inclusa"), (-RIGHT, f"{money(it.total_cents)} €")], bold=True)
    paper.text(50, y + 50, f"Validità dell'offerta: {it.due_on.strftime('%d/%m/%Y')}")
    paper.text(50, y + 66, "Condizioni di fornitura: consegna in 30 giorni, pagamento 50% all'ordine.")
    truth = {"number": it.number, "issued_on": it.issued_on.isoformat(), "total": str(it.total_cents)}
    return "preventivo", paper.pdf(), truth | {"due_on": it.due_on.isoformat(), "vat_number": it.supplier.vat_number}


def lease(rng: Random) -> Drawn:
    one, other, day = facts.person(rng), facts.person(rng), facts.invoice(rng).issued_on
    end = day.replace(day=min(day.day, 28), year=day.year + 4)
    paper = Paper("serif", 11)
    paper.text(WIDTH / 2, 60, "CONTRATTO DI LOCAZIONE AD USO ABITATIVO", size=14, bold=True, align="centre")
    who = (
        f"Con la presente scrittura privata il sig. {one.name}, nato a Milano, C.F. {one.tax_code}, di seguito "
        f"denominato locatore, concede in locazione a {other.name}, C.F. {other.tax_code}, di seguito denominata "
        "conduttore, che accetta, l'unità immobiliare posta in Bologna, alle seguenti condizioni:"
    )
    length = f"dal {day.strftime('%d/%m/%Y')} al {end.strftime('%d/%m/%Y')}"
    parts = [
        who,
        f"1) DURATA: il contratto è stipulato per la durata di anni quattro, {length}.",
        "2) CANONE: il canone annuo è convenuto in euro 9.600,00 da corrispondere in rate mensili anticipate.",
        "3) DEPOSITO: il conduttore versa al locatore una somma di euro 1.600,00 a titolo di deposito cauzionale.",
        "4) Per quanto non previsto dal presente contratto le parti rinviano alle norme del codice civile.",
    ]
    y = 100.0
    for part in parts:
        y = paper.paragraph(55, y, part, 480) + 10
    paper.text(55, y + 20, f"Letto, approvato e sottoscritto. Bologna, lì {day.strftime('%d/%m/%Y')}")
    paper.row(y + 60, [(60, "Il locatore"), (380, "Il conduttore")])
    return "contratto", paper.pdf(), {"issued_on": day.isoformat(), "due_on": end.isoformat()}


def occasional(rng: Random) -> Drawn:
    """A receipt for occasional work."""
    who, it = facts.person(rng), facts.invoice(rng)
    gross = it.items[0].cents
    held = facts.percent(gross, 20)
    paper = Paper(size=11)
    paper.lines(50, 60, [who.name, who.street, who.town, f"Codice fiscale {who.tax_code}"])
    paper.lines(330, 130, ["Spett.le", it.customer.name, it.customer.town])
    paper.text(50, 220, f"Ricevuta n. {it.number} del {it.issued_on.strftime('%d/%m/%Y')}", bold=True)
    text = "Il sottoscritto dichiara di ricevere per prestazione di lavoro autonomo occasionale i seguenti importi:"
    paper.paragraph(50, 245, text, 480)
    rows = [("Compenso lordo", gross), ("Ritenuta d'acconto 20%", held), ("Netto corrisposto", gross - held)]
    for place, (label, cents) in enumerate(rows):
        paper.row(290 + place * 20, [(60, label), (-400, f"€ {money(cents)}")])
    paper.text(50, 400, "Operazione fuori campo IVA ai sensi dell'art. 5 DPR 633/72. Marca da bollo da 2,00 euro.")
    return "ricevuta", paper.pdf(), {"issued_on": it.issued_on.isoformat(), "total": str(gross)}


def f24_simple(rng: Random) -> Drawn:
    who, day = facts.person(rng), facts.invoice(rng).issued_on
    sums = [rng.randrange(5_000, 90_000) for _ in range(2)]
    paper = Paper(size=8)
    paper.text(45, 50, "F24 SEMPLIFICATO", size=13, bold=True)
    paper.text(250, 50, "Modello di pagamento unificato - Agenzia delle Entrate")
    paper.row(90, [(45, "Codice fiscale"), (140, who.tax_code), (330, "Data di nascita"), (420, "12/03/1981")])
    heads = [(45, "Sezione"), (100, "Cod. tributo"), (180, "Cod. ente"), (260, "Anno"), (-400, "Importi a debito")]
    paper.row(130, heads)
    for place, cents in enumerate(sums):
        y = 145.0 + place * 14
        paper.row(y, [(45, "EL"), (100, "3918"), (180, "F205"), (260, str(day.year)), (-400, money(cents))])
    paper.row(190, [(300, "SALDO FINALE"), (-480, money(sum(sums)))])
    paper.row(220, [(45, "Data del versamento"), (160, day.strftime("%d/%m/%Y"))])
    truth = {"tax_code": who.tax_code, "total": str(sum(sums)), "due_on": day.isoformat()}
    return "f24", paper.pdf(), truth


def durc_letter(rng: Random) -> Drawn:
    who, day = facts.company(rng), facts.invoice(rng).issued_on
    end = day + timedelta(days=120)
    paper = Paper("serif", 11)
    paper.text(50, 60, "DOCUMENTO UNICO DI REGOLARITÀ CONTRIBUTIVA", bold=True, size=13)
    paper.text(50, 90, f"Prot. INPS_{rng.randrange(10**7, 10**8)} richiesto in data {day.strftime('%d/%m/%Y')}")
    paper.text(50, 110, f"Impresa: {who.name} - Codice fiscale: {who.tax_code}")
    paper.paragraph(
        50, 140, "L'impresa risulta regolare con il versamento dei contributi e dei premi INPS, INAIL e CNCE.", 480
    )
    paper.text(50, 200, f"Valido fino al {end.strftime('%d/%m/%Y')}")
    truth = {"issued_on": day.isoformat(), "due_on": end.isoformat(), "tax_code": who.tax_code}
    return "durc", paper.pdf(), truth


def chamber_short(rng: Random) -> Drawn:
    """Of someone who works alone."""
    who, day = facts.person(rng), facts.invoice(rng).issued_on
    paper = Paper(size=10)
    paper.text(50, 55, "Visura di evasione - Impresa individuale", size=13, bold=True)
    paper.text(50, 75, f"Registro delle Imprese di Padova - Visura estratta il {day.strftime('%d/%m/%Y')}")
    rows = [
        f"Denominazione: {who.name.upper()}",
        f"Codice fiscale: {who.tax_code}",
        f"P. IVA: {who.vat_number}",
        "Numero Repertorio Economico Amministrativo: PD - 301221",
        "Attività prevalente: codice ATECO 74.10.10",
        "Stato attività: attiva",
    ]
    paper.lines(50, 110, rows, step=16)
    truth = {"supplier": who.name.upper(), "vat_number": who.vat_number, "issued_on": day.isoformat()}
    return "visura", paper.pdf(), truth


def licence(rng: Random) -> Drawn:
    who, day = facts.person(rng), facts.invoice(rng).issued_on
    end = day.replace(day=min(day.day, 28), year=day.year + 10)
    paper = Paper(size=12)
    paper.text(60, 60, "PATENTE DI GUIDA   REPUBBLICA ITALIANA", bold=True)
    first, last = who.name.upper().split(" ", 1)
    rows = [f"1. {last}", f"2. {first}", "3. 12/03/1981 MILANO (MI)", f"4a. {day.strftime('%d/%m/%Y')}   4c. MIT-UCO"]
    rows += [f"4b. {end.strftime('%d/%m/%Y')}", "5. U1A23B456C", "9. AM B"]
    paper.lines(60, 100, rows, step=20)
    return "documento_identita", paper.pdf(), {"due_on": end.isoformat()}


def passport(rng: Random) -> Drawn:
    who, day = facts.person(rng), facts.invoice(rng).issued_on
    end = day.replace(day=min(day.day, 28), year=day.year + 10)
    paper = Paper(size=11)
    paper.text(60, 60, "REPUBBLICA ITALIANA   PASSAPORTO / PASSPORT", bold=True)
    first, last = who.name.upper().split(" ", 1)
    rows = ["Cognome. Surname", last, "Nome. Given names", first, "Cittadinanza. Nationality", "ITALIANA"]
    rows += ["Data di nascita. Date of birth", "12 MAR/MAR 1981", "Data di rilascio. Date of issue"]
    rows += [day.strftime("%d/%m/%Y"), "Data di scadenza. Date of expiry", end.strftime("%d/%m/%Y")]
    paper.lines(60, 90, rows, step=16)
    return "documento_identita", paper.pdf(), {"due_on": end.isoformat()}


def reminder(rng: Random) -> Drawn:
    """A letter that asks for the money of invoices."""
    it = facts.invoice(rng)
    paper = Paper("serif", 11)
    paper.lines(330, 80, ["Spett.le", it.customer.name, it.customer.town])
    paper.text(50, 170, "Oggetto: sollecito di pagamento", bold=True)
    text = (
        f"Con la presente siamo a ricordarvi che la fattura n. {it.number} del {it.issued_on.strftime('%d/%m/%Y')} "
        f"di € {money(it.total_cents)}, scaduta il {it.due_on.strftime('%d/%m/%Y')}, non risulta pagata. Vi invitiamo "
        "a provvedere entro 10 giorni dal ricevimento della presente. Distinti saluti"
    )
    paper.paragraph(50, 200, text, 480)
    return "altro", paper.pdf(), {}


def minutes(rng: Random) -> Drawn:
    it = facts.invoice(rng)
    paper = Paper(size=11)
    paper.text(50, 60, "Verbale dell'assemblea dei soci", size=14, bold=True)
    text = (
        f"L'anno 2026 il giorno {facts.in_words(it.issued_on)} si è riunita l'assemblea di {it.supplier.name}. Si "
        "discute del contratto con il nuovo fornitore, del preventivo per il tetto. Il presidente illustra "
        "la visura e la ricevuta del deposito. L'assemblea approva all'unanimità."
    )
    paper.paragraph(50, 90, text, 480)
    return "altro", paper.pdf(), {}


def transport(rng: Random) -> Drawn:
    """A delivery note with other words."""
    it = facts.invoice(rng)
    paper = Paper("mono", 9)
    paper.lines(45, 55, [it.supplier.name.upper(), it.supplier.town, f"P.IVA {it.supplier.vat_number}"])
    paper.text(45, 120, f"DDT nr {it.number} del {it.issued_on.strftime('%d/%m/%Y')}", bold=True)
    paper.lines(45, 145, [f"Cessionario: {it.customer.name}", "Causale: c/lavorazione", "Trasporto a cura: mittente"])
    y = 200.0
    for item in it.items:
        paper.row(y, [(45, item.text), (-480, f"PZ {item.quantity}")])
        y += 14
    paper.text(45, 700, "N. colli 2  Peso kg 14,50  Data ritiro ________  Firma ____________")
    return "altro", paper.pdf(), {}


LAYOUTS: dict[str, Callable[[Random], Drawn]] = {
    "offer": offer,
    "lease": lease,
    "occasional": occasional,
    "f24_simple": f24_simple,
    "durc_letter": durc_letter,
    "chamber_short": chamber_short,
    "licence": licence,
    "passport": passport,
    "reminder": reminder,
    "minutes": minutes,
    "transport": transport,
}
