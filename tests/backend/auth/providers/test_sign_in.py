"""Signing in through a provider: there and back with a real OpenID server (AUTH-21)."""

from __future__ import annotations

import base64
import hashlib
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from backend.core import db
from backend.core.resources import Resources
from tests.backend.auth.conftest import Api
from tests.backend.auth.providers.conftest import CLIENT_ID, SITE, Browser, OpenId

pytestmark = pytest.mark.anyio

VERIFIER = "v" * 50
S256 = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
PKCE = {"code_challenge": S256, "code_challenge_method": "s256"}


async def test_the_request_to_the_provider_says_what_it_must(browser: Browser, openid: OpenId) -> None:
    location = urlsplit(
        await browser.authorize(
            scopes="calendar email",
            state="forged",
            client_id="forged",
            redirect_uri="https://evil.example",
            response_type="token",
            nonce="forged",
            apikey="sb_publishable_x",
            prompt="login",
            redirect_to=f"{SITE}/home",
        )
    )
    assert f"{location.scheme}://{location.netloc}" == openid.http
    query = dict(parse_qs(location.query).items())
    assert len(query.pop("state")[0]) == 36
    assert len(query.pop("nonce")[0]) == 43
    assert len(query.pop("code_challenge")[0]) == 43
    assert query == {
        "client_id": [CLIENT_ID],
        "redirect_uri": [f"{SITE}/auth/v1/callback"],
        "response_type": ["code"],
        "scope": ["openid email profile calendar"],
        "code_challenge_method": ["S256"],
        "login_hint": ["giulia"],
        "prompt": ["login"],
    }


async def test_the_implicit_flow_ends_with_a_session_in_the_fragment(
    browser: Browser, api: Api, resources: Resources
) -> None:
    answer = await browser.sign_in(redirect_to=f"{SITE}/home?tab=1")
    assert answer.location.startswith(f"{SITE}/home?tab=1#")
    assert {"access_token", "refresh_token", "expires_in", "expires_at", "provider_token"} <= set(answer.fragment)
    assert answer.location.endswith("&sb=")
    claims = resources.keys.verify(answer.fragment["access_token"])
    assert [entry["method"] for entry in claims["amr"]] == ["oauth"]
    assert claims["app_metadata"] == {"provider": "keycloak", "providers": ["keycloak"]}
    user = (await api.get("/user", answer.fragment["access_token"])).json()
    assert user["email"] == "giulia@socio.example"
    assert user["email_confirmed_at"]
    (identity,) = user["identities"]
    assert (identity["provider"], identity["id"], identity["email"]) == ("keycloak", "giulia", "giulia@socio.example")
    assert identity["last_sign_in_at"]
    assert (
        identity["identity_data"].items()
        >= {
            "sub": "giulia",
            "provider_id": "giulia",
            "email": "giulia@socio.example",
            "email_verified": True,
            "phone_verified": False,
            "name": "Giulia Ferri",
            "full_name": "Giulia Ferri",
            "picture": "https://pictures.example/giulia.png",
            "avatar_url": "https://pictures.example/giulia.png",
        }.items()
    )
    assert user["user_metadata"].items() >= identity["identity_data"].items()


async def test_the_pkce_flow_ends_with_a_code_that_brings_the_providers_token(browser: Browser, api: Api) -> None:
    answer = await browser.sign_in(**PKCE)
    assert set(answer.query) == {"code"}
    assert answer.fragment == {}
    body = {"auth_code": answer.query["code"], "code_verifier": VERIFIER}
    session = await api.post("/token?grant_type=pkce", body)
    assert session.status_code == 200
    assert session.json()["provider_token"]
    assert session.json()["user"]["email"] == "giulia@socio.example"
    again = await api.post("/token?grant_type=pkce", body)
    assert (again.status_code, again.json()["code"]) == (404, "flow_state_not_found")


async def test_the_code_of_another_verifier_is_refused_and_used_up(browser: Browser, api: Api) -> None:
    code = (await browser.sign_in(**PKCE)).query["code"]
    wrong = await api.post("/token?grant_type=pkce", {"auth_code": code, "code_verifier": "w" * 50})
    assert (wrong.status_code, wrong.json()["code"]) == (400, "bad_code_verifier")
    right = await api.post("/token?grant_type=pkce", {"auth_code": code, "code_verifier": VERIFIER})
    assert right.status_code == 404


async def test_the_code_expires(browser: Browser, api: Api, now: Any) -> None:
    code = (await browser.sign_in(**PKCE)).query["code"]
    now.advance(minutes=5)
    late = await api.post("/token?grant_type=pkce", {"auth_code": code, "code_verifier": VERIFIER})
    assert (late.status_code, late.json()["code"]) == (422, "flow_state_expired")


async def test_an_answer_by_post_is_taken_as_well(browser: Browser, api: Api) -> None:
    answer = await browser.sign_in("apple")
    user = (await api.get("/user", answer.fragment["access_token"])).json()
    assert user["app_metadata"]["providers"] == ["apple"]


async def test_signing_in_again_is_the_same_account(browser: Browser, resources: Resources) -> None:
    first, second = await browser.sign_in(), await browser.sign_in()
    subjects = {resources.keys.verify(each.fragment["access_token"])["sub"] for each in (first, second)}
    assert len(subjects) == 1
    async with db.connection(resources.pool) as connection:
        actions = await connection.fetch(
            "select payload ->> 'action' as action, payload -> 'traits' ->> 'provider' as provider"
            "  from auth.audit_log_entries order by created_at, payload ->> 'action' desc"
        )
    assert {tuple(row) for row in actions} == {("user_signedup", "keycloak"), ("login", "keycloak")}


async def test_a_refusal_at_the_provider_is_passed_on(browser: Browser) -> None:
    answer = await browser.sign_in(account="nobody", redirect_to=f"{SITE}/login")
    assert answer.location.startswith(f"{SITE}/login?")
    expected = {"error": "access_denied", "error_description": "The person said no"}
    assert answer.query == answer.fragment == expected


async def test_a_banned_user_is_refused(browser: Browser, resources: Resources) -> None:
    await browser.sign_in()
    async with db.connection(resources.pool) as connection:
        await connection.execute("update auth.users set banned_until = now() + interval '1 day'")
    answer = await browser.sign_in()
    assert (answer.query["error"], answer.query["error_code"]) == ("access_denied", "user_banned")


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("", 400, "oauth_provider_not_supported"),
        ("provider=nonsense", 400, "oauth_provider_not_supported"),
        ("provider=notion", 400, "oauth_provider_not_supported"),
        ("provider=custom:unknown", 400, "oauth_provider_not_supported"),
        ("provider=custom:%00", 400, "validation_failed"),
        ("provider=google", 400, "provider_disabled"),
        ("provider=github", 400, "provider_disabled"),
        ("provider=keycloak&code_challenge=x", 400, "validation_failed"),
        ("provider=keycloak&code_challenge=x&code_challenge_method=s256", 400, "validation_failed"),
        ("provider=keycloak&invite_token=unknown", 404, "user_not_found"),
        ("provider=keycloak&scopes=" + "x" * 3000, 400, "validation_failed"),
        ("provider=keycloak&" + "&".join(f"p{number}=1" for number in range(30)), 400, "validation_failed"),
    ],
)
async def test_refused_requests(api: Api, query: str, status: int, code: str) -> None:
    answer = await api.get(f"/authorize?{query}")
    assert (answer.status_code, answer.json()["code"]) == (status, code)


async def test_settings_name_the_providers_that_are_on(api: Api) -> None:
    external = (await api.get("/settings")).json()["external"]
    assert external["keycloak"] is external["apple"] is True
    assert external["google"] is external["github"] is False


async def test_flows_cannot_be_begun_without_end(api: Api) -> None:
    statuses = [(await api.get("/authorize?provider=keycloak")).status_code for _ in range(31)]
    assert statuses == [302] * 30 + [429]
