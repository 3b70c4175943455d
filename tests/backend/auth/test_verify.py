"""GET and POST /verify: one-time tokens."""

from __future__ import annotations

import asyncio
import hashlib
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from backend.core import db
from backend.core.resources import Resources
from tests.backend.auth.conftest import PASSWORD, Api, Person, plant, planted

pytestmark = pytest.mark.anyio

SITE = "http://localhost:54321"
EMAIL = "giulia@socio.example"


def _fragment(location: str) -> dict[str, str]:
    values = parse_qs(urlsplit(location).fragment, keep_blank_values=True)
    return {name: each[0] for name, each in values.items()}


async def test_a_link_confirms_the_address_and_signs_in(api: Api, resources: Resources) -> None:
    await api.sign_up(EMAIL)
    answer = await api.post("/verify", {"type": "signup", "token_hash": (await api.last_link(EMAIL)).token_hash})
    session = answer.json()
    assert answer.status_code == 200
    assert session["user"]["email_confirmed_at"]
    assert session["user"]["identities"][0]["identity_data"]["email_verified"] is True
    methods = resources.keys.verify(session["access_token"])["amr"]
    assert [entry["method"] for entry in methods] == ["otp"]


@pytest.mark.parametrize("kind", ["signup", "email", "invite"])
@pytest.mark.parametrize("spelling", ["{}", "{} ", "{0[0]}{0[1]}{0[2]}-{0[3]}{0[4]}{0[5]}"])
async def test_a_code_does_what_the_link_does(api: Api, kind: str, spelling: str) -> None:
    await api.sign_up(EMAIL)
    code = spelling.format((await api.last_link(EMAIL)).code)
    answer = await api.post("/verify", {"type": kind, "email": EMAIL.upper(), "token": code})
    assert answer.status_code == 200, answer.text


async def test_a_code_belongs_to_its_address(api: Api) -> None:
    await api.sign_up(EMAIL)
    await api.sign_up("luca@socio.example")
    code = (await api.last_link(EMAIL)).code
    answer = await api.post("/verify", {"type": "signup", "email": "luca@socio.example", "token": code})
    assert answer.json() == {"code": "otp_expired", "message": "Token has expired or is invalid"}


@pytest.mark.parametrize("kind", ["recovery", "magiclink", "email"])
async def test_a_recovery_link_signs_in(api: Api, person: Person, kind: str) -> None:
    await person()
    await api.post("/recover", {"email": EMAIL})
    link = await api.last_link(EMAIL)
    answer = await api.post("/verify", {"type": kind, "token_hash": link.token_hash})
    assert answer.status_code == 200
    assert (await api.get("/user", answer.json()["access_token"])).status_code == 200


async def test_a_recovery_link_of_an_unconfirmed_address_proves_it(api: Api) -> None:
    await api.sign_up(EMAIL)
    await api.post("/recover", {"email": EMAIL})
    link = await api.last_link(EMAIL)
    answer = await api.post("/verify", {"type": "recovery", "token_hash": link.token_hash})
    assert answer.json()["user"]["email_confirmed_at"]


async def test_a_recovery_of_an_unproved_address_leaves_whoever_signed_up_with_it_no_way_in(
    api: Api, resources: Resources
) -> None:
    await api.sign_up(EMAIL, data={"full_name": "Giulia"})
    await plant(resources, EMAIL)
    assert len(await planted(resources)) == 5
    await api.post("/recover", {"email": EMAIL})
    code = (await api.last_link(EMAIL)).code
    session = (await api.post("/verify", {"type": "recovery", "email": EMAIL, "token": code})).json()
    user = session["user"]
    assert await planted(resources) == set()
    assert (await api.sign_in(EMAIL)).json()["code"] == "invalid_credentials"
    assert [each["identity_data"]["email_verified"] for each in user["identities"]] == [True]
    assert user["app_metadata"] == {"provider": "email", "providers": ["email"]}
    assert user["user_metadata"]["full_name"] == "Giulia"
    assert (await api.put("/user", {"password": "Nuova-456x"}, session["access_token"])).status_code == 200
    assert (await api.sign_in(EMAIL, "Nuova-456x")).status_code == 200


async def test_a_recovery_of_a_proved_account_takes_nothing_away(
    api: Api, person: Person, resources: Resources
) -> None:
    session = await person()
    await plant(resources, EMAIL)
    await api.post("/recover", {"email": EMAIL})
    token_hash = (await api.last_link(EMAIL)).token_hash
    assert (await api.post("/verify", {"type": "recovery", "token_hash": token_hash})).status_code == 200
    assert len(await planted(resources)) == 5
    assert (await api.refresh(session["refresh_token"])).status_code == 200
    assert (await api.sign_in(EMAIL, PASSWORD)).status_code == 200


async def test_a_link_cannot_be_made_of_the_address_and_a_guessed_code(api: Api, person: Person) -> None:
    """As upstream's can: its hash is the SHA-224 of both, and no limit counts the links somebody tries."""
    await person()
    await api.post("/recover", {"email": EMAIL})
    link = await api.last_link(EMAIL)
    guessed = hashlib.sha224(f"{EMAIL}{link.code}".encode()).hexdigest()
    assert re.fullmatch("[0-9a-f]{56}", link.token_hash)
    for token_hash in (guessed, hashlib.sha224(f"{EMAIL}\0{link.code}".encode()).hexdigest()):
        answer = await api.post("/verify", {"type": "recovery", "token_hash": token_hash})
        assert (answer.status_code, answer.json()["code"]) == (403, "otp_expired")
    assert (await api.post("/verify", {"type": "recovery", "token_hash": link.token_hash})).status_code == 200


@pytest.mark.parametrize(
    ("kind", "sent_to", "change"),
    [
        ("recovery", EMAIL, "email = 'altra@socio.example'"),
        ("email_change", EMAIL, "email = 'altra@socio.example'"),
        ("email_change", "nuova@socio.example", "email_change = 'altra@socio.example'"),
        ("email_change", "nuova@socio.example", "email_change = ''"),
    ],
    ids=["recovery", "change, old address", "change, new address", "change, called off"],
)
async def test_a_token_counts_only_while_its_address_is_the_one_it_is_about(
    api: Api, person: Person, resources: Resources, kind: str, sent_to: str, change: str
) -> None:
    session = await person()
    await api.put("/user", {"email": "nuova@socio.example"}, session["access_token"])
    if kind == "recovery":
        await api.post("/recover", {"email": EMAIL})
    link = await api.last_link(sent_to)
    async with db.connection(resources.pool) as connection:
        await connection.execute(f"update auth.users set {change}")
    for proof in ({"token_hash": link.token_hash}, {"email": sent_to, "token": link.code}):
        answer = await api.post("/verify", {"type": kind, **proof})
        assert (answer.status_code, answer.json()["code"]) == (403, "otp_expired")


async def test_a_confirmation_ends_the_other_mails(api: Api) -> None:
    await api.sign_up(EMAIL)
    confirmation = await api.last_link(EMAIL)
    await api.post("/recover", {"email": EMAIL})
    recovery = await api.last_link(EMAIL)
    assert (await api.post("/verify", {"type": "signup", "token_hash": confirmation.token_hash})).status_code == 200
    late = await api.post("/verify", {"type": "recovery", "token_hash": recovery.token_hash})
    assert late.json()["code"] == "otp_expired"


async def test_who_came_in_by_mail_ends_the_other_mails(api: Api, person: Person) -> None:
    session = await person()
    await api.put("/user", {"email": "nuova@socio.example"}, session["access_token"])
    asked = await api.last_link("nuova@socio.example")
    await api.post("/recover", {"email": EMAIL})
    token_hash = (await api.last_link(EMAIL)).token_hash
    assert (await api.post("/verify", {"type": "recovery", "token_hash": token_hash})).status_code == 200
    late = await api.post("/verify", {"type": "email_change", "token_hash": asked.token_hash})
    assert late.json()["code"] == "otp_expired"


async def test_a_token_works_once(api: Api) -> None:
    await api.sign_up(EMAIL)
    body = {"type": "signup", "token_hash": (await api.last_link(EMAIL)).token_hash}
    answers = await asyncio.gather(*(api.post("/verify", body) for _ in range(5)))
    assert sorted(answer.status_code for answer in answers) == [200, 403, 403, 403, 403]


@pytest.mark.parametrize(("minutes", "status"), [(59, 200), (60, 403)])
async def test_a_token_lives_an_hour(api: Api, now: Any, minutes: int, status: int) -> None:
    await api.sign_up(EMAIL)
    now.advance(minutes=minutes)
    answer = await api.post("/verify", {"type": "signup", "token_hash": (await api.last_link(EMAIL)).token_hash})
    assert answer.status_code == status


async def test_a_newer_token_ends_the_older(api: Api, person: Person, now: Any) -> None:
    await person()
    await api.post("/recover", {"email": EMAIL})
    older = await api.last_link(EMAIL)
    now.advance(minutes=2)
    await api.post("/recover", {"email": EMAIL})
    newer = await api.last_link(EMAIL)
    refused = await api.post("/verify", {"type": "recovery", "token_hash": older.token_hash})
    assert refused.json()["code"] == "otp_expired"
    accepted = await api.post("/verify", {"type": "recovery", "token_hash": newer.token_hash})
    assert accepted.status_code == 200


async def test_a_token_is_only_what_it_was_made_for(api: Api) -> None:
    await api.sign_up(EMAIL)
    link = await api.last_link(EMAIL)
    for kind in ("recovery", "magiclink", "email_change"):
        answer = await api.post("/verify", {"type": kind, "token_hash": link.token_hash})
        assert answer.json()["code"] == "otp_expired"
    assert (await api.post("/verify", {"type": "signup", "token_hash": link.token_hash})).status_code == 200


async def test_a_token_is_no_access_token(api: Api) -> None:
    await api.sign_up(EMAIL)
    answer = await api.get("/user", (await api.last_link(EMAIL)).token_hash)
    assert (answer.status_code, answer.json()["code"]) == (403, "bad_jwt")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 400, "validation_failed"),
        ({"type": "signup"}, 400, "validation_failed"),
        ({"token_hash": "abc"}, 400, "validation_failed"),
        ({"type": "sesame", "token_hash": "abc"}, 400, "validation_failed"),
        ({"type": "signup", "token_hash": "abc", "email": EMAIL}, 400, "validation_failed"),
        ({"type": "signup", "token": "123456"}, 400, "validation_failed"),
        ({"type": "signup", "token": "123456", "email": EMAIL, "phone": "39"}, 400, "validation_failed"),
        ({"type": "signup", "token": "123456", "email": "nessuno"}, 400, "validation_failed"),
        ({"type": "signup", "token": 123456, "email": EMAIL}, 400, "validation_failed"),
        ({"type": "signup", "token": "123456", "email": EMAIL}, 403, "otp_expired"),
        ({"type": "signup", "token": "abcdef", "email": EMAIL}, 403, "otp_expired"),
        ({"type": "signup", "token": "１２３４５６", "email": EMAIL}, 403, "otp_expired"),
        ({"type": "sms", "token": "123456", "phone": "393331234567"}, 403, "otp_expired"),
        ({"type": "signup", "token_hash": "' or true --"}, 403, "otp_expired"),
    ],
)
async def test_refused_proofs(api: Api, body: dict[str, Any], status: int, code: str) -> None:
    answer = await api.post("/verify", body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


async def test_the_link_of_upstream_redirects_with_the_session(api: Api) -> None:
    await api.sign_up(EMAIL)
    token = (await api.last_link(EMAIL)).token_hash
    answer = await api.get(f"/verify?token={token}&type=signup&redirect_to={SITE}/benvenuto")
    values = _fragment(answer.headers["location"])
    assert answer.status_code == 303
    assert answer.headers["location"].startswith(f"{SITE}/benvenuto#")
    assert answer.headers["cache-control"] == "no-store"
    assert set(values) == {"access_token", "token_type", "expires_in", "expires_at", "refresh_token", "type", "sb"}
    assert values["type"] == "signup"
    assert (await api.get("/user", values["access_token"])).status_code == 200


@pytest.mark.parametrize(
    ("query", "error", "code"),
    [
        ("token=abc&type=signup", "access_denied", "otp_expired"),
        ("token=abc", "invalid_request", "validation_failed"),
        ("type=signup", "invalid_request", "validation_failed"),
        ("token=abc&type=sesame", "invalid_request", "validation_failed"),
        ("token=%00&type=signup", "invalid_request", "validation_failed"),
    ],
)
async def test_a_bad_link_redirects_with_the_reason(api: Api, query: str, error: str, code: str) -> None:
    answer = await api.get(f"/verify?{query}&redirect_to=https://evil.example/")
    values = _fragment(answer.headers["location"])
    assert answer.status_code == 303
    assert answer.headers["location"].startswith(f"{SITE}#")
    assert (values["error"], values["error_code"], values["sb"]) == (error, code, "")
    assert answer.content == b""


@pytest.mark.parametrize(
    ("method", "headers"),
    [
        ("HEAD", {}),
        ("GET", {"Sec-Purpose": "prefetch;prerender"}),
        ("GET", {"Purpose": "prefetch"}),
        ("GET", {"X-Moz": "prefetch"}),
    ],
)
async def test_looking_at_a_link_does_not_use_it_up(api: Api, method: str, headers: dict[str, str]) -> None:
    await api.sign_up(EMAIL)
    token = (await api.last_link(EMAIL)).token_hash
    looked = await api.call(method, f"/verify?token={token}&type=signup", None, "", headers=headers)
    assert looked.status_code == 200
    assert "location" not in looked.headers
    assert (await api.post("/verify", {"type": "signup", "token_hash": token})).status_code == 200


async def test_both_links_of_a_change_of_address_work_by_redirect(api: Api, person: Person) -> None:
    session = await person()
    await api.put("/user", {"email": "nuova@socio.example"}, session["access_token"])
    locations = []
    for address in (EMAIL, "nuova@socio.example"):
        token = (await api.last_link(address)).token_hash
        locations.append((await api.get(f"/verify?token={token}&type=email_change")).headers["location"])
    assert "both" not in locations[0]
    assert _fragment(locations[0])["message"].startswith("Confirmation link accepted")
    assert _fragment(locations[1])["type"] == "email_change"


async def test_a_banned_user_cannot_come_in_by_mail(api: Api, person: Person, resources: Resources) -> None:
    await person()
    await api.post("/recover", {"email": EMAIL})
    async with db.connection(resources.pool) as connection:
        await connection.execute("update auth.users set banned_until = now() + interval '1 day'")
    answer = await api.post("/verify", {"type": "recovery", "token_hash": (await api.last_link(EMAIL)).token_hash})
    assert (answer.status_code, answer.json()["code"]) == (403, "user_banned")
