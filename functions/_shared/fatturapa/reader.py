"""A file's invoices: the envelope is opened, the header read once, and each body becomes an `Invoice`."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from xml.etree.ElementTree import Element

from functions._shared.fatturapa import body, model, parties, simplified, totals, xml
from functions._shared.fatturapa.checks import findings
from functions._shared.fatturapa.envelope import unwrapped
from functions._shared.fatturapa.errors import NotAnInvoice
from functions._shared.fatturapa.model import Finding, Invoice
from functions._shared.fatturapa.xml import Node

# What the exchange system sends beside invoices, by the root element.
_NOTICES = {
    "RicevutaConsegna": "la ricevuta di consegna",
    "RicevutaScarto": "la notifica di scarto",
    "NotificaScarto": "la notifica di scarto",
    "RicevutaImpossibilitaRecapito": "la ricevuta di mancato recapito",
    "NotificaMancataConsegna": "la notifica di mancata consegna",
    "NotificaEsito": "la notifica di esito",
    "NotificaEsitoCommittente": "la notifica di esito del committente",
    "ScartoEsitoCommittente": "lo scarto dell’esito del committente",
    "NotificaDecorrenzaTermini": "la notifica di decorrenza termini",
    "AttestazioneTrasmissioneFattura": "l’attestazione di trasmissione",
    "MetadatiInvioFile": "il file dei metadati",
    "FileMetadati": "il file dei metadati",
    "DatiFattura": "la comunicazione dei dati fattura (esterometro)",
}
MAX_BODIES = 1_000


def read(content: bytes, *, today: date | None = None) -> list[Invoice]:
    """The invoices of an XML file, signed (.p7m) or not; see the package. Raises NotAnInvoice."""
    opened = unwrapped(content)
    if opened.layers and opened.mime != "application/xml":
        raise NotAnInvoice("La busta firmata (.p7m) non contiene una fattura elettronica, ma un altro documento.")
    root = xml.parsed(opened.content)
    if root.tag != "FatturaElettronica" and root.tag != "FatturaElettronicaSemplificata":
        raise NotAnInvoice(_other(root.tag))
    bodies = [each for each in root if each.tag == "FatturaElettronicaBody"]
    if not bodies:
        raise NotAnInvoice("Nel file manca il corpo della fattura (FatturaElettronicaBody).")
    if len(bodies) > MAX_BODIES:
        raise NotAnInvoice(f"Il file contiene più di {MAX_BODIES} fatture.")
    version = _version(root)
    signature = opened.signature
    return [_invoice(root, each, no, version, signature, today) for no, each in enumerate(bodies, 1)]


def _other(tag: str) -> str:
    if tag in _NOTICES:
        return f"Il file è {_NOTICES[tag]} del Sistema di Interscambio, non una fattura."
    return f"Il file è un XML, ma non una fattura elettronica (comincia con «{tag[:60]}»)."


def _version(root: Element) -> str:
    transmitted = Node(root, []).text("FatturaElettronicaHeader/DatiTrasmissione/FormatoTrasmissione")
    version = root.get("versione") or transmitted or ""
    if version not in model.ELECTRONIC:
        raise NotAnInvoice(f"La versione «{version[:20]}» della fattura non è tra quelle in uso: FPA12, FPR12, FSM10.")
    return version


def _invoice(
    root: Element, element: Element, no: int, version: str, signature: model.Signature | None, today: date | None
) -> Invoice:
    problems: list[Finding] = []
    empty = Node(Element("empty"), problems)
    header = Node(root, problems).child("FatturaElettronicaHeader") or empty
    short = version == model.SIMPLIFIED
    supplier, customer = header.child("CedentePrestatore"), header.child("CessionarioCommittente")
    nobody = model.Party(None, None, None, None)
    fields = (simplified.simplified if short else body.ordinary)(Node(element, problems), empty)
    invoice = Invoice(
        version=version,
        body_no=no,
        transmission=parties.transmission(header.child("DatiTrasmissione")),
        supplier=(parties.simplified_supplier(supplier) if short else parties.party(supplier)) or nobody,
        customer=(parties.simplified_customer(customer) if short else parties.party(customer)) or nobody,
        representative=parties.party(header.child("RappresentanteFiscale")),
        intermediary=parties.party(header.child("TerzoIntermediarioOSoggettoEmittente")),
        issued_by=header.text("SoggettoEmittente"),
        signature=signature,
        **fields,
    )
    complete = totals.with_totals(invoice)
    return replace(complete, findings=(*problems, *findings(complete, today)))
