"""Any invoice that can be written is read back as it was, whatever of it is missing: by Hypothesis, from the types."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from functions._shared import fatturapa
from functions._shared.fatturapa import as_json, money
from functions._shared.fatturapa.model import Attachment, Installment, Invoice, Line, Party, Reference, Summary
from tests.functions.fatturapa import builder

# What is worked out, or is not in the part of the file that the builder writes.
NOT_WRITTEN = {*builder.WORKED_OUT, "signature"}
NUMBERS = {
    "rate",
    "vat_rate",
    "percent",
    "amount",
    "quantity",
    "price",
    "total",
    "rounding",
    "gross_weight",
    "net_weight",
}

KINDS = list(builder.REFERENCES)

words = st.text(
    st.characters(min_codepoint=0x20, max_codepoint=0xFF, exclude_categories=["Cc"]), min_size=1, max_size=30
)
texts = words.map(str.strip).filter(lambda text: text.strip() == text and text != "")
numbers = st.decimals(-99_999, 99_999, places=8).map(lambda number: f"{number:f}")
cents = st.integers(-(10**11), 10**11)
days = st.dates(date(1900, 1, 1), date(2100, 1, 1))


def written(kind: type, field: str, hint: Any) -> st.SearchStrategy[Any]:
    """Values for a field, by its type and name."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        inner = next(each for each in arguments if each is not type(None))
        return st.none() | written(kind, field, inner)
    if origin is tuple:
        return st.lists(written(kind, field, arguments[0]), max_size=2).map(tuple)
    if origin is Literal:
        return st.sampled_from(arguments)
    if hint is str:
        is_number = field in NUMBERS or (kind.__name__, field) == ("Extra", "number")
        return numbers if is_number else texts
    if hint is int:
        return cents if field.endswith("_cents") else st.integers(0, 9_999)
    simple: Mapping[Any, st.SearchStrategy[Any]] = {
        bool: st.booleans(), date: days, datetime: st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1)),  # noqa: DTZ001
    }  # fmt: skip
    return simple[hint] if hint in simple else objects(hint, nested=True)


def objects(kind: type, *, nested: bool = False) -> st.SearchStrategy[Any]:
    """Objects of a class of the model."""
    hints = get_type_hints(kind)
    names = [each.name for each in dataclasses.fields(kind)]
    left_out = NOT_WRITTEN if kind is Invoice else {"representative"} if kind is Party and nested else set()
    chosen = {name: written(kind, name, hints[name]) for name in names if name not in left_out and name != "content"}
    return st.builds(kind, **chosen)


def whole(invoice: Invoice) -> Invoice:
    """As the schema can say it: names by one way only, bodies that follow from others, groups that are not empty."""
    return replace(
        invoice,
        version="FPR12",
        number=invoice.number or "1",
        body_no=1,
        corrected_invoice=None,
        main_invoice=invoice.main_invoice and replace(invoice.main_invoice, elements=None),
        supplier=named(invoice.supplier),
        customer=named(invoice.customer),
        representative=invoice.representative and plain(invoice.representative),
        intermediary=invoice.intermediary and plain(invoice.intermediary),
        transmission=replace(invoice.transmission, sender="IT1", format="FPR12"),
        lines=tuple(replace(each, total_cents=money.cents(each.total)) for each in invoice.lines),
        installments=tuple(due(each, no) for no, each in enumerate(invoice.installments, 1)),
        attachments=tuple(replace(each, size_bytes=2, content=b"ok") for each in invoice.attachments),
        references=tuple(sorted(map(numbered, invoice.references), key=lambda each: KINDS.index(each.kind))),
        transport=invoice.transport and replace(invoice.transport, carrier=None, reason="Vendita"),
        discounts=(),
    )


def numbered(reference: Reference) -> Reference:
    """The schema asks for the number."""
    return replace(reference, number=reference.number or "1")


def named(party: Party) -> Party:
    """Either a company or a person."""
    parts = [each for each in (party.first_name, party.last_name) if each]
    return replace(party, name=" ".join(parts) or party.name)


def plain(party: Party) -> Party:
    """Of those in the middle only who they are is said."""
    return Party("Qualcuno", party.vat_country, party.vat_number, party.tax_code, title=party.title, eori=party.eori)


def due(each: Installment, no: int) -> Installment:
    """By a day, not by terms."""
    iban = each.iban and "".join(each.iban.split()).upper()
    return replace(each, no=no, due_by_terms=False, terms_days=None, iban=iban or None)


def without_nothing(value: Any) -> Any:
    """JSON in which a group that says nothing is no group, as in a file."""
    if isinstance(value, dict):
        kept = {name: without_nothing(each) for name, each in value.items()}
        return None if all(each in (None, [], False) for each in kept.values()) else kept
    if isinstance(value, list):
        return [each for each in map(without_nothing, value) if each is not None]
    return value


@given(objects(Invoice).map(whole))
# Without shrinking: a whole invoice would take minutes, and the difference is told field by field.
@settings(max_examples=60, deadline=None, phases=[Phase.generate])
def test_what_is_written_is_read(invoice: Invoice) -> None:
    (read,) = fatturapa.read(builder.written([invoice]).encode(), today=date(2026, 11, 21))
    assert without_nothing(builder.as_written(read).to_json()) == without_nothing(invoice.to_json())
    assert Invoice.from_json(read.to_json()) == read


@given(st.sampled_from([Line, Summary, Reference, Party, Attachment]).flatmap(objects))
@settings(max_examples=60, deadline=None)
def test_json_is_the_way_there_and_back(value: Any) -> None:
    assert as_json.decoded(type(value), as_json.encoded(value)) == value


@given(st.decimals(-(10**9), 10**9, places=8))
def test_cents_are_rounded_half_up(number: Decimal) -> None:
    found = money.cents(f"{number:f}")
    assert found is not None
    assert abs(Decimal(found) / 100 - number) <= Decimal("0.005")
