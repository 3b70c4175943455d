"""The other papers of the demo account: contracts, quotes, receipts and tax forms, drawn as PDF or as a scan."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from datetime import date, timedelta

from PIL import Image, ImageChops, ImageDraw, ImageFont
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from functions._shared.documents.words import SCALE, Page, Word
from scripts.demo import books

SCAN_SIZE, SCAN_DPI = (1240, 1754), 150
# Darker than the light falls on paper under a lamp.
SHADE, INK = 232, 40


@dataclass(frozen=True)
class Paper:
    """A paper of some days ago; `{day}`, `{due}` and `{year}` in its lines follow today."""

    filename: str
    kind: str
    age: int
    company: str | None
    lines: tuple[str, ...] = field(repr=False)
    due_in: int | None = None
    is_blurred: bool = False

    @property
    def is_scan(self) -> bool:
        """Whether it is a picture, whose words can only be recognised."""
        return self.filename.endswith(".jpg")

    def written(self, today: date) -> list[str]:
        """Return the lines with their days."""
        day, due = today - timedelta(days=self.age), today + timedelta(days=self.due_in or 0)
        return [each.format(day=f"{day:%d/%m/%Y}", due=f"{due:%d/%m/%Y}", year=day.year) for each in self.lines]


_US = ("Giulia Ferri, grafica e identità visiva", "Via del Pratello 40, 40122 Bologna", f"P.IVA {books.OWNER_VAT}", "")
_SIGNED = ("", "Letto, approvato e sottoscritto", "Bologna, {day}")


def _quote(number: int, client: str, work: str, euros: str, age: int) -> Paper:
    lines = (
        *_US, f"PREVENTIVO N. {number}/{{year}} del {{day}}", "", f"Spett.le {client}", "", work,
        f"Totale preventivo {euros} euro", "", "Offerta valida 30 giorni. Operazione in regime forfettario, senza IVA.",
        "Per accettazione: ______________",
    )  # fmt: skip
    return Paper(f"Preventivo {client}.pdf", "preventivo", age, client, lines)


def _receipt(filename: str, age: int, shop: str, *rows: str) -> Paper:
    lines = (shop, "", "DOCUMENTO COMMERCIALE", "di vendita o prestazione", "", *rows, "", "{day}")
    return Paper(filename, "ricevuta", age, None, lines)


PAPERS = (
    Paper("Contratto Hotel Bellavista.pdf", "contratto", 62, "Hotel Bellavista", (
        "CONTRATTO D'OPERA", "", "tra Hotel Bellavista, di seguito denominato il committente,",
        "e Giulia Ferri, grafica in Bologna, si conviene e si stipula quanto segue.", "",
        "1. Oggetto: identità visiva dell'hotel, segnaletica e sito con prenotazioni.",
        "2. Compenso: 4.500 euro in tre acconti, a 30 giorni dalla fattura.",
        "3. Tempi: segnaletica entro tre mesi, sito prima di Pasqua.",
        "4. Revisioni: due per ogni bozza; le altre a 45 euro l'ora.",
        "5. Recesso: ciascuna parte può recedere con preavviso scritto di 30 giorni.",
        "6. Diritti: passano al committente con il saldo.", *_SIGNED,
    )),
    Paper("Contratto Cantina Poggio Alto.pdf", "contratto", 44, "Cantina Poggio Alto", (
        "CONTRATTO D'OPERA", "", "tra Cantina Poggio Alto, di seguito denominata la committente,",
        "e Giulia Ferri, grafica in Bologna, si conviene e si stipula quanto segue.", "",
        "1. Oggetto: sito della cantina ed etichette della nuova annata.",
        "2. Compenso: 3.200 euro; acconto del 30 % alla firma.",
        "3. Penale: per ogni settimana di ritardo nella consegna, 2 % del compenso.",
        "4. Recesso: con preavviso scritto di 15 giorni.", *_SIGNED,
    )),
    Paper("Contratto Coworking Portico Nove.pdf", "contratto", 341, "Coworking Portico Nove", (
        "CONTRATTO DI SERVIZI", "",
        "tra Coworking Portico Nove e Giulia Ferri si conviene e si stipula quanto segue.", "",
        "1. Oggetto: una postazione e quattro ore di sala riunioni al mese.",
        "2. Canone: 180 euro al mese più IVA.",
        "3. Durata: un anno. Scadenza: {due}",
        "4. Tacito rinnovo di un anno, salvo disdetta 15 giorni prima.", *_SIGNED,
    ), due_in=24),
    _quote(41, "Hotel Bellavista", "Sito e prenotazioni online", "4.500,00", 10),
    _quote(40, "Studio Legale Portici", "Carta intestata e biglietti", "680,00", 17),
    _quote(38, "Cantina Poggio Alto", "Etichette della nuova annata", "3.200,00", 28),
    _quote(36, "Farmacia del Corso", "Campagna social", "1.400,00", 33),
    _quote(31, "Immobiliare Casa Mia", "Restyling del logo", "1.250,00", 115),
    _receipt("Scontrino carta e inchiostri.jpg", 13, "CARTOLERIA LA MATITA",
        "Carta vergata A3 24,90", "Inchiostro nero 18,50", "TOTALE COMPLESSIVO 43,40", "Pagamento elettronico 43,40"),
    _receipt("Scontrino pranzo con cliente.jpg", 29, "OSTERIA DEL CORTILE",
        "Coperti 2 4,00", "Menu del giorno 2 30,00", "TOTALE COMPLESSIVO 34,00", "Pagamento contante 34,00"),
    _receipt("Scontrino parcheggio fiera.jpg", 61, "PARCHEGGIO LA FIERA",
        "Sosta giornaliera 16,00", "TOTALE COMPLESSIVO 16,00", "Pagamento elettronico 16,00"),
    Paper("Ricevuta corso di tipografia.pdf", "ricevuta", 88, None, (
        "RICEVUTA N. 27/{year}", "", "Si dichiara di ricevere da Giulia Ferri", "la somma di 240,00 euro",
        "per il corso «Caratteri mobili», due giornate.", "", "Bologna, {day}", "Pagamento elettronico",
    )),
    Paper("F24 saldo e acconto.pdf", "f24", 150, "Studio Contabile Emilia", (
        "MODELLO DI PAGAMENTO UNIFICATO", "Mod. F24", "Delega irrevocabile a: Banca di prova", "",
        "Contribuente: Giulia Ferri", f"Codice fiscale {books.OWNER_TAX_CODE}", "", "SEZIONE ERARIO",
        "Codice tributo 1790 importi a debito versati 386,00",
        "Codice tributo 1792 importi a debito versati 212,00",
        "SALDO FINALE 598,00", "", "Estremi del versamento: {day}",
    )),
    Paper("F24 bollo fatture.pdf", "f24", 56, "Studio Contabile Emilia", (
        "MODELLO DI PAGAMENTO UNIFICATO", "Mod. F24", "Delega irrevocabile a: Banca di prova", "",
        "Contribuente: Giulia Ferri", f"Codice fiscale {books.OWNER_TAX_CODE}", "", "SEZIONE ERARIO",
        "Codice tributo 2521 importi a debito versati 26,00", "SALDO FINALE 26,00", "",
        "Estremi del versamento: {day}",
    )),
    Paper("Appunti riunione Hotel Bellavista.pdf", "altro", 2, "Hotel Bellavista", (
        "RELAZIONE DELLA RIUNIONE", "{day}, con Silvia Lombardi e Simone Rizzo", "",
        "Segnaletica: le targhe delle camere in ottone, i numeri in rilievo.",
        "Sito: tre lingue, prenotazioni collegate al gestionale.",
        "Testi della pagina spa: li manda Silvia entro la settimana.",
    )),
    Paper("Brief etichette Cantina Poggio Alto.pdf", "altro", 34, "Cantina Poggio Alto", (
        "COMUNICATO DI PROGETTO", "Etichette della nuova annata", "",
        "Quattro vini: pignoletto, barbera, cabernet e passito.",
        "Carta vergata, bordeaux e oro; il nome resta quello di sempre.",
        "Prove di stampa da Tipografia Inchiostro Vivo.",
    )),
    Paper("Listino Tipografia Inchiostro Vivo.pdf", "altro", 120, "Tipografia Inchiostro Vivo", (
        "COMUNICATO AI CLIENTI", "Listino della stampa, valido dal {day}", "",
        "Biglietti da visita, 250 copie: 38 euro più IVA", "Pieghevoli A4, 500 copie: 94 euro più IVA",
        "Manifesti 70x100, 50 copie: 175 euro più IVA", "Consegna in quattro giorni lavorativi.",
    )),
    Paper("Lettera Studio Contabile Emilia.pdf", "altro", 40, "Studio Contabile Emilia", (
        "Studio Contabile Emilia", "Bologna, {day}", "", "Oggetto: documenti del trimestre", "", "Buongiorno Giulia,",
        "per la contabilità del trimestre mancano gli scontrini delle trasferte.", "Può mandarli entro il 10 del mese.",
        "", "Cordiali saluti", "Teresa Farina",
    )),
    Paper("Calendario lavori Edilizia Solida.pdf", "altro", 68, "Edilizia Solida", (
        "RELAZIONE SULLO STAND", "Fiera dell'edilizia, {day}", "", "Pannelli: tre, da 100x250 centimetri.",
        "Montaggio il giorno prima, smontaggio a cura di Edilizia Solida.",
    )),
    Paper("Ricevuta sfocata.jpg", "ricevuta", 1, None, ("RICEVUTA", "{day}", "TOTALE 12,00"), is_blurred=True),
)  # fmt: skip


def pdf(lines: list[str]) -> bytes:
    """Draw lines as a PDF with a text layer, the same bytes each time."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=1)
    for no, line in enumerate(lines):
        canvas.setFont("Helvetica-Bold" if line.isupper() else "Helvetica", 14 if line.isupper() else 11)
        canvas.drawString(70, 770 - 21 * no, line)
    canvas.save()
    return buffer.getvalue()


def scan(lines: list[str], *, is_blurred: bool = False) -> tuple[bytes, Page]:
    """Draw lines as a photographed slip; return the JPEG and its words where they stand, as recognition finds them."""
    ink, words = Image.new("L", SCAN_SIZE, 255), list[Word]()
    draw, font = ImageDraw.Draw(ink), ImageFont.load_default(size=34)
    for no, line in enumerate(lines):
        left, top = 140.0, 150 + 62 * no
        for word in line.split(" "):
            if word:
                draw.text((left, top), word, INK, font)
                words.append(_placed(word, draw.textbbox((left, top), word, font=font)))
            left += draw.textlength(f"{word} ", font)
    picture = ink if not is_blurred else ink.resize((62, 88)).resize(SCAN_SIZE)
    # Light that falls from above.
    light = Image.linear_gradient("L").resize(SCAN_SIZE).point(lambda value: 255 - value * (255 - SHADE) // 255)
    buffer = io.BytesIO()
    ImageChops.multiply(picture, light).save(buffer, "JPEG", quality=80, dpi=(SCAN_DPI, SCAN_DPI))
    points = [side * 72 / SCAN_DPI for side in SCAN_SIZE]
    text = "\n".join(" ".join(line.split()) for line in lines)
    return buffer.getvalue(), Page(text, words, points[0], points[1], "ocr", 0, 96.0)


def _placed(word: str, box: tuple[float, float, float, float]) -> Word:
    x0, y0, x1, y1 = (round(side * SCALE / SCAN_SIZE[place % 2]) for place, side in enumerate(box))
    return word, x0, y0, x1, y1, 96
