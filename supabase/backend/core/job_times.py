"""How long the jobs of this process took and how they ended, by name, for a monitor (core/metrics.py)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from prometheus_client import Counter, Gauge, Histogram

# Most take milliseconds, exports and backups minutes.
BOUNDS_S = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0, 600.0)

# Put off: it failed, or its worker was stopped, and it will be tried again.
Outcome = Literal["done", "put_off", "given_up"]


@dataclass
class Attempt:
    """One attempt of a job; an exception leaves it put off."""

    outcome: Outcome = "put_off"


class JobTimes:
    """Count the attempts of this process."""

    def __init__(self) -> None:
        self._attempts = Counter(
            "socio_worker_jobs",
            "Attempts of jobs in this process: done, put_off (tried again later), given_up",
            ("name", "outcome"),
            registry=None,
        )
        self._seconds = Histogram(
            "socio_worker_job_seconds", "How long an attempt took", ("name",), buckets=BOUNDS_S, registry=None
        )
        self._running = Gauge("socio_worker_jobs_running", "Jobs that this process is working on", registry=None)
        self.collectors = (self._attempts, self._seconds, self._running)

    @contextmanager
    def attempt(self, name: str) -> Iterator[Attempt]:
        """Measure one attempt; its outcome is set within."""
        made = Attempt()
        began_s = time.perf_counter()
        with self._running.track_inprogress():
            try:
                yield made
            finally:
                self._attempts.labels(name, made.outcome).inc()
                self._seconds.labels(name).observe(time.perf_counter() - began_s)
