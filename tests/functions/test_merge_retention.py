"""Merged contacts: kept for as long as the merge can be undone, then erased; that they were merged stays known."""

from __future__ import annotations

import json
from uuid import UUID

import pytest

from backend.core import db, jobs
from backend.core.resources import Resources
from backend.edge import tasks
from functions._shared import batches
from tests.backend.core.test_jobs import until_empty, working
from tests.db import accounts

pytestmark = pytest.mark.anyio


async def _merge(connection: db.Connection, owner: UUID, days: int) -> tuple[UUID, UUID]:
    insert = "insert into public.contacts (user_id, first_name) values ($1, 'Anna') returning id"
    pair = await connection.fetchval(insert, owner), await connection.fetchval(insert, owner)
    async with connection.transaction():
        await connection.execute(
            "select set_config('request.jwt.claims', $1, true)",
            json.dumps({"sub": str(owner), "role": "authenticated"}),
        )
        merge_id = await connection.fetchval("select public.merge_contacts($1, $2)", *pair)
    await connection.execute(
        "update public.merge_log set created_at = now() - make_interval(days => $2) where id = $1", merge_id, days
    )
    return merge_id, pair[1]


async def test_merged_contacts_are_erased_when_nobody_can_take_them_back(
    resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "BATCH", 1)
    async with db.connection(resources.pool) as connection:
        anna = await accounts.create(connection)
        # As much as one statement forgets, and one more.
        old, gone = await _merge(connection, anna, 31)
        other, _ = await _merge(connection, anna, 32)
        young, kept = await _merge(connection, anna, 29)
        async with db.transaction(resources.pool) as transaction:
            await jobs.enqueue(transaction, "retention", {})
        async with working(resources, **tasks.of_product(resources.settings)):
            await until_empty(resources)
        left = await connection.fetch("select id from public.contacts where id = any ($1)", [gone, kept])
        merges = await connection.fetch(
            "select id, changes <> '[]' as open from public.merge_log where user_id = $1", anna
        )
    assert [row["id"] for row in left] == [kept]
    assert {row["id"]: row["open"] for row in merges} == {old: False, other: False, young: True}
