"""Writes invoices as XML, element by element in the order of the public schema (1.2.x and FSM10)."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, TypeAlias
from xml.sax.saxutils import escape

from functions._shared.fatturapa.model import (
    Address,
    Attachment,
    Corrected,
    Discount,
    Fund,
    Installment,
    Invoice,
    Line,
    Party,
    Reference,
    Summary,
    Transport,
)

# A tag with its value, its children (a list), or None for nothing at all.
Element: TypeAlias = tuple[str, Any]

NAMESPACE = "http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2"
REFERENCES = {
    "ordine": "DatiOrdineAcquisto",
    "contratto": "DatiContratto",
    "convenzione": "DatiConvenzione",
    "ricezione": "DatiRicezione",
    "fattura_collegata": "DatiFattureCollegate",
}
# What the reader works out, and what it is in an invoice that nobody read.
WORKED_OUT: dict[str, Any] = {
    "net_cents": None,
    "vat_cents": None,
    "total_cents": None,
    "due_cents": None,
    "stamp_borne_by": None,
    "findings": (),
}


def as_written(invoice: Invoice) -> Invoice:
    """The invoice without what the reader works out."""
    return replace(invoice, **WORKED_OUT)


def written(bodies: Sequence[Invoice], *, prefix: str = "p:", declaration: str = "UTF-8", inside: str = "") -> str:
    """The text of a file with these bodies; the header is the first one's, `inside` is put before the end."""
    first = bodies[0]
    short = first.version == "FSM10"
    root = f"{prefix}FatturaElettronica{'Semplificata' if short else ''}"
    space = NAMESPACE.replace("v1.2", "v1.0") if short else NAMESPACE
    name = f"xmlns:{prefix[:-1]}" if prefix else "xmlns"
    children: list[Element] = [("FatturaElettronicaHeader", short_header(first) if short else header(first))]
    children += [("FatturaElettronicaBody", (short_body if short else body)(each)) for each in bodies]
    return (
        f'<?xml version="1.0" encoding="{declaration}"?>\n<?xml-stylesheet type="text/xsl" href="fatturaPA.xsl"?>\n'
        f'<{root} versione="{first.version}" {name}="{space}">{"".join(serialised(children))}{inside}</{root}>'
    )


def serialised(elements: list[Element]) -> Iterator[str]:
    """Elements without a value are left out."""
    for tag, value in elements:
        if isinstance(value, list):
            inner = "".join(serialised(value))
            if inner:
                yield f"<{tag}>{inner}</{tag}>\n"
        elif value is not None and value is not False:
            text = "SI" if value is True else value.isoformat() if isinstance(value, date) else escape(str(value))
            yield f"<{tag}>{text}</{tag}>"


def amount(cents: int | None) -> str | None:
    """Cents as the schema writes amounts."""
    return None if cents is None else f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02}"


def header(invoice: Invoice) -> list[Element]:
    return [
        ("DatiTrasmissione", transmission(invoice)),
        ("CedentePrestatore", party(invoice.supplier)),
        ("RappresentanteFiscale", party(invoice.representative)),
        ("CessionarioCommittente", party(invoice.customer)),
        ("TerzoIntermediarioOSoggettoEmittente", party(invoice.intermediary)),
        ("SoggettoEmittente", invoice.issued_by),
    ]


def transmission(invoice: Invoice) -> list[Element]:
    of = invoice.transmission
    return [
        ("IdTrasmittente", [("IdPaese", of.sender and of.sender[:2]), ("IdCodice", of.sender and of.sender[2:])]),
        ("ProgressivoInvio", of.progressive),
        ("FormatoTrasmissione", of.format),
        ("CodiceDestinatario", of.recipient_code),
        ("ContattiTrasmittente", [("Telefono", of.phone), ("Email", of.email)]),
        ("PECDestinatario", of.recipient_pec),
    ]


def vat_id(of: Party) -> Element:
    return ("IdFiscaleIVA", [("IdPaese", of.vat_country), ("IdCodice", of.vat_number)])


def names(of: Party) -> list[Element]:
    whole = None if of.first_name or of.last_name else of.name
    return [("Denominazione", whole), ("Nome", of.first_name), ("Cognome", of.last_name)]


def party(of: Party | None) -> list[Element]:
    if of is None:
        return []
    listed = of.professional
    registered = of.registration
    return [
        (
            "DatiAnagrafici",
            [
                vat_id(of),
                ("CodiceFiscale", of.tax_code),
                ("Anagrafica", [*names(of), ("Titolo", of.title), ("CodEORI", of.eori)]),
                ("AlboProfessionale", listed and listed.register),
                ("ProvinciaAlbo", listed and listed.province),
                ("NumeroIscrizioneAlbo", listed and listed.number),
                ("DataIscrizioneAlbo", listed and listed.since),
                ("RegimeFiscale", of.regime),
            ],
        ),
        ("Sede", address(of.address)),
        ("StabileOrganizzazione", address(of.branch)),
        (
            "IscrizioneREA",
            [
                ("Ufficio", registered.office),
                ("NumeroREA", registered.number),
                ("CapitaleSociale", amount(registered.capital_cents)),
                ("SocioUnico", registered.sole_partner),
                ("StatoLiquidazione", registered.liquidation),
            ]
            if registered
            else [],
        ),
        ("Contatti", [("Telefono", of.phone), ("Fax", of.fax), ("Email", of.email)]),
        ("RiferimentoAmministrazione", of.admin_reference),
        ("RappresentanteFiscale", [vat_id(of.representative), *names(of.representative)] if of.representative else []),
    ]


def address(of: Address | None) -> list[Element]:
    if of is None:
        return []
    return [
        ("Indirizzo", of.street),
        ("NumeroCivico", of.number),
        ("CAP", of.postal_code),
        ("Comune", of.city),
        ("Provincia", of.province),
        ("Nazione", of.country),
    ]


def body(invoice: Invoice) -> list[Element]:
    return [
        ("DatiGenerali", general(invoice)),
        (
            "DatiBeniServizi",
            [
                *(("DettaglioLinee", line(each)) for each in invoice.lines),
                *(("DatiRiepilogo", summary(each)) for each in invoice.summaries),
            ],
        ),
        (
            "DatiVeicoli",
            [("Data", invoice.vehicle.registered_on), ("TotalePercorso", invoice.vehicle.distance)]
            if invoice.vehicle
            else [],
        ),
        *(
            ("DatiPagamento", [("CondizioniPagamento", each.condition), ("DettaglioPagamento", installment(each))])
            for each in invoice.installments
        ),
        *(("Allegati", attachment(each)) for each in invoice.attachments),
    ]


def general(invoice: Invoice) -> list[Element]:
    main = invoice.main_invoice
    return [
        ("DatiGeneraliDocumento", document(invoice)),
        *(
            (tag, reference(each))
            for kind, tag in REFERENCES.items()
            for each in invoice.references
            if each.kind == kind
        ),
        *(("DatiSAL", [("RiferimentoFase", each)]) for each in invoice.phases),
        *(
            (
                "DatiDDT",
                [
                    ("NumeroDDT", each.number),
                    ("DataDDT", each.issued_on),
                    *(("RiferimentoNumeroLinea", no) for no in each.lines),
                ],
            )
            for each in invoice.deliveries
        ),
        ("DatiTrasporto", transport(invoice.transport)),
        (
            "FatturaPrincipale",
            [("NumeroFatturaPrincipale", main.number), ("DataFatturaPrincipale", main.issued_on)] if main else [],
        ),
    ]


def document(invoice: Invoice) -> list[Element]:
    stamp = invoice.stamp
    return [
        ("TipoDocumento", invoice.type_code),
        ("Divisa", invoice.currency),
        ("Data", invoice.issued_on),
        ("Numero", invoice.number),
        *(
            (
                "DatiRitenuta",
                [
                    ("TipoRitenuta", each.type_code),
                    ("ImportoRitenuta", amount(each.amount_cents)),
                    ("AliquotaRitenuta", each.rate),
                    ("CausalePagamento", each.reason),
                ],
            )
            for each in invoice.withholdings
        ),
        (
            "DatiBollo",
            [("BolloVirtuale", stamp.virtual), ("ImportoBollo", amount(stamp.amount_cents))] if stamp else [],
        ),
        *(("DatiCassaPrevidenziale", fund(each)) for each in invoice.funds),
        *discounts(invoice.discounts),
        ("ImportoTotaleDocumento", amount(invoice.stated_total_cents)),
        ("Arrotondamento", amount(invoice.rounding_cents)),
        *(("Causale", each) for each in invoice.reasons),
        ("Art73", invoice.art73),
    ]


def fund(of: Fund) -> list[Element]:
    return [
        ("TipoCassa", of.type_code),
        ("AlCassa", of.rate),
        ("ImportoContributoCassa", amount(of.amount_cents)),
        ("ImponibileCassa", amount(of.taxable_cents)),
        ("AliquotaIVA", of.vat_rate),
        ("Ritenuta", of.withheld),
        ("Natura", of.nature),
        ("RiferimentoAmministrazione", of.admin_reference),
    ]


def discounts(of: Sequence[Discount]) -> list[Element]:
    return [
        ("ScontoMaggiorazione", [("Tipo", each.kind), ("Percentuale", each.percent), ("Importo", each.amount)])
        for each in of
    ]


def reference(of: Reference) -> list[Element]:
    return [
        *(("RiferimentoNumeroLinea", no) for no in of.lines),
        ("IdDocumento", of.number),
        ("Data", of.issued_on),
        ("NumItem", of.item),
        ("CodiceCommessaConvenzione", of.job),
        ("CodiceCUP", of.cup),
        ("CodiceCIG", of.cig),
    ]


def transport(of: Transport | None) -> list[Element]:
    if of is None:
        return []
    carrier = [each for tag, each in party(of.carrier) if tag == "DatiAnagrafici"] if of.carrier else [None]
    return [
        ("DatiAnagraficiVettore", carrier[0]),
        ("MezzoTrasporto", of.means),
        ("CausaleTrasporto", of.reason),
        ("NumeroColli", of.packages),
        ("Descrizione", of.description),
        ("UnitaMisuraPeso", of.weight_unit),
        ("PesoLordo", of.gross_weight),
        ("PesoNetto", of.net_weight),
        ("DataOraRitiro", of.collected_at),
        ("DataInizioTrasporto", of.starts_on),
        ("TipoResa", of.terms),
        ("IndirizzoResa", address(of.destination)),
        ("DataOraConsegna", of.delivered_at),
    ]


def line(of: Line) -> list[Element]:
    return [
        ("NumeroLinea", of.no),
        ("TipoCessionePrestazione", of.kind),
        *(("CodiceArticolo", [("CodiceTipo", each.kind), ("CodiceValore", each.value)]) for each in of.codes),
        ("Descrizione", of.description),
        ("Quantita", of.quantity),
        ("UnitaMisura", of.unit),
        ("DataInizioPeriodo", of.starts_on),
        ("DataFinePeriodo", of.ends_on),
        ("PrezzoUnitario", of.price),
        *discounts(of.discounts),
        ("PrezzoTotale", of.total),
        ("AliquotaIVA", of.vat_rate),
        ("Ritenuta", of.withheld),
        ("Natura", of.nature),
        ("RiferimentoAmministrazione", of.admin_reference),
        *(
            (
                "AltriDatiGestionali",
                [
                    ("TipoDato", each.kind),
                    ("RiferimentoTesto", each.text),
                    ("RiferimentoNumero", each.number),
                    ("RiferimentoData", each.day),
                ],
            )
            for each in of.extras
        ),
    ]


def summary(of: Summary) -> list[Element]:
    return [
        ("AliquotaIVA", of.vat_rate),
        ("Natura", of.nature),
        ("SpeseAccessorie", amount(of.extra_costs_cents)),
        ("Arrotondamento", of.rounding),
        ("ImponibileImporto", amount(of.taxable_cents)),
        ("Imposta", amount(of.tax_cents)),
        ("EsigibilitaIVA", of.due),
        ("RiferimentoNormativo", of.law),
    ]


def installment(of: Installment) -> list[Element]:
    return [
        ("Beneficiario", of.beneficiary),
        ("ModalitaPagamento", of.method),
        ("DataRiferimentoTerminiPagamento", of.terms_from),
        ("GiorniTerminiPagamento", of.terms_days),
        ("DataScadenzaPagamento", None if of.due_by_terms else of.due_on),
        ("ImportoPagamento", amount(of.amount_cents)),
        ("CodUfficioPostale", of.post_office),
        ("CognomeQuietanzante", of.receipt_name),
        ("CFQuietanzante", of.receipt_tax_code),
        ("IstitutoFinanziario", of.bank),
        ("IBAN", of.iban),
        ("ABI", of.abi),
        ("CAB", of.cab),
        ("BIC", of.bic),
        ("ScontoPagamentoAnticipato", amount(of.early_discount_cents)),
        ("DataLimitePagamentoAnticipato", of.early_until),
        ("PenalitaPagamentiRitardati", amount(of.late_penalty_cents)),
        ("DataDecorrenzaPenale", of.late_from),
        ("CodicePagamento", of.payment_code),
    ]


def attachment(of: Attachment) -> list[Element]:
    return [
        ("NomeAttachment", of.name),
        ("AlgoritmoCompressione", of.compression),
        ("FormatoAttachment", of.format),
        ("DescrizioneAttachment", of.description),
        ("Attachment", base64.b64encode(of.content or b"").decode() or None),
    ]


def short_header(invoice: Invoice) -> list[Element]:
    supplier, customer = invoice.supplier, invoice.customer
    return [
        ("DatiTrasmissione", transmission(invoice)),
        (
            "CedentePrestatore",
            [
                vat_id(supplier),
                ("CodiceFiscale", supplier.tax_code),
                *names(supplier),
                ("Sede", address(supplier.address)),
                ("StabileOrganizzazione", address(supplier.branch)),
                ("RegimeFiscale", supplier.regime),
            ],
        ),
        (
            "CessionarioCommittente",
            [
                ("IdentificativiFiscali", [vat_id(customer), ("CodiceFiscale", customer.tax_code)]),
                ("AltriDatiIdentificativi", [*names(customer), ("Sede", address(customer.address))]),
            ],
        ),
        ("SoggettoEmittente", invoice.issued_by),
    ]


def short_body(invoice: Invoice) -> list[Element]:
    fixed: Corrected | None = invoice.corrected_invoice
    laws = {(each.vat_rate, each.nature): each.law for each in invoice.summaries}
    return [
        (
            "DatiGenerali",
            [
                (
                    "DatiGeneraliDocumento",
                    [
                        ("TipoDocumento", invoice.type_code),
                        ("Divisa", invoice.currency),
                        ("Data", invoice.issued_on),
                        ("Numero", invoice.number),
                        ("BolloVirtuale", invoice.stamp is not None),
                    ],
                ),
                (
                    "DatiFatturaRettificata",
                    [("NumeroFR", fixed.number), ("DataFR", fixed.issued_on), ("ElementiRettificati", fixed.elements)]
                    if fixed
                    else [],
                ),
            ],
        ),
        *(
            (
                "DatiBeniServizi",
                [
                    ("Descrizione", each.description),
                    ("Importo", each.total),
                    ("DatiIVA", [("Aliquota", each.vat_rate)]),
                    ("Natura", each.nature),
                    ("RiferimentoNormativo", laws[(each.vat_rate, each.nature)]),
                ],
            )
            for each in invoice.lines
        ),
        *(("Allegati", attachment(each)) for each in invoice.attachments),
    ]
