"""The rarer things on the paper: references to other documents, transport, notes, attachments, the signature."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from reportlab.platypus import Flowable

from functions._shared.fatturapa import codes, money
from functions._shared.fatturapa.model import Attachment, Extra, Invoice, Line, Reference
from functions._shared.fatturapa.paper.layout import heading, text


def day(of: date | None) -> str | None:
    """«31/12/2026»."""
    return f"{of:%d/%m/%Y}" if of else None


def references(invoice: Invoice) -> list[Flowable]:
    """Orders, contracts, delivery notes, other invoices."""
    lines = [_reference(each) for each in invoice.references]
    lines += [
        _joined(f"DDT {each.number or ''}", _on(each.issued_on), _of_lines(each.lines)) for each in invoice.deliveries
    ]
    lines += [
        _joined(f"{name} {other.number or ''}", _on(other.issued_on), other.elements)
        for name, other in (
            ("Fattura principale", invoice.main_invoice),
            ("Fattura rettificata", invoice.corrected_invoice),
        )
        if other
    ]
    lines += [f"Stato di avanzamento: fase {each}" for each in invoice.phases]
    return _section("RIFERIMENTI", lines)


def line_notes(line: Line) -> list[str]:
    """What else a line says: article codes, period, data of the software that wrote it."""
    period = " – ".join(filter(None, (day(line.starts_on), day(line.ends_on))))
    return [
        *(" ".join(filter(None, (each.kind, each.value))) for each in line.codes),
        f"Periodo {period}" if period else "",
        f"Rif. amministrazione {line.admin_reference}" if line.admin_reference else "",
        *map(_extra, line.extras),
    ]


def transport(invoice: Invoice) -> list[Flowable]:
    """How goods travel."""
    of = invoice.transport
    if of is None:
        return []
    weights = [
        f"{name} {money.decimal(weight)} {of.weight_unit or ''}".strip()
        for name, weight in (("peso lordo", of.gross_weight), ("peso netto", of.net_weight))
        if weight
    ]
    packages = f"{of.packages} colli" if of.packages is not None else ""
    place = of.destination
    return _section(
        "TRASPORTO",
        [
            f"Vettore {of.carrier.name}" if of.carrier and of.carrier.name else "",
            _joined(of.means, of.reason, of.description, packages, *weights),
            f"Inizio {day(of.starts_on)}" if of.starts_on else "",
            f"Consegna {of.delivered_at:%d/%m/%Y %H:%M}" if of.delivered_at else "",
            _joined(of.terms, *((place.street, place.city) if place else ())),
        ],
    )


def notes(invoice: Invoice) -> list[Flowable]:
    """Reasons, laws, attachments, the signature."""
    vehicle = invoice.vehicle
    lines = [
        "\n".join(invoice.reasons),
        _stamp(invoice),
        "Documento emesso secondo l’art. 73 del DPR 633/72." if invoice.art73 else "",
        _joined("Veicolo", _on(vehicle.registered_on), vehicle.distance) if vehicle else "",
        *map(_attachment, invoice.attachments),
        invoice.signature.note if invoice.signature else "",
    ]
    return _section("NOTE", lines)


def _section(name: str, lines: Iterable[str]) -> list[Flowable]:
    found = [each for each in lines if each]
    return [heading(name), *(text(each, 7.5) for each in found)] if found else []


def _reference(of: Reference) -> str:
    return _joined(
        f"{codes.words('references', of.kind)} {of.number or ''}".strip(),
        _on(of.issued_on),
        of.item and f"voce {of.item}",
        of.job and f"commessa {of.job}",
        of.cig and f"CIG {of.cig}",
        of.cup and f"CUP {of.cup}",
        _of_lines(of.lines),
    )


def _of_lines(lines: tuple[int, ...]) -> str:
    return f"{'riga' if len(lines) == 1 else 'righe'} {', '.join(map(str, lines))}" if lines else ""


def _on(of: date | None) -> str:
    return f"del {day(of)}" if of else ""


def _joined(*parts: str | None) -> str:
    return " · ".join(each for each in parts if each)


def _extra(of: Extra) -> str:
    values = (of.text, money.decimal(of.number) if of.number else None, day(of.day))
    return f"{of.kind or ''}: {' '.join(filter(None, values))}"


def _stamp(invoice: Invoice) -> str:
    stamp = invoice.stamp
    if not stamp:
        return ""
    amount = f"di {money.euros(stamp.amount_cents)}" if stamp.amount_cents is not None else None
    how = "assolta in modo virtuale" if stamp.virtual else None
    name = " ".join(filter(None, ["Imposta di bollo", amount, how]))
    return ", ".join(filter(None, [name, codes.words("stamps", invoice.stamp_borne_by)])) + "."


def _attachment(of: Attachment) -> str:
    return _joined(f"Allegato {of.name}", of.description)
