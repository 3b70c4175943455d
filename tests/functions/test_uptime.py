"""The jobs behind /status, and the report of a second machine: what does not answer has failed."""

from __future__ import annotations

import fcntl
import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from backend import gateway
from backend.core import db
from backend.core.config import Settings
from backend.core.resources import Resources, open_all
from backend.edge.api import Answer, Context
from backend.edge.platform import Platform
from functions._shared import uptime_checks
from functions.jobs import uptime, uptime_journey
from scripts import watch
from tests.conftest import Clock
from tests.db.test_uptime import EARLIER

pytestmark = pytest.mark.anyio

SECRET = "the secret of a second machine"
REPORT = "/functions/v1/uptime_report"
STEPS = ["login", "read", "write", "delete"]


async def _rows(resources: Resources, statement: str) -> list[tuple[Any, ...]]:
    async with db.connection(resources.pool) as connection:
        return [tuple(row) for row in await connection.fetch(statement)]


async def _earlier(resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        await connection.execute(EARLIER)


async def test_each_part_is_counted_and_what_does_not_answer_has_failed(resources: Resources) -> None:
    """Nothing listens on the port of these settings, so only what the database knows is up."""
    await uptime.handler({}, Context("test", {"role": "service_role"}, "", resources))
    rows = await _rows(resources, "select part, answered, failed from private.uptime_days")
    assert {part: counts for part, *counts in rows} == {
        **{part: [0, 1] for part in uptime_checks.ROUTES},
        "worker": [1, 0],
        "mail": [1, 0],
    }


async def test_a_journey_without_an_answer_fails_at_its_login(resources: Resources) -> None:
    settings = replace(resources.settings, api=replace(resources.settings.api, external_url="http://127.0.0.1:1"))
    own = replace(resources, settings=settings)
    await uptime_journey.handler({}, Context("test", {"role": "service_role"}, "", own))
    [(steps,)] = await _rows(own, "select steps from private.journeys")
    assert [step["step"] for step in steps] == ["login"]
    assert steps[0]["error"] == "Nessuna risposta dall’indirizzo pubblico"
    assert await _rows(own, "select part, answered, failed from private.uptime_days") == [("journey", 0, 5)]


@pytest.fixture
async def world(postgrest: Settings, now: Clock) -> Any:
    """Open the whole application with PostgREST and the secret, and a client to it."""
    runtime = replace(postgrest.edge_runtime, secrets={**postgrest.edge_runtime.secrets, "SOCIO_WATCH_SECRET": SECRET})
    async with open_all(replace(postgrest, edge_runtime=runtime), now) as opened, gateway.application(opened) as app:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url=postgrest.api.external_url) as client:
            yield opened, client
            async with db.connection(opened.pool) as connection:
                await connection.execute("delete from private.uptime_parts; delete from private.journeys")
                await connection.execute(EARLIER)


async def test_the_worker_makes_the_whole_journey_with_an_account_of_its_own(
    world: tuple[Resources, httpx.AsyncClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    resources, client = world
    sent: list[tuple[str, str]] = []

    async def request(_self: Platform, method: str, path: str, **options: Any) -> Answer:
        headers = {"apikey": resources.keys.publishable_key, **options["headers"]}
        sent.append((f"{method} {path.partition('?')[0]}", headers.get("Authorization", "")))
        answer = await client.request(method, path, headers=headers, json=options["json"])
        return Answer(answer.status_code, answer.content, dict(answer.headers))

    monkeypatch.setattr(Platform, "request", request)
    for _again in range(2):
        await _earlier(resources)
        await uptime_journey.handler(
            {}, Context("test", {"role": "service_role"}, "", resources, resources.keys.secret_key)
        )
    # Another one so soon is not made.
    await uptime_journey.handler({}, Context("test", {"role": "service_role"}, "", resources))
    [_first, (steps,)] = await _rows(resources, "select steps from private.journeys order by made_at")
    assert [(step["step"], step["error"]) for step in steps] == [(step, "") for step in STEPS]
    assert resources.keys.secret_key not in {authorization.removeprefix("Bearer ") for _path, authorization in sent}
    assert [path for path, _authorization in sent[:5]] == [
        "POST /auth/v1/token",
        "GET /rest/v1/tags",
        "POST /rest/v1/tags",
        "DELETE /rest/v1/tags",
        "POST /auth/v1/logout",
    ]
    left = "where user_id = private.probe_id('worker')"
    for table in ("public.tags", "auth.sessions", "public.notifications"):
        assert await _rows(resources, f"select from {table} {left}") == [], table


async def test_a_second_machine_is_let_in_by_its_secret_only(world: tuple[Resources, httpx.AsyncClient]) -> None:
    resources, client = world
    for given in ("", "Bearer x", f"Basic {SECRET}", f"Bearer {resources.keys.publishable_key}", "Bearer "):
        refused = await client.post(REPORT, json={"results": [], "login": True}, headers={"Authorization": given})
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden"), given
    allowed = await client.post(REPORT, json={}, headers={"Authorization": f"Bearer {SECRET}"})
    assert allowed.json() == {"kept": 0, "refused": 0}


@pytest.mark.parametrize(
    "result",
    [
        "x",
        {"at": "today", "checks": []},
        {"at": "2026-11-29T07:00:00", "checks": []},
        {"at": "2026-11-29T07:00:00Z", "checks": [{"part": "worker", "is_up": True, "took_ms": 1}]},
        {"at": "2026-11-29T07:00:00Z", "checks": [{"part": "site", "is_up": 1, "took_ms": 1}]},
        {"at": "2026-11-29T07:00:00Z", "checks": [{"part": "site", "is_up": True, "took_ms": -1}]},
        {"at": "2026-11-29T07:00:00Z", "checks": [{"part": "site", "is_up": True, "took_ms": 1}] * 2},
        {"at": "2026-11-29T07:00:00Z", "checks": [], "steps": [{"step": "pay", "took_ms": 1, "error": ""}]},
        {"at": "2026-11-29T07:00:00Z", "checks": [], "steps": []},
    ],
)
async def test_results_of_another_form_are_refused(world: tuple[Resources, httpx.AsyncClient], result: Any) -> None:
    _resources, client = world
    refused = await client.post(REPORT, json={"results": [result]}, headers={"Authorization": f"Bearer {SECRET}"})
    assert (refused.status_code, refused.json()["code"]) == (400, "validation_failed")


async def test_a_second_machine_makes_the_journey_and_its_report_counts_once(
    world: tuple[Resources, httpx.AsyncClient], now: Clock, tmp_path: Path
) -> None:
    resources, client = world
    state = tmp_path / "results.jsonl"
    at = now().replace(minute=0, second=0, microsecond=0)
    # Twice: the second time everything is known already.
    for _again in range(2):
        await _earlier(resources)
        assert await watch.watch(client, SECRET, state, at) == (1, 0)
    [(steps,)] = await _rows(resources, "select steps from private.journeys where viewpoint = 'watch'")
    assert [(step["step"], step["error"]) for step in steps] == [(step, "") for step in STEPS]
    rows = await _rows(resources, "select part, answered, failed from private.uptime_days where viewpoint = 'watch'")
    assert {part: sum(counts) for part, *counts in rows} == {**dict.fromkeys(uptime_checks.ROUTES, 1), "journey": 5}
    assert await watch.watch(client, SECRET, state, now() + timedelta(hours=1)) == (0, 1)
    assert state.read_text() == ""


async def test_results_wait_while_the_installation_is_away_and_keep_their_times(
    world: tuple[Resources, httpx.AsyncClient], now: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resources, client = world
    state = tmp_path / "results.jsonl"
    monkeypatch.setattr(watch, "BATCH", 2)
    start = now().replace(minute=0, second=0, microsecond=0) - timedelta(hours=2)
    async with httpx.AsyncClient(base_url="http://127.0.0.1:1") as nothing:
        for minute in range(3):
            with pytest.raises(watch.Unsent):
                await watch.watch(nothing, SECRET, state, start + timedelta(minutes=minute))
    # A crash while the last line was written.
    with state.open("a") as file:
        file.write('{"at": "20')
    first = json.loads(state.read_text().splitlines()[0])
    assert [(step["step"], bool(step["error"])) for step in first["steps"]] == [("login", True)]
    assert await watch.watch(client, SECRET, state, start + timedelta(minutes=3)) == (4, 0)
    [(failed,)] = await _rows(
        resources, "select sum(failed) from private.uptime_days where viewpoint = 'watch' and part = 'site'"
    )
    assert failed >= 3


async def test_a_file_of_results_keeps_a_week(tmp_path: Path, now: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    state = tmp_path / "results.jsonl"
    monkeypatch.setattr(watch, "MOST_KEPT", 2)
    async with httpx.AsyncClient(base_url="http://127.0.0.1:1") as nothing:
        for minute in range(3):
            with pytest.raises(watch.Unsent):
                await watch.watch(nothing, SECRET, state, now() + timedelta(minutes=minute))
    assert len(state.read_text().splitlines()) == 2


def test_a_second_run_at_once_does_nothing_and_a_missing_secret_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["--url", "http://127.0.0.1:1/", "--state", str(tmp_path / "x" / "results.jsonl")]
    monkeypatch.delenv(watch.SECRET_SETTING, raising=False)
    assert watch.main(command) == 1
    assert "SOCIO_WATCH_SECRET is not set" in capsys.readouterr().err
    monkeypatch.setenv(watch.SECRET_SETTING, SECRET)
    assert watch.main(command) == 1
    assert "the results wait in" in capsys.readouterr().err
    with (tmp_path / "x" / "results.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert watch.main(command) == 0
