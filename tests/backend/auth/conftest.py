"""What the tests of the auth service share: the API as a client sees it, and people who have signed up."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from backend.auth import passwords, timing
from backend.core import db
from backend.core.resources import Resources
from tests.conftest import Mails

PASSWORD = "Segreto-123"

_hasher = passwords._hasher
_remembering = SimpleNamespace(
    hash=cache(_hasher.hash), verify=cache(_hasher.verify), check_needs_rehash=_hasher.check_needs_rehash
)

# Signs somebody up, confirms the address, answers the session.
Person = Callable[..., Awaitable[dict[str, Any]]]


@dataclass(frozen=True)
class Link:
    """What a mail offers: the hash in its link and the code beside it."""

    token_hash: str
    code: str


def link_in(text: str) -> Link:
    token_hash = re.search(r"token_hash=([\w-]+)", text)
    code = re.search(r"codice: (\d{6})", text)
    assert token_hash is not None
    assert code is not None
    return Link(token_hash[1], code[1])


@dataclass(frozen=True)
class Api:
    """The auth API of one test."""

    client: httpx.AsyncClient
    mails: Mails

    async def post(self, path: str, body: Any = None, token: str = "", **options: Any) -> httpx.Response:
        return await self.call("POST", path, body, token, **options)

    async def get(self, path: str, token: str = "", **options: Any) -> httpx.Response:
        return await self.call("GET", path, None, token, **options)

    async def put(self, path: str, body: Any, token: str = "", **options: Any) -> httpx.Response:
        return await self.call("PUT", path, body, token, **options)

    async def call(self, method: str, path: str, body: Any, token: str, **options: Any) -> httpx.Response:
        headers = {"X-Supabase-Api-Version": "2024-01-01", **options.pop("headers", {})}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if body is not None:
            options["json"] = body
        return await self.client.request(method, f"/auth/v1{path}", headers=headers, **options)

    async def sign_up(self, email: str, password: str = PASSWORD, **more: Any) -> httpx.Response:
        return await self.post("/signup", {"email": email, "password": password, **more})

    async def sign_in(self, email: str, password: str = PASSWORD) -> httpx.Response:
        return await self.post("/token?grant_type=password", {"email": email, "password": password})

    async def refresh(self, refresh_token: str) -> httpx.Response:
        return await self.post("/token?grant_type=refresh_token", {"refresh_token": refresh_token})

    async def last_link(self, email: str) -> Link:
        return link_in((await self.mails.to(email))[-1].text)


class Halted:
    """The next call of a function: it stops before it begins, until it may go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> None:
        self.reached, self.go = asyncio.Event(), asyncio.Event()
        original = getattr(owner, name)

        async def halt(*arguments: Any, **named: Any) -> Any:
            monkeypatch.setattr(owner, name, original)
            self.reached.set()
            await self.go.wait()
            return await original(*arguments, **named)

        monkeypatch.setattr(owner, name, halt)


async def someone_waits(resources: Resources) -> None:
    """Until a statement waits for the transaction of another."""
    waiting = (
        "select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')"
    )
    async with db.connection(resources.pool) as connection, asyncio.timeout(10):
        while not await connection.fetchval(waiting):  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def on_the_internet(resources: Resources) -> None:
    """Browsers come by https from now on: answers say less than on a developer's machine."""
    api = replace(resources.settings.api, external_url="https://socio.example")
    object.__setattr__(resources, "settings", replace(resources.settings, api=api))


async def plant(resources: Resources, email: str) -> None:
    """Puts into an account whatever somebody who never proved its address could have as a way in."""
    async with db.connection(resources.pool) as connection:
        await connection.execute(
            """
            with owner as (update auth.users set phone = '393330001122' where email = $1 returning id),
            identity as (
              insert into auth.identities (provider_id, user_id, identity_data, provider, created_at)
              select 'planted', id, '{"sub": "planted", "email": "altra@socio.example", "email_verified": true}',
                     'google', now() from owner),
            factor as (
              insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
              select gen_random_uuid(), id, 'totp', 'verified', now(), now() from owner),
            passkey as (
              insert into auth.webauthn_credentials (user_id, credential_id, public_key)
              select id, 'planted', 'planted' from owner)
            insert into auth.sessions (id, user_id, user_agent, created_at, updated_at)
            select gen_random_uuid(), id, 'planted', now(), now() from owner
            """,
            email,
        )


async def planted(resources: Resources) -> set[str]:
    """What is left of it."""
    async with db.connection(resources.pool) as connection:
        rows = await connection.fetch(
            """
            select 'phone' as what from auth.users where phone is not null
            union all select 'identity' from auth.identities where provider_id = 'planted'
            union all select 'factor' from auth.mfa_factors
            union all select 'passkey' from auth.webauthn_credentials
            union all select 'session' from auth.sessions where user_agent = 'planted'
            """
        )
    return {row["what"] for row in rows}


@pytest.fixture(autouse=True)
def _answers_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The evened-out answer time is measured in one test; the others need not wait for it."""
    monkeypatch.setattr(timing, "STEP_S", 0.001)


@pytest.fixture(autouse=True)
def _hashes_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand tests hash and compare the same few passwords: each hash is real, and worked out once."""
    monkeypatch.setattr(passwords, "_hasher", _remembering)


@pytest.fixture
def api(client: httpx.AsyncClient, mails: Mails) -> Api:
    return Api(client, mails)


@pytest.fixture
def person(api: Api) -> Person:
    """Makes somebody with a confirmed address; answers the session of a fresh sign-in."""

    async def make(email: str = "giulia@socio.example", **more: Any) -> dict[str, Any]:
        assert (await api.sign_up(email, **more)).status_code == 200
        token_hash = (await api.last_link(email)).token_hash
        confirmed = await api.post("/verify", {"type": "signup", "token_hash": token_hash})
        assert confirmed.status_code == 200, confirmed.text
        session: dict[str, Any] = confirmed.json()
        return session

    return make
