"""The fields of a document, by its kind: each with the place it was read at and how sure it is.

Below 0.8 a person should look. An amount is sure when the sums of the paper agree, an identifier when its check digit
does; what the recognition itself doubted is never sure on its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from functions._shared.extraction import amounts, currencies, heads, labels, layout, parties, roles
from functions._shared.extraction.amounts import Candidate
from functions._shared.extraction.classify import type_code
from functions._shared.extraction.currencies import DOUBTED
from functions._shared.extraction.heads import Found
from functions._shared.extraction.near import Reading
from functions._shared.extraction.pages import Correction, Field, Page

# Facts stand at the beginning, sums at the end; what lies between is never the answer.
FIRST_PAGES, LAST_PAGES = 5, 5
WELL_READ = 0.7
# No sum and no check digit finds a wrong letter of a name.
NAME_WELL_READ = 0.8
# Below it a person should look.
SURE = 0.8
DAYS = ("issued_on", "due_on")
PARTIES = ("supplier", "customer", "vat_number", "customer_vat_number", "tax_code")
# What is asked of each kind. A document of identity tells when it expires and nothing else.
ASKED = {
    "fattura": (*PARTIES, "number", "issued_on", "due_on", "iban"),
    "preventivo": (*PARTIES, "number", "issued_on", "due_on"),
    "contratto": ("supplier", "customer", "issued_on", "due_on"),
    "ricevuta": ("supplier", "customer", "vat_number", "tax_code", "number", "issued_on"),
    "f24": ("tax_code", "due_on"),
    "durc": ("supplier", "tax_code", "issued_on", "due_on"),
    "visura": ("supplier", "vat_number", "tax_code", "issued_on"),
    "documento_identita": ("due_on",),
}
SUMMED_KINDS = frozenset({"fattura", "preventivo"})
SINGLE_SUM_KINDS = frozenset({"ricevuta", "f24"})


def fields(pages: Sequence[Page], kind: str, corrections: Iterable[Correction] = ()) -> list[Field]:
    """The fields of a document of this kind (document_kind); what its owner taught about the supplier counts first."""
    asked = ASKED.get(kind)
    if asked is None:
        return []
    sheets = [layout.read(page) for page in _telling(pages)]
    sheets = [sheet for sheet in sheets if sheet.lines]
    table = labels.table()
    readings = [Reading(sheet, table) for sheet in sheets]
    who = parties.read(readings)
    if kind == "contratto":
        # Above its articles a contract has no letterhead: only roles say who is who.
        who = {key: replace(each, score=min(each.score, DOUBTED)) for key, each in who.items()} | roles.read(readings)
    vat_number = who["vat_number"].value if "vat_number" in who else None
    taught = [(each.key, each.label) for each in corrections if each.vat_number == vat_number and each.label]
    if taught:
        table = labels.table(taught)
        readings = [Reading(sheet, table) for sheet in sheets]
    found = [_field(key, who[key]) for key in PARTIES if key in asked and key in who]
    found += _heads(readings, kind, asked)
    sums = _amounts(readings, kind)
    found += [_amount(key, *each) for key, each in sums.items()]
    foreign = currencies.foreign(readings, sums["total"][0].values) if "total" in sums else None
    credit = type_code(readings[0].sheet) if kind == "fattura" and readings else None
    if foreign is not None and foreign.value == "USD":
        found = _as_americans_read(found, readings)
    return _sensible([*found, *filter(None, (foreign, credit))])


def _telling(pages: Sequence[Page]) -> Sequence[Page]:
    return pages if len(pages) <= FIRST_PAGES + LAST_PAGES else [*pages[:FIRST_PAGES], *pages[-LAST_PAGES:]]


def _heads(readings: Sequence[Reading], kind: str, asked: Sequence[str]) -> list[Field]:
    found: list[Field] = []
    if "number" in asked and (numbers := heads.numbers(readings)):
        found.append(_field("number", heads.agreed(numbers)))
    if "issued_on" in asked and (days := heads.days(readings, "issued_on")):
        day = heads.only_day(readings, days) if kind == "ricevuta" else heads.agreed(days)
        found.append(_field("issued_on", day))
    if "due_on" in asked:
        # An F24 is dated with the day on which it is paid.
        keys = ("paid_on", "issued_on") if kind == "f24" else ("due_on",)
        # «Dal … al …» ends a contract; elsewhere it is a period.
        least = 0.4 if kind == "contratto" else 0.55
        days = [day for key in keys for day in heads.days(readings, key) if day.score > least]
        found += [_due_day(_field("due_on", days[0]), days)] if days else []
    if "iban" in asked and (accounts := [value for reading in readings for value in reading.of("iban")]):
        first = accounts[0]
        beside = next((each for reading in readings for each in reading.near(first, {"iban"})), None)
        label = beside.label.text if beside else None
        found.append(Field("iban", first.value, 0.97, first.cell.page, first.box, label))
    return found


def _due_day(field: Field, days: Sequence[Found]) -> Field:
    """Paid on several days, each with its part: one day is not all."""
    others = {each.value for each in days if each.score > heads.RIVAL * days[0].score}
    return _doubted(field) if len(others) > 1 else field


def _as_americans_read(found: Sequence[Field], readings: Sequence[Reading]) -> list[Field]:
    """«04/03/2026» is in April on a paper from there: somebody must look."""
    unclear = {value.box for reading in readings for value in reading.of("day") if value.may_be_month_first}
    return [_doubted(each) if each.key in DAYS and each.box in unclear else each for each in found]


def _amounts(readings: Sequence[Reading], kind: str) -> dict[str, tuple[Candidate, float]]:
    if kind in SUMMED_KINDS:
        found = amounts.solve(readings)
        return found if kind == "fattura" else {key: found[key] for key in ("net", "vat", "total") if key in found}
    single = amounts.single(readings) if kind in SINGLE_SUM_KINDS else None
    if single is None:
        return {}
    tax = amounts.included_tax(readings, single[0]) if kind == "ricevuta" else None
    return {"total": single} if tax is None else {"total": single, "vat": tax}


def _amount(key: str, candidate: Candidate, confidence: float) -> Field:
    cents = abs(candidate.cents) if key == "withholding" else candidate.cents
    return Field(key, str(cents), round(confidence, 2), candidate.page, candidate.box, candidate.label)


def _field(key: str, found: Found) -> Field:
    confidence = min(0.97, found.score)
    # Checked by its check digit, whoever it belongs to; names, numbers and what is of abroad are only as good as they
    # were read.
    is_checked = key == "tax_code" or (key in ("vat_number", "customer_vat_number") and found.value.isdigit())
    is_name = key in ("supplier", "customer")
    if not is_checked and found.read_well < (NAME_WELL_READ if is_name else WELL_READ):
        confidence = min(confidence, 0.75)
    return Field(key, found.value, round(max(0.05, confidence), 2), found.page, found.box, found.label)


def _sensible(found: Sequence[Field]) -> list[Field]:
    """A day of payment before the day of issue is doubtful, both are; so is a total of a doubtful currency."""
    if any(field.key == "currency" and field.confidence < SURE for field in found):
        found = [_doubted(field) if field.key == "total" else field for field in found]
    days = {field.key: field.value for field in found if field.key in DAYS}
    if len(days) == 2 and days["due_on"] < days["issued_on"]:
        return [_doubted(field) if field.key in days else field for field in found]
    return list(found)


def _doubted(field: Field) -> Field:
    return Field(field.key, field.value, min(field.confidence, DOUBTED), field.page, field.box, field.label)
