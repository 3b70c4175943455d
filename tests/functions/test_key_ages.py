"""How old keys are: what the job notes of them, and when each is due."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import asyncpg
import pytest

from backend.core import db, jwt
from backend.core.resources import Resources
from backend.edge.api import Context
from functions.jobs import key_ages

pytestmark = pytest.mark.anyio
ADMIN = UUID("00000000-0000-4000-8000-0000000000ad")


def _with_secrets(resources: Resources, secrets: Mapping[str, str]) -> Resources:
    edge = replace(resources.settings.edge_runtime, secrets=secrets)
    return replace(resources, settings=replace(resources.settings, edge_runtime=edge))


async def _noted(resources: Resources) -> dict[str, asyncpg.Record]:
    await key_ages.handler({}, Context("test", {"role": "service_role"}, "", resources))
    async with db.connection(resources.pool) as connection:
        return {row["name"]: row for row in await connection.fetch("select * from private.key_ages")}


async def _age(resources: Resources, days: int) -> None:
    async with db.connection(resources.pool) as connection:
        await connection.execute("update private.key_ages set used_since = now() - $1::interval", timedelta(days=days))


async def test_keys_that_are_set_are_noted_without_the_secret(resources: Resources) -> None:
    secrets = {"STRIPE_SECRET_KEY": "sk_test_1", "AI_MODEL": "openai:gpt", "AI_API_KEY": ""}
    noted = await _noted(_with_secrets(resources, secrets))
    assert {"signing_key", "jwt_secret", "secret_key", "STRIPE_SECRET_KEY"} <= set(noted)
    assert not {"AI_MODEL", "AI_API_KEY"} & set(noted)
    kept = json.dumps([[*map(str, row.values())] for row in noted.values()])
    assert "sk_test_1" not in kept
    assert resources.keys.secret_key not in kept
    assert noted["secret_key"]["used_since"] == resources.keys.created_at


async def test_a_secret_that_changed_is_young_and_one_that_is_gone_is_forgotten(resources: Resources) -> None:
    both = {"STRIPE_SECRET_KEY": "sk_test_1", "AI_API_KEY": "ai_1"}
    before = await _noted(_with_secrets(resources, both))
    await _age(resources, 400)
    same = await _noted(_with_secrets(resources, both))
    assert same["STRIPE_SECRET_KEY"]["used_since"] < before["STRIPE_SECRET_KEY"]["used_since"] - timedelta(days=399)
    changed = await _noted(_with_secrets(resources, {"STRIPE_SECRET_KEY": "sk_test_2"}))
    assert changed["STRIPE_SECRET_KEY"]["used_since"] >= before["STRIPE_SECRET_KEY"]["used_since"]
    assert "AI_API_KEY" not in changed


async def test_a_rotated_signing_key_is_young_again(resources: Resources) -> None:
    await _noted(resources)
    await _age(resources, 400)
    jwt.rotate(resources.settings.home, resources.settings.own_keys)
    rotated = replace(resources, keys=jwt.load(resources.settings.home, resources.settings.own_keys))
    noted = await _noted(rotated)
    assert noted["signing_key"]["used_since"] - noted["jwt_secret"]["used_since"] > timedelta(days=399)


@pytest.mark.parametrize(("days", "light"), [(300, "ok"), (340, "warning"), (370, "error")])
async def test_a_key_is_due_after_a_year_and_announced_a_month_before(
    resources: Resources, days: int, light: str
) -> None:
    await _noted(_with_secrets(resources, {"AI_API_KEY": "ai_1"}))
    await _age(resources, days)
    async with db.transaction(resources.pool) as connection:
        await connection.execute("insert into auth.users (id, email) values ($1, 'admin@example.com')", ADMIN)
        await connection.execute("insert into public.user_roles (user_id, role) values ($1, 'admin')", ADMIN)
    claims = {"sub": str(ADMIN), "role": "authenticated", "aal": "aal2"}
    async with db.as_claims(resources.pool, claims) as connection:
        found = {row["name"]: row["light"] for row in await connection.fetch("select * from public.admin_keys()")}
    assert (found["AI_API_KEY"], found["jwt_secret"]) == (light, "ok")
