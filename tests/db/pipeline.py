"""Deals for the database tests: a row of each table of the pipeline for one person, and bare deals by the way."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from tests.db import access, crm
from tests.db.accounts import Connection

LAST_ID = UUID("ffffffff-ffff-4fff-bfff-ffffffffffff")


async def stages(connection: Connection, role: str = "owner") -> dict[str, UUID]:
    """The stages of this person by their name, made if there are none."""
    async with access.acting(connection, role):
        return {row["name"]: row["id"] for row in await connection.fetch("select * from public.ensure_stages()")}


async def deal(connection: Connection, user_id: UUID, stage_id: UUID, **columns: Any) -> UUID:
    """Inserts a deal and answers its id."""
    values = {"user_id": user_id, "title": "Sito nuovo", "stage_id": stage_id, **columns}
    places = ", ".join(f"${place}" for place in range(1, len(values) + 1))
    deal_id: UUID = await connection.fetchval(
        f"insert into public.deals ({', '.join(values)}) values ({places}) returning id", *values.values()
    )
    return deal_id


async def move(connection: Connection, deal_id: UUID, stage_id: UUID, at: datetime) -> Any:
    """Brings a deal into a stage at a time, and answers its row."""
    return await connection.fetchrow(
        "update public.deals set stage_id = $2, stage_since = $3 where id = $1 returning *", deal_id, stage_id, at
    )


async def populate(connection: Connection) -> Mapping[str, str]:
    """A row of each table for the owner; answers the names that cells use."""
    owner = access.PEOPLE["owner"]
    async with connection.transaction():
        stage_id = (await stages(connection))["Contatto"]
    # The last of all ids, so that the matrix can name a pair with any other.
    other = await crm.contact(connection, owner, id=LAST_ID)
    second = await crm.contact(connection, owner)
    await connection.execute(
        f"""
        insert into public.contact_distinct (user_id, a_id, b_id) values ('{owner}', '{second}', '{other}');
        insert into public.merge_log (user_id, winner_id, loser_name, choices, changes)
          values ('{owner}', '{other}', 'Anna', '{{}}', '[]');
        insert into public.import_batches (user_id, file_name, kind, total) values ('{owner}', 'old.csv', 'csv', 0);
        """
    )
    return {"owner_stage": str(stage_id), "owner_deal": str(await deal(connection, owner, stage_id))}
