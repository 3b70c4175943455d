"""`make run`: the whole product on this machine, until Ctrl-C."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from backend.core import config, jwt, production
from backend.core.config import Settings
from backend.rest.process import PostgrestMissing
from scripts import postgres, services
from scripts.demo import account
from scripts.supervisor.log import Log
from scripts.supervisor.supervisor import StartError, Supervisor

DEMO_USER = {"email": "demo@socio.example", "password": "Socio-demo-1"}
DEMO_ADMIN = {"email": "admin@socio.example", "password": "Socio-admin-1"}
LOGINS = (("Log in", "demo_user"), ("Admin", "demo_admin"))
# What may go wrong before anything runs; the messages are written for the person at the terminal.
REFUSALS = (
    config.ConfigError,
    jwt.KeysError,
    services.PortTaken,
    postgres.PostgresError,
    PostgrestMissing,
    StartError,
    OSError,  # a home folder that is not ours, a full disk
)


class AlreadyRuns(Exception):
    """Another supervisor holds this home folder."""


@contextmanager
def exclusive(home: Path) -> Iterator[None]:
    """Lock the home folder. Raises AlreadyRuns; the kernel releases the lock however this process ends."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (home / "lock").open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip() or "?"
            raise AlreadyRuns(f"Socio already runs here (process {holder}, data in {home}).") from None
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


def run_facts(settings: Settings) -> dict[str, Any]:
    """Where everything is, for scripts and contract tests."""
    keys = jwt.load(settings.home, settings.own_keys)
    return {
        "url": settings.api.external_url,
        "mailbox_url": f"http://127.0.0.1:{settings.local_smtp.port}",
        "mailbox_smtp_port": settings.local_smtp.smtp_port,
        **({"inbound_smtp_port": services.inbound_port()} if services.inbound(settings) else {}),
        "database_url": settings.database_url,
        **fake_stripe_facts(settings),
        **({"meta_url": sandbox["WHATSAPP_SANDBOX"]} if (sandbox := services.fake_meta(settings)) else {}),
        **({"model_url": f"http://127.0.0.1:{port}"} if (port := services.fake_model_port()) else {}),
        "publishable_key": keys.publishable_key,
        "secret_key": keys.secret_key,
        "anon_key": keys.anon_key,
        "service_role_key": keys.service_role_key,
        **({"demo_user": DEMO_USER, "demo_admin": DEMO_ADMIN} if services.has_demo_data(settings) else {}),
    }


def fake_stripe_facts(settings: Settings) -> dict[str, str]:
    """Where tests find the fake Stripe, and the key it wants; nothing when payments are real."""
    fake = services.fake_payments(settings)
    return {"stripe_url": fake["STRIPE_API_BASE"], "stripe_key": fake["STRIPE_SECRET_KEY"]} if fake else {}


@contextmanager
def run_file(settings: Settings) -> Iterator[Path]:
    """run.json (mode 0600) as long as the block lasts; it appears complete or not at all."""
    path = settings.home / "run.json"
    descriptor, scratch = tempfile.mkstemp(dir=settings.home, prefix="run-")
    with os.fdopen(descriptor, "w") as file:
        json.dump(run_facts(settings), file, indent=2)
    Path(scratch).replace(path)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


async def start_all(
    supervisor: Supervisor, settings: Settings, log: Log, overrides: Mapping[str, str], *, is_one_process: bool
) -> None:
    """Start everything in order; what does not depend on each other starts at the same time."""
    await asyncio.gather(
        start_product(supervisor, settings, log, overrides, is_one_process=is_one_process),
        supervisor.start(services.fakes(settings)),
        *([supervisor.start(services.fake_provider(port))] if (port := services.fake_model_port()) else []),
    )


async def start_product(
    supervisor: Supervisor, settings: Settings, log: Log, overrides: Mapping[str, str], *, is_one_process: bool
) -> None:
    """Start the database and the backend, which migrates it; fill the demo account and start what needs both."""
    if services.embedded():
        if not (settings.home / "postgres").exists():
            log.line("socio", "making the database")
        await supervisor.start(services.database(settings, overrides))
    await supervisor.start(services.backend(settings, has_worker=is_one_process))
    if services.has_demo_data(settings) and await account.is_due(settings):
        await supervisor.once("demo", [sys.executable, "-m", "scripts.demo"], {})
    await asyncio.gather(
        supervisor.start(services.rest(settings)),
        *([] if is_one_process else [supervisor.start(services.worker(settings))]),
    )


async def supervise(
    settings: Settings,
    log: Log,
    ready: Callable[[Path], Awaitable[int]],
    overrides: Mapping[str, str] | None = None,
    *,
    is_one_process: bool = False,
) -> int:
    """Start everything, await `ready(run.json)`, stop everything; SIGINT, SIGTERM and SIGHUP end it early.

    With `is_one_process` the backend does the worker's jobs as well, which takes a third less memory; without, both are
    processes as in production. Returns what `ready` returned. Raises StartError.
    """

    async def work() -> int:
        await start_all(supervisor, settings, log, overrides or {}, is_one_process=is_one_process)
        with run_file(settings) as path:
            return await ready(path)

    supervisor, loop = Supervisor(log), asyncio.get_running_loop()
    task = asyncio.create_task(work())

    def interrupted() -> None:
        if not task.cancel():
            supervisor.hurry()
            return
        log.line("socio", "stopping (once more to hurry)")

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, interrupted)
    try:
        return await task
    except asyncio.CancelledError:
        return 0
    finally:
        await supervisor.stop()


def banner(settings: Settings, seconds: float) -> str:
    """Return what a newcomer needs to know once everything is up."""
    facts = run_facts(settings)
    return "\n".join(
        [
            "",
            f"  Socio is ready ({seconds:.1f} s)",
            "",
            f"  Open     {facts['url']}",
            *(f"  {title:<9}{facts[key]['email']}  {facts[key]['password']}" for title, key in LOGINS if key in facts),
            f"  Mailbox  {facts['mailbox_url']}",
            *(["  Cards    4242 4242 4242 4242 (a fake Stripe: nobody pays)"] if "stripe_url" in facts else []),
            "",
            "  Ctrl-C stops everything.",
            "",
        ]
    )


def main(stream: TextIO = sys.stdout) -> int:
    """Run the command. Exit status 0 after Ctrl-C, 1 when it cannot start."""
    began = time.monotonic()
    try:
        settings = config.load()
        production.require_whole(settings)
        with exclusive(settings.home):
            services.require_free_ports(settings)

            async def until_stopped(_: Path) -> int:
                print(banner(settings, time.monotonic() - began), file=stream, flush=True)
                await asyncio.Event().wait()
                return 0

            return asyncio.run(supervise(settings, Log(stream), until_stopped, is_one_process=True))
    except (AlreadyRuns, *REFUSALS) as refusal:
        print(f"\n{refusal}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
