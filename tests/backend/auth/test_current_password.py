"""PUT /user where the settings want the current password beside the new one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from backend.auth import limits
from backend.core.config import Settings
from tests.backend.auth.conftest import PASSWORD, Api, Person
from tests.conftest import Clock

pytestmark = pytest.mark.anyio

EMAIL, NEW = "giulia@socio.example", "Nuova-1234"


@pytest.fixture
def settings(settings: Settings) -> Settings:
    auth = settings.auth
    return replace(settings, auth=replace(auth, email=replace(auth.email, require_current_password=True)))


@pytest.fixture
async def token(api: Api, person: Person) -> str:
    """Of a session that began with the password."""
    await person()
    token: str = (await api.sign_in(EMAIL)).json()["access_token"]
    return token


async def change(api: Api, token: str, **body: Any) -> Any:
    return await api.put("/user", {"password": NEW, **body}, token)


def refused(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


async def test_the_current_password_is_asked_for(api: Api, token: str) -> None:
    assert refused(await change(api, token)) == (400, "current_password_required")
    assert refused(await change(api, token, current_password="Sbagliata-1")) == (400, "current_password_invalid")
    assert (await api.sign_in(EMAIL)).status_code == 200
    assert (await change(api, token, current_password=PASSWORD)).status_code == 200
    assert (await api.sign_in(EMAIL, NEW)).status_code == 200


async def test_other_changes_need_none(api: Api, token: str) -> None:
    assert (await api.put("/user", {"data": {"city": "Bari"}}, token)).status_code == 200


async def test_guesses_are_slowed_down(api: Api, token: str) -> None:
    codes = [
        refused(await change(api, token, current_password=f"Sbagliata-{guess}"))[1]
        for guess in range(limits.FREE_TRIES + 1)
    ]
    assert codes[0] == "current_password_invalid"
    assert codes[-1] == "over_request_rate_limit"


@pytest.mark.parametrize("path", ["/recover", "/otp"])
async def test_whoever_came_in_by_mail_is_not_asked(api: Api, person: Person, now: Clock, path: str) -> None:
    await person()
    now.advance(minutes=2)
    await api.post(path, {"email": EMAIL})
    code = (await api.last_link(EMAIL)).code
    session = (await api.post("/verify", {"type": "email", "email": EMAIL, "token": code})).json()
    assert (await change(api, session["access_token"])).status_code == 200
