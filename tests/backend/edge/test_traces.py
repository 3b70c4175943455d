"""Traces: one request and the job that it queues, as a receiver of OTLP gets them over HTTP."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from ipaddress import ip_network

import httpx
import pytest
from aiohttp import web
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from backend import gateway
from backend.core import jobs, otel, tracing
from backend.core.config import Settings
from backend.core.config_functions import EdgeRuntime
from backend.core.resources import Resources, open_all
from backend.edge import tasks
from scripts import postgres
from tests.backend.core.test_jobs import rows, until_empty, working
from tests.backend.edge.conftest import Write
from tests.conftest import running_postgrest

pytestmark = pytest.mark.anyio

PERSONAL = "mario.rossi@example.com"
STRANGERS = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

QUEUES = f"""
from backend.edge import api
async def handler(request, context):
    async with context.as_service() as connection:
        await connection.fetchval("select 1 from public.contacts where business_name = $1", "{PERSONAL}")
        await api.enqueue(connection, "later", {{"to": "{PERSONAL}"}})
    return api.JSONResponse({{}})
"""
LATER = """
async def handler(payload, context):
    async with context.as_service() as connection:
        await connection.execute("delete from public.contacts where business_name = $1", payload["to"])
"""
FAILS = f"""
from backend.edge import api
async def handler(request, context):
    async with context.as_service() as connection:
        await connection.fetchval("select $1::int", "{PERSONAL}")
"""
QUEUES_IN_SQL = """
create function public.queues() returns void language sql security definer
as $$ select jobs.enqueue('later', '{"to": "x"}', null) $$;
create function private.queues() returns void language sql security definer
as $$ select jobs.enqueue('later', '{"to": "x"}', null) $$;
grant execute on function public.queues, private.queues to anon, service_role;
"""
QUEUES_BY_SQL = """
from backend.edge import api
async def handler(request, context):
    await context.call("private.queues")
    async with context.as_service() as connection:
        await connection.execute("select private.queues()")
    return api.JSONResponse({})
"""
CALLS = """
from backend.edge import api
async def handler(request, context):
    await context.platform.request("GET", "/storage/v1/bucket")
    return api.JSONResponse({})
"""


@dataclass
class Receiver:
    """A receiver of OTLP over HTTP."""

    url: str
    bodies: list[bytes] = field(default_factory=list)

    def spans(self) -> list[Span]:
        """Decode what came."""
        found: list[Span] = []
        for body in self.bodies:
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                found += [span for scope in resource.scope_spans for span in scope.spans]
        return found

    def services(self) -> set[str]:
        """Name the processes that sent."""
        requests = [ExportTraceServiceRequest.FromString(body) for body in self.bodies]
        return {
            attribute.value.string_value
            for request in requests
            for resource in request.resource_spans
            for attribute in resource.resource.attributes
            if attribute.key == "service.name"
        }

    def named(self, name: str) -> Span:
        """Return the one span of this name."""
        (found,) = [span for span in self.spans() if span.name == name]
        return found


@asynccontextmanager
async def listening(
    path: str,
    answer: Callable[[web.Request], Awaitable[web.Response]],
    site: Callable[..., web.BaseSite],
    *address: str | int,
) -> AsyncIterator[None]:
    """Answer requests for one path."""
    application = web.Application()
    application.router.add_route("*", path, answer)
    runner = web.AppRunner(application)
    await runner.setup()
    await site(runner, *address).start()
    yield
    await runner.cleanup()


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async def receive(request: web.Request) -> web.Response:
        assert request.headers["content-type"] == "application/x-protobuf"
        served.bodies.append(await request.read())
        return web.Response()

    (port,) = postgres.free_ports(1)
    served = Receiver(f"http://127.0.0.1:{port}/v1/traces")
    async with listening("/v1/traces", receive, web.TCPSite, "127.0.0.1", port):
        yield served


@pytest.fixture
def traced(developing: Settings, receiver: Receiver) -> Settings:
    return replace(developing, traces_url=receiver.url, edge_runtime=EdgeRuntime(policy="per_worker"))


@asynccontextmanager
async def serving(settings: Settings) -> AsyncIterator[tuple[Resources, httpx.AsyncClient]]:
    """Serve through the whole gateway; at the end the last spans have been sent."""
    async with open_all(settings) as opened, gateway.application(opened) as app:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://socio.example") as client:
            yield opened, client
    # uvicorn has a task for each request, with which its trace ends; here all are in the test's.
    tracing.current.set(None)


def attributes(span: Span) -> dict[str, str | int]:
    return {each.key: each.value.string_value or each.value.int_value for each in span.attributes}


def key(resources: Resources) -> dict[str, str]:
    return {"apikey": resources.keys.anon_key}


async def execute(resources: Resources, sql: str) -> None:
    async with resources.pool.acquire() as connection:
        await connection.execute(sql)


async def work_off(settings: Settings) -> None:
    """Run the jobs in a worker of its own, until there are none."""
    async with open_all(settings, role="worker") as opened, working(opened, **tasks.of_product(settings)):
        await until_empty(opened)


async def test_a_request_and_the_job_it_queues_are_one_trace(
    traced: Settings, receiver: Receiver, write: Write
) -> None:
    write("queues.py", QUEUES)
    write("jobs/later.py", LATER)
    async with serving(traced) as (opened, client):
        answer = await client.post("/functions/v1/queues", headers=key(opened))
    assert answer.status_code == 200, answer.text
    await work_off(traced)
    request, function, job = map(receiver.named, ("POST /functions/v1/queues", "function queues", "job later"))
    assert {span.trace_id for span in receiver.spans()} == {request.trace_id}
    assert (request.parent_span_id, function.parent_span_id) == (b"", request.span_id)
    assert job.parent_span_id == function.span_id
    assert (request.kind, job.kind) == (Span.SPAN_KIND_SERVER, Span.SPAN_KIND_CONSUMER)
    selected, deleted = receiver.named("SELECT public.contacts"), receiver.named("DELETE public.contacts")
    assert (selected.parent_span_id, deleted.parent_span_id) == (function.span_id, job.span_id)
    assert request.start_time_unix_nano <= selected.start_time_unix_nano <= selected.end_time_unix_nano
    assert attributes(request) == {
        "http.request.method": "POST",
        "http.response.status_code": 200,
        "http.route": "/functions/v1/queues",
        "request_id": answer.headers["x-request-id"],
    }
    assert str(attributes(job)["request_id"]).startswith("job-")
    assert receiver.services() == {"socio-server", "socio-worker"}
    assert PERSONAL.encode() not in b"".join(receiver.bodies)


async def test_a_job_that_sql_queues_for_postgrest_is_in_the_trace_of_its_request(
    traced: Settings, receiver: Receiver, write: Write
) -> None:
    write("jobs/later.py", LATER)
    async with serving(traced) as (opened, client):
        await execute(opened, QUEUES_IN_SQL)
        with running_postgrest(traced):
            headers = {**key(opened), "traceparent": STRANGERS}
            assert (await client.post("/rest/v1/rpc/queues", headers=headers)).status_code == 204
    await work_off(traced)
    request, job = receiver.named("POST /rest/v1/rpc/queues"), receiver.named("job later")
    assert (job.trace_id, job.parent_span_id) == (request.trace_id, request.span_id)


async def test_a_job_that_sql_queues_for_a_function_is_in_the_trace_of_its_request(
    traced: Settings, receiver: Receiver, write: Write
) -> None:
    write("jobs/later.py", LATER)
    write("queues.py", QUEUES_BY_SQL)
    async with serving(traced) as (opened, client):
        await execute(opened, QUEUES_IN_SQL)
        assert (await client.post("/functions/v1/queues", headers=key(opened))).status_code == 200
    await work_off(traced)
    function = receiver.named("function queues")
    found = [(job.trace_id, job.parent_span_id) for job in receiver.spans() if job.name == "job later"]
    assert found == [(function.trace_id, function.span_id)] * 2


async def test_without_the_setting_a_visitor_gives_no_trace_to_a_job_of_sql(developing: Settings) -> None:
    async with serving(developing) as (opened, client):
        await execute(opened, QUEUES_IN_SQL)
        with running_postgrest(developing):
            headers = {**key(opened), "traceparent": STRANGERS}
            assert (await client.post("/rest/v1/rpc/queues", headers=headers)).status_code == 204
        assert [row["headers"] for row in await rows(opened, "select headers from jobs.pgqueuer")] == [{}]


@pytest.mark.parametrize(
    "headers",
    [
        "",
        "{}",
        '{"traceparent": ""}',
        f'{{"traceparent": "{STRANGERS.upper()}"}}',
        f'{{"traceparent": "{STRANGERS}-01"}}',
        f'{{"traceparent": "{STRANGERS}\\n"}}',
        f'{{"traceparent": "ff{STRANGERS[2:]}"}}',
        f'{{"traceparent": ["{STRANGERS}"]}}',
    ],
)
async def test_sql_queues_a_job_without_a_place_that_is_none(resources: Resources, headers: str) -> None:
    user_id = uuid.uuid4()
    async with resources.pool.acquire() as connection, connection.transaction():
        await connection.execute("select set_config('request.headers', $1, true)", headers)
        await connection.execute("select jobs.enqueue('odd', '{}', $1)", user_id)
    (queued,) = await rows(resources, "select headers from jobs.pgqueuer")
    assert queued["headers"] == {"user_id": str(user_id)}


async def test_a_failure_says_its_kind_and_nothing_of_its_message(
    traced: Settings, receiver: Receiver, write: Write
) -> None:
    write("fails.py", FAILS)
    async with serving(traced) as (opened, client):
        assert (await client.post("/functions/v1/fails", headers=key(opened))).status_code == 500
        assert (await client.get(f"/rest/v1/{PERSONAL}?email=eq.{PERSONAL}")).status_code >= 400
        assert (await client.get(f"/{PERSONAL}")).status_code == 404
        assert (await client.request(PERSONAL.upper(), "/auth/v1/user")).status_code == 405
    function, request = receiver.named("function fails"), receiver.named("POST /functions/v1")
    for span, kind in ((function, "DataError"), (request, "500")):
        assert (attributes(span)["error.type"], span.status.code) == (kind, 2)
        assert (span.status.message, list(span.events)) == ("", [])
    assert receiver.named("_OTHER /auth/v1").status.code == 0
    assert PERSONAL.split("@")[0] not in b"".join(receiver.bodies).decode("utf-8", "ignore").lower()


async def test_a_job_that_is_put_off_or_given_up_is_a_failed_span(traced: Settings, receiver: Receiver) -> None:
    async def handler(_resources: Resources, payload: dict[str, str]) -> None:
        raise jobs.PermanentError(PERSONAL) if payload["is"] == "lost" else OSError(PERSONAL)

    async with open_all(traced, role="worker") as opened, working(opened, lost=handler, odd=handler):
        async with opened.pool.acquire() as connection:
            await jobs.enqueue(connection, "lost", {"is": "lost"})
            await jobs.enqueue(connection, "odd", {"is": "odd"})
        async with asyncio.timeout(20):
            while not await rows(opened, "select from jobs.pgqueuer where execute_after > now()"):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
            await asyncio.sleep(0)
    assert attributes(receiver.named("job lost"))["error.type"] == "given_up"
    assert attributes(receiver.named("job odd"))["error.type"] == "OSError"
    assert receiver.named("job odd").status.code == 2
    assert PERSONAL.encode() not in b"".join(receiver.bodies)


async def test_a_strangers_trace_is_not_continued(traced: Settings, receiver: Receiver) -> None:
    given = [
        {"traceparent": STRANGERS},
        {"traceparent": STRANGERS, "tracestate": f"{otel.STATE}={'0' * 32}"},
        {"traceparent": STRANGERS, "tracestate": "è"},
        {"traceparent": "nonsense"},
    ]
    async with serving(replace(traced, trusted_proxies=(ip_network("127.0.0.1"),))) as (_, client):
        for headers in given:
            sent = [(name.encode(), value.encode()) for name, value in headers.items()]
            assert (await client.get("/auth/v1/health", headers=sent)).status_code == 200
    spans = receiver.spans()
    assert len(spans) == len(given)
    assert all(not span.parent_span_id and span.trace_id.hex() not in STRANGERS for span in spans)
    assert len({span.trace_id for span in spans}) == len(given)


async def test_a_trusted_proxy_that_traces_begins_the_trace(traced: Settings, receiver: Receiver) -> None:
    settings = replace(traced, traces_from_proxy=True, trusted_proxies=(ip_network("127.0.0.1"),))
    async with serving(settings) as (_, client):
        await client.get("/auth/v1/health", headers={"traceparent": STRANGERS})
    async with serving(replace(settings, trusted_proxies=(ip_network("10.0.0.0/8"),))) as (_, client):
        await client.get("/auth/v1/health", headers={"traceparent": STRANGERS})
    proxied, other = receiver.spans()
    assert (proxied.trace_id.hex(), proxied.parent_span_id.hex()) == tuple(STRANGERS.split("-")[1:3])
    assert not other.parent_span_id


async def test_a_call_of_our_own_server_continues_the_trace(traced: Settings, receiver: Receiver, write: Write) -> None:
    write("calls.py", CALLS)
    seen: list[dict[str, str]] = []

    async def receive(request: web.Request) -> web.Response:
        seen.append({name: request.headers[name] for name in ("traceparent", "tracestate")})
        return web.json_response([])

    (port,) = postgres.free_ports(1)
    settings = replace(traced, api=replace(traced.api, port=port))
    ours = listening("/storage/v1/bucket", receive, web.TCPSite, "127.0.0.1", port)
    async with ours, serving(settings) as (opened, client):
        assert (await client.post("/functions/v1/calls", headers=key(opened))).status_code == 200
        await client.get("/auth/v1/health", headers=seen[0])
    function, continued = receiver.named("function calls"), receiver.named("GET /auth/v1/health")
    assert (continued.trace_id, continued.parent_span_id) == (function.trace_id, function.span_id)


async def test_postgrest_gets_our_place_in_the_trace_and_not_a_visitors(traced: Settings, receiver: Receiver) -> None:
    seen: list[list[tuple[str, str]]] = []

    async def receive(request: web.Request) -> web.Response:
        seen.append([(name, value) for name, value in request.headers.items() if name.startswith("trace")])
        return web.json_response([])

    async with listening("/x", receive, web.UnixSite, str(traced.postgrest_socket)), serving(traced) as (_, client):
        headers = {"traceparent": STRANGERS, "tracestate": "a=b"}
        assert (await client.get("/rest/v1/x", headers=headers)).status_code == 200
    span = receiver.named("GET /rest/v1/x")
    assert seen == [[("traceparent", f"00-{span.trace_id.hex()}-{span.span_id.hex()}-03")]]


async def test_what_is_not_sampled_is_not_sent_and_its_job_neither(
    traced: Settings, receiver: Receiver, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("queues.py", QUEUES)
    write("jobs/later.py", LATER)
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "always_off")
    async with serving(traced) as (opened, client):
        assert (await client.post("/functions/v1/queues", headers=key(opened))).status_code == 200
        (queued,) = await rows(opened, "select headers ->> 'traceparent' as place from jobs.pgqueuer")
    # The lowest bit: sampled (https://www.w3.org/TR/trace-context-2/#trace-flags).
    assert int(queued["place"].rpartition("-")[2], 16) & 1 == 0
    monkeypatch.delenv("OTEL_TRACES_SAMPLER")
    await work_off(traced)
    assert receiver.spans() == []


async def test_of_many_requests_the_share_that_was_wished_is_recorded_with_all_that_is_in_it(
    traced: Settings, receiver: Receiver, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("fails.py", FAILS)
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
    monkeypatch.setenv("OTEL_TRACES_SAMPLER_ARG", "0.5")
    async with serving(traced) as (opened, client):
        for _ in range(100):
            await client.post("/functions/v1/fails", headers=key(opened))
    traces: dict[bytes, list[str]] = {}
    for span in receiver.spans():
        traces.setdefault(span.trace_id, []).append(span.name)
    # Wrong once in ten million runs.
    assert 24 <= len(traces) <= 76
    whole = ["POST /functions/v1", "SELECT", "SELECT set_config", "function fails"]
    assert all(sorted(names) == whole for names in traces.values()), traces


async def test_a_receiver_that_is_away_keeps_nobody_waiting(
    traced: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(otel, "ENDING_S", 0.05)
    caplog.set_level(logging.CRITICAL, "opentelemetry")
    async with serving(replace(traced, traces_url="http://127.0.0.1:1/v1/traces")) as (_, client):
        assert (await client.get("/auth/v1/health")).status_code == 200


async def test_probes_have_no_span(traced: Settings, receiver: Receiver) -> None:
    async with serving(traced) as (_, client):
        assert (await client.get("/health")).status_code == 200
    assert receiver.spans() == []


async def test_without_the_setting_there_is_no_tracer_and_no_place_in_jobs(resources: Resources) -> None:
    assert resources.tracer is None
    async with resources.pool.acquire() as connection:
        await jobs.enqueue(connection, "odd", {})
    assert [row["headers"] for row in await rows(resources, "select headers from jobs.pgqueuer")] == [None]
    assert tracing.headers() == {}


def test_without_the_setting_nothing_is_imported() -> None:
    code = (
        "import sys, backend.gateway, backend.worker; print([m for m in sys.modules if m.startswith('opentelemetry')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
