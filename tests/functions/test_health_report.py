"""What an admin is told, and that nobody else is."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from backend.core import db, dead_letters
from backend.core.resources import Resources
from tests.functions import signed_in

pytestmark = pytest.mark.anyio

ADMIN = UUID("00000000-0000-4000-8000-0000000000ad")


@pytest.fixture
async def admin(resources: Resources) -> UUID:
    async with db.transaction(resources.pool) as connection:
        await connection.execute("insert into auth.users (id, email) values ($1, 'admin@example.com')", ADMIN)
        await connection.execute("insert into public.user_roles (user_id, role) values ($1, 'admin')", ADMIN)
    return ADMIN


def token(resources: Resources, sub: UUID, aal: str) -> dict[str, str]:
    return signed_in.headers(resources, sub, aal=aal)


async def report(client: httpx.AsyncClient, resources: Resources, admin: UUID) -> dict[str, Any]:
    answer = await client.post("/functions/v1/health_report", headers=token(resources, admin, "aal2"))
    assert answer.status_code == 200, answer.text
    content: dict[str, Any] = answer.json()
    return content


async def test_only_an_admin_with_a_second_factor_is_told(
    client: httpx.AsyncClient, resources: Resources, admin: UUID
) -> None:
    refused = [
        {},
        {"apikey": resources.keys.secret_key},
        token(resources, admin, "aal1"),
        token(resources, uuid4(), "aal2"),
    ]
    for headers in refused:
        answer = await client.post("/functions/v1/health_report", headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


async def test_parts_that_are_down_do_not_make_the_report_fail(
    client: httpx.AsyncClient, resources: Resources, admin: UUID
) -> None:
    """Nothing listens on the port of these settings: the gateway's own word and the storage are missing."""
    found = await report(client, resources, admin)
    states = {name: part["status"] for name, part in found["parts"].items()}
    assert found["status"] == "down"
    assert (states["rest"], states["storage"]) == ("down", "down")
    assert (states["database"], states["queue"], states["mail"], states["versions"]) == ("ok", "ok", "ok", "ok")
    assert found["parts"]["versions"]["migration"] >= "20261123160500"
    assert found["parts"]["disk"]["total_gib"] > 0


async def test_money_that_somebody_must_look_at_is_counted_until_it_is_resolved(
    client: httpx.AsyncClient, resources: Resources, admin: UUID
) -> None:
    payments = (await report(client, resources, admin))["parts"]["payments"]
    assert (payments["status"], payments["open_alerts"], payments["oldest_at"]) == ("ok", {}, None)
    async with db.connection(resources.pool) as connection:
        await connection.execute(
            """
            insert into public.payment_events (id, type, payload)
              values ('evt_1', 'x', '{}'), ('evt_2', 'x', '{}'), ('evt_3', 'x', '{}');
            insert into public.payment_alerts (kind, event_id, resolved_at) values
              ('dispute', 'evt_1', null), ('dispute', 'evt_2', null), ('mismatch', 'evt_2', null),
              ('stuck_event', 'evt_3', now());
            """
        )
    payments = (await report(client, resources, admin))["parts"]["payments"]
    assert (payments["status"], payments["open_alerts"]) == ("degraded", {"dispute": 2, "mismatch": 1})
    assert payments["oldest_at"] is not None


async def test_a_dead_letter_is_shown_without_its_content(
    client: httpx.AsyncClient, resources: Resources, admin: UUID
) -> None:
    async with db.connection(resources.pool) as connection:
        await dead_letters.bury(
            connection, job_id=7, name="page", payload={"text": "private"}, attempts=5, error="dark", user_id=None,
            priority=0,
        )  # fmt: skip
    queue = (await report(client, resources, admin))["parts"]["queue"]
    assert (queue["status"], queue["dead_letters"]) == ("degraded", 1)
    assert [(each["name"], each["error"]) for each in queue["latest"]] == [("page", "dark")]
    assert "private" not in str(queue)
