"""Where spans are sent, from OpenTelemetry's standard variables: nowhere without an endpoint.

https://opentelemetry.io/docs/specs/otel/protocol/exporter/ says what `OTEL_EXPORTER_OTLP_ENDPOINT`,
`OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` and the protocol mean. The SDK reads the others itself (`OTEL_SERVICE_NAME`,
`OTEL_TRACES_SAMPLER`, `OTEL_EXPORTER_OTLP_HEADERS` and so on).
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from backend.core.config_file import ConfigError

PATH = "/v1/traces"
PROTOCOL = "http/protobuf"


def read(environ: Mapping[str, str]) -> str:
    """Return the address that takes spans; empty when there is none. Raises ConfigError."""
    exporter = environ.get("OTEL_TRACES_EXPORTER") or "otlp"
    if environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true" or exporter == "none":
        return ""
    name, address = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "")
    if not address:
        name, base = "OTEL_EXPORTER_OTLP_ENDPOINT", environ.get("OTEL_EXPORTER_OTLP_ENDPOINT", "")
        address = base.rstrip("/") + PATH if base else ""
    if not address:
        return ""
    if exporter != "otlp":
        raise ConfigError(f"OTEL_TRACES_EXPORTER: must be otlp or none, not {exporter!r}")
    protocol = environ.get("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") or environ.get("OTEL_EXPORTER_OTLP_PROTOCOL")
    if protocol not in (None, "", PROTOCOL):
        raise ConfigError(f"OTEL_EXPORTER_OTLP_PROTOCOL: must be {PROTOCOL}, not {protocol!r}")
    if not _is_address(address):
        raise ConfigError(f"{name}: must be an address such as http://127.0.0.1:4318")
    return address


def _is_address(address: str) -> bool:
    try:
        parts = urlsplit(address)
        _port = parts.port
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
