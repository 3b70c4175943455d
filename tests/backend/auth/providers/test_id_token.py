"""POST /token?grant_type=id_token (AUTH-22)."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import httpx
import jwt as pyjwt
import pytest

from backend.core import db
from backend.core.resources import Resources
from tests.backend.auth.conftest import Api, Person
from tests.backend.auth.providers.conftest import CLIENT_ID, OpenId, id_token_claims
from tests.conftest import Clock

pytestmark = pytest.mark.anyio


async def _grant(api: Api, id_token: str, token: str = "", **more: Any) -> httpx.Response:
    body = {"provider": "keycloak", "id_token": id_token, **more}
    return await api.post("/token?grant_type=id_token", body, token)


async def test_a_token_of_the_provider_is_a_session(api: Api, openid: OpenId, now: Clock, resources: Resources) -> None:
    answer = await _grant(api, openid.sign(id_token_claims(openid, now)))
    assert answer.status_code == 200
    session = answer.json()
    assert session["user"]["email"] == "giulia@socio.example"
    assert resources.keys.verify(session["access_token"])["amr"][0]["method"] == "oauth"
    again = await _grant(api, openid.sign(id_token_claims(openid, now)))
    assert again.json()["user"]["id"] == session["user"]["id"]


@pytest.mark.parametrize("audience", [CLIENT_ID, "socio-mobile", ["socio-mobile"]], ids=str)
async def test_each_of_our_client_ids_is_an_audience(
    api: Api, openid: OpenId, now: Clock, audience: str | list[str]
) -> None:
    assert (await _grant(api, openid.sign(id_token_claims(openid, now, aud=audience)))).status_code == 200


@pytest.mark.parametrize(
    ("nonce", "in_token", "message"),
    [
        ("n1", hashlib.sha256(b"n1").hexdigest(), ""),
        ("n1", "n1", "Nonces mismatch"),
        ("n1", hashlib.sha256(b"n2").hexdigest(), "Nonces mismatch"),
        ("n1", None, "Passed nonce and nonce in id_token should either both exist or not."),
        ("", hashlib.sha256(b"n1").hexdigest(), "Passed nonce and nonce in id_token should either both exist or not."),
    ],
    ids=["right", "unhashed", "wrong", "only-given", "only-in-token"],
)
async def test_the_nonce_is_given_and_its_hash_in_the_token(
    api: Api, openid: OpenId, now: Clock, nonce: str, in_token: str | None, message: str
) -> None:
    claims = id_token_claims(openid, now, **({"nonce": in_token} if in_token else {}))
    answer = await _grant(api, openid.sign(claims), nonce=nonce)
    assert answer.status_code == (400 if message else 200)
    assert answer.json().get("message", "") == message


@pytest.mark.parametrize("provider_changes", [{"skip_nonce_check": True}], ids=["skipped"])
async def test_the_nonce_check_can_be_skipped(api: Api, openid: OpenId, now: Clock) -> None:
    assert (await _grant(api, openid.sign(id_token_claims(openid, now, nonce="x")))).status_code == 200


async def test_an_access_token_must_be_the_one_of_the_token(api: Api, openid: OpenId, now: Clock) -> None:
    half = hashlib.sha256(b"access").digest()[:16]
    at_hash = base64.urlsafe_b64encode(half).rstrip(b"=").decode()
    token = openid.sign(id_token_claims(openid, now, at_hash=at_hash))
    assert (await _grant(api, token, access_token="access")).status_code == 200
    assert (await _grant(api, token)).status_code == 200
    wrong = await _grant(api, token, access_token="another")
    assert (wrong.status_code, wrong.json()["message"]) == (400, "Bad ID token")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"aud": "another"}, "Unacceptable audience in id_token"),
        ({"aud": []}, "Unacceptable audience in id_token"),
        ({"aud": [CLIENT_ID, "x"]}, "Unacceptable authorized party in id_token"),
        ({"iss": "https://accounts.google.com"}, "Bad ID token"),
        ({"exp": 1}, "Bad ID token"),
        ({"iat": 99999999999}, "Bad ID token"),
        ({"sub": None}, "Bad ID token"),
    ],
    ids=str,
)
async def test_tokens_that_are_not_for_us_now(
    api: Api, openid: OpenId, now: Clock, change: dict[str, Any], message: str
) -> None:
    claims = {name: value for name, value in id_token_claims(openid, now, **change).items() if value is not None}
    answer = await _grant(api, openid.sign(claims))
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")
    assert answer.json()["message"] == message


async def test_tokens_without_a_proof(api: Api, openid: OpenId, now: Clock) -> None:
    claims = id_token_claims(openid, now)
    kid = {"kid": openid.key["kid"]}
    forged = [
        pyjwt.encode(claims, "", algorithm="none"),
        pyjwt.encode(claims, "", algorithm="none", headers=kid),
        pyjwt.encode(claims, openid.key["n"], algorithm="HS256", headers=kid),
        openid.sign(claims)[:-8] + "AAAAAAAA",
        openid.sign(claims, kid="../../etc/passwd"),
        "nonsense",
        "x" * 20_000,
        "..",
    ]
    for token in forged:
        answer = await _grant(api, token)
        assert (answer.status_code, answer.json()["message"]) == (400, "Bad ID token"), token[:40]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"provider": "google", "id_token": "x"}, "provider_disabled"),
        ({"provider": "azure", "id_token": "x"}, "provider_disabled"),
        ({"provider": "gitlab", "id_token": "x"}, "validation_failed"),
        ({"provider": "https://evil.example", "id_token": "x"}, "validation_failed"),
        ({"provider": "custom:unknown", "id_token": "x"}, "oauth_provider_not_supported"),
        ({"provider": "keycloak"}, "validation_failed"),
        ({"id_token": "x"}, "validation_failed"),
        ({"id_token": "x", "issuer": "https://evil.example", "client_id": "x"}, "validation_failed"),
        ({"provider": "keycloak", "id_token": "x", "issuer": "https://evil.example"}, "validation_failed"),
        ({"provider": "keycloak", "id_token": "x", "link_identity": "yes"}, "validation_failed"),
        ({"provider": "keycloak", "id_token": "x", "link_identity": True}, "no_authorization"),
    ],
    ids=str,
)
async def test_refused_requests(api: Api, body: dict[str, Any], code: str) -> None:
    answer = await api.post("/token?grant_type=id_token", body)
    assert answer.json()["code"] == code


async def test_a_token_can_be_linked_to_the_caller(
    api: Api, openid: OpenId, now: Clock, person: Person, resources: Resources
) -> None:
    session = await person("altra@socio.example")
    now.advance(seconds=1)
    token = openid.sign(id_token_claims(openid, now))
    answer = await _grant(api, token, session["access_token"], link_identity=True)
    assert answer.status_code == 200
    assert answer.json()["user"]["id"] == session["user"]["id"]
    assert [each["provider"] for each in answer.json()["user"]["identities"]] == ["email", "keycloak"]
    again = await _grant(api, token, session["access_token"], link_identity=True)
    assert (again.status_code, again.json()["code"]) == (422, "identity_already_exists")
    async with db.connection(resources.pool) as connection:
        actions = await connection.fetchval(
            "select count(*) from auth.audit_log_entries where payload ->> 'action' = 'identity_linked'"
        )
    assert actions == 1


async def test_an_unproved_address_is_mailed_and_refused(api: Api, openid: OpenId, now: Clock) -> None:
    claims = id_token_claims(openid, now, sub="marco", email="marco@socio.example", email_verified=False)
    answer = await _grant(api, openid.sign(claims))
    assert (answer.status_code, answer.json()["code"]) == (422, "provider_email_needs_verification")
    assert len(await api.mails.to("marco@socio.example")) == 1
