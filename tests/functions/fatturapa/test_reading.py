"""Electronic invoices: every figure of every kind is read back, and nothing else than an invoice gets through."""

from __future__ import annotations

import json

import pytest

from backend.core import config
from functions._shared import fatturapa
from functions._shared.fatturapa.model import Invoice
from tests.functions.fatturapa import samples
from tests.functions.fatturapa.builder import as_written

VECTOR = config.ROOT / "tests" / "vectors" / "fattura_content.json"


@pytest.mark.parametrize("name", samples.SAMPLES)
def test_every_figure_is_read_back(name: str) -> None:
    written = samples.SAMPLES[name]()
    read = fatturapa.read(samples.as_bytes(name))
    assert [as_written(each) for each in read] == written
    assert [each.content for one in read for each in one.attachments] == [
        each.content for one in written for each in one.attachments
    ]


@pytest.mark.parametrize("name", samples.SAMPLES)
def test_a_correct_invoice_has_nothing_to_find_fault_with(name: str) -> None:
    found = [each for invoice in fatturapa.read(samples.as_bytes(name)) for each in invoice.findings]
    assert [each for each in found if each.severity != "nota"] == []


@pytest.mark.parametrize("name", samples.SAMPLES)
def test_the_json_is_the_invoice(name: str) -> None:
    for invoice in fatturapa.read(samples.as_bytes(name)):
        assert Invoice.from_json(json.loads(json.dumps(invoice.to_json()))) == invoice


def test_content_that_was_kept_before_a_field_came_can_still_be_read() -> None:
    (invoice,) = fatturapa.read(samples.as_bytes("plain"))
    content = invoice.to_json()
    del content["phases"], content["vehicle"]
    assert Invoice.from_json(content) == invoice
    for damaged in ({}, {**content, "art73": 1}, {**content, "lines": None}):
        with pytest.raises((KeyError, ValueError, TypeError)):
            Invoice.from_json(damaged)


def test_the_example_for_the_client_is_what_is_written() -> None:
    content = fatturapa.read(samples.as_bytes("professional"))[0].to_json()
    assert content == json.loads(VECTOR.read_text())
