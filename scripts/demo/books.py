"""The invoices of the demo account: what was issued and received in fourteen months, and when it was paid."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

OWNER_NAME, OWNER_VAT, OWNER_TAX_CODE = "Giulia Ferri", "09000018888", "FRRGLI90C52A944W"
# An account of examples: its digits are right, and it is nobody's.
OWNER_IBAN = "IT60X0542811101000000123456"
VAT_PERCENT = 22
DUE_DAYS = 30


@dataclass(frozen=True)
class Line:
    """A line of an invoice."""

    text: str
    cents: int


@dataclass(frozen=True)
class Invoice:
    """An invoice from or to a company; `paid_after` days from its issue, None: it is open."""

    age: int
    company: str
    lines: tuple[Line, ...]
    paid_after: int | None
    is_issued: bool

    @property
    def net_cents(self) -> int:
        """Return the taxable amount."""
        return sum(each.cents for each in self.lines)

    @property
    def vat_cents(self) -> int:
        """Return the VAT, rounded half up: the regime forfettario has none."""
        return 0 if self.is_issued else (self.net_cents * VAT_PERCENT + 50) // 100

    @property
    def total_cents(self) -> int:
        """Return the total of the document."""
        return self.net_cents + self.vat_cents

    def issued_on(self, today: date) -> date:
        """Return the date of the document."""
        return _workday(today - timedelta(days=self.age))

    def due_on(self, today: date) -> date:
        """Return the day by which it is to be paid."""
        return self.issued_on(today) + timedelta(days=DUE_DAYS)

    def paid_on(self, today: date) -> date | None:
        """Return the day of payment."""
        if self.paid_after is None:
            return None
        return _workday(self.issued_on(today) + timedelta(days=self.paid_after))


def _workday(day: date) -> date:
    """Return the day, or the Friday before a weekend."""
    return day - timedelta(days=max(0, day.weekday() - 4))


def numbers(today: date) -> list[str]:
    """Return the numbers of all invoices: issued ones by year, received ones as their supplier counts."""
    counts: dict[tuple[str, int], int] = {}
    found = []
    for each in ALL:
        issuer, year = "" if each.is_issued else each.company, each.issued_on(today).year
        counts[issuer, year] = counts.get((issuer, year), 0) + 1
        count = counts[issuer, year]
        found.append(f"{count}/{year}" if each.is_issued else f"{issuer.split()[1][:3].upper()}{count * 7 + 34}/{year}")
    return found


# Days ago | company | lines with their euros | paid after so many days (x: open). Edilizia Solida always pays late.
_ISSUED = """
420 | Studio Dentistico Sorriso | Logo e immagine coordinata 1150 | 26
413 | Hotel Bellavista | Fotografie delle camere 780; Ritocco 140 | 30
406 | Officina Meccanica Reno | Depliant per la fiera 620 | 21
399 | Trattoria da Nino | Menù d'autunno 340; Impaginazione della carta dei vini 95 | 18
392 | Cantina Poggio Alto | Etichetta riserva 890 | 28
385 | Libreria Il Segnalibro | Locandine degli incontri 220 | 12
378 | Edilizia Solida | Cartelli di cantiere 760 | 71
371 | Ceramiche Terra Blu | Fotografie del catalogo: acconto 650 | 25
364 | Panificio Antico Forno | Sacchetto per il pane 480 | 22
357 | Immobiliare Casa Mia | Volantini delle vendite 310.50 | 33
350 | Farmacia del Corso | Vetrofanie 410 | 27
343 | Hotel Bellavista | Brochure invernale 980 | 29
336 | Scuola di Lingue Babele | Manifesti delle iscrizioni 560; Adattamento per i social 120 | 24
329 | Palestra Movimento | Campagna iscrizioni 890 | 31
322 | Studio Legale Portici | Biglietti da visita 260 | 15
315 | Erboristeria Verde Vivo | Etichette delle tisane 740 | 20
308 | Agriturismo La Quercia | Mappa dei sentieri 470 | 28
301 | Edilizia Solida | Sito vetrina per cantieri 1450 | 68
294 | Cantina Poggio Alto | Scatola regalo: progetto grafico 690 | 27
287 | Falegnameria Noce | Insegna in legno: progetto 380 | 19
280 | Studio Dentistico Sorriso | Pieghevole per i pazienti 320 | 30
273 | Trattoria da Nino | Menù d'inverno 340 | 16
266 | Hotel Bellavista | Sito: pagina degli eventi 860 | 30
259 | Ceramiche Terra Blu | Catalogo: impaginazione 1300 | 26
252 | Libreria Il Segnalibro | Segnalibri illustrati 185 | 11
245 | Officina Meccanica Reno | Manuale illustrato 1240 | 23
238 | Asilo Nido Girotondo | Laboratorio di disegno 240 | 14
231 | Farmacia del Corso | Locandine della prevenzione 290 | 27
224 | Panificio Antico Forno | Scatole delle colombe 560 | 21
217 | Edilizia Solida | Brochure aziendale 980 | 74
210 | Agriturismo La Quercia | Servizio fotografico 720 | 29
203 | Scuola di Lingue Babele | Attestati e copertine 275 | 24
196 | Cantina Poggio Alto | Listino per l'estero 640 | 28
189 | Palestra Movimento | Planimetria dei corsi 150 | 34
182 | Ceramiche Terra Blu | Catalogo: saldo 650 | 26
175 | Hotel Bellavista | Menù del ristorante 520; Segnaposto 95.50 | 30
168 | Erboristeria Verde Vivo | Espositore da banco 430 | 20
161 | Trattoria da Nino | Menù d'estate 340; Stampa adesivi 88.40 | 17
154 | Studio Legale Portici | Presentazione dello studio 590 | 15
147 | Immobiliare Casa Mia | Cartelli «Vendesi» 275 | 33
140 | Edilizia Solida | Grafica per i furgoni 870 | 66
133 | Falegnameria Noce | Catalogo delle cucine 940 | 19
126 | Libreria Il Segnalibro | Manifesto della rassegna 350 | 12
119 | Officina Meccanica Reno | Adesivi e vetrofanie 280 | 22
112 | Cantina Poggio Alto | Etichette: prima bozza 750 | 27
105 | Farmacia del Corso | Calendario della salute 480 | 28
98 | Studio Dentistico Sorriso | Sito: pagina dell'équipe 540 | 30
91 | Hotel Bellavista | Identità dell'hotel: acconto 1350 | 29
84 | Panificio Antico Forno | Vetrina d'autunno 390 | 21
77 | Agriturismo La Quercia | Stagione dell'agriturismo: acconto 900 | 28
70 | Scuola di Lingue Babele | Pieghevole dei corsi 420 | 24
63 | Edilizia Solida | Stand per la fiera 1480 | x
56 | Libreria Il Segnalibro | Vetrina: progetto 450 | 12
49 | Studio Dentistico Sorriso | Cartoline degli appuntamenti 640 | x
42 | Trattoria da Nino | Menù d'autunno 340; Tovagliette 45.50 | x
35 | Agriturismo La Quercia | Stagione dell'agriturismo: saldo 900 | 27
28 | Hotel Bellavista | Identità dell'hotel: secondo acconto 1350 | x
21 | Cantina Poggio Alto | Etichette della nuova annata: acconto 960 | x
14 | Erboristeria Verde Vivo | Etichette di Natale 380 | 9
7 | Officina Meccanica Reno | Biglietto d'auguri 165 | x
"""
_RECEIVED = """
410 | Coworking Portico Nove | Postazione e sala riunioni 180 | 10
395 | Tipografia Inchiostro Vivo | Stampa depliant 310 | 28
380 | Coworking Portico Nove | Postazione e sala riunioni 180 | 10
370 | Studio Contabile Emilia | Contabilità del trimestre 150 | 20
360 | Hosting Nuvola Chiara | Spazio web e domini, un anno 96.50 | 2
350 | Coworking Portico Nove | Postazione e sala riunioni 180 | 10
330 | Tipografia Inchiostro Vivo | Stampa locandine 128.40 | 27
320 | Coworking Portico Nove | Postazione e sala riunioni 180 | 10
300 | Corriere Lampo | Consegne del mese 42.30 | 5
290 | Coworking Portico Nove | Postazione e sala riunioni 180 | 10
280 | Studio Contabile Emilia | Contabilità del trimestre 150 | 20
270 | Tipografia Inchiostro Vivo | Stampa menù 210 | 28
260 | Coworking Portico Nove | Postazione e sala riunioni 180 | 10
230 | Coworking Portico Nove | Postazione e sala riunioni 180 | 10
205 | Tipografia Inchiostro Vivo | Stampa catalogo 640 | 29
200 | Coworking Portico Nove | Postazione e sala riunioni 180 | 10
190 | Studio Contabile Emilia | Contabilità del trimestre 150 | 20
180 | Hosting Nuvola Chiara | Posta elettronica, sei mesi 36 | 2
170 | Coworking Portico Nove | Postazione e sala riunioni 180 | 10
150 | Tipografia Inchiostro Vivo | Stampa adesivi 94.60 | 26
140 | Coworking Portico Nove | Postazione e sala riunioni 180 | 10
110 | Coworking Portico Nove | Postazione e sala riunioni 180 | 10
100 | Studio Contabile Emilia | Contabilità del trimestre 150 | 20
85 | Tipografia Inchiostro Vivo | Stampa manifesti 175 | 28
80 | Coworking Portico Nove | Postazione e sala riunioni 180 | 10
55 | Corriere Lampo | Consegne del mese 38.70 | 5
50 | Coworking Portico Nove | Postazione e sala riunioni 180 | 10
25 | Tipografia Inchiostro Vivo | Stampa pannelli 268 | x
20 | Coworking Portico Nove | Postazione e sala riunioni 180 | x
12 | Hosting Nuvola Chiara | Spazio web e domini, un anno 99 | 3
"""


def _line(text: str) -> Line:
    name, _, euros = text.strip().rpartition(" ")
    return Line(name, round(float(euros) * 100))


def _invoices(table: str, *, is_issued: bool) -> tuple[Invoice, ...]:
    found = []
    for row in table.strip().splitlines():
        age, company, lines, paid = (cell.strip() for cell in row.split("|"))
        parts = tuple(_line(each) for each in lines.split(";"))
        found.append(Invoice(int(age), company, parts, None if paid == "x" else int(paid), is_issued))
    return tuple(found)


ISSUED = _invoices(_ISSUED, is_issued=True)
RECEIVED = _invoices(_RECEIVED, is_issued=False)
ALL = (*ISSUED, *RECEIVED)
