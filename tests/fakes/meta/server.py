"""The fake Meta of `make run` and of browser tests: numbers for everybody, and a page on which to be the client.

A token `prova-<digits>` is a number of its own, made when it is first used. Messages go out by webhook at once,
statuses twice and shuffled; a template is approved after a moment, or rejected when its text has the word «rifiuta».
The dialog of Embedded Signup gives such tokens (dialog.py).
"""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web

from tests.fakes.meta import dialog, page, signup
from tests.fakes.meta.business import Business, Payload
from tests.fakes.meta.graph import FAILS, MAX_BYTES, Meta, error

TOKEN = re.compile(r"prova-([0-9]{1,20})")
# The same for each number: what it protects is no secret.
APP_ID = "prova-app"
APP_SECRET = "segreto-di-prova"
TIMEOUT = aiohttp.ClientTimeout(total=20)
STATUS_DELAY_S = 0.4
TEMPLATE_DELAY_S = 1.0
HOSTS = ("localhost", "127.0.0.1")


@dataclass
class World:
    """Every number that was used, by its id; their webhooks outlive a restart in `state`."""

    state: Path | None = None
    numbers: dict[str, Meta] = field(default_factory=dict)
    signups: signup.Signups = field(default_factory=lambda: signup.Signups(APP_ID, APP_SECRET))
    # What the owner of a number shares of its phone, and the pieces of its history that wait for a button.
    shared: dict[str, str] = field(default_factory=dict)
    pieces: dict[str, list[bytes]] = field(default_factory=dict)
    chores: set[asyncio.Task[None]] = field(default_factory=set)

    def number(self, digits: str) -> Meta:
        """Return a number; the first use makes it."""
        if digits not in self.numbers:
            business = Business(
                phone_number_id=digits, waba_id=f"9{digits}", portfolio=f"portfolio-{digits}",
                token=f"prova-{digits}", app_secret=APP_SECRET, display_number=f"+39 02 {digits[-7:]}",
            )  # fmt: skip
            self.numbers[digits] = Meta(business, webhook=self._kept().get(digits))
        return self.numbers[digits]

    def _kept(self) -> dict[str, Any]:
        if self.state is None or not self.state.exists():
            return {}
        kept: dict[str, Any] = json.loads(self.state.read_text())
        return kept

    def keep(self) -> None:
        """Write the webhooks down."""
        if self.state is not None:
            known = self._kept() | {digits: meta.webhook for digits, meta in self.numbers.items()}
            self.state.write_text(json.dumps(known))

    def start(self, chore: Any) -> None:
        """Do something in the background."""
        task = asyncio.create_task(chore)
        self.chores.add(task)
        task.add_done_callback(self.chores.discard)

    async def graph(self, request: web.Request) -> web.StreamResponse:
        """Answer a request of the Graph API, and do what follows from it."""
        authorization = request.headers.get("Authorization", "")
        if request.match_info["path"] in signup.PATHS:
            return self.signups.answer(request.match_info["path"], request.query, authorization)
        found = TOKEN.fullmatch(authorization.removeprefix("Bearer "))
        if not found:
            return error(190, "Invalid OAuth access token")
        meta = self.number(found.group(1))
        already, former, synced = len(meta.sent), set(meta.templates), len(meta.synced)
        if request.method == "POST" and request.match_info["path"].endswith("/subscribed_apps"):
            asked = json.loads(await request.read())
            if not await verified(asked):
                return error(2200, "The callback URL or verify token couldn't be validated")
        answer = await meta.answer(request)
        self.keep()
        for message in meta.sent[already:]:
            self.start(self._statuses(meta, message))
        for kind in meta.synced[synced:]:
            self.start(dialog.synchronise(self, found.group(1), kind))
        for name in set(meta.templates) - former:
            self.start(self._decision(meta, name))
        return answer

    async def deliver(self, meta: Meta, body: bytes) -> int:
        """Send a webhook, three times at most; answers the last status."""
        status = 0
        for attempt in range(3):
            await asyncio.sleep(attempt)
            status = await post(meta, body)
            if status == 200:
                break
        return status

    async def _statuses(self, meta: Meta, message: Payload) -> None:
        await asyncio.sleep(STATUS_DELAY_S)
        recipient = message.get("to") or message.get("recipient") or ""
        states = ["sent", "failed"] if FAILS.search(recipient) else ["sent", "delivered", "read"]
        told = [meta.status(message, state) for state in states * 2]
        random.shuffle(told)
        for status in told:
            await self.deliver(meta, meta.business.delivery(meta.business.value(statuses=[status])))

    async def _decision(self, meta: Meta, name: str) -> None:
        await asyncio.sleep(TEMPLATE_DELAY_S)
        template = meta.templates[name]
        is_refused = "rifiuta" in json.dumps(template["components"], ensure_ascii=False).lower()
        template["status"] = "REJECTED" if is_refused else "APPROVED"
        value = {
            "event": template["status"], "message_template_name": name,
            "message_template_language": template["language"], "reason": "INVALID_FORMAT" if is_refused else "NONE",
        }  # fmt: skip
        await self.deliver(meta, meta.business.delivery(value, name="message_template_status_update"))


async def verified(asked: Payload) -> bool:
    """Ask a webhook for its challenge, as Meta does when it is set."""
    challenge = str(random.getrandbits(32))
    params = {"hub.mode": "subscribe", "hub.challenge": challenge, "hub.verify_token": asked.get("verify_token", "")}
    try:
        async with (
            aiohttp.ClientSession(timeout=TIMEOUT) as client,
            client.get(asked["override_callback_uri"], params=params) as answer,
        ):
            return answer.status == 200 and await answer.text() == challenge
    except (TimeoutError, aiohttp.ClientError, OSError, LookupError):
        return False


async def post(meta: Meta, body: bytes) -> int:
    """Send a signed body to the webhook of a number; 0 when there is no answer."""
    if not meta.webhook:
        return 0
    try:
        async with (
            aiohttp.ClientSession(timeout=TIMEOUT) as client,
            client.post(
                meta.webhook["override_callback_uri"], data=body, headers=meta.business.headers(body)
            ) as answer,
        ):
            return answer.status
    except (TimeoutError, aiohttp.ClientError, OSError):
        return 0


@web.middleware
async def only_loopback(request: web.Request, handler: Any) -> web.StreamResponse:
    """Refuse other names, so that no website can reach it by DNS rebinding."""
    if request.url.host not in HOSTS:
        return web.Response(status=400)
    answer: web.StreamResponse = await handler(request)
    return answer


@asynccontextmanager
async def listening(port: int, state: Path) -> AsyncIterator[None]:
    """Serve page and Graph API on loopback while the block lasts."""
    world = World(state)
    app = web.Application(middlewares=[only_loopback], client_max_size=MAX_BYTES)
    app.add_routes([*page.routes(world), *dialog.routes(world), web.route("*", "/graph/{path:.+}", world.graph)])
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    try:
        yield
    finally:
        for chore in list(world.chores):
            chore.cancel()
            with suppress(asyncio.CancelledError):
                await chore
        await runner.cleanup()
