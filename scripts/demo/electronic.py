"""Electronic invoices of the demo account, as the exchange system delivers them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from xml.sax.saxutils import escape

from scripts.demo import books
from scripts.demo.books import Invoice

NAMESPACE = "http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2"
# Above this documents without VAT carry a stamp.
STAMPED_ABOVE_CENTS = 7747


@dataclass(frozen=True)
class Party:
    """A company as its contact has it."""

    name: str
    vat_number: str
    address: Mapping[str, str]
    sdi_code: str


OWNER_ADDRESS = {"street": "Via del Pratello 40", "postal_code": "40122", "city": "Bologna", "province": "BO"}


def filename(of: Invoice, other: Party, place: int) -> str:
    """Name the file: who sent it and its number of sending."""
    return f"IT{books.OWNER_VAT if of.is_issued else other.vat_number}_D{place:04}.xml"


def xml(of: Invoice, number: str, other: Party, place: int, today: date) -> bytes:
    """Write an invoice as a file."""
    name = f"<Denominazione>{escape(other.name)}</Denominazione>"
    theirs = _sheet(other.vat_number, name, other.address)
    first, last = books.OWNER_NAME.split()
    ours = _sheet(
        books.OWNER_VAT, f"<Nome>{first}</Nome><Cognome>{last}</Cognome>", OWNER_ADDRESS, books.OWNER_TAX_CODE
    )
    seller, buyer = (ours, theirs) if of.is_issued else (theirs, ours)
    regime = f"<RegimeFiscale>{'RF19' if of.is_issued else 'RF01'}</RegimeFiscale></DatiAnagrafici>"
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<p:FatturaElettronica versione="FPR12" xmlns:p="{NAMESPACE}"><FatturaElettronicaHeader>'
        f"<DatiTrasmissione><IdTrasmittente><IdPaese>IT</IdPaese><IdCodice>{books.OWNER_TAX_CODE}</IdCodice>"
        f"</IdTrasmittente><ProgressivoInvio>D{place:04}</ProgressivoInvio><FormatoTrasmissione>FPR12</FormatoTrasmissione>"
        f"<CodiceDestinatario>{other.sdi_code if of.is_issued else '0000000'}</CodiceDestinatario></DatiTrasmissione>"
        f"<CedentePrestatore>{seller.replace('</DatiAnagrafici>', regime, 1)}</CedentePrestatore>"
        f"<CessionarioCommittente>{buyer}</CessionarioCommittente></FatturaElettronicaHeader><FatturaElettronicaBody>"
        f"{_general(of, number, today)}{_goods(of)}{_payment(of, today)}"
        "</FatturaElettronicaBody></p:FatturaElettronica>"
    ).encode()


def _sheet(vat_number: str, name: str, address: Mapping[str, str], tax_code: str | None = None) -> str:
    code = f"<CodiceFiscale>{tax_code}</CodiceFiscale>" if tax_code else ""
    return (
        f"<DatiAnagrafici><IdFiscaleIVA><IdPaese>IT</IdPaese><IdCodice>{vat_number}</IdCodice></IdFiscaleIVA>{code}"
        f"<Anagrafica>{name}</Anagrafica></DatiAnagrafici>"
        f"<Sede><Indirizzo>{escape(address['street'])}</Indirizzo><CAP>{address['postal_code']}</CAP>"
        f"<Comune>{escape(address['city'])}</Comune><Provincia>{address['province']}</Provincia><Nazione>IT</Nazione></Sede>"
    )


def _euros(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02}"


def _general(of: Invoice, number: str, today: date) -> str:
    is_stamped = of.is_issued and of.total_cents > STAMPED_ABOVE_CENTS
    stamp = "<DatiBollo><BolloVirtuale>SI</BolloVirtuale><ImportoBollo>2.00</ImportoBollo></DatiBollo>"
    return (
        "<DatiGenerali><DatiGeneraliDocumento><TipoDocumento>TD01</TipoDocumento><Divisa>EUR</Divisa>"
        f"<Data>{of.issued_on(today)}</Data><Numero>{number}</Numero>{stamp if is_stamped else ''}"
        f"<ImportoTotaleDocumento>{_euros(of.total_cents)}</ImportoTotaleDocumento></DatiGeneraliDocumento></DatiGenerali>"
    )


def _goods(of: Invoice) -> str:
    rate = "0.00" if of.is_issued else f"{books.VAT_PERCENT}.00"
    nature = "<Natura>N2.2</Natura>" if of.is_issued else ""
    law = "Art. 1, commi 54-89, L. 190/2014: regime forfettario"
    lines = "".join(
        f"<DettaglioLinee><NumeroLinea>{no}</NumeroLinea><Descrizione>{escape(line.text)}</Descrizione>"
        f"<PrezzoUnitario>{_euros(line.cents)}</PrezzoUnitario><PrezzoTotale>{_euros(line.cents)}</PrezzoTotale>"
        f"<AliquotaIVA>{rate}</AliquotaIVA>{nature}</DettaglioLinee>"
        for no, line in enumerate(of.lines, 1)
    )
    return (
        f"<DatiBeniServizi>{lines}<DatiRiepilogo><AliquotaIVA>{rate}</AliquotaIVA>{nature}"
        f"<ImponibileImporto>{_euros(of.net_cents)}</ImponibileImporto><Imposta>{_euros(of.vat_cents)}</Imposta>"
        + (
            f"<RiferimentoNormativo>{law}</RiferimentoNormativo>"
            if of.is_issued
            else "<EsigibilitaIVA>I</EsigibilitaIVA>"
        )
        + "</DatiRiepilogo></DatiBeniServizi>"
    )


def _payment(of: Invoice, today: date) -> str:
    return (
        "<DatiPagamento><CondizioniPagamento>TP02</CondizioniPagamento><DettaglioPagamento>"
        f"<ModalitaPagamento>MP05</ModalitaPagamento><DataScadenzaPagamento>{of.due_on(today)}</DataScadenzaPagamento>"
        f"<ImportoPagamento>{_euros(of.total_cents)}</ImportoPagamento></DettaglioPagamento></DatiPagamento>"
    )
