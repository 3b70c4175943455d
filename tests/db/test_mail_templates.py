"""Templates of mails: names, lengths, how many, and that an open place keeps a text from leaving."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import asyncpg
import pytest

from backend.core import config
from tests.db import access, channels
from tests.db.access import PEOPLE
from tests.db.accounts import rolled_back
from tests.db.conftest import World

pytestmark = pytest.mark.anyio

ADD = "insert into public.mail_templates (name, subject, body) values ($1, $2, $3)"
MOST = 100
# Also of web/src/lib/mail-places.test.ts: both find the same places.
PLACES = json.loads((config.ROOT / "tests" / "vectors" / "open_places.json").read_text("utf-8"))


@pytest.fixture
async def empty(world: World) -> AsyncIterator[World]:
    """Yield the world without templates; all is rolled back."""
    async with rolled_back(world.connection):
        await world.connection.execute("delete from public.mail_templates")
        yield world


async def _refused(
    world: World, name: str, subject: str | None = "Ciao", body: str = "Ciao", role: str = "owner"
) -> str | None:
    try:
        async with world.connection.transaction(), access.acting(world.connection, role):
            await world.connection.execute(ADD, name, subject, body)
    except asyncpg.PostgresError as error:
        return error.sqlstate
    return None


@pytest.mark.parametrize(
    ("name", "subject", "body", "code"),
    [
        ("Saluto", None, "Ciao", None),
        ("x" * 80, "x" * 200, "x" * 20_000, None),
        ("", "Ciao", "Ciao", "23514"),
        (" Saluto", "Ciao", "Ciao", "23514"),
        ("x" * 81, "Ciao", "Ciao", "23514"),
        ("Saluto", "", "Ciao", "23514"),
        ("Saluto", "Ciao\r\nBcc: altri@example.it", "Ciao", "23514"),
        ("Saluto", "x" * 201, "Ciao", "23514"),
        ("Saluto", "Ciao", " \n", "23514"),
        ("Saluto", "Ciao", "x" * 20_001, "23514"),
    ],
)
async def test_a_template_fits_a_mail(
    empty: World, name: str, subject: str | None, body: str, code: str | None
) -> None:
    assert await _refused(empty, name, subject, body) == code


async def test_a_name_is_used_once_by_each_person(empty: World) -> None:
    assert await _refused(empty, "Sollecito") is None
    assert await _refused(empty, "SOLLECITO") == "23505"
    assert await _refused(empty, "Sollecito", role="stranger") is None


async def test_a_person_has_a_hundred_templates_at_most(empty: World) -> None:
    async with access.acting(empty.connection, "owner"):
        await empty.connection.executemany(ADD, [(f"Modello {number}", None, "Ciao") for number in range(MOST)])
    assert await _refused(empty, "Uno di troppo") == "SM013"
    assert await _refused(empty, "Uno solo", role="stranger") is None
    await empty.connection.execute("delete from public.mail_templates where name = 'Modello 7'")
    assert await _refused(empty, "Di nuovo al completo") is None


@pytest.mark.parametrize(
    ("subject", "body"),
    [
        ("Fattura {{numero fattura}}", "Gentile Anna, può pagarla?"),
        ("La sua fattura", "Gentile Anna, scade il {{scadenza fattura}}."),
        ("Un saluto", "Ci vediamo [giorno…]?"),
    ],
)
async def test_a_template_may_have_open_places_but_a_mail_may_not(empty: World, subject: str, body: str) -> None:
    assert await _refused(empty, "Sollecito", subject, body) is None
    await empty.connection.execute("delete from public.contact_emails")
    contact_id = await channels.reachable(empty.connection, PEOPLE["owner"])
    with pytest.raises(asyncpg.PostgresError) as caught:
        async with empty.connection.transaction(), access.acting(empty.connection, "owner"):
            await channels.queue(empty.connection, contact_id, subject=subject, body=body)
    assert caught.value.sqlstate == "SM006"


@pytest.mark.parametrize("case", PLACES, ids=lambda case: case["text"])
async def test_an_open_place_is_one_in_the_database_and_in_the_client(world: World, case: dict[str, object]) -> None:
    found = await world.connection.fetchval("select private.has_open_place($1)", case["text"])
    assert found == (case["open"] != [])
