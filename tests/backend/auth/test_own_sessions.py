"""GET /sessions, DELETE /sessions/{id}, and the settings that end sessions."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from backend.core import db
from backend.core.resources import Resources
from tests.backend.auth.conftest import Api, Person
from tests.conftest import Clock

pytestmark = pytest.mark.anyio

EMAIL = "giulia@socio.example"


async def _sign_in(api: Api, user_agent: str) -> dict[str, Any]:
    body = {"email": EMAIL, "password": "Segreto-123"}
    answer = await api.post("/token?grant_type=password", body, headers={"User-Agent": user_agent})
    session: dict[str, Any] = answer.json()
    return session


def _end_after(resources: Resources, **limits: timedelta) -> None:
    auth = resources.settings.auth
    settings = replace(resources.settings, auth=replace(auth, sessions=replace(auth.sessions, **limits)))
    object.__setattr__(resources, "settings", settings)


async def test_the_list_names_device_and_last_use_and_marks_the_current_session(
    api: Api, person: Person, resources: Resources, now: Clock
) -> None:
    await person(EMAIL)
    now.advance(minutes=1)
    phone = await _sign_in(api, "Telefono")
    signed_in_at = now()
    now.advance(minutes=1)
    desk = await _sign_in(api, "Scrivania")
    now.advance(minutes=1)
    phone = (await api.refresh(phone["refresh_token"])).json()
    answer = await api.get("/sessions", phone["access_token"])
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    listed = answer.json()
    assert [each["current"] for each in listed] == [True, False, False]
    claims = resources.keys.verify(phone["access_token"], now=now())
    first = listed[0]
    assert first.pop("user_agent").startswith("python-httpx")
    assert datetime.fromisoformat(first.pop("created_at")) == signed_in_at
    assert datetime.fromisoformat(first.pop("refreshed_at")) == now()
    assert first == {"id": claims["session_id"], "ip": "127.0.0.1", "aal": "aal1", "current": True}
    assert (listed[1]["user_agent"], listed[1]["refreshed_at"]) == ("Scrivania", None)
    assert listed[1]["id"] == resources.keys.verify(desk["access_token"], now=now())["session_id"]


async def test_a_session_ended_from_the_list_is_over(api: Api, person: Person, now: Clock) -> None:
    here = await person(EMAIL)
    there = await _sign_in(api, "Telefono")
    (other,) = [each for each in (await api.get("/sessions", here["access_token"])).json() if not each["current"]]
    ended = await api.call("DELETE", f"/sessions/{other['id']}", None, here["access_token"])
    assert (ended.status_code, ended.content) == (204, b"")
    assert (await api.get("/user", there["access_token"])).json()["code"] == "session_not_found"
    assert (await api.refresh(there["refresh_token"])).json()["code"] == "refresh_token_not_found"
    assert len((await api.get("/sessions", here["access_token"])).json()) == 1


async def test_ending_leaves_an_audit_entry(api: Api, person: Person, resources: Resources, now: Clock) -> None:
    here = await person(EMAIL)
    session_id = (await api.get("/sessions", here["access_token"])).json()[0]["id"]
    now.advance(seconds=1)
    assert (await api.call("DELETE", f"/sessions/{session_id}", None, here["access_token"])).status_code == 204
    async with db.connection(resources.pool) as connection:
        newest = "select payload from auth.audit_log_entries order by created_at desc limit 1"
        payload = await connection.fetchval(newest)
    assert (payload["action"], payload["traits"]) == ("logout", {"session_id": session_id})


@pytest.mark.parametrize("session_id", ["not-an-id", "07910080-c589-4e37-84ca-429f870a3be1", "%00"])
async def test_an_unknown_session_is_not_found(api: Api, person: Person, session_id: str) -> None:
    token = (await person())["access_token"]
    answer = await api.call("DELETE", f"/sessions/{session_id}", None, token)
    assert (answer.status_code, answer.json()["code"]) == (404, "session_not_found")


async def test_nobody_sees_or_ends_the_session_of_somebody_else(api: Api, person: Person) -> None:
    giulia, paolo = await person(EMAIL), await person("paolo@socio.example")
    (listed,) = (await api.get("/sessions", giulia["access_token"])).json()
    answer = await api.call("DELETE", f"/sessions/{listed['id']}", None, paolo["access_token"])
    assert (answer.status_code, answer.json()["code"]) == (404, "session_not_found")
    assert (await api.get("/user", giulia["access_token"])).status_code == 200


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_both_need_a_token(api: Api, method: str) -> None:
    path = "/sessions" if method == "GET" else f"/sessions/{uuid4()}"
    answer = await api.call(method, path, None, "")
    assert (answer.status_code, answer.json()["code"]) == (401, "no_authorization")


async def test_sessions_that_are_over_are_not_listed(
    api: Api, person: Person, resources: Resources, now: Clock
) -> None:
    first = await person(EMAIL)
    _end_after(resources, timebox=timedelta(hours=3))
    now.advance(hours=2)
    await _sign_in(api, "Telefono")
    token = (await api.refresh(first["refresh_token"])).json()["access_token"]
    assert len((await api.get("/sessions", token)).json()) == 2
    now.advance(minutes=59)
    later = (await _sign_in(api, "Scrivania"))["access_token"]
    now.advance(minutes=2)
    assert len((await api.get("/sessions", later)).json()) == 2


@pytest.mark.parametrize("limit", ["timebox", "inactivity_timeout"])
async def test_an_access_token_does_not_outlive_its_session(
    api: Api, person: Person, resources: Resources, now: Clock, limit: str
) -> None:
    _end_after(resources, **{limit: timedelta(minutes=20)})
    session = await person(EMAIL)
    assert session["expires_in"] == 20 * 60
    assert session["expires_at"] == int(now().timestamp()) + 20 * 60
    assert resources.keys.verify(session["access_token"], now=now())["exp"] == session["expires_at"]


async def test_with_one_session_a_person_a_sign_in_ends_the_others(
    api: Api, person: Person, resources: Resources, now: Clock
) -> None:
    object.__setattr__(resources, "settings", replace(resources.settings, single_session_per_user=True))
    old, stranger = await person(EMAIL), await person("paolo@socio.example")
    new = await _sign_in(api, "Telefono")
    assert (await api.get("/user", old["access_token"])).json()["code"] == "session_not_found"
    assert (await api.refresh(old["refresh_token"])).status_code == 400
    assert (await api.get("/user", stranger["access_token"])).status_code == 200
    assert len((await api.get("/sessions", new["access_token"])).json()) == 1


async def test_of_many_sign_ins_at_once_one_session_stays(api: Api, person: Person, resources: Resources) -> None:
    await person(EMAIL)
    object.__setattr__(resources, "settings", replace(resources.settings, single_session_per_user=True))
    await asyncio.gather(*(_sign_in(api, f"Scheda {n}") for n in range(5)))
    async with db.connection(resources.pool) as connection:
        assert await connection.fetchval("select count(*) from auth.sessions") == 1
