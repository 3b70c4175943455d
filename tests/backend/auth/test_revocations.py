"""Access tokens of ended sessions, refused for data too."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import httpx
import jwt as pyjwt
import pytest
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from backend.auth import queries, revocations
from backend.auth.revocations import Revocations
from backend.core import callers, db, jwt
from backend.core.config import Settings
from backend.core.errors import ApiError
from backend.core.resources import Resources
from tests.backend.auth.conftest import Api, Person
from tests.conftest import Clock

pytestmark = pytest.mark.anyio

REFUSED = {"code": "PGRST301", "details": None, "hint": None, "message": "JWT revoked"}
DEADLINE_S = 20


async def _until(found: Callable[[], Awaitable[bool]]) -> None:
    deadline_s = time.monotonic() + DEADLINE_S
    while not await found():
        assert time.monotonic() < deadline_s
        await asyncio.sleep(0.005)  # a notification is on its way through Postgres


def _function(api: Api, token: str) -> Awaitable[httpx.Response]:
    return api.client.post("/functions/v1/ip-hash", json={}, headers={"Authorization": f"Bearer {token}"})


async def _is_refused(api: Api, token: str) -> bool:
    return (await _function(api, token)).status_code == 401


@pytest.fixture
async def following(resources: Resources) -> AsyncIterator[Revocations]:
    async with revocations.followed(resources) as list_:
        yield list_


async def _ends_by_logging_out(api: Api, session: dict[str, Any], now: Clock) -> None:
    assert (await api.post("/logout?scope=local", token=session["access_token"])).status_code == 204


async def _ends_by_a_new_password_elsewhere(api: Api, session: dict[str, Any], now: Clock) -> None:
    other = (await api.sign_in(session["user"]["email"])).json()["access_token"]
    assert (await api.put("/user", {"password": "Diversa-123"}, other)).status_code == 200


async def _ends_by_theft(api: Api, session: dict[str, Any], now: Clock) -> None:
    second = (await api.refresh(session["refresh_token"])).json()["refresh_token"]
    await api.refresh(second)
    now.advance(seconds=11)
    assert (await api.refresh(session["refresh_token"])).json()["code"] == "refresh_token_already_used"


ENDS = {
    "logout": _ends_by_logging_out,
    "new password": _ends_by_a_new_password_elsewhere,
    "theft": _ends_by_theft,
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS.keys())
async def test_a_token_of_an_ended_session_reaches_no_function(
    api: Api, person: Person, now: Clock, end: Callable[[Api, dict[str, Any], Clock], Awaitable[None]]
) -> None:
    session, other = await person("giulia@socio.example"), await person("paolo@socio.example")
    assert (await _function(api, session["access_token"])).status_code == 200
    await end(api, session, now)
    await _until(lambda: _is_refused(api, session["access_token"]))
    refused = await _function(api, session["access_token"])
    assert refused.json() == REFUSED
    assert refused.headers["www-authenticate"].startswith('Bearer error="invalid_token"')
    assert refused.headers["access-control-allow-origin"] == "*"
    assert (await _function(api, other["access_token"])).status_code == 200


async def test_deleting_the_account_ends_its_tokens(api: Api, person: Person, resources: Resources) -> None:
    session = await person()
    async with db.connection(resources.pool) as connection:
        await connection.execute("delete from auth.users where id = $1", UUID(session["user"]["id"]))
    await _until(lambda: _is_refused(api, session["access_token"]))


async def test_a_refused_token_never_reaches_postgrest(rest_client: httpx.AsyncClient, postgrest: Settings) -> None:
    """Against the real PostgREST, to which the token itself is good."""
    from backend.core import jwt

    session_id, moment = str(uuid4()), int(time.time())
    claims = {"sub": str(uuid4()), "role": "authenticated", "iat": moment, "exp": moment + 60}
    token = jwt.load(postgrest.home).sign({**claims, "session_id": session_id})
    headers = {"Authorization": f"bearer {token}"}
    assert (await rest_client.get("/rest/v1/", headers=headers)).status_code == 200
    connection = await asyncpg.connect(postgrest.database_url)
    await connection.execute("select auth.revoke_session($1)", UUID(session_id))
    await connection.close()

    async def refused() -> bool:
        return (await rest_client.get("/rest/v1/", headers=headers)).status_code == 401

    await _until(refused)
    assert (await rest_client.get("/rest/v1/", headers=headers)).json() == REFUSED
    for refused_too in ({"apikey": token}, {"apikey": f"{token} "}, {"Authorization": f"Bearer {token} "}):
        assert (await rest_client.get("/rest/v1/", headers=refused_too)).json() == REFUSED
    assert (await rest_client.get("/rest/v1/")).status_code == 200


async def test_a_token_of_a_user_without_an_end_never_reaches_postgrest(
    rest_client: httpx.AsyncClient, postgrest: Settings
) -> None:
    stored = json.loads((postgrest.home / jwt.KEYS_FILE).read_text())
    for role, status in (("authenticated", 401), ("service_role", 200)):
        token = pyjwt.encode({"role": role, "sub": str(uuid4())}, stored["jwt_secret"], algorithm="HS256")
        headers = {"Authorization": f"Bearer {token}"}
        answer = await rest_client.get("/rest/v1/plans?limit=1", headers=headers)
        assert answer.status_code == status, answer.text


async def test_the_list_forgets_when_every_token_has_expired(
    resources: Resources, following: Revocations, now: Clock
) -> None:
    session_id = uuid4()
    token = resources.keys.sign({"session_id": str(session_id)})
    async with db.connection(resources.pool) as connection:
        await queries.revoked_sessions.revoke(connection, session_id)

        async def covered() -> bool:
            return following.cover(token)

        await _until(covered)
        now.advance(hours=2)
        assert not following.cover(token)
        await following._load(connection)
        assert await connection.fetchval("select count(*) from auth.revoked_sessions") == 0


async def test_it_comes_back_after_a_lost_connection_and_reads_what_it_missed(
    resources: Resources, following: Revocations
) -> None:
    async with db.connection(resources.pool) as connection:
        listening = """
            select pid from pg_stat_activity
             where datname = current_database() and pid <> pg_backend_pid() and query like '%revoked_sessions%'
        """

        async def listens() -> bool:
            return await connection.fetchval(listening) is not None

        await _until(listens)
        session_id = uuid4()
        await connection.execute("select pg_terminate_backend(pid) from (" + listening + ") as listeners")
        await queries.revoked_sessions.revoke(connection, session_id)
    token = resources.keys.sign({"session_id": str(session_id)})

    async def covered() -> bool:
        return following.cover(token)

    await _until(covered)


async def test_the_list_is_bounded_and_forgets_the_oldest(
    resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(revocations, "MAX_SESSIONS", 3)
    list_ = Revocations(resources)
    ids = [str(uuid4()) for _ in range(4)]
    for session_id in ids:
        list_._hear(None, 0, revocations.CHANNEL, session_id)
    tokens = [resources.keys.sign({"session_id": session_id}) for session_id in ids]
    assert [list_.cover(token) for token in tokens] == [False, True, True, True]


async def test_clearing_away_old_sessions_fills_no_list(person: Person, resources: Resources) -> None:
    await person()
    async with db.connection(resources.pool) as connection:
        await connection.execute("update auth.sessions set created_at = now() - interval '9 days', refreshed_at = null")
        await connection.execute("delete from auth.sessions")
        assert await connection.fetchval("select count(*) from auth.revoked_sessions") == 0


@pytest.mark.parametrize(
    "token", ["", "a.b", "a.b.c", "a.!!!.c", "a.bnVsbA.c", "a.W10.c", "a.eyJzZXNzaW9uX2lkIjoxfQ.c", "é.é.é"]
)
def test_what_is_no_token_of_ours_names_no_session(token: str) -> None:
    assert revocations.session_of(token) is None


async def test_user_metadata_cannot_hide_the_session(resources: Resources) -> None:
    token = resources.keys.sign({"user_metadata": {"session_id": "x"}, "session_id": "y", "z": {"session_id": "x"}})
    assert revocations.session_of(token) == "y"


async def test_both_headers_are_looked_at(resources: Resources) -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        raise AssertionError

    list_ = Revocations(resources)
    list_._hear(None, 0, revocations.CHANNEL, "x")
    token = resources.keys.sign({"session_id": "x"})
    transport = httpx.ASGITransport(revocations.RefuseRevoked(app, list_))
    async with httpx.AsyncClient(transport=transport, base_url="http://gateway") as client:
        for headers in ({"apikey": token}, {"Authorization": f"Bearer {token}"}, {"AUTHORIZATION": f"bearer  {token}"}):
            assert (await client.get("/", headers=headers)).status_code == 401


# White space as HTTP, latin-1 and `str.strip` know it.
SPELLINGS = [
    *(f"Bearer {before}{{}}{after}" for after in ("", " ", " \t", "\xa0", " \x85") for before in ("", " ", "\xa0\t")),
    "bEARER {}",
    "Bearer\t{}",
    "{}",
    "Basic {}",
]


@pytest.mark.parametrize("spelling", SPELLINGS)
async def test_no_spelling_of_a_header_brings_a_token_past_the_list(resources: Resources, spelling: str) -> None:
    """What a service takes for a token, the list takes for it too."""
    session_id, moment = str(uuid4()), int(resources.now().timestamp())
    claims = {"sub": str(uuid4()), "role": "authenticated", "iat": moment, "exp": moment + 60, "session_id": session_id}
    token = resources.keys.sign(claims)
    list_ = Revocations(resources)
    list_._hear(None, 0, revocations.CHANNEL, session_id)
    seen: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        with suppress(ApiError):
            seen.append(callers.of_headers(Headers(scope=scope), resources)["role"])
        await Response()(scope, receive, send)

    transport = httpx.ASGITransport(revocations.RefuseRevoked(app, list_))
    given = spelling.format(token).encode("latin-1")
    async with httpx.AsyncClient(transport=transport, base_url="http://gateway") as gateway:
        for headers in (
            [(b"Authorization", given)],
            [(b"apikey", given)],
            [(b"Authorization", given), (b"Authorization", b"Bearer x")],
            [(b"Authorization", b"Basic x"), (b"Authorization", given)],
            [(b"Authorization", b"Basic x"), (b"apikey", given)],
        ):
            await gateway.get("/", headers=headers)
    assert "authenticated" not in seen
