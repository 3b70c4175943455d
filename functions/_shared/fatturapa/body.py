"""A body of an ordinary invoice (FPA12, FPR12): its general data, lines and summary."""

from __future__ import annotations

from typing import Any

from functions._shared.fatturapa import model, money, parties
from functions._shared.fatturapa.model import ReferenceKind
from functions._shared.fatturapa.payments import attachments, installments
from functions._shared.fatturapa.xml import Node

_REFERENCES: dict[str, ReferenceKind] = {
    "DatiOrdineAcquisto": "ordine",
    "DatiContratto": "contratto",
    "DatiConvenzione": "convenzione",
    "DatiRicezione": "ricezione",
    "DatiFattureCollegate": "fattura_collegata",
}


def ordinary(body: Node, empty: Node) -> dict[str, Any]:
    """The fields of `Invoice` that a body fills; `empty` stands for groups that are missing."""
    general = body.child("DatiGenerali") or empty
    goods = body.child("DatiBeniServizi") or empty
    return {
        **_document(general.child("DatiGeneraliDocumento") or empty),
        "references": tuple(
            _reference(each, kind) for name, kind in _REFERENCES.items() for each in general.children(name)
        ),
        "phases": tuple(phase for each in general.children("DatiSAL") for phase in each.counts("RiferimentoFase")),
        "deliveries": tuple(_delivery(each) for each in general.children("DatiDDT")),
        "transport": _transport(general.child("DatiTrasporto")),
        "main_invoice": _main_invoice(general.child("FatturaPrincipale")),
        "corrected_invoice": None,
        "lines": tuple(_line(each) for each in goods.children("DettaglioLinee")),
        "summaries": tuple(_summary(each) for each in goods.children("DatiRiepilogo")),
        "vehicle": _vehicle(body.child("DatiVeicoli")),
        "installments": installments(body),
        "attachments": attachments(body),
    }


def _document(node: Node) -> dict[str, Any]:
    stamp = node.child("DatiBollo")
    return {
        "type_code": node.text("TipoDocumento"),
        "currency": node.text("Divisa"),
        "issued_on": node.day("Data"),
        "number": node.text("Numero"),
        "withholdings": tuple(_withholding(each) for each in node.children("DatiRitenuta")),
        "stamp": stamp and model.Stamp(stamp.says_yes("BolloVirtuale"), stamp.cents("ImportoBollo")),
        "funds": tuple(_fund(each) for each in node.children("DatiCassaPrevidenziale")),
        "discounts": _discounts(node),
        "stated_total_cents": node.cents("ImportoTotaleDocumento"),
        "rounding_cents": node.cents("Arrotondamento"),
        "reasons": node.texts("Causale"),
        "art73": node.says_yes("Art73"),
    }


def _withholding(node: Node) -> model.Withholding:
    return model.Withholding(
        type_code=node.text("TipoRitenuta"),
        amount_cents=node.cents("ImportoRitenuta"),
        rate=node.number("AliquotaRitenuta"),
        reason=node.text("CausalePagamento"),
    )


def _fund(node: Node) -> model.Fund:
    return model.Fund(
        type_code=node.text("TipoCassa"),
        rate=node.number("AlCassa"),
        amount_cents=node.cents("ImportoContributoCassa"),
        taxable_cents=node.cents("ImponibileCassa"),
        vat_rate=node.number("AliquotaIVA"),
        withheld=node.says_yes("Ritenuta"),
        nature=node.text("Natura"),
        admin_reference=node.text("RiferimentoAmministrazione"),
    )


def _discounts(node: Node) -> tuple[model.Discount, ...]:
    return tuple(
        model.Discount(each.text("Tipo"), each.number("Percentuale"), each.number("Importo"))
        for each in node.children("ScontoMaggiorazione")
    )


def _reference(node: Node, kind: ReferenceKind) -> model.Reference:
    return model.Reference(
        kind=kind,
        lines=node.counts("RiferimentoNumeroLinea"),
        number=node.text("IdDocumento"),
        issued_on=node.day("Data"),
        item=node.text("NumItem"),
        job=node.text("CodiceCommessaConvenzione"),
        cup=node.text("CodiceCUP"),
        cig=node.text("CodiceCIG"),
    )


def _delivery(node: Node) -> model.Delivery:
    return model.Delivery(node.text("NumeroDDT"), node.day("DataDDT"), node.counts("RiferimentoNumeroLinea"))


def _transport(node: Node | None) -> model.Transport | None:
    if node is None:
        return None
    return model.Transport(
        carrier=parties.party(node.child("DatiAnagraficiVettore")),
        means=node.text("MezzoTrasporto"),
        reason=node.text("CausaleTrasporto"),
        packages=node.count("NumeroColli"),
        description=node.text("Descrizione"),
        weight_unit=node.text("UnitaMisuraPeso"),
        gross_weight=node.number("PesoLordo"),
        net_weight=node.number("PesoNetto"),
        collected_at=node.moment("DataOraRitiro"),
        starts_on=node.day("DataInizioTrasporto"),
        terms=node.text("TipoResa"),
        destination=parties.address(node.child("IndirizzoResa")),
        delivered_at=node.moment("DataOraConsegna"),
    )


def _main_invoice(node: Node | None) -> model.Corrected | None:
    if node is None:
        return None
    return model.Corrected(node.text("NumeroFatturaPrincipale"), node.day("DataFatturaPrincipale"))


def _line(node: Node) -> model.Line:
    total = node.number("PrezzoTotale")
    return model.Line(
        no=node.count("NumeroLinea"),
        kind=node.text("TipoCessionePrestazione"),
        codes=tuple(
            model.ItemCode(each.text("CodiceTipo"), each.text("CodiceValore"))
            for each in node.children("CodiceArticolo")
        ),
        description=node.text("Descrizione"),
        quantity=node.number("Quantita"),
        unit=node.text("UnitaMisura"),
        starts_on=node.day("DataInizioPeriodo"),
        ends_on=node.day("DataFinePeriodo"),
        price=node.number("PrezzoUnitario"),
        discounts=_discounts(node),
        total=total,
        total_cents=money.cents(total),
        vat_rate=node.number("AliquotaIVA"),
        withheld=node.says_yes("Ritenuta"),
        nature=node.text("Natura"),
        admin_reference=node.text("RiferimentoAmministrazione"),
        extras=tuple(
            model.Extra(
                each.text("TipoDato"),
                each.text("RiferimentoTesto"),
                each.number("RiferimentoNumero"),
                each.day("RiferimentoData"),
            )
            for each in node.children("AltriDatiGestionali")
        ),
    )


def _summary(node: Node) -> model.Summary:
    return model.Summary(
        vat_rate=node.number("AliquotaIVA"),
        nature=node.text("Natura"),
        extra_costs_cents=node.cents("SpeseAccessorie"),
        rounding=node.number("Arrotondamento"),
        taxable_cents=node.cents("ImponibileImporto"),
        tax_cents=node.cents("Imposta"),
        due=node.text("EsigibilitaIVA"),
        law=node.text("RiferimentoNormativo"),
    )


def _vehicle(node: Node | None) -> model.Vehicle | None:
    return None if node is None else model.Vehicle(node.day("Data"), node.text("TotalePercorso"))
