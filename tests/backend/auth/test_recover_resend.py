"""POST /recover and POST /resend."""

from __future__ import annotations

from typing import Any

import pytest

from tests.backend.auth.conftest import Api, Person

pytestmark = pytest.mark.anyio

EMAIL = "giulia@socio.example"


async def test_recover_sends_a_link_to_the_reset_page(api: Api, person: Person) -> None:
    await person()
    answer = await api.post("/recover", {"email": EMAIL.upper()})
    message = (await api.mails.to(EMAIL))[-1]
    assert (answer.status_code, answer.json()) == (200, {})
    assert message.purpose == "recovery"
    assert f"/reset-password?token_hash={(await api.last_link(EMAIL)).token_hash}&type=recovery" in message.text


async def test_recover_for_nobody_answers_the_same_and_sends_nothing(api: Api) -> None:
    answer = await api.post("/recover", {"email": EMAIL})
    assert (answer.status_code, answer.json()) == (200, {})
    assert await api.mails.all() == []


@pytest.mark.parametrize("body", [{}, {"email": ""}, {"email": "nessuno"}, {"email": 1}])
async def test_recover_needs_an_address(api: Api, body: dict[str, Any]) -> None:
    answer = await api.post("/recover", body)
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")


@pytest.mark.parametrize(
    ("path", "body"),
    [("/recover", {}), ("/resend", {"type": "signup"}), ("/resend", {"type": "email_change"})],
    ids=["recover", "resend signup", "resend email_change"],
)
@pytest.mark.parametrize("known", [True, False])
async def test_the_limit_per_address_is_the_same_for_known_and_unknown(
    api: Api, person: Person, now: Any, path: str, body: dict[str, str], known: bool
) -> None:
    if known:
        await person()
        now.advance(minutes=5)
    assert (await api.post(path, {"email": EMAIL, **body})).json() == {}
    now.advance(seconds=59.5)
    refused = await api.post(path, {"email": EMAIL, **body})
    assert refused.status_code == 429
    assert refused.json() == {
        "code": "over_email_send_rate_limit",
        "message": "For security purposes, you can only request this after 1 seconds.",
    }
    now.advance(seconds=0.5)
    assert (await api.post(path, {"email": EMAIL, **body})).json() == {}


async def test_resend_sends_another_confirmation(api: Api, now: Any) -> None:
    await api.sign_up(EMAIL)
    older = await api.last_link(EMAIL)
    assert (await api.post("/resend", {"type": "signup", "email": EMAIL})).status_code == 429
    now.advance(minutes=1)
    assert (await api.post("/resend", {"type": "signup", "email": EMAIL})).json() == {}
    newer = await api.last_link(EMAIL)
    assert older.token_hash != newer.token_hash
    answer = await api.post("/verify", {"type": "signup", "token_hash": newer.token_hash})
    assert answer.status_code == 200


async def test_resend_sends_the_mails_of_a_change_of_address_again(api: Api, person: Person, now: Any) -> None:
    session = await person()
    await api.put("/user", {"email": "nuova@socio.example"}, session["access_token"])
    now.advance(minutes=1)
    assert (await api.post("/resend", {"type": "email_change", "email": EMAIL})).json() == {}
    for address in (EMAIL, "nuova@socio.example"):
        token = (await api.last_link(address)).token_hash
        answer = await api.post("/verify", {"type": "email_change", "token_hash": token})
    assert answer.json()["user"]["email"] == "nuova@socio.example"


async def test_resend_has_nothing_to_send_to_a_confirmed_address(api: Api, person: Person, now: Any) -> None:
    await person()
    now.advance(minutes=1)
    sent = len(await api.mails.all())
    for kind in ("signup", "email_change"):
        assert (await api.post("/resend", {"type": kind, "email": EMAIL})).json() == {}
    assert len(await api.mails.all()) == sent


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "validation_failed"),
        ({"type": "recovery", "email": EMAIL}, "validation_failed"),
        ({"type": "signup"}, "validation_failed"),
        ({"type": "signup", "email": EMAIL, "phone": "39333"}, "validation_failed"),
        ({"type": "sms", "phone": "39333"}, "phone_provider_disabled"),
        ({"type": "signup", "phone": "39333"}, "validation_failed"),
    ],
)
async def test_refused_resends(api: Api, body: dict[str, Any], code: str) -> None:
    answer = await api.post("/resend", body)
    assert (answer.status_code, answer.json()["code"]) == (400, code)
