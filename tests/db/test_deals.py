"""Deals: stages made once, stays in a stage written by the database, and what is usual for their owner."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import asyncpg
import pytest

from tests.db import access, pipeline
from tests.db.access import PEOPLE
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

OWNER = PEOPLE["owner"]
START = datetime(2026, 1, 7, 9, tzinfo=UTC)


async def _stays(connection: Connection, deal_id: UUID) -> list[tuple[UUID, datetime, datetime | None]]:
    rows = await connection.fetch(
        "select stage_id, entered_at, left_at from public.deal_stage_log where deal_id = $1 order by entered_at",
        deal_id,
    )
    return [(row["stage_id"], row["entered_at"], row["left_at"]) for row in rows]


async def test_stages_are_made_once(connection: Connection) -> None:
    await connection.execute("delete from public.stages where user_id = $1", PEOPLE["stranger"])
    first = await pipeline.stages(connection, "stranger")
    assert list(first) == ["Contatto", "Qualificato", "Preventivo", "Trattativa", "Vinta", "Persa"]
    assert await pipeline.stages(connection, "stranger") == first


async def test_a_deal_leaves_a_stay_in_each_stage(connection: Connection) -> None:
    stages = await pipeline.stages(connection)
    deal_id = await pipeline.deal(connection, OWNER, stages["Contatto"], stage_since=START)
    later = START + timedelta(days=3)
    won = await pipeline.move(connection, deal_id, stages["Vinta"], later)
    assert (won["won_at"], won["lost_at"]) == (later, None)
    assert await _stays(connection, deal_id) == [
        (stages["Contatto"], START, later),
        (stages["Vinta"], later, None),
    ]


async def test_a_deal_dragged_back_at_once_is_as_old_as_before(connection: Connection) -> None:
    stages = await pipeline.stages(connection)
    deal_id = await pipeline.deal(connection, OWNER, stages["Preventivo"], stage_since=START)
    slip = START + timedelta(days=3)
    await pipeline.move(connection, deal_id, stages["Persa"], slip)
    back = await pipeline.move(connection, deal_id, stages["Preventivo"], slip + timedelta(minutes=1))
    assert (back["stage_since"], back["lost_at"]) == (START, None)
    assert await _stays(connection, deal_id) == [(stages["Preventivo"], START, None)]


async def test_only_a_lost_deal_keeps_its_reason(connection: Connection) -> None:
    stages = await pipeline.stages(connection)
    deal_id = await pipeline.deal(connection, OWNER, stages["Contatto"], stage_since=START)
    async with access.acting(connection, "owner"):
        lost = await connection.fetchval(
            "update public.deals set stage_id = $2, lost_reason = 'Prezzo' where id = $1 returning lost_reason",
            deal_id,
            stages["Persa"],
        )
        assert lost == "Prezzo"
        again = await connection.fetchval(
            "update public.deals set stage_id = $2 where id = $1 returning lost_reason", deal_id, stages["Contatto"]
        )
        assert again is None


@pytest.mark.parametrize(("stays", "usual"), [(7, 14), (8, 15)])
async def test_usual_days_need_eight_stays(stays: int, usual: int, connection: Connection) -> None:
    stages = await pipeline.stages(connection)
    await connection.execute("delete from public.deals where user_id = $1", OWNER)
    for _ in range(stays):
        await pipeline.move(
            connection,
            await pipeline.deal(connection, OWNER, stages["Contatto"], stage_since=START),
            stages["Qualificato"],
            START + timedelta(days=10),
        )
    async with access.acting(connection, "owner"):
        habits = {row["stage_id"]: row for row in await connection.fetch("select * from public.stage_habits()")}
    assert (habits[stages["Contatto"]]["usual_days"], habits[stages["Contatto"]]["sample"]) == (usual, stays)
    assert habits[stages["Qualificato"]]["sample"] == 0
    assert stages["Vinta"] not in habits


async def test_a_deal_enters_no_stage_and_names_no_contact_of_a_stranger(connection: Connection) -> None:
    foreign = (await pipeline.stages(connection, "stranger"))["Contatto"]
    contact = await connection.fetchval(
        "insert into public.contacts (user_id, first_name) values ($1, 'Mario') returning id", PEOPLE["stranger"]
    )
    own = (await pipeline.stages(connection))["Contatto"]
    for stage_id, contact_id in ((foreign, None), (own, contact)):
        with pytest.raises(asyncpg.ForeignKeyViolationError):
            async with connection.transaction(), access.acting(connection, "owner"):
                await connection.execute(
                    "insert into public.deals (user_id, title, stage_id, contact_id) values ($1, 'Sito', $2, $3)",
                    OWNER,
                    stage_id,
                    contact_id,
                )
