"""What an electronic invoice says, typed: the names of the schema 1.2.x and of FSM10 in English, values as they stand.

Money is whole cents. Prices, quantities and rates keep their decimals, as text («22.00», «0.00012345»). A value that is
missing in the file is None here; nothing is filled in. Codes stay codes (`codes` has their words). The fields of
`Invoice` that are worked out, not read, are named in its docstring.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Literal, TypeAlias

from functions._shared.fatturapa import as_json

Severity: TypeAlias = Literal["errore", "avviso", "nota"]
Direction: TypeAlias = Literal["attiva", "passiva"]
ReferenceKind: TypeAlias = Literal["ordine", "contratto", "convenzione", "ricezione", "fattura_collegata"]

ELECTRONIC = ("FPA12", "FPR12", "FSM10")
SIMPLIFIED = "FSM10"
CREDIT_NOTES = frozenset({"TD04", "TD08"})
# Documents for the tax office: nobody is paid by them.
SELF_INVOICES = frozenset({"TD16", "TD17", "TD18", "TD19", "TD20", "TD21", "TD22", "TD23", "TD27", "TD28", "TD29"})


@dataclass(frozen=True)
class Finding:
    """Something about an invoice that does not fit, or that one should know; `text` is Italian, with the figures."""

    code: str
    severity: Severity
    text: str


@dataclass(frozen=True)
class Address:
    """Where a party is; `country` is ISO 3166."""

    street: str | None
    number: str | None
    postal_code: str | None
    city: str | None
    province: str | None
    country: str | None


@dataclass(frozen=True)
class Registration:
    """Entry in the register of companies (REA); `sole_partner` SU or SM, `liquidation` LS or LN."""

    office: str | None
    number: str | None
    capital_cents: int | None
    sole_partner: str | None
    liquidation: str | None


@dataclass(frozen=True)
class Professional:
    """Entry in a professional register."""

    register: str | None
    province: str | None
    number: str | None
    since: date | None


@dataclass(frozen=True)
class Party:
    """Somebody who stands on an invoice; `vat_country` and `vat_number` are the two halves of the VAT identifier."""

    name: str | None
    vat_country: str | None
    vat_number: str | None
    tax_code: str | None
    first_name: str | None = None
    last_name: str | None = None
    title: str | None = None
    eori: str | None = None
    regime: str | None = None
    professional: Professional | None = None
    address: Address | None = None
    branch: Address | None = None
    registration: Registration | None = None
    phone: str | None = None
    fax: str | None = None
    email: str | None = None
    admin_reference: str | None = None
    representative: Party | None = None


@dataclass(frozen=True)
class Transmission:
    """How the file was sent: `recipient_code` is the codice destinatario or the office of an administration."""

    sender: str | None
    progressive: str | None
    format: str | None
    recipient_code: str | None
    recipient_pec: str | None
    phone: str | None
    email: str | None


@dataclass(frozen=True)
class Withholding:
    """Ritenuta: what the customer pays to the state or to a fund instead of the supplier."""

    type_code: str | None
    amount_cents: int | None
    rate: str | None
    reason: str | None


# Who pays the stamp: it is added to the total, it is a line (so in the net amount too), or the supplier keeps it.
StampBearer: TypeAlias = Literal["totale", "riga", "emittente"]


@dataclass(frozen=True)
class Stamp:
    """Imposta di bollo."""

    virtual: bool
    amount_cents: int | None


@dataclass(frozen=True)
class Fund:
    """Contribution to a professional's pension fund; `taxable_cents` is what it is reckoned on."""

    type_code: str | None
    rate: str | None
    amount_cents: int | None
    taxable_cents: int | None
    vat_rate: str | None
    withheld: bool
    nature: str | None
    admin_reference: str | None


@dataclass(frozen=True)
class Discount:
    """A discount (SC) or a surcharge (MG), by per cent or by amount."""

    kind: str | None
    percent: str | None
    amount: str | None


@dataclass(frozen=True)
class Reference:
    """Another document that this one, or some of its lines, refers to."""

    kind: ReferenceKind
    lines: tuple[int, ...]
    number: str | None
    issued_on: date | None
    item: str | None
    job: str | None
    cup: str | None
    cig: str | None


@dataclass(frozen=True)
class Delivery:
    """Documento di trasporto."""

    number: str | None
    issued_on: date | None
    lines: tuple[int, ...]


@dataclass(frozen=True)
class Transport:
    """How goods travel; weights as text with their unit beside them."""

    carrier: Party | None
    means: str | None
    reason: str | None
    packages: int | None
    description: str | None
    weight_unit: str | None
    gross_weight: str | None
    net_weight: str | None
    collected_at: datetime | None
    starts_on: date | None
    terms: str | None
    destination: Address | None
    delivered_at: datetime | None


@dataclass(frozen=True)
class Corrected:
    """Which invoice this one belongs to: the main one (FatturaPrincipale) or the one a simplified note corrects."""

    number: str | None
    issued_on: date | None
    elements: str | None = None


@dataclass(frozen=True)
class ItemCode:
    """A code of an article, with the list it is from."""

    kind: str | None
    value: str | None


@dataclass(frozen=True)
class Extra:
    """AltriDatiGestionali."""

    kind: str | None
    text: str | None
    number: str | None
    day: date | None


@dataclass(frozen=True)
class Line:
    """A line; `total` keeps its decimals, `total_cents` is rounded. A simplified invoice's total includes the VAT."""

    no: int | None
    kind: str | None
    codes: tuple[ItemCode, ...]
    description: str | None
    quantity: str | None
    unit: str | None
    starts_on: date | None
    ends_on: date | None
    price: str | None
    discounts: tuple[Discount, ...]
    total: str | None
    total_cents: int | None
    vat_rate: str | None
    withheld: bool
    nature: str | None
    admin_reference: str | None
    extras: tuple[Extra, ...]


@dataclass(frozen=True)
class Summary:
    """DatiRiepilogo: all lines of one rate, or of one reason for no tax. `due` is EsigibilitaIVA: I, D or S."""

    vat_rate: str | None
    nature: str | None
    extra_costs_cents: int | None
    rounding: str | None
    taxable_cents: int | None
    tax_cents: int | None
    due: str | None
    law: str | None


@dataclass(frozen=True)
class Vehicle:
    """DatiVeicoli."""

    registered_on: date | None
    distance: str | None


@dataclass(frozen=True)
class Installment:
    """DettaglioPagamento. `due_by_terms` says that `due_on` was counted: `terms_from` plus `terms_days`."""

    no: int
    condition: str | None
    beneficiary: str | None
    method: str | None
    terms_from: date | None
    terms_days: int | None
    due_on: date | None
    due_by_terms: bool
    amount_cents: int | None
    post_office: str | None
    receipt_name: str | None
    receipt_tax_code: str | None
    bank: str | None
    iban: str | None
    abi: str | None
    cab: str | None
    bic: str | None
    early_discount_cents: int | None
    early_until: date | None
    late_penalty_cents: int | None
    late_from: date | None
    payment_code: str | None


@dataclass(frozen=True)
class Attachment:
    """A file inside the invoice. Its bytes are not part of the JSON; None when they cannot be decoded."""

    name: str
    compression: str | None
    format: str | None
    description: str | None
    size_bytes: int | None
    content: bytes | None = field(default=None, repr=False, compare=False, metadata={"in_json": False})


@dataclass(frozen=True)
class Signature:
    """Who signed the file. `verified` True: the bytes are intact and this certificate signed them; False: they do not
    match; None: not checkable here. Whether the issuer is to be trusted is never claimed; `note` says all in words."""

    signer: str | None
    issuer: str | None
    valid_from: datetime | None
    valid_until: datetime | None
    signed_at: datetime | None
    verified: bool | None
    note: str


@dataclass(frozen=True)
class Invoice:
    """One body of a file with the header it shares.

    Worked out: `net_cents` (sum of the summary's taxable amounts), `vat_cents` (sum of its taxes), `total_cents` (the
    stated total, else net, tax and rounding), `due_cents` (total less what the customer withholds or pays to the state
    himself), `stamp_borne_by`, `findings`. Each is None when a figure it needs is missing.
    """

    version: str
    body_no: int
    transmission: Transmission
    supplier: Party
    customer: Party
    representative: Party | None
    intermediary: Party | None
    issued_by: str | None
    type_code: str | None
    currency: str | None
    issued_on: date | None
    number: str | None
    withholdings: tuple[Withholding, ...]
    stamp: Stamp | None
    funds: tuple[Fund, ...]
    discounts: tuple[Discount, ...]
    stated_total_cents: int | None
    rounding_cents: int | None
    reasons: tuple[str, ...]
    art73: bool
    references: tuple[Reference, ...]
    phases: tuple[int, ...]
    deliveries: tuple[Delivery, ...]
    transport: Transport | None
    main_invoice: Corrected | None
    corrected_invoice: Corrected | None
    lines: tuple[Line, ...]
    summaries: tuple[Summary, ...]
    vehicle: Vehicle | None
    installments: tuple[Installment, ...]
    attachments: tuple[Attachment, ...]
    signature: Signature | None = None
    net_cents: int | None = None
    vat_cents: int | None = None
    total_cents: int | None = None
    due_cents: int | None = None
    stamp_borne_by: StampBearer | None = None
    findings: tuple[Finding, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The invoice as `json.dumps` takes it: the shape that the package describes."""
        content: dict[str, Any] = as_json.encoded(self)
        return content

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Invoice:
        """The invoice back; attachments have no bytes. Raises ValueError, TypeError or KeyError for anything else."""
        return as_json.decoded(cls, content)
