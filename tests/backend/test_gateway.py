"""The gateway: one address, JSON under the API's prefixes, the page elsewhere, security headers on everything."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path

import asyncpg
import httpx
import pytest
from starlette.types import ASGIApp

from backend import gateway
from backend.core.config import Settings
from backend.core.resources import Resources, open_all
from scripts import postgres

pytestmark = pytest.mark.anyio

PREFIXES = ["/auth/v1", "/rest/v1", "/functions/v1", "/storage/v1", "/realtime/v1"]


def to(app: ASGIApp) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost:54321")


@pytest.mark.parametrize("prefix", PREFIXES)
async def test_an_unknown_route_below_a_prefix_is_a_404_in_json(rest_client: httpx.AsyncClient, prefix: str) -> None:
    answer = await rest_client.get(f"{prefix}/nowhere-<script>")
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("application/json")
    # PostgREST and storage repeat the path, as JSON that no browser renders (nosniff)
    assert "<script>" not in answer.text or prefix in ("/rest/v1", "/storage/v1")
    assert answer.headers["x-request-id"]


@pytest.mark.parametrize("path", [*PREFIXES, "/health", "/ready", "/", "/home", "/config.js", "/assets/none.js"])
async def test_every_answer_has_its_security_headers(rest_client: httpx.AsyncClient, path: str) -> None:
    headers = (await rest_client.get(path)).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] in ("no-referrer", "strict-origin-when-cross-origin")
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "frame-ancestors 'none'" in policy
    assert ("frame-src blob:;" in policy) == (path in ("/", "/home", "/config.js", "/assets/none.js"))
    assert "strict-transport-security" not in headers
    assert "server" not in headers or path == "/rest/v1"


async def test_the_clients_policy_allows_nothing_inline_and_no_stranger(client: httpx.AsyncClient) -> None:
    policy = (await client.get("/")).headers["content-security-policy"]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["style-src"] == rules["font-src"] == "'self'"
    # Whoever has built the client has its theme script too.
    assert re.fullmatch(r"'self'( 'sha256-[\w+/=]+')?", rules["script-src"])
    assert rules["connect-src"] == "'self' http://localhost:54321 ws://localhost:54321"
    assert rules["media-src"] == "'self' http://localhost:54321"
    assert rules["base-uri"] == "'none'"
    assert rules["require-trusted-types-for"] == "'script'"
    assert rules["trusted-types"] == "socio-worker"
    assert "unsafe" not in policy
    assert "*" not in policy


async def test_https_is_remembered_once_we_are_served_by_it(resources: Resources) -> None:
    api = replace(resources.settings.api, external_url="https://socio.example")
    moved = replace(resources, settings=replace(resources.settings, api=api))
    async with gateway.application(moved) as app, to(app) as client:
        answer = await client.get("/")
    assert answer.headers["strict-transport-security"].startswith("max-age=31536000")
    assert "wss://socio.example" in answer.headers["content-security-policy"]


async def test_health_needs_nothing_but_the_loop(resources: Resources, tmp_path: Path) -> None:
    settings = replace(resources.settings, database_url="postgresql://x@127.0.0.1:1/x")
    async with open_all(settings) as lonely, gateway.application(lonely) as app, to(app) as client:
        assert (await client.get("/health")).json() == {"status": "ok"}
        ready = await client.get("/ready")
    assert ready.status_code == 503
    assert ready.json()["reasons"] == ["The database is not available", "PostgREST does not answer"]
    assert ready.headers["retry-after"] == "1"


async def test_ready_with_database_postgrest_and_migrations(rest_client: httpx.AsyncClient) -> None:
    answer = await rest_client.get("/ready")
    assert (answer.status_code, answer.json()) == (200, {"status": "ready"})


async def test_not_ready_while_a_migration_is_missing(postgrest: Settings) -> None:
    connection = await asyncpg.connect(postgrest.database_url)
    last = await connection.fetchrow(
        """
        delete from supabase_migrations.schema_migrations
        where version = (select max(version) from supabase_migrations.schema_migrations) returning *
        """
    )
    assert last is not None
    async with open_all(postgrest) as resources, gateway.application(resources) as app, to(app) as client:
        ready = await client.get("/ready")
    await connection.execute(
        "insert into supabase_migrations.schema_migrations select ($1::text), $2, $3", *last.values()
    )
    await connection.close()
    assert (ready.status_code, ready.json()["reasons"]) == (
        503,
        [f"the migration {last['version']}_{last['name']}.sql is not applied"],
    )


async def test_a_process_ends_when_its_other_work_fails(settings: Settings) -> None:
    async def fails(_resources: Resources, _stopping: asyncio.Event) -> None:
        raise RuntimeError("the worker is gone")

    with pytest.raises(ExceptionGroup) as raised:
        async with asyncio.timeout(20):
            await gateway.serve(replace(settings, api=replace(settings.api, port=postgres.free_port())), fails)
    assert [str(each) for each in raised.value.exceptions] == ["the worker is gone"]


async def test_not_ready_while_shutting_down(postgrest: Settings) -> None:
    stopping = asyncio.Event()
    async with open_all(postgrest) as resources, gateway.application(resources, stopping) as app, to(app) as client:
        assert (await client.get("/ready")).status_code == 200
        stopping.set()
        answer = await client.get("/ready")
    assert (answer.status_code, answer.json()["reasons"]) == (503, ["the server is shutting down"])


async def test_the_host_header_writes_no_link(client: httpx.AsyncClient) -> None:
    for path in ("/", "/config.js", "/auth/v1/settings", "/auth/v1/nowhere", "/rest/v1/"):
        answer = await client.get(path, headers={"Host": "evil.example", "X-Forwarded-Host": "evil.example"})
        assert "evil.example" not in answer.text + str(answer.headers)


async def test_unknown_pages_reflect_nothing(client: httpx.AsyncClient) -> None:
    answer = await client.get("/<script>alert(1)</script>?q=<script>alert(2)</script>")
    assert "alert" not in answer.text
