"""The command line: python -m backend serve | worker | migrate | seed | keys | mail preview | jobs | storage sweep."""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import asyncpg
import uvloop

from backend.core import config, db, dead_letters, jobs, jwt, log, migrate, resources, watchdog
from backend.core.config import Settings

logger = logging.getLogger("backend")

PRODUCT_MIGRATIONS = "db/migrations"
SEED_FOLDER = "db/seed"
# Demo data brings logins with known passwords, an administrator's among them: only where it is asked for.
SEEDS = {"reference": "01_*.sql", "demo": "*.sql"}
RETRY_AFTER_ROTATION = "Restart PostgREST, then the backends one after the other; run 'keys retire' after an hour."


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m backend", description="The Socio backend.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("serve", help="the gateway: API and web client")
    commands.add_parser("worker", help="background jobs and mail")
    migrations = commands.add_parser("migrate", help="bring the database up to date")
    migrations.add_argument("--seed", choices=tuple(SEEDS), help="then load reference data, or demo data as well")
    seed = commands.add_parser("seed", help="load reference data, or demo data as well")
    seed.add_argument("which", nargs="?", choices=tuple(SEEDS), default="reference", help="demo: with demo logins")
    keys = commands.add_parser("keys", help="show the keys of this installation")
    keys.add_argument("action", nargs="?", choices=("show", "rotate", "retire"), default="show")
    mails = commands.add_parser("mail", help="look at an e-mail with sample data")
    mails.add_argument("action", choices=("preview",))
    mails.add_argument("template", help="its name in the settings, such as confirmation")
    mails.add_argument("--out", type=Path, help="write the HTML there and the plain text beside it")
    letters = commands.add_parser("jobs", help="jobs that were given up")
    letters.add_argument("action", choices=("dead", "retry", "drop"), help="list them, try one again, forget one")
    letters.add_argument("job_id", nargs="?", type=int, help="which one: the number in the list")
    files = commands.add_parser("storage", help="find what a crash left behind in the storage")
    files.add_argument("action", choices=("sweep",))
    options = parser.parse_args(arguments)
    if options.command == "jobs" and (options.action == "dead") != (options.job_id is None):
        parser.error("retry and drop need the number of a job, dead takes none")
    log.configure()
    try:
        settings = config.load()
        match options.command:
            case "serve":
                return _serve(settings)
            case "worker":
                return _work(settings)
            case "migrate":
                return _run(_migrate(settings, options.seed))
            case "seed":
                return _run(_seed(settings, options.which))
            case "mail":
                return _preview(settings, options.template, options.out)
            case "storage":
                return uvloop.run(_sweep(settings))
            case "jobs":
                return uvloop.run(_dead_letters(settings, options.action, options.job_id))
            case _:
                return _keys(settings, options.action)
    except (config.ConfigError, migrate.MigrationError) as error:
        print(f"error: {error}", file=sys.stderr)
    except (OSError, asyncpg.PostgresError) as error:
        print(f"error: the database is not usable: {error}", file=sys.stderr)
    return 1


def _serve(settings: Settings) -> int:
    from backend import gateway  # the commands that need no web server start without loading it

    return _run(watchdog.watched(gateway.serve(settings)))


def _work(settings: Settings) -> int:
    from backend import worker

    return _run(watchdog.watched(worker.run(settings)))


def _preview(settings: Settings, name: str, out: Path | None) -> int:
    from backend.auth import mails

    templates = mails.Templates(settings)
    message = templates.preview(name)
    if message is None:
        print(f"error: no e-mail is called {name}; there are {', '.join(templates.names())}", file=sys.stderr)
        return 1
    if out is None:
        print(message.html)
        return 0
    try:
        out.write_text(message.html, encoding="utf-8")
        out.with_suffix(".txt").write_text(message.text, encoding="utf-8")
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{message.subject}: {out} and {out.with_suffix('.txt')}")
    return 0


def _run(coroutine: Coroutine[Any, Any, None]) -> int:
    uvloop.run(coroutine)
    return 0


async def _migrate(settings: Settings, seed: str | None) -> None:
    connection = await db.connect(settings)
    try:
        applied = await migrate.platform(connection, jwt.load(settings.home).authenticator_password)
        applied += await migrate.product(connection, settings.root / PRODUCT_MIGRATIONS)
        logger.info("database is up to date", extra={"applied": len(applied)})
        if seed:
            await _load_seeds(connection, settings, seed)
    finally:
        await connection.close()


async def _seed(settings: Settings, which: str) -> None:
    connection = await db.connect(settings)
    try:
        await _load_seeds(connection, settings, which)
    finally:
        await connection.close()


async def _load_seeds(connection: asyncpg.Connection[asyncpg.Record], settings: Settings, which: str) -> None:
    paths = sorted((settings.root / SEED_FOLDER).glob(SEEDS[which]))
    await migrate.seed(connection, paths)
    logger.info("seeds loaded", extra={"files": len(paths)})


async def _dead_letters(settings: Settings, action: str, job_id: int | None) -> int:
    connection = await db.connect(settings)
    try:
        await db.prepare(connection)
        if job_id is None:
            for letter in await dead_letters.newest(connection):
                when = letter.died_at.isoformat(timespec="seconds")
                print(f"{letter.job_id}  {when}  {letter.name}  {letter.attempts} attempts  {letter.error}")
            return 0
        async with connection.transaction():
            taken = await dead_letters.take(connection, job_id)
            if taken is None:
                print(f"error: there is no dead letter {job_id}", file=sys.stderr)
                return 1
            if action == "retry":
                await jobs.enqueue(
                    connection, taken.name, taken.payload, user_id=taken.user_id, priority=taken.priority
                )
    finally:
        await connection.close()
    print(f"{taken.name} {job_id}: " + ("waits for its turn again" if action == "retry" else "forgotten"))
    return 0


async def _sweep(settings: Settings) -> int:
    from backend.storage import blobs, sweep

    async with resources.open_all(settings) as opened, blobs.opened(settings) as store:
        report = await sweep.sweep(opened, store)
    print("\n".join(report.lines()))
    return 1 if report.missing else 0


def _keys(settings: Settings, action: str) -> int:
    if action == "rotate":
        print(f"New signing key {jwt.rotate(settings.home)}. {RETRY_AFTER_ROTATION}")
        return 0
    if action == "retire":
        print(f"Retired {jwt.retire(settings.home)} keys.")
        return 0
    keys = jwt.load(settings.home)
    shown = {
        "publishable_key": keys.publishable_key,
        "secret_key": keys.secret_key,
        "anon_key": keys.anon_key,
        "service_role_key": keys.service_role_key,
        "signing_key_ids": [key["kid"] for key in keys.public_jwks()["keys"]],
    }
    print(json.dumps(shown, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
