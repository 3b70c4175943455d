"""A body of a simplified invoice (FSM10): amounts include the tax; there is no summary, so it is worked out by rate.

The tax of a line is what it states (Imposta), else what is inside the amount at its rate (art. 21-bis DPR 633/72).
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import Any, TypeAlias

from functions._shared.fatturapa import model, money
from functions._shared.fatturapa.payments import attachments
from functions._shared.fatturapa.xml import Node

# A line, and the tax in it in cents, None when the file does not say.
Priced: TypeAlias = tuple[model.Line, int | None, str | None]


def simplified(body: Node, empty: Node) -> dict[str, Any]:
    """The fields of `Invoice` that a body fills."""
    general = body.child("DatiGenerali") or empty
    document = general.child("DatiGeneraliDocumento") or empty
    corrected = general.child("DatiFatturaRettificata")
    priced = [_priced(no, each) for no, each in enumerate(body.children("DatiBeniServizi"), 1)]
    amounts = [line.total_cents for line, _, _ in priced]
    return {
        "type_code": document.text("TipoDocumento"),
        "currency": document.text("Divisa"),
        "issued_on": document.day("Data"),
        "number": document.text("Numero"),
        "withholdings": (),
        "stamp": model.Stamp(virtual=True, amount_cents=None) if document.says_yes("BolloVirtuale") else None,
        "funds": (),
        "discounts": (),
        "stated_total_cents": sum(each or 0 for each in amounts) if amounts and None not in amounts else None,
        "rounding_cents": None,
        "reasons": (),
        "art73": False,
        "references": (),
        "phases": (),
        "deliveries": (),
        "transport": None,
        "main_invoice": None,
        "corrected_invoice": corrected
        and model.Corrected(corrected.text("NumeroFR"), corrected.day("DataFR"), corrected.text("ElementiRettificati")),
        "lines": tuple(line for line, _, _ in priced),
        "summaries": _summaries(priced),
        "vehicle": None,
        "installments": (),
        "attachments": attachments(body),
    }


def _priced(no: int, node: Node) -> Priced:
    total, rate, stated = node.number("Importo"), node.number("DatiIVA/Aliquota"), node.cents("DatiIVA/Imposta")
    nature = node.text("Natura")
    line = model.Line(
        no=no,
        kind=None,
        codes=(),
        description=node.text("Descrizione"),
        quantity=None,
        unit=None,
        starts_on=None,
        ends_on=None,
        price=None,
        discounts=(),
        total=total,
        total_cents=money.cents(total),
        vat_rate=rate,
        withheld=False,
        nature=nature,
        admin_reference=None,
        extras=(),
    )
    return line, _tax(total, rate, stated, nature), node.text("RiferimentoNormativo")


def _tax(total: str | None, rate: str | None, stated: int | None, nature: str | None) -> int | None:
    if stated is not None:
        return stated
    if total is None or rate is None:
        return 0 if nature and total is not None else None
    inside = Decimal(total) * Decimal(rate) / (100 + Decimal(rate))
    return int((inside * 100).quantize(Decimal(1), ROUND_HALF_UP))


def _summaries(priced: list[Priced]) -> tuple[model.Summary, ...]:
    groups: dict[tuple[str | None, str | None, str | None], list[Priced]] = {}
    for line, tax, law in priced:
        groups.setdefault((line.vat_rate, line.nature, law), []).append((line, tax, law))
    return tuple(_summary(*key, group) for key, group in groups.items())


def _summary(rate: str | None, nature: str | None, law: str | None, group: list[Priced]) -> model.Summary:
    amounts = [line.total_cents for line, _, _ in group]
    taxes = [tax for _, tax, _ in group]
    known = None not in amounts and None not in taxes
    tax = sum(each or 0 for each in taxes)
    return model.Summary(
        vat_rate=rate,
        nature=nature,
        extra_costs_cents=None,
        rounding=None,
        taxable_cents=sum(each or 0 for each in amounts) - tax if known else None,
        tax_cents=tax if known else None,
        due=None,
        law=law,
    )
