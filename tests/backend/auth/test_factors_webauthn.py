"""WebAuthn as second factor, with a software authenticator that signs for real."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from backend.auth import relying_party
from backend.core import db
from backend.core.config import Settings
from backend.core.config_mfa import WebAuthn
from backend.core.resources import Resources
from tests.backend.auth.authenticators import ORIGIN, RP_ID, SecurityKey
from tests.backend.auth.conftest import Api, Person
from tests.conftest import Clock

pytestmark = pytest.mark.anyio


async def enroll(api: Api, token: str) -> str:
    answer = await api.post("/factors", {"factor_type": "webauthn", "friendly_name": "Chiavetta"}, token)
    assert answer.status_code == 200, answer.text
    assert answer.json() == {"id": answer.json()["id"], "type": "webauthn", "friendly_name": "Chiavetta"}
    return str(answer.json()["id"])


async def challenge(api: Api, token: str, factor_id: str) -> dict[str, Any]:
    body = {"factorId": factor_id, "webauthn": {"rpId": "evil.example", "rpOrigins": ["https://evil.example"]}}
    answer = await api.post(f"/factors/{factor_id}/challenge", body, token)
    assert answer.status_code == 200, answer.text
    asked: dict[str, Any] = answer.json()
    return asked


async def answer_with(api: Api, token: str, factor_id: str, asked: dict[str, Any], response: Any) -> Any:
    shown = {"type": asked["webauthn"]["type"], "credential_response": response}
    return await api.post(f"/factors/{factor_id}/verify", {"challenge_id": asked["id"], "webauthn": shown}, token)


async def register(api: Api, token: str, key: SecurityKey) -> tuple[str, dict[str, Any]]:
    factor_id = await enroll(api, token)
    asked = await challenge(api, token, factor_id)
    response = key.create(asked["webauthn"]["credential_options"]["publicKey"])
    answer = await answer_with(api, token, factor_id, asked, response)
    assert answer.status_code == 200, answer.text
    return factor_id, answer.json()


async def test_a_security_key_is_registered_and_then_raises_sessions(
    api: Api, person: Person, resources: Resources, now: Clock
) -> None:
    key = SecurityKey(aaguid=bytes(range(16)))
    session = await person(data={"full_name": "Giulia Ferri"})
    token = session["access_token"]
    factor_id = await enroll(api, token)
    asked = await challenge(api, token, factor_id)
    assert (asked["type"], asked["expires_at"]) == ("webauthn", int(now().timestamp()) + 300)
    assert asked["webauthn"]["type"] == "create"
    options = asked["webauthn"]["credential_options"]["publicKey"]
    assert options["rp"] == {"id": RP_ID, "name": "Socio"}
    assert options["user"]["name"] == "giulia@socio.example"
    assert options["user"]["displayName"] == "Giulia Ferri"
    assert options["attestation"] == "none"
    registered = await answer_with(api, token, factor_id, asked, key.create(options))
    risen = registered.json()
    claims = resources.keys.verify(risen["access_token"])
    assert (claims["aal"], {each["method"] for each in claims["amr"]}) == ("aal2", {"otp", "mfa/webauthn"})
    (shown,) = risen["user"]["factors"]
    assert (shown["status"], shown["factor_type"]) == ("verified", "webauthn")
    assert shown["web_authn_aaguid"] == "00010203-0405-0607-0809-0a0b0c0d0e0f"

    again = (await api.sign_in("giulia@socio.example")).json()["access_token"]
    asked = await challenge(api, again, factor_id)
    assert asked["webauthn"]["type"] == "request"
    options = asked["webauthn"]["credential_options"]["publicKey"]
    assert options["rpId"] == RP_ID
    assert [each["id"] for each in options["allowCredentials"]] == [
        base64.urlsafe_b64encode(key.credential_id).rstrip(b"=").decode()
    ]
    verified = await answer_with(api, again, factor_id, asked, key.get(options))
    assert resources.keys.verify(verified.json()["access_token"])["aal"] == "aal2"


async def test_a_second_enrolment_excludes_the_known_key(api: Api, person: Person) -> None:
    key = SecurityKey()
    _, risen = await register(api, (await person())["access_token"], key)
    answer = await api.post("/factors", {"factor_type": "webauthn"}, risen["access_token"])
    asked = await challenge(api, risen["access_token"], answer.json()["id"])
    assert len(asked["webauthn"]["credential_options"]["publicKey"]["excludeCredentials"]) == 1


@pytest.mark.parametrize(
    "key",
    [SecurityKey(origin="https://evil.example"), SecurityKey(rp_id="evil.example"), SecurityKey(origin="")],
    ids=["origin", "rp_id", "no origin"],
)
async def test_a_registration_from_elsewhere_is_refused(api: Api, person: Person, key: SecurityKey) -> None:
    token = (await person())["access_token"]
    factor_id = await enroll(api, token)
    asked = await challenge(api, token, factor_id)
    response = key.create(asked["webauthn"]["credential_options"]["publicKey"])
    answer = await answer_with(api, token, factor_id, asked, response)
    assert (answer.status_code, answer.json()["code"]) == (422, "mfa_verification_failed")


def _elsewhere(key: SecurityKey) -> None:
    key.origin = "http://localhost.evil.example:54321"


def _other_domain(key: SecurityKey) -> None:
    key.rp_id = "evil.example"


def _cloned(key: SecurityKey) -> None:
    key.sign_count = 0


def _other_key(key: SecurityKey) -> None:
    key.private_key = SecurityKey().private_key


def _other_credential(key: SecurityKey) -> None:
    key.credential_id = b"x" * 32


@pytest.mark.parametrize("spoil", [_elsewhere, _other_domain, _cloned, _other_key, _other_credential])
async def test_a_false_assertion_is_refused_and_a_true_one_may_follow(
    api: Api, person: Person, spoil: Callable[[SecurityKey], None]
) -> None:
    key = SecurityKey()
    factor_id, _ = await register(api, (await person())["access_token"], key)
    token = (await api.sign_in("giulia@socio.example")).json()["access_token"]
    asked = await challenge(api, token, factor_id)
    options = asked["webauthn"]["credential_options"]["publicKey"]
    false = replace(key)
    spoil(false)
    answer = await answer_with(api, token, factor_id, asked, false.get(options))
    assert (answer.status_code, answer.json()["code"]) == (422, "mfa_verification_failed")
    assert (await answer_with(api, token, factor_id, asked, key.get(options))).status_code == 200


async def test_an_assertion_counts_once(api: Api, person: Person) -> None:
    key = SecurityKey()
    factor_id, _ = await register(api, (await person())["access_token"], key)
    token = (await api.sign_in("giulia@socio.example")).json()["access_token"]
    asked = await challenge(api, token, factor_id)
    response = key.get(asked["webauthn"]["credential_options"]["publicKey"])
    risen = (await answer_with(api, token, factor_id, asked, response)).json()
    replayed = await answer_with(api, risen["access_token"], factor_id, asked, response)
    assert replayed.json()["code"] == "mfa_challenge_expired"
    fresh = await challenge(api, risen["access_token"], factor_id)
    elsewhere = await answer_with(api, risen["access_token"], factor_id, fresh, response)
    assert elsewhere.json()["code"] == "mfa_verification_failed"


async def test_a_second_answer_cannot_put_another_key_in_place(api: Api, person: Person) -> None:
    token = (await person())["access_token"]
    factor_id = await enroll(api, token)
    first, second = await challenge(api, token, factor_id), await challenge(api, token, factor_id)
    own = SecurityKey().create(first["webauthn"]["credential_options"]["publicKey"])
    assert (await answer_with(api, token, factor_id, first, own)).status_code == 200
    low = (await api.sign_in("giulia@socio.example")).json()["access_token"]
    theirs = SecurityKey().create(second["webauthn"]["credential_options"]["publicKey"])
    answer = await answer_with(api, low, factor_id, second, theirs)
    assert (answer.status_code, answer.json()["code"]) == (422, "mfa_verification_failed")


@pytest.mark.parametrize(
    "webauthn",
    [
        None,
        {},
        {"type": "other", "credential_response": {}},
        {"type": "create"},
        {"type": "create", "credential_response": "x"},
        {"type": "request", "credential_response": {}},
    ],
)
async def test_malformed_answers(api: Api, person: Person, webauthn: Any) -> None:
    token = (await person())["access_token"]
    factor_id = await enroll(api, token)
    asked = await challenge(api, token, factor_id)
    body = {"challenge_id": asked["id"], "webauthn": webauthn, "code": "123456"}
    answer = await api.post(f"/factors/{factor_id}/verify", body, token)
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")


def _junk() -> list[Any]:
    """Things that look like credentials."""
    b64 = base64.urlsafe_b64encode(b"\xff" * 40).rstrip(b"=").decode()
    client = base64.urlsafe_b64encode(json.dumps({"type": "webauthn.create"}).encode()).decode()
    whole = {"id": b64, "rawId": b64, "type": "public-key"}
    return [
        {},
        {"id": 3},
        {**whole, "response": []},
        {**whole, "response": {"clientDataJSON": "è", "attestationObject": "!"}},
        {**whole, "response": {"clientDataJSON": client, "attestationObject": b64}},
        {**whole, "response": {"clientDataJSON": b64, "attestationObject": b64}},
        {**whole, "type": "x", "response": {"clientDataJSON": b64, "attestationObject": b64}},
        {**whole, "authenticatorAttachment": "x", "response": {"clientDataJSON": b64, "attestationObject": b64}},
    ]


async def test_junk_in_place_of_a_credential_is_refused(api: Api, person: Person) -> None:
    token = (await person())["access_token"]
    factor_id = await enroll(api, token)
    asked = await challenge(api, token, factor_id)
    for response in _junk():
        answer = await answer_with(api, token, factor_id, asked, response)
        assert (answer.status_code, answer.json()["code"]) == (422, "mfa_verification_failed"), response


def test_no_beginning_of_an_attestation_counts_for_the_whole() -> None:
    challenge = "eHl6"
    good = SecurityKey().create({"challenge": challenge, "user": {"id": "eA"}})
    party = relying_party.RelyingParty(RP_ID, "Socio", [ORIGIN])
    assert relying_party.register(party, challenge, good, passkey=False).sign_count == 1
    attestation = good["response"]["attestationObject"]
    for length in range(len(attestation)):
        response = {**good, "response": {**good["response"], "attestationObject": attestation[:length]}}
        with pytest.raises(relying_party.VerificationError):
            relying_party.register(party, challenge, response, passkey=False)


@pytest.mark.parametrize(
    ("site", "webauthn", "domain", "origins"),
    [
        ("http://127.0.0.1:5000", WebAuthn(), "localhost", ["http://localhost:5000"]),
        (
            "http://127.0.0.1:5000",
            WebAuthn("localhost", "Socio", ("http://localhost:5173", "https://socio.example")),
            "localhost",
            ["http://localhost:5000", "http://localhost:5173"],
        ),
        ("https://socio.example", WebAuthn("localhost", "Socio", ("http://localhost:5173",)), "socio.example", None),
        (
            "https://app.socio.example",
            WebAuthn("socio.example", "Socio", ("https://socio.example.evil.it", "android:apk-key-hash:x")),
            "socio.example",
            ["android:apk-key-hash:x", "https://app.socio.example"],
        ),
    ],
)
def test_the_domain_and_its_pages_follow_from_the_settings(
    site: str, webauthn: WebAuthn, domain: str, origins: list[str] | None
) -> None:
    auth = replace(Settings().auth, site_url=site, webauthn=webauthn)
    party = relying_party.of(auth)
    assert (party.id, party.origins) == (domain, origins or [site])


async def test_the_keys_counter_is_kept(api: Api, person: Person, resources: Resources) -> None:
    key = SecurityKey(sign_count=7)
    factor_id, risen = await register(api, (await person())["access_token"], key)
    asked = await challenge(api, risen["access_token"], factor_id)
    response = key.get(asked["webauthn"]["credential_options"]["publicKey"])
    assert (await answer_with(api, risen["access_token"], factor_id, asked, response)).status_code == 200
    async with db.connection(resources.pool) as connection:
        stored = await connection.fetchval("select web_authn_credential from auth.mfa_factors")
    assert stored["authenticator"]["signCount"] == 8
