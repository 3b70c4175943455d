"""The record of processing: it begins with the product's own activities, admins write it, the log keeps it all."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import asyncpg
import pytest

from scripts.paths import ROOT
from tests.db import access
from tests.db.accounts import Connection, rolled_back

pytestmark = pytest.mark.anyio
WRITE = "select public.admin_write_processing_activity($1, 'Prova')"
FIELDS = ("purpose", "legal_basis", "subjects", "data", "recipients", "transfers", "retention", "measures")


def activity(**more: Any) -> dict[str, Any]:
    return {"name": "Newsletter", "role": "titolare", **dict.fromkeys(FIELDS, "come si deve"), **more}


async def write(connection: Connection, **more: Any) -> int:
    async with access.acting(connection, "admin"):
        written: int = await connection.fetchval(WRITE, json.dumps(activity(**more)))
    return written


async def listed(connection: Connection) -> list[dict[str, Any]]:
    async with access.acting(connection, "admin"):
        return [dict(row) for row in await connection.fetch("select * from public.admin_processing_activities()")]


async def test_a_new_installation_has_the_products_activities_and_a_second_seed_adds_none(
    connection: Connection,
) -> None:
    before = await listed(connection)
    assert {row["role"] for row in before} == {"titolare", "responsabile"}
    assert all(row[field].strip() for row in before for field in FIELDS)
    # What an admin has renamed does not come back.
    first = before[0]
    await write(connection, **{**first, "id": first["id"], "name": "Accesso", "updated_at": None, "ended_on": None})
    await connection.execute((ROOT / "db" / "seed" / "01_reference.sql").read_text())
    after = await listed(connection)
    assert len(after) == len(before)
    assert "Accesso" in {row["name"] for row in after}


async def test_every_version_is_in_the_log_and_what_has_ended_stays_at_the_end(connection: Connection) -> None:
    written = await write(connection)
    await write(connection, id=written, ended_on=str(date(2026, 6, 30)), purpose="  non più  ")
    last = (await listed(connection))[-1]
    assert (last["name"], last["ended_on"], last["purpose"]) == ("Newsletter", date(2026, 6, 30), "non più")
    rows = await connection.fetch(
        "select before ->> 'purpose' as before, after ->> 'purpose' as after, reason from public.admin_actions"
        " where action = 'processing.write' order by id"
    )
    assert [tuple(row) for row in rows] == [(None, "come si deve", "Prova"), ("come si deve", "non più", "Prova")]


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ({"purpose": ""}, "23514"),
        ({"data": None}, "23502"),
        ({"measures": "x" * 1001}, "23514"),
        ({"role": "altro"}, "23514"),
        ({"name": "due\nrighe"}, "23514"),
        ({"id": 10**9}, "PT404"),
    ],
)
async def test_a_whole_and_known_activity_is_wanted(connection: Connection, fault: dict[str, Any], code: str) -> None:
    with pytest.raises(asyncpg.PostgresError) as raised:
        await write(connection, **fault)
    assert raised.value.sqlstate == code


async def test_a_name_is_given_once_and_only_admins_see_and_write(connection: Connection) -> None:
    await write(connection)
    async with rolled_back(connection):
        with pytest.raises(asyncpg.UniqueViolationError):
            await write(connection)
    for role in ("stranger", "owner"):
        for statement in (
            "select * from public.admin_processing_activities()",
            "select public.admin_write_processing_activity('{}', 'Prova')",
        ):
            async with rolled_back(connection):
                with pytest.raises(asyncpg.InsufficientPrivilegeError):
                    async with access.acting(connection, role):
                        await connection.execute(statement)
