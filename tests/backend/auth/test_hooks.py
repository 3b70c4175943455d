"""Hooks (AUTH-24): functions in the database and signed requests, what they may change and refuse."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web

from backend.auth import hooks
from backend.auth.errors import AuthError
from backend.core import config, db
from backend.core.config_hooks import Hook
from backend.core.resources import Resources
from scripts import postgres
from tests.backend.auth.authenticators import totp
from tests.backend.auth.conftest import PASSWORD, Api, Person, on_the_internet
from tests.backend.auth.hook_server import KEYS, SECRETS, Answer, Server, answer_json, make_function, running, use
from tests.backend.auth.test_recovery_codes import PATH, at_aal2, generate, low
from tests.conftest import Clock

pytestmark = pytest.mark.anyio

EMAIL = "giulia@socio.example"


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with running() as served:
        yield served


def _claims(resources: Resources, session: dict[str, Any], now: Clock) -> dict[str, Any]:
    return resources.keys.verify(session["access_token"], now=now())


# custom_access_token.


async def test_a_function_adds_claims_to_every_token(
    api: Api, person: Person, resources: Resources, now: Clock
) -> None:
    await person(EMAIL)
    body = """
    begin
      return jsonb_build_object('claims',
        event->'claims'
          || jsonb_build_object('plan', 'pro', 'by', event->>'authentication_method', 'as', current_user));
    end
    """
    use(resources, "custom_access_token", await make_function(resources, body))
    session = (await api.sign_in(EMAIL)).json()
    claims = _claims(resources, session, now)
    assert (claims["plan"], claims["by"], claims["as"]) == ("pro", "password", "supabase_auth_admin")
    assert (await api.get("/user", session["access_token"])).status_code == 200
    refreshed = (await api.refresh(session["refresh_token"])).json()
    assert _claims(resources, refreshed, now)["by"] == "token_refresh"
    async with db.connection(resources.pool) as connection:
        settings = await connection.fetchrow("select current_user, current_setting('statement_timeout') as limit")
    assert settings is not None
    assert settings["current_user"] != "supabase_auth_admin"
    assert settings["limit"] == "0"


async def test_a_hook_may_shorten_a_token_and_not_lengthen_it(
    api: Api, person: Person, resources: Resources, now: Clock
) -> None:
    await person(EMAIL)
    body = """
    begin
      return jsonb_set(event, '{claims,exp}', to_jsonb((event #>> '{claims,exp}')::bigint + (%s)));
    end
    """
    use(resources, "custom_access_token", await make_function(resources, body % "-600"))
    assert (await api.sign_in(EMAIL)).json()["expires_in"] == 3000
    await make_function(resources, body % "600")
    assert (await api.sign_in(EMAIL)).json()["expires_in"] == 3600


BAD_CLAIMS = {
    "no claims": ("return '{}'::jsonb;", "claims is required"),
    "a missing claim": ("return event #- '{claims,aal}';", "aal is required"),
    "a wrong type": ("return jsonb_set(event, '{claims,exp}', '\"soon\"');", "exp: Invalid type"),
    "another session": ("return jsonb_set(event, '{claims,session_id}', '\"x\"');", "session_id: must not change"),
}


@pytest.mark.parametrize(("body", "message"), BAD_CLAIMS.values(), ids=BAD_CLAIMS.keys())
async def test_claims_nobody_could_use_are_refused_and_leave_no_session(
    api: Api, person: Person, resources: Resources, body: str, message: str
) -> None:
    await person(EMAIL)
    use(resources, "custom_access_token", await make_function(resources, f"begin {body} end"))
    answer = await api.sign_in(EMAIL)
    assert (answer.status_code, answer.json()["code"]) == (500, "unexpected_failure")
    assert message in answer.json()["message"]
    async with db.connection(resources.pool) as connection:
        assert await connection.fetchval("select count(*) from auth.sessions") == 1


async def test_what_a_function_refuses_with_is_what_the_client_reads(
    api: Api, person: Person, resources: Resources
) -> None:
    await person(EMAIL)
    refusal = """begin return '{"error": {"http_code": 403, "message": "Solo il lunedì"}}'::jsonb; end"""
    use(resources, "custom_access_token", await make_function(resources, refusal))
    answer = await api.sign_in(EMAIL)
    assert (answer.status_code, answer.json()) == (403, {"code": "unknown", "message": "Solo il lunedì"})


async def test_a_function_that_fails_is_500_and_its_cause_in_the_log(
    api: Api, person: Person, resources: Resources, caplog: pytest.LogCaptureFixture
) -> None:
    await person(EMAIL)
    on_the_internet(resources)
    use(resources, "custom_access_token", await make_function(resources, "begin raise exception 'inner detail'; end"))
    answer = await api.sign_in(EMAIL)
    assert (answer.status_code, answer.json()["code"]) == (500, "unexpected_failure")
    assert "inner detail" not in answer.text
    assert any("inner detail" in str(getattr(record, "cause", "")) for record in caplog.records)
    use(resources, "custom_access_token", "pg-functions://postgres/public/missing")
    assert (await api.sign_in(EMAIL)).status_code == 500


async def test_a_slow_function_is_cut_short(
    api: Api, person: Person, resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    await person(EMAIL)
    monkeypatch.setattr(hooks, "FUNCTION_TIMEOUT_S", 0.05)
    slow = "begin perform pg_sleep(20); return event; end"
    use(resources, "custom_access_token", await make_function(resources, slow))
    answer = await api.sign_in(EMAIL)
    assert (answer.status_code, answer.json()["code"]) == (422, "hook_timeout")


# Over http.


async def test_requests_are_signed_as_standard_webhooks_with_every_key(
    api: Api, person: Person, resources: Resources, server: Server, now: Clock
) -> None:
    session = await person(EMAIL)
    use(resources, "custom_access_token", server.url)

    async def echo(request: web.Request) -> web.StreamResponse:
        event = await request.json()
        return web.json_response({"claims": event["claims"] | {"plan": "pro"}})

    server.answer = echo
    signed_in = (await api.sign_in(EMAIL)).json()
    assert _claims(resources, signed_in, now)["plan"] == "pro"
    (headers, body), payload = server.seen[0], server.payloads()[0]
    assert payload["user_id"] == session["user"]["id"]
    assert payload["authentication_method"] == "password"
    content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = [f"v1,{base64.b64encode(hmac.digest(key, content, hashlib.sha256)).decode()}" for key in KEYS]
    assert headers["webhook-signature"].split(" ") == expected
    assert int(headers["webhook-timestamp"]) == int(now().timestamp())


def test_a_signature_is_that_of_the_specification() -> None:
    """The example of https://github.com/standard-webhooks/standard-webhooks."""
    key = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    signed = hooks.signature((key,), "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
    assert signed["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


HTTP_FAILURES: dict[str, tuple[Answer, int, str]] = {
    "another status": (answer_json({}, 201), 500, "unexpected_failure"),
    "a redirect": (answer_json({}, 302, {"Location": "/elsewhere"}), 500, "unexpected_failure"),
    "a refusal of the payload": (answer_json({}, 400), 500, "unexpected_failure"),
    "no object": (answer_json([]), 500, "unexpected_failure"),
    "too long": (answer_json({"x": "x" * 300_000}), 422, "hook_payload_over_size_limit"),
    "its own refusal": (answer_json({"error": {"http_code": 422, "message": "No"}}), 422, "unknown"),
    "an odd refusal": (answer_json({"error": {"http_code": 7, "message": "No"}}), 500, "unexpected_failure"),
}


@pytest.mark.parametrize(("answer", "status", "code"), HTTP_FAILURES.values(), ids=HTTP_FAILURES.keys())
async def test_what_a_hook_over_http_may_answer_wrongly(
    resources: Resources, server: Server, answer: Answer, status: int, code: str
) -> None:
    use(resources, "before_user_created", server.url)
    server.answer = answer
    with pytest.raises(AuthError) as refused:
        await hooks.call(resources, hooks.BEFORE_USER_CREATED, {})
    assert (refused.value.status, str(refused.value.code)) == (status, code)
    assert len(server.seen) == 1


async def test_another_content_type_is_refused(resources: Resources, server: Server) -> None:
    async def html(_request: web.Request) -> web.StreamResponse:
        return web.Response(text="{}", content_type="text/html")

    use(resources, "before_user_created", server.url)
    server.answer = html
    with pytest.raises(AuthError) as refused:
        await hooks.call(resources, hooks.BEFORE_USER_CREATED, {})
    assert (refused.value.status, str(refused.value.code)) == (400, "hook_payload_invalid_content_type")


@pytest.mark.parametrize("status", [200, 202, 204])
async def test_an_empty_answer_is_consent(resources: Resources, server: Server, status: int) -> None:
    async def empty(_request: web.Request) -> web.StreamResponse:
        return web.Response(status=status)

    use(resources, "before_user_created", server.url)
    server.answer = empty
    assert await hooks.call(resources, hooks.BEFORE_USER_CREATED, {}) == {}


async def test_a_hook_that_asks_for_another_try_gets_it_with_the_same_id(
    resources: Resources, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(
        [answer_json({}, 503, {"Retry-After": "0"}), answer_json({}, 429, {"Retry-After": "0"}), answer_json({"x": 1})]
    )

    async def in_turn(request: web.Request) -> web.StreamResponse:
        return await next(answers)(request)

    use(resources, "before_user_created", server.url)
    server.answer = in_turn
    assert await hooks.call(resources, hooks.BEFORE_USER_CREATED, {}) == {"x": 1}
    assert len({headers["webhook-id"] for headers, _ in server.seen}) == 1
    server.answer = answer_json({}, 503, {"Retry-After": "0"})
    with pytest.raises(AuthError, match="hook_timeout_after_retry"):
        await hooks.call(resources, hooks.BEFORE_USER_CREATED, {})
    assert len(server.seen) == 6


async def test_nobody_there_is_tried_three_times(resources: Resources, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks, "PAUSE_S", 0.0)
    (port,) = postgres.free_ports(1)
    use(resources, "before_user_created", f"http://127.0.0.1:{port}/hook")
    with pytest.raises(AuthError, match="hook_timeout_after_retry"):
        await hooks.call(resources, hooks.BEFORE_USER_CREATED, {})


async def test_a_slow_answer_is_not_waited_for(
    resources: Resources, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = asyncio.Event()

    async def slow(_request: web.Request) -> web.StreamResponse:
        await held.wait()
        return web.json_response({})

    monkeypatch.setattr(hooks, "HTTP_TIMEOUT_S", 0.05)
    use(resources, "before_user_created", server.url)
    server.answer = slow
    with pytest.raises(AuthError, match="hook_timeout"):
        await hooks.call(resources, hooks.BEFORE_USER_CREATED, {})
    held.set()


BAD_HOOKS = {
    "plain http to another machine": Hook(True, "http://hooks.example/x", SECRETS),
    "no secret": Hook(True, "https://hooks.example/x"),
    "a foreign secret": Hook(True, "https://hooks.example/x", "whsec_abc"),
    "broken base64": Hook(True, "https://hooks.example/x", "v1,whsec_?"),
    "no function": Hook(True, "pg-functions://postgres/public"),
    "another scheme": Hook(True, "ftp://hooks.example/x", SECRETS),
    "nothing": Hook(True),
}


@pytest.mark.parametrize("hook", BAD_HOOKS.values(), ids=BAD_HOOKS.keys())
async def test_a_hook_that_cannot_work_is_refused_at_start(resources: Resources, hook: Hook) -> None:
    auth = resources.settings.auth
    settings = replace(resources.settings, auth=replace(auth, hook=replace(auth.hook, send_email=hook)))
    with pytest.raises(config.ConfigError, match=r"auth\.hook\.send_email"):
        hooks.check(settings)
    off = replace(auth, hook=replace(auth.hook, send_email=replace(hook, enabled=False)))
    hooks.check(replace(resources.settings, auth=off))


def test_secrets_never_show() -> None:
    assert KEYS[0].decode() not in repr(Hook(True, "https://hooks.example/x", SECRETS))
    assert SECRETS not in repr(Hook(True, "https://hooks.example/x", SECRETS))


# Attempts.


async def test_a_hook_decides_about_password_attempts(
    api: Api, person: Person, resources: Resources, server: Server
) -> None:
    session = await person(EMAIL)
    use(resources, "password_verification_attempt", server.url)
    server.answer = answer_json({"decision": "continue"})
    assert (await api.sign_in(EMAIL)).status_code == 200
    assert (await api.sign_in(EMAIL, "Sbagliata-1")).json()["message"] == "Invalid login credentials"
    assert (await api.sign_in("nessuno@socio.example")).status_code == 400
    user_id = session["user"]["id"]
    assert server.payloads() == [{"user_id": user_id, "valid": True}, {"user_id": user_id, "valid": False}]
    server.answer = answer_json({"decision": "reject", "message": "Troppi tentativi"})
    answer = await api.sign_in(EMAIL)
    assert (answer.status_code, answer.json()) == (400, {"code": "invalid_credentials", "message": "Troppi tentativi"})
    assert (await api.get("/user", session["access_token"])).status_code == 200
    server.answer = answer_json({"decision": "reject", "should_logout_user": True})
    answer = await api.sign_in(EMAIL, PASSWORD)
    assert answer.json()["message"] == "Further password verification attempts will be rejected."
    assert (await api.get("/user", session["access_token"])).json()["code"] == "session_not_found"


async def test_a_hook_decides_about_second_factors(
    api: Api, person: Person, resources: Resources, server: Server, now: Clock
) -> None:
    session = await person(EMAIL)
    token = session["access_token"]
    factor = (await api.post("/factors", {"factor_type": "totp"}, token)).json()
    path = f"/factors/{factor['id']}"
    use(resources, "mfa_verification_attempt", server.url)

    async def attempt(code: str) -> Any:
        challenge = (await api.post(f"{path}/challenge", token=token)).json()
        return await api.post(f"{path}/verify", {"challenge_id": challenge["id"], "code": code}, token)

    right = totp(factor["totp"]["secret"], now())
    assert (await attempt("000000" if right != "000000" else "111111")).json()["code"] == "mfa_verification_failed"
    server.answer = answer_json({"decision": "reject", "should_logout_user": True})
    answer = await attempt(right)
    assert (answer.status_code, answer.json()["code"]) == (403, "mfa_verification_rejected")
    known = {"factor_id": factor["id"], "factor_type": "totp", "user_id": session["user"]["id"]}
    assert server.payloads() == [{**known, "valid": False}, {**known, "valid": True}]
    assert (await api.get("/user", token)).json()["code"] == "session_not_found"


async def test_a_hook_decides_about_recovery_codes(
    api: Api, person: Person, resources: Resources, server: Server, now: Clock
) -> None:
    codes = await generate(api, await at_aal2(api, now, await person(EMAIL)))
    use(resources, "mfa_verification_attempt", server.url)
    server.answer = answer_json({"decision": "reject", "message": "Non ora"})
    refused = await api.post(f"{PATH}/verify", {"code": codes[0]}, await low(api))
    assert (refused.status_code, refused.json()) == (403, {"code": "mfa_verification_rejected", "message": "Non ora"})
    async with db.connection(resources.pool) as connection:
        log = [row["payload"] for row in await connection.fetch("select payload from auth.audit_log_entries")]
    # The code is used up: the log has to say so.
    attempts = [each["traits"]["verified"] for each in log if each["action"] == "verification_attempted"]
    assert attempts == [True, True]
    server.answer = answer_json({"decision": "continue"})
    assert (await api.post(f"{PATH}/verify", {"code": "a" * 16}, await low(api))).status_code == 422
    assert (await api.post(f"{PATH}/verify", {"code": codes[1]}, await low(api))).status_code == 200
    assert [payload["valid"] for payload in server.payloads()] == [True, False, True]
    assert {payload["factor_type"] for payload in server.payloads()} == {"recovery_code"}
