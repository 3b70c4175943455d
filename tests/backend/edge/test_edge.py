"""backend.edge: functions found by slug, acting as their caller, failing alone."""

from __future__ import annotations

import logging
import sys
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from starlette.types import ASGIApp

from backend.core import db, jwt
from backend.core.config import Settings
from backend.core.config_functions import Function
from backend.core.http import RequestContext
from backend.core.request_times import RequestTimes
from backend.core.resources import Resources
from backend.edge import routes

pytestmark = pytest.mark.anyio

WHO = """
from backend.edge import api

async def handler(request: api.Request, context: api.Context) -> api.Response:
    async with context.as_caller() as connection:
        role = await connection.fetchval("select current_user::text")
        sub = await connection.fetchval("select auth.uid()::text")
    async with context.as_service() as connection:
        service = await connection.fetchval("select current_user::text")
    seen = {"role": role, "sub": sub, "service": service, "user_id": context.user_id, "ip": context.client_ip}
    return api.JSONResponse(seen)
"""
ECHO = """
from backend.edge import api

async def handler(request: api.Request, context: api.Context) -> api.Response:
    body = await api.json_object(request)
    if body.get("refuse"):
        raise api.Refused(409, "already_paid", "Già pagato")
    return api.JSONResponse(body)
"""
JOB = """
from backend.edge import api

async def handler(request: api.Request, context: api.Context) -> api.Response:
    async with context.as_service() as connection:
        await api.enqueue(connection, "later", {"n": 1})
    return api.Response(status_code=202)
"""
FILES = {
    "who_am_i.py": WHO,
    "echo/__init__.py": ECHO,
    "job.py": JOB,
    "bug.py": "async def handler(request, context):\n    raise RuntimeError('secret detail')\n",
    "broken.py": "raise RuntimeError('cannot be imported')\n",
    "jobs/__init__.py": "",
    "_shared/__init__.py": "async def handler(request, context): ...\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, code in FILES.items():
        path = tmp_path / "functions" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code)
    return tmp_path


@pytest.fixture(autouse=True)
def no_leftovers() -> object:
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.startswith("functions."):
            del sys.modules[name]


@asynccontextmanager
async def serving(resources: Resources, root: Path, **functions: Function) -> AsyncIterator[httpx.AsyncClient]:
    settings: Settings = replace(resources.settings, root=root, functions=functions)
    resources = replace(resources, settings=settings)
    service: ASGIApp = RequestContext(routes.create(settings, routes.loader_of(settings)), resources, RequestTimes())
    async with httpx.AsyncClient(transport=httpx.ASGITransport(service), base_url="http://socio.example") as opened:
        yield opened


@pytest.fixture
async def functions(resources: Resources, root: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(resources, root) as opened:
        yield opened


def user(keys: jwt.KeyRing, sub: str) -> dict[str, str]:
    moment = int(time.time())
    token = keys.sign({"sub": sub, "role": "authenticated", "iat": moment, "exp": moment + 60})
    return {"Authorization": f"Bearer {token}"}


async def test_a_function_acts_as_its_caller(functions: httpx.AsyncClient, resources: Resources) -> None:
    keys, sub = resources.keys, str(uuid.uuid4())
    answer = await functions.post("/who-am-i", headers={"apikey": keys.publishable_key, **user(keys, sub)})
    expected = {"role": "authenticated", "sub": sub, "service": "service_role", "user_id": sub, "ip": "127.0.0.1"}
    assert answer.json() == expected


async def test_keys_give_their_roles(functions: httpx.AsyncClient, resources: Resources) -> None:
    keys = resources.keys
    for headers, role in [
        ({}, "anon"),
        ({"apikey": keys.publishable_key}, "anon"),
        ({"apikey": keys.publishable_key, "Authorization": f"Bearer {keys.publishable_key}"}, "anon"),
        ({"apikey": keys.anon_key}, "anon"),
        ({"apikey": keys.secret_key}, "service_role"),
        ({"Authorization": f"Bearer {keys.secret_key}"}, "service_role"),
        ({"Authorization": f"Bearer {keys.service_role_key}"}, "service_role"),
    ]:
        assert (await functions.get("/who-am-i", headers=headers)).json()["role"] == role, headers


async def test_a_forged_token_is_a_401_unless_the_function_brings_its_own_proof(
    functions: httpx.AsyncClient, resources: Resources, root: Path
) -> None:
    forged = {"Authorization": "Bearer x.y.z"}
    refused = await functions.post("/who-am-i", headers=forged)
    assert (refused.status_code, refused.json()["code"]) == (401, "bad_jwt")
    async with serving(resources, root, **{"who-am-i": Function(verify_jwt=False)}) as webhook:
        assert (await webhook.post("/who-am-i", headers=forged)).json()["role"] == "anon"


@pytest.mark.parametrize("written", ["who-am-i", "who_am_i"])
async def test_the_settings_of_a_function_hold_for_both_its_spellings(
    resources: Resources, root: Path, written: str
) -> None:
    async with serving(resources, root, **{written: Function(enabled=False)}) as functions:
        for asked in ("who-am-i", "who_am_i", "who_am-i"):
            assert (await functions.post(f"/{asked}")).status_code == 404, asked


@pytest.mark.parametrize("slug", ["nowhere", "_shared", "jobs", "WHO", "..%2Fsecret", "who.am", "a" * 80, "<script>"])
async def test_an_unknown_slug_is_a_404_in_json(functions: httpx.AsyncClient, slug: str) -> None:
    answer = await functions.post(f"/{slug}")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert "script" not in answer.text


async def test_bodies_are_json_objects_of_bounded_size(functions: httpx.AsyncClient) -> None:
    assert (await functions.post("/echo", json={"a": 1})).json() == {"a": 1}
    assert (await functions.post("/echo", content=b"{")).json()["code"] == "bad_json"
    assert (await functions.post("/echo", content=b" " * 1_100_000)).status_code == 413


@pytest.mark.parametrize("text", [r"a\u0000b", r"\ud83d", r"\udc00a"])
@pytest.mark.parametrize("body", ['{"a": "%s"}', '{"%s": 1}', '{"a": [{"b": ["%s"]}]}'])
async def test_text_that_cannot_be_stored_is_refused_for_every_function(
    functions: httpx.AsyncClient, text: str, body: str
) -> None:
    answer = await functions.post("/echo", content=body % text)
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")


async def test_a_function_may_say_itself_who_may_call_it(functions: httpx.AsyncClient, root: Path) -> None:
    code = """
from backend.edge import api

async def handler(request, context):
    headers = {"Access-Control-Allow-Origin": "https://a.example", "Access-Control-Expose-Headers": "X-Own"}
    return api.JSONResponse({}, headers=headers)
"""
    (root / "functions" / "own_cors.py").write_text(code)
    answer = await functions.post("/own_cors")
    assert answer.headers.get_list("access-control-allow-origin") == ["https://a.example"]
    assert {"x-own", "x-relay-error"} <= {
        name.strip() for name in answer.headers["access-control-expose-headers"].lower().split(",")
    }


async def test_a_refusal_is_answered_as_it_was_meant(functions: httpx.AsyncClient) -> None:
    answer = await functions.post("/echo", json={"refuse": True})
    assert (answer.status_code, answer.json()["code"], answer.json()["message"]) == (409, "already_paid", "Già pagato")


@pytest.mark.parametrize(
    ("slug", "status", "code"), [("bug", 500, "unexpected_failure"), ("broken", 503, "boot_error")]
)
async def test_a_failing_function_is_a_logged_error_and_the_others_go_on(
    functions: httpx.AsyncClient, caplog: pytest.LogCaptureFixture, slug: str, status: int, code: str
) -> None:
    caplog.set_level(logging.ERROR)
    answer = await functions.post(f"/{slug}")
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert (answer.headers.get("x-relay-error") == "true") is (slug == "broken")
    assert answer.json()["request_id"] == answer.headers["x-request-id"]
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "RuntimeError" in caplog.text
    assert "RuntimeError" not in answer.text
    assert (await functions.post("/echo", json={})).status_code == 200


async def test_a_browser_of_another_origin_may_ask_first(functions: httpx.AsyncClient) -> None:
    answer = await functions.options("/echo", headers={"Origin": "https://a.example"})
    assert answer.status_code == 204
    for name in ("*", "authorization", "x-client-info", "apikey", "content-type"):
        assert name in answer.headers["access-control-allow-headers"].lower()
    assert "x-relay-error" in answer.headers["access-control-expose-headers"]


async def test_a_function_that_never_ends_is_a_504(
    functions: httpx.AsyncClient, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "import asyncio\nasync def handler(request, context):\n    await asyncio.Event().wait()\n"
    (root / "functions" / "endless.py").write_text(code)
    monkeypatch.setattr(routes, "TIMEOUT_S", 0.05)
    answer = await functions.post("/endless")
    assert (answer.status_code, answer.headers["x-relay-error"]) == (504, "true")


async def test_a_function_may_leave_work_for_later(functions: httpx.AsyncClient, resources: Resources) -> None:
    assert (await functions.post("/job")).status_code == 202
    async with db.connection(resources.pool) as connection:
        assert await connection.fetchval("select entrypoint from jobs.pgqueuer") == "later"
