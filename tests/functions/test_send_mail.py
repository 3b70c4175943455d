"""`send_mail`: a mail is queued as its person, the job is woken, and each refusal has its words."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from backend.core import db
from backend.core.resources import Resources
from tests.databases import connected
from tests.db import accounts, channels, documents
from tests.functions import signed_in

pytestmark = pytest.mark.anyio
PATH = "/functions/v1/send_mail"


async def person(resources: Resources) -> tuple[UUID, UUID]:
    """Make a person with a connected account and a contact."""
    async with db.transaction(resources.pool) as connection:
        user_id = await accounts.create(connection)
        await channels.connect(connection, user_id)
        return user_id, await channels.reachable(connection, user_id)


def mail(to: UUID, **more: Any) -> dict[str, Any]:
    return {
        "key": str(uuid4()),
        "contact_id": str(to),
        "recipient": channels.ADDRESS,
        "subject": "Promemoria",
        "body": "Gentile Anna",
        # At whatever hour the tests run.
        "is_at_once": True,
        **more,
    }


async def test_a_second_click_queues_nothing_more_and_the_job_comes_in_ten_seconds(
    client: httpx.AsyncClient, resources: Resources
) -> None:
    user_id, contact_id = await person(resources)
    body = mail(contact_id)
    answers = [await client.post(PATH, json=body, headers=signed_in.headers(resources, user_id)) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()
    async with db.connection(resources.pool) as connection:
        assert await connection.fetchval("select count(*) from public.outgoing_mails") == 1
        waits = await connection.fetch(
            "select extract(epoch from execute_after - created)::float as s from jobs.pgqueuer"
            " where entrypoint = 'mail_outbox'"
        )
    assert all(5 < row["s"] <= 11 for row in waits)


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"recipient": "altri@example.it"}, 409, "not_an_address"),
        ({"basis": "consenso"}, 409, "no_consent"),
        ({"body": "Ciao {{nome}}"}, 409, "unfilled"),
        ({"invoice_id": str(UUID(int=7))}, 409, "no_attachment"),
        ({"subject": "Uno\r\nBcc: altri@example.it"}, 400, "validation_failed"),
        ({"body": " "}, 400, "validation_failed"),
        ({"basis": "soft_spam"}, 409, "no_sale"),
        ({"not_before": "2026-11-27T10:00"}, 400, "validation_failed"),
        ({"not_before": "domani"}, 400, "validation_failed"),
        ({"is_at_once": "sì"}, 400, "validation_failed"),
        ({"basis": "altro"}, 400, "validation_failed"),
        ({"key": 7}, 400, "validation_failed"),
        ({"contact_id": str(UUID(int=7))}, 404, "not_found"),
    ],
    ids=str,
)
async def test_what_may_not_be_sent_is_refused(
    client: httpx.AsyncClient, resources: Resources, change: dict[str, Any], status: int, code: str
) -> None:
    user_id, contact_id = await person(resources)
    answer = await client.post(PATH, json=mail(contact_id, **change), headers=signed_in.headers(resources, user_id))
    assert (answer.status_code, answer.json()["code"]) == (status, code)


async def test_a_mail_for_later_waits_for_its_hour_outside_of_the_rest(
    client: httpx.AsyncClient, resources: Resources
) -> None:
    user_id, contact_id = await person(resources)
    headers = signed_in.headers(resources, user_id)
    later = resources.now() + timedelta(days=9)
    body = mail(contact_id, not_before=later.isoformat(), is_at_once=False)
    answer = await client.post(PATH, json=body, headers=headers)
    async with db.connection(resources.pool) as connection:
        allowed = await connection.fetchval("select private.allowed_mail_time($1)", later)
        assert await connection.fetchval("select count(*) from jobs.pgqueuer where entrypoint = 'mail_outbox'") == 0
    assert (answer.status_code, answer.json()["not_before"]) == (200, allowed.isoformat())


async def test_a_letter_may_be_about_an_invoice_that_does_not_go_with_it(
    client: httpx.AsyncClient, resources: Resources
) -> None:
    user_id, contact_id = await person(resources)
    async with connected(resources.settings.database_url) as connection:
        document_id = await documents.document(connection, user_id)
        [invoice_id] = await documents.store_invoices(connection, document_id, {"direction": "attiva"})
    body = mail(contact_id, invoice_id=str(invoice_id), attaches_invoice=False)
    answer = await client.post(PATH, json=body, headers=signed_in.headers(resources, user_id))
    assert answer.status_code == 200
    async with db.connection(resources.pool) as connection:
        [row] = await connection.fetch("select invoice_id, attaches_invoice from public.outgoing_mails")
    assert tuple(row) == (invoice_id, False)


async def test_visitors_and_people_without_an_account_send_nothing(
    client: httpx.AsyncClient, resources: Resources
) -> None:
    user_id, contact_id = await person(resources)
    assert (await client.post(PATH, json=mail(contact_id))).status_code == 401
    async with db.connection(resources.pool) as connection:
        await connection.execute("delete from public.mail_accounts")
    answer = await client.post(PATH, json=mail(contact_id), headers=signed_in.headers(resources, user_id))
    assert (answer.status_code, answer.json()["code"]) == (409, "not_connected")
