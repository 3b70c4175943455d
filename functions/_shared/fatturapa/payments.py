"""How a body wants to be paid, and the files it carries."""

from __future__ import annotations

import base64
import binascii
import re
from datetime import date, timedelta

from functions._shared.fatturapa import model
from functions._shared.fatturapa.xml import Node

_WHITE = re.compile(r"\s+")


def installments(body: Node) -> tuple[model.Installment, ...]:
    """All DettaglioPagamento of all DatiPagamento, in order."""
    found = [
        (group.text("CondizioniPagamento"), detail)
        for group in body.children("DatiPagamento")
        for detail in group.children("DettaglioPagamento")
    ]
    return tuple(_installment(no, condition, detail) for no, (condition, detail) in enumerate(found, 1))


def attachments(body: Node) -> tuple[model.Attachment, ...]:
    """All Allegati; the content is None where the base64 is broken."""
    return tuple(_attachment(each, no) for no, each in enumerate(body.children("Allegati"), 1))


def _installment(no: int, condition: str | None, node: Node) -> model.Installment:
    stated, terms_from, days = (
        node.day("DataScadenzaPagamento"),
        node.day("DataRiferimentoTerminiPagamento"),
        node.count("GiorniTerminiPagamento"),
    )
    counted = None if stated else _later(terms_from, days)
    names = (node.text("TitoloQuietanzante"), node.text("NomeQuietanzante"), node.text("CognomeQuietanzante"))
    iban = node.text("IBAN")
    return model.Installment(
        no=no,
        condition=condition,
        beneficiary=node.text("Beneficiario"),
        method=node.text("ModalitaPagamento"),
        terms_from=terms_from,
        terms_days=days,
        due_on=stated or counted,
        due_by_terms=counted is not None,
        amount_cents=node.cents("ImportoPagamento"),
        post_office=node.text("CodUfficioPostale"),
        receipt_name=" ".join(filter(None, names)) or None,
        receipt_tax_code=node.text("CFQuietanzante"),
        bank=node.text("IstitutoFinanziario"),
        iban=_WHITE.sub("", iban).upper() if iban else None,
        abi=node.text("ABI"),
        cab=node.text("CAB"),
        bic=node.text("BIC"),
        early_discount_cents=node.cents("ScontoPagamentoAnticipato"),
        early_until=node.day("DataLimitePagamentoAnticipato"),
        late_penalty_cents=node.cents("PenalitaPagamentiRitardati"),
        late_from=node.day("DataDecorrenzaPenale"),
        payment_code=node.text("CodicePagamento"),
    )


def _later(start: date | None, days: int | None) -> date | None:
    if start is None or days is None:
        return None
    try:
        return start + timedelta(days=days)
    except OverflowError:
        return None


def _attachment(node: Node, no: int) -> model.Attachment:
    content = _decoded(node.long_text("Attachment"))
    return model.Attachment(
        name=node.text("NomeAttachment") or f"allegato {no}",
        compression=node.text("AlgoritmoCompressione"),
        format=node.text("FormatoAttachment"),
        description=node.text("DescrizioneAttachment"),
        size_bytes=None if content is None else len(content),
        content=content,
    )


def _decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode(_WHITE.sub("", text), validate=True) or None
    except (binascii.Error, ValueError):
        return None
