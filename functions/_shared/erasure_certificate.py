"""The certificate of an erased contact as a sheet of paper: what went, what stays and why, A4.

It names the person by initials; the full name is on it only while the request for the erasure is kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from io import BytesIO
from typing import Any
from uuid import UUID

from reportlab.platypus import Flowable

from functions._shared import contact_sheet
from functions._shared.fatturapa.paper import layout

LABEL: layout.Column = ("Che cosa", None, False)
COUNT: layout.Column = ("Quante righe", 80, True)
REASON: layout.Column = ("Perché", 260, False)
LATER = (
    "I file dei documenti spariscono entro un giorno, le consegne tecniche di WhatsApp entro sette giorni, le copie di"
    " sicurezza quando scadono. Ciò che sta fuori da Socio (la casella di posta, i file scaricati) è a cura del"
    " titolare."
)


@dataclass(frozen=True)
class Erasure:
    """A certificate; `lines` are those of public.contact_erasures."""

    id: UUID
    initials: str
    lines: Sequence[Mapping[str, Any]]
    at: datetime
    contact_name: str | None
    received_on: date | None
    controller: Mapping[str, Any]

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Erasure:
        """Read a row of the certificate with its request and the profile of its owner."""
        lines, profile = row["lines"], row["profile"]
        own = profile or {}
        controller = {
            "name": own.get("business_name") or own.get("full_name"),
            "person": own.get("full_name"),
            "phone": own.get("business_phone"),
            **{name: own.get(name) for name in ("vat_number", "tax_code", "address", "pec")},
        }
        return cls(
            id=row["id"],
            initials=row["initials"],
            lines=lines or [],
            at=row["created_at"],
            contact_name=row["contact_name"],
            received_on=row["received_on"],
            controller=controller,
        )


class Canvas(layout.NumberedCanvas):
    """Another foot than an invoice's."""

    note = "Preparato con Socio."


def pdf(erasure: Erasure) -> bytes:
    """Write the whole certificate."""
    output = BytesIO()
    document = layout.document(output, title="Certificato di cancellazione", author="")
    document.build(story(erasure), canvasmaker=Canvas)
    return output.getvalue()


def story(erasure: Erasure) -> list[Flowable]:
    """List everything on the sheet, in order; an empty section is left out."""
    facts = [("Dati di", erasure.contact_name or erasure.initials)]
    if erasure.received_on:
        facts.append(("Richiesta del", f"{erasure.received_on:%d/%m/%Y}"))
    facts += [
        ("Cancellati il", contact_sheet.moment(erasure.at.isoformat())),
        ("Certificato", str(erasure.id)),
    ]
    made: list[Flowable] = [
        layout.text("Certificato di cancellazione", 15, bold=True),
        layout.gap(6),
        contact_sheet.table_of(facts),
        layout.heading("TITOLARE DEL TRATTAMENTO"),
        contact_sheet.table_of(contact_sheet.controller(erasure.controller) or [("Nome", "non indicato")]),
    ]
    made += _section("CANCELLATO", erasure, "via", [LABEL, COUNT])
    made += _section("RESTA SENZA IL NOME", erasure, "senza_nome", [LABEL, COUNT])
    made += _section("RESTA, E PERCHÉ", erasure, "resta", [LABEL, COUNT, REASON])
    return [*made, layout.gap(8), layout.text(LATER, 7.5, grey=True)]


def _section(title: str, erasure: Erasure, fate: str, columns: Sequence[layout.Column]) -> list[Flowable]:
    lines = [line for line in erasure.lines if line["fate"] == fate]
    if not lines:
        return []
    rows = [[line["label"], str(line["found"]), line["reason"] or ""][: len(columns)] for line in lines]
    return [layout.gap(6), layout.heading(title), layout.grid(columns, rows)]
