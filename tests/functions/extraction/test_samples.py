"""The sample documents that other tests stand on."""

from __future__ import annotations

import hashlib

import pytest

from functions._shared import tax_ids
from tests.functions.extraction import samples


@pytest.mark.parametrize("layout", [*samples.INVOICES, *samples.OTHERS])
def test_a_sample_is_the_same_for_the_same_seed_and_true_to_itself(layout: str) -> None:
    one, again, other = samples.sample(layout), samples.sample(layout), samples.sample(layout, 2)
    assert one == again
    assert hashlib.sha256(one.pdf).digest() != hashlib.sha256(other.pdf).digest()
    if one.kind == "fattura":
        assert int(one.truth["net"]) + int(one.truth["vat"]) in (int(one.truth["total"]), int(one.truth["total"]) - 200)
        assert tax_ids.vat_number(one.truth["vat_number"])


def test_a_bad_scan_is_no_clean_picture_and_as_large() -> None:
    pdf = samples.sample("boxes").pdf
    clean, bad = (samples.pictures(pdf, samples.SCANS[name])[0] for name in ("clean", "photographed"))
    assert clean.size == bad.size
    assert clean.tobytes() != bad.tobytes()
