"""Statements on auth.oauth_clients and auth.oauth_consents; lists are kept as texts, separated by commas or spaces."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

from backend.auth.oauth_server.rows import Client, Consent

if TYPE_CHECKING:
    from backend.core.db import Connection

_COLUMNS = """
c.id, coalesce(c.client_secret_hash, '') as client_secret_hash, c.registration_type::text, c.redirect_uris,
c.grant_types, coalesce(c.client_name, '') as client_name, coalesce(c.client_uri, '') as client_uri,
coalesce(c.logo_uri, '') as logo_uri, c.client_type::text, c.token_endpoint_auth_method, c.created_at, c.updated_at
"""


async def find(connection: Connection, client_id: UUID) -> Client | None:
    row = await connection.fetchrow(
        f"select {_COLUMNS} from auth.oauth_clients c where c.id = $1 and c.deleted_at is null",  # noqa: S608
        client_id,
    )
    return _client(row) if row else None


async def count(connection: Connection) -> int:
    total: int = await connection.fetchval("select count(*) from auth.oauth_clients where deleted_at is null")
    return total


async def page(connection: Connection, limit: int, offset: int) -> list[Client]:
    rows = await connection.fetch(
        f"""
        select {_COLUMNS} from auth.oauth_clients c where c.deleted_at is null
         order by c.created_at desc, c.id limit $1 offset $2
        """,  # noqa: S608 - constants
        limit,
        offset,
    )
    return [_client(row) for row in rows]


async def put(connection: Connection, client: Client) -> None:
    """Adds the client, or changes what may change."""
    await connection.execute(
        """
        insert into auth.oauth_clients (id, client_secret_hash, registration_type, redirect_uris, grant_types,
                                        client_name, client_uri, logo_uri, client_type, token_endpoint_auth_method,
                                        created_at, updated_at)
        values ($1, nullif($2, ''), $3::text::auth.oauth_registration_type, $4, $5, nullif($6, ''), nullif($7, ''),
                nullif($8, ''), $9::text::auth.oauth_client_type, $10, $11, $12)
        on conflict (id) do update
           set client_secret_hash = excluded.client_secret_hash, redirect_uris = excluded.redirect_uris,
               grant_types = excluded.grant_types, client_name = excluded.client_name,
               client_uri = excluded.client_uri, logo_uri = excluded.logo_uri,
               token_endpoint_auth_method = excluded.token_endpoint_auth_method, updated_at = excluded.updated_at
        """,
        client.id,
        client.client_secret_hash,
        client.registration_type,
        ",".join(client.redirect_uris),
        ",".join(client.grant_types),
        client.client_name,
        client.client_uri,
        client.logo_uri,
        client.client_type,
        client.token_endpoint_auth_method,
        client.created_at,
        client.updated_at,
    )


async def delete(connection: Connection, client_id: UUID, now: datetime) -> None:
    """The row stays for the records; its sessions and pending requests end."""
    await connection.execute(
        """
        with sessions as (delete from auth.sessions where oauth_client_id = $1),
        requests as (delete from auth.oauth_authorizations where client_id = $1)
        update auth.oauth_clients set deleted_at = $2, updated_at = $2 where id = $1
        """,
        client_id,
        now,
    )


async def is_allowed(connection: Connection, user_id: UUID, client_id: UUID, scope: str) -> bool:
    """Whether the person allows the client as much; a revocation waits until the end of the transaction."""
    scopes: str | None = await connection.fetchval(
        """
        select scopes from auth.oauth_consents where user_id = $1 and client_id = $2 and revoked_at is null
           for share
        """,
        user_id,
        client_id,
    )
    return set(scope.split()) <= set((scopes or "").split())


async def consent(connection: Connection, user_id: UUID, client_id: UUID, scopes: list[str], now: datetime) -> None:
    await connection.execute(
        """
        insert into auth.oauth_consents (id, user_id, client_id, scopes, granted_at) values ($1, $2, $3, $4, $5)
        on conflict (user_id, client_id) do update
           set scopes = excluded.scopes, granted_at = excluded.granted_at, revoked_at = null
        """,
        uuid4(),
        user_id,
        client_id,
        " ".join(scopes),
        now,
    )


async def consents(connection: Connection, user_id: UUID) -> list[Consent]:
    rows = await connection.fetch(
        f"""
        select {_COLUMNS}, g.scopes, g.granted_at
          from auth.oauth_consents g join auth.oauth_clients c on c.id = g.client_id and c.deleted_at is null
         where g.user_id = $1 and g.revoked_at is null order by g.granted_at desc limit 1000
        """,  # noqa: S608 - constants
        user_id,
    )
    return [Consent(_client(row), row["scopes"].split(), row["granted_at"]) for row in rows]


async def revoke(connection: Connection, user_id: UUID, client_id: UUID, now: datetime) -> bool:
    """Takes the consent back; False when there was none."""
    status = await connection.execute(
        """
        update auth.oauth_consents set revoked_at = $3
         where user_id = $1 and client_id = $2 and revoked_at is null
        """,
        user_id,
        client_id,
        now,
    )
    return status != "UPDATE 0"


def _client(row: Any) -> Client:
    lists = {name: row[name].split(",") for name in ("redirect_uris", "grant_types")}
    return Client(**{name: lists.get(name, row[name]) for name in Client.__dataclass_fields__})
