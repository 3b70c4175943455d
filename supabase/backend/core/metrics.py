"""`/metrics` in Prometheus' text format, for whoever knows `SOCIO_METRICS_TOKEN`.

https://prometheus.io/docs/instrumenting/exposition_formats/ and `bearer_token` of its `scrape_config`. Of this process:
requests or jobs, memory, files, collections of garbage, connections to the database. Of the installation: the queue.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Iterable, Mapping

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    GCCollector,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from backend.core import db
from backend.core.errors import ApiError, Code
from backend.core.resources import Resources

DATABASE_TIMEOUT_S = 3.0

# Keys of jobs.health() (core/queue.sql).
QUEUE = {
    "waiting": ("socio_jobs_waiting", "Jobs that are due"),
    "running": ("socio_jobs_running", "Jobs that a worker has"),
    "longest_wait_s": ("socio_jobs_longest_wait_seconds", "How long the job that is due has waited for a worker"),
    "periodic_late_s": ("socio_jobs_periodic_late_seconds", "How late the latest periodic job is"),
    "dead_letters": ("socio_jobs_given_up", "Jobs given up, until a person has looked at them"),
    "mails_waiting": ("socio_mails_waiting", "Mails of the platform that wait to be sent"),
    "oldest_mail_s": ("socio_mails_oldest_seconds", "How long the oldest of them has waited"),
    "mails_failed_today": ("socio_mails_failed_today", "Mails of the platform given up today"),
}


class _Facts(Collector):
    """Measures taken at the moment of the scrape; of a database that is away nothing old is told."""

    def __init__(self, pool: db.Pool) -> None:
        self._pool = pool
        self.queue: Mapping[str, float] | None = None

    def collect(self) -> Iterable[GaugeMetricFamily]:
        yield GaugeMetricFamily("socio_database_up", "1 when the database answers", value=self.queue is not None)
        connections = GaugeMetricFamily(
            "socio_database_connections", "Connections of this process to the database", labels=("state",)
        )
        idle = self._pool.get_idle_size()
        connections.add_metric(("idle",), idle)
        connections.add_metric(("busy",), self._pool.get_size() - idle)
        yield connections
        for key, (name, text) in QUEUE.items():
            if self.queue is not None:
                yield GaugeMetricFamily(name, text, value=self.queue[key])


class Metrics:
    """The ASGI application of `/metrics`. Raises ApiError 401 without the token."""

    def __init__(self, res: Resources, registry: CollectorRegistry) -> None:
        self._pool = res.pool
        self._token = res.settings.metrics_token.encode()
        self._registry = registry
        self._facts = _Facts(res.pool)
        process = (ProcessCollector(registry=None), PlatformCollector(registry=None))
        for collector in (self._facts, *process, *res.job_times.collectors):
            registry.register(collector)
        GCCollector(registry)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scheme, _, token = Headers(scope=scope).get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not hmac.compare_digest(token.encode(), self._token):
            challenge = {"WWW-Authenticate": "Bearer"}
            raise ApiError(
                401, Code.NO_AUTHORIZATION, "Give SOCIO_METRICS_TOKEN as the bearer token", headers=challenge
            )
        # No await between them: two scrapes at once do not mix.
        queue = await self._queue()
        self._facts.queue = queue
        content = generate_latest(self._registry)
        await Response(content, headers={"Content-Type": CONTENT_TYPE_LATEST, "Cache-Control": "no-store"})(
            scope, receive, send
        )

    async def _queue(self) -> Mapping[str, float] | None:
        try:
            async with asyncio.timeout(DATABASE_TIMEOUT_S), db.connection(self._pool) as connection:
                found: Mapping[str, float] = await connection.fetchval("select jobs.health()")
                return found
        except (TimeoutError, ApiError):
            return None
