"""core.request_times: how long answers take, by endpoints that a stranger cannot make up."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest

from backend.core import db, request_times
from backend.core.request_times import Counts, RequestTimes
from backend.core.resources import Resources

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("method", "path", "name"),
    [
        ("GET", "/rest/v1/contacts", "GET /rest/v1/contacts"),
        ("POST", "/rest/v1/rpc/admin_report", "POST /rest/v1/rpc/admin_report"),
        ("GET", "/rest/v1/", "GET /rest/v1/"),
        ("GET", "/rest/v1", "GET /rest/v1"),
        ("POST", "/functions/v1/chat/anything", "POST /functions/v1/chat"),
        ("PUT", "/auth/v1/admin/users/7", "PUT /auth/v1/admin"),
        ("GET", "/storage/v1/object/documents/7/a.pdf", "GET /storage/v1/object"),
        ("GET", "/crm/7", "GET /*"),
        ("GET", "/rest", "GET /*"),
        ("GET", "", "GET /*"),
    ],
)
def test_an_endpoint_has_no_id(method: str, path: str, name: str) -> None:
    assert request_times.endpoint(method, path) == name


def test_answers_are_counted_by_the_time_to_their_first_byte() -> None:
    times = RequestTimes()
    for seconds in (0.001, 0.2, 0.2, 11):
        times.answered("GET", "/rest/v1/contacts", 200, seconds)
    times.answered("GET", "/rest/v1/contacts", 503, 0.03)
    buckets = (1, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 1)
    assert times.counts() == {"GET /rest/v1/contacts": Counts(5, 1, sum((0.001, 0.2, 0.2, 11, 0.03)), buckets)}


@pytest.mark.parametrize("status", [401, 404, 500, 503])
def test_what_has_never_answered_well_is_no_endpoint(status: int) -> None:
    times = RequestTimes()
    times.answered("GET", "/rest/v1/made-up", status, 0.1)
    assert times.counts() == {}


def test_refusals_make_no_endpoint_faster_and_probes_are_not_counted() -> None:
    times = RequestTimes()
    times.answered("POST", "/auth/v1/token", 200, 0.2)
    times.answered("POST", "/auth/v1/token", 400, 0.001)
    times.answered("OPTIONS", "/auth/v1/token", 204, 0.001)
    times.answered("GET", "/health", 200, 0.001)
    assert {name: each.requests for name, each in times.counts().items()} == {"POST /auth/v1/token": 1}


def test_endpoints_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_times, "MAX_ENDPOINTS", 2)
    times = RequestTimes()
    for name in ("a", "b", "c", "a"):
        times.answered("GET", f"/functions/v1/{name}", 200, 0.1)
    assert {name: each.requests for name, each in times.counts().items()} == {
        "GET /functions/v1/a": 2,
        "GET /functions/v1/b": 1,
    }


async def rows(resources: Resources) -> list[tuple[object, ...]]:
    connection = await asyncpg.connect(resources.settings.database_url)
    found = await connection.fetch(
        "select endpoint, requests, failures, seconds, buckets[1], buckets[12] from platform.request_times order by 1"
    )
    await connection.close()
    return [tuple(row) for row in found]


async def test_two_servers_add_to_the_same_hour(resources: Resources) -> None:
    one, other = RequestTimes(), RequestTimes()
    for times in (one, other):
        times.answered("GET", "/rest/v1/a", 200, 0.5)
        times.answered("GET", "/rest/v1/b", 200, 20)
    await asyncio.gather(one.write(resources.pool), other.write(resources.pool))
    one.answered("GET", "/rest/v1/a", 500, 0.004)
    await one.write(resources.pool)
    await one.write(resources.pool)
    assert await rows(resources) == [
        ("GET /rest/v1/a", 3, 1, pytest.approx(1.004), 1, 0),
        ("GET /rest/v1/b", 2, 0, 40, 0, 2),
    ]


async def test_what_could_not_be_written_is_written_later_and_at_the_end(
    resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_times, "WRITE_EVERY_S", 0)
    failed = asyncio.Event()
    write = RequestTimes.write

    async def fails_once(times: RequestTimes, pool: db.Pool) -> None:
        if not failed.is_set():
            failed.set()
            raise OSError
        await write(times, pool)

    monkeypatch.setattr(RequestTimes, "write", fails_once)
    times = RequestTimes()
    times.answered("GET", "/rest/v1/a", 200, 0.5)
    kept = asyncio.create_task(times.keep(resources.pool))
    await failed.wait()
    kept.cancel()
    await asyncio.wait([kept])
    assert await rows(resources) == [("GET /rest/v1/a", 1, 0, 0.5, 0, 0)]
