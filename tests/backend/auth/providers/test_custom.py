"""Providers added while the product runs: the admin API and signing in with them (AUTH-27)."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from backend.auth.providers import known
from backend.core import db
from backend.core.resources import Resources
from tests.backend.auth.conftest import Api, Person
from tests.backend.auth.providers.conftest import CLIENT_ID, SECRET, Browser, OpenId, id_token_claims
from tests.conftest import Clock

pytestmark = pytest.mark.anyio

NAME = "custom:kitchen"


@pytest.fixture
def admin(resources: Resources) -> str:
    return resources.keys.service_role_key


def _oidc(openid: OpenId, **more: Any) -> dict[str, Any]:
    return {
        "provider_type": "oidc",
        "identifier": NAME,
        "name": "Kitchen",
        "client_id": CLIENT_ID,
        "client_secret": SECRET,
        "scopes": ["email", "profile"],
        "issuer": openid.https,
        **more,
    }


def _oauth2(openid: OpenId, **more: Any) -> dict[str, Any]:
    return {
        "provider_type": "oauth2",
        "identifier": NAME,
        "name": "Kitchen",
        "client_id": CLIENT_ID,
        "client_secret": SECRET,
        "scopes": ["openid", "email", "profile"],
        "authorization_url": f"{openid.https}/auth",
        "token_url": f"{openid.https}/token",
        "userinfo_url": f"{openid.https}/me",
        **more,
    }


async def _create(api: Api, admin: str, body: dict[str, Any]) -> httpx.Response:
    return await api.post("/admin/custom-providers", body, admin)


async def _user(api: Api, answer: Any) -> dict[str, Any]:
    assert "access_token" in answer.fragment, answer.location
    user: dict[str, Any] = (await api.get("/user", answer.fragment["access_token"])).json()
    return user


async def test_a_provider_is_created_shown_changed_and_deleted(api: Api, admin: str, openid: OpenId) -> None:
    created = await _create(api, admin, _oidc(openid, custom_claims_allowlist=["department"]))
    assert created.status_code == 201
    shown = created.json()
    assert shown.pop("id")
    assert shown.pop("created_at") == shown.pop("updated_at")
    assert shown == {
        "provider_type": "oidc",
        "identifier": NAME,
        "name": "Kitchen",
        "client_id": CLIENT_ID,
        "acceptable_client_ids": [],
        "scopes": ["openid", "email", "profile"],
        "pkce_enabled": True,
        "attribute_mapping": {},
        "custom_claims_allowlist": ["department"],
        "authorization_params": {},
        "enabled": True,
        "email_optional": False,
        "issuer": openid.https,
        "skip_nonce_check": False,
    }
    path = f"/admin/custom-providers/{NAME}"
    assert (await api.get(path, admin)).json()["name"] == "Kitchen"
    changed = await api.put(path, {"name": "Cucina", "enabled": False, "scopes": ["email"], "issuer": ""}, admin)
    assert changed.status_code == 200
    assert changed.json()["name"] == "Cucina"
    assert changed.json()["scopes"] == ["openid", "email"]
    assert changed.json()["issuer"] == openid.https
    listed = (await api.get("/admin/custom-providers", admin)).json()
    assert [each["identifier"] for each in listed["providers"]] == [NAME]
    assert (await api.get("/admin/custom-providers?type=oauth2", admin)).json() == {"providers": []}
    assert (await api.call("DELETE", path, None, admin)).status_code == 204
    for answer in (await api.get(path, admin), await api.call("DELETE", path, None, admin)):
        assert (answer.status_code, answer.json()["code"]) == (404, "custom_provider_not_found")


async def test_the_secret_is_never_shown_and_rests_sealed(
    api: Api, admin: str, openid: OpenId, resources: Resources
) -> None:
    answers = [await _create(api, admin, _oidc(openid))]
    answers.append(await api.get("/admin/custom-providers", admin))
    answers.append(await api.get(f"/admin/custom-providers/{NAME}", admin))
    assert all(SECRET not in answer.text and "client_secret" not in answer.text for answer in answers)
    async with db.connection(resources.pool) as connection:
        stored = await connection.fetchval("select client_secret from auth.custom_oauth_providers")
        actions = await connection.fetchval("select payload ->> 'action' from auth.audit_log_entries")
    assert SECRET not in stored
    assert actions == "provider_created"


async def test_only_admins_may(api: Api, person: Person, openid: OpenId, resources: Resources) -> None:
    session = await person()
    for token, status in (("", 401), (session["access_token"], 403), (resources.keys.anon_key, 403)):
        for method, path in (("GET", ""), ("POST", ""), ("PUT", f"/{NAME}"), ("DELETE", f"/{NAME}")):
            answer = await api.call(method, f"/admin/custom-providers{path}", _oidc(openid), token)
            assert answer.status_code == status


@pytest.mark.parametrize(
    "change",
    [
        {"provider_type": "saml"},
        {"identifier": "kitchen"},
        {"identifier": "custom:"},
        {"identifier": "custom:Kitchen"},
        {"identifier": "custom:" + "x" * 60},
        {"name": ""},
        {"name": "x" * 101},
        {"client_id": ""},
        {"client_secret": ""},
        {"issuer": ""},
        {"issuer": "http://provider.example"},
        {"issuer": "https://user@provider.example"},
        {"issuer": "https://10.0.0.1"},
        {"issuer": "https://169.254.169.254/latest"},
        {"issuer": "https://[::ffff:192.168.0.1]/"},
        {"issuer": "javascript:alert(1)"},
        {"discovery_url": "https://192.168.1.1/x"},
        {"scopes": "email"},
        {"scopes": [f"scope{number}" for number in range(51)]},
        {"scopes": [7]},
        {"enabled": "yes"},
        {"authorization_params": {"redirect_uri": "https://evil.example"}},
        {"authorization_params": {"state": "x"}},
        {"authorization_params": {"x": 7}},
        {"attribute_mapping": {"role": "role"}},
        {"attribute_mapping": {"email_verified": True}},
        {"attribute_mapping": {"app_metadata": {"admin": True}}},
        {"attribute_mapping": {"name": "x" * 600}},
    ],
    ids=lambda change: str(change)[:60],
)
async def test_providers_that_must_not_be_are_refused(
    api: Api, admin: str, openid: OpenId, change: dict[str, Any]
) -> None:
    answer = await _create(api, admin, {**_oidc(openid), **change})
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")


async def test_an_identifier_is_taken_once(api: Api, admin: str, openid: OpenId) -> None:
    await _create(api, admin, _oidc(openid))
    again = await _create(api, admin, _oidc(openid))
    assert (again.status_code, again.json()["code"]) == (400, "conflict")


async def test_an_openid_provider_signs_people_in(browser: Browser, api: Api, admin: str, openid: OpenId) -> None:
    body = _oidc(
        openid,
        custom_claims_allowlist=["department", "unknown"],
        attribute_mapping={"nickname": "name", "locale": "department"},
        authorization_params={"prompt": "login"},
    )
    assert (await _create(api, admin, body)).status_code == 201
    assert "prompt=login" in await browser.authorize(NAME)
    user = await _user(api, await browser.sign_in(NAME))
    (identity,) = user["identities"]
    assert (identity["provider"], identity["id"]) == (NAME, "giulia")
    assert identity["identity_data"]["custom_claims"] == {"department": "Cucina"}
    assert identity["identity_data"]["nickname"] == "Giulia Ferri"
    assert identity["identity_data"]["locale"] == "Cucina"


async def test_a_plain_oauth_provider_signs_people_in(browser: Browser, api: Api, admin: str, openid: OpenId) -> None:
    created = await _create(api, admin, _oauth2(openid))
    assert created.status_code == 201, created.text
    assert "issuer" not in created.json()
    user = await _user(api, await browser.sign_in(NAME))
    assert user["email"] == "giulia@socio.example"
    assert user["identities"][0]["provider"] == NAME


async def test_a_disabled_provider_is_closed_also_for_who_is_on_the_way(
    browser: Browser, api: Api, admin: str, openid: OpenId
) -> None:
    await _create(api, admin, _oidc(openid))
    returned = await browser.visit(await browser.authorize(NAME))
    await api.put(f"/admin/custom-providers/{NAME}", {"enabled": False}, admin)
    assert (await browser.come_back(returned)).query["error_code"] == "provider_disabled"
    assert (await api.get(f"/authorize?provider={NAME}")).json()["code"] == "provider_disabled"


async def test_a_provider_in_our_network_is_not_asked(
    browser: Browser, api: Api, admin: str, openid: OpenId, resources: Resources
) -> None:
    """Past the check of the admin API, as a name that resolves inside would be."""
    await _create(api, admin, _oidc(openid))
    async with db.connection(resources.pool) as connection:
        await connection.execute("update auth.custom_oauth_providers set issuer = 'https://10.0.0.1'")
    answer = await api.get(f"/authorize?provider={NAME}")
    assert (answer.status_code, answer.json()["code"]) == (500, "unexpected_failure")
    assert "10.0.0.1" not in answer.text


@pytest.mark.parametrize("changes", [{"site_url": "https://socio.example"}], ids=["in-production"])
async def test_in_production_not_even_this_machine_is_asked(api: Api, admin: str, openid: OpenId) -> None:
    answer = await _create(api, admin, _oidc(openid))
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")


async def test_its_id_tokens_are_accepted_for_each_of_its_audiences(
    api: Api, admin: str, openid: OpenId, now: Clock
) -> None:
    await _create(api, admin, _oidc(openid, acceptable_client_ids=["kitchen-app"]))
    for audience, status in (("kitchen-app", 200), ("socio-mobile", 400)):
        token = openid.sign(id_token_claims(openid, now, iss=openid.https, aud=audience))
        answer = await api.post("/token?grant_type=id_token", {"provider": NAME, "id_token": token})
        assert answer.status_code == status


async def test_a_document_about_another_issuer_is_refused(api: Api, admin: str, openid: OpenId) -> None:
    body = _oidc(
        openid, issuer=f"{openid.https}/other", discovery_url=f"{openid.https}/.well-known/openid-configuration"
    )
    assert (await _create(api, admin, body)).status_code == 201
    answer = await api.get(f"/authorize?provider={NAME}")
    assert (answer.status_code, answer.json()["code"]) == (500, "unexpected_failure")


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("POST", "/sso", 404, "saml_provider_disabled"),
        ("GET", "/sso/saml/metadata", 404, "saml_provider_disabled"),
        ("POST", "/sso/saml/acs", 404, "saml_provider_disabled"),
        ("GET", "/scim/v2/Users", 404, "feature_disabled"),
        ("GET", "/scim/v2/ServiceProviderConfig", 404, "feature_disabled"),
        ("GET", "/admin/sso/providers", 401, "no_authorization"),
    ],
)
async def test_what_is_not_built_says_so(api: Api, method: str, path: str, status: int, code: str) -> None:
    answer = await api.call(method, path, {} if method == "POST" else None, "")
    assert (answer.status_code, answer.json()["code"]) == (status, code)


async def test_single_sign_on_has_no_providers(api: Api, admin: str) -> None:
    assert (await api.get("/admin/sso/providers", admin)).json()["code"] == "saml_provider_disabled"


@pytest.mark.parametrize(
    ("provider", "title"),
    [("azure", "Microsoft"), ("google", "Google"), ("linkedin_oidc", "LinkedIn"), ("custom:sso-studio", "sso-studio")],
)
def test_notices_name_a_provider_as_people_do(provider: str, title: str) -> None:
    assert known.title(provider) == title
