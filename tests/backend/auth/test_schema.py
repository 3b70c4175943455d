"""The auth schema (AUTH-30)."""

from __future__ import annotations

from pathlib import Path

import asyncpg
import pytest

import backend.auth
from backend.core import db
from backend.core.resources import Resources

pytestmark = pytest.mark.anyio

SCHEMA = Path(backend.auth.__file__).parent / "schema"
UPSTREAM_TABLES = """
audit_log_entries custom_oauth_providers flow_state identities instances mfa_amr_claims mfa_challenges mfa_factors
mfa_recovery_code_sets mfa_recovery_codes oauth_authorizations oauth_client_states oauth_clients oauth_consents
one_time_tokens refresh_tokens saml_providers
saml_relay_states schema_migrations sessions sso_domains sso_providers users webauthn_challenges webauthn_credentials
"""
OUR_TABLES = "attempts known_places mail_requests rate_limits revoked_sessions"


async def test_it_has_upstreams_tables_and_ours(resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        rows = await connection.fetch("select tablename from pg_tables where schemaname = 'auth'")
    assert {row[0] for row in rows} == {*UPSTREAM_TABLES.split(), *OUR_TABLES.split()}


async def test_it_can_be_applied_again(resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        await connection.execute("insert into auth.users (id, email) values (gen_random_uuid(), 'a@b.it')")
        for file in sorted(SCHEMA.glob("*.sql")):
            await connection.execute(file.read_text())
        assert await connection.fetchval("select count(*) from auth.users") == 1


async def test_every_table_is_closed_by_row_level_security_and_belongs_to_the_service(resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        rows = await connection.fetch(
            "select tablename, rowsecurity, tableowner from pg_tables where schemaname = 'auth'"
        )
    assert {(row["rowsecurity"], row["tableowner"]) for row in rows} == {(True, "supabase_auth_admin")}


@pytest.mark.parametrize("role", ["anon", "authenticated", "service_role"])
async def test_the_api_roles_read_nothing_but_call_the_functions(resources: Resources, role: str) -> None:
    claims = {"role": role, "sub": "11111111-1111-1111-1111-111111111111", "email": "a@b.it"}
    async with db.as_claims(resources.pool, claims) as connection:
        assert str(await connection.fetchval("select auth.uid()")) == claims["sub"]
        assert await connection.fetchval("select auth.role()") == role
        assert await connection.fetchval("select auth.email()") == "a@b.it"
        assert await connection.fetchval("select auth.jwt()") == claims
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute("select * from auth.users")


async def test_without_claims_the_functions_answer_null(resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        row = await connection.fetchrow("select auth.uid(), auth.role(), auth.email(), auth.jwt()")
        assert row is not None
        assert set(row.values()) == {None}
        async with connection.transaction():
            await connection.execute(
                "select set_config('request.jwt.claim.sub', $1, true)", "2" * 8 + "-2222" * 3 + "-" + "2" * 12
            )
            assert str(await connection.fetchval("select auth.uid()")).startswith("2222")


async def test_token_columns_are_empty_by_default(resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        row = await connection.fetchrow(
            "insert into auth.users (id) values (gen_random_uuid()) returning confirmation_token, recovery_token, "
            "email_change, email_change_token_new, email_change_token_current, reauthentication_token"
        )
    assert row is not None
    assert set(row.values()) == {""}


async def test_two_plain_accounts_cannot_share_an_address_but_sso_accounts_can(resources: Resources) -> None:
    insert = "insert into auth.users (id, email, is_sso_user) values (gen_random_uuid(), 'a@b.it', $1)"
    async with db.connection(resources.pool) as connection:
        for sso in (False, True, True):
            await connection.execute(insert, sso)
        with pytest.raises(asyncpg.UniqueViolationError):
            await connection.execute(insert, False)


async def test_every_foreign_key_has_an_index(resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        rows = await connection.fetch(
            """
            select c.conrelid::regclass::text as relation, c.conname
              from pg_constraint c
             where c.contype = 'f' and c.connamespace = 'auth'::regnamespace
               and not exists (
                 select from pg_index i where i.indrelid = c.conrelid
                  and (i.indkey::int2[])[0:cardinality(c.conkey) - 1] = c.conkey)
            """
        )
    assert rows == []
