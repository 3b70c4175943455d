"""Notifications: where a click may lead, and what being read means."""

from __future__ import annotations

import asyncpg
import pytest

from tests.db import accounts
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

INSERT = "insert into public.notifications (user_id, title, message, action_url) values ($1, 'T', 'M', $2)"


@pytest.mark.parametrize(
    "path", ["/", "/crm", "/crm/6d1f0c52", "/documents?tipo=fattura&anno=2026#in-alto", "/à", None]
)
async def test_action_leads_inside_the_client(path: str | None, connection: Connection) -> None:
    await connection.execute(INSERT, await accounts.create(connection), path)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "crm",
        "https://evil.example",
        "javascript:alert(1)",
        "//evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "/\t/evil.example",
        "/\n/evil.example",
        "\t//evil.example",
        " /crm",
        "/a b",
        "/a//b",
        "/\u0085x",
        "/" + "x" * 500,
    ],
    ids=repr,
)
async def test_action_that_leads_elsewhere_is_refused(path: str, connection: Connection) -> None:
    user_id = await accounts.create(connection)
    with pytest.raises(asyncpg.CheckViolationError):
        await connection.execute(INSERT, user_id, path)


@pytest.mark.parametrize(
    ("title", "message"), [("", "M"), (" ", "M"), ("a\nb", "M"), ("x" * 201, "M"), ("T", ""), ("T", "x" * 2001)]
)
async def test_text_out_of_bounds_is_refused(title: str, message: str, connection: Connection) -> None:
    user_id = await accounts.create(connection)
    with pytest.raises(asyncpg.CheckViolationError):
        await connection.execute(
            "insert into public.notifications (user_id, title, message) values ($1, $2, $3)", user_id, title, message
        )


async def test_unknown_type_is_refused(connection: Connection) -> None:
    with pytest.raises(asyncpg.InvalidTextRepresentationError):
        await connection.execute("update public.notifications set type = 'fatal'")


async def test_unread_notification_has_no_time_of_reading(connection: Connection) -> None:
    await accounts.create(connection)
    with pytest.raises(asyncpg.CheckViolationError):
        await connection.execute("update public.notifications set is_read = false, read_at = now()")
