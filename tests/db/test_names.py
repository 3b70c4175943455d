"""Names as SQL compares them: the cases that Python passes as well, and the lookups that use them."""

from __future__ import annotations

import json
from uuid import UUID

import pytest

from backend.core import config
from tests.db import access, crm
from tests.db.access import PEOPLE
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

CASES = json.loads((config.ROOT / "tests" / "vectors" / "names.json").read_text("utf-8"))
OWNER = PEOPLE["owner"]
SAME = "select private.name_key($1) = private.name_key($2)"


@pytest.mark.parametrize(("text", "words"), CASES["words"].items())
async def test_words_are_those_of_python(connection: Connection, text: str, words: str) -> None:
    assert await connection.fetchval("select private.words($1)", text) == words
    assert await connection.fetchval("select private.words($1)", words) == words


@pytest.mark.parametrize(("one", "other"), CASES["same"])
async def test_names_that_are_written_differently_have_one_key(connection: Connection, one: str, other: str) -> None:
    assert await connection.fetchval(SAME, one, other)


@pytest.mark.parametrize(("one", "other"), [*CASES["different"], ("«…»", "***")])
async def test_different_names_have_different_keys(connection: Connection, one: str, other: str) -> None:
    assert not await connection.fetchval(SAME, one, other)


@pytest.mark.parametrize("blank", ["", " ", "\n\t"])
async def test_a_blank_name_has_no_key(connection: Connection, blank: str) -> None:
    assert await connection.fetchval("select private.name_key($1)", blank) is None


async def _company(connection: Connection, name: str) -> UUID:
    return await crm.contact(connection, OWNER, type="azienda", first_name=None, last_name=None, business_name=name)


@pytest.mark.parametrize("typed", ["d angelo srl", "D'Angelo S. R. L.", "DANGELO S.R.L."])
async def test_the_form_finds_a_company_however_its_name_is_written(connection: Connection, typed: str) -> None:
    company_id = await _company(connection, "D’Angelò S.r.l.")
    async with access.acting(connection, "owner"):
        person = json.dumps({"type": "persona", "first_name": "Ada", "company": typed})
        saved = await connection.fetchval("select public.save_contact($1)", person)
        assert await connection.fetchval("select company_id from public.contacts where id = $1", saved) == company_id


async def test_a_company_of_another_owner_is_not_found(connection: Connection) -> None:
    await _company(connection, "Neri S.p.A.")
    async with access.acting(connection, "owner"):
        assert await connection.fetch("select public.companies_named('neri spa')")
    async with access.acting(connection, "stranger"):
        assert not await connection.fetch("select public.companies_named('neri spa')")
