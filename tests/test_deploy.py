"""A production by the files of deploy/: they fit together, and what stands in front tells no secret, stops a flood."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import shutil
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import asyncpg
import pytest

from backend import __main__ as command_line
from backend.core import config, production
from backend.core.http import BODY_LIMIT_BYTES
from scripts import postgres

DEPLOY = config.ROOT / "supabase" / "deploy"
NGINX = (DEPLOY / "nginx.conf").read_text()
CADDY = (DEPLOY / "Caddyfile").read_text()
README = (config.ROOT / "supabase" / "README.md").read_text()
SERVERS = [f"server {{{text}" for text in NGINX.split("\nserver {")[1:]]

pytestmark = pytest.mark.anyio


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


def test_no_body_reaches_postgrest_that_the_gateway_would_refuse() -> None:
    assert BODY_LIMIT_BYTES == 1024**2
    [direct] = re.findall(r"^\thandle @direct \{\n(.*?)^\t\}", CADDY, re.MULTILINE | re.DOTALL)
    # Without a matcher: for every request.
    assert re.findall(r"^\t\trequest_body \{\n\t\t\tmax_size (\S+)\n", direct, re.MULTILINE) == ["1MiB"]
    [rest] = re.findall(r"^    location /rest/v1/ \{\n(.*?)^    \}", NGINX, re.MULTILINE | re.DOTALL)
    assert re.findall(r"^        client_max_body_size (\S+);", rest, re.MULTILINE) == ["1m"]


def test_no_visitor_chooses_the_trace_of_a_job_at_postgrest() -> None:
    [direct] = re.findall(r"^\thandle @direct \{\n(.*?)^\t\}", CADDY, re.MULTILINE | re.DOTALL)
    [rest] = re.findall(r"^    location /rest/v1/ \{\n(.*?)^    \}", NGINX, re.MULTILINE | re.DOTALL)
    for name in ("Traceparent", "Tracestate"):
        assert re.search(rf"^\t\trequest_header -{name}$", direct, re.MULTILINE)
        assert re.search(rf'^        proxy_set_header {name} +"";$', rest, re.MULTILINE)


def example() -> dict[str, str]:
    """The settings of deploy/environment."""
    lines = (DEPLOY / "environment").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def test_the_settings_of_the_example_are_known_and_whole(tmp_path: Path) -> None:
    settings = config.load({**example(), "SOCIO_HOME": str(tmp_path)})
    production.require_whole(settings)
    assert settings.secure
    assert settings.edge_runtime.policy == "per_worker"


def test_the_web_servers_look_for_postgrest_where_it_listens() -> None:
    socket = example()["SOCIO_POSTGREST_SOCKET"]
    assert f"unix/{socket}}}" in CADDY
    assert re.findall(r"^    server unix:(\S+) ", NGINX, re.MULTILINE) == [socket, socket]
    # Another account must be able to connect, by its group.
    assert example()["SOCIO_POSTGREST_SOCKET_MODE"] == "660"
    assert (unit("rest")["RuntimeDirectory"], unit("rest")["RuntimeDirectoryMode"]) == ("socio", "0750")


def unit(name: str) -> dict[str, str]:
    """What a unit does."""
    parser = ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read(DEPLOY / f"socio-{name}.service")
    assert parser["Unit"]["StartLimitIntervalSec"] == "0"
    return dict(parser["Service"])


@pytest.mark.parametrize("name", ["serve", "worker", "rest"])
def test_a_unit_runs_a_command_and_starts_it_again(name: str) -> None:
    service = unit(name)
    program, *arguments = shlex.split(service["ExecStart"])
    assert program == f"{service['WorkingDirectory']}/.venv/bin/python"
    assert arguments == ["-m", "backend", name]
    assert (service["Restart"], service["User"]) == ("always", "socio")
    assert service["EnvironmentFile"] == "/etc/socio/environment"
    with pytest.raises(SystemExit) as end:
        command_line.main([name, "--help"])
    assert end.value.code == 0


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd")
@pytest.mark.parametrize("name", ["serve", "worker", "rest"])
def test_a_unit_leaves_little_to_whoever_takes_it_over(name: str) -> None:
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=25", str(DEPLOY / f"socio-{name}.service")]
    environment = {**os.environ, "SYSTEMD_UNIT_PATH": f"{DEPLOY}:"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr


@pytest.mark.long
async def test_the_role_of_the_readme_migrates_and_becomes_whom_it_serves(tmp_path: Path) -> None:
    [statements] = re.findall(r"```sql\n(.*?)```", README, re.DOTALL)
    with postgres.temporary() as cluster:
        owner = await asyncpg.connect(cluster.url)
        # One by one: a database is made outside of transactions.
        for statement in statements.replace("…", "hush").split(";")[:-1]:
            await owner.execute(statement)
        await owner.close()
        url = cluster.database_url("socio").replace(f"postgres:{cluster.password}@", "socio:hush@")
        done = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-m", "backend", "migrate", "--seed=reference"],
            env={**os.environ, "DATABASE_URL": url, "SOCIO_HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        connection = await asyncpg.connect(url)
        for role in ("anon", "authenticated", "service_role"):
            async with connection.transaction():
                await connection.execute(f"set local role {role}")
        assert await connection.fetchval("select rolreplication from pg_roles where rolname = current_user")
        await connection.close()
