"""What stands in front of the product: its log tells no secret, and one address does not report for all."""

from __future__ import annotations

import re

from backend.core import config

NGINX = (config.ROOT / "supabase" / "deploy" / "nginx.conf").read_text()
SERVERS = [f"server {{{text}" for text in NGINX.split("\nserver {")[1:]]


def test_no_log_of_nginx_holds_a_query() -> None:
    [form] = re.findall(r"^log_format socio ([^;]+);", NGINX, re.MULTILINE)
    assert not set(re.findall(r"\$\w+", form)) & {
        "$request", "$request_uri", "$args", "$query_string", "$http_referer"
    }  # fmt: skip
    assert len(SERVERS) == 2
    for server in SERVERS:
        assert re.findall(r"^    access_log +\S+ (.+);", server, re.MULTILINE) == ["socio"]
        # A line of a lower level repeats the whole request.
        assert re.findall(r"^    error_log +\S+ (.+);", server, re.MULTILINE) == ["crit"]


def test_reports_of_visitors_are_counted_by_address_and_nothing_else_is() -> None:
    [key] = re.findall(r'^    "~(\S+ \S+)"\s+\$binary_remote_addr;', NGINX, re.MULTILINE)
    counted = {
        f"{method} {path}": bool(re.search(key, f"{method} {path}"))
        for method in ("POST", "OPTIONS")
        for path in ("/rest/v1/error_logs", "/rest/v1/analytics_events/", "/rest/v1/tasks", "/rest/v1/error_logs_x")
    }
    assert [name for name, is_counted in counted.items() if is_counted] == [
        "POST /rest/v1/error_logs",
        "POST /rest/v1/analytics_events/",
    ]
    assert re.search(r"^    limit_req zone=socio_reports burst=\d+ nodelay;", SERVERS[1], re.MULTILINE)
