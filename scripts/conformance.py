"""Run an official client's own test suite against the platform: `make conformance suite=packages/core/storage-js …`.

The suite lies in a checkout that SOCIO_CONFORMANCE names; nothing of it is part of this repository. Its `supabase/`
folder is served as SOCIO_PROJECT, or an empty project of the CLI where it has none, on the ports and with the keys that
the CLI gives everybody. Suites that talk to a service by itself, as their docker-compose files start it, find it
through a door: `door=9999:/auth/v1` forwards what comes to that port.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from backend.core import config
from scripts import machine, stack
from scripts.paths import CONFIG, NODE_MODULES
from scripts.run import REFUSALS, supervise
from scripts.supervisor.log import Log

CHECKOUT = "SOCIO_CONFORMANCE"
# What `supabase start` gives every project on a developer's machine (pkg/config/apikeys.go of supabase/cli).
OPAQUE = {"publishable": "ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH", "secret": "N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz"}
KEYS = {
    "SUPABASE_AUTH_JWT_SECRET": "super-secret-jwt-token-with-at-least-32-characters-long",
    **{f"SUPABASE_AUTH_{kind.upper()}_KEY": f"sb_{kind}_{rest}" for kind, rest in OPAQUE.items()},
}
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "COPY")
# Of one connection, or made anew when a body is sent on.
NOT_FORWARDED = frozenset(
    ["connection", "content-encoding", "content-length", "host", "keep-alive", "transfer-encoding"]
)


def parsed(arguments: list[str]) -> argparse.Namespace:
    """Read the command line; SystemExit for a wrong one."""
    parser = argparse.ArgumentParser(prog="python -m scripts.conformance")
    parser.add_argument("suite", help=f"the folder below ${CHECKOUT} where the command is run")
    parser.add_argument("command", help='what runs the tests, such as "npx jest --runInBand"')
    parser.add_argument("--door", action="append", default=[], type=_door, help="<port>:<path>, such as 9999:/auth/v1")
    return parser.parse_args(arguments)


def _door(text: str) -> tuple[int, str]:
    port, _, path = text.partition(":")
    return int(port), path


@asynccontextmanager
async def opened(port: int, target: str) -> AsyncIterator[None]:
    """Forward what comes to a port of this machine to an address while the block lasts."""

    async def forward(request: Request) -> Response:
        headers = [(name, value) for name, value in request.headers.items() if name not in NOT_FORWARDED]
        query = f"?{request.url.query}" if request.url.query else ""
        url = f"{target}{request.url.path}{query}"
        answer = await client.request(request.method, url, headers=headers, content=await request.body())
        shown = {name: value for name, value in answer.headers.items() if name not in NOT_FORWARDED}
        return Response(answer.content, answer.status_code, shown)

    app = Starlette(routes=[Route("/{path:path}", forward, methods=list(METHODS))])
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error"))
    async with httpx.AsyncClient(timeout=60) as client:
        serving = asyncio.create_task(server.serve())
        try:
            while not server.started and not serving.done():  # noqa: ASYNC110
                await asyncio.sleep(0.02)  # uvicorn tells nobody
            yield
        finally:
            server.should_exit = True
            await serving


async def _run(options: argparse.Namespace, folder: Path, log: Log) -> int:
    settings = config.load()

    async def ready(run_json: Path) -> int:
        environment = {**os.environ, "SOCIO_RUN_JSON": str(run_json), "SUPABASE_URL": settings.api.external_url}
        async with AsyncExitStack() as doors:
            for port, path in options.door:
                await doors.enter_async_context(opened(port, f"{settings.api.external_url}{path}"))
            process = await asyncio.create_subprocess_exec(*shlex.split(options.command), cwd=folder, env=environment)
            return await process.wait()

    return await supervise(settings, log, ready, stack.UNSAFE_BUT_FAST)


def project_of(folder: Path, scratch: Path) -> Path:
    """Return the suite's own project, or else an empty one that the CLI makes in `scratch`."""
    if (folder / CONFIG.parent.name / CONFIG.name).exists():
        return folder
    command = [str(NODE_MODULES / ".bin" / "supabase"), "init", "--workdir", str(scratch)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return scratch


def main(arguments: list[str]) -> int:
    """Run the suite; return its exit status, 2 when the platform does not start."""
    options = parsed(arguments)
    folder = Path(os.environ.get(CHECKOUT, "")) / options.suite
    if CHECKOUT not in os.environ or not folder.is_dir():
        print(f"{CHECKOUT} must be the folder of a checkout that has {options.suite}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="socio-", dir=machine.scratch()) as scratch:
        machine.forget_settings()
        os.environ.update(KEYS)
        os.environ.update({f"SUPABASE_AUTH_RATE_LIMIT_{name}": "100000" for name in stack.RATE_LIMITS})
        os.environ["SOCIO_HOME"] = f"{scratch}/home"
        os.environ["SOCIO_PROJECT"] = str(project_of(folder, Path(scratch)).absolute())
        with (Path(scratch) / "stack.log").open("w") as stream:
            try:
                return asyncio.run(_run(options, folder, Log(stream)))
            except REFUSALS as refusal:
                print(refusal, file=sys.stderr)
                return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
