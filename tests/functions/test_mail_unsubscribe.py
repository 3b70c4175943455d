"""`mail_unsubscribe`: one POST ends the promotions, a GET changes nothing, and a link cannot be made up."""

from __future__ import annotations

from urllib.parse import urlsplit
from uuid import UUID, uuid4

import httpx
import pytest

from backend.core import db
from backend.core.resources import Resources
from backend.edge.api import Context
from functions._shared import unsubscribing
from tests.db import accounts, channels

pytestmark = pytest.mark.anyio


def links(resources: Resources, user_id: UUID) -> unsubscribing.Links:
    return unsubscribing.links(Context("mail_outbox", {}, "", resources), user_id, channels.ADDRESS)


def path(link: str) -> str:
    parts = urlsplit(link)
    return f"{parts.path}?{parts.query}"


async def person(resources: Resources) -> tuple[UUID, UUID]:
    async with db.transaction(resources.pool) as connection:
        user_id = await accounts.create(connection)
        contact_id = await channels.reachable(connection, user_id)
        await connection.execute(
            "insert into public.consents (user_id, contact_id, channel, purpose, state)"
            " values ($1, $2, 'email', 'marketing', 'dato')",
            user_id,
            contact_id,
        )
        return user_id, contact_id


async def suppressed(resources: Resources) -> list[tuple[str, str]]:
    async with db.connection(resources.pool) as connection:
        rows = await connection.fetch("select address, reason::text from public.mail_suppressions")
        return [(row["address"], row["reason"]) for row in rows]


async def test_a_mail_program_unsubscribes_by_one_post_without_cookies(
    client: httpx.AsyncClient, resources: Resources
) -> None:
    user_id, _ = await person(resources)
    for _ in range(2):
        answer = await client.post(
            path(links(resources, user_id).one_click), data={"List-Unsubscribe": "One-Click"}, follow_redirects=False
        )
        assert (answer.status_code, answer.json()) == (200, {"state": "unsubscribed"})
    assert await suppressed(resources) == [(channels.ADDRESS, "disiscritto")]
    async with db.connection(resources.pool) as connection:
        assert await connection.fetchval("select state::text from public.consents") == "revocato"
        events = await connection.fetch("select state::text, source from public.consent_events")
    assert [tuple(row) for row in events] == [("revocato", "Link di disiscrizione")]


async def test_opening_the_link_leads_to_the_page_and_changes_nothing(
    client: httpx.AsyncClient, resources: Resources
) -> None:
    user_id, _ = await person(resources)
    answer = await client.get(path(links(resources, user_id).one_click), follow_redirects=False)
    assert answer.status_code == 303
    page = urlsplit(answer.headers["location"])
    assert page.path == "/disiscrizione"
    assert await suppressed(resources) == []
    # What the page's button sends.
    assert (await client.post(f"/functions/v1/mail_unsubscribe?{page.query}")).status_code == 200


async def test_the_link_works_after_the_contact_and_after_the_writer_are_gone(
    client: httpx.AsyncClient, resources: Resources
) -> None:
    user_id, _ = await person(resources)
    async with db.connection(resources.pool) as connection:
        await connection.execute("delete from public.contacts")
    assert (await client.post(path(links(resources, user_id).one_click))).status_code == 200
    assert await suppressed(resources) == [(channels.ADDRESS, "disiscritto")]
    assert (await client.post(path(links(resources, uuid4()).one_click))).status_code == 200


async def test_a_link_that_none_of_ours_is_does_nothing(client: httpx.AsyncClient, resources: Resources) -> None:
    user_id, _ = await person(resources)
    right = path(links(resources, user_id).one_click)
    for wrong in (
        "/functions/v1/mail_unsubscribe",
        right.replace(str(user_id), str(uuid4())),
        right[:-8],
        f"/functions/v1/mail_unsubscribe?da={user_id}&chiave=aesgcm:%C3%A8",
    ):
        answer = await client.post(wrong)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert await suppressed(resources) == []
