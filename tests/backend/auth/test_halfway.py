"""Who still owes the second factor of the account: nobody to the data, until it is answered."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import httpx
import pytest

from backend.core.resources import Resources
from tests.backend.auth.conftest import Api, Person
from tests.backend.auth.test_factors_totp import protect, prove
from tests.conftest import Clock

pytestmark = pytest.mark.anyio

ROUTES = (
    ("GET", "/rest/v1/tasks"),
    ("DELETE", "/rest/v1/tasks?id=not.is.null"),
    ("POST", "/functions/v1/create_checkout"),
    ("GET", "/storage/v1/bucket"),
    ("POST", "/realtime/v1/api/broadcast"),
)


async def halfway(api: Api, person: Person, now: Clock) -> tuple[dict[str, Any], dict[str, Any]]:
    """The factor, and a session with the password alone."""
    factor, _ = await protect(api, now, await person())
    return factor, (await api.sign_in("giulia@socio.example")).json()


@pytest.mark.parametrize(("method", "path"), ROUTES)
@pytest.mark.parametrize("header", ["Authorization", "apikey"])
async def test_the_password_alone_opens_no_data(
    method: str, path: str, header: str, api: Api, client: httpx.AsyncClient, person: Person, now: Clock
) -> None:
    _, session = await halfway(api, person, now)
    bearer = "Bearer " if header == "Authorization" else ""
    answer = await client.request(method, path, headers={header: bearer + session["access_token"]})
    assert (answer.status_code, answer.json()["code"]) == (403, "insufficient_aal")
    assert answer.headers["access-control-allow-origin"] == "*"
    renewed = (await api.refresh(session["refresh_token"])).json()["access_token"]
    again = await client.request(method, path, headers={header: bearer + renewed})
    assert (again.status_code, again.json()["code"]) == (403, "insufficient_aal")


async def test_the_answer_opens_it(api: Api, client: httpx.AsyncClient, person: Person, now: Clock) -> None:
    factor, session = await halfway(api, person, now)
    assert (await api.get("/user", session["access_token"])).status_code == 200
    answered = (await prove(api, now, session["access_token"], factor)).json()
    headers = {"Authorization": f"Bearer {answered['access_token']}"}
    answer = await client.post("/functions/v1/ip-hash", json={}, headers=headers)
    assert answer.status_code == 200


async def test_without_a_factor_nothing_is_owed(api: Api, client: httpx.AsyncClient, person: Person) -> None:
    headers = {"Authorization": f"Bearer {(await person())['access_token']}"}
    assert (await client.post("/functions/v1/ip-hash", json={}, headers=headers)).status_code == 200


async def test_who_runs_it_may_leave_it_to_the_policies(
    api: Api, client: httpx.AsyncClient, person: Person, now: Clock, resources: Resources
) -> None:
    """As upstream does."""
    object.__setattr__(resources, "settings", replace(resources.settings, enforce_second_factor=False))
    _, session = await halfway(api, person, now)
    headers = {"Authorization": f"Bearer {session['access_token']}"}
    assert (await client.post("/functions/v1/ip-hash", json={}, headers=headers)).status_code == 200


async def test_the_password_alone_neither_sees_nor_ends_the_sessions_of_the_owner(
    api: Api, person: Person, now: Clock
) -> None:
    factor, _ = await halfway(api, person, now)
    owner = (await prove(api, now, (await api.sign_in("giulia@socio.example")).json()["access_token"], factor)).json()
    # Answering has ended the sessions below it.
    token = (await api.sign_in("giulia@socio.example")).json()["access_token"]
    listed = (await api.get("/sessions", owner["access_token"])).json()
    other = next(each["id"] for each in listed if each["current"])
    for answer in (
        await api.get("/sessions", token),
        await api.call("DELETE", f"/sessions/{other}", None, token),
        await api.post("/logout?scope=others", {}, token),
        await api.get("/reauthenticate", token),
        await api.get("/passkeys", token),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "insufficient_aal"), answer.url
    changed = await api.put("/user", {"data": {"full_name": "Altra"}}, token)
    assert (changed.status_code, changed.json()["code"]) == (401, "insufficient_aal")
    assert (await api.get("/user", owner["access_token"])).status_code == 200


async def test_the_password_alone_learns_how_to_answer_and_nothing_else(
    api: Api, person: Person, now: Clock, resources: Resources
) -> None:
    factor, session = await halfway(api, person, now)
    for user in (session["user"], (await api.get("/user", session["access_token"])).json()):
        assert [each["id"] for each in user["factors"]] == [factor["id"]]
        assert (user["user_metadata"], user["identities"], user["phone"]) == ({}, [], "")
    claims = resources.keys.verify(session["access_token"], now=now())
    assert (claims["user_metadata"], claims["phone"]) == ({}, "")


async def test_signing_out_everywhere_with_the_password_alone_ends_that_session_only(
    api: Api, person: Person, now: Clock
) -> None:
    factor, _ = await halfway(api, person, now)
    owner = (await prove(api, now, (await api.sign_in("giulia@socio.example")).json()["access_token"], factor)).json()
    # Answering has ended the sessions below it.
    thief = (await api.sign_in("giulia@socio.example")).json()
    assert (await api.post("/logout", {}, thief["access_token"])).status_code == 204
    assert (await api.get("/user", thief["access_token"])).status_code == 403
    assert (await api.get("/user", owner["access_token"])).status_code == 200
