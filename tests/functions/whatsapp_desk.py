"""A person with a connected WhatsApp number, for tests, and Meta on the other side."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from backend.core import db
from backend.core.config import Settings
from backend.core.resources import Resources
from backend.edge import api
from backend.edge.api import Context
from functions._shared.whatsapp import numbers
from functions.jobs import whatsapp_deliveries, whatsapp_media, whatsapp_outbox
from tests.db import accounts, channels
from tests.fakes.meta import graph
from tests.fakes.meta.business import Business, Payload, Person
from tests.functions import signed_in

WEBHOOK = "/functions/v1/whatsapp_webhook"


@pytest.fixture
async def meta() -> AsyncIterator[graph.Meta]:
    """Run the fake Meta."""
    async with graph.serving(Business()) as fake:
        yield fake


@pytest.fixture
def settings(settings: Settings, meta: graph.Meta) -> Settings:
    """Have the product ask the fake Meta."""
    return replace(settings, edge_runtime=replace(settings.edge_runtime, secrets={"WHATSAPP_API_BASE": meta.url}))


def voice_note(seconds: float) -> bytes:
    """Make a voice note of silence, as far as its pages tell."""

    def page(samples: int, content: bytes) -> bytes:
        return b"OggS\0\0" + samples.to_bytes(8, "little", signed=True) + bytes(13) + content

    head = b"OpusHead\x01\x01" + (312).to_bytes(2, "little") + bytes(7)
    return page(0, head) + page(312 + round(seconds * 48_000), bytes(200))


@dataclass
class Desk:
    """Delivers as Meta does, acts as the person, and runs the jobs that are due."""

    resources: Resources
    client: httpx.AsyncClient
    user_id: UUID
    account_id: UUID
    meta: Business
    # What the last run of `fetch` raised.
    raised: str = ""

    def context(self) -> Context:
        claims = {"role": "service_role"}
        return Context("whatsapp_deliveries", claims, "", self.resources, self.resources.keys.secret_key)

    async def rows(self, sql: str, *arguments: Any) -> list[dict[str, Any]]:
        async with db.connection(self.resources.pool) as connection:
            return [dict(row) for row in await connection.fetch(sql, *arguments)]

    async def post(self, body: bytes, headers: dict[str, str] | None = None) -> httpx.Response:
        return await self.client.post(
            WEBHOOK, params={"account": str(self.account_id)}, content=body, headers=headers or self.meta.headers(body)
        )

    async def deliver(self, *bodies: bytes) -> None:
        for body in bodies:
            assert (await self.post(body)).status_code == 200
        for row in await self.rows("select id from private.whatsapp_deliveries where handled_at is null order by id"):
            await whatsapp_deliveries.handler({"delivery_id": row["id"]}, self.context())

    async def say(self, person: Person, text: str, **more: Any) -> None:
        await self.deliver(self.meta.said(person, self.meta.message(person, part=text, **more)))

    async def hand(self, person: Person, kind: str, content: bytes, mime: str, **part: Any) -> dict[str, Any]:
        """Deliver a message with a file; answers it."""
        message = self.meta.file(person, kind, content, mime, **part)
        await self.deliver(self.meta.said(person, message))
        [row] = await self.rows("select * from public.whatsapp_messages where message_id = $1", message["id"])
        return row

    async def fetch(self, message_id: UUID) -> dict[str, Any]:
        """Run the job that fetches the file of a message; answers the message, whatever the job raised."""
        payload = {"message_id": str(message_id)}
        try:
            await whatsapp_media.handler(payload, self.context())
        except (api.Away, whatsapp_media.Mismatch) as error:
            self.raised = type(error).__name__
        else:
            self.raised = ""
        [row] = await self.rows("select * from public.whatsapp_messages where id = $1", message_id)
        return row

    async def tell(self, *statuses: Payload) -> None:
        await self.deliver(self.meta.delivery(self.meta.value(statuses=list(statuses))))

    async def call(self, method: str, name: str, body: Any = None) -> httpx.Response:
        headers = signed_in.headers(self.resources, self.user_id)
        return await self.client.request(method, f"/functions/v1/{name}", json=body, headers=headers)

    async def write(self, **more: Any) -> httpx.Response:
        """Send a text to the one conversation there is."""
        [channel] = await self.rows("select id from public.contact_channels")
        return await self.write_to(channel["id"], "Eccomi", **more)

    async def write_to(self, channel_id: Any, text: str, **more: Any) -> httpx.Response:
        told = {"key": str(uuid4()), "channel_id": str(channel_id), "body": text, **more}
        return await self.call("POST", "send_whatsapp", told)

    async def send(self) -> list[dict[str, Any]]:
        """Run the outbox with all that waits due now; answers the outgoing messages."""
        await self.rows("update public.whatsapp_messages set not_before = now() where state = 'queued'")
        await whatsapp_outbox.handler({}, self.context())
        await whatsapp_outbox.handler({"user_id": str(self.user_id)}, self.context())
        return await self.outgoing()

    async def outgoing(self) -> list[dict[str, Any]]:
        return await self.rows(
            "select * from public.whatsapp_messages where direction = 'uscita' order by created_at, id"
        )


async def sit_down(client: httpx.AsyncClient, resources: Resources, meta: Business) -> Desk:
    """Make a person with a connected number."""
    context, account_id = Context("test", {}, "", resources), uuid4()
    async with db.transaction(resources.pool) as connection:
        user_id = await accounts.create(connection)
        await channels.connect_whatsapp(
            connection, user_id, account_id=account_id, phone_number_id=meta.phone_number_id,
            sealed_token=context.seal(numbers.TOKENS, account_id, meta.token),
            sealed_app_secret=context.seal(numbers.APP_SECRETS, account_id, meta.app_secret),
        )  # fmt: skip
    return Desk(resources, client, user_id, account_id, meta)
