"""Guests: POST /signup without address and number, and how they become users by PUT /user."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from backend.core import db
from backend.core.config import Settings
from backend.core.resources import Resources
from tests.backend.auth.conftest import PASSWORD, Api

pytestmark = pytest.mark.anyio

EMAIL = "giulia@socio.example"


@pytest.fixture
def settings(settings: Settings, request: pytest.FixtureRequest) -> Settings:
    """Guests welcome; the mail part can be given by `parametrize`."""
    auth = settings.auth
    email = replace(auth.email, **getattr(request, "param", {}))
    return replace(settings, auth=replace(auth, enable_anonymous_sign_ins=True, email=email))


async def guest(api: Api) -> dict[str, Any]:
    answer = await api.post("/signup", {"data": {"theme": "dark"}})
    assert answer.status_code == 200, answer.text
    session: dict[str, Any] = answer.json()
    return session


async def test_a_guest_has_a_session(api: Api, resources: Resources) -> None:
    session = await guest(api)
    user = session["user"]
    assert (user["email"], user["phone"], user["is_anonymous"], user["identities"]) == ("", "", True, [])
    assert (user["app_metadata"], user["user_metadata"]) == ({}, {"theme": "dark"})
    claims = resources.keys.verify(session["access_token"])
    assert (claims["is_anonymous"], claims["role"], claims["amr"][0]["method"]) == (True, "authenticated", "anonymous")
    assert (await api.get("/user", session["access_token"])).json()["id"] == user["id"]
    assert (await api.refresh(session["refresh_token"])).status_code == 200
    assert (await api.get("/settings")).json()["external"]["anonymous_users"] is True


async def test_two_guests_are_two_people(api: Api) -> None:
    assert (await guest(api))["user"]["id"] != (await guest(api))["user"]["id"]


async def test_the_product_has_no_guests(api: Api, resources: Resources) -> None:
    auth = replace(resources.settings.auth, enable_anonymous_sign_ins=False)
    object.__setattr__(resources, "settings", replace(resources.settings, auth=auth))
    answer = await api.post("/signup", {})
    assert (answer.status_code, answer.json()["code"]) == (422, "anonymous_provider_disabled")


async def test_a_proved_address_makes_a_guest_a_user(api: Api) -> None:
    session = await guest(api)
    changed = (await api.put("/user", {"email": EMAIL}, session["access_token"])).json()
    assert (changed["new_email"], changed["is_anonymous"]) == (EMAIL, True)
    assert len(await api.mails.to(EMAIL)) == 1
    token_hash = (await api.last_link(EMAIL)).token_hash
    user = (await api.post("/verify", {"type": "email_change", "token_hash": token_hash})).json()["user"]
    assert (user["id"], user["email"], user["is_anonymous"]) == (session["user"]["id"], EMAIL, False)
    assert user["app_metadata"] == {"provider": "email", "providers": ["email"]}
    assert [identity["provider"] for identity in user["identities"]] == ["email"]
    assert (await api.refresh(session["refresh_token"])).status_code == 200


async def test_the_new_user_then_sets_a_password(api: Api) -> None:
    session = await guest(api)
    await api.put("/user", {"email": EMAIL}, session["access_token"])
    verified = await api.post(
        "/verify", {"type": "email_change", "token_hash": (await api.last_link(EMAIL)).token_hash}
    )
    assert (await api.put("/user", {"password": PASSWORD}, verified.json()["access_token"])).status_code == 200
    assert (await api.sign_in(EMAIL)).status_code == 200


async def test_a_guest_without_a_way_in_sets_no_password(api: Api) -> None:
    answer = await api.put("/user", {"password": PASSWORD}, (await guest(api))["access_token"])
    assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed")


async def test_a_guest_cannot_take_an_address_that_is_taken(api: Api, person: Any) -> None:
    await person(EMAIL)
    token = (await guest(api))["access_token"]
    assert (await api.put("/user", {"email": EMAIL}, token)).status_code == 200
    assert (await api.mails.to(EMAIL))[-1].purpose == "account_exists"
    assert (await api.get("/user", token)).json()["email"] == ""


@pytest.mark.parametrize("settings", [{"enable_confirmations": False}], indirect=True)
async def test_without_confirmations_an_address_counts_at_once(api: Api) -> None:
    session = await guest(api)
    user = (await api.put("/user", {"email": EMAIL, "password": PASSWORD}, session["access_token"])).json()
    assert (user["email"], user["is_anonymous"]) == (EMAIL, False)
    assert (await api.sign_in(EMAIL)).json()["user"]["id"] == session["user"]["id"]


async def test_guests_of_one_address_are_limited(api: Api, resources: Resources) -> None:
    auth = resources.settings.auth
    limited = replace(auth, rate_limit=replace(auth.rate_limit, anonymous_users=2))
    object.__setattr__(resources, "settings", replace(resources.settings, auth=limited))
    for _ in range(2):
        await guest(api)
    answer = await api.post("/signup", {})
    assert (answer.status_code, answer.json()["code"]) == (429, "over_request_rate_limit")


async def test_reauthentication_needs_somewhere_to_write_to(api: Api) -> None:
    answer = await api.get("/reauthenticate", (await guest(api))["access_token"])
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")


async def test_the_product_opens_an_account_for_a_guest_and_pays_nothing(api: Api, resources: Resources) -> None:
    session = await guest(api)
    async with db.connection(resources.pool) as connection:
        balance = await connection.fetchval(
            "select balance from public.credit_wallets where user_id = $1::text::uuid", session["user"]["id"]
        )
    assert balance == 0
