"""The access matrix: reads db/tests/*.csv and carries one entry out, by role switch or through PostgREST.

Both ways answer with the same words:

- `yes`       the target row was seen or changed, the call answered true
- `none`      nothing was refused and nothing was reached
- `denied`    a missing right or a policy refused (SQLSTATE 42501)
- `conflict`  allowed, but such a row exists already
- `orphan`    allowed, but what the row refers to is not there for its owner
- `invalid`   allowed, but such a row makes no sense
- `absent`    the API knows no such thing

Everything is rolled back, through PostgREST by `Prefer: tx=rollback`.
"""

from __future__ import annotations

import csv
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

import asyncpg
import httpx

from tests.db.accounts import Connection, rolled_back

DATA = Path(__file__).resolve().parents[2] / "db" / "tests"
ROWS: Mapping[str, Mapping[str, Mapping[str, Any]]] = json.loads((DATA / "rows.json").read_text())

PEOPLE = {
    "owner": UUID("00000000-0000-4000-8000-000000000001"),
    "stranger": UUID("00000000-0000-4000-8000-000000000002"),
    "admin": UUID("00000000-0000-4000-8000-000000000003"),
    "other_admin": UUID("00000000-0000-4000-8000-000000000004"),
}
ROLES = ("anon", "owner", "stranger", "admin", "service_role")
# Who acts in the special moves as well: an admin who has shown a password only.
ACTORS = (*ROLES, "other_admin")
VERBS = ("select", "insert", "update", "delete")
# Targets that are no person: rows without a user, all rows of a table that knows no users, the catalogue's versions,
# the settings that everybody may read and the others.
DRAFT_VERSION = 1000
CONDITIONS = {
    "nobody": "user_id is null",
    "all": "true",
    "published": f"version < {DRAFT_VERSION}",
    "draft": f"version = {DRAFT_VERSION}",
    "shown": "starts_with(key, 'marketing.')",
    "hidden": "not starts_with(key, 'marketing.')",
}
PARAMS: Mapping[str, dict[str, str]] = {
    "nobody": {"user_id": "is.null"},
    "all": {},
    "published": {"version": f"lt.{DRAFT_VERSION}"},
    "draft": {"version": f"eq.{DRAFT_VERSION}"},
    "shown": {"key": "like.marketing.*"},
    "hidden": {"key": "not.like.marketing.*"},
}


@dataclass(frozen=True)
class Cell:
    """What a role may do to the rows of a target: a person's, or those of CONDITIONS."""

    table: str
    verb: str
    target: str
    role: str
    expect: str

    def __str__(self) -> str:
        return f"{self.role} {self.verb} {self.table} of {self.target}"

    @property
    def user_id(self) -> UUID | None:
        return PEOPLE.get(self.target)

    @property
    def condition(self) -> str:
        """Which rows the target means, in SQL."""
        return CONDITIONS.get(self.target, f"user_id = '{self.user_id}'")

    @property
    def params(self) -> dict[str, str]:
        """Which rows the target means, as PostgREST takes it."""
        return PARAMS.get(self.target, {"user_id": f"eq.{self.user_id}"})


@dataclass(frozen=True)
class Move:
    """One special move, as SQL and as a request; an empty expectation means that this door does not exist."""

    name: str
    role: str
    sql: str
    direct: str
    method: str
    path: str
    headers: str
    body: str
    rest: str

    def __str__(self) -> str:
        return self.name


Entry = TypeVar("Entry", Cell, Move)


def cells() -> list[Cell]:
    """The matrix."""
    return _read("access.csv", Cell)


def moves() -> list[Move]:
    """The special moves."""
    return _read("moves.csv", Move)


def _read(name: str, kind: type[Entry]) -> list[Entry]:
    with (DATA / name).open(newline="") as file:
        return [kind(**{field.name: row[field.name] for field in fields(kind)}) for row in csv.DictReader(file)]


def claims(role: str) -> dict[str, str]:
    """The claims of a token of this role; only `admin` has shown a second factor."""
    if role in PEOPLE:
        aal = "aal2" if role == "admin" else "aal1"
        return {"role": "authenticated", "sub": str(PEOPLE[role]), "aud": "authenticated", "aal": aal}
    return {"role": role}


def fill(text: str, world: Mapping[str, str]) -> str:
    """The text with `{name}` replaced; braces of JSON stay."""
    for name, value in world.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def new_row(cell: Cell, world: Mapping[str, str]) -> dict[str, Any]:
    """The row that an insert cell tries to write."""
    values: dict[str, Any] = json.loads(fill(json.dumps(ROWS[cell.table]["insert"]), world))
    if cell.target in ("published", "draft"):
        return {"version": 1 if cell.target == "published" else DRAFT_VERSION, **values}
    if cell.target in ("shown", "hidden"):
        return {"key": "marketing.new" if cell.target == "shown" else "internal.new", **values}
    if cell.target == "all":
        return values
    return {"user_id": str(cell.user_id) if cell.user_id else None, **values}


# --- by role switch -------------------------------------------------------------------------------------------------


@asynccontextmanager
async def acting(connection: Connection, role: str) -> AsyncIterator[None]:
    """The connection as this role, inside the caller's transaction; as itself again afterwards."""
    bearer = claims(role)
    switch = "select set_config('role', $1, true), set_config('request.jwt.claims', $2, true)"
    await connection.execute(switch, bearer["role"], json.dumps(bearer))
    yield
    await connection.execute(switch, "none", "")


async def direct(connection: Connection, cell: Cell, world: Mapping[str, str]) -> str:
    """The outcome of a cell by role switch, undone.

    Updates and deletes name no row: a WHERE clause would bring in the select policy and hide a hole in theirs.
    """

    async def attempt() -> str:
        before = await _versions(connection, cell)
        async with acting(connection, cell.role):
            seen = await connection.fetch(*_statement(cell, world))
        if cell.verb == "select":
            return "yes" if seen else "none"
        return "none" if await _versions(connection, cell) == before else "yes"

    return await _undone(connection, attempt)


async def direct_move(connection: Connection, move: Move, world: Mapping[str, str]) -> str:
    """The outcome of a special move by role switch, undone."""

    async def attempt() -> str:
        async with acting(connection, move.role):
            statement = await connection.prepare(fill(move.sql, world))
            await statement.fetch()
        # Such as "SELECT 0" or "UPDATE 1".
        return "none" if (statement.get_statusmsg() or "").endswith(" 0") else "yes"

    return await _undone(connection, attempt)


async def _undone(connection: Connection, attempt: Callable[[], Awaitable[str]]) -> str:
    async with rolled_back(connection):
        try:
            return await attempt()
        # The second: a view over several tables takes no row from anybody.
        except (asyncpg.InsufficientPrivilegeError, asyncpg.ObjectNotInPrerequisiteStateError):
            return "denied"
        except asyncpg.UniqueViolationError:
            return "conflict"
        except asyncpg.ForeignKeyViolationError:
            return "orphan"
        except asyncpg.CheckViolationError:
            return "invalid"


async def _versions(connection: Connection, cell: Cell) -> list[asyncpg.Record]:
    # By content: the rows of a view lie nowhere.
    return await connection.fetch(f"select row::text from public.{cell.table} as row where {cell.condition} order by 1")


def _statement(cell: Cell, world: Mapping[str, str]) -> tuple[Any, ...]:
    if cell.verb == "select":
        return (f"select from public.{cell.table} where {cell.condition}",)
    if cell.verb == "delete":
        return (f"delete from public.{cell.table}",)
    values = new_row(cell, world) if cell.verb == "insert" else ROWS[cell.table]["update"]
    columns = ", ".join(values)
    source = f"(select {columns} from jsonb_populate_record(null::public.{cell.table}, $1::text::jsonb))"
    if cell.verb == "insert":
        return f"insert into public.{cell.table} ({columns}) {source}", json.dumps(values)
    return f"update public.{cell.table} set ({columns}) = {source}", json.dumps(values)


# --- through PostgREST ----------------------------------------------------------------------------------------------


async def rest(client: httpx.AsyncClient, token: str | None, cell: Cell, world: Mapping[str, str]) -> str:
    """The outcome of a cell through PostgREST, undone."""
    row = new_row(cell, world) if cell.verb == "insert" else ROWS[cell.table]["update"]
    method = {"select": "GET", "insert": "POST", "update": "PATCH", "delete": "DELETE"}[cell.verb]
    request = client.build_request(
        method,
        f"/{cell.table}",
        params={} if cell.verb == "insert" else cell.params,
        json=row if cell.verb in ("insert", "update") else None,
        headers=_authorization(token),
    )
    return await _outcome(client, request, ["count=exact"])


async def rest_move(client: httpx.AsyncClient, token: str | None, move: Move, world: Mapping[str, str]) -> str:
    """The outcome of a special move through PostgREST, undone."""
    headers = [line.split(": ", 1) for line in move.headers.split("; ")] if move.headers else []
    preferences = [value for name, value in headers if name == "Prefer"]
    request = client.build_request(
        move.method,
        "/" + fill(move.path, world),
        content=fill(move.body, world) or None,
        headers={
            **_authorization(token),
            "Content-Type": "application/json",
            **{name: value for name, value in headers if name != "Prefer"},
        },
    )
    return await _outcome(client, request, preferences)


def _authorization(token: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token else {}


async def _outcome(client: httpx.AsyncClient, request: httpx.Request, preferences: list[str]) -> str:
    request.headers["Prefer"] = ", ".join([*preferences, "tx=rollback"])
    response = await client.send(request)
    if response.is_success:
        return "yes" if _reached(response) else "none"
    code = response.json()["code"]
    if code in ("42501", "55000") and response.status_code in (401, 403, 405, 500):
        return "denied"
    if code == "23505" and response.status_code == 409:
        return "conflict"
    if code == "23503" and response.status_code == 409:
        return "orphan"
    if code.startswith("PGRST") and response.status_code in (400, 404, 406, 415):
        return "absent"
    return f"{response.status_code} {response.text}"


def _reached(response: httpx.Response) -> bool:
    """Whether a successful answer shows or changed anything: by its count, else by its body."""
    total = response.headers.get("Content-Range", "").rpartition("/")[2]
    if total.isdigit():
        return int(total) > 0
    return bool(response.json()) if response.content else response.status_code in (201, 204)
