"""How long requests wait for their answer, by endpoint: for a monitor (core/metrics.py) and kept by the hour.

An endpoint is a method with the parts of a path that code or schema names, never an id: `GET /rest/v1/contacts`,
`POST /rest/v1/rpc/admin_report`, `POST /functions/v1/chat`, `GET /storage/v1/object`, `GET /*` for pages.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

from prometheus_client import CollectorRegistry, Counter, Histogram

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


class RequestTimes:
    """Count the answers of this process, from the request to the answer's first byte.

    A stranger chooses paths and methods, so an endpoint is one that has once answered well; refusals (4xx) are counted
    by service only, for they are quick and would make a slow endpoint look fast.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._answers = Counter(
            "socio_http_answers",
            "Answers by service and class of status",
            ("service", "status"),
            registry=self.registry,
        )
        self._seconds = Histogram(
            "socio_http_time_to_answer_seconds",
            "From the request to the first byte of an answer that is no refusal",
            ("endpoint",),
            buckets=BOUNDS_S,
            registry=self.registry,
        )
        self._failures = Counter(
            "socio_http_failures", "Answers with a 5xx by endpoint", ("endpoint",), registry=self.registry
        )
        # Looking up labels costs as much as counting.
        self._classes: dict[tuple[str, int], Counter] = {}
        self._known: dict[str, tuple[Histogram, Counter]] = {}
        self._written: dict[str, Counts] = {}

    def answered(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count one answer."""
        # Browsers ask by OPTIONS before they ask.
        if method == "OPTIONS" or path in PROBES:
            return
        name = endpoint(method, path)
        part = "client" if name.endswith("/*") else name.split("/", 2)[1]
        key = (part, status // 100)
        if (answers := self._classes.get(key)) is None:
            answers = self._classes[key] = self._answers.labels(part, f"{key[1]}xx")
        answers.inc()
        if 400 <= status < 500:
            return
        known = self._known.get(name)
        if known is None:
            if status >= 500 or len(self._known) >= MAX_ENDPOINTS:
                return
            known = self._known[name] = (self._seconds.labels(name), self._failures.labels(name))
        known[0].observe(seconds)
        if status >= 500:
            known[1].inc()

    def knows(self, name: str) -> bool:
        """Check whether an endpoint has once answered well."""
        return name in self._known

    def counts(self) -> dict[str, Counts]:
        """Return what each endpoint has answered since the start."""
        found: dict[str, dict[str, float]] = {name: {} for name in self._known}
        buckets: dict[str, list[float]] = {name: [] for name in self._known}
        for metric in (*self._seconds.collect(), *self._failures.collect()):
            for sample in metric.samples:
                if sample.name.endswith("_bucket"):
                    buckets[sample.labels["endpoint"]].append(sample.value)
                else:
                    found[sample.labels["endpoint"]][sample.name.rpartition("_")[2]] = sample.value
        return {
            name: Counts(
                int(values["count"]),
                int(values["total"]),
                values["sum"],
                # Prometheus counts all up to a bound.
                tuple(int(upto - below) for upto, below in zip(buckets[name], [0, *buckets[name]][:-1], strict=True)),
            )
            for name, values in found.items()
        }

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
