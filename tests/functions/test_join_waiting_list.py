"""The waiting list: joined by consent, confirmed by its owner, silent about who is on it, forgetful as promised."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from typing import Any

import asyncpg
import httpx
import pytest

from backend.core import db, jobs
from backend.core.resources import Resources
from backend.edge import tasks
from functions import join_waiting_list
from tests.backend.core.test_jobs import rows, until_empty, working
from tests.conftest import Clock, Mails

pytestmark = pytest.mark.anyio

URL = "/functions/v1/join_waiting_list"
ANNA = "anna@example.com"


async def join(client: httpx.AsyncClient, email: str = ANNA) -> httpx.Response:
    return await client.post(URL, json={"email": email, "consent": True})


async def send(client: httpx.AsyncClient, action: str, token: str) -> tuple[int, Mapping[str, Any]]:
    answer = await client.post(f"{URL}/{action}", json={"token": token})
    return answer.status_code, answer.json()


async def work(resources: Resources) -> None:
    """Lets the jobs of the product run; the mails themselves stay in the outbox."""
    async with working(resources, **tasks.of_product(resources.settings)):
        await until_empty(resources, "jobs.pgqueuer where entrypoint <> 'mail.send'")


async def listed(resources: Resources) -> list[asyncpg.Record]:
    return await rows(resources, "select * from public.waiting_list order by email")


async def token_for(client: httpx.AsyncClient, resources: Resources, mails: Mails, email: str = ANNA) -> str:
    assert (await join(client, email)).status_code == 202
    await work(resources)
    return token_in((await mails.to(email))[-1].text)


def token_in(text: str) -> str:
    found = re.search(r"/lista-attesa\?token=([A-Za-z0-9_-]{43})\n", text)
    assert found is not None, text
    return found[1]


async def test_whoever_joins_gets_a_mail_and_is_on_the_list_once_confirmed(
    client: httpx.AsyncClient, resources: Resources, mails: Mails
) -> None:
    answer = await join(client, " Anna@Example.com ")
    assert (answer.status_code, answer.json()) == (202, {"state": "mail_sent"})
    await work(resources)
    [mail] = await mails.to(ANNA)
    assert mail.subject == "Conferma il tuo posto in lista d’attesa"
    token = token_in(mail.text)
    assert f"{resources.settings.auth.site_url}/lista-attesa?token={token}" in mail.html
    [row] = await listed(resources)
    assert (row["email"], row["confirmed_at"], row["consent_at"]) == (ANNA, None, resources.now())
    assert row["consent_version"] == join_waiting_list.CONSENT_VERSION

    for _press in range(2):
        assert await send(client, "confirm", token) == (200, {"state": "confirmed"})
    [row] = await listed(resources)
    assert row["confirmed_at"] == resources.now()


async def test_the_answer_is_the_same_for_every_address_and_the_list_is_untouched_by_it(
    client: httpx.AsyncClient, resources: Resources, mails: Mails
) -> None:
    await send(client, "confirm", await token_for(client, resources, mails))
    known, unknown = await join(client), await join(client, "nessuno@example.com")
    assert (known.status_code, known.content) == (unknown.status_code, unknown.content)
    waiting = await rows(resources, "select entrypoint from jobs.pgqueuer where entrypoint <> 'mail.send'")
    assert [row["entrypoint"] for row in waiting] == ["waiting_list_mail"] * 2


async def test_an_address_gets_one_mail_an_hour_however_often_it_is_typed(
    client: httpx.AsyncClient, resources: Resources, mails: Mails, now: Clock
) -> None:
    for _try in range(3):
        await join(client)
    await work(resources)
    assert len(await mails.to(ANNA)) == 1
    now.advance(hours=1)
    await join(client)
    await work(resources)
    first, second = [token_in(mail.text) for mail in await mails.to(ANNA)]
    assert (await send(client, "confirm", first))[0] == 410
    assert await send(client, "confirm", second) == (200, {"state": "confirmed"})


async def test_whoever_confirmed_before_is_told_and_keeps_the_consent_of_then(
    client: httpx.AsyncClient, resources: Resources, mails: Mails, now: Clock
) -> None:
    await send(client, "confirm", await token_for(client, resources, mails))
    [before] = await listed(resources)
    now.advance(days=30)
    token = await token_for(client, resources, mails)
    assert (await mails.to(ANNA))[-1].subject == "Sei già nella lista d’attesa"
    [after] = await listed(resources)
    assert (after["consent_at"], after["confirmed_at"]) == (before["consent_at"], before["confirmed_at"])
    assert await send(client, "leave", token) == (200, {"state": "left"})
    assert await listed(resources) == []


async def test_leaving_forgets_the_address_and_ends_the_link(
    client: httpx.AsyncClient, resources: Resources, mails: Mails
) -> None:
    token = await token_for(client, resources, mails)
    for _press in range(2):
        assert await send(client, "leave", token) == (200, {"state": "left"})
    status, body = await send(client, "confirm", token)
    assert (status, body["code"], body["message"]) == (410, "link_expired", "Questo link non vale più")
    assert await listed(resources) == []


async def test_every_mail_leads_out_of_the_list_also_when_newer_ones_followed(
    client: httpx.AsyncClient, resources: Resources, mails: Mails, now: Clock
) -> None:
    oldest = await token_for(client, resources, mails)
    await send(client, "confirm", oldest)
    older_ones = [oldest]
    for _somebody_types_it in range(2):
        now.advance(hours=2)
        older_ones.append(await token_for(client, resources, mails))
    assert len(await mails.to(ANNA)) == 3
    assert await send(client, "leave", oldest) == (200, {"state": "left"})
    assert await listed(resources) == []
    for token in older_ones:
        assert await send(client, "leave", token) == (200, {"state": "left"})


async def test_two_presses_at_once_hear_the_same(client: httpx.AsyncClient, resources: Resources, mails: Mails) -> None:
    token = await token_for(client, resources, mails)
    answers = await asyncio.gather(*(send(client, "leave", token) for _ in range(4)))
    assert answers == [(200, {"state": "left"})] * 4


async def test_a_token_that_nobody_was_given_takes_nobody_off(
    client: httpx.AsyncClient, resources: Resources, mails: Mails, now: Clock
) -> None:
    token = await token_for(client, resources, mails)
    status, body = await send(client, "leave", "a" * 43)
    assert (status, body["code"]) == (410, "link_expired")
    assert len(await listed(resources)) == 1
    # Whoever left is forgotten, and a week later that they ever did.
    await send(client, "leave", token)
    now.advance(days=8)
    async with db.transaction(resources.pool) as connection:
        await jobs.enqueue(connection, "retention", {})
    await work(resources)
    assert (await send(client, "leave", token))[0] == 410


async def test_one_caller_may_ask_five_times_an_hour(
    client: httpx.AsyncClient, resources: Resources, now: Clock
) -> None:
    allowed = [await join(client, f"anna{number}@example.com") for number in range(5)]
    assert {answer.status_code for answer in allowed} == {202}
    refused = await join(client, "anna6@example.com")
    assert (refused.status_code, refused.json()["code"]) == (429, "over_request_rate_limit")
    assert refused.headers["Retry-After"] == "3600"
    now.advance(hours=1, seconds=1)
    assert (await join(client, "anna6@example.com")).status_code == 202
    callers = await rows(resources, "select caller from private.waiting_list_requests")
    assert all(re.fullmatch("[0-9a-f]{32}", row["caller"]) for row in callers)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"consent": True}, "Email non valida"),
        ({"email": 7, "consent": True}, "Email non valida"),
        ({"email": "anna", "consent": True}, "Email non valida"),
        ({"email": "anna@example", "consent": True}, "Email non valida"),
        ({"email": "anna@example.com\r\nBcc: bruno@example.com", "consent": True}, "Email non valida"),
        ({"email": "anna@example.com, bruno@example.com", "consent": True}, "Email non valida"),
        ({"email": f"anna@{'e' * 250}.com", "consent": True}, "Email non valida"),
        ({"email": ANNA}, "Serve il tuo consenso per scriverti"),
        ({"email": ANNA, "consent": "true"}, "Serve il tuo consenso per scriverti"),
    ],
    ids=["none", "number", "name", "no-domain", "line-break", "two", "long", "no-consent", "consent-as-text"],
)
async def test_what_is_no_request_is_refused_and_counts_nothing(
    client: httpx.AsyncClient, resources: Resources, body: dict[str, Any], message: str
) -> None:
    answer = await client.post(URL, json=body)
    assert (answer.status_code, answer.json()["code"], answer.json()["message"]) == (400, "validation_failed", message)
    assert await rows(resources, "select from jobs.pgqueuer where entrypoint = 'waiting_list_mail'") == []
    assert await rows(resources, "select from private.waiting_list_requests") == []


@pytest.mark.parametrize(
    "email",
    [
        "pò@example.it",
        "anna@città.it",
        "anna@exa_mple..it",
        "anna@exa_mple.it",
        "anna@-example.it",
        "anna@example-.it",
        "anna@example.1",
        "anna@example.i",
        f"anna@{'e' * 64}.it",
        f"{'a' * 65}@example.it",
        "a..b@example.it",
        ".anna@example.it",
        "anna.@example.it",
    ],
)
async def test_an_address_that_no_mail_server_takes_is_refused(
    client: httpx.AsyncClient, resources: Resources, email: str
) -> None:
    answer = await join(client, email)
    assert (answer.status_code, answer.json()["message"]) == (400, "Email non valida")
    assert await rows(resources, "select from jobs.pgqueuer where entrypoint = 'waiting_list_mail'") == []


@pytest.mark.parametrize(
    "email",
    ["a@b.it", "anna.bianchi+lista@posta.studio-bianchi.it", "o'hara_1@xn--citt-2na.it", "anna@example.xn--p1ai"],
)
async def test_an_address_that_mail_servers_take_gets_its_mail(
    client: httpx.AsyncClient, resources: Resources, mails: Mails, email: str
) -> None:
    assert (await join(client, email)).status_code == 202
    await work(resources)
    assert len(await mails.to(email)) == 1


async def test_only_post_does_anything_and_other_addresses_do_not_exist(client: httpx.AsyncClient) -> None:
    refused = await client.get(f"{URL}/confirm", params={"token": "a" * 43})
    assert (refused.status_code, refused.headers["Allow"]) == (405, "POST")
    assert (await client.post(f"{URL}/everything", json={})).status_code == 404
    assert (await client.post(f"{URL}/confirm", json={"token": "short"})).status_code == 400


async def test_addresses_go_when_nobody_confirmed_them_for_a_week_and_24_months_after_they_did(
    client: httpx.AsyncClient, resources: Resources, now: Clock
) -> None:
    ages = {"new": (6, None), "stale": (8, None), "fresh": (400, 400), "old": (800, 740)}
    async with db.transaction(resources.pool) as connection:
        for name, (mailed_days, confirmed_days) in ages.items():
            await connection.execute(
                """
                insert into public.waiting_list
                  (email, consent_at, consent_version, token_hash, mailed_at, confirmed_at)
                values ($1::text, now(), '1', sha256($1::text::bytea), $2::timestamptz - make_interval(days => $3::int),
                  $2::timestamptz - make_interval(days => $4::int))
                """,
                f"{name}@example.com",
                now(),
                mailed_days,
                confirmed_days,
            )
    await join(client, "request@example.com")
    now.advance(hours=2)
    async with db.transaction(resources.pool) as connection:
        await jobs.enqueue(connection, "retention", {})
    await work(resources)
    assert [row["email"] for row in await listed(resources)] == [
        "fresh@example.com",
        "new@example.com",
        "request@example.com",
    ]
    assert await rows(resources, "select from private.waiting_list_requests") == []
