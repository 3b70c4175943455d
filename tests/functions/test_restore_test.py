"""`restore_test`: only an admin with a second factor has a backup tested, and says why."""

from __future__ import annotations

from uuid import UUID

import httpx
import pytest

from backend.core import db
from backend.core.resources import Resources
from tests.functions import signed_in

pytestmark = pytest.mark.anyio
URL = "/functions/v1/restore_test"
ADMIN = UUID("00000000-0000-4000-8000-0000000000ad")


async def test_an_admin_asks_once_with_a_reason_and_nobody_else_does(
    client: httpx.AsyncClient, resources: Resources
) -> None:
    async with db.transaction(resources.pool) as connection:
        await connection.execute("insert into auth.users (id, email) values ($1, 'admin@example.com')", ADMIN)
        await connection.execute("insert into public.user_roles (user_id, role) values ($1, 'admin')", ADMIN)
    admin, reason = signed_in.headers(resources, ADMIN, aal="aal2"), {"reason": "Prima di un rilascio"}
    password_only = await client.post(URL, json=reason, headers=signed_in.headers(resources, ADMIN))
    assert (password_only.status_code, password_only.json()["code"]) == (403, "forbidden")
    assert (await client.post(URL, json={"reason": " "}, headers=admin)).status_code == 400
    for _ in range(2):
        assert (await client.post(URL, json=reason, headers=admin)).status_code == 202
    async with db.connection(resources.pool) as connection:
        waiting = await connection.fetch("select payload from jobs.pgqueuer where entrypoint = 'backups'")
        reasons = await connection.fetch("select reason from public.admin_actions where action = 'backup.test'")
    assert len(waiting) == 1
    assert [row[0] for row in reasons] == [reason["reason"]] * 2
