"""The timeline of a contact: all that happened with it, its owner's eyes only."""

from __future__ import annotations

from uuid import UUID

import pytest

from tests.db import access
from tests.db.access import PEOPLE
from tests.db.accounts import rolled_back
from tests.db.conftest import World

pytestmark = pytest.mark.anyio


async def test_calls_notes_and_consents_stand_in_one_list_latest_first(world: World) -> None:
    contact_id = UUID(world.values["owner_contact"])
    async with rolled_back(world.connection), access.acting(world.connection, "owner"):
        await world.connection.execute(
            "insert into public.interactions (contact_id, kind, direction, at, summary)"
            " values ($1, 'email', 'entrata', now() - interval '1 year', 'Preventivo')",
            contact_id,
        )
        rows = await world.connection.fetch(
            "select * from public.timeline where contact_id = $1"
            " and ref_type in ('interaction', 'note', 'consent_event') order by at desc, id desc",
            contact_id,
        )
        assert sorted((row["kind"], row["title"], row["body"]) for row in rows) == [
            ("chiamata", "Chiamata", None),
            ("consenso", "Consenso dato", None),
            ("email", "E-mail", "Preventivo"),
            ("nota", "Nota", "Chiamare il mattino"),
        ]
        assert rows[-1]["kind"] == "email"
        assert rows[-1]["data"] == '{"direction": "entrata"}'
        assert {row["id"].partition(":")[2] for row in rows} == {str(row["ref_id"]) for row in rows}


async def test_the_timeline_of_a_stranger_is_empty(world: World) -> None:
    async with rolled_back(world.connection), access.acting(world.connection, "stranger"):
        for condition in (f"contact_id = '{world.values['owner_contact']}'", f"user_id = '{PEOPLE['owner']}'"):
            assert await world.connection.fetch(f"select id from public.timeline where {condition}") == []
