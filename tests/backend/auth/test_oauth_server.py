"""OAuth 2.1 for other applications (AUTH-26)."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from backend.auth import sessions
from backend.core import db
from backend.core.config import Settings
from backend.core.config_providers import OAuthServer
from backend.core.resources import Resources
from tests.backend.auth.conftest import Api, Halted, Person, someone_waits

pytestmark = pytest.mark.anyio

VERIFIER = "v" * 50
S256 = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
BACK = "https://app.example/back?x=1"
UNKNOWN = "6f4bd6a0-60b4-4d4a-9d9a-1f8f2e8b1a55"


@pytest.fixture
def server() -> OAuthServer:
    return OAuthServer(enabled=True, allow_dynamic_registration=True)


@pytest.fixture
def settings(settings: Settings, server: OAuthServer) -> Settings:
    return replace(settings, auth=replace(settings.auth, oauth_server=server))


@pytest.fixture
def admin(resources: Resources) -> str:
    return resources.keys.service_role_key


async def _client(api: Api, admin: str, **more: Any) -> dict[str, Any]:
    body = {"client_name": "App", "redirect_uris": [BACK], **more}
    answer = await api.post("/admin/oauth/clients", body, admin)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def _authorize(api: Api, client: dict[str, Any], **more: str) -> httpx.Response:
    query = {
        "client_id": client["client_id"],
        "redirect_uri": BACK,
        "response_type": "code",
        "scope": "openid email profile",
        "state": "of the app",
        "nonce": "n1",
        "code_challenge": S256,
        "code_challenge_method": "S256",
        **more,
    }
    return await api.get("/oauth/authorize", params=query)


def _query(location: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(location).query).items()}


async def _begin(api: Api, client: dict[str, Any], **more: str) -> str:
    answer = await _authorize(api, client, **more)
    assert answer.status_code == 302
    assert answer.headers["location"].startswith("http://localhost:54321/oauth/consent?authorization_id=")
    return _query(answer.headers["location"])["authorization_id"]


async def _approve(api: Api, client: dict[str, Any], token: str, **more: str) -> dict[str, str]:
    authorization_id = await _begin(api, client, **more)
    shown = (await api.get(f"/oauth/authorizations/{authorization_id}", token)).json()
    if "redirect_url" not in shown:
        path = f"/oauth/authorizations/{authorization_id}/consent"
        shown = (await api.post(path, {"action": "approve"}, token)).json()
    return _query(shown["redirect_url"])


async def _exchange(api: Api, client: dict[str, Any], code: str, **more: str) -> httpx.Response:
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": BACK,
        "client_id": client["client_id"],
        "client_secret": client.get("client_secret", ""),
        "code_verifier": VERIFIER,
        **more,
    }
    return await api.client.post("/auth/v1/oauth/token", data={name: value for name, value in form.items() if value})


async def _tokens(api: Api, client: dict[str, Any], token: str, **more: str) -> dict[str, Any]:
    code = (await _approve(api, client, token, **more))["code"]
    answer = await _exchange(api, client, code)
    assert answer.status_code == 200, answer.text
    tokens: dict[str, Any] = answer.json()
    return tokens


async def test_an_application_signs_somebody_in(api: Api, admin: str, person: Person, resources: Resources) -> None:
    session = await person(data={"full_name": "Giulia Ferri"})
    client = await _client(api, admin)
    authorization_id = await _begin(api, client)
    shown = await api.get(f"/oauth/authorizations/{authorization_id}", session["access_token"])
    assert shown.json() == {
        "authorization_id": authorization_id,
        "redirect_uri": "https://app.example/back",
        "client": {"id": client["client_id"], "name": "App", "uri": "", "logo_uri": ""},
        "user": {"id": session["user"]["id"], "email": "giulia@socio.example"},
        "scope": "openid email profile",
    }
    path = f"/oauth/authorizations/{authorization_id}/consent"
    location = (await api.post(path, {"action": "approve"}, session["access_token"])).json()["redirect_url"]
    assert location.startswith("https://app.example/back?x=1&")
    answer = _query(location)
    assert (answer["state"], answer["iss"]) == ("of the app", resources.settings.auth.jwt_issuer)
    tokens = (await _exchange(api, client, answer["code"])).json()
    assert set(tokens) == {"access_token", "token_type", "expires_in", "refresh_token", "scope", "id_token"}
    claims = resources.keys.verify(tokens["access_token"])
    assert (claims["client_id"], claims["scope"]) == (client["client_id"], "openid email profile")
    assert claims["amr"][0]["method"] == "oauth_provider/authorization_code"
    identity = resources.keys.verify(tokens["id_token"], audience=client["client_id"])
    half = hashlib.sha256(tokens["access_token"].encode()).digest()[:16]
    assert identity["nonce"] == "n1"
    assert identity["at_hash"] == base64.urlsafe_b64encode(half).rstrip(b"=").decode()
    assert (identity["sub"], identity["name"]) == (session["user"]["id"], "Giulia Ferri")
    info = (await api.get("/oauth/userinfo", tokens["access_token"])).json()
    assert (info["email"], info["email_verified"], info["name"]) == ("giulia@socio.example", True, "Giulia Ferri")


async def test_scopes_bound_what_an_application_learns(api: Api, admin: str, person: Person) -> None:
    token = (await person(data={"full_name": "Giulia Ferri"}))["access_token"]
    tokens = await _tokens(api, await _client(api, admin), token, scope="openid")
    assert set((await api.get("/oauth/userinfo", tokens["access_token"])).json()) == {"sub"}
    by_default = await _tokens(api, await _client(api, admin), token, scope="")
    assert "id_token" not in by_default
    assert by_default["scope"] == "email"


async def test_what_was_allowed_is_not_asked_again_until_it_is_taken_back(api: Api, admin: str, person: Person) -> None:
    token = (await person())["access_token"]
    client = await _client(api, admin)
    first = await _tokens(api, client, token)
    narrower = await api.get(f"/oauth/authorizations/{await _begin(api, client, scope='email')}", token)
    assert set(narrower.json()) == {"redirect_url"}
    wider = await api.get(f"/oauth/authorizations/{await _begin(api, client, scope='email phone')}", token)
    assert "client" in wider.json()
    (grant,) = (await api.get("/user/oauth/grants", token)).json()
    assert (grant["client"]["name"], grant["scopes"]) == ("App", ["openid", "email", "profile"])
    path = f"/user/oauth/grants?client_id={client['client_id']}"
    assert (await api.call("DELETE", path, None, token)).status_code == 204
    assert (await api.get("/user/oauth/grants", token)).json() == []
    assert (await api.get("/oauth/userinfo", first["access_token"])).status_code == 403
    assert (await _refresh(api, client, first["refresh_token"])).json()["error"] == "invalid_grant"
    assert (await api.call("DELETE", path, None, token)).json()["code"] == "oauth_consent_not_found"
    again = await api.get(f"/oauth/authorizations/{await _begin(api, client)}", token)
    assert "client" in again.json()


async def test_a_person_may_say_no(api: Api, admin: str, person: Person) -> None:
    token = (await person())["access_token"]
    authorization_id = await _begin(api, await _client(api, admin))
    path = f"/oauth/authorizations/{authorization_id}"
    await api.get(path, token)
    answer = _query((await api.post(f"{path}/consent", {"action": "deny"}, token)).json()["redirect_url"])
    assert (answer["error"], answer["state"]) == ("access_denied", "of the app")
    again = await api.post(f"{path}/consent", {"action": "approve"}, token)
    assert (again.status_code, again.json()["code"]) == (400, "validation_failed")


async def test_a_request_belongs_to_the_first_who_opens_it(api: Api, admin: str, person: Person, now: Any) -> None:
    mine, theirs = (await person())["access_token"], (await person("altra@socio.example"))["access_token"]
    client = await _client(api, admin)
    path = f"/oauth/authorizations/{await _begin(api, client)}"
    assert (await api.get(path, mine)).status_code == 200
    for answer in (await api.get(path, theirs), await api.post(f"{path}/consent", {"action": "approve"}, theirs)):
        assert (answer.status_code, answer.json()["code"]) == (404, "oauth_authorization_not_found")
    now.advance(minutes=10)
    assert (await api.post(f"{path}/consent", {"action": "approve"}, mine)).status_code == 404
    assert (await api.get("/oauth/authorizations/unknown", mine)).status_code == 404


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"code_challenge": ""}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"scope": "admin"}, "invalid_scope"),
        ({"nonce": "n" * 300}, "invalid_request"),
        ({"state": "s" * 5000}, "invalid_request"),
    ],
    ids=["response-type", "no-pkce", "short-pkce", "plain-pkce", "scope", "nonce", "state"],
)
async def test_bad_requests_are_told_to_the_application(
    api: Api, admin: str, change: dict[str, str], error: str
) -> None:
    answer = await _authorize(api, await _client(api, admin), **change)
    assert answer.headers["location"].startswith("https://app.example/back?x=1&")
    assert _query(answer.headers["location"])["error"] == error


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"client_id": UNKNOWN}, "oauth_client_not_found"),
        ({"client_id": "x"}, "oauth_client_not_found"),
        ({"redirect_uri": "https://evil.example"}, "validation_failed"),
        ({"redirect_uri": "https://app.example/back"}, "validation_failed"),
        ({"redirect_uri": f"{BACK}&y=2"}, "validation_failed"),
        ({"redirect_uri": ""}, "validation_failed"),
    ],
    ids=["unknown", "malformed", "elsewhere", "shorter", "longer", "none"],
)
async def test_nobody_is_sent_to_an_address_nobody_registered(
    api: Api, admin: str, change: dict[str, str], code: str
) -> None:
    answer = await _authorize(api, await _client(api, admin), **change)
    assert (answer.status_code, answer.json()["code"]) == (400, code)


async def _refresh(api: Api, client: dict[str, Any], refresh_token: str, **more: str) -> httpx.Response:
    form = {
        "grant_type": "refresh_token",
        "refresh_token": refresh_token,
        "client_id": client["client_id"],
        "client_secret": client.get("client_secret", ""),
        **more,
    }
    return await api.client.post("/auth/v1/oauth/token", data={name: value for name, value in form.items() if value})


async def test_refreshing_keeps_scope_and_client(api: Api, admin: str, person: Person, resources: Resources) -> None:
    client = await _client(api, admin)
    tokens = await _tokens(api, client, (await person())["access_token"])
    refreshed = (await _refresh(api, client, tokens["refresh_token"])).json()
    claims = resources.keys.verify(refreshed["access_token"])
    assert (claims["client_id"], claims["scope"]) == (client["client_id"], "openid email profile")
    assert refreshed["refresh_token"] != tokens["refresh_token"]


async def test_refresh_tokens_work_for_their_own_client_only(api: Api, admin: str, person: Person) -> None:
    session = await person()
    client, other = await _client(api, admin), await _client(api, admin)
    tokens = await _tokens(api, client, session["access_token"])
    assert (await _refresh(api, other, tokens["refresh_token"])).json()["error"] == "invalid_grant"
    assert (await _refresh(api, client, session["refresh_token"])).json()["error"] == "invalid_grant"
    assert (await api.refresh(tokens["refresh_token"])).json()["code"] == "refresh_token_not_found"
    assert (await _refresh(api, client, tokens["refresh_token"])).status_code == 200


async def test_a_code_works_once_and_a_replay_ends_what_came_of_it(api: Api, admin: str, person: Person) -> None:
    session = await person()
    client = await _client(api, admin)
    code = (await _approve(api, client, session["access_token"]))["code"]
    tokens = (await _exchange(api, client, code)).json()
    again = await _exchange(api, client, code)
    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
    assert (await api.get("/oauth/userinfo", tokens["access_token"])).status_code == 403
    assert (await api.get("/user", session["access_token"])).status_code == 200


async def test_of_ten_with_one_code_at_most_one_gets_tokens(api: Api, admin: str, person: Person) -> None:
    client = await _client(api, admin)
    code = (await _approve(api, client, (await person())["access_token"]))["code"]
    answers = await asyncio.gather(*(_exchange(api, client, code) for _ in range(10)))
    assert sorted(answer.status_code for answer in answers) == [200] + [400] * 9


@pytest.mark.parametrize(
    "change",
    [{"code_verifier": "w" * 50}, {"code_verifier": ""}, {"redirect_uri": "https://evil.example"}],
    ids=["verifier", "no-verifier", "redirect"],
)
async def test_a_stolen_code_is_worth_nothing(api: Api, admin: str, person: Person, change: dict[str, str]) -> None:
    client = await _client(api, admin)
    code = (await _approve(api, client, (await person())["access_token"]))["code"]
    assert (await _exchange(api, client, code, **change)).json()["error"] == "invalid_grant"
    assert (await _exchange(api, client, code)).json()["error"] == "invalid_grant"


async def test_a_code_is_its_clients_and_expires(api: Api, admin: str, person: Person, now: Any) -> None:
    token = (await person())["access_token"]
    client, other = await _client(api, admin), await _client(api, admin)
    code = (await _approve(api, client, token))["code"]
    assert (await _exchange(api, other, code)).json()["error"] == "invalid_grant"
    now.advance(minutes=5)
    assert (await _exchange(api, client, code)).json()["error"] == "invalid_grant"


async def test_a_code_not_yet_exchanged_ends_with_the_consent(api: Api, admin: str, person: Person) -> None:
    token = (await person())["access_token"]
    client = await _client(api, admin)
    code = (await _approve(api, client, token))["code"]
    assert (
        await api.call("DELETE", f"/user/oauth/grants?client_id={client['client_id']}", None, token)
    ).status_code == 204
    refused = await _exchange(api, client, code)
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_grant")
    # Allowed again, it gets a code of its own.
    assert (await _tokens(api, client, token))["scope"] == "openid email profile"


async def test_a_code_for_more_than_is_still_allowed_is_refused(api: Api, admin: str, person: Person) -> None:
    token = (await person())["access_token"]
    client = await _client(api, admin)
    code = (await _approve(api, client, token))["code"]
    await api.call("DELETE", f"/user/oauth/grants?client_id={client['client_id']}", None, token)
    await _approve(api, client, token, scope="email")
    assert (await _exchange(api, client, code)).json()["error"] == "invalid_grant"


async def test_a_consent_taken_back_while_a_code_is_exchanged_ends_the_session(
    api: Api, admin: str, person: Person, resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = (await person())["access_token"]
    client = await _client(api, admin)
    code = (await _approve(api, client, token))["code"]
    under_way = Halted(monkeypatch, sessions, "grant")
    exchange = asyncio.create_task(_exchange(api, client, code))
    await under_way.reached.wait()
    path = f"/user/oauth/grants?client_id={client['client_id']}"
    revocation = asyncio.create_task(api.call("DELETE", path, None, token))
    await someone_waits(resources)
    under_way.go.set()
    assert (await revocation).status_code == 204
    tokens = (await exchange).json()
    assert (await _refresh(api, client, tokens["refresh_token"])).json()["error"] == "invalid_grant"


async def test_a_code_not_yet_exchanged_ends_with_the_password(api: Api, admin: str, person: Person) -> None:
    token = (await person())["access_token"]
    client = await _client(api, admin)
    code = (await _approve(api, client, token))["code"]
    assert (await api.put("/user", {"password": "Nuova-456x"}, token)).status_code == 200
    assert (await _exchange(api, client, code)).json()["error"] == "invalid_grant"


async def test_clients_prove_who_they_are(api: Api, admin: str, person: Person) -> None:
    token = (await person())["access_token"]
    client = await _client(api, admin)
    code = (await _approve(api, client, token))["code"]
    for secret in ("wrong", ""):
        answer = await _exchange(api, {**client, "client_secret": secret}, code)
        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_client")
    basic = httpx.BasicAuth(client["client_id"], "wrong")
    form = {"grant_type": "authorization_code", "code": code, "code_verifier": VERIFIER}
    refused = await api.client.post("/auth/v1/oauth/token", data=form, auth=basic)
    assert (refused.status_code, refused.headers["www-authenticate"]) == (401, 'Basic realm="oauth"')
    good = httpx.BasicAuth(client["client_id"], client["client_secret"])
    assert (await api.client.post("/auth/v1/oauth/token", data=form, auth=good)).status_code == 200


async def test_a_public_client_has_no_secret_and_may_send_json(api: Api, admin: str, person: Person) -> None:
    client = await _client(api, admin, token_endpoint_auth_method="none")
    assert client["client_type"] == "public"
    assert "client_secret" not in client
    code = (await _approve(api, client, (await person())["access_token"]))["code"]
    body = {
        "grant_type": "authorization_code",
        "code": code,
        "client_id": client["client_id"],
        "code_verifier": VERIFIER,
    }
    assert (await api.post("/oauth/token", {**body, "client_secret": "x"})).json()["error"] == "invalid_client"
    assert (await api.post("/oauth/token", body)).status_code == 200


async def test_an_application_cannot_manage_the_account(api: Api, admin: str, person: Person) -> None:
    session = await person()
    client = await _client(api, admin)
    token = (await _tokens(api, client, session["access_token"]))["access_token"]
    assert (await api.get("/user", token)).json()["email"] == "giulia@socio.example"
    for method, path, body in (
        ("PUT", "/user", {"password": "Altro-segreto-1"}),
        ("POST", "/factors", {"factor_type": "totp"}),
        ("GET", "/user/oauth/grants", None),
        ("GET", "/user/identities/authorize?provider=google", None),
        ("GET", f"/oauth/authorizations/{await _begin(api, client)}", None),
    ):
        answer = await api.call(method, path, body, token)
        assert (answer.status_code, answer.json()["code"]) == (403, "no_authorization"), path
    assert (await api.post("/logout", token=token)).status_code == 204
    assert (await api.get("/user", session["access_token"])).status_code == 200


async def test_clients_are_listed_shown_changed_and_deleted(api: Api, admin: str, person: Person) -> None:
    client = await _client(api, admin, client_uri="https://app.example", logo_uri="https://app.example/logo.png")
    tokens = await _tokens(api, client, (await person())["access_token"])
    listed = await api.get("/admin/oauth/clients?page=1&per_page=1", admin)
    assert [each["client_id"] for each in listed.json()["clients"]] == [client["client_id"]]
    assert listed.headers["x-total-count"] == "1"
    path = f"/admin/oauth/clients/{client['client_id']}"
    shown = (await api.get(path, admin)).json()
    secret = client.pop("client_secret")
    assert shown == client
    changed = await api.put(path, {"client_name": "Altra", "redirect_uris": ["http://localhost:3000/"]}, admin)
    assert (changed.json()["client_name"], changed.json()["client_uri"]) == ("Altra", "https://app.example")
    assert (await api.put(path, {}, admin)).json()["code"] == "validation_failed"
    renewed = await api.post(f"{path}/regenerate_secret", token=admin)
    assert renewed.json()["client_secret"] != secret
    old = await _refresh(api, {**client, "client_secret": secret}, tokens["refresh_token"])
    assert old.json()["error"] == "invalid_client"
    assert (await api.call("DELETE", path, None, admin)).status_code == 204
    assert (await api.get(path, admin)).json()["code"] == "oauth_client_not_found"
    assert (await api.get("/oauth/userinfo", tokens["access_token"])).status_code == 403
    public = await _client(api, admin, client_type="public")
    refused = await api.post(f"/admin/oauth/clients/{public['client_id']}/regenerate_secret", token=admin)
    assert refused.json()["code"] == "validation_failed"


async def test_the_secret_is_kept_as_a_hash(api: Api, admin: str, resources: Resources) -> None:
    client = await _client(api, admin)
    async with db.connection(resources.pool) as connection:
        stored = await connection.fetchval("select client_secret_hash from auth.oauth_clients")
    assert client["client_secret"] not in stored


@pytest.mark.parametrize(
    "change",
    [
        {"redirect_uris": []},
        {"redirect_uris": None},
        {"redirect_uris": ["https://a.example"] * 11},
        {"redirect_uris": ["http://app.example/"]},
        {"redirect_uris": ["https://app.example/#x"]},
        {"redirect_uris": ["https://a@app.example/"]},
        {"redirect_uris": ["https://app.example/,https://evil.example"]},
        {"redirect_uris": ["javascript://app.example/%0aalert(1)"]},
        {"redirect_uris": ["data:text/html,x"]},
        {"redirect_uris": ["/relative"]},
        {"redirect_uris": ["https://app.example/ x"]},
        {"redirect_uris": [7]},
        {"grant_types": ["password"]},
        {"grant_types": []},
        {"client_name": "x" * 1025},
        {"client_uri": "javascript:alert(1)"},
        {"logo_uri": "http://app.example/logo.png"},
        {"client_type": "other"},
        {"token_endpoint_auth_method": "private_key_jwt"},
        {"client_type": "public", "token_endpoint_auth_method": "client_secret_basic"},
        {"client_type": "confidential", "token_endpoint_auth_method": "none"},
    ],
    ids=lambda change: str(change)[:70],
)
async def test_applications_that_must_not_be_are_refused(api: Api, admin: str, change: dict[str, Any]) -> None:
    body = {"redirect_uris": [BACK], **change}
    for path, token in (("/admin/oauth/clients", admin), ("/oauth/clients/register", "")):
        answer = await api.post(path, body, token)
        assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")


async def test_applications_may_register_themselves(api: Api) -> None:
    body = {"redirect_uris": ["http://127.0.0.1:9999/", "cursor://anysphere.cursor-mcp/x"], "client_name": "Tool"}
    answer = await api.post("/oauth/clients/register", body)
    assert answer.status_code == 201
    assert answer.json()["registration_type"] == "dynamic"
    discovery = (await api.get("/.well-known/oauth-authorization-server")).json()
    assert discovery["registration_endpoint"].endswith("/auth/v1/oauth/clients/register")
    assert discovery["code_challenge_methods_supported"] == ["S256"]


async def test_what_becomes_of_an_application_is_in_the_audit_log(
    api: Api, person: Person, resources: Resources
) -> None:
    session = await person()
    body = {"redirect_uris": [BACK], "client_name": "Tool"}
    client = (await api.post("/oauth/clients/register", body)).json()
    path = f"/oauth/authorizations/{await _begin(api, client)}/consent"
    assert (await api.post(path, {"action": "deny"}, session["access_token"])).status_code == 200
    code = (await _approve(api, client, session["access_token"]))["code"]
    assert (await _exchange(api, client, code)).status_code == 200
    for _ in range(2):
        assert (await _exchange(api, client, code)).status_code == 400
    async with db.connection(resources.pool) as connection:
        rows = await connection.fetch(
            """
            select payload->>'actor_username' || ' ' || (payload->>'action') as what,
                   payload->'traits'->>'client_id' as client_id, payload->'traits'->>'reason' as reason
              from auth.audit_log_entries where payload->'traits'->>'client_id' is not null
            """
        )
    assert sorted(row["what"] for row in rows) == [
        "anon oauth_client_created",
        "giulia@socio.example login",
        "giulia@socio.example oauth_consent_denied",
        "giulia@socio.example oauth_consent_granted",
        "giulia@socio.example token_revoked",
    ]
    assert {row["client_id"] for row in rows} == {client["client_id"]}
    assert {row["reason"] for row in rows} == {None, "authorization_code_already_used"}


async def test_only_admins_manage_applications(api: Api, person: Person) -> None:
    token = (await person())["access_token"]
    assert (await api.get("/admin/oauth/clients", token)).json()["code"] == "not_admin"
    assert (await api.post("/admin/oauth/clients", {"redirect_uris": [BACK]})).json()["code"] == "no_authorization"


@pytest.mark.parametrize("server", [OAuthServer(enabled=True)], ids=["no-registration"])
async def test_self_registration_is_off_by_default(api: Api) -> None:
    answer = await api.post("/oauth/clients/register", {"redirect_uris": [BACK]})
    assert (answer.status_code, answer.json()["code"]) == (403, "oauth_dynamic_client_registration_disabled")


@pytest.mark.parametrize("server", [OAuthServer()], ids=["off"])
async def test_the_whole_server_is_off_by_default(api: Api, admin: str) -> None:
    assert (await api.get("/settings")).json()["oauth_server_enabled"] is False
    for method, path in (
        ("GET", "/oauth/authorize"),
        ("POST", "/oauth/token"),
        ("GET", "/oauth/userinfo"),
        ("POST", "/oauth/clients/register"),
        ("GET", "/admin/oauth/clients"),
        ("GET", "/user/oauth/grants"),
        ("GET", "/.well-known/oauth-authorization-server"),
    ):
        answer = await api.call(method, path, None, admin)
        assert (answer.status_code, answer.json()["code"]) == (404, "feature_disabled"), path


@pytest.mark.parametrize(
    "body",
    [b"", b"grant_type=password", b"a=1&a=2", b"%ff=\xff", b"client_id=%00", b"&" * 200],
    ids=["empty", "other-grant", "twice", "bytes", "nul", "many"],
)
async def test_junk_never_breaks_the_token_endpoint(api: Api, body: bytes) -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Authorization": "Basic !!!"}
    for given in (headers, {**headers, "Authorization": ""}, {"Content-Type": "application/json"}):
        answer = await api.client.post("/auth/v1/oauth/token", content=body, headers=given)
        assert answer.status_code in (400, 401)
        assert set(answer.json()) == {"error", "error_description"}
