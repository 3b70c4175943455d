"""`make migration name=add_x`: write a migration that brings a database from the history to the declared schema.

Builds two throw-away databases, one from db/migrations and one from the chapters in db/schemas, and lets the Supabase
CLI (engine pg-delta) write the difference. Rows are moved by hand in the same file. With `data=1` a file without any
change of the schema is written, for rows alone.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import asyncpg

from backend.core import db, migrate, statements
from scripts import machine, postgres
from scripts.paths import NODE_MODULES, ROOT
from scripts.setup import BIN

MIGRATIONS = ROOT / "db" / "migrations"
CHAPTERS = ROOT / "db" / "schemas"
# The CLI wraps its answer in these; migrations run in a transaction of the runner's.
NOISE = re.compile(r"^(Target: |SET local check_function_bodies)")
LONGEST_SUMMARY = 110


class DiffError(Exception):
    """The Supabase CLI could not compare the databases; the message is what it said."""


async def apply_chapters(connection: asyncpg.Connection[asyncpg.Record], folder: Path = CHAPTERS) -> None:
    """Run the chapters of the declared schema in order, in a database that has the platform's schemas.

    Bodies of functions are not checked: they may use tables of later chapters. Raises asyncpg.PostgresError.
    """
    async with connection.transaction():
        await connection.execute("set local check_function_bodies = off")
        for sql in _texts(folder):
            await connection.execute(sql)


def _texts(folder: Path) -> list[str]:
    return [chapter.read_text(encoding="utf-8") for chapter in sorted(folder.glob("*.sql"))]


@asynccontextmanager
async def migrated_database() -> AsyncIterator[str]:
    """Yield the address of a throw-away database with all migrations applied, without seeds."""
    with postgres.temporary() as cluster:
        await _build(cluster, "postgres", declared=False)
        yield cluster.url


async def _build(cluster: postgres.Cluster, name: str, *, declared: bool) -> str:
    address = cluster.database_url(name)
    connection = await asyncpg.connect(address)
    try:
        await db.prepare(connection)
        await migrate.platform(connection, cluster.password)
        await (apply_chapters(connection) if declared else migrate.product(connection, MIGRATIONS))
    finally:
        await connection.close()
    return address


async def difference(before: str, after: str) -> list[str]:
    """Return the statements that turn the schema of one database into that of another.

    Raises DiffError, also when a database holds objects that pg-delta cannot manage.
    """
    command = [str(NODE_MODULES / ".bin" / "supabase"), "db", "diff", "--use-pg-delta", "--strict-coverage"]
    command += [f"--from={before}", f"--to={after}"]
    with tempfile.TemporaryDirectory() as home:
        environment = {**machine.npm_environment(BIN), "HOME": home, "DO_NOT_TRACK": "1"}
        done = await asyncio.to_thread(
            subprocess.run, command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
    if done.returncode != 0:
        raise DiffError(done.stderr.strip() or done.stdout.strip())
    return [piece for piece in statements.split(done.stdout) if not NOISE.match(piece)]


def summary(pieces: list[str]) -> list[str]:
    """Return one line for each statement: how it begins; of a function its name."""
    bare = (re.sub(r"(?<=FUNCTION )([^(]+)\(.*", r"\1", piece, flags=re.DOTALL).replace('"', "") for piece in pieces)
    lines = (" ".join(piece.split()) for piece in bare)
    return [line if len(line) <= LONGEST_SUMMARY else f"{line[: LONGEST_SUMMARY - 1]}…" for line in lines]


def text(name: str, pieces: list[str]) -> str:
    """Return the content of the migration: a summary, then the statements."""
    head = [f"-- {name.replace('_', ' ').capitalize()}.", *(f"--   {line}" for line in summary(pieces))]
    body = [f"{piece};" for piece in pieces]
    if any(re.search(r"\b(FUNCTION|PROCEDURE)\b", piece) for piece in pieces):
        # Bodies may use what a later statement makes.
        body = ["set check_function_bodies = off;", *body, "reset check_function_bodies;"]
    return "\n\n".join(["\n".join(head), *body]) + "\n"


async def main(name: str, *, data: bool) -> int:
    """Write db/migrations/<now>_<name>.sql; return 1 when there is nothing to write."""
    with postgres.temporary() as cluster:
        admin = await asyncpg.connect(cluster.url)
        await admin.execute("create database declared")
        await admin.close()
        before = await _build(cluster, "postgres", declared=False)
        after = await _build(cluster, "declared", declared=True)
        pieces = await difference(before, after)
    if not pieces and not data:
        print("db/schemas and db/migrations declare the same schema. For rows alone: make migration name=… data=1")
        return 1
    target = MIGRATIONS / f"{datetime.now(UTC):%Y%m%d%H%M%S}_{name}.sql"
    target.write_text(text(name, pieces), encoding="utf-8")
    print(f"{target.relative_to(ROOT)}: {len(pieces)} statements. Read them, add moves of rows, then run `make types`.")
    return 0


def _name(value: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9_]{2,60}", value):
        raise argparse.ArgumentTypeError("a name is lower case with underscores, as in add_colour_to_tasks")
    return value


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write a migration from the declared schema.")
    parser.add_argument("name", type=_name)
    parser.add_argument("--data", action="store_true", help="also when the schema does not change")
    options = parser.parse_args()
    try:
        sys.exit(asyncio.run(main(options.name, data=options.data)))
    except (DiffError, asyncpg.PostgresError, migrate.MigrationError) as error:
        sys.exit(f"error: {error}")
