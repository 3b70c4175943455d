"""backend.rest.proxy in front of the real PostgREST, and in front of one that misbehaves."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import jwt as pyjwt
import pytest
from aiohttp import web
from cryptography.hazmat.primitives.asymmetric import rsa
from starlette.datastructures import Headers

from backend.core import jwt
from backend.core.config import Settings
from backend.core.errors import ApiError
from backend.core.http import ErrorBoundary, RequestContext
from backend.core.request_times import RequestTimes
from backend.core.resources import Resources
from backend.rest import proxy
from backend.rest.upstream import UpstreamError

pytestmark = pytest.mark.anyio

TABLE = """
create table public.proxied (
  id int primary key, name text, owner uuid default auth.uid(), made_by text default current_user
);
grant all on public.proxied to authenticated, service_role;
grant select on public.proxied to anon;
create function public.seen_headers() returns json language sql
as $$ select current_setting('request.headers')::json $$;
notify pgrst, 'reload schema';
"""
# Others look at the catalog of this database too.
GONE = "drop table public.proxied; drop function public.seen_headers(); notify pgrst, 'reload schema'"


@pytest.fixture
async def table(postgrest: Settings, rest_client: httpx.AsyncClient) -> AsyncIterator[None]:
    connection = await asyncpg.connect(postgrest.database_url)
    await connection.execute(TABLE)
    await _until_known(rest_client, known=True)
    yield
    await connection.execute(GONE)
    # Or the next test would take what PostgREST still remembers for its own.
    await _until_known(rest_client, known=False)
    await connection.close()


async def _until_known(rest_client: httpx.AsyncClient, *, known: bool) -> None:
    """Waits until PostgREST has read the catalog again.

    What it remembers of a function that is gone is a 404 too, but with Postgres' code and not with its own (PGRST202).
    """
    deadline = time.monotonic() + 20
    while True:
        answer = await rest_client.get("/rest/v1/rpc/seen_headers")
        unknown = answer.status_code == 404 and answer.json()["code"] == "PGRST202"
        if (known and answer.is_success) or (not known and unknown):
            return
        assert time.monotonic() < deadline


@pytest.fixture
def keys(postgrest: Settings) -> jwt.KeyRing:
    return jwt.load(postgrest.home)


@pytest.fixture
def user(keys: jwt.KeyRing) -> dict[str, str]:
    return bearer(token(keys))


def token(keys: jwt.KeyRing, **changes: Any) -> str:
    moment = int(time.time())
    return keys.sign({"sub": str(uuid.uuid4()), "role": "authenticated", "iat": moment, "exp": moment + 60, **changes})


def bearer(value: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {value}"}


async def test_all_verbs_with_prefer_and_range_pass_unchanged(
    rest_client: httpx.AsyncClient, table: None, user: dict[str, str]
) -> None:
    path = "/rest/v1/proxied"
    made = await rest_client.post(
        path, json=[{"id": n, "name": f"è {n}"} for n in range(5)], headers={**user, "Prefer": "return=minimal"}
    )
    assert (made.status_code, made.content) == (201, b"")
    ranged = await rest_client.get(
        f"{path}?select=id&order=id", headers={**user, "Range": "1-2", "Range-Unit": "items", "Prefer": "count=exact"}
    )
    assert (ranged.status_code, ranged.json()) == (206, [{"id": 1}, {"id": 2}])
    assert ranged.headers["content-range"] == "1-2/5"
    head = await rest_client.head(f"{path}?id=eq.1", headers={**user, "Prefer": "count=exact"})
    assert (head.status_code, head.content, head.headers["content-range"]) == (200, b"", "0-0/1")
    changed = await rest_client.patch(
        f"{path}?id=eq.1", json={"name": "x"}, headers={**user, "Prefer": "return=representation"}
    )
    assert changed.json()[0]["name"] == "x"
    single = {**user, "Accept": "application/vnd.pgrst.object+json"}
    assert (await rest_client.get(f"{path}?id=eq.1", headers=single)).json()["made_by"] == "authenticated"
    assert (await rest_client.get(path, headers=single)).status_code == 406
    put = await rest_client.put(f"{path}?id=eq.9", json={"id": 9, "name": "put"}, headers=user)
    assert put.status_code in (200, 201, 204)
    assert (await rest_client.delete(f"{path}?id=eq.9", headers=user)).status_code == 204
    query = await rest_client.get(f"{path}?name=eq.%C3%A8%203&select=id", headers=user)
    assert query.json() == [{"id": 3}]
    again = await rest_client.post(path, json={"id": 1}, headers=user)
    assert (again.status_code, again.json()["code"]) == (409, "23505")


async def test_keys_and_tokens_stand_for_their_roles(
    rest_client: httpx.AsyncClient, table: None, keys: jwt.KeyRing, user: dict[str, str]
) -> None:
    cases: list[tuple[dict[str, str], bool]] = [
        ({}, False),
        ({"apikey": keys.publishable_key}, False),
        ({"apikey": keys.publishable_key, **bearer(keys.publishable_key)}, False),
        (bearer(keys.publishable_key), False),
        ({"apikey": keys.anon_key}, False),
        ({"apikey": keys.anon_key, **bearer(keys.anon_key)}, False),
        ({"apikey": keys.secret_key}, True),
        (bearer(keys.secret_key), True),
        ({"apikey": keys.secret_key, **bearer(keys.secret_key)}, True),
        ({"apikey": keys.service_role_key}, True),
        ({"apikey": keys.publishable_key, **user}, True),
        ({"apikey": keys.secret_key, **user}, True),
    ]
    for number, (headers, may_write) in enumerate(cases):
        answer = await rest_client.post("/rest/v1/proxied", json={"id": 100 + number}, headers=headers)
        assert answer.status_code == (201 if may_write else 401), headers
    as_user = await rest_client.get("/rest/v1/proxied?id=eq.111&select=made_by", headers=user)
    assert as_user.json() == [{"made_by": "authenticated"}], "a user's token wins over the secret key beside it"


async def test_forged_and_expired_tokens_are_a_401(rest_client: httpx.AsyncClient, keys: jwt.KeyRing) -> None:
    stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    claims = {"role": "service_role", "exp": int(time.time()) + 60}
    kid = keys.public_jwks()["keys"][0]["kid"]
    forged = [
        token(keys, exp=int(time.time()) - 120),
        pyjwt.encode(claims, stranger, algorithm="RS256", headers={"kid": kid}),
        pyjwt.encode(claims, stranger, algorithm="RS256"),
        pyjwt.encode(claims, "x" * 64, algorithm="HS256"),
        pyjwt.encode(claims, "", algorithm="none"),
        "x.y.z",
        "x",
    ]
    for each in forged:
        for headers in (bearer(each), {"apikey": each}):
            answer = await rest_client.get("/rest/v1/notifications", headers=headers)
            assert answer.status_code == 401, each
            assert answer.headers["content-type"].startswith("application/json")


async def test_no_token_becomes_a_system_role(rest_client: httpx.AsyncClient, keys: jwt.KeyRing) -> None:
    for role in ("postgres", "authenticator", "supabase_auth_admin", "nobody"):
        answer = await rest_client.get("/rest/v1/notifications", headers=bearer(token(keys, role=role)))
        assert answer.status_code in (400, 401, 403), role


async def test_what_reaches_sql_is_what_the_client_sent_but_for_keys_hops_and_traces(
    rest_client: httpx.AsyncClient, table: None, keys: jwt.KeyRing
) -> None:
    answer = await rest_client.get(
        "/rest/v1/rpc/seen_headers",
        headers={
            "apikey": keys.secret_key,
            "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "tracestate": "a=b",
            "x-custom": "kept",
            "x-forwarded-for": "6.6.6.6",
            "te": "trailers",
            "x-request-id": "forged",
        },
    )
    seen = answer.json()
    assert seen["x-custom"] == "kept"
    assert seen["x-forwarded-for"] == "127.0.0.1"
    assert seen["x-request-id"] == answer.headers["x-request-id"]
    assert not {"apikey", "te", "traceparent", "tracestate"} & seen.keys()
    assert keys.secret_key not in answer.text


async def test_other_origins_may_call_and_read_refusals(rest_client: httpx.AsyncClient) -> None:
    asked = {"Origin": "https://a.example", "Access-Control-Request-Method": "PATCH"}
    preflight = await rest_client.options(
        "/rest/v1/profiles", headers={**asked, "Access-Control-Request-Headers": "apikey,prefer,x-client-info"}
    )
    assert preflight.status_code == 200
    assert "x-client-info" in preflight.headers["access-control-allow-headers"]
    refused = await rest_client.get(
        "/rest/v1/profiles", headers={"Origin": "https://a.example", "apikey": "sb_secret_x"}
    )
    assert (refused.status_code, refused.headers["access-control-allow-origin"]) == (401, "*")


async def test_a_body_over_one_mebibyte_is_a_413(rest_client: httpx.AsyncClient, user: dict[str, str]) -> None:
    async def drip() -> AsyncIterator[bytes]:
        for _ in range(17):
            yield b" " * 65_536

    for content in (b" " * (1024 * 1024 + 1), drip()):
        answer = await rest_client.post("/rest/v1/profiles", content=content, headers=user)
        assert (answer.status_code, answer.json()["code"]) == (413, "request_entity_too_large")
    malformed = await rest_client.post("/rest/v1/profiles", content=b"{", headers=user)
    assert malformed.status_code == 400


@pytest.mark.parametrize("path", ["/rest/v1/%2e%2e/x", "/rest/v1//", "/rest/v1/a%00b"])
async def test_odd_paths_stay_below_postgrest(rest_client: httpx.AsyncClient, path: str) -> None:
    answer = await rest_client.get(path)
    assert answer.status_code < 500
    assert answer.headers["content-type"].startswith("application/")


class Upstream:
    """A PostgREST that does what the test wants, on a socket of its own."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.act: Callable[[web.Request], Awaitable[web.StreamResponse]] = self.fine

    async def fine(self, request: web.Request) -> web.StreamResponse:
        return web.json_response([])

    async def cut(self, request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.close()
        return web.Response()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.calls.append(request.method)
        return await self.act(request)


@asynccontextmanager
async def misbehaving(resources: Resources, home: Path) -> AsyncIterator[tuple[Upstream, httpx.AsyncClient]]:
    resources = replace(resources, settings=replace(resources.settings, home=home))
    upstream = Upstream()
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", upstream.handle)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.UnixSite(runner, str(resources.settings.postgrest_socket)).start()
    async with proxy.session(resources) as session:
        app = RequestContext(ErrorBoundary(proxy.Proxy(resources, session)), resources, RequestTimes())
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://socio.example") as client:
            yield upstream, client
    await runner.cleanup()


async def test_a_read_that_was_cut_is_repeated_and_a_write_is_not(resources: Resources, tmp_path: Path) -> None:
    async with misbehaving(resources, tmp_path) as (upstream, client):

        async def once(request: web.Request) -> web.StreamResponse:
            upstream.act = upstream.fine
            return await upstream.cut(request)

        upstream.act = once
        assert (await client.get("/rest/v1/x")).status_code == 200
        upstream.act = once
        refused = await client.post("/rest/v1/x", json={})
        assert (refused.status_code, refused.json()["code"]) == (503, "service_unavailable")
        assert refused.headers["retry-after"] == "1"
        assert upstream.calls == ["GET", "GET", "POST"]


async def test_postgrest_that_stays_away_is_a_503_with_retry_after(settings: Settings, resources: Resources) -> None:
    async with proxy.session(resources) as session:
        app = RequestContext(ErrorBoundary(proxy.Proxy(resources, session)), resources, RequestTimes())
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://socio.example") as client:
            for method in ("GET", "POST"):
                answer = await client.request(method, "/rest/v1/x")
                assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
                assert answer.json()["request_id"] == answer.headers["x-request-id"]


async def test_a_503_of_postgrest_gets_a_retry_after(resources: Resources, tmp_path: Path) -> None:
    async with misbehaving(resources, tmp_path) as (upstream, client):

        async def away(_request: web.Request) -> web.StreamResponse:
            return web.json_response({"code": "PGRST001"}, status=503)

        upstream.act = away
        answer = await client.get("/rest/v1/x")
        assert (answer.status_code, answer.json()["code"], answer.headers["retry-after"]) == (503, "PGRST001", "1")


async def test_a_slow_postgrest_is_a_504(resources: Resources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy, "TIMEOUT_S", 0.05)
    async with misbehaving(resources, tmp_path) as (upstream, client):
        released = asyncio.Event()

        async def slow(_request: web.Request) -> web.StreamResponse:
            await released.wait()
            return web.Response()

        upstream.act = slow
        assert (await client.get("/rest/v1/x")).status_code == 504
        released.set()


async def test_an_answer_that_breaks_off_is_cut(resources: Resources, tmp_path: Path) -> None:
    async with misbehaving(resources, tmp_path) as (upstream, client):

        async def half(request: web.Request) -> web.StreamResponse:
            response = web.StreamResponse(headers={"Content-Length": "100"})
            await response.prepare(request)
            await response.write(b"half")
            return await upstream.cut(request)

        upstream.act = half
        with pytest.raises(UpstreamError):
            await client.get("/rest/v1/x")


@asynccontextmanager
async def proxied(resources: Resources, home: Path) -> AsyncIterator[proxy.Proxy]:
    """The proxy alone, in front of the PostgREST of this home."""
    moved = replace(resources, settings=replace(resources.settings, home=home))
    async with proxy.session(moved) as session:
        yield proxy.Proxy(moved, session)


def asked_from(ip: str) -> dict[str, Any]:
    scope = {"type": "http", "method": "GET", "raw_path": b"/rest/v1/x", "path": "/rest/v1/x"}
    return {**scope, "query_string": b"", "headers": [], "client": (ip, 1)}


async def receive() -> Any:
    return {"type": "http.request", "body": b"", "more_body": False}


async def test_an_answer_is_streamed_not_collected(resources: Resources, tmp_path: Path) -> None:
    """The first piece reaches the client before the last one has left PostgREST."""
    async with misbehaving(resources, tmp_path) as (upstream, _client):
        first_piece = asyncio.Event()

        async def two_pieces(request: web.Request) -> web.StreamResponse:
            response = web.StreamResponse()
            await response.prepare(request)
            await response.write(b"first")
            await first_piece.wait()
            await response.write(b"second")
            return response

        upstream.act = two_pieces
        pieces: list[bytes] = []

        async def send(message: Any) -> None:
            if message["type"] == "http.response.body" and message["body"]:
                pieces.append(message["body"])
                first_piece.set()

        async with proxied(resources, tmp_path) as app, asyncio.timeout(20):
            await app(asked_from("127.0.0.1"), receive, send)
        assert pieces == [b"first", b"second"]


class Reader:
    """A client that says when it got the beginning of its answer, and takes the rest when it is let go."""

    def __init__(self) -> None:
        self.began = asyncio.Event()
        self.reads = asyncio.Event()

    async def send(self, message: Any) -> None:
        self.began.set()
        if message["type"] == "http.response.body":
            await self.reads.wait()


async def long_answer(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    for _ in range(64):
        await response.write(b"x" * 64 * 1024)
    return response


async def test_who_does_not_read_takes_no_more_than_their_share(
    resources: Resources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proxy, "CONNECTIONS_EACH", 1)
    async with misbehaving(resources, tmp_path) as (upstream, _client), proxied(resources, tmp_path) as app:
        upstream.act = long_answer
        slow, same, other = Reader(), Reader(), Reader()
        under_way = asyncio.create_task(app(asked_from("2001:db8::1"), receive, slow.send))
        async with asyncio.timeout(20):
            await slow.began.wait()
            upstream.act = upstream.fine
            other.reads.set()
            await app(asked_from("198.51.100.7"), receive, other.send)
            monkeypatch.setattr(proxy, "TIMEOUT_S", 0.05)
            with pytest.raises(ApiError) as refused:
                await app(asked_from("2001:db8::2"), receive, same.send)
            slow.reads.set()
            await under_way
            same.reads.set()
            await app(asked_from("2001:db8::2"), receive, same.send)
        assert refused.value.status == 429


async def test_a_short_answer_keeps_no_connection_while_its_client_reads(
    resources: Resources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proxy, "CONNECTIONS", 1)
    async with misbehaving(resources, tmp_path), proxied(resources, tmp_path) as app, asyncio.timeout(20):
        slow, other = Reader(), Reader()
        under_way = asyncio.create_task(app(asked_from("127.0.0.1"), receive, slow.send))
        await slow.began.wait()
        other.reads.set()
        await app(asked_from("127.0.0.1"), receive, other.send)
        slow.reads.set()
        await under_way


async def test_an_address_has_so_many_bytes_and_no_more(resources: Resources, tmp_path: Path) -> None:
    """What the longest lists of our client need is there: 100 ids, and as many again for its filter."""
    ids = "%2C".join([str(uuid.UUID(int=0))] * 200)
    async with misbehaving(resources, tmp_path) as (upstream, client):
        assert (await client.get(f"/rest/v1/x?id=in.({ids})")).status_code == 200
        refused = await client.get(f"/rest/v1/x?select={'a' * proxy.MAX_TARGET_BYTES}")
        assert (refused.status_code, refused.headers["access-control-allow-origin"]) == (414, "*")
        assert upstream.calls == ["GET"]


def test_an_authorization_that_is_no_bearer_token_is_refused(keys: jwt.KeyRing) -> None:
    with pytest.raises(ApiError) as refused:
        proxy.bearer_for(Headers({"authorization": "Basic eA=="}), keys)
    assert refused.value.status == 401
