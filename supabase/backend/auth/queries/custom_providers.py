"""Statements on auth.custom_oauth_providers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backend.auth.providers.rows import CustomProvider

if TYPE_CHECKING:
    from backend.core.db import Connection

COLUMNS = (
    *("id", "provider_type", "identifier", "name", "client_id", "client_secret", "acceptable_client_ids", "scopes"),
    *("pkce_enabled", "attribute_mapping", "custom_claims_allowlist", "authorization_params", "enabled"),
    *("email_optional", "issuer", "discovery_url", "skip_nonce_check", "authorization_url", "token_url"),
    *("userinfo_url", "jwks_uri", "created_at", "updated_at"),
)
_SELECT = f"select {', '.join(COLUMNS)} from auth.custom_oauth_providers"  # noqa: S608 - constants


async def find(connection: Connection, identifier: str) -> CustomProvider | None:
    row = await connection.fetchrow(f"{_SELECT} where identifier = $1", identifier)
    return CustomProvider(**row) if row else None


async def find_all(connection: Connection, provider_type: str | None) -> list[CustomProvider]:
    rows = await connection.fetch(
        f"{_SELECT} where provider_type = coalesce($1, provider_type) order by created_at desc, id limit 1000",
        provider_type,
    )
    return [CustomProvider(**row) for row in rows]


async def insert(connection: Connection, provider: CustomProvider) -> bool:
    """False when the identifier is taken."""
    places = ", ".join(f"${number}" for number in range(1, len(COLUMNS) + 1))
    status = await connection.execute(
        f"""
        insert into auth.custom_oauth_providers ({", ".join(COLUMNS)}) values ({places})
        on conflict (identifier) do nothing
        """,  # noqa: S608 - constants
        *(getattr(provider, name) for name in COLUMNS),
    )
    return status != "INSERT 0 0"


async def update(connection: Connection, provider: CustomProvider) -> None:
    changes = ", ".join(f"{name} = ${number}" for number, name in enumerate(COLUMNS, start=1) if name != "id")
    await connection.execute(
        f"update auth.custom_oauth_providers set {changes} where id = $1",  # noqa: S608 - constants
        *(getattr(provider, name) for name in COLUMNS),
    )


async def delete(connection: Connection, identifier: str) -> bool:
    status = await connection.execute("delete from auth.custom_oauth_providers where identifier = $1", identifier)
    return status != "DELETE 0"
