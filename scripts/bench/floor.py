"""The least a request can cost: a raw ASGI application on the same server that asks the database one small thing."""

from __future__ import annotations

import json
import sys

import uvicorn
import uvloop
from starlette.types import ASGIApp, Receive, Scope, Send

from backend.core import config, db, server

QUERY = "select id::text, email, raw_user_meta_data::text as data from auth.users where id = $1"


def application(pool: db.Pool) -> ASGIApp:
    """Answers every path `/<user id>`."""

    async def answer(scope: Scope, _receive: Receive, send: Send) -> None:
        async with pool.acquire() as connection:
            row = await connection.fetchrow(QUERY, scope["path"][1:])
        assert row is not None
        body = json.dumps({"id": row["id"], "email": row["email"], "data": row["data"]}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return answer


async def serve(port: int) -> None:
    async with db.create_pool(config.load()) as pool:
        options = {**server.options(), "host": "127.0.0.1", "port": port}
        await uvicorn.Server(uvicorn.Config(application(pool), **options)).serve()


if __name__ == "__main__":
    uvloop.run(serve(int(sys.argv[1])))
