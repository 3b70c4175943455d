"""core.metrics: a monitor reads how a server does; nobody else does."""

from __future__ import annotations

from dataclasses import replace

import asyncpg
import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from backend import gateway
from backend.core import config
from backend.core.config import Settings
from backend.core.config_file import ConfigError
from backend.core.resources import open_all

pytestmark = pytest.mark.anyio

TOKEN = "a-token-of-the-monitor"
WITH_TOKEN = {"Authorization": f"Bearer {TOKEN}"}


async def scraped(settings: Settings, *before: str) -> dict[str, float]:
    """Return the samples of a server that has answered these paths, named as in PromQL."""
    async with open_all(replace(settings, metrics_token=TOKEN)) as resources, gateway.application(resources) as app:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://socio.example") as client:
            for path in before:
                await client.get(path)
            answer = await client.get("/metrics", headers=WITH_TOKEN)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/plain; version=")
    return {
        sample.name + "".join(f",{key}={value}" for key, value in sample.labels.items()): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


async def test_a_monitor_reads_requests_memory_connections_and_the_queue(settings: Settings) -> None:
    connection = await asyncpg.connect(settings.database_url)
    await connection.execute(
        "insert into jobs.dead_letters (job_id, name, payload, attempts, error) values (1, 'x', '{}', 5, 'e')"
    )
    await connection.close()
    samples = await scraped(settings, "/auth/v1/health", "/auth/v1/health", "/auth/v1/nothing", "/health")
    endpoint = "endpoint=GET /auth/v1/health"
    assert samples[f"socio_http_time_to_answer_seconds_count,{endpoint}"] == 2
    assert samples[f"socio_http_time_to_answer_seconds_bucket,{endpoint},le=+Inf"] == 2
    assert samples["socio_http_answers_total,service=auth,status=2xx"] == 2
    assert samples["socio_http_answers_total,service=auth,status=4xx"] == 1
    assert not any("nothing" in name for name in samples)
    assert samples["socio_database_up"] == 1
    assert samples["socio_jobs_given_up"] == 1
    assert samples["socio_database_connections,state=idle"] + samples["socio_database_connections,state=busy"] > 0
    assert samples["process_resident_memory_bytes"] > 0


async def test_of_a_database_that_is_away_nothing_old_is_told(settings: Settings) -> None:
    samples = await scraped(replace(settings, database_url="postgresql://nobody@127.0.0.1:1/none"))
    assert samples["socio_database_up"] == 0
    assert not any(name.startswith(("socio_jobs", "socio_mails")) for name in samples)


@pytest.mark.parametrize("given", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {TOKEN}"},
                                   {"Authorization": "Bearer è"}, {"apikey": TOKEN}])  # fmt: skip
async def test_without_its_token_nothing_is_told(given: dict[str, str], settings: Settings) -> None:
    async with open_all(replace(settings, metrics_token=TOKEN)) as resources, gateway.application(resources) as app:
        headers = [(name.encode(), value.encode()) for name, value in given.items()]
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://socio.example") as client:
            answer = await client.get("/metrics", headers=headers)
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert "socio_" not in answer.text


async def test_without_the_setting_there_are_no_metrics(client: httpx.AsyncClient) -> None:
    answer = await client.get("/metrics", headers={"Authorization": "Bearer "})
    assert "socio_http" not in answer.text


@pytest.mark.parametrize("token", ["short", "with a space in the middle", "x" * 201])
def test_a_token_that_can_be_guessed_or_sent_wrong_is_refused(token: str) -> None:
    with pytest.raises(ConfigError, match="SOCIO_METRICS_TOKEN"):
        config.load({"SOCIO_METRICS_TOKEN": token})
