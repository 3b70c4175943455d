"""Providers without OpenID, by the table: against a small GitHub, Twitch and Facebook on this machine; and the rules of
Apple and Azure that the standard does not know.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from aiohttp import web

from backend.auth.providers import id_tokens, known, profiles
from backend.core.config import Auth, ConfigError, Settings
from backend.core.config_providers import External
from backend.core.egress import Reach
from tests.backend.auth.conftest import Api
from tests.backend.auth.providers.conftest import SITE, Answer

pytestmark = pytest.mark.anyio


@dataclass
class Elsewhere:
    """What the small servers answer, and what they were asked."""

    url: str = ""
    emails: list[Any] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)


@pytest.fixture
async def elsewhere() -> AsyncIterator[Elsewhere]:
    state = Elsewhere()

    async def token(request: web.Request) -> web.Response:
        state.asked.append({"path": request.path, **dict(await request.post())})
        if state.asked[-1]["code"] != "good":
            return web.json_response({"error": "bad_verification_code"})
        return web.json_response({"access_token": "token of theirs", "token_type": "bearer"})

    async def api(request: web.Request) -> web.Response:
        assert request.headers["Authorization"] == "Bearer token of theirs"
        state.asked.append({"path": request.path, "client": request.headers.get("Client-Id", "")})
        return web.json_response(_PAGES.get(request.path, state.emails))

    app = web.Application()
    app.router.add_post("/{path:.*}", token)
    app.router.add_get("/{path:.*}", api)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    state.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield state
    await runner.cleanup()


_PAGES = {
    "/api/v3/user": {
        "id": 4711,
        "login": "giulia",
        "name": "Giulia Ferri",
        "email": "public@socio.example",
        "avatar_url": "https://pictures.example/g.png",
    },
    "/helix/users": {"data": [{"id": "12", "email": "giulia@socio.example", "display_name": "Giulia", "login": "giu"}]},
    "/api/users/@me": {"id": "9", "email": "giulia@socio.example", "verified": False, "global_name": "Giulia"},
}


@pytest.fixture
def settings(settings: Settings, elsewhere: Elsewhere) -> Settings:
    there = External(client_id="ours", secret="theirs", url=elsewhere.url)
    external = dict.fromkeys(("github", "twitch", "discord"), there)
    return replace(settings, auth=replace(settings.auth, external=external))


async def _sign_in(api: Api, provider: str, code: str = "good") -> Answer:
    location = (await api.get(f"/authorize?provider={provider}")).headers["location"]
    state = parse_qs(urlsplit(location).query)["state"][0]
    answer = await api.client.get("/auth/v1/callback", params={"state": state, "code": code})
    return Answer(answer.headers["location"])


async def _user(api: Api, answer: Answer) -> dict[str, Any]:
    assert "access_token" in answer.fragment, answer.location
    user: dict[str, Any] = (await api.get("/user", answer.fragment["access_token"])).json()
    return user


async def test_github_is_asked_for_the_addresses_it_has_proof_of(api: Api, elsewhere: Elsewhere) -> None:
    elsewhere.emails = [
        {"email": "old@socio.example", "verified": True, "primary": False},
        {"email": "Giulia@socio.example", "verified": True, "primary": True},
        {"email": "nonsense", "verified": True},
        "nonsense",
    ]
    user = await _user(api, await _sign_in(api, "github"))
    assert user["email"] == "giulia@socio.example"
    (identity,) = user["identities"]
    assert (identity["provider"], identity["id"]) == ("github", "4711")
    assert identity["identity_data"] == {
        "sub": "4711",
        "provider_id": "4711",
        "name": "Giulia Ferri",
        "full_name": "Giulia Ferri",
        "user_name": "giulia",
        "picture": "https://pictures.example/g.png",
        "avatar_url": "https://pictures.example/g.png",
        "email": "giulia@socio.example",
        "email_verified": True,
        "phone_verified": False,
    }
    asked = elsewhere.asked[0]
    assert asked.pop("code_verifier")
    assert asked == {
        "path": "/login/oauth/access_token",
        "grant_type": "authorization_code",
        "code": "good",
        "redirect_uri": f"{SITE}/auth/v1/callback",
        "client_id": "ours",
        "client_secret": "theirs",
    }


async def test_githubs_public_address_proves_nothing(api: Api) -> None:
    answer = await _sign_in(api, "github")
    assert answer.query["error_description"] == "Error getting user email from external provider"


async def test_an_error_with_status_200_is_an_error(api: Api) -> None:
    answer = await _sign_in(api, "github", code="bad")
    assert answer.query["error_description"] == "Unable to exchange external code"


async def test_facts_that_lie_deeper_are_found(api: Api, elsewhere: Elsewhere) -> None:
    user = await _user(api, await _sign_in(api, "twitch"))
    assert user["email"] == "giulia@socio.example"
    assert user["identities"][0]["id"] == "12"
    assert user["user_metadata"]["user_name"] == "giu"
    assert elsewhere.asked[-1]["client"] == "ours"


async def test_an_unproved_address_is_told_apart(api: Api) -> None:
    answer = await _sign_in(api, "discord")
    assert answer.query["error_code"] == "provider_email_needs_verification"


def _configured(**external: External) -> dict[str, Any]:
    return known.configured(Auth(external=external, external_url="https://socio.example/auth/v1"))


def test_public_providers_are_asked_on_the_internet_only() -> None:
    mine = External(client_id="a, b,", secret="s")
    found = _configured(google=mine, github=mine, azure=replace(mine, url="https://login.microsoftonline.com/tenant"))
    assert (found["google"].reach, found["google"].issuer) == (Reach.PUBLIC, "https://accounts.google.com")
    assert found["google"].client_ids == ("a", "b")
    assert found["google"].redirect_uri == "https://socio.example/auth/v1/callback"
    assert found["github"].endpoints.userinfo == "https://api.github.com/user"
    assert found["azure"].issuer == "https://login.microsoftonline.com/tenant/v2.0"


@pytest.mark.parametrize(
    "external",
    [
        {"notion": External(client_id="x")},
        {"google": External(client_id=" , ")},
        {"keycloak": External(client_id="x")},
    ],
    ids=["unsupported", "without-id", "without-url"],
)
def test_providers_that_cannot_be_used_stop_the_start(external: dict[str, External]) -> None:
    with pytest.raises(ConfigError):
        _configured(**external)
    assert _configured(**{name: replace(each, enabled=False) for name, each in external.items()}) == {}


@pytest.mark.parametrize(
    ("url", "claims", "verified"),
    [
        ("", {}, False),
        ("", {"xms_edov": True}, True),
        ("", {"xms_edov": "1"}, True),
        ("", {"xms_edov": False}, False),
        ("https://login.microsoftonline.com/organizations", {}, False),
        ("https://login.microsoftonline.com/9f4b/", {}, True),
        ("https://login.microsoftonline.com/9f4b", {"xms_edov": False}, False),
    ],
)
def test_azure_vouches_for_addresses_of_one_tenant_only(url: str, claims: dict[str, Any], verified: bool) -> None:
    azure = _configured(azure=External(client_id="x", url=url))["azure"]
    assert id_tokens.is_email_verified({"email": "a@b.it", **claims}, azure) is verified


@pytest.mark.parametrize(
    ("issuer", "tenant", "good"),
    [
        ("https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0", "same", True),
        ("https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0", "other", False),
        ("https://evil.example/v2.0", "same", False),
    ],
)
def test_azure_tokens_are_of_the_tenant_they_name(issuer: str, tenant: str, good: bool) -> None:
    tenants = {"same": "9188040d-6c67-4c5b-b112-36a304b66dad", "other": "72f988bf-86f1-41af-91ab-2d7cd011db47"}
    check = id_tokens._check_issuer
    template = "https://login.microsoftonline.com/{tenantid}/v2.0"
    if good:
        check({"iss": issuer, "tid": tenants[tenant]}, template)
        return
    for tid in (tenants[tenant], "", None, "x/../evil"):
        with pytest.raises(id_tokens.BadIdToken):
            check({"iss": issuer.replace("9188040d-6c67-4c5b-b112-36a304b66dad", "x"), "tid": tid}, template)


def test_apple_tells_the_name_beside_the_code() -> None:
    apple = _configured(apple=External(client_id="x"))["apple"]
    plain = profiles.read(apple, {"sub": "1", "email": "a@b.it", "email_verified": "true"})
    assert plain.facts["email_verified"] is True
    named = profiles.with_apple_name(plain, json.dumps({"name": {"firstName": "Giulia", "lastName": "Ferri"}}))
    assert named.facts["full_name"] == "Giulia Ferri"
    for junk in ("", "[]", "{", '{"name": 7}', '{"name": {"firstName": 7, "lastName": "x"}}', "[" * 100_000):
        assert profiles.with_apple_name(plain, junk) == plain


@pytest.mark.parametrize(
    "answered",
    [{}, {"sub": ""}, {"sub": None}, {"sub": True}, {"sub": {}}, {"sub": "x\x00"}, {"sub": "\ud800"}],
    ids=["none", "empty", "null", "bool", "object", "nul", "half"],
)
def test_nobody_without_a_usable_subject(answered: dict[str, Any]) -> None:
    github = _configured(google=External(client_id="x"))["google"]
    with pytest.raises(profiles.NoSubject):
        profiles.read(github, answered)


def test_facts_that_cannot_be_kept_are_left_out() -> None:
    google = replace(_configured(google=External(client_id="x"))["google"], custom_claims=("a", "b"))
    odd = {"sub": "1", "name": "\ud800", "picture": "x" * 5000, "locale": 7, "email": "no address", "a": "\x00", "b": 1}
    facts = profiles.read(google, odd).facts
    expected = {"sub": "1", "provider_id": "1", "email_verified": False, "phone_verified": False}
    assert facts == expected
    assert "custom_claims" not in profiles.read(google, {"sub": "1", "a": "x" * 5000}).facts
