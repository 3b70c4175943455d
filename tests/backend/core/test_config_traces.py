"""core.config_traces: where spans are sent, by OpenTelemetry's standard variables."""

from __future__ import annotations

import pytest

from backend.core import config_traces
from backend.core.config_file import ConfigError

BASE, TRACES = "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, ""),
        ({"OTEL_SERVICE_NAME": "socio"}, ""),
        ({BASE: "http://127.0.0.1:4318"}, "http://127.0.0.1:4318/v1/traces"),
        ({BASE: "https://otel.example/base/"}, "https://otel.example/base/v1/traces"),
        ({BASE: "http://127.0.0.1:1", TRACES: "http://otel.example/spans"}, "http://otel.example/spans"),
        ({BASE: "http://127.0.0.1:4318", "OTEL_SDK_DISABLED": "TRUE"}, ""),
        ({BASE: "http://127.0.0.1:4318", "OTEL_TRACES_EXPORTER": "none"}, ""),
        ({BASE: "http://[::1]:4318", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}, "http://[::1]:4318/v1/traces"),
    ],
)
def test_the_address_follows_the_specification(environ: dict[str, str], expected: str) -> None:
    assert config_traces.read(environ) == expected


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "OTEL_EXPORTER_OTLP_PROTOCOL"),
        ({"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json"}, "OTEL_EXPORTER_OTLP_PROTOCOL"),
        ({"OTEL_TRACES_EXPORTER": "zipkin"}, "OTEL_TRACES_EXPORTER"),
        ({BASE: "127.0.0.1:4318"}, BASE),
        ({TRACES: "http://127.0.0.1:port"}, TRACES),
    ],
)
def test_what_cannot_be_followed_is_refused(more: dict[str, str], named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        config_traces.read({BASE: "http://127.0.0.1:4318", **more})
