"""POST /logout and what is left after it."""

from __future__ import annotations

import pytest

from tests.backend.auth.conftest import Api, Person

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("scope", "own_alive", "other_alive"),
    [
        ("", False, False),
        ("?scope=global", False, False),
        ("?scope=local", False, True),
        ("?scope=others", True, False),
    ],
)
async def test_the_scopes(api: Api, person: Person, scope: str, own_alive: bool, other_alive: bool) -> None:
    other = await person()
    own = (await api.sign_in("giulia@socio.example")).json()
    answer = await api.post(f"/logout{scope}", token=own["access_token"])
    assert (answer.status_code, answer.content) == (204, b"")
    for session, alive in ((own, own_alive), (other, other_alive)):
        used = await api.get("/user", session["access_token"])
        refreshed = await api.refresh(session["refresh_token"])
        if alive:
            assert (used.status_code, refreshed.status_code) == (200, 200)
        else:
            assert (used.status_code, used.json()["code"]) == (403, "session_not_found")
            assert (refreshed.status_code, refreshed.json()["code"]) == (400, "refresh_token_not_found")


async def test_an_unknown_scope_ends_nothing(api: Api, person: Person) -> None:
    session = await person()
    answer = await api.post("/logout?scope=everything", token=session["access_token"])
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")
    assert (await api.get("/user", session["access_token"])).status_code == 200


async def test_a_logout_never_touches_other_people(api: Api, person: Person) -> None:
    stranger = await person("luca@socio.example")
    session = await person()
    await api.post("/logout", token=session["access_token"])
    assert (await api.get("/user", stranger["access_token"])).status_code == 200
