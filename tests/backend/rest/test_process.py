"""The settings PostgREST is started with."""

from __future__ import annotations

import asyncio
import shutil
import time
import uuid
from dataclasses import replace
from pathlib import Path

import asyncpg
import httpx
import pytest

from backend.core import jwt
from backend.core.config import Settings
from backend.rest import process
from tests.conftest import running_postgrest

PATIENCE_S = 20


def test_the_token_cache_that_leaks_stays_off(installed: Settings) -> None:
    environment = process.environment(installed, jwt.load(installed.home))
    assert environment["PGRST_JWT_CACHE_MAX_LIFETIME"] == "0"


@pytest.mark.anyio
async def test_the_operator_allows_plans_and_fewer_rows_by_the_role_of_postgrest(postgrest: Settings) -> None:
    plan = {"Accept": "application/vnd.pgrst.plan+json"}
    transport = httpx.AsyncHTTPTransport(uds=str(postgrest.postgrest_socket))
    connection = await asyncpg.connect(postgrest.database_url)
    database = await connection.fetchval("select quote_ident(current_database())")

    async def configure(change: str) -> None:
        await connection.execute(f"alter role authenticator in database {database} {change}")
        await connection.execute("notify pgrst, 'reload config'")

    async with httpx.AsyncClient(transport=transport, base_url="http://postgrest") as client:
        await connection.execute("create table public.numbered as select generate_series(1, 3) as number")
        await connection.execute("grant select on public.numbered to anon")
        async with asyncio.timeout(PATIENCE_S):
            while (await client.get("/numbered")).status_code != 200:  # noqa: ASYNC110
                await asyncio.sleep(0.05)  # PostgREST tells nobody that it has read the schema, or its settings
        assert (await client.get("/numbered", headers=plan)).status_code == 415
        assert len((await client.get("/numbered")).json()) == 3
        try:
            await configure("set pgrst.db_plan_enabled = 'true'")
            await configure("set pgrst.db_max_rows = '1'")
            async with asyncio.timeout(PATIENCE_S):
                while len((await client.get("/numbered")).json()) != 1:  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
            answer = await client.get("/numbered", headers=plan)
            assert (answer.status_code, "Plan" in answer.json()[0]) == (200, True)
        finally:
            await configure("reset all")
            async with asyncio.timeout(PATIENCE_S):
                while (await client.get("/numbered", headers=plan)).status_code == 200:  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
            await connection.execute("drop table public.numbered")
            await connection.close()


@pytest.mark.anyio
@pytest.mark.parametrize("algorithm", ["ES256", "HS256"])
async def test_postgrest_believes_sessions_whatever_signs_them(
    postgrest: Settings, tmp_path: Path, algorithm: str
) -> None:
    own = jwt.Own(algorithm=algorithm)
    shutil.copy(postgrest.home / jwt.KEYS_FILE, tmp_path)
    jwt.rotate(tmp_path, own)
    # GraphQL is not built: its schema is in the settings of every project of the CLI.
    api = replace(postgrest.api, schemas=("public", "graphql_public"))
    settings = replace(postgrest, home=tmp_path, own_keys=own, api=api)
    keys = jwt.load(tmp_path, own)
    moment = int(time.time())
    claims = {"sub": str(uuid.uuid4()), "role": "authenticated", "iat": moment, "exp": moment + 60}
    with running_postgrest(settings):
        transport = httpx.AsyncHTTPTransport(uds=str(settings.postgrest_socket))
        async with httpx.AsyncClient(transport=transport, base_url="http://postgrest") as client:
            headers = {"Authorization": f"Bearer {keys.sign(claims)}"}
            assert (await client.get("/tasks", headers=headers)).json() == []
            headers = {"Authorization": f"Bearer {keys.sign(claims)[:-8]}AAAAAAAA"}
            assert (await client.get("/tasks", headers=headers)).status_code == 401
