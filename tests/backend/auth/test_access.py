"""Access tokens: which are believed (ATTACK-04)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import Any

import jwt as pyjwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from backend.core import db
from backend.core.resources import Resources
from tests.backend.auth.conftest import Api, Person

pytestmark = pytest.mark.anyio

NOBODY = "11111111-1111-4111-8111-111111111111"


def _b64(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


async def test_without_a_token_the_answer_is_401(api: Api) -> None:
    for headers in ({}, {"Authorization": "Basic eDp5"}, {"Authorization": "Bearer"}, {"Authorization": "Bearer "}):
        answer = await api.get("/user", headers=headers)
        assert answer.status_code == 401
        assert answer.json() == {
            "code": "no_authorization",
            "message": "This endpoint requires a valid Bearer token",
        }


async def test_forged_tokens_are_refused(api: Api, person: Person, resources: Resources) -> None:
    token = (await person())["access_token"]
    header, payload, signature = token.split(".")
    claims = resources.keys.verify(token)
    public = resources.keys.public_jwks()["keys"][0]
    public_pem = RSAAlgorithm.from_jwk(public).public_bytes(  # type: ignore[union-attr]
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    own = {"kid": public["kid"]}
    forged = {
        "garbage": "garbage",
        "three dots": "...",
        "no signature": f"{header}.{payload}.",
        "alg none": f"{_b64({'alg': 'none', **own})}.{payload}.",
        "alg None, old signature": f"{_b64({'alg': 'None', **own})}.{payload}.{signature}",
        "changed payload": f"{header}.{_b64({**claims, 'role': 'service_role'})}.{signature}",
        "HS256 with the public key": _hs256(claims, public_pem, own),
        "HS256 with the public key, no kid": _hs256(claims, public_pem, {}),
        "another key, our kid": pyjwt.encode(claims, stranger, algorithm="RS256", headers=own),
        "kid with a path": pyjwt.encode(claims, stranger, algorithm="RS256", headers={"kid": "../../keys.json"}),
        "kid with SQL": pyjwt.encode(claims, stranger, algorithm="RS256", headers={"kid": "' or 1=1 --"}),
        "own jwk": pyjwt.encode(
            claims,
            stranger,
            algorithm="RS256",
            headers={"jwk": RSAAlgorithm.to_jwk(stranger.public_key(), as_dict=True)},
        ),
        "jku": pyjwt.encode(claims, stranger, algorithm="RS256", headers={**own, "jku": "https://evil.example/jwks"}),
        "huge": "a" * 20_000,
    }
    for name, value in forged.items():
        answer = await api.get("/user", value)
        assert (answer.status_code, answer.json()["code"]) == (403, "bad_jwt"), name


def _hs256(claims: dict[str, Any], secret: bytes, headers: dict[str, str]) -> str:
    """PyJWT refuses to sign so; an attacker does not ask it."""
    signed = f"{_b64({'alg': 'HS256', 'typ': 'JWT', **headers})}.{_b64(claims)}"
    digest = hmac.new(secret, signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}"


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"sub": NOBODY}, 403, "user_not_found"),
        ({"sub": "nobody"}, 400, "bad_jwt"),
        ({"sub": None}, 403, "bad_jwt"),
        ({"session_id": NOBODY}, 403, "session_not_found"),
        ({"session_id": "x"}, 400, "bad_jwt"),
        ({"exp": 1}, 403, "bad_jwt"),
        ({"exp": None}, 403, "bad_jwt"),
        ({"iss": "https://evil.example"}, 403, "bad_jwt"),
        ({"aud": "others"}, 400, "validation_failed"),
        ({"nbf": 99999999999}, 403, "bad_jwt"),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_claims_that_do_not_hold(
    api: Api, person: Person, resources: Resources, changes: dict[str, Any], status: int, code: str
) -> None:
    claims = {**resources.keys.verify((await person())["access_token"]), **changes}
    token = resources.keys.sign({name: value for name, value in claims.items() if value is not None})
    answer = await api.get("/user", token)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


async def test_a_token_expires(api: Api, person: Person, now: Any) -> None:
    token = (await person())["access_token"]
    now.advance(minutes=59)
    assert (await api.get("/user", token)).status_code == 200
    now.advance(minutes=2)
    answer = await api.get("/user", token)
    assert (answer.status_code, answer.json()["code"]) == (403, "bad_jwt")
    assert "expired" in answer.json()["message"]


async def test_api_keys_are_no_users(api: Api, resources: Resources) -> None:
    keys = resources.keys
    for key in (keys.anon_key, keys.service_role_key, keys.publishable_key, keys.secret_key):
        answer = await api.get("/user", key)
        assert (answer.status_code, answer.json()["code"]) == (403, "bad_jwt")


async def test_a_session_of_somebody_else_is_refused(api: Api, person: Person, resources: Resources) -> None:
    other = resources.keys.verify((await person("luca@socio.example"))["access_token"])
    claims = resources.keys.verify((await person())["access_token"])
    mixed = resources.keys.sign({**claims, "session_id": other["session_id"]})
    assert (await api.get("/user", mixed)).json()["code"] == "session_not_found"


async def test_a_deleted_user_is_gone_at_once(api: Api, person: Person, resources: Resources) -> None:
    session = await person()
    async with db.connection(resources.pool) as connection:
        await connection.execute("delete from auth.users")
    assert (await api.get("/user", session["access_token"])).json()["code"] == "user_not_found"
    assert (await api.refresh(session["refresh_token"])).json()["code"] == "refresh_token_not_found"
