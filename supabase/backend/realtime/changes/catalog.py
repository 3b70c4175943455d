"""What the follower knows of the published tables: columns, keys, and how each role's rows are to be found out."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from backend.core import db

PUBLICATION = "supabase_realtime"
# Definitions and rights are read again at once when the database says that they changed, and at least this often.
LIFE_S = 5.0

# The one shape of policy that can be answered without asking: a row belongs to whom its column names.
_UID = r"\(\s*SELECT auth\.uid\(\) AS uid\)"
_OWNER = re.compile(rf"\(?(?:(?P<left>\w+) = {_UID}|{_UID} = (?P<right>\w+))\)?")


@dataclass(frozen=True)
class Table:
    """A published table. `columns`: names and types (pg_type.typname); `key`: the primary key's, types in full."""

    oid: int
    schema: str
    name: str
    columns: Mapping[str, str]
    key: Mapping[str, str]
    has_rls: bool


@dataclass(frozen=True)
class Access:
    """How one role sees a table: `all` rows, those whose `owner` column names the caller, or to be asked for each."""

    columns: frozenset[str]
    rows: Literal["all", "owner", "ask", "none"]
    owner: str = ""


class Catalog:
    """Definitions and rights, remembered for a moment."""

    def __init__(self, pool: db.Pool) -> None:
        self._pool = pool
        self._tables: dict[int, Table] = {}
        self._access: dict[tuple[int, str], Access] = {}
        self._read_at = float("-inf")

    def forget(self) -> None:
        """Something was defined or granted anew."""
        self._read_at = float("-inf")

    async def tables(self) -> Mapping[int, Table]:
        """Every published table, by its oid."""
        if time.monotonic() - self._read_at > LIFE_S:
            # Taken before reading: what changes meanwhile is read again.
            started = time.monotonic()
            self._read_at = started
            self._tables = await self._read_tables()
            self._access = {}
        return self._tables

    async def _read_tables(self) -> dict[int, Table]:
        async with db.connection(self._pool) as connection:
            rows = await connection.fetch(
                """
                select c.oid::int8 as oid, n.nspname as schema, c.relname as name, c.relrowsecurity as has_rls,
                       (select jsonb_object_agg(a.attname, t.typname)
                          from pg_attribute a join pg_type t on t.oid = a.atttypid
                         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
                       (select jsonb_object_agg(a.attname, format_type(a.atttypid, a.atttypmod))
                          from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
                         where i.indrelid = c.oid and i.indisprimary) as key
                  from pg_publication_tables p
                  join pg_namespace n on n.nspname = p.schemaname
                  join pg_class c on c.relnamespace = n.oid and c.relname = p.tablename
                 where p.pubname = $1
                """,
                PUBLICATION,
            )
        return {
            row["oid"]: Table(
                row["oid"], row["schema"], row["name"], row["columns"] or {}, row["key"] or {}, row["has_rls"]
            )
            for row in rows
        }

    async def access(self, table: Table, role: str) -> Access:
        """How this role sees the table's rows."""
        known = self._access.get((table.oid, role))
        if known is None:
            known = self._access[table.oid, role] = await self._read_access(table, role)
        return known

    async def _read_access(self, table: Table, role: str) -> Access:
        async with db.connection(self._pool) as connection:
            rights = await connection.fetchrow(
                """
                select coalesce(array_agg(a.attname::text) filter (
                         where has_column_privilege($1, a.attrelid, a.attnum, 'select')), '{}') as columns,
                       (select rolsuper or rolbypassrls from pg_roles where rolname = $1) as bypasses
                  from pg_attribute a
                 where a.attrelid = $2::int8::oid and a.attnum > 0 and not a.attisdropped
                """,
                role,
                table.oid,
            )
            policies = await connection.fetch(
                """
                select polpermissive as permissive, coalesce(pg_get_expr(polqual, polrelid), 'true') as expression
                  from pg_policy
                 where polrelid = $2::int8::oid and polcmd in ('r', '*')
                   and (polroles = '{0}' or exists (
                     select from unnest(polroles) as named (role_oid) where pg_has_role($1, named.role_oid, 'usage')))
                """,
                role,
                table.oid,
            )
        assert rights is not None
        columns = frozenset(rights["columns"])
        if not columns or not columns >= table.key.keys():
            return Access(columns, "none")
        if rights["bypasses"] or not table.has_rls:
            return Access(columns, "all")
        if not any(policy["permissive"] for policy in policies):
            return Access(columns, "none")
        owner = _owner(table, [policy["expression"] for policy in policies])
        return Access(columns, "owner", owner) if owner else Access(columns, "ask")


def _owner(table: Table, expressions: list[str]) -> str:
    """The owner's column, when that one comparison is all the policies say; "" for anything else."""
    if len(expressions) != 1:
        return ""
    match = _OWNER.fullmatch(expressions[0].strip())
    column = (match["left"] or match["right"]) if match else ""
    return column if table.columns.get(column) == "uuid" else ""
