"""Documents that are no invoices, and papers that look like something they are not; `LAYOUTS` went into the making of
the rules."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from random import Random

from tests.functions.extraction import sample_facts as facts
from tests.functions.extraction.sample_facts import money
from tests.functions.extraction.sample_paper import WIDTH, Paper

# The kind, the bytes, the fields that must be found.
Drawn = tuple[str, bytes, dict[str, str]]
RIGHT = WIDTH - 45


def quote(rng: Random) -> Drawn:
    it = facts.invoice(rng)
    paper = Paper(size=10)
    paper.text(45, 60, it.supplier.name, size=16, bold=True)
    paper.lines(45, 78, [it.supplier.street, it.supplier.town, f"P.IVA {it.supplier.vat_number}"])
    paper.lines(330, 120, ["Spett.le", it.customer.name, it.customer.street, it.customer.town])
    day = it.issued_on.strftime("%d/%m/%Y")
    paper.text(45, 210, f"PREVENTIVO N. {it.number} del {day}", size=14, bold=True)
    paper.text(45, 235, "Come da Vostra richiesta, Vi proponiamo la nostra migliore offerta per i seguenti lavori:")
    y = 260.0
    for item in it.items:
        paper.row(y, [(45, item.text), (-RIGHT, f"€ {money(item.cents)}")])
        y += 18
    for label, cents in (
        ("Imponibile", it.net_cents),
        ("IVA 22%", it.vat_cents),
        ("Totale preventivo", it.total_cents),
    ):
        y += 18
        paper.row(y, [(350, label), (-RIGHT, f"€ {money(cents)}")])
    paper.text(45, y + 50, f"Offerta valida fino al {it.due_on.strftime('%d/%m/%Y')}. Seguirà regolare fattura.")
    paper.text(45, y + 90, "Per accettazione ______________________")
    truth = {"number": it.number, "issued_on": it.issued_on.isoformat(), "total": str(it.total_cents)}
    return "preventivo", paper.pdf(), truth | {"due_on": it.due_on.isoformat(), "vat_number": it.supplier.vat_number}


def contract(rng: Random) -> Drawn:
    """A contract that speaks of invoices all the time."""
    it = facts.invoice(rng)
    paper = Paper("serif", 11)
    paper.text(WIDTH / 2, 70, "CONTRATTO DI PRESTAZIONE D'OPERA INTELLETTUALE", size=14, bold=True, align="centre")
    one, other = it.supplier, it.customer
    end = it.issued_on + timedelta(days=365)
    price = (
        "Art. 2 - Corrispettivo. Per le prestazioni è dovuto un compenso di € 12.000,00 oltre IVA. Il Prestatore "
        "emette fattura ogni mese; la fattura è pagata entro 30 giorni dalla data della fattura. Le fatture sono "
        "trasmesse in formato elettronico. In caso di ritardo sulla singola fattura decorrono gli interessi."
    )
    parts = [
        f"Tra {other.name}, con sede in {other.town}, {other.street}, P.IVA {other.vat_number}, detto «Committente»",
        f"e {one.name}, con sede in {one.town}, {one.street}, P.IVA {one.vat_number}, detto «Prestatore»,",
        "si conviene e si stipula quanto segue.",
        "Art. 1 - Oggetto. Il Committente affida al Prestatore l'attività di consulenza descritta nell'allegato A.",
        price,
        f"Art. 3 - Durata. Decorre dal {facts.in_words(it.issued_on)} e scade il {facts.in_words(end)}, senza rinnovo.",
        "Art. 4 - Recesso. Ciascuna delle parti può recedere con preavviso di 60 giorni.",
        "Art. 5 - Foro competente. Per ogni controversia è competente il foro di Milano.",
    ]
    y = 110.0
    for part in parts:
        y = paper.paragraph(60, y, part, 470) + 8
    paper.text(60, y + 20, f"Milano, {facts.in_words(it.issued_on)}")
    paper.row(y + 60, [(60, "Il Committente"), (380, "Il Prestatore")])
    truth = {"issued_on": it.issued_on.isoformat(), "due_on": end.isoformat()}
    return "contratto", paper.pdf(), truth | {"supplier": one.name, "customer": other.name}


def till_receipt(rng: Random) -> Drawn:
    it = facts.invoice(rng)
    paper = Paper("mono", 11)
    middle = WIDTH / 2
    paper.lines(middle, 70, [it.supplier.name.upper(), it.supplier.street, it.supplier.town], align="centre")
    paper.text(middle, 116, f"P.IVA {it.supplier.vat_number}", align="centre")
    paper.lines(middle, 145, ["DOCUMENTO COMMERCIALE", "di vendita o prestazione"], align="centre")
    y = 190.0
    for item in it.items:
        paper.row(y, [(150, item.text[:22].upper()), (390, "22%"), (-460, money(item.cents))])
        y += 16
    paper.row(y + 10, [(150, "TOTALE COMPLESSIVO"), (-460, money(it.goods_cents))], bold=True)
    paper.row(y + 26, [(150, "di cui IVA"), (-460, money(it.goods_cents * 22 // 122))])
    paper.row(y + 50, [(150, "Pagamento elettronico"), (-460, money(it.goods_cents))])
    day = it.issued_on.strftime("%d-%m-%Y")
    paper.lines(150, y + 90, [f"{day} 14:32", "DOCUMENTO N. 0231-0044", "RT 96SRT001234"])
    truth = {"issued_on": it.issued_on.isoformat(), "total": str(it.goods_cents)}
    return "ricevuta", paper.pdf(), truth | {"vat_number": it.supplier.vat_number}


def f24(rng: Random) -> Drawn:
    who, day = facts.person(rng), facts.invoice(rng).issued_on
    sums = [rng.randrange(5_000, 200_000) for _ in range(3)]
    paper = Paper(size=8)
    paper.text(45, 50, "MODELLO DI PAGAMENTO UNIFICATO", size=12, bold=True)
    paper.text(480, 50, "Mod. F24", size=12, bold=True)
    paper.text(45, 66, "DELEGA IRREVOCABILE A: BANCA DI ESEMPIO")
    paper.text(45, 90, "CONTRIBUENTE", bold=True)
    paper.row(106, [(45, "CODICE FISCALE"), (150, who.tax_code)])
    first, last = who.name.split(" ", 1)
    paper.row(120, [(45, "DATI ANAGRAFICI"), (150, last.upper()), (300, first.upper())])
    paper.text(45, 150, "SEZIONE ERARIO", bold=True)
    paper.row(163, [(45, "codice tributo"), (150, "anno di riferimento"), (-380, "importi a debito versati")])
    y = 163.0
    for code, cents in zip(("1040", "4001", "6099"), sums, strict=True):
        y += 14
        paper.row(y, [(45, code), (150, str(day.year)), (-380, money(cents))])
    paper.row(y + 18, [(45, "TOTALE A"), (-380, money(sum(sums)))])
    paper.row(y + 80, [(45, "SEZIONE INPS"), (200, "SEZIONE REGIONI")], bold=True)
    paper.row(700, [(330, "SALDO FINALE"), (430, "EURO +"), (-RIGHT, money(sum(sums)))], bold=True)
    paper.text(45, 730, "ESTREMI DEL VERSAMENTO", bold=True)
    paper.row(745, [(45, "DATA"), (90, day.strftime("%d/%m/%Y")), (200, "CODICE BANCA/POSTE/AGENTE DELLA RISCOSSIONE")])
    truth = {"tax_code": who.tax_code, "total": str(sum(sums)), "due_on": day.isoformat()}
    return "f24", paper.pdf(), truth


def durc(rng: Random) -> Drawn:
    who, day = facts.company(rng), facts.invoice(rng).issued_on
    end = day + timedelta(days=120)
    paper = Paper(size=10)
    paper.text(WIDTH / 2, 70, "Durc On Line", size=16, bold=True, align="centre")
    paper.row(110, [(60, "Numero Protocollo"), (170, f"INAIL_{rng.randrange(10**7, 10**8)}")])
    paper.row(
        125,
        [
            (60, "Data richiesta"),
            (140, day.strftime("%d/%m/%Y")),
            (300, "Scadenza validità"),
            (400, end.strftime("%d/%m/%Y")),
        ],
    )
    paper.row(160, [(60, "Denominazione/ragione sociale"), (230, who.name)])
    paper.row(176, [(60, "Codice fiscale"), (230, who.tax_code)])
    paper.row(192, [(60, "Sede legale"), (230, f"{who.street} {who.town}")])
    text = (
        "Con il presente Documento si dichiara che il soggetto sopra identificato RISULTA REGOLARE nei confronti di "
        "I.N.P.S. e I.N.A.I.L. Il Documento ha validità di 120 giorni dalla data della richiesta."
    )
    paper.paragraph(60, 230, text, 470)
    truth = {"issued_on": day.isoformat(), "due_on": end.isoformat(), "tax_code": who.tax_code}
    return "durc", paper.pdf(), truth


def chamber(rng: Random) -> Drawn:
    who, day = facts.company(rng), facts.invoice(rng).issued_on
    paper = Paper(size=10)
    paper.text(60, 60, "Camera di Commercio Industria Artigianato e Agricoltura di MILANO", bold=True)
    paper.text(60, 80, "Registro Imprese - Archivio ufficiale della CCIAA")
    paper.text(60, 110, "VISURA ORDINARIA SOCIETÀ DI CAPITALE", size=13, bold=True)
    paper.text(60, 140, who.name.upper(), size=13, bold=True)
    rows = [
        ("Indirizzo Sede legale", f"{who.town} {who.street}".upper()),
        ("Domicilio digitale/PEC", who.email),
        ("Numero REA", "MI - 2041133"),
        ("Codice fiscale e n.iscr. al Registro Imprese", who.tax_code),
        ("Partita IVA", who.vat_number),
        ("Forma giuridica", "societa' a responsabilita' limitata"),
        ("Data atto di costituzione", "12/03/2009"),
        ("Capitale sociale", "10.000,00"),
    ]
    for place, (label, value) in enumerate(rows):
        paper.row(170 + place * 16, [(60, label), (300, value)])
    paper.text(60, 330, f"Documento n . T 482913341 estratto dal Registro Imprese in data {day.strftime('%d/%m/%Y')}")
    truth = {"supplier": who.name.upper(), "vat_number": who.vat_number, "issued_on": day.isoformat()}
    return "visura", paper.pdf(), truth


def identity_card(rng: Random) -> Drawn:
    who, day = facts.person(rng), facts.invoice(rng).issued_on
    end = day.replace(day=min(day.day, 28), year=day.year + 10)
    paper = Paper(size=11)
    paper.text(60, 60, "REPUBBLICA ITALIANA", bold=True)
    paper.text(60, 76, "MINISTERO DELL'INTERNO")
    paper.text(60, 96, "CARTA DI IDENTITÀ / IDENTITY CARD", bold=True)
    first, last = who.name.split(" ", 1)
    rows = ["COMUNE DI / MUNICIPALITY", "MILANO", "COGNOME / SURNAME", last.upper(), "NOME / NAME", first.upper()]
    rows += ["LUOGO E DATA DI NASCITA / PLACE AND DATE OF BIRTH", "MILANO (MI) 12.03.1981"]
    rows += ["SESSO / SEX   STATURA / HEIGHT   CITTADINANZA / NATIONALITY", "F   168   ITA"]
    rows += ["EMISSIONE / ISSUING   SCADENZA / EXPIRY"]
    y = paper.lines(60, 120, rows, step=15)
    paper.row(y, [(60, day.strftime("%d.%m.%Y")), (190, end.strftime("%d.%m.%Y"))])
    return "documento_identita", paper.pdf(), {"due_on": end.isoformat()}


def mail(rng: Random) -> Drawn:
    """A letter about a quote is no quote."""
    it = facts.invoice(rng)
    paper = Paper(size=10)
    head = [f"Da: {it.customer.email}", f"A: {it.supplier.email}", f"Inviato: {facts.in_words(it.issued_on)} 10:42"]
    y = paper.lines(50, 60, [*head, "Oggetto: Re: preventivo rifacimento sito"])
    text = (
        "Buongiorno, grazie per il preventivo che ci avete inviato la settimana scorsa. Ne parliamo martedì con la "
        "direzione e le faccio sapere. Il totale ci sembra alto: 3.450,00 euro più IVA. La fattura di settembre è "
        "stata pagata ieri con bonifico. Cordiali saluti"
    )
    paper.paragraph(50, y + 20, text, 480)
    return "altro", paper.pdf(), {}


def bank_statement(rng: Random) -> Drawn:
    it = facts.invoice(rng)
    paper = Paper(size=9)
    paper.text(45, 55, "BANCA DI ESEMPIO S.p.A.", size=14, bold=True)
    paper.text(45, 90, "ESTRATTO CONTO N. 3 AL 30/09/2026", size=12, bold=True)
    paper.text(45, 106, f"Conto corrente intestato a {it.customer.name} - IBAN {facts.spaced(it.iban)}")
    heads = [(45, "Data operazione"), (130, "Valuta"), (200, "Descrizione"), (-460, "Dare"), (-RIGHT, "Avere")]
    paper.row(140, heads, bold=True)
    paper.row(156, [(200, "SALDO INIZIALE AL 30/06/2026"), (-RIGHT, "4.120,55")])
    y = 156.0
    for place in range(12):
        y += 15
        what = rng.choice(("BONIFICO A FAVORE DI", "SALDO FATTURA", "PAGAMENTO POS", "COMMISSIONI BONIFICO"))
        cells = [(45, f"{place + 1:02d}/07/2026"), (130, f"{place + 2:02d}/07/2026"), (200, what)]
        paper.row(y, [*cells, (-460, money(rng.randrange(1_000, 90_000)))])
    paper.row(y + 20, [(200, "SALDO FINALE AL 30/09/2026"), (-RIGHT, "3.011,08")], bold=True)
    paper.text(45, y + 60, "Movimenti del conto - interessi creditori - imposta di bollo 8,55")
    return "altro", paper.pdf(), {}


def delivery_note(rng: Random) -> Drawn:
    it = facts.invoice(rng)
    paper = Paper(size=9)
    paper.text(45, 55, it.supplier.name, size=15, bold=True)
    paper.lines(45, 70, [it.supplier.street, it.supplier.town, f"P.IVA {it.supplier.vat_number}"])
    paper.text(45, 130, f"DOCUMENTO DI TRASPORTO (D.D.T.) N. {it.number}", size=13, bold=True)
    paper.text(45, 146, f"D.P.R. 472 del 14/08/1996 - Data {it.issued_on.strftime('%d/%m/%Y')}")
    paper.lines(330, 70, ["Destinatario", it.customer.name, it.customer.street, it.customer.town])
    paper.text(45, 170, "Causale del trasporto: vendita    Aspetto dei beni: scatole    Colli: 3    Porto: franco")
    y = 200.0
    for item in it.items:
        paper.row(y, [(45, item.text), (-450, str(item.quantity))])
        y += 16
    paper.row(700, [(45, "Vettore"), (200, "Firma conducente"), (380, "Firma destinatario")])
    paper.text(45, 740, "Segue fattura")
    return "altro", paper.pdf(), {}


def curriculum(rng: Random) -> Drawn:
    who = facts.person(rng)
    paper = Paper(size=10)
    paper.text(50, 60, "Curriculum Vitae", size=16, bold=True)
    y = paper.lines(50, 90, [who.name, f"{who.street}, {who.town}", who.email, "Data di nascita 12/03/1985"])
    paper.text(50, y + 10, "ESPERIENZA LAVORATIVA", bold=True)
    rows = ["2019-2026 Impiegata amministrativa", "Registrazione fatture, preventivi e contratti; F24 e bilanci"]
    y = paper.lines(50, y + 28, rows)
    paper.text(50, y + 10, "ISTRUZIONE E FORMAZIONE", bold=True)
    y = paper.lines(50, y + 28, ["2004 Diploma di ragioneria", "Competenze linguistiche: inglese B2"])
    paper.text(50, y + 10, "Autorizzo il trattamento dei dati personali ai sensi del Regolamento UE 2016/679")
    return "altro", paper.pdf(), {}


def proforma(rng: Random) -> Drawn:
    """A pro forma invoice is no fiscal document."""
    it = facts.invoice(rng)
    paper = Paper(size=10)
    paper.text(45, 60, it.supplier.name, size=16, bold=True)
    paper.lines(45, 78, [it.supplier.street, it.supplier.town, f"P.IVA {it.supplier.vat_number}"])
    paper.lines(330, 120, ["Spett.le", it.customer.name, it.customer.street, it.customer.town])
    paper.text(45, 210, f"FATTURA PRO FORMA n. {it.number} del {it.issued_on.strftime('%d/%m/%Y')}", size=13, bold=True)
    y = 240.0
    for label, cents in (("Imponibile", it.net_cents), ("IVA 22%", it.vat_cents), ("Totale", it.total_cents)):
        paper.row(y, [(350, label), (-RIGHT, f"€ {money(cents)}")])
        y += 18
    paper.text(45, y + 40, "Il presente documento non costituisce fattura ai sensi dell'art. 21 DPR 633/72.")
    return "altro", paper.pdf(), {}


LAYOUTS: dict[str, Callable[[Random], Drawn]] = {
    "quote": quote,
    "contract": contract,
    "till_receipt": till_receipt,
    "f24": f24,
    "durc": durc,
    "chamber": chamber,
    "identity_card": identity_card,
    "mail": mail,
    "bank_statement": bank_statement,
    "delivery_note": delivery_note,
    "curriculum": curriculum,
    "proforma": proforma,
}
