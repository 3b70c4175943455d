"""auth.refuse_revoked: what PostgREST refuses by itself, when a request reaches its socket past the gateway."""

from __future__ import annotations

import json
import time
import uuid

import asyncpg
import httpx
import pytest

from backend.auth import revocations
from backend.core import jwt
from backend.core.config import Settings

pytestmark = pytest.mark.anyio


async def status_of(postgrest: Settings, token: str | None) -> tuple[int, str]:
    """The status and text of the root, asked straight at the socket."""
    transport = httpx.AsyncHTTPTransport(uds=str(postgrest.postgrest_socket))
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with httpx.AsyncClient(transport=transport, base_url="http://postgrest") as direct:
        answer = await direct.get("/", headers=headers)
    return answer.status_code, answer.text


def token_of(postgrest: Settings, **claims: str) -> str:
    moment = int(time.time())
    content = {"sub": str(uuid.uuid4()), "role": "authenticated", "iat": moment, "exp": moment + 60, **claims}
    return jwt.load(postgrest.home).sign(content)


async def test_an_ended_session_is_refused_past_the_gateway_and_others_are_not(postgrest: Settings) -> None:
    ended, alive = str(uuid.uuid4()), str(uuid.uuid4())
    token = token_of(postgrest, session_id=ended)
    assert (await status_of(postgrest, token))[0] == 200
    connection = await asyncpg.connect(postgrest.database_url)
    try:
        await connection.execute("select auth.revoke_session($1)", ended)
        status, text = await status_of(postgrest, token)
        assert status == 401
        assert json.loads(text) == revocations.REFUSAL
        assert (await status_of(postgrest, token_of(postgrest, session_id=alive)))[0] == 200
    finally:
        await connection.execute("delete from auth.revoked_sessions where session_id = $1", ended)
        await connection.close()


async def test_anon_and_the_service_key_have_no_session_to_end(postgrest: Settings) -> None:
    assert (await status_of(postgrest, None))[0] == 200
    assert (await status_of(postgrest, jwt.load(postgrest.home).service_role_key))[0] == 200


async def test_a_session_that_owes_its_second_factor_is_refused_past_the_gateway(postgrest: Settings) -> None:
    status, text = await status_of(
        postgrest, token_of(postgrest, session_id=str(uuid.uuid4()), second_factor="missing")
    )
    assert status == 403
    assert json.loads(text) == revocations.HALFWAY
