"""The papers of the made-up business as files: invoices as FatturaPA XML, the contacts as a table for an import."""

from __future__ import annotations

import csv
import io
import textwrap
from collections.abc import Iterator
from datetime import date, timedelta
from xml.sax.saxutils import escape

from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from tests.business import papers, people
from tests.business.papers import Invoice
from tests.business.people import Contact

NAMESPACE = "http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2"
HEADINGS = (
    "Ragione sociale", "Nome", "Cognome", "Partita IVA", "Codice fiscale", "Città", "Telefono", "E-mail", "Azienda",
    "Ruolo", "Categoria",
)  # fmt: skip


def invoices(today: date) -> Iterator[tuple[str, bytes]]:
    """Write each invoice as a file, oldest first: its name and its content."""
    numbers = papers.numbers(today)
    for each in sorted(papers.INVOICES.values(), key=lambda each: -each.age):
        sender = people.OWNER_VAT if each.is_issued else people.CONTACTS[each.contact].vat_number
        name = f"IT{sender}_{each.key}.xml"
        yield name, invoice(each, numbers[each.key], today).encode()


def invoice(of: Invoice, number: str, today: date) -> str:
    """Write an invoice as the exchange system would deliver it."""
    own, other = _owner(), _party(people.CONTACTS[of.contact])
    seller, buyer = (own, other) if of.is_issued else (other, own)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<p:FatturaElettronica versione="FPR12" xmlns:p="{NAMESPACE}"><FatturaElettronicaHeader>'
        f"<DatiTrasmissione><IdTrasmittente><IdPaese>IT</IdPaese><IdCodice>{people.OWNER_TAX_CODE}</IdCodice>"
        f"</IdTrasmittente><ProgressivoInvio>{of.key}</ProgressivoInvio>"
        "<FormatoTrasmissione>FPR12</FormatoTrasmissione><CodiceDestinatario>0000000</CodiceDestinatario>"
        f"</DatiTrasmissione><CedentePrestatore>{seller.replace('</DatiAnagrafici>', _REGIME, 1)}</CedentePrestatore>"
        f"<CessionarioCommittente>{buyer}</CessionarioCommittente></FatturaElettronicaHeader>"
        f"<FatturaElettronicaBody>{_general(of, number, today)}{_goods(of)}{_payment(of, today)}"
        "</FatturaElettronicaBody></p:FatturaElettronica>"
    )


_REGIME = "<RegimeFiscale>RF01</RegimeFiscale></DatiAnagrafici>"


def _owner() -> str:
    return _sheet(people.OWNER_VAT, people.OWNER_TAX_CODE, "<Nome>Giulia</Nome><Cognome>Ferri</Cognome>", "Bologna")


def _party(of: Contact) -> str:
    if of.business:
        name = f"<Denominazione>{escape(of.business)}</Denominazione>"
    else:
        name = f"<Nome>{escape(of.first or '')}</Nome><Cognome>{escape(of.last or '')}</Cognome>"
    return _sheet(of.vat_number, of.tax_code, name, of.city)


def _sheet(vat_number: str | None, tax_code: str | None, name: str, city: str) -> str:
    province, postal_code, _ = people.CITIES[city]
    vat = f"<IdFiscaleIVA><IdPaese>IT</IdPaese><IdCodice>{vat_number}</IdCodice></IdFiscaleIVA>" if vat_number else ""
    code = f"<CodiceFiscale>{tax_code}</CodiceFiscale>" if tax_code else ""
    return (
        f"<DatiAnagrafici>{vat}{code}<Anagrafica>{name}</Anagrafica></DatiAnagrafici>"
        f"<Sede><Indirizzo>Via Emilia 1</Indirizzo><CAP>{postal_code}</CAP><Comune>{city}</Comune>"
        f"<Provincia>{province}</Provincia><Nazione>IT</Nazione></Sede>"
    )


def euros(cents: int) -> str:
    """Write cents as the schema does."""
    return f"{cents // 100}.{cents % 100:02}"


def _general(of: Invoice, number: str, today: date) -> str:
    withheld = (
        f"<DatiRitenuta><TipoRitenuta>RT01</TipoRitenuta><ImportoRitenuta>{euros(of.withheld_cents)}</ImportoRitenuta>"
        f"<AliquotaRitenuta>{papers.WITHHELD_PERCENT}.00</AliquotaRitenuta><CausalePagamento>A</CausalePagamento>"
        "</DatiRitenuta>"
        if of.has_withholding
        else ""
    )
    return (
        f"<DatiGenerali><DatiGeneraliDocumento><TipoDocumento>{'TD04' if of.is_credit else 'TD01'}</TipoDocumento>"
        f"<Divisa>EUR</Divisa><Data>{of.issued_on(today)}</Data><Numero>{number}</Numero>{withheld}"
        f"<ImportoTotaleDocumento>{euros(of.gross_cents)}</ImportoTotaleDocumento>"
        "</DatiGeneraliDocumento></DatiGenerali>"
    )


def _goods(of: Invoice) -> str:
    rate = f"{papers.VAT_PERCENT}.00" if of.has_vat else "0.00"
    nature = "" if of.has_vat else "<Natura>N4</Natura>"
    withheld = "<Ritenuta>SI</Ritenuta>" if of.has_withholding else ""
    lines = "".join(
        f"<DettaglioLinee><NumeroLinea>{no}</NumeroLinea><Descrizione>{escape(line.text)}</Descrizione>"
        f"<PrezzoUnitario>{euros(line.cents)}</PrezzoUnitario><PrezzoTotale>{euros(line.cents)}</PrezzoTotale>"
        f"<AliquotaIVA>{rate}</AliquotaIVA>{withheld}{nature}</DettaglioLinee>"
        for no, line in enumerate(of.lines, 1)
    )
    law = "" if of.has_vat else "<RiferimentoNormativo>Art. 10 DPR 633/72</RiferimentoNormativo>"
    return (
        f"<DatiBeniServizi>{lines}<DatiRiepilogo><AliquotaIVA>{rate}</AliquotaIVA>{nature}"
        f"<ImponibileImporto>{euros(of.net_cents)}</ImponibileImporto><Imposta>{euros(of.vat_cents)}</Imposta>"
        f"{law}</DatiRiepilogo></DatiBeniServizi>"
    )


def _payment(of: Invoice, today: date) -> str:
    parts = "".join(
        "<DettaglioPagamento><ModalitaPagamento>MP05</ModalitaPagamento>"
        + (
            f"<DataScadenzaPagamento>{of.issued_on(today) + timedelta(days=part.due_after)}</DataScadenzaPagamento>"
            if part.due_after is not None
            else ""
        )
        + f"<ImportoPagamento>{euros(part.cents)}</ImportoPagamento></DettaglioPagamento>"
        for part in of.parts
    )
    condition = "TP01" if len(of.parts) > 1 else "TP02"
    return f"<DatiPagamento><CondizioniPagamento>{condition}</CondizioniPagamento>{parts}</DatiPagamento>"


def drawn(today: date) -> Iterator[tuple[str, bytes]]:
    """Draw each contract, quote, bill and certificate as its file name says: a PDF with text, or a picture."""
    for each in papers.PAPERS.values():
        text = textwrap.wrap(each.written(today), 70)
        yield each.filename, _pdf(text) if each.filename.endswith(".pdf") else _picture(text, each.filename)


def _pdf(lines: list[str]) -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=1)
    canvas.setFont("Helvetica", 12)
    for no, line in enumerate(lines):
        canvas.drawString(70, 760 - 20 * no, line)
    canvas.save()
    return buffer.getvalue()


def _picture(lines: list[str], filename: str) -> bytes:
    picture = Image.new("L", (1700, 400), 255)
    font = ImageFont.load_default(size=40)
    for no, line in enumerate(lines):
        ImageDraw.Draw(picture).text((80, 60 + 70 * no), line, 0, font)
    buffer = io.BytesIO()
    picture.save(buffer, "PNG" if filename.endswith(".png") else "JPEG")
    return buffer.getvalue()


def contact_table() -> list[list[str]]:
    """List the contacts as an exported sheet has them: Italian headings, two duplicates, two typing errors."""
    rows = [_row(each) for each in people.CONTACTS.values()]
    twice = _row(people.CONTACTS["bianchi"])
    twice[0] = "BIANCHI COSTRUZIONI SRL"
    misspelt = _row(people.CONTACTS["luca"])
    misspelt[2], misspelt[7] = "Marcheti", "luca.marchetti@bianchicostruzioni,example"
    return [list(HEADINGS), *rows, twice, misspelt]


def _row(of: Contact) -> list[str]:
    firm = people.CONTACTS[of.company].name if of.company else None
    cells = (of.business, of.first, of.last, of.vat_number, of.tax_code, of.city, of.phone, of.email, firm, of.job)
    return [*(each or "" for each in cells), " ".join(of.roles)]


def contact_csv() -> bytes:
    """Write the table as Italian Excel saves it: semicolons and Windows-1252."""
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=";", lineterminator="\r\n").writerows(contact_table())
    return buffer.getvalue().encode("cp1252")
