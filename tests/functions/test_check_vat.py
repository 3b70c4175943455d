"""`check_vat`: VIES is asked on demand, its answer is kept with its date, and its moods harm nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import UUID, uuid4

import httpx
import pytest

from backend.core import db
from backend.core.config import Settings
from backend.core.resources import Resources
from functions._shared import vies as register
from tests.conftest import Clock
from tests.db import accounts, crm
from tests.fakes import vies
from tests.functions import signed_in

pytestmark = pytest.mark.anyio
KNOWN, NAMELESS, UNKNOWN = "00743110157", "01234560017", "07654320014"


@pytest.fixture
async def fake() -> AsyncIterator[vies.Vies]:
    async with vies.serving() as running:
        yield running


@pytest.fixture
def settings(settings: Settings, fake: vies.Vies) -> Settings:
    return replace(settings, edge_runtime=replace(settings.edge_runtime, secrets={"VIES_API_BASE": fake.url}))


@pytest.fixture
async def owner(resources: Resources) -> UUID:
    async with db.connection(resources.pool) as connection:
        return await accounts.create(connection)


async def contact_with(resources: Resources, owner: UUID, number: str | None) -> UUID:
    async with db.connection(resources.pool) as connection:
        contact = await crm.contact(connection, owner)
        await connection.execute("update public.contacts set vat_number = $2 where id = $1", contact, number)
    return contact


async def check(client: httpx.AsyncClient, resources: Resources, user_id: UUID, contact: object) -> httpx.Response:
    headers = signed_in.headers(resources, user_id)
    return await client.post("/functions/v1/check_vat", json={"contact_id": str(contact)}, headers=headers)


async def kept(resources: Resources, contact: UUID) -> tuple[object, ...]:
    query = "select vies_vat_number, vies_registered, vies_name from public.contacts where id = $1"
    async with db.connection(resources.pool) as connection:
        return tuple(await connection.fetchrow(query, contact) or ())


@pytest.mark.parametrize(
    ("number", "registered", "name"),
    [(KNOWN, True, "ROSSI COSTRUZIONI SRL"), (NAMELESS, True, None), (UNKNOWN, False, None)],
)
async def test_the_answer_is_told_and_kept(
    client: httpx.AsyncClient, resources: Resources, owner: UUID, number: str, registered: bool, name: str | None
) -> None:
    contact = await contact_with(resources, owner, number)
    answer = await check(client, resources, owner, contact)
    assert answer.status_code == 200, answer.text
    assert (answer.json()["registered"], answer.json()["name"]) == (registered, name)
    assert await kept(resources, contact) == (number, registered, name)


async def test_a_second_click_asks_nobody_and_a_later_one_does(
    client: httpx.AsyncClient, resources: Resources, owner: UUID, fake: vies.Vies, now: Clock
) -> None:
    contact = await contact_with(resources, owner, KNOWN)
    answers = [await check(client, resources, owner, contact) for _ in range(2)]
    assert answers[0].json() == answers[1].json()
    assert fake.asked == [f"/ms/IT/vat/{KNOWN}"]
    now.advance(minutes=2)
    await check(client, resources, owner, contact)
    assert len(fake.asked) == 2


@pytest.mark.parametrize("mode", ["MS_UNAVAILABLE", "MS_MAX_CONCURRENT_REQ", "garbage", "error", "endless", "silent"])
async def test_a_register_in_a_bad_mood_is_told_and_a_former_answer_stays(
    client: httpx.AsyncClient, resources: Resources, owner: UUID, fake: vies.Vies, now: Clock, mode: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    contact = await contact_with(resources, owner, KNOWN)
    await check(client, resources, owner, contact)
    now.advance(minutes=2)
    fake.mode = mode
    if mode == "silent":
        monkeypatch.setattr(register, "TIMEOUT_S", 0.2)
    answer = await check(client, resources, owner, contact)
    assert (answer.status_code, answer.json()["code"]) == (503, "vies_unavailable")
    assert await kept(resources, contact) == (KNOWN, True, "ROSSI COSTRUZIONI SRL")


async def test_nobody_asks_about_what_is_not_theirs_or_not_there(
    client: httpx.AsyncClient, resources: Resources, owner: UUID, fake: vies.Vies
) -> None:
    contact = await contact_with(resources, owner, KNOWN)
    async with db.connection(resources.pool) as connection:
        stranger = await accounts.create(connection)
    assert (await check(client, resources, stranger, contact)).status_code == 404
    assert (await check(client, resources, owner, uuid4())).status_code == 404
    assert (await check(client, resources, owner, "x")).status_code == 400
    without = await contact_with(resources, owner, None)
    assert (await check(client, resources, owner, without)).json()["code"] == "no_vat_number"
    assert fake.asked == []
