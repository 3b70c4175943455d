"""POST /invite and POST /admin/generate_link: how an admin lets people in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from backend.core import db
from backend.core.resources import Resources
from tests.backend.auth.conftest import PASSWORD, Api, Person, plant, planted
from tests.backend.auth.test_pkce import CHALLENGE, VERIFIER
from tests.conftest import Clock

pytestmark = pytest.mark.anyio

EMAIL, NEW = "giulia@socio.example", "nuova@socio.example"
LINK_FIELDS = {"action_link", "email_otp", "hashed_token", "verification_type", "redirect_to"}


@pytest.fixture
def admin(resources: Resources) -> str:
    return resources.keys.secret_key


async def generate(api: Api, admin: str, kind: str, **more: Any) -> dict[str, Any]:
    answer = await api.post("/admin/generate_link", {"type": kind, "email": EMAIL, **more}, admin)
    assert answer.status_code == 200, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def follow(api: Api, link: str) -> dict[str, list[str]]:
    """Opens a link; what the redirect carries in its fragment."""
    parts = urlsplit(link)
    assert parts.path == "/auth/v1/verify"
    answer = await api.get(f"/verify?{parts.query}")
    assert answer.status_code == 303
    return parse_qs(urlsplit(answer.headers["location"]).fragment)


def refused(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


# Invitations ------------------------------------------------------------------------------------------------------


async def test_an_invitation_makes_an_account_and_sends_a_mail(api: Api, admin: str, resources: Resources) -> None:
    answer = await api.post("/invite", {"email": "Giulia@Socio.example", "data": {"full_name": "Giulia"}}, admin)
    user = answer.json()
    assert (answer.status_code, user["email"], user["user_metadata"]["full_name"]) == (200, EMAIL, "Giulia")
    assert user["invited_at"] == user["confirmation_sent_at"]
    assert "email_confirmed_at" not in user
    (message,) = await api.mails.to(EMAIL)
    link = await api.last_link(EMAIL)
    assert (message.purpose, message.subject) == ("invite", "Ti aspettiamo su Socio")
    assert f"/auth/confirm?token_hash={link.token_hash}&type=invite" in message.text
    assert link.code in message.html
    session = await api.post("/verify", {"type": "invite", "token_hash": link.token_hash})
    assert session.json()["user"]["id"] == user["id"]
    token = session.json()["access_token"]
    assert (await api.put("/user", {"password": PASSWORD}, token)).status_code == 200
    assert (await api.sign_in(EMAIL)).status_code == 200
    async with db.connection(resources.pool) as connection:
        entry = await connection.fetchval(
            "select payload from auth.audit_log_entries where payload ->> 'action' = 'user_invited'"
        )
    assert (entry["log_type"], entry["actor_username"]) == ("team", "service_role")
    assert entry["traits"] == {"user_id": user["id"], "user_email": EMAIL}


async def test_the_code_of_an_invitation_works_on_another_device(api: Api, admin: str) -> None:
    await api.post("/invite", {"email": EMAIL}, admin)
    code = (await api.last_link(EMAIL)).code
    assert (await api.post("/verify", {"type": "invite", "email": EMAIL, "token": code})).status_code == 200


async def test_an_invitation_can_be_repeated_until_it_is_accepted(api: Api, admin: str, now: Clock) -> None:
    first = (await api.post("/invite", {"email": EMAIL}, admin)).json()
    old = await api.last_link(EMAIL)
    now.advance(seconds=1)
    second = (await api.post("/invite", {"email": EMAIL, "data": {"city": "Bari"}}, admin)).json()
    assert (second["id"], second["user_metadata"]["city"]) == (first["id"], "Bari")
    gone = await api.post("/verify", {"type": "invite", "token_hash": old.token_hash})
    assert refused(gone) == (403, "otp_expired")
    new = await api.last_link(EMAIL)
    assert (await api.post("/verify", {"type": "invite", "token_hash": new.token_hash})).status_code == 200
    assert refused(await api.post("/invite", {"email": EMAIL}, admin)) == (422, "email_exists")


async def test_an_invitation_leaves_whoever_signed_up_with_the_address_no_way_in(
    api: Api, admin: str, resources: Resources
) -> None:
    signed_up = (await api.sign_up(EMAIL, data={"full_name": "Giulia", "city": "Bari"})).json()
    await plant(resources, EMAIL)
    await api.post("/invite", {"email": EMAIL, "data": {"city": "Lecce"}}, admin)
    token_hash = (await api.last_link(EMAIL)).token_hash
    user = (await api.post("/verify", {"type": "invite", "token_hash": token_hash})).json()["user"]
    assert await planted(resources) == set()
    assert refused(await api.sign_in(EMAIL)) == (400, "invalid_credentials")
    assert (user["id"], user["user_metadata"]["full_name"]) == (signed_up["id"], "Giulia")
    assert user["user_metadata"]["city"] == "Lecce"


@pytest.mark.parametrize("body", [{}, {"email": "nessuno"}, {"email": EMAIL, "data": []}, {"email": 1}])
async def test_a_bad_invitation_is_refused(api: Api, admin: str, body: Any) -> None:
    assert refused(await api.post("/invite", body, admin)) == (400, "validation_failed")
    assert await api.mails.all() == []


async def test_invitations_go_out_where_nobody_may_sign_up(api: Api, admin: str, resources: Resources) -> None:
    auth = replace(resources.settings.auth, enable_signup=False)
    object.__setattr__(resources, "settings", replace(resources.settings, auth=auth))
    assert (await api.post("/invite", {"email": EMAIL}, admin)).status_code == 200


# Links ------------------------------------------------------------------------------------------------------------


async def test_a_link_is_answered_flat_beside_the_user_and_no_mail_is_sent(api: Api, admin: str) -> None:
    made = await generate(api, admin, "signup", password=PASSWORD, data={"full_name": "Giulia"})
    assert {*made} >= LINK_FIELDS
    assert (made["email"], made["verification_type"]) == (EMAIL, "signup")
    assert made["redirect_to"] == "http://localhost:54321"
    assert made["user_metadata"]["full_name"] == "Giulia"
    assert made["confirmation_sent_at"]
    assert parse_qs(urlsplit(made["action_link"]).query) == {
        "token": [made["hashed_token"]],
        "type": ["signup"],
        "redirect_to": [made["redirect_to"]],
    }
    assert await api.mails.all() == []


async def test_a_sign_up_link_confirms(api: Api, admin: str) -> None:
    made = await generate(api, admin, "signup", password=PASSWORD)
    assert refused(await api.sign_in(EMAIL)) == (400, "email_not_confirmed")
    assert (await follow(api, made["action_link"]))["type"] == ["signup"]
    assert (await api.sign_in(EMAIL)).status_code == 200


async def test_a_sign_up_link_for_who_has_not_confirmed_is_the_newest_sign_up(api: Api, admin: str) -> None:
    """Upstream keeps the password there was: of whoever signed up with the address first."""
    await api.post("/signup", {"email": EMAIL, "password": PASSWORD, "data": {"full_name": "Giulia"}})
    made = await generate(api, admin, "signup", password="Altra-1234", data={"city": "Milano"})
    assert made["user_metadata"].items() >= {"full_name": "Giulia", "city": "Milano"}.items()
    await follow(api, made["action_link"])
    assert refused(await api.sign_in(EMAIL)) == (400, "invalid_credentials")
    assert (await api.sign_in(EMAIL, "Altra-1234")).status_code == 200


@pytest.mark.parametrize("kind", ["magiclink", "recovery"])
async def test_a_link_lets_a_user_in_by_link_or_code(api: Api, admin: str, person: Person, kind: str) -> None:
    user = (await person())["user"]
    made = await generate(api, admin, kind)
    assert (made["id"], made["verification_type"]) == (user["id"], kind)
    by_hash = await api.post("/verify", {"type": kind, "token_hash": made["hashed_token"]})
    assert by_hash.json()["user"]["id"] == user["id"]
    again = await generate(api, admin, kind)
    by_code = await api.post("/verify", {"type": kind, "email": EMAIL, "token": again["email_otp"]})
    assert by_code.status_code == 200
    third = await generate(api, admin, kind)
    assert "access_token" in await follow(api, third["action_link"])


async def test_a_magic_link_for_a_new_address_is_a_sign_up(api: Api, admin: str) -> None:
    made = await generate(api, admin, "magiclink", data={"full_name": "Giulia"})
    assert (made["verification_type"], made["user_metadata"]["full_name"]) == ("signup", "Giulia")
    assert "access_token" in await follow(api, made["action_link"])


async def test_an_invitation_can_be_handed_over(api: Api, admin: str) -> None:
    made = await generate(api, admin, "invite")
    assert made["invited_at"]
    assert (await follow(api, made["action_link"]))["type"] == ["invite"]
    answer = await api.post("/admin/generate_link", {"type": "invite", "email": EMAIL}, admin)
    assert refused(answer) == (422, "email_exists")


async def test_both_addresses_of_a_change_have_links(api: Api, admin: str, person: Person) -> None:
    await person()
    current = await generate(api, admin, "email_change_current", new_email=NEW)
    new = await generate(api, admin, "email_change_new", new_email=NEW)
    assert (current["new_email"], new["verification_type"]) == (NEW, "email_change_new")
    assert parse_qs(urlsplit(new["action_link"]).query)["type"] == ["email_change"]
    half = await follow(api, current["action_link"])
    assert half["message"][0].startswith("Confirmation link accepted")
    assert "access_token" in await follow(api, new["action_link"])
    assert (await api.sign_in(NEW)).status_code == 200


async def test_the_code_for_the_new_address_works_with_it(api: Api, admin: str, person: Person) -> None:
    await person()
    made = await generate(api, admin, "email_change_new", new_email=NEW)
    answer = await api.post("/verify", {"type": "email_change", "email": NEW, "token": made["email_otp"]})
    assert answer.json() == {
        "msg": "Confirmation link accepted. Please proceed to confirm link sent to the other email",
        "code": "200",
    }


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 400, "validation_failed"),
        ({"type": "recovery"}, 400, "validation_failed"),
        ({"type": "sms", "email": EMAIL}, 400, "validation_failed"),
        ({"type": "signup", "email": NEW}, 400, "validation_failed"),
        ({"type": "signup", "email": NEW, "password": "corta"}, 422, "weak_password"),
        ({"type": "signup", "email": EMAIL, "password": PASSWORD}, 422, "email_exists"),
        ({"type": "invite", "email": EMAIL}, 422, "email_exists"),
        ({"type": "recovery", "email": NEW}, 404, "user_not_found"),
        ({"type": "email_change_new", "email": NEW, "new_email": "x@socio.example"}, 404, "user_not_found"),
        ({"type": "email_change_new", "email": EMAIL}, 400, "validation_failed"),
        ({"type": "email_change_new", "email": EMAIL, "new_email": "taken@socio.example"}, 422, "email_exists"),
        ({"type": "recovery", "email": EMAIL, "code_challenge": "x" * 50}, 400, "validation_failed"),
        ({"type": "recovery", "email": EMAIL, "redirect_to": 1}, 400, "validation_failed"),
    ],
)
async def test_a_bad_request_is_refused(
    api: Api, admin: str, person: Person, body: Any, status: int, code: str
) -> None:
    await person()
    await person("taken@socio.example")
    assert refused(await api.post("/admin/generate_link", body, admin)) == (status, code)


async def test_the_current_address_is_only_asked_where_both_must_agree(
    api: Api, admin: str, person: Person, resources: Resources
) -> None:
    await person()
    email = replace(resources.settings.auth.email, double_confirm_changes=False)
    auth = replace(resources.settings.auth, email=email)
    object.__setattr__(resources, "settings", replace(resources.settings, auth=auth))
    body = {"type": "email_change_current", "email": EMAIL, "new_email": NEW}
    assert refused(await api.post("/admin/generate_link", body, admin)) == (400, "validation_failed")


@pytest.mark.parametrize(
    ("wanted", "given"),
    [
        ("http://localhost:5173/benvenuto", "http://localhost:5173/benvenuto"),
        ("https://evil.example/", "http://localhost:54321"),
        ("javascript:alert(1)", "http://localhost:54321"),
    ],
)
async def test_a_link_leads_only_where_it_may(api: Api, admin: str, person: Person, wanted: str, given: str) -> None:
    await person()
    assert (await generate(api, admin, "recovery", redirect_to=wanted))["redirect_to"] == given
    answer = await api.client.post(
        "/auth/v1/admin/generate_link",
        params={"redirect_to": wanted},
        json={"type": "recovery", "email": EMAIL},
        headers={"Authorization": f"Bearer {admin}"},
    )
    assert answer.json()["redirect_to"] == given


@pytest.mark.parametrize("kind", ["signup", "invite", "magiclink", "recovery"])
async def test_a_link_with_a_challenge_ends_in_a_pkce_code(api: Api, admin: str, kind: str, now: Clock) -> None:
    if kind == "recovery":
        await generate(api, admin, "invite")
    made = await generate(api, admin, kind, password=PASSWORD, **CHALLENGE)
    assert made["hashed_token"].startswith("pkce_")
    now.advance(minutes=50)
    answer = await api.get(f"/verify?{urlsplit(made['action_link']).query}")
    code = parse_qs(urlsplit(answer.headers["location"]).query)["code"][0]
    session = await api.post("/token?grant_type=pkce", {"auth_code": code, "code_verifier": VERIFIER})
    assert session.json()["user"]["id"] == made["id"]


async def test_the_audit_log_names_who_made_a_link(api: Api, admin: str, person: Person, resources: Resources) -> None:
    await person()
    await generate(api, admin, "recovery")
    async with db.connection(resources.pool) as connection:
        entry = await connection.fetchval(
            "select payload from auth.audit_log_entries where payload ->> 'action' = 'user_recovery_requested'"
        )
    assert (entry["actor_username"], entry["traits"]["user_email"]) == ("service_role", EMAIL)
