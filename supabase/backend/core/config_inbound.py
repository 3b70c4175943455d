"""Where mail is received by SMTP, from the environment: nowhere without a domain and a port.

`SOCIO_INBOUND_PORT` and `SOCIO_INBOUND_HOST` (`127.0.0.1`) say where the worker listens, `SOCIO_INBOUND_DOMAIN` for
which domain; with `SOCIO_INBOUND_CERT` and `SOCIO_INBOUND_KEY`, the files of a certificate, STARTTLS is offered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from backend.core.config_file import ConfigError

DOMAIN = re.compile(r"(?=.{1,190}\Z)[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)+")


@dataclass(frozen=True)
class Inbound:
    """Where the SMTP server listens; `cert` and `key` are both set or neither."""

    domain: str
    port: int
    host: str = "127.0.0.1"
    cert: Path | None = None
    key: Path | None = None


def read(environ: Mapping[str, str]) -> Inbound | None:
    """Read the settings; None when no mail is received by SMTP. Raises ConfigError."""
    domain, port = environ.get("SOCIO_INBOUND_DOMAIN", ""), environ.get("SOCIO_INBOUND_PORT", "")
    if domain and not DOMAIN.fullmatch(domain):
        raise ConfigError(f"SOCIO_INBOUND_DOMAIN: must be a domain such as in.example.com, not {domain!r}")
    if not domain or not port:
        return None
    if not port.isascii() or not port.isdigit() or not 1 <= int(port) <= 65535:
        raise ConfigError(f"SOCIO_INBOUND_PORT: must be a port from 1 to 65535, not {port!r}")
    cert, key = environ.get("SOCIO_INBOUND_CERT"), environ.get("SOCIO_INBOUND_KEY")
    if bool(cert) != bool(key):
        raise ConfigError("SOCIO_INBOUND_CERT and SOCIO_INBOUND_KEY: set both or neither")
    return Inbound(
        domain=domain.lower(),
        port=int(port),
        host=environ.get("SOCIO_INBOUND_HOST") or "127.0.0.1",
        cert=Path(cert) if cert else None,
        key=Path(key) if key else None,
    )
