"""Mail accounts by login: connected by their person only, tokens refreshed once, mails that wait and are not lost."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit
from uuid import UUID

import httpx
import pytest

from backend.core import db
from backend.edge.api import Context
from functions._shared import mail_logins
from functions.jobs import mail_fetch, mail_outbox, mail_revocations
from tests.db import accounts, channels
from tests.fakes import dovecot, imap, mail_provider, smtp
from tests.functions import signed_in
from tests.functions.documents.conftest import Desk, opened
from tests.functions.documents.conftest import desk as desk

pytestmark = pytest.mark.anyio
SESSION = "00000000-0000-4000-8000-000000000001"
ADDRESS = mail_provider.ADDRESS


class Post(smtp.Server, mail_provider.TokenAuth):
    """A mail server that takes tokens only."""


@dataclass
class World:
    """A person, the provider, and its mail servers."""

    desk: Desk
    provider: mail_provider.Provider
    post: Post
    box: imap.Server

    @property
    def context(self) -> Context:
        return Context("test", {"role": "service_role"}, "", self.desk.resources)

    async def rows(self, sql: str, *arguments: Any) -> list[dict[str, Any]]:
        async with db.connection(self.desk.resources.pool) as connection:
            return [dict(row) for row in await connection.fetch(sql, *arguments)]

    async def account(self) -> dict[str, Any]:
        [row] = await self.rows(
            "select accounts.*, last_error::text as error, sealed, access_sealed, access_expires_at"
            " from public.mail_accounts as accounts join private.mail_secrets on account_id = id"
        )
        return row

    async def ask(
        self, method: str, body: dict[str, Any] | None = None, *, session: str = SESSION, who: UUID | None = None
    ) -> httpx.Response:
        """Ask as a person in a session; nobody has to wait."""
        await self.rows("delete from private.leases")
        headers = signed_in.headers(self.desk.resources, who or self.desk.user_id, session_id=session)
        return await self.desk.http.request(method, "/functions/v1/mail_login", json=body, headers=headers)

    async def begin(self, provider: str = "microsoft") -> str:
        answer = await self.ask("POST", {"provider": provider})
        assert answer.status_code == 200, answer.text
        return str(answer.json()["url"])

    async def decide(self, url: str, address: str = ADDRESS, answer: str = "yes") -> dict[str, str]:
        """Play the person at the provider; answers what the page of ours gets."""
        form = {**dict(parse_qsl(urlsplit(url).query)), "address": address, "answer": answer}
        async with httpx.AsyncClient() as browser:
            back = await browser.post(url, data=form)
        assert back.status_code == 302, back.text
        target = urlsplit(back.headers["Location"])
        assert f"{target.scheme}://{target.netloc}{target.path}" == mail_logins.return_address(self.context)
        led = await self.desk.http.get(f"{target.path}?{target.query}")
        assert led.status_code == 303
        page = urlsplit(led.headers["Location"])
        assert (page.path, page.query) == ("/settings/channels", "")
        told = {name.removeprefix("accesso_"): value for name, [value] in parse_qs(page.fragment).items()}
        names = {"stato": "state", "codice": "code", "errore": "error"}
        return {names[name]: value for name, value in told.items()}

    async def connect(self, provider: str = "microsoft", address: str = ADDRESS) -> httpx.Response:
        return await self.ask("PUT", await self.decide(await self.begin(provider), address))

    async def queue(self, count: int = 1) -> None:
        """Queue mails that are due."""
        async with db.transaction(self.desk.resources.pool) as connection:
            contact_id = await channels.reachable(connection, self.desk.user_id)
        claims = {"role": "authenticated", "sub": str(self.desk.user_id)}
        async with db.as_claims(self.desk.resources.pool, claims) as connection:
            for _ in range(count):
                await channels.queue(connection, contact_id)
        await self.due()

    async def due(self) -> None:
        await self.rows("update public.outgoing_mails set not_before = now() where state = 'queued'")

    async def send(self) -> dict[str, Any]:
        await self.due()
        await mail_outbox.handler({}, self.context)
        await mail_outbox.handler({"user_id": str(self.desk.user_id)}, self.context)
        [mail] = await self.rows("select *, state::text as state, error::text as error from public.outgoing_mails")
        return mail

    async def fetch(self) -> None:
        await mail_fetch.handler({"user_id": str(self.desk.user_id)}, self.context)


@pytest.fixture
async def world(resources: Any) -> AsyncIterator[World]:
    post = Post()
    post.needs_sign_in = True
    async with (
        mail_provider.serving() as provider,
        smtp.serving(handler=post),
        imap.serving("no password") as box,
    ):
        post.provider, box.lets_in = provider, provider.lets_in
        names = ("MICROSOFT_CLIENT_ID", "MICROSOFT_SECRET", "GOOGLE_CLIENT_ID", "GOOGLE_SECRET")
        values = (mail_provider.CLIENT_ID, mail_provider.SECRET) * 2
        secrets = {
            **resources.settings.edge_runtime.secrets,
            **{f"SOCIO_MAIL_{name}": value for name, value in zip(names, values, strict=True)},
            mail_logins.SANDBOX_SETTING: f"{provider.url} {post.port} {box.port}",
        }
        settings = replace(resources.settings, edge_runtime=replace(resources.settings.edge_runtime, secrets=secrets))
        async with opened(replace(resources, settings=settings)) as desk:
            yield World(desk, provider, post, box)


async def test_a_mailbox_is_connected_sends_and_is_read_without_a_password(world: World) -> None:
    await world.rows("update public.profiles set full_name = 'Anna Bianchi' where user_id = $1", world.desk.user_id)
    assert (await world.ask("GET")).json() == {"microsoft": True, "google": True}
    answer = await world.connect()
    assert (answer.status_code, answer.json().get("address")) == (200, ADDRESS), answer.text
    account = await world.account()
    assert (account["provider"], account["from_address"], account["from_name"]) == (
        "microsoft",
        ADDRESS,
        "Anna Bianchi",
    )
    # No token rests in the clear.
    assert not any(token in str(account) for token in (*world.provider._refresh_tokens, *world.provider._access_tokens))
    await world.queue()
    assert (await world.send())["state"] == "sent"
    [letter] = world.post.letters()
    assert letter["From"] == f"Anna Bianchi <{ADDRESS}>"
    world.box.add(b"From: Anna <anna@example.it>\r\nSubject: Ciao\r\nMessage-ID: <1@example.it>\r\n\r\nEccomi.\r\n")
    await world.fetch()
    assert [row["subject"] for row in await world.rows("select subject from public.received_mails")] == ["Ciao"]
    # The provider keeps what was sent: nothing is written to the mailbox.
    assert not any(command.startswith(("APPEND", "LOGIN")) for command in world.box.commands)


async def test_nothing_is_offered_without_a_client(world: World, client: httpx.AsyncClient) -> None:
    headers = signed_in.headers(world.desk.resources, world.desk.user_id)
    assert (await client.get("/functions/v1/mail_login", headers=headers)).json() == {
        "microsoft": False,
        "google": False,
    }
    answer = await client.post("/functions/v1/mail_login", headers=headers, json={"provider": "google"})
    assert (answer.status_code, answer.json()["code"]) == (404, "not_offered")


async def test_a_login_ends_once_in_the_session_of_its_person_and_in_time(world: World) -> None:
    async def code_of(body: dict[str, str], **more: Any) -> tuple[int, str]:
        answer = await world.ask("PUT", body, **more)
        return answer.status_code, answer.json()["code"]

    back = await world.decide(await world.begin())
    async with db.transaction(world.desk.resources.pool) as connection:
        stranger = await accounts.create(connection)
    assert await code_of(back, who=stranger) == (400, "invalid_state")
    assert await code_of({**back, "state": "made up"}) == (400, "invalid_state")
    assert await code_of(back, session="00000000-0000-4000-8000-000000000002") == (400, "other_session")
    # That used it up.
    assert await code_of(back) == (400, "invalid_state")

    back = await world.decide(await world.begin())
    await world.rows("update private.mail_logins set expires_at = now()")
    assert await code_of(back) == (400, "expired_state")

    assert await code_of(await world.decide(await world.begin(), answer="no")) == (400, "access_denied")
    assert await world.rows("select 1 from public.mail_accounts") == []
    first = await world.decide(await world.begin())
    assert (await world.ask("PUT", first)).status_code == 200
    assert await code_of(first) == (400, "invalid_state")
    # The code of an earlier sign-in, brought with a new state.
    again = await world.decide(await world.begin())
    assert await code_of({**again, "code": first["code"]}) == (422, "code_refused")


async def test_only_the_mailbox_of_the_id_token_is_connected_and_only_with_all_permissions(world: World) -> None:
    async def code_of(**claims: Any) -> tuple[int, str]:
        world.provider.claims = claims
        answer = await world.connect("google", "io@gmail.example")
        return answer.status_code, answer.json()["code"]

    for claims in (
        {"aud": "another client"}, {"nonce": "another sign-in"}, {"iss": "https://evil.example"}, {"exp": 1},
        {"email_verified": False}, {"email": "no address"}, {"email": None},
    ):  # fmt: skip
        assert await code_of(**claims) == (422, "no_address"), claims
    # The servers know whose the token is.
    assert await code_of(email="altri@gmail.example") == (422, "auth")
    assert (world.post.closed_challenges, world.box.closed_challenges) == (1, 0)
    world.provider.granted = {"openid", "email"}
    assert await code_of() == (422, "no_permission")
    world.provider.mode = "error"
    assert await code_of() == (503, "provider_unavailable")
    assert await world.rows("select 1 from public.mail_accounts") == []
    # What was not kept is given back.
    world.provider.mode = "good"
    left = len(world.provider._refresh_tokens)
    await mail_revocations.handler({}, world.context)
    assert (left, len(world.provider.revoked), world.provider._refresh_tokens) == (9, 9, {})


async def test_a_token_is_refreshed_once_for_all_that_need_it(world: World) -> None:
    world.provider.expires_in = 200
    await world.connect()
    world.provider.expires_in = 3600
    before = await world.account()
    world.provider.mode = "slow"
    waiting = [asyncio.create_task(mail_logins.access_token(world.context, world.desk.user_id)) for _ in range(5)]
    await world.provider.waits.wait()
    world.provider.mode = "good"
    world.provider.over.set()
    assert len(set(await asyncio.gather(*waiting))) == 1
    assert world.provider.refreshes() == 1
    after = await world.account()
    # The provider gave another refresh token, and the former one is worth nothing.
    assert after["sealed"] != before["sealed"]
    await world.rows("update private.mail_secrets set access_expires_at = now()")
    await mail_logins.access_token(world.context, world.desk.user_id)
    assert world.provider.refreshes() == 2


async def test_a_login_that_was_taken_back_lets_mails_wait_until_the_same_mailbox_is_back(world: World) -> None:
    await world.connect()
    await world.queue()
    await world.rows("update private.mail_secrets set access_expires_at = now()")
    world.provider.mode = "error"
    assert (await world.send())["state"] == "queued"
    account = await world.account()
    assert (account["login_expired_at"], account["error"]) == (None, "unreachable")
    world.provider.mode = "gone"
    assert (await world.send())["state"] == "queued"
    account = await world.account()
    assert (account["login_expired_at"] is not None, account["error"]) == (True, "auth")
    tried = world.provider.refreshes()
    await world.rows("update public.outgoing_mails set expires_at = now() - interval '2 days'")
    assert (await world.send())["state"] == "queued"
    await world.fetch()
    # Nobody asks again for what only its person can give.
    assert world.provider.refreshes() == tried
    assert await world.rows("select private.mail_readers() union all select private.due_mail_senders()") == []
    headers = signed_in.headers(world.desk.resources, world.desk.user_id)
    trial = await world.desk.http.post("/functions/v1/mail_account", headers=headers)
    assert (trial.status_code, trial.json()["message"]) == (422, "Accesso scaduto: ricollega Outlook")

    world.provider.mode = "good"
    wrong = await world.connect(address="altra@outlook.example")
    assert (wrong.status_code, wrong.json()["code"]) == (409, "wrong_mailbox")
    assert (await world.ask("POST", {"provider": "google"})).json()["code"] == "own_mailbox"
    assert (await world.connect()).status_code == 200
    assert (await world.send())["state"] == "sent"
    account = await world.account()
    assert (account["login_expired_at"], account["error"]) == (None, None)


async def test_a_refused_login_takes_no_other_mail_and_no_lease(world: World) -> None:
    await world.connect()
    await world.queue(3)
    world.provider.end_access()
    await mail_outbox.handler({"user_id": str(world.desk.user_id)}, world.context)
    waiting = await world.rows("select attempts, leased_until from public.outgoing_mails where state = 'queued'")
    assert sorted(mail["attempts"] for mail in waiting) == [0, 0, 1]
    assert {mail["leased_until"] for mail in waiting} == {None}
    await world.due()
    await mail_outbox.handler({"user_id": str(world.desk.user_id)}, world.context)
    mails = await world.rows("select state::text, error::text, attempts from public.outgoing_mails")
    assert sorted(tuple(mail.values()) for mail in mails) == [("sent", None, 1), ("sent", None, 1), ("sent", None, 2)]


async def test_a_token_that_a_server_refuses_is_refreshed_and_the_mail_leaves_later(world: World) -> None:
    await world.connect()
    await world.queue()
    world.provider.end_access()
    assert (await world.send())["state"] == "queued"
    assert world.post.closed_challenges == 1
    assert (await world.send())["state"] == "sent"
    assert world.provider.refreshes() == 1
    world.provider.end_access()
    await world.fetch()
    assert world.box.closed_challenges == 1
    world.box.add(b"From: Anna <anna@example.it>\r\nSubject: Ciao\r\nMessage-ID: <1@example.it>\r\n\r\nEccomi.\r\n")
    await world.fetch()
    assert len(await world.rows("select 1 from public.received_mails")) == 1


async def test_a_real_mailbox_is_entered_with_a_token_and_not_with_one_that_has_ended(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    if dovecot.program() is None:
        pytest.skip("dovecot-imapd is not installed")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    serving = dovecot.serving(port, world.provider.url)
    await asyncio.to_thread(serving.__enter__)
    try:
        sandbox = f"{world.provider.url} {world.post.port} {port}"
        monkeypatch.setitem(world.desk.resources.settings.edge_runtime.secrets, mail_logins.SANDBOX_SETTING, sandbox)
        assert (await world.connect()).status_code == 200
        mail = b"From: Anna <anna@example.it>\r\nSubject: Ciao\r\nMessage-ID: <1@example.it>\r\n\r\nEccomi.\r\n"
        await asyncio.to_thread(dovecot.deliver, port, ADDRESS, mail)
        await world.fetch()
        assert [row["subject"] for row in await world.rows("select subject from public.received_mails")] == ["Ciao"]
        world.provider.end_access()
        await world.fetch()
        [inbox] = await world.rows("select last_error::text as error from public.mail_inboxes")
        assert inbox["error"] == "auth"
    finally:
        await asyncio.to_thread(serving.__exit__, None, None, None)


async def test_disconnecting_has_google_revoke_the_token_and_keeps_nothing(world: World) -> None:
    assert (await world.connect("google")).status_code == 200
    [token] = world.provider._refresh_tokens
    await world.rows("delete from public.mail_accounts")
    world.provider.mode = "error"
    await mail_revocations.handler({}, world.context)
    assert len(await world.rows("select 1 from private.mail_revocations")) == 1
    world.provider.mode = "good"
    await world.rows("update private.mail_revocations set due_at = now()")
    await mail_revocations.handler({}, world.context)
    assert (world.provider.revoked, await world.rows("select 1 from private.mail_revocations")) == ([token], [])
    # Nor is it kept when a password takes its place.
    assert (await world.connect("google")).status_code == 200
    async with db.transaction(world.desk.resources.pool) as connection:
        await channels.connect(connection, world.desk.user_id)
    assert len(await world.rows("select 1 from private.mail_revocations")) == 1
    await world.rows("delete from private.mail_revocations")
    await world.rows("delete from public.mail_accounts")
    # Microsoft has nothing to ask: what we kept is gone.
    assert (await world.connect()).status_code == 200
    await world.rows("delete from public.mail_accounts")
    assert await world.rows("select 1 from private.mail_revocations union all select 1 from private.mail_secrets") == []


async def test_a_token_that_cannot_be_decrypted_stops_no_other_revocation(world: World) -> None:
    purpose = mail_logins.PURPOSE
    of_another = world.context.seal(purpose, UUID(int=1), "of another row")
    for token in (of_another, "aesgcm:", "aesgcm:not base64", world.context.seal(purpose, world.desk.user_id, "good")):
        # The later ones are due first.
        await world.rows(
            "insert into private.mail_revocations (user_id, sealed, due_at)"
            " select $1, $2, now() - make_interval(secs => count(*)) from private.mail_revocations",
            world.desk.user_id, token,
        )  # fmt: skip
    await world.rows(
        "update private.mail_revocations set due_at = now() - interval '1 day' where sealed = $1", of_another
    )
    await mail_revocations.handler({}, world.context)
    assert world.provider.revoked == ["good"]
    # Those wait for their key as for a provider that is away, a week at most.
    waiting = "select due_at > now() as is_later from private.mail_revocations"
    assert [row["is_later"] for row in await world.rows(waiting)] == [True] * 3
    await world.rows("update private.mail_revocations set created_at = now() - interval '8 days'")
    await mail_revocations.handler({}, world.context)
    assert await world.rows(waiting) == []


async def test_a_login_that_cannot_be_decrypted_is_refreshed_or_renewed_by_its_person(world: World) -> None:
    await world.connect()
    await world.queue()
    await world.rows("update private.mail_secrets set access_sealed = 'aesgcm:damaged'")
    assert (await world.send())["state"] == "sent"
    assert world.provider.refreshes() == 1

    await world.rows("update private.mail_secrets set sealed = 'aesgcm:damaged', access_sealed = 'aesgcm:damaged'")
    await world.fetch()
    account = await world.account()
    assert (account["login_expired_at"] is not None, account["error"]) == (True, "auth")
    assert world.provider.refreshes() == 1
    assert (await world.connect()).status_code == 200
    await world.fetch()
    [inbox] = await world.rows("select last_error::text as error from public.mail_inboxes")
    assert ((await world.account())["login_expired_at"], inbox["error"]) == (None, None)
