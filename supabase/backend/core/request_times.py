"""How long requests wait for their answer, by endpoint: for a monitor (core/metrics.py) and kept by the hour.

An endpoint is a method with the parts of a path that code or schema names, never an id: `GET /rest/v1/contacts`,
`POST /rest/v1/rpc/admin_report`, `POST /functions/v1/chat`, `GET /storage/v1/object`, `GET /*` for pages.
"""

from __future__ import annotations

import logging
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate

from prometheus_client import CollectorRegistry, Metric
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from backend.core import db, endless

logger = logging.getLogger("backend.request_times")

# The default buckets of Prometheus' clients from 5 ms on; db/schemas/71_admin_reports.sql reads by the same bounds.
BOUNDS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
# The product has half as many; others are counted by their service only.
MAX_ENDPOINTS = 500
MAX_CHARS = 200
WRITE_EVERY_S = 60

SERVICES = ("/auth/v1", "/rest/v1", "/functions/v1", "/storage/v1", "/realtime/v1")
# Probes, which machines send over and over.
PROBES = ("/health", "/ready", "/metrics")

_ADD = """
insert into platform.request_times as kept (hour, endpoint, requests, failures, seconds, buckets)
select date_trunc('hour', now()), unnest($1::text[]), unnest($2::int[]), unnest($3::int[]), unnest($4::float8[]),
  string_to_array(unnest($5::text[]), ',')::int[]
order by 2
on conflict (hour, endpoint) do update set
  requests = kept.requests + excluded.requests,
  failures = kept.failures + excluded.failures,
  seconds = kept.seconds + excluded.seconds,
  buckets = (
    select array_agg(before + added order by place)
    from unnest(kept.buckets, excluded.buckets) with ordinality as summed (before, added, place)
  )
"""


def service(path: str) -> str:
    """Name the service of a path, `/*` for pages."""
    prefix = "/".join(path.split("/", 3)[:3])
    return prefix if prefix in SERVICES else "/*"


def endpoint(method: str, path: str) -> str:
    """Name the endpoint of a request."""
    if service(path) == "/*":
        return f"{method} /*"
    parts = path.split("/")
    return f"{method} {'/'.join(parts[: 5 if parts[3:4] == ['rpc'] else 4])}"[:MAX_CHARS]


@dataclass(frozen=True)
class Counts:
    """The answers of an endpoint: how many, how many with a 5xx, the sum of seconds, and counts by BOUNDS_S."""

    requests: int = 0
    failures: int = 0
    seconds: float = 0.0
    buckets: tuple[int, ...] = field(default=(0,) * (len(BOUNDS_S) + 1))

    def since(self, before: Counts) -> Counts:
        """Return what has come since."""
        return Counts(
            self.requests - before.requests,
            self.failures - before.failures,
            self.seconds - before.seconds,
            tuple(now - then for now, then in zip(self.buckets, before.buckets, strict=True)),
        )


@dataclass(slots=True)
class _Endpoint:
    """Count the answers of an endpoint, as in Counts, and in `answers` those of its service, by hundreds."""

    answers: list[int]
    requests: int = 0
    failures: int = 0
    seconds: float = 0.0
    buckets: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS_S) + 1))

    def add(self, status: int, seconds: float) -> None:
        """Count one answer."""
        self.answers[status // 100] += 1
        if 400 <= status < 500:
            return
        self.requests += 1
        self.seconds += seconds
        self.buckets[bisect_left(BOUNDS_S, seconds)] += 1
        if status >= 500:
            self.failures += 1


class RequestTimes(Collector):
    """Count the answers of this process, from the request to the answer's first byte.

    A stranger chooses paths and methods, so an endpoint is one that has once answered well; refusals (4xx) are counted
    by service only, for they are quick and would make a slow endpoint look fast. Prometheus' own counters lock for each
    number, which took a twentieth of a small request; here one thread counts.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.registry.register(self)
        self._answers: dict[str, list[int]] = {}
        self._known: dict[str, _Endpoint] = {}
        # The same by method and path, of those that have no id.
        self._at: dict[tuple[str, str], _Endpoint] = {}
        self._written: dict[str, Counts] = {}

    def answered(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count one answer."""
        known = self._at.get((method, path)) or self._endpoint(method, path, status)
        if known is not None:
            known.add(status, seconds)

    def _endpoint(self, method: str, path: str, status: int) -> _Endpoint | None:
        """Find an endpoint by its name; before it answers well, count the answer by its service and return None."""
        # Browsers ask by OPTIONS before they ask.
        if method == "OPTIONS" or path in PROBES:
            return None
        name = endpoint(method, path)
        known = self._known.get(name)
        if known is None:
            part = "client" if name.endswith("/*") else name.split("/", 2)[1]
            answers = self._answers.setdefault(part, [0] * 10)
            if status >= 400 or len(self._known) >= MAX_ENDPOINTS:
                answers[status // 100] += 1
                return None
            known = self._known[name] = _Endpoint(answers)
        if name == f"{method} {path}":
            self._at[method, path] = known
        return known

    def knows(self, name: str) -> bool:
        """Check whether an endpoint has once answered well."""
        return name in self._known

    def counts(self) -> dict[str, Counts]:
        """Return what each endpoint has answered since the start."""
        return {
            name: Counts(each.requests, each.failures, each.seconds, tuple(each.buckets))
            for name, each in self._known.items()
        }

    def collect(self) -> Iterable[Metric]:
        """Give the monitor what it knows as counters and a histogram."""
        answers = CounterMetricFamily(
            "socio_http_answers", "Answers by service and class of status", labels=("service", "status")
        )
        for part, counts in self._answers.items():
            for hundreds, count in enumerate(counts):
                if count:
                    answers.add_metric((part, f"{hundreds}xx"), count)
        yield answers
        times = HistogramMetricFamily(
            "socio_http_time_to_answer_seconds",
            "From the request to the first byte of an answer that is no refusal",
            labels=("endpoint",),
        )
        failures = CounterMetricFamily("socio_http_failures", "Answers with a 5xx by endpoint", labels=("endpoint",))
        for name, each in self._known.items():
            # Prometheus counts all up to a bound.
            upto = zip([*map(floatToGoString, BOUNDS_S), "+Inf"], accumulate(each.buckets), strict=True)
            times.add_metric((name,), list(upto), each.seconds)
            failures.add_metric((name,), each.failures)
        yield times
        yield failures

    async def write(self, pool: db.Pool) -> None:
        """Add what has come since the last time to the rows of this hour."""
        counts = self.counts()
        new = {name: each.since(self._written.get(name, Counts())) for name, each in counts.items()}
        new = {name: each for name, each in new.items() if each.requests}
        if new:
            async with db.connection(pool) as connection:
                await connection.execute(
                    _ADD,
                    list(new),
                    [each.requests for each in new.values()],
                    [each.failures for each in new.values()],
                    [each.seconds for each in new.values()],
                    [",".join(map(str, each.buckets)) for each in new.values()],
                )
        self._written = counts

    async def keep(self, pool: db.Pool) -> None:
        """Write each minute, and what is left when this is cancelled."""
        try:
            await endless.again_and_again(lambda: self.write(pool), WRITE_EVERY_S, logger, "times of requests not kept")
        finally:
            await self.write(pool)
