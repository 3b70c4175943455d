"""Photographs of receipts that lie askew."""

from __future__ import annotations

import math

import pytest

from functions._shared import extraction
from functions._shared.extraction import Field
from tests.functions.extraction import reading, samples
from tests.functions.extraction.sample_receipts import STRIP
from tests.functions.extraction.samples import Spoiling
from tests.functions.extraction.test_extraction import typed

DPI = 200


def photographed(angle: float) -> tuple[dict[str, Field], tuple[int, int]]:
    """Read the fields of a receipt on a dark desk, and the size of the photograph."""
    spoiling = Spoiling(dpi=DPI, skew=angle, noise=0.06, blur=0.5, jpeg=70, shadow=0.2, desk=90)
    pictures = samples.pictures(samples.sample("till").pdf, spoiling)
    pages = reading.scanned_pages(pictures, DPI)
    kind = extraction.classify(pages)
    assert (kind.kind, kind.confidence >= extraction.SURE) == ("ricevuta", True)
    return {field.key: field for field in extraction.fields(pages, kind.kind)}, pictures[0].size


def on_the_strip(field: Field, size: tuple[int, int], angle: float) -> tuple[float, float]:
    """Return the middle of the field's box, in points of the receipt as it was before it was tilted."""
    x0, y0, x1, y1 = field.box
    across = ((x0 + x1) / 20_000 - 0.5) * size[0] * 72 / DPI
    down = ((y0 + y1) / 20_000 - 0.5) * size[1] * 72 / DPI
    turn = math.radians(angle)
    return (
        STRIP[0] / 2 + math.cos(turn) * across - math.sin(turn) * down,
        STRIP[1] / 2 + math.sin(turn) * across + math.cos(turn) * down,
    )


@pytest.mark.long
@pytest.mark.parametrize("angle", [4.5, -4.5, 2, 7, -11])
def test_a_tilted_receipt_gives_total_and_tax_where_they_are(angle: float) -> None:
    straight = {
        field.key: field for field in extraction.fields(reading.text_pages(samples.sample("till").pdf), "ricevuta")
    }
    found, size = photographed(angle)
    for key in ("total", "vat"):
        assert (found[key].value, found[key].confidence >= extraction.SURE) == (samples.sample("till").truth[key], True)
        x, y = on_the_strip(found[key], size, angle)
        x0, y0, x1, y1 = straight[key].box
        left, top, right, bottom = (x0 * STRIP[0] / 1e4, y0 * STRIP[1] / 1e4, x1 * STRIP[0] / 1e4, y1 * STRIP[1] / 1e4)
        assert abs(x - (left + right) / 2) < 3
        assert abs(y - (top + bottom) / 2) < 3


@pytest.mark.parametrize(("tax", "sure"), [("10,82", True), ("5,45", True), ("7,77", False), ("99,00", None)])
def test_the_tax_of_a_receipt_is_sure_when_a_rate_makes_it(tax: str, sure: bool | None) -> None:
    pages = typed("DOCUMENTO COMMERCIALE", "TOTALE COMPLESSIVO 60,00", f"di cui IVA {tax}")
    found = {field.key: field for field in extraction.fields(pages, "ricevuta")}
    assert (found["vat"].confidence >= extraction.SURE if "vat" in found else None) == sure
