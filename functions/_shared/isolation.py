"""The proof that accounts are kept apart: a stranger tries every table, and reaches nothing.

It runs in a scratch database with real rows (functions/jobs/backups.py), where it may try in earnest. Two try, with the
rights of the API's roles: a new account, and somebody who is not signed in. Each reads, changes and deletes all rows
that are not its own, and inserts a copy of somebody's row; every attempt is rolled back. A refusal is SQLSTATE 42501 or
no row reached. Whatever happens otherwise is a finding: a broken constraint too, for Postgres checks these only after
the policies have let a row through. Views are only read: they have their caller's rights (a lint of measure_security
sees to it), so what is written through one is tried on its tables.
"""

# ruff: noqa: S608 - names from the catalog and values that are quoted.

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID, uuid4

import asyncpg

from backend.edge import api

# Everybody reads these; writing them is tried as with any other. tests/functions/test_isolation.py compares them with
# the access matrix.
PUBLIC = frozenset(
    {
        "catalog_versions",
        "claims",
        "credit_prices",
        "insight_kinds",
        "notification_kinds",
        "packs",
        "plans",
        "retention_rules",
        "site_settings",
    }
)

TABLES = """
select format('%I.%I', nspname, relname) as name, relname as plain_name, pg_class.oid::bigint as oid,
  relkind = 'v' as is_view,
  exists (select from pg_attribute where attrelid = pg_class.oid and attname = 'user_id') as is_owned
from pg_class join pg_namespace on pg_namespace.oid = relnamespace
where (nspname = 'public' and relkind in ('r', 'p', 'v') or nspname = 'storage' and relname in ('objects', 'buckets'))
order by name
"""
COLUMNS = """
select quote_ident(attname) as name, atttypid = 'uuid'::regtype as is_uuid, attname = 'id' as is_id,
  has_column_privilege($2, $1::bigint::oid, attnum, 'select') as may_select,
  has_column_privilege($2, $1::bigint::oid, attnum, 'insert') as may_insert,
  has_column_privilege($2, $1::bigint::oid, attnum, 'update') as may_update
from pg_attribute
where attrelid = $1::bigint::oid and attnum > 0 and not attisdropped and attgenerated = '' and attidentity <> 'a'
order by attnum
"""
# Errors that are caught in the database are not in its log, where they would be hundreds, with values of rows. The
# login's default privileges may give nobody a function.
ATTEMPT = """
create function pg_temp.attempt(_statement text, _row jsonb) returns text language plpgsql as $$
declare
  _reached bigint;
begin
  execute _statement into _reached using _row;
  return case when _reached > 0 then format('%s righe', _reached) end;
exception
  when insufficient_privilege then return null;
  when others then return sqlstate;
end
$$;
grant execute on function pg_temp.attempt to public
"""
# What the rules are made of. Two databases with the same digest keep accounts apart in the same way.
RULES = """
with api_roles as (select oid from pg_roles where rolname in ('anon', 'authenticated')),
schemas as (select oid, nspname from pg_namespace where nspname in ('public', 'private', 'storage')),
relations as (
  select pg_class.oid, nspname, relname, relrowsecurity, relforcerowsecurity, reloptions, relacl
  from pg_class join schemas on schemas.oid = relnamespace where relkind in ('r', 'p', 'v')
),
functions as (
  select pg_proc.oid, nspname, proname, prosecdef, proconfig, prosrc, coalesce(proacl, acldefault('f', proowner)) as acl
  from pg_proc join schemas on schemas.oid = pronamespace where nspname <> 'storage'
),
lines (line) as (
  select concat_ws(' ', schemaname, tablename, policyname, permissive, roles, cmd, qual, with_check)
  from pg_policies where schemaname in (select nspname from schemas)
  union all
  select concat_ws(' ', nspname, relname, relrowsecurity, relforcerowsecurity, reloptions) from relations
  union all
  select concat_ws(' ', nspname, relname, right_on.grantee, right_on.privilege_type)
  from relations cross join lateral aclexplode(relacl) as right_on
  where right_on.grantee = 0 or right_on.grantee in (select oid from api_roles)
  union all
  select concat_ws(' ', nspname, relname, attname, right_on.grantee, right_on.privilege_type)
  from relations join pg_attribute on attrelid = relations.oid cross join lateral aclexplode(attacl) as right_on
  where right_on.grantee = 0 or right_on.grantee in (select oid from api_roles)
  union all
  select concat_ws(' ', nspname, proname, pg_get_function_identity_arguments(oid), prosecdef, proconfig, md5(prosrc))
  from functions
  union all
  select concat_ws(' ', nspname, proname, pg_get_function_identity_arguments(functions.oid), right_on.grantee)
  from functions cross join lateral aclexplode(acl) as right_on
  where right_on.grantee = 0 or right_on.grantee in (select oid from api_roles)
)
select md5(string_agg(line, e'\n' order by line collate "C")) from lines
"""


@dataclass(frozen=True)
class Finding:
    """An attempt that was not refused: rows reached, or an error that is no refusal."""

    table: str
    verb: str
    role: str
    outcome: str


@dataclass(frozen=True)
class Proof:
    """What was tried; of `empty` tables nobody has a row, so that reading and changing them proves nothing."""

    tables: int
    empty: int
    attempts: int
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class _Table:
    name: str
    is_public: bool
    is_view: bool
    # The stranger has rows in it, given to every new account.
    has_own: bool
    has_sample: bool
    columns: Sequence[asyncpg.Record]

    def allowed(self, verb: str) -> list[str]:
        """Name the columns for which the role has a right."""
        return [column["name"] for column in self.columns if column[f"may_{verb}"]]


async def rules(connection: api.Connection) -> str:
    """Return the digest of all policies, rights and functions of a database."""
    async with _undone(connection):
        # Names in policies are written out by it.
        await connection.execute("set local search_path = ''")
        digest: str = await connection.fetchval(RULES)
    return digest


async def prove(connection: api.Connection) -> Proof:
    """Try everything and leave nothing behind; the connection is of a login that no policy holds back."""
    attempts, empty, findings = 0, 0, list[Finding]()
    async with _undone(connection):
        stranger = await _make_account(connection)
        await connection.execute(ATTEMPT)
        tables = await connection.fetch(TABLES)
        for row in tables:
            is_own = "user_id is not distinct from $1" if row["is_owned"] else "$1::uuid is null"
            facts = await connection.fetchrow(
                # With a key of its own, so that it is the policies that refuse it.
                f"select (select (to_jsonb(t) || case when to_jsonb(t) ->> 'id' ~ '^[0-9a-f-]{{36}}$' "
                f"then jsonb_build_object('id', gen_random_uuid()) else '{{}}' end)::text "
                f"from {row['name']} as t where not ({is_own}) limit 1), "
                f"exists (select from {row['name']} where {is_own})",
                stranger,
            )
            assert facts is not None
            sample, has_own = facts
            empty += sample is None
            for role, user_id in (("anon", None), ("authenticated", stranger)):
                columns = await connection.fetch(COLUMNS, row["oid"], role)
                table = _Table(
                    row["name"], row["plain_name"] in PUBLIC, row["is_view"], has_own, sample is not None, columns
                )
                for verb, statement in _attempts(table, stranger):
                    attempts += 1
                    outcome = await _outcome(connection, statement, sample, role, user_id)
                    if outcome is not None:
                        findings.append(Finding(table.name, verb, role, outcome))
    return Proof(len(tables), empty, attempts, tuple(findings))


@asynccontextmanager
async def _undone(connection: api.Connection) -> AsyncIterator[None]:
    """Roll back what happens inside, also inside a transaction."""
    transaction = connection.transaction()
    await transaction.start()
    try:
        yield
    finally:
        await transaction.rollback()


async def _make_account(connection: api.Connection) -> UUID:
    user_id = uuid4()
    await connection.execute(
        """
        insert into auth.users (id, aud, role, email, raw_user_meta_data, email_confirmed_at, created_at, updated_at)
        values ($1, 'authenticated', 'authenticated', $1::uuid || '@isolation.invalid', '{}', now(), now(), now())
        """,
        user_id,
    )
    return user_id


def _attempts(table: _Table, stranger: UUID) -> Iterator[tuple[str, str]]:
    """Write a statement for each verb that the role may use on some column; it answers with a count of rows.

    A condition would let the policies of reading protect from changing as well, so there is one only where the stranger
    has rows of its own.
    """
    others = f" where user_id is distinct from '{stranger}'" if table.has_own else ""
    if table.allowed("select") and not table.is_public:
        yield "select", f"select count(*) from {table.name}{others}"
    if table.is_view:
        return
    for column in table.allowed("update")[:1]:
        yield "update", _counted(f"update {table.name} set {column} = default{others}")
    yield "delete", _counted(f"delete from {table.name}{others}")
    insertable = table.allowed("insert")
    if table.has_sample and insertable:
        names = ", ".join(insertable)
        row = f"jsonb_populate_record(null::{table.name}, $1)"
        yield "insert", _counted(f"insert into {table.name} ({names}) select {names} from {row}")


async def _outcome(
    connection: api.Connection, statement: str, sample: str | None, role: str, user_id: UUID | None
) -> str | None:
    """Run a statement as this role; None: it was refused, or reached no row."""
    claims = {"role": role} | ({"sub": str(user_id), "aud": role, "aal": "aal1"} if user_id else {})
    async with _undone(connection):
        await api.become(connection, claims)
        outcome: str | None = await connection.fetchval(
            "select pg_temp.attempt($1, $2::text::jsonb)", statement, sample
        )
    return outcome


def _counted(statement: str) -> str:
    return f"with t as ({statement} returning 1) select count(*) from t"
