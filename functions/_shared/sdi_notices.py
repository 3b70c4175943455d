"""Notices of the exchange system (SdI) about an electronic invoice, in words for its owner.

Two families of schemas are in use, with other names for the same: `NotificaScarto` and `RicevutaScarto`. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal

from functions._shared import italian_dates
from functions._shared.fatturapa import NotAnInvoice, xml

# RC delivered, MC not delivered, NS rejected, NE outcome of an office, DT no outcome in time, AT cannot be delivered.
Kind = Literal["RC", "MC", "NS", "NE", "DT", "AT"]

ROOTS: dict[str, Kind] = {
    "RicevutaConsegna": "RC",
    "NotificaMancataConsegna": "MC",
    "RicevutaImpossibilitaRecapito": "MC",
    "NotificaScarto": "NS",
    "RicevutaScarto": "NS",
    "NotificaEsito": "NE",
    "NotificaDecorrenzaTermini": "DT",
    "AttestazioneTrasmissioneFattura": "AT",
}
# IT01234567890_00001_NS_001.xml
FILE = re.compile(
    r"[A-Z]{2}[A-Za-z0-9]{2,28}_[A-Za-z0-9]{1,5}_(RC|MC|NS|NE|DT|AT|SE)_[A-Za-z0-9]{1,3}\.xml", re.IGNORECASE
)
# A rejected invoice was never issued; within these days it is sent again with its number and date.
CORRECTION = timedelta(days=5)
MOST_ERRORS = 50


@dataclass(frozen=True)
class Error:
    """Why an invoice was rejected: code, and text of the exchange system."""

    code: str
    text: str
    hint: str | None = None


@dataclass(frozen=True)
class Notice:
    """What happened to the file `invoice_file`; `accepted` is an office's word."""

    kind: Kind
    sdi_id: str | None
    invoice_file: str | None
    at: datetime | None
    errors: tuple[Error, ...] = ()
    accepted: bool | None = None
    text: str | None = None

    @property
    def is_refused(self) -> bool:
        """Whether the invoice does not count, or its office does not take it."""
        return self.kind == "NS" or (self.kind == "NE" and self.accepted is False)

    @property
    def correct_by(self) -> date | None:
        """The last day to send a rejected invoice again."""
        return (self.at + CORRECTION).date() if self.kind == "NS" and self.at else None

    def sentence(self) -> str:
        """Say it in one or two sentences."""
        if self.kind == "NS":
            by = "cinque giorni dalla notifica"
            if self.correct_by:
                by = f"il {italian_dates.long_day(self.correct_by)}"
            said = f"Scartata: correggi entro {by}, con lo stesso numero e la stessa data."
            told = "; ".join(f"{each.code}: {each.text}" for each in self.errors)
            return f"{said} {told}." if told else said
        if self.kind == "NE":
            outcome = "Accettata dall’ente." if self.accepted else "Rifiutata dall’ente."
            return f"{outcome} {self.text}" if self.text else outcome
        return SENTENCES[self.kind]


SENTENCES: dict[Kind, str] = {
    "RC": "Consegnata al destinatario.",
    "MC": "Emessa, ma non consegnata: è nel cassetto fiscale del cliente. Avvisalo.",
    "DT": "L’ente non ha risposto entro quindici giorni: la fattura vale come consegnata.",
    "AT": "Il Sistema di Interscambio non è riuscito a recapitarla all’ente: inviagliela con l’attestazione.",
}


def is_notice(file_name: str) -> bool:
    """Whether a file is named as a notice about an invoice that was sent."""
    found = FILE.fullmatch(file_name)
    return found is not None and found[1].upper() != "SE"


def read(content: bytes) -> Notice | None:
    """Read a notice; None for any other file."""
    try:
        element = xml.parsed(content)
    except NotAnInvoice:
        return None
    kind = ROOTS.get(element.tag)
    if kind is None:
        return None
    root = xml.Node(element, [])
    outcome = root.child("EsitoCommittente") or root
    return Notice(
        kind,
        root.text("IdentificativoSdI"),
        root.text("NomeFile"),
        root.moment("DataOraConsegna") or root.moment("DataOraRicezione"),
        _errors(root) if kind == "NS" else (),
        {"EC01": True, "EC02": False}.get(outcome.text("Esito") or "") if kind == "NE" else None,
        outcome.text("Descrizione") if kind == "NE" else root.text("Descrizione"),
    )


def _errors(root: xml.Node) -> tuple[Error, ...]:
    found = root.child("ListaErrori")
    nodes = found.children("Errore")[:MOST_ERRORS] if found else []
    return tuple(
        Error(node.text("Codice") or "", (node.text("Descrizione") or "").rstrip("."), node.text("Suggerimento"))
        for node in nodes
    )
