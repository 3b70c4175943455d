"""core.http, core.errors and core.log: each request has an id, an answer and a line, whatever happens to it."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from ipaddress import ip_network
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from backend.core import errors, http, log
from backend.core.config import Settings
from backend.core.errors import ApiError, Code
from backend.core.request_times import RequestTimes
from backend.core.resources import Resources

pytestmark = pytest.mark.anyio


async def echo(request: Request) -> Response:
    return JSONResponse(await http.json_object(request))


async def typed(request: Request) -> Response:
    return JSONResponse(http.field(await http.json_object(request), "age", int, 0))


async def refuse(request: Request) -> Response:
    raise ApiError(409, "already_paid", "Already paid", cause="order 7")


async def busy(request: Request) -> Response:
    raise ApiError(409, "busy", "Busy", details={"run": "7"})


async def bug(request: Request) -> Response:
    raise RuntimeError("secret detail")


async def cut(request: Request) -> Response:
    async def chunks() -> AsyncIterator[bytes]:
        yield b"half"
        raise RuntimeError("cut")

    return StreamingResponse(chunks())


async def address(request: Request) -> Response:
    return Response(http.client_ip(request, http.resources(request).settings))


ROUTES = [
    Route("/echo", echo, methods=["POST"]),
    Route("/typed", typed, methods=["POST"]),
    Route("/refuse", refuse),
    Route("/busy", busy),
    Route("/bug", bug),
    Route("/cut", cut),
    Route("/address", address),
]


@asynccontextmanager
async def talking(resources: Resources) -> AsyncIterator[httpx.AsyncClient]:
    service = Starlette(
        routes=ROUTES,
        middleware=[Middleware(http.Cors, headers="Authorization"), Middleware(http.ErrorBoundary)],
        exception_handlers=dict(errors.HANDLERS),
    )
    app = http.RequestContext(service, resources, RequestTimes())
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://socio.example") as opened:
        yield opened


@pytest.fixture
async def talk(resources: Resources) -> AsyncIterator[httpx.AsyncClient]:
    async with talking(resources) as opened:
        yield opened


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    """The log as a machine reads it; gives the loggers back as they were."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    stream = io.StringIO()
    log.configure(stream)
    yield stream
    log.access_log = None
    root.handlers[:] = handlers
    root.setLevel(level)


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b'"x"', b"7", b"null", b"\xff\xfe", b"[" * 100_000, b'{"a":1}{'],
    ids=lambda body: str(body[:8]),
)
async def test_a_body_that_is_no_json_object_is_a_400(talk: httpx.AsyncClient, body: bytes) -> None:
    answer = await talk.post("/echo", content=body)
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_json")


async def test_a_field_of_the_wrong_type_is_named(talk: httpx.AsyncClient) -> None:
    wrongs: list[Any] = ["7", True, [7], {}, 7.5]
    for wrong in wrongs:
        answer = await talk.post("/typed", json={"age": wrong})
        assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")
        assert answer.json()["message"] == "The field age must be of type integer"
    assert (await talk.post("/typed", json={"age": None})).json() == 0


async def test_a_refusal_tells_the_details_it_has(talk: httpx.AsyncClient) -> None:
    assert (await talk.get("/busy")).json()["details"] == {"run": "7"}
    assert "details" not in (await talk.get("/refuse")).json()


async def test_a_body_over_one_mebibyte_is_a_413_announced_or_not(talk: httpx.AsyncClient) -> None:
    async def drip() -> AsyncIterator[bytes]:
        for _ in range(17):
            yield b" " * 65_536

    allowed = b'{"a":"' + b"x" * (http.BODY_LIMIT_BYTES - 8) + b'"}'
    assert (await talk.post("/echo", content=allowed)).status_code == 200
    for content in (allowed + b" ", drip()):
        answer = await talk.post("/echo", content=content)
        assert (answer.status_code, answer.json()["code"]) == (413, "request_entity_too_large")


async def test_a_body_that_drips_is_a_408(talk: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    async def never() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.Event().wait()

    monkeypatch.setattr(http, "BODY_TIMEOUT_S", 0.05)
    assert (await talk.post("/echo", content=never())).status_code == 408


async def test_unknown_routes_and_methods_are_json(talk: httpx.AsyncClient) -> None:
    answer = await talk.get("/<script>alert(1)</script>")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert "script" not in answer.text
    answer = await talk.get("/echo")
    assert (answer.status_code, answer.json()["code"], answer.headers["allow"]) == (405, "method_not_allowed", "POST")


async def test_every_error_carries_the_request_id_that_is_in_the_log(
    talk: httpx.AsyncClient, logged: io.StringIO
) -> None:
    for path in ("/refuse", "/bug", "/nowhere"):
        answer = await talk.get(path)
        request_id = answer.headers["x-request-id"]
        assert answer.json()["request_id"] == request_id
        assert log.access_log is not None
        log.access_log.flush()
        mine = [line for line in lines(logged) if line.get("request_id") == request_id]
        assert [line for line in mine if line["logger"] == "backend.access" and line["status"] == answer.status_code]


async def test_the_cause_is_in_the_log_and_not_in_the_answer(talk: httpx.AsyncClient, logged: io.StringIO) -> None:
    refused, failed = await talk.get("/refuse"), await talk.get("/bug")
    assert refused.json() | {"request_id": ""} == {"code": "already_paid", "message": "Already paid", "request_id": ""}
    assert (failed.status_code, failed.json()["code"]) == (500, "unexpected_failure")
    assert "secret detail" not in failed.text
    written = logged.getvalue()
    assert "order 7" in written
    assert "RuntimeError: secret detail" in written


async def test_a_query_never_reaches_the_log(talk: httpx.AsyncClient, logged: io.StringIO) -> None:
    await talk.get("/refuse?token=hunter2", headers={"Authorization": "Bearer hunter2", "apikey": "hunter2"})
    ours = [line for line in lines(logged) if line["logger"].startswith("backend")]
    assert ours
    assert "hunter2" not in str(ours)


async def test_an_answer_that_breaks_off_is_cut_not_ended(talk: httpx.AsyncClient) -> None:
    with pytest.raises(RuntimeError, match="cut"):
        await talk.get("/cut")


async def test_a_request_id_is_ours_whatever_the_client_sends(talk: httpx.AsyncClient) -> None:
    sent = "evil\ninjected"
    answers = [await talk.get("/refuse", headers={"x-request-id": sent.replace("\n", " ")}) for _ in range(2)]
    ids = {answer.headers["x-request-id"] for answer in answers}
    assert len(ids) == 2
    assert all(each.isalnum() and len(each) == 32 for each in ids)


async def test_browsers_of_other_origins_may_call_without_credentials(talk: httpx.AsyncClient) -> None:
    preflight = await talk.options("/echo", headers={"origin": "https://a.example"})
    assert preflight.status_code == 204
    for answer in (preflight, await talk.get("/bug"), await talk.get("/nowhere")):
        assert answer.headers["access-control-allow-origin"] == "*"
        assert "access-control-allow-credentials" not in answer.headers


@pytest.mark.parametrize(
    ("forwarded", "trusted", "expected"),
    [
        (None, [], "127.0.0.1"),
        ("6.6.6.6", [], "127.0.0.1"),
        ("6.6.6.6", ["127.0.0.1"], "6.6.6.6"),
        ("1.1.1.1, 6.6.6.6", ["127.0.0.1"], "6.6.6.6"),
        ("1.1.1.1, 6.6.6.6, 10.0.0.9", ["127.0.0.1", "10.0.0.0/8"], "6.6.6.6"),
        ("nonsense", ["127.0.0.1"], "nonsense"),
        ("::1", ["127.0.0.1"], "::1"),
    ],
)
async def test_forwarded_addresses_count_as_far_as_trusted_proxies_wrote_them(
    resources: Resources, forwarded: str | None, trusted: list[str], expected: str
) -> None:
    believed = replace(resources.settings, trusted_proxies=tuple(ip_network(each) for each in trusted))
    async with talking(replace(resources, settings=believed)) as talk:
        headers = {"x-forwarded-for": forwarded} if forwarded else {}
        assert (await talk.get("/address", headers=headers)).text == expected


def test_a_bearer_token_is_read_and_nothing_else() -> None:
    def read(value: str) -> str | None:
        return http.bearer(Headers({"authorization": value}))

    assert read("Bearer abc") == read("bearer abc") == "abc"
    assert read("Basic abc") is read("Bearer ") is read("") is None


def test_a_log_line_for_a_person_is_one_line_with_its_facts() -> None:
    record = logging.makeLogRecord({"msg": "mail sent", "levelname": "INFO", "purpose": "recovery"})
    assert log.ReadableFormatter().format(record).endswith("mail sent purpose=recovery")


async def test_settings_show_no_secret(settings: Settings, resources: Resources) -> None:
    for secret in (resources.keys.secret_key, resources.keys.postgres_password, settings.database_url):
        assert secret not in repr(settings)
        assert secret not in repr(resources)


def test_the_codes_are_closed_and_unique() -> None:
    assert len({code.value for code in Code}) == len(Code)


def test_an_ipv6_customer_is_one_address() -> None:
    assert http.network("2001:db8:1:2:3::4") == http.network("2001:db8:1:2:ffff::1") == "2001:db8:1:2::/64"
    assert http.network("::ffff:203.0.113.7") == http.network("203.0.113.7") == "203.0.113.7"
    assert http.network("") == ""
