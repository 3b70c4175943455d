"""The other side of a hook: a small server of the product's, or a function in the database."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from aiohttp import web

from backend.core import db
from backend.core.config_hooks import Hook
from backend.core.resources import Resources
from scripts import postgres

KEYS = (b"an old key of the hook", b"a new key of the hook..")
SECRETS = "|".join(f"v1,whsec_{base64.b64encode(key).decode()}" for key in KEYS)

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Server:
    """The other side of a hook over http: keeps what it was sent, answers as told."""

    url: str
    answer: Answer
    seen: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    def payloads(self) -> list[Any]:
        return [json.loads(body) for _, body in self.seen]


@asynccontextmanager
async def running() -> AsyncIterator[Server]:
    """Listens on a free port inside the block."""

    async def receive(request: web.Request) -> web.StreamResponse:
        served.seen.append((dict(request.headers), await request.read()))
        return await served.answer(request)

    application = web.Application()
    application.router.add_post("/hook", receive)
    runner = web.AppRunner(application)
    await runner.setup()
    (port,) = postgres.free_ports(1)
    await web.TCPSite(runner, "127.0.0.1", port).start()
    served = Server(f"http://127.0.0.1:{port}/hook", answer_json({}))
    yield served
    await runner.cleanup()


def answer_json(content: Any, status: int = 200, headers: dict[str, str] | None = None) -> Answer:
    """Always answers this."""

    async def answer(_request: web.Request) -> web.StreamResponse:
        return web.json_response(content, status=status, headers=headers)

    return answer


def use(resources: Resources, name: str, uri: str) -> None:
    """Switches a hook on."""
    auth = resources.settings.auth
    changed = replace(auth.hook, **{name: Hook(True, uri, "" if uri.startswith("pg-") else SECRETS)})
    object.__setattr__(resources, "settings", replace(resources.settings, auth=replace(auth, hook=changed)))


async def make_function(resources: Resources, body: str) -> str:
    """A hook in the database; answers its uri."""
    async with db.connection(resources.pool) as connection:
        await connection.execute(
            f"""
            create or replace function public.hook(event jsonb) returns jsonb language plpgsql as $$ {body} $$;
            revoke execute on function public.hook(jsonb) from public, anon, authenticated;
            grant execute on function public.hook(jsonb) to supabase_auth_admin;
            """
        )
    return "pg-functions://postgres/public/hook"
