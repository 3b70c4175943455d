"""The two error formats, malformed requests and what is published without a token."""

from __future__ import annotations

from typing import Any

import pytest

from backend.auth import emails, errors
from backend.auth.errors import Code
from backend.core import db
from backend.core.resources import Resources
from tests.backend.auth.conftest import PASSWORD, Api

pytestmark = pytest.mark.anyio

OLD = {"code": 400, "error_code": "validation_failed", "msg": "Password recovery requires an email"}
NEW = {"code": "validation_failed", "message": "Password recovery requires an email"}


@pytest.mark.parametrize(
    ("version", "body", "echoed"),
    [
        (None, OLD, None),
        ("", OLD, None),
        ("nonsense", OLD, None),
        ("2023-12-31", OLD, None),
        ("2024-01-01", NEW, "2024-01-01"),
        ("2031-05-05", NEW, "2024-01-01"),
    ],
)
async def test_the_format_follows_the_version(
    api: Api, version: str | None, body: dict[str, Any], echoed: str | None
) -> None:
    headers = {} if version is None else {"X-Supabase-Api-Version": version}
    answer = await api.client.post("/auth/v1/recover", json={}, headers=headers)
    assert answer.status_code == 400
    assert answer.json() == body
    assert answer.headers.get("x-supabase-api-version") == echoed
    assert answer.headers["x-sb-error-code"] == "validation_failed"
    assert answer.headers["x-request-id"]


async def test_a_weak_password_in_the_old_format(api: Api) -> None:
    answer = await api.client.post("/auth/v1/signup", json={"email": "a@b.it", "password": "corta"})
    assert answer.json()["error_code"] == "weak_password"
    assert answer.json()["weak_password"]["reasons"] == ["length", "characters"]


@pytest.mark.parametrize(
    ("content", "status", "code"),
    [
        (b"", 400, "bad_json"),
        (b"{", 400, "bad_json"),
        (b"[]", 400, "bad_json"),
        (b'"x"', 400, "bad_json"),
        (b"\xff\xfe", 400, "bad_json"),
        (b"[" * 100_000, 400, "bad_json"),
        (b'{"email":"\\ud800@b.it"}', 400, "validation_failed"),
        (b'{"email":"a@b.it","password":"Segreto-123","data":{"x":1e999}}', 400, "validation_failed"),
        (b'{"email":"a@b.it","password":"Segreto-123","data":{"x":"\\u0000"}}', 400, "validation_failed"),
        (b'{"email":"' + b"a" * 1024 * 1024 + b'"}', 413, "request_entity_too_large"),
    ],
    ids=["empty", "broken", "list", "text", "not utf-8", "deep", "surrogate", "infinite", "nul", "too large"],
)
async def test_malformed_bodies(api: Api, content: bytes, status: int, code: str) -> None:
    for path in ("/signup", "/token?grant_type=password"):
        answer = await api.post(path, content=content)
        if "data" in str(content) and path != "/signup":
            continue
        assert answer.status_code == status, path
        assert answer.json()["code"] == code


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nowhere", 404, "not_found"),
        ("GET", "/", 404, "not_found"),
        ("GET", "/user/", 404, "not_found"),
        ("DELETE", "/user", 405, "method_not_allowed"),
        ("GET", "/signup", 405, "method_not_allowed"),
    ],
)
async def test_unknown_routes_answer_json(api: Api, method: str, path: str, status: int, code: str) -> None:
    answer = await api.call(method, path, None, "")
    assert answer.status_code == status
    assert answer.json()["code"] == code
    assert answer.headers["x-request-id"]


async def test_nothing_of_a_request_is_reflected(api: Api) -> None:
    evil = "<script>alert(1)</script>"
    answers = [
        await api.get(f"/{evil}"),
        await api.post("/verify", {"type": evil, "token_hash": evil}),
        await api.post("/logout?scope=" + evil),
        await api.post("/token?grant_type=" + evil, {}),
        await api.post("/recover", {"email": evil}),
        await api.get(f"/verify?type={evil}&token={evil}&redirect_to={evil}"),
    ]
    for answer in answers:
        assert evil not in answer.text + str(answer.headers)


async def test_a_lost_database_is_503_with_retry_after(api: Api, resources: Resources) -> None:
    await resources.pool.close()
    object.__setattr__(resources, "pool", _Away())
    answer = await api.post("/recover", {"email": "a@b.it"})
    assert (answer.status_code, answer.json()["code"]) == (503, "service_unavailable")
    assert answer.headers["retry-after"]


class _Away:
    """A pool whose database refuses connections."""

    async def take(self, patience_s: float) -> None:
        raise ConnectionRefusedError


async def test_a_request_that_takes_too_long_is_cut_short(
    api: Api, resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(errors, "REQUEST_TIMEOUT_S", 0.2)
    async with db.transaction(resources.pool) as connection:
        await connection.execute("lock table auth.users")
        answer = await api.post("/recover", {"email": "a@b.it"})
    assert (answer.status_code, answer.json()["code"]) == (504, "request_timeout")
    assert (await api.post("/recover", {"email": "a@b.it"})).status_code == 200


async def test_a_bug_is_500_without_its_details(
    api: Api, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_email: str) -> str:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(emails, "normalise", broken)
    answer = await api.post("/recover", {"email": "a@b.it"})
    assert answer.status_code == 500
    assert answer.json()["code"] == "unexpected_failure"
    assert "secret" not in answer.text
    assert "secret detail" in caplog.text


async def test_settings_tell_what_can_be_used(api: Api) -> None:
    answer = (await api.get("/settings")).json()
    assert answer["external"]["email"] is True
    assert answer["external"]["google"] is False
    assert (answer["disable_signup"], answer["mailer_autoconfirm"]) == (False, False)


async def test_health_and_discovery(api: Api, resources: Resources) -> None:
    assert (await api.get("/health")).json()["name"] == "GoTrue"
    jwks = await api.get("/.well-known/jwks.json")
    assert jwks.headers["cache-control"] == "public, max-age=600"
    (key,) = jwks.json()["keys"]
    assert (key["kty"], key["alg"]) == ("RSA", "RS256")
    assert not {"d", "p", "q", "k"} & set(key)
    discovery = (await api.get("/.well-known/openid-configuration")).json()
    assert discovery["jwks_uri"] == f"{resources.settings.auth.jwt_issuer}/.well-known/jwks.json"


async def test_browsers_of_other_origins_may_call_and_read_the_error_code(api: Api) -> None:
    preflight = await api.call(
        "OPTIONS",
        "/token",
        None,
        "",
        headers={"Origin": "https://app.example", "Access-Control-Request-Method": "POST"},
    )
    assert "apikey" in preflight.headers["access-control-allow-headers"].lower()
    answer = await api.post("/recover", {}, headers={"Origin": "https://app.example"})
    assert answer.headers["access-control-allow-origin"]
    assert "x-sb-error-code" in answer.headers["access-control-expose-headers"].lower()


async def test_every_code_is_spelled_as_its_name() -> None:
    assert all(code.value == code.name.lower() for code in Code)


async def test_the_outgoing_mail_carries_no_password(api: Api) -> None:
    await api.sign_up("a@b.it", data={"full_name": "<b>Giulia</b>"})
    (message,) = await api.mails.all()
    assert PASSWORD not in message.html + message.text
    assert "<b>Giulia" not in message.html
