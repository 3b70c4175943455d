"""core.worker_metrics: a monitor reads how a worker does, on a port of its own."""

from __future__ import annotations

import asyncio
import signal
from dataclasses import replace
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from backend import worker
from backend.core import config_metrics, db, jobs, worker_metrics
from backend.core.config import Settings
from backend.core.config_file import ConfigError
from backend.core.config_metrics import Address
from backend.core.jobs import PermanentError
from backend.core.resources import Resources, open_all
from scripts import postgres
from tests.backend.core.test_jobs import rows, working

pytestmark = pytest.mark.anyio

TOKEN = "a-token-of-the-monitor"
WITH_TOKEN = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def watched(settings: Settings) -> Settings:
    return replace(settings, metrics_token=TOKEN, worker_metrics=Address("127.0.0.1", postgres.free_port()))


async def get(settings: Settings, path: str, headers: dict[str, str]) -> httpx.Response:
    assert settings.worker_metrics is not None
    async with httpx.AsyncClient() as client:
        return await client.get(f"http://127.0.0.1:{settings.worker_metrics.port}{path}", headers=headers)


def samples(answer: httpx.Response) -> dict[str, float]:
    return {
        sample.name + "".join(f",{key}={value}" for key, value in sample.labels.items()): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


async def test_a_monitor_reads_the_jobs_and_the_memory_of_a_worker(watched: Settings) -> None:
    begun, may_end = asyncio.Event(), asyncio.Event()

    async def slow(_resources: Resources, _payload: dict[str, Any]) -> None:
        begun.set()
        await may_end.wait()

    async def failing(_resources: Resources, _payload: dict[str, Any]) -> None:
        raise OSError

    async def lost(_resources: Resources, _payload: dict[str, Any]) -> None:
        raise PermanentError("lost")

    async with open_all(watched, role="worker") as opened, worker_metrics.served(opened):
        async with db.transaction(opened.pool) as connection:
            for name in ("slow", "failing", "lost"):
                await jobs.enqueue(connection, name, {})
        async with working(opened, slow=slow, failing=failing, lost=lost), asyncio.timeout(20):
            await begun.wait()
            during = samples(await get(watched, "/metrics", WITH_TOKEN))
            may_end.set()
            while await rows(opened, "select from jobs.pgqueuer where execute_after <= now()"):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        answer = await get(watched, "/metrics", WITH_TOKEN)
    found = samples(answer)
    assert during["socio_worker_jobs_running"] >= 1
    assert during["socio_jobs_running"] >= 1
    assert found["socio_worker_jobs_running"] == 0
    for name, outcome in (("slow", "done"), ("failing", "put_off"), ("lost", "given_up")):
        assert found[f"socio_worker_jobs_total,name={name},outcome={outcome}"] == 1
        assert found[f"socio_worker_job_seconds_count,name={name}"] == 1
    assert found["process_resident_memory_bytes"] > 0
    assert found["socio_jobs_longest_wait_seconds"] == 0
    assert found["socio_jobs_given_up"] == 1
    assert not any(name.startswith("socio_http") for name in found)


async def test_nothing_is_told_without_the_token_or_elsewhere(watched: Settings) -> None:
    async with open_all(watched) as opened, worker_metrics.served(opened):
        refused = await get(watched, "/metrics", {"Authorization": "Bearer wrong"})
        elsewhere = await get(watched, "/", WITH_TOKEN)
    assert (refused.status_code, refused.headers["www-authenticate"], elsewhere.status_code) == (401, "Bearer", 404)
    assert "socio_" not in refused.text + elsewhere.text


async def test_a_worker_serves_them_while_it_works(watched: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = []

    async def work(_opened: Resources, _stopping: asyncio.Event) -> None:
        answers.append(await get(watched, "/metrics", WITH_TOKEN))

    monkeypatch.setattr(worker, "work", work)
    await worker.run(watched)
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().remove_signal_handler(number)
    assert [answer.status_code for answer in answers] == [200]
    with pytest.raises(httpx.ConnectError):
        await get(watched, "/metrics", WITH_TOKEN)


async def test_a_port_that_is_taken_is_named(watched: Settings) -> None:
    async with open_all(watched) as opened, worker_metrics.served(opened):
        with pytest.raises(ConfigError, match="SOCIO_WORKER_METRICS_PORT: cannot listen on "):
            async with worker_metrics.served(opened):
                pytest.fail("it listens")


@pytest.mark.parametrize(
    "wrong",
    [
        {"SOCIO_WORKER_METRICS_PORT": "9101"},
        {"SOCIO_WORKER_METRICS_PORT": "0", "SOCIO_METRICS_TOKEN": TOKEN},
        {"SOCIO_WORKER_METRICS_PORT": "http", "SOCIO_METRICS_TOKEN": TOKEN},
    ],
)
def test_a_half_or_wrong_setting_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match="SOCIO_WORKER_METRICS_PORT"):
        config_metrics.worker_address(wrong)


def test_a_worker_listens_on_this_machine_unless_a_host_is_named() -> None:
    given = {"SOCIO_WORKER_METRICS_PORT": "9101", "SOCIO_METRICS_TOKEN": TOKEN}
    assert config_metrics.worker_address({}) is None
    assert config_metrics.worker_address(given) == ("127.0.0.1", 9101)
    assert config_metrics.worker_address({**given, "SOCIO_WORKER_METRICS_HOST": "::"}) == ("::", 9101)
