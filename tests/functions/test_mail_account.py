"""`mail_account`: an account is kept after a sign-in, and «Prova ora» sends a mail to oneself."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest

from backend.core import db
from backend.core.resources import Resources
from tests.db import accounts
from tests.fakes import imap, smtp, tls
from tests.functions import signed_in

pytestmark = pytest.mark.anyio
PATH = "/functions/v1/mail_account"
PASSWORD = "una password per le app"


@pytest.fixture
async def server() -> AsyncIterator[smtp.Server]:
    async with smtp.serving(PASSWORD) as running:
        yield running


@pytest.fixture
async def owner(resources: Resources) -> UUID:
    async with db.connection(resources.pool) as connection:
        return await accounts.create(connection)


def account(server: smtp.Server, **more: Any) -> dict[str, Any]:
    return {
        "host": "127.0.0.1",
        "port": server.port,
        "security": "starttls",
        "username": "io@studio.example",
        "password": PASSWORD,
        "from_address": "io@studio.example",
        "from_name": "Studio Io",
        "signature": "Studio Io\nvia Roma 1",
        **more,
    }


async def ask(
    client: httpx.AsyncClient, resources: Resources, user_id: UUID, body: dict[str, Any] | None = None
) -> httpx.Response:
    """Connect with this body, or try the account; nobody has to wait."""
    async with db.connection(resources.pool) as connection:
        await connection.execute("delete from private.leases")
    headers = signed_in.headers(resources, user_id)
    return await client.request("PUT" if body else "POST", PATH, json=body, headers=headers)


async def kept(resources: Resources) -> list[Any]:
    async with db.connection(resources.pool) as connection:
        return await connection.fetch("select * from public.mail_accounts join private.mail_secrets on account_id = id")


async def test_an_account_is_kept_and_a_test_mail_comes_to_oneself(
    client: httpx.AsyncClient, resources: Resources, owner: UUID, server: smtp.Server
) -> None:
    for name in ("Vecchio nome", "Studio Io"):
        answer = await ask(client, resources, owner, account(server, from_name=name))
        assert (answer.status_code, list(answer.json())) == (200, ["id"])
    [row] = await kept(resources)
    assert (row["from_name"], row["signature"]) == ("Studio Io", "Studio Io\nvia Roma 1")
    assert PASSWORD not in str(dict(row))
    answer = await ask(client, resources, owner)
    assert (answer.status_code, answer.json()) == (200, {"recipient": "io@studio.example"})
    [letter] = server.letters()
    assert (letter["To"], letter["Subject"]) == ("io@studio.example", "Prova da Socio")


async def test_a_wrong_password_is_told_and_nothing_is_kept(
    client: httpx.AsyncClient, resources: Resources, owner: UUID, server: smtp.Server
) -> None:
    answer = await ask(client, resources, owner, account(server, password="sbagliata"))
    assert (answer.status_code, answer.json()["code"]) == (422, "auth")
    assert await kept(resources) == []


async def test_a_test_mail_that_is_refused_is_remembered(
    client: httpx.AsyncClient, resources: Resources, owner: UUID, server: smtp.Server
) -> None:
    await ask(client, resources, owner, account(server))
    server.answer = "550 5.7.1 not allowed"
    answer = await ask(client, resources, owner)
    assert (answer.status_code, answer.json()["code"]) == (422, "refused")
    [row] = await kept(resources)
    assert (row["last_error"], row["last_error_reply"]) == ("refused", "550 5.7.1 not allowed")


@pytest.mark.parametrize("security", ["tls", "starttls"])
@pytest.mark.parametrize(
    ("named", "is_trusted", "status"),
    [("localhost", True, 200), ("smtp.example", True, 422), ("localhost", False, 422)],
)
async def test_a_password_goes_only_to_a_server_that_proves_its_name(
    client: httpx.AsyncClient,
    resources: Resources,
    owner: UUID,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    security: str,
    named: str,
    is_trusted: bool,
    status: int,
) -> None:
    authority = tls.Authority(tmp_path)
    if is_trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.path))
    is_upgraded = security == "starttls"
    async with smtp.serving(PASSWORD, authority.server_context(named), is_upgraded=is_upgraded) as running:
        body = account(running, host="localhost", security=security)
        answer = await ask(client, resources, owner, body)
        assert (answer.status_code, answer.json().get("code")) == (status, None if status == 200 else "tls")
        if status == 200:
            assert (await ask(client, resources, owner)).status_code == 200
            assert len(running.received) == 1
        else:
            assert await kept(resources) == []


async def test_a_server_without_tls_is_no_server_for_tls(
    client: httpx.AsyncClient, resources: Resources, owner: UUID, server: smtp.Server
) -> None:
    answer = await ask(client, resources, owner, account(server, security="tls"))
    assert (answer.status_code, answer.json()["code"]) == (422, "tls")


@pytest.mark.parametrize(
    "wrong",
    [
        {"host": "smtp.example.com/x"},
        {"host": None},
        {"port": 0},
        {"port": True},
        {"port": "465"},
        {"security": "none"},
        {"username": "io\r\nRCPT TO:<altri@example.it>"},
        {"from_address": "io@studio.example\r\nBcc: altri@example.it"},
        {"from_address": "nessuno"},
        {"from_name": "Studio\nBcc: altri@example.it"},
        {"password": ""},
        {"signature": "x" * 2001},
    ],
    ids=str,
)
async def test_a_value_that_is_none_is_refused(
    client: httpx.AsyncClient, resources: Resources, owner: UUID, server: smtp.Server, wrong: dict[str, Any]
) -> None:
    answer = await ask(client, resources, owner, account(server, **wrong))
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")


async def test_our_own_network_is_not_reached(
    client: httpx.AsyncClient, resources: Resources, owner: UUID, server: smtp.Server
) -> None:
    for host in ("10.0.0.1", "169.254.169.254", "fd00::1", "0.0.0.0"):
        answer = await ask(client, resources, owner, account(server, host=host, port=465, security="tls"))
        assert (answer.status_code, answer.json()["code"]) == (422, "unreachable")


async def test_other_ports_of_other_machines_are_not_tried(
    client: httpx.AsyncClient, resources: Resources, owner: UUID, server: smtp.Server
) -> None:
    answer = await ask(client, resources, owner, account(server, host="smtp.example.com", port=22))
    assert (answer.status_code, answer.json()["code"]) == (422, "unreachable")


async def test_passwords_are_not_tried_in_a_row(
    client: httpx.AsyncClient, resources: Resources, owner: UUID, server: smtp.Server
) -> None:
    await ask(client, resources, owner, account(server, password="prima"))
    again = await client.put(PATH, json=account(server), headers=signed_in.headers(resources, owner))
    assert (again.status_code, again.json()["code"]) == (429, "too_many_requests")


async def test_visitors_and_people_without_an_account_get_nothing(
    client: httpx.AsyncClient, resources: Resources, owner: UUID
) -> None:
    assert (await client.put(PATH, json={})).status_code == 401
    answer = await ask(client, resources, owner)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_connected")


async def test_a_mailbox_to_read_is_kept_after_a_sign_in_and_read_at_once(
    client: httpx.AsyncClient, resources: Resources, owner: UUID, server: smtp.Server
) -> None:
    async with imap.serving(PASSWORD) as mailbox, db.connection(resources.pool) as connection:
        inbox = {"host": "127.0.0.1", "port": mailbox.port, "security": "starttls"}
        answer = await ask(client, resources, owner, account(server, imap=inbox))
        assert answer.status_code == 200
        assert any(each.startswith("LOGIN") for each in mailbox.commands)
        assert await connection.fetchval("select port from public.mail_inboxes") == mailbox.port
        assert await connection.fetchval("select count(*) from jobs.pgqueuer where entrypoint = 'mail_fetch'") == 1
        # Sent from only: what was read goes.
        assert (await ask(client, resources, owner, account(server))).status_code == 200
        assert await connection.fetchval("select count(*) from public.mail_inboxes") == 0


async def test_a_mailbox_that_cannot_be_read_is_told_and_nothing_is_kept(
    client: httpx.AsyncClient, resources: Resources, owner: UUID, server: smtp.Server
) -> None:
    async with imap.serving("un’altra") as mailbox:
        inbox = {"host": "127.0.0.1", "port": mailbox.port, "security": "starttls"}
        answer = await ask(client, resources, owner, account(server, imap=inbox))
    assert (answer.status_code, answer.json()["code"]) == (422, "auth")
    assert "IMAP" in answer.json()["message"]
    assert await kept(resources) == []
