"""Generated files say what the migrations say."""

from __future__ import annotations

import pytest

from scripts import gen_catalog, gen_types

pytestmark = pytest.mark.anyio


async def test_client_types_are_fresh(database: str) -> None:
    assert gen_types.OUTPUT.read_text() == await gen_types.generate(database), "stale: run `make types`"


async def test_catalogue_of_the_client_is_fresh(database: str) -> None:
    written = (gen_catalog.OUTPUT.read_text(), gen_catalog.LEGAL_OUTPUT.read_text())
    assert written == await gen_catalog.generate(database), "stale: run `make types`"
