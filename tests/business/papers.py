"""The papers of the made-up business: invoices with their payments, bills, contracts and quotes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

VAT_PERCENT = 22
WITHHELD_PERCENT = 20
MONTHS = (
    "gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto", "settembre", "ottobre",
    "novembre", "dicembre",
)  # fmt: skip


@dataclass(frozen=True)
class Line:
    """A line of an invoice or of a quote."""

    text: str
    cents: int


@dataclass(frozen=True)
class Part:
    """A payment date: days from issuing to the due date and to the payment; None: no date, not paid."""

    cents: int
    due_after: int | None
    paid_after: int | None


@dataclass(frozen=True)
class Invoice:
    """An invoice that was issued (`is_issued`) or received, some days ago."""

    key: str
    is_issued: bool
    contact: str
    age: int
    lines: tuple[Line, ...]
    has_vat: bool = True
    is_credit: bool = False
    has_withholding: bool = False
    terms: tuple[tuple[int | None, int | None], ...] = ()

    @property
    def net_cents(self) -> int:
        """Return the taxable amount, as the file writes it."""
        return sum(each.cents for each in self.lines)

    @property
    def vat_cents(self) -> int:
        """Return the VAT, rounded half up."""
        return (self.net_cents * VAT_PERCENT + 50) // 100 if self.has_vat else 0

    @property
    def gross_cents(self) -> int:
        """Return the total of the document."""
        return self.net_cents + self.vat_cents

    @property
    def withheld_cents(self) -> int:
        """Return the tax that the customer withholds."""
        return (self.net_cents * WITHHELD_PERCENT + 50) // 100 if self.has_withholding else 0

    @property
    def parts(self) -> tuple[Part, ...]:
        """Split what is payable into equal parts; the last one takes the rest."""
        due = self.gross_cents - self.withheld_cents
        terms = self.terms or ((None, None),)
        share = due // len(terms)
        cents = [share] * (len(terms) - 1) + [due - share * (len(terms) - 1)]
        return tuple(Part(amount, *term) for amount, term in zip(cents, terms, strict=True))

    def issued_on(self, today: date) -> date:
        """Return the date of the document."""
        return today - timedelta(days=self.age)


def numbers(today: date) -> dict[str, str]:
    """Return the numbers: of issued invoices by year in the order of dates, of received ones their supplier's own."""
    found: dict[str, str] = {}
    counts: dict[int, int] = {}
    for each in sorted(ISSUED, key=lambda each: -each.age):
        year = each.issued_on(today).year
        counts[year] = counts.get(year, 0) + 1
        found[each.key] = f"{counts[year]}/{year}"
    for place, each in enumerate(RECEIVED):
        found[each.key] = f"{each.contact[:3].upper()}-{1041 + place * 7}"
    return found


# key | contact | days ago | lines | due after:paid after, one for each part (x: not paid, -: no date) | flags
_ISSUED = """
i01 | bianchi | 470 | Logo e immagine coordinata 1800 | 30:38 |
i02 | hotel | 452 | Sito vetrina 3400; Servizio fotografico 650 | 30:30 |
i03 | rossi_arr | 438 | Catalogo primavera 2100 | 30:74 |
i04 | officine | 421 | Depliant fiera 980; Trasporto pannelli 120 | 60:61 |
i05 | studio_conti | 410 | Biglietti da visita 260 | 30:21 | w
i06 | caffe | 399 | Menù stagionale 340; Stampa menù 185 | 30:33 |
i07 | cantina | 380 | Etichette riserva 1250 | 30:28 |
i08 | libreria | 372 | Locandine incontri 220 | 15:12 |
i09 | teatro | 355 | Manifesti stagione 1640; Stampa manifesti 420 | 60:88 |
i10 | verdi | 340 | Restyling del logo 1150 | 30:29 |
i11 | palestra | 325 | Campagna iscrizioni 890 | 30:47 |
i12 | farmacia | 310 | Vetrofanie 310; Montaggio vetrofanie 95 | 30:26 |
i13 | bianchi | 291 | Cartelli di cantiere 760 | 30:36 |
i14 | hotel | 274 | Brochure estate 1480 | 30:31 |
i15 | mario_r | 262 | Partecipazioni di nozze 380 | 0:2 |
i16 | zucchero | 250 | Scatole regalo: progetto grafico 690 | 30:40 |
i17 | rossi_arr | 236 | Volantini outlet 540; Trasporto volantini 65 | 30:81 |
i18 | edilizia | 221 | Sito vetrina per cantieri 2950 | 30:34,60:70 |
i19 | asilo | 208 | Laboratorio di disegno 480 | 30:19 | x
i20 | luce | 195 | Portfolio fotografico 1320 | 30:27 |
i21 | valentina | 183 | Logo per studio di yoga 520 | 15:15 |
i22 | meccanica | 170 | Manuale illustrato 1730 | 60:65 |
i23 | officine | 158 | Catalogo ricambi 2640 | 60:58 |
i24 | carossa | 146 | Cartina dei sentieri 470 | 30:22 |
i25 | verdi | 133 | Packaging conserve 1290 | 30:32 |
i26 | verdi | 128 | Storno parziale packaging conserve 190 | 0:27 | c
i27 | studio_conti | 117 | Carta intestata 415 | 30:18 | w
i28 | teatro | 104 | Programma di sala 870 | 60:95 |
i29 | rossi_arr | 96 | Listino cucine 1360 | 30:x |
i30 | legnami | 88 | Insegna in legno: progetto 745 | 30:45 |
i31 | caffe | 79 | Grafica della vetrina 610; Stampa adesivi 140 | 30:29,60:x |
i32 | giuseppe | 68 | Calendario di famiglia 155 | 30:x |
i33 | asilo | 59 | Corso di fumetto 620 | 30:24 | x
i34 | bianchi | 52 | Brochure aziendale 1450 | 30:x |
i35 | marco_n | 44 | Tesi impaginata 265 | -:x |
i36 | hotel | 37 | Sito: nuova sezione spa 1870 | 30:x |
i37 | officine | 26 | Fiera: pannelli 1980; Trasporto pannelli 150 | 60:x |
i38 | luce | 19 | Logo per mostra 560 | 30:x |
i39 | bianchi | 12 | Volantini open day 330 | 30:x |
i40 | daloisio | 5 | Menù degustazione 290 | 30:x |
"""
_RECEIVED = """
r01 | spazio | 430 | Postazione e sala riunioni 210 | 15:14 |
r02 | tipografia | 418 | Stampa depliant 640 | 30:30 |
r03 | pixelsoft | 395 | Abbonamento annuale software 690 | 0:0 |
r04 | energia | 360 | Energia elettrica dello studio 118 | 20:20 |
r05 | zanetti_st | 335 | Contabilità semestrale 600 | 30:25 |
r06 | tipografia | 318 | Stampa manifesti 390 | 30:33 |
r07 | linea | 300 | Internet e telefono 74 | 20:20 |
r08 | spazio | 280 | Postazione trimestre 630 | 15:15 |
r09 | cartiera | 255 | Carta uso mano 173 | 30:30 |
r10 | energia | 240 | Energia elettrica dello studio 131 | 20:20 |
r11 | corriere | 214 | Trasporto volantini 48 | 30:29 |
r12 | portici | 200 | Polizza professionale 420 | 0:1 | x
r13 | spazio | 188 | Postazione trimestre 630 | 15:16 |
r14 | tipografia | 165 | Stampa catalogo ricambi 1240 | 30:35 |
r15 | zanetti_st | 150 | Contabilità semestrale 600 | 30:30 |
r16 | linea | 139 | Internet e telefono 79 | 20:20 |
r17 | energia | 120 | Energia elettrica dello studio 96 | 20:21 |
r18 | corriere | 108 | Trasporto programmi di sala 57 | 30:30 |
r19 | spazio | 92 | Postazione trimestre 650 | 15:15 |
r20 | cartiera | 71 | Carta patinata 286 | 30:x |
r21 | pixelsoft | 48 | Caratteri tipografici 145 | 0:0 |
r22 | tipografia | 33 | Stampa adesivi e brochure 515 | 30:x |
r23 | linea | 17 | Internet e telefono 81 | 20:x |
r24 | corriere | 11 | Trasporto pannelli fiera 124 | 30:x |
r25 | energia | 7 | Energia elettrica dello studio 109 | 20:x |
"""


def _line(text: str) -> Line:
    words, _, euros = text.strip().rpartition(" ")
    return Line(words, int(euros) * 100)


def _term(text: str) -> tuple[int | None, int | None]:
    due, paid = text.split(":")
    return (None if due == "-" else int(due), None if paid == "x" else int(paid))


def _invoices(table: str, *, is_issued: bool) -> tuple[Invoice, ...]:
    found = []
    for row in table.strip().splitlines():
        key, contact, age, lines, terms, flags = (cell.strip() for cell in row.split("|"))
        found.append(
            Invoice(
                key=key,
                is_issued=is_issued,
                contact=contact,
                age=int(age),
                lines=tuple(_line(each) for each in lines.split(";")),
                has_vat="x" not in flags,
                is_credit="c" in flags,
                has_withholding="w" in flags,
                terms=tuple(_term(each) for each in terms.split(",")),
            )
        )
    return tuple(found)


ISSUED = _invoices(_ISSUED, is_issued=True)
RECEIVED = _invoices(_RECEIVED, is_issued=False)
INVOICES = {each.key: each for each in (*ISSUED, *RECEIVED)}


@dataclass(frozen=True)
class Paper:
    """A contract, quote, bill or certificate; days are from today, `fields` what the reading found."""

    key: str
    filename: str
    kind: str
    text: str
    contact: str | None = None
    issued_in: int | None = None
    due_in: int | None = None
    total_cents: int | None = None

    def written(self, today: date) -> str:
        """Return the text, with the due date in words."""
        if self.due_in is None:
            return self.text
        due = today + timedelta(days=self.due_in)
        return self.text.format(due=f"{due.day} {MONTHS[due.month - 1]} {due.year}")


# {due}: the due date in words.
PAPERS = {
    each.key: each
    for each in (
        Paper("c_bianchi", "contratto-bianchi.pdf", "contratto",
              "Contratto di assistenza grafica con Bianchi Costruzioni S.r.l. Canone mensile 250,00 euro. "
              "Il contratto scade il {due}. La disdetta va inviata con trenta giorni di preavviso via PEC.",
              "bianchi", -300, 65),
        Paper("c_hotel", "contratto-miramonti.pdf", "contratto",
              "Contratto di manutenzione del sito di Hotel Miramonti S.p.A. Durata annuale, scadenza {due}. "
              "In caso di ritardo è prevista una penale di 50,00 euro al giorno.", "hotel", -200, 165),
        Paper("c_spazio", "contratto-coworking.pdf", "contratto",
              "Contratto di postazione con Spazio Condiviso S.r.l. Scadenza: {due}. Deposito cauzionale 400,00 euro.",
              "spazio", -430, 25),
        Paper("c_pixelsoft", "licenza-pixelsoft.pdf", "contratto",
              "Licenza software Pixelsoft Italia S.r.l. La licenza scade il {due}. Rinnovo automatico.",
              "pixelsoft", -395, -30),
        Paper("c_portici", "polizza-portici.pdf", "contratto",
              "Polizza di responsabilità civile professionale n. 88123 di Assicurazioni Portici S.p.A. "
              "Massimale 500.000,00 euro, franchigia 300,00 euro. Scadenza {due}.", "portici", -200, 165),
        Paper("q_salvia", "preventivo-salvia.pdf", "preventivo",
              "Preventivo 3 per Erboristeria Salvia. Etichette tisane 540,00. Espositore da banco 230,00. Totale 770,00.",  # noqa: E501
              "salvia", -15, 15, 77_000),
        Paper("q_hotel", "preventivo-miramonti.pdf", "preventivo",
              "Preventivo 4 per Hotel Miramonti S.p.A. Segnaletica interna 2.300,00. Sopralluogo 150,00. Totale 2.450,00.",  # noqa: E501
              "hotel", -9, 21, 245_000),
        Paper("q_sofia", "preventivo-grandi.pdf", "preventivo",
              "Preventivo 5 per Sofia Grandi. Logo e biglietti 680,00. Totale 680,00.", "sofia", -6, 24, 68_000),
        Paper("q_teatro", "preventivo-navile.pdf", "preventivo",
              "Preventivo 2 per Teatro del Navile. Manifesti nuova stagione 1.700,00. Striscione 260,00. Totale 1.960,00.",  # noqa: E501
              "teatro", -40, -10, 196_000),
        Paper("b_treno", "biglietto-treno.pdf", "ricevuta", "Ricevuta biglietto treno Bologna Milano 58,00 euro",
              None, -45, None, 5_800),
        Paper("b_pranzo", "ricevuta-pranzo.jpg", "ricevuta", "Ricevuta Osteria del Sole pranzo di lavoro 46,50 euro",
              None, -22, None, 4_650),
        Paper("b_taxi", "taxi.png", "ricevuta", "Ricevuta corsa taxi stazione fiera 17,20 euro", None, -26, None, 1_720),  # noqa: E501
        Paper("b_hotel", "albergo-milano.pdf", "ricevuta", "Ricevuta Albergo Brera Milano una notte 112,00 euro",
              None, -46, None, 11_200),
        Paper("b_f24a", "f24-contributi.pdf", "f24", "Modello F24 contributi INPS gestione separata 845,00 euro",
              None, -85, -70, 84_500),
        Paper("b_f24b", "f24-iva.pdf", "f24", "Modello F24 IVA trimestrale 1.130,00 euro", None, -60, -55, 113_000),
        Paper("b_durc", "durc.pdf", "durc", "Documento unico di regolarità contributiva. Valido fino al {due}.",
              None, -50, 70),
        Paper("b_visura", "visura-camerale.pdf", "visura", "Visura camerale ordinaria di Bianchi Costruzioni S.r.l.",
              None, -140),
        Paper("b_ident", "carta-identita.jpg", "documento_identita", "Carta d'identità di Giulia Ferri scade {due}",
              None, -1500, 400),
        Paper("b_garanzia", "garanzia-monitor.jpg", "altro", "Garanzia monitor 27 pollici, due anni. Valida fino al {due}.",  # noqa: E501
              None, -370, 360),
    )
}  # fmt: skip
