"""What opens `/metrics` to a monitor, and where a worker serves it, from the environment.

`SOCIO_METRICS_TOKEN` is the bearer token of servers and workers. A worker, which has no other port, serves it where
`SOCIO_WORKER_METRICS_PORT` and `SOCIO_WORKER_METRICS_HOST` (`127.0.0.1`) say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from backend.core.config_file import ConfigError

TOKEN = re.compile(r"[!-~]{16,200}")


class Address(NamedTuple):
    """Where a worker listens."""

    host: str
    port: int


def token(environ: Mapping[str, str]) -> str:
    """Read the token; empty when there are no metrics. Raises ConfigError."""
    given = environ.get("SOCIO_METRICS_TOKEN", "")
    if given and not TOKEN.fullmatch(given):
        raise ConfigError("SOCIO_METRICS_TOKEN: must have 16 to 200 characters without spaces")
    return given


def worker_address(environ: Mapping[str, str]) -> Address | None:
    """Read where a worker serves its metrics; None when it does not. Raises ConfigError."""
    port = environ.get("SOCIO_WORKER_METRICS_PORT", "")
    if not port:
        return None
    if not port.isascii() or not port.isdigit() or not 1 <= int(port) <= 65535:
        raise ConfigError(f"SOCIO_WORKER_METRICS_PORT: must be a port from 1 to 65535, not {port!r}")
    if not environ.get("SOCIO_METRICS_TOKEN"):
        raise ConfigError("SOCIO_WORKER_METRICS_PORT: set SOCIO_METRICS_TOKEN too, or everybody could read them")
    return Address(environ.get("SOCIO_WORKER_METRICS_HOST") or "127.0.0.1", int(port))
