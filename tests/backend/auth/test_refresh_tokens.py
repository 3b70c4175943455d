"""POST /token?grant_type=refresh_token: the rules of rotation (AUTH-08, AUTH-09)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from backend.auth import refresh_tokens, sessions
from backend.auth.access import Device
from backend.auth.sessions import Granted
from backend.core import db
from backend.core.resources import Resources
from tests.backend.auth.conftest import Api, Person

pytestmark = pytest.mark.anyio


async def _next(api: Api, token: str) -> str:
    answer = await api.refresh(token)
    assert answer.status_code == 200, answer.text
    issued: str = answer.json()["refresh_token"]
    return issued


async def _code(api: Api, token: str) -> str:
    answer = await api.refresh(token)
    assert answer.status_code == 400, answer.text
    code: str = answer.json()["code"]
    return code


async def test_a_refresh_gives_a_new_pair_in_the_same_session(
    api: Api, person: Person, resources: Resources, now: Any
) -> None:
    session = await person()
    now.advance(hours=2)
    answer = await api.refresh(session["refresh_token"])
    refreshed = answer.json()
    assert answer.status_code == 200
    assert refreshed["refresh_token"] != session["refresh_token"]
    before = resources.keys.verify(session["access_token"], now=now() - timedelta(hours=2))
    after = resources.keys.verify(refreshed["access_token"], now=now())
    assert after["session_id"] == before["session_id"]
    assert after["amr"] == before["amr"]
    assert refreshed["user"]["id"] == session["user"]["id"]


async def test_an_unknown_token_is_refused(api: Api) -> None:
    answer = await api.refresh("abcdefghijkl")
    assert answer.status_code == 400
    assert answer.json() == {
        "code": "refresh_token_not_found",
        "message": "Invalid Refresh Token: Refresh Token Not Found",
    }


async def test_the_parent_of_the_active_token_gets_the_active_token_whenever_it_comes(
    api: Api, person: Person, now: Any
) -> None:
    first = (await person())["refresh_token"]
    second = await _next(api, first)
    now.advance(days=3)
    assert await _next(api, first) == second


async def test_a_token_two_rotations_old_is_accepted_only_within_the_reuse_interval(
    api: Api, person: Person, now: Any
) -> None:
    first = (await person())["refresh_token"]
    second = await _next(api, first)
    third = await _next(api, second)
    now.advance(seconds=10)
    assert await _next(api, first) == third
    now.advance(seconds=1)
    assert await _code(api, first) == "refresh_token_already_used"


async def test_a_stolen_token_ends_the_session_although_its_request_fails(
    api: Api, person: Person, resources: Resources, now: Any
) -> None:
    stolen = (await person())["refresh_token"]
    latest = await _next(api, await _next(api, stolen))
    now.advance(minutes=1)
    answer = await api.refresh(stolen)
    assert answer.json() == {"code": "refresh_token_already_used", "message": "Invalid Refresh Token: Already Used"}
    assert await _code(api, latest) == "refresh_token_already_used"
    assert await _code(api, stolen) == "refresh_token_already_used"
    async with db.connection(resources.pool) as connection:
        assert await connection.fetchval("select count(*) from auth.refresh_tokens where not revoked") == 0
        reasons = await connection.fetch(
            "select payload->'traits'->>'reason' from auth.audit_log_entries where payload->>'action' = 'token_revoked'"
        )
    assert [row[0] for row in reasons] == ["refresh_token_already_used"] * 3


async def test_the_access_token_of_a_revoked_session_is_refused_too(api: Api, person: Person, now: Any) -> None:
    session = await person()
    latest = await api.refresh(await _next(api, session["refresh_token"]))
    now.advance(minutes=1)
    assert await _code(api, session["refresh_token"]) == "refresh_token_already_used"
    answer = await api.get("/user", latest.json()["access_token"])
    assert (answer.status_code, answer.json()["code"]) == (403, "session_not_found")


async def test_a_theft_leaves_the_other_sessions_alone(api: Api, person: Person, now: Any) -> None:
    stolen = (await person())["refresh_token"]
    other = (await api.sign_in("giulia@socio.example")).json()["refresh_token"]
    await _next(api, await _next(api, stolen))
    now.advance(minutes=1)
    assert await _code(api, stolen) == "refresh_token_already_used"
    assert await _next(api, other)


async def test_twenty_tabs_at_once_all_get_the_same_active_token(
    api: Api, person: Person, resources: Resources
) -> None:
    token = (await person())["refresh_token"]
    answers = await asyncio.gather(*(api.refresh(token) for _ in range(20)))
    assert {answer.status_code for answer in answers} == {200}
    (issued,) = {answer.json()["refresh_token"] for answer in answers}
    async with db.connection(resources.pool) as connection:
        rows = await connection.fetch("select token from auth.refresh_tokens where not revoked")
    assert [row["token"] for row in rows] == [issued]
    assert await _next(api, issued)


async def test_a_refresh_asks_the_database_three_times(
    api: Api, person: Person, resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    token, asked = (await person())["refresh_token"], list[str]()
    real = db.connection

    @asynccontextmanager
    async def watched(pool: db.Pool) -> AsyncIterator[db.Connection]:
        async with real(pool) as connection:
            with connection.query_logger(lambda record: asked.append(record.query)):
                yield connection

    monkeypatch.setattr(db, "connection", watched)
    await refresh_tokens.exchange(resources, token, Device("127.0.0.1", "a browser"))
    assert len(asked) == 3, asked


async def test_a_session_that_rose_meanwhile_is_not_handed_out(
    api: Api, person: Person, resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = (await person())["refresh_token"]
    grant = sessions.grant

    async def slow_grant(*arguments: Any) -> Granted:
        # Between what was read and what is written the second factor forgets all earlier tokens.
        async with db.connection(resources.pool) as other:
            await other.execute("delete from auth.refresh_tokens")
        return await grant(*arguments)

    monkeypatch.setattr(sessions, "grant", slow_grant)
    assert await _code(api, token) == "refresh_token_not_found"


async def test_without_rotation_a_reused_token_is_refused_but_ends_nothing(
    api: Api, person: Person, resources: Resources, now: Any
) -> None:
    auth = replace(resources.settings.auth, enable_refresh_token_rotation=False)
    object.__setattr__(resources, "settings", replace(resources.settings, auth=auth))
    first = (await person())["refresh_token"]
    latest = await _next(api, await _next(api, first))
    now.advance(minutes=1)
    assert await _code(api, first) == "refresh_token_already_used"
    assert await _next(api, latest)


@pytest.mark.parametrize(
    ("limits", "alive_h", "over_h"),
    [({"timebox": timedelta(hours=5)}, [4], [2]), ({"inactivity_timeout": timedelta(hours=5)}, [4, 4], [6])],
    ids=["timebox", "inactivity"],
)
async def test_the_limits_of_the_settings_end_a_session(
    api: Api,
    person: Person,
    resources: Resources,
    now: Any,
    limits: dict[str, Any],
    alive_h: list[int],
    over_h: list[int],
) -> None:
    auth = resources.settings.auth
    limited = replace(auth, sessions=replace(auth.sessions, **limits))
    object.__setattr__(resources, "settings", replace(resources.settings, auth=limited))
    token = (await person())["refresh_token"]
    for hours in alive_h:
        now.advance(hours=hours)
        token = await _next(api, token)
    for hours in over_h:
        now.advance(hours=hours)
    assert await _code(api, token) == "session_expired"


async def test_a_session_with_an_end_is_over_after_it(api: Api, person: Person, resources: Resources, now: Any) -> None:
    token = (await person())["refresh_token"]
    async with db.connection(resources.pool) as connection:
        await connection.execute("update auth.sessions set not_after = $1", now() + timedelta(minutes=1))
    token = await _next(api, token)
    now.advance(minutes=2)
    assert await _code(api, token) == "session_expired"
