"""The switches of the public pages: the scarcity is simulated, as specified, until somebody says otherwise."""

from __future__ import annotations

import asyncpg
import pytest

from tests.db.accounts import Connection
from tests.db.conftest import World

pytestmark = pytest.mark.anyio

SCARCITY = "marketing.simulated_scarcity"


async def test_a_visitor_reads_that_scarcity_is_simulated(world: World) -> None:
    answer = await world.client.get("/site_settings", params={"key": f"eq.{SCARCITY}", "select": "value"})
    assert (answer.status_code, answer.json()) == (200, [{"value": True}])


async def test_switched_off_a_visitor_is_told_so(connection: Connection) -> None:
    await connection.execute("update public.site_settings set value = 'false' where key = $1", SCARCITY)
    await connection.execute("set local role anon")
    assert await connection.fetchval("select value from public.site_settings where key = $1", SCARCITY) == "false"
    assert await connection.fetchval("select public.early_bird_seats()") <= 100


@pytest.mark.parametrize(
    ("key", "value"), [(SCARCITY, '"yes"'), (SCARCITY, "null"), ("Scarcity", "true"), ("scarcity", "true")]
)
async def test_a_switch_is_true_or_false_and_its_name_has_a_family(
    connection: Connection, key: str, value: str
) -> None:
    with pytest.raises(asyncpg.CheckViolationError):
        await connection.execute(
            "insert into public.site_settings (key, value) values ($1, $2::text::jsonb)"
            " on conflict (key) do update set value = excluded.value",
            key,
            value,
        )
