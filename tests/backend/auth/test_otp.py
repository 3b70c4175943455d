"""POST /otp and POST /magiclink by mail: ways in without password."""

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

EMAIL = "giulia@socio.example"


def configure(resources: Resources, **auth: Any) -> None:
    object.__setattr__(
        resources, "settings", replace(resources.settings, auth=replace(resources.settings.auth, **auth))
    )


async def purposes(api: Api, email: str = EMAIL) -> list[str]:
    return [message.purpose for message in await api.mails.to(email)]


@pytest.mark.parametrize("path", ["/otp", "/magiclink"])
async def test_a_known_address_gets_a_link_and_a_code(api: Api, person: Person, path: str) -> None:
    user = (await person())["user"]
    answer = await api.post(path, {"email": "Giulia@Socio.example"})
    assert (answer.status_code, answer.json()) == (200, {})
    assert await purposes(api) == ["confirmation", "magic_link"]
    message = (await api.mails.to(EMAIL))[-1]
    link = await api.last_link(EMAIL)
    assert f"/auth/confirm?token_hash={link.token_hash}&type=magiclink" in message.text
    assert (message.subject, "senza password" in message.text) == ("Il tuo link per entrare in Socio", True)
    verified = await api.post("/verify", {"type": "email", "email": EMAIL, "token": link.code})
    assert verified.json()["user"]["id"] == user["id"]
    assert (await api.sign_in(EMAIL)).status_code == 200
    again = await api.post("/verify", {"type": "magiclink", "token_hash": link.token_hash})
    assert again.json()["code"] == "otp_expired"


async def test_a_new_address_becomes_an_account_without_password(api: Api, resources: Resources) -> None:
    answer = await api.post("/otp", {"email": EMAIL, "data": {"full_name": "Giulia"}})
    assert (answer.status_code, answer.json()) == (200, {})
    assert await purposes(api) == ["confirmation"]
    code = (await api.last_link(EMAIL)).code
    user = (await api.post("/verify", {"type": "email", "email": EMAIL, "token": code})).json()["user"]
    assert (user["email"], user["user_metadata"]["full_name"]) == (EMAIL, "Giulia")
    async with db.connection(resources.pool) as connection:
        assert await connection.fetchval("select encrypted_password from auth.users") == ""
    assert (await api.sign_in(EMAIL, "")).json()["code"] == "invalid_credentials"


async def test_whoever_signed_up_without_proof_keeps_no_way_in(api: Api, resources: Resources, now: Clock) -> None:
    await api.sign_up(EMAIL, "Altrui-123")
    await plant(resources, EMAIL)
    now.advance(minutes=2)
    await api.post("/otp", {"email": EMAIL})
    code = (await api.last_link(EMAIL)).code
    assert (await api.post("/verify", {"type": "email", "email": EMAIL, "token": code})).status_code == 200
    assert (await api.sign_in(EMAIL, "Altrui-123")).json()["code"] == "invalid_credentials"
    assert await planted(resources) == set()


async def test_nothing_tells_an_unknown_address_from_a_known_one(
    api: Api, person: Person, resources: Resources
) -> None:
    object.__setattr__(resources, "settings", replace(resources.settings, hide_unknown_addresses=True))
    await person()
    known = await api.post("/otp", {"email": EMAIL, "create_user": False})
    unknown = await api.post("/otp", {"email": "nessuno@socio.example", "create_user": False})
    assert (known.status_code, known.json()) == (unknown.status_code, unknown.json()) == (200, {})
    assert await purposes(api, "nessuno@socio.example") == []
    for email in (EMAIL, "nessuno@socio.example"):
        answer = await api.post("/otp", {"email": email, "create_user": False})
        assert (answer.status_code, answer.json()["code"]) == (429, "over_email_send_rate_limit")


async def test_an_unknown_address_that_must_not_become_an_account_is_refused_as_upstream(api: Api) -> None:
    answer = await api.post("/otp", {"email": "nessuno@socio.example", "create_user": False})
    assert (answer.status_code, answer.json()["code"]) == (422, "otp_disabled")


@pytest.mark.parametrize(("create_user", "code"), [(True, "signup_disabled"), (False, "otp_disabled")])
async def test_where_nobody_may_sign_up_only_users_come_in(
    api: Api, person: Person, resources: Resources, create_user: bool, code: str
) -> None:
    await person()
    configure(resources, enable_signup=False)
    refused = await api.post("/otp", {"email": "nessuno@socio.example", "create_user": create_user})
    assert (refused.status_code, refused.json()["code"]) == (422, code)
    assert (await api.post("/otp", {"email": EMAIL, "create_user": create_user})).status_code == 200


async def test_without_confirmations_a_new_address_gets_the_magic_link_at_once(api: Api, resources: Resources) -> None:
    configure(resources, email=replace(resources.settings.auth.email, enable_confirmations=False))
    await api.post("/otp", {"email": EMAIL})
    assert await purposes(api) == ["magic_link"]
    token_hash = (await api.last_link(EMAIL)).token_hash
    assert (await api.post("/verify", {"type": "magiclink", "token_hash": token_hash})).status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"email": EMAIL, "phone": "393331234567"},
        {"email": EMAIL, "channel": "sms"},
        {"email": "nessuno"},
        {"email": EMAIL, "create_user": "yes"},
        {"email": EMAIL, "data": []},
        {"email": EMAIL, "data": {"x": "y" * 9000}},
        {"email": EMAIL, "code_challenge": "x" * 50},
    ],
)
async def test_a_bad_request_is_refused(api: Api, body: dict[str, Any]) -> None:
    answer = await api.post("/otp", body)
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")
    assert await api.mails.all() == []


async def test_a_magic_link_needs_an_address(api: Api) -> None:
    answer = await api.post("/magiclink", {"phone": "393331234567"})
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")


async def test_where_mail_is_switched_off_no_link_is_sent(api: Api, resources: Resources) -> None:
    configure(resources, email=replace(resources.settings.auth.email, enabled=False))
    answer = await api.post("/magiclink", {"email": EMAIL})
    assert (answer.status_code, answer.json()["code"]) == (422, "email_provider_disabled")


async def _click(api: Api, kind: str) -> Any:
    token = (await api.last_link(EMAIL)).token_hash
    return urlsplit((await api.get(f"/verify?token={token}&type={kind}")).headers["location"])


async def _exchange(api: Api, code: str) -> Any:
    return await api.post("/token?grant_type=pkce", {"auth_code": code, "code_verifier": VERIFIER})


async def test_a_link_read_late_still_ends_in_a_pkce_code(
    api: Api, person: Person, resources: Resources, now: Clock
) -> None:
    await person()
    await api.post("/otp", {"email": EMAIL, **CHALLENGE})
    now.advance(minutes=55)
    location = await _click(api, "magiclink")
    session = await _exchange(api, parse_qs(location.query)["code"][0])
    assert session.status_code == 200
    assert resources.keys.verify(session.json()["access_token"], now=now())["amr"][0]["method"] == "magiclink"


async def test_the_newest_link_goes_with_the_newest_challenge(api: Api, person: Person, now: Clock) -> None:
    """A recovery and a magic link share their token: only the newer one is valid."""
    await person()
    await api.post("/recover", {"email": EMAIL, "code_challenge": "x" * 50, "code_challenge_method": "plain"})
    now.advance(seconds=1)
    await api.post("/otp", {"email": EMAIL, **CHALLENGE})
    location = await _click(api, "magiclink")
    assert (await _exchange(api, parse_qs(location.query)["code"][0])).status_code == 200


async def test_a_link_that_is_too_old_says_so_in_query_and_fragment(api: Api, person: Person, now: Clock) -> None:
    await person()
    await api.post("/otp", {"email": EMAIL, **CHALLENGE})
    now.advance(minutes=61)
    location = await _click(api, "magiclink")
    for part in (parse_qs(location.query), parse_qs(location.fragment)):
        assert part["error_code"] == ["otp_expired"]
        assert part["error_description"] == ["Email link is invalid or has expired"]


async def test_a_new_address_comes_in_by_pkce_too(api: Api) -> None:
    await api.post("/otp", {"email": EMAIL, **CHALLENGE})
    location = await _click(api, "signup")
    assert (await _exchange(api, parse_qs(location.query)["code"][0])).status_code == 200


async def test_the_audit_log_tells_what_was_asked_for(api: Api, person: Person, resources: Resources) -> None:
    await person()
    await api.post("/otp", {"email": EMAIL})
    async with db.connection(resources.pool) as connection:
        actions = await connection.fetch("select payload ->> 'action' as action from auth.audit_log_entries")
    assert "user_recovery_requested" in {row["action"] for row in actions}


async def test_a_banned_user_stays_out(api: Api, person: Person, resources: Resources, now: Clock) -> None:
    await person(password=PASSWORD)
    async with db.connection(resources.pool) as connection:
        await connection.execute("update auth.users set banned_until = $1::timestamptz + interval '1 hour'", now())
    await api.post("/otp", {"email": EMAIL})
    token_hash = (await api.last_link(EMAIL)).token_hash
    answer = await api.post("/verify", {"type": "magiclink", "token_hash": token_hash})
    assert (answer.status_code, answer.json()["code"]) == (403, "user_banned")


async def test_flows_nobody_finished_do_not_pile_up(api: Api, person: Person, resources: Resources, now: Clock) -> None:
    await person()
    for _ in range(3):
        await api.post("/otp", {"email": EMAIL, **CHALLENGE})
        now.advance(days=3)
    async with db.connection(resources.pool) as connection:
        assert await connection.fetchval("select count(*) from auth.flow_state") == 1
