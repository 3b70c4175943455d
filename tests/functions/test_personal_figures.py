"""The figures of the privacy page (what is held, on which basis, for how long) and the timeline of choices."""

from __future__ import annotations

from uuid import UUID

import httpx
import pytest

from backend.core import db
from backend.core.resources import Resources
from functions._shared import personal_data
from tests.db import accounts
from tests.functions import signed_in

pytestmark = pytest.mark.anyio
PATH = "/functions/v1/personal_figures"


@pytest.fixture
async def anna(resources: Resources) -> UUID:
    async with db.connection(resources.pool) as connection:
        anna, bruno = await accounts.create(connection), await accounts.create(connection)
        for owner, name in ((anna, "Rossi"), (anna, "Bianchi"), (bruno, "Verdi")):
            await connection.execute(
                "insert into public.contacts (user_id, type, business_name) values ($1, 'azienda', $2)", owner, name
            )
        await connection.execute(
            "insert into storage.objects (id, bucket_id, name, version, metadata)"
            " values (gen_random_uuid(), 'documents', $1, 'v', '{\"size\": 1234}')",
            f"{anna}/1.pdf",
        )
    return anna


def test_every_domain_has_a_legal_basis() -> None:
    assert set(personal_data.BASES) == set(personal_data.EXPORTED)


async def test_figures_are_the_own_rows_with_basis_and_period(
    client: httpx.AsyncClient, resources: Resources, anna: UUID
) -> None:
    answer = await client.get(PATH, headers=signed_in.headers(resources, anna))
    assert answer.status_code == 200, answer.text
    figures = answer.json()
    domains = {each["domain"]: each for each in figures["domains"]}
    assert list(domains) == list(personal_data.EXPORTED)
    assert domains["clienti"]["tables"] == [{"label": "I tuoi contatti", "count": 2}]
    assert "art. 28" in domains["clienti"]["basis"]
    periods = {rule["title"]: rule["period"] for rule in domains["assistente"]["rules"]}
    assert periods["Conversazioni temporanee"] == "1 ora dall’ultimo messaggio"
    assert figures["files"] == {"count": 1, "bytes": 1234}
    assert figures["left_out"]
    assert (await client.get(PATH)).status_code == 401


async def test_the_timeline_has_terms_providers_and_choices_with_their_words(resources: Resources, anna: UUID) -> None:
    async with db.connection(resources.pool) as connection:
        await connection.execute(
            "insert into private.ai_consents (user_id, host, provider, in_eu) values ($1, 'eu.ai', 'Mistral', true)",
            anna,
        )
    async with db.as_claims(resources.pool, {"sub": str(anna), "role": "authenticated"}) as connection:
        await connection.execute(
            "insert into public.privacy_choices (purpose, is_allowed, wording) values ('ai', false, 'Niente IA')"
        )
        rows = await connection.fetch("select * from public.consent_timeline()")
    found = {(row["purpose"], row["is_allowed"], row["wording"], row["provider"], row["in_eu"]) for row in rows}
    assert found == {
        ("terms", True, None, None, None),
        ("provider", True, None, "Mistral", True),
        ("ai", False, "Niente IA", None, None),
    }
