"""The command line, `python -m backend <command>`.

Commands: serve, worker, rest, migrate, seed, keys, mail, jobs, storage, admin, health, backup, restore.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import asyncpg
import uvloop

from backend.core import (
    backup,
    baseline,
    chores,
    config,
    db,
    dead_letters,
    erased,
    installation,
    jobs,
    jwt,
    log,
    migrate,
    production,
    resources,
    watchdog,
)
from backend.core.config import Settings

logger = logging.getLogger("backend")

SEED_FOLDER = "db/seed"
# Demo data brings logins with known passwords, an administrator's among them: only where it is asked for.
SEEDS = {"reference": "01_*.sql", "demo": "*.sql"}
RESTART = "Restart PostgREST, then the backends one after the other"
# These touch no database, or one that is nobody's yet, or say whose it is.
FOR_ANY_KEYS = ("keys", "mail", "restore")
# Their messages are written for the person at the terminal.
REFUSALS = (config.ConfigError, migrate.MigrationError, jwt.KeysError, installation.OtherKeys, backup.BackupError)


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return the exit code."""
    options = _options(arguments)
    log.configure()
    try:
        settings = config.load()
        if options.command not in FOR_ANY_KEYS:
            uvloop.run(installation.require_our_keys(settings))
        return _do(settings, options)
    except REFUSALS as error:
        print(f"error: {error}", file=sys.stderr)
    except (OSError, asyncpg.PostgresError) as error:
        # What has to do with a file blames no database.
        is_file = isinstance(error, OSError) and error.filename
        print(f"error: {error if is_file else f'the database is not usable: {error}'}", file=sys.stderr)
    return 1


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m backend", description="The Socio backend.")
    parser.add_argument("--version", action="version", version=config.version())
    commands = parser.add_subparsers(dest="command", required=True)
    serving = commands.add_parser("serve", help="the gateway: API and web client")
    serving.add_argument(
        "--migrate", choices=tuple(SEEDS), help="first migrate, then load reference data, or demo data as well"
    )
    serving.add_argument("--worker", action="store_true", help="run the jobs too: for one machine with little to do")
    commands.add_parser("worker", help="background jobs and mail")
    commands.add_parser("rest", help="PostgREST, with the settings of this installation")
    chores.register(commands)
    migrations = commands.add_parser("migrate", help="bring the database up to date")
    migrations.add_argument("--seed", choices=tuple(SEEDS), help="then load reference data, or demo data as well")
    migrations.add_argument("--include-all", action="store_true", help="also versions older than the newest applied")
    seed = commands.add_parser("seed", help="load reference data, or demo data as well")
    seed.add_argument("which", nargs="?", choices=tuple(SEEDS), default="reference", help="demo: with demo logins")
    keys = commands.add_parser("keys", help="show the keys of this installation")
    keys.add_argument("action", nargs="?", choices=("show", "rotate", "retire", "adopt"), default="show")
    mails = commands.add_parser("mail", help="look at an e-mail with sample data")
    mails.add_argument("action", choices=("preview",))
    mails.add_argument("template", help="its name in the settings, such as confirmation")
    mails.add_argument("--out", type=Path, help="write the HTML there and the plain text beside it")
    letters = commands.add_parser("jobs", help="jobs that were given up")
    letters.add_argument("action", choices=("dead", "retry", "drop"), help="list them, try one again, forget one")
    letters.add_argument("job_id", nargs="?", type=int, help="which one: the number in the list")
    files = commands.add_parser("storage", help="find what a crash left behind in the storage")
    files.add_argument("action", choices=("sweep", "adopt"), help="adopt: these files belong to this database")
    files.add_argument("--all", action="store_true", help="although far too many files have no object")
    commands.add_parser("backup", help="write database, files and keys").add_argument("folder", type=Path)
    restoring = commands.add_parser("restore", help="put a backup into an empty database")
    restoring.add_argument("folder", type=Path)
    newest = restoring.add_mutually_exclusive_group()
    newest.add_argument("--erased", type=Path, help="the newest list of erased accounts, instead of SOCIO_ERASED")
    newest.add_argument("--nobody-erased", action="store_true", help="there is no such list")
    options = parser.parse_args(arguments)
    if options.command == "jobs" and (options.action == "dead") != (options.job_id is None):
        parser.error("retry and drop need the number of a job, dead takes none")
    return options


def _do(settings: Settings, options: argparse.Namespace) -> int:
    match options.command:
        case "serve":
            return _serve(settings, options.migrate, has_worker=options.worker)
        case "worker":
            return _work(settings)
        case "rest" | "admin" | "health":
            return _chore(settings, options)
        case "migrate":
            return _run(_migrate(settings, options.seed, include_all=options.include_all))
        case "seed":
            return _run(_seed(settings, options.which))
        case "mail":
            return _preview(settings, options.template, options.out)
        case "storage":
            return uvloop.run(_files(settings, options.action, everything=options.all))
        case "backup":
            return _run(_backup(settings, options.folder))
        case "restore":
            newest = None if options.nobody_erased else options.erased or settings.erased_file
            return _run(_restore(settings, options.folder, newest))
        case "jobs":
            return uvloop.run(_dead_letters(settings, options.action, options.job_id))
        case _:
            return _keys(settings, options.action)


def _serve(settings: Settings, seed: str | None, *, has_worker: bool) -> int:
    from backend import gateway  # the commands that need no web server start without loading it

    production.require_whole(settings)
    if seed:
        uvloop.run(_migrate(settings, seed))
    uvloop.run(production.look_around(settings))
    if not has_worker:
        return _run(watchdog.watched(gateway.serve(settings)))
    from backend import worker

    return _run(watchdog.watched(gateway.serve(settings, worker.work)))


def _work(settings: Settings) -> int:
    from backend import worker

    production.require_whole(settings)
    return _run(watchdog.watched(worker.run(settings)))


def _chore(settings: Settings, options: argparse.Namespace) -> int:
    if options.command == "rest":
        from backend.rest import process

        process.run(settings, jwt.load(settings.home, settings.own_keys))
    if options.command == "admin":
        return uvloop.run(chores.admin(settings, options))
    return uvloop.run(chores.tell_health(settings, settings.migrations))


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


async def _migrate(settings: Settings, seed: str | None, *, include_all: bool = False) -> None:
    keys, connection = jwt.load(settings.home, settings.own_keys), await db.connect(settings)
    try:
        applied = await migrate.platform(connection, keys.authenticator_password)
        await installation.claim(connection, keys)
        if settings.is_product:
            await baseline.adopt(settings, connection, settings.migrations)
        done = await migrate.product(connection, settings.migrations, include_all=include_all)
        logger.info("database is up to date", extra={"applied": len(applied) + len(done)})
        # The seed of another project is for an empty database, as the CLI has it.
        was_empty = bool(done) and len(done) == len(migrate.files(settings.migrations))
        if seed and (settings.is_product or was_empty):
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
    if which == "demo":
        production.require_no_demo(settings)
    if settings.is_product:
        paths = sorted((settings.root / SEED_FOLDER).glob(SEEDS[which]))
    else:
        paths = sorted((settings.project / "supabase").glob("seed.sql"))
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


async def _files(settings: Settings, action: str, *, everything: bool) -> int:
    from backend.storage import blobs, sweep

    async with resources.open_all(settings) as opened, blobs.opened(settings) as store:
        if action == "adopt":
            await sweep.adopt(opened, store)
            print("These files belong to this database now.")
            return 0
        try:
            report = await sweep.sweep(opened, store, everything=everything)
        except sweep.Refused as refusal:
            print(f"error: {refusal}", file=sys.stderr)
            return 1
    print("\n".join(report.lines()))
    return 1 if report.missing else 0


async def _backup(settings: Settings, folder: Path) -> None:
    manifest = await backup.make(settings, folder)
    print(json.dumps({**manifest, "rows": sum(manifest["rows"].values())}, indent=2))


async def _restore(settings: Settings, folder: Path, newest: Path | None) -> None:
    gone = backup.erased_accounts(folder, newest)
    manifest = await backup.restore(settings, folder)
    await _migrate(settings, None)
    connection = await db.connect(settings)
    try:
        manifest["erased_again"] = await erased.erase_again(connection, gone)
    finally:
        await connection.close()
    await asyncio.to_thread(erased.note, settings.erased_file, gone)
    print(json.dumps(manifest, indent=2))


async def _adopt(settings: Settings) -> None:
    connection = await db.connect(settings)
    try:
        await installation.adopt(connection, jwt.load(settings.home, settings.own_keys))
    finally:
        await connection.close()
    print(f"The database belongs to the keys in {settings.home} now. Run 'migrate'. {RESTART}.")


def _keys(settings: Settings, action: str) -> int:
    if action == "rotate":
        kid = jwt.rotate(settings.home, settings.own_keys)
        print(f"New signing key {kid}. {RESTART}; run 'keys retire' after an hour.")
        return 0
    if action == "retire":
        count = jwt.retire(settings.home, settings.own_keys)
        print(f"Retired {count} keys. {RESTART}: they believe them until then.")
        return 0
    if action == "adopt":
        return _run(_adopt(settings))
    keys = jwt.load(settings.home, settings.own_keys)
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
