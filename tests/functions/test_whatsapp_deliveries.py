"""WhatsApp, received: the signed webhook keeps a delivery; the job makes contact, message, window and notice of it."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import httpx
import pytest

from backend.core import db
from backend.core.resources import Resources
from functions._shared.whatsapp import numbers, payloads
from functions.jobs import whatsapp_deliveries
from tests.db import channels
from tests.fakes.meta.business import Business, Person
from tests.functions.whatsapp_desk import WEBHOOK, Desk, sit_down

pytestmark = pytest.mark.anyio
GIULIA = Person("IT.13491208655302741918", "Giulia Rossi", "393331234567")
STRANGER = Person("IT.2222", "giù 🌊", username="giu.mare")

PHONE = """
insert into public.contact_phones (user_id, contact_id, value, norm) values ($1, $2, '333', '+393331234567')
"""


@pytest.fixture
async def desk(client: httpx.AsyncClient, resources: Resources) -> Desk:
    return await sit_down(client, resources, Business())


def test_the_webhook_loads_without_what_makes_documents() -> None:
    # Meta waits 250 ms, and the first delivery waits for the imports.
    code = "import sys, functions.whatsapp_webhook; print([m for m in ('reportlab', 'PIL') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


async def test_meta_verifies_the_address_of_a_number_by_its_token(desk: Desk) -> None:
    asked = {
        "account": str(desk.account_id), "hub.mode": "subscribe", "hub.challenge": "42",
        "hub.verify_token": numbers.verify_token(desk.context(), desk.account_id),
    }  # fmt: skip
    answer = await desk.client.get(WEBHOOK, params=asked)
    assert (answer.status_code, answer.text, answer.headers["content-type"]) == (200, "42", "text/plain; charset=utf-8")
    for change in ({"hub.verify_token": "è"}, {"hub.mode": "x"}, {"account": str(uuid4())}):
        assert (await desk.client.get(WEBHOOK, params=asked | change)).status_code == 403


async def test_only_bytes_that_the_app_signed_are_kept(desk: Desk) -> None:
    body = desk.meta.said(GIULIA, desk.meta.message(GIULIA, part="Perché?"))
    signed = desk.meta.headers(body)
    forged = replace(desk.meta, app_secret="another").headers(body)
    rewritten = json.dumps(json.loads(body), ensure_ascii=False).encode()
    for content, headers in ((body, forged), (rewritten, signed), (body, {"X-Hub-Signature-256": "sha256=ù"})):
        encoded = {name: value.encode() for name, value in headers.items()}
        assert (await desk.post(content, encoded)).status_code == 400  # type: ignore[arg-type]
    assert await desk.rows("select id from private.whatsapp_deliveries") == []
    assert (await desk.post(body, signed)).status_code == 200
    # A number that is not connected, at an address that is of no number.
    strange = replace(desk.meta, phone_number_id="5", waba_id="5").said(GIULIA)
    other = await desk.client.post(
        WEBHOOK, params={"account": str(uuid4())}, content=strange, headers=desk.meta.headers(strange)
    )
    assert other.status_code == 404


async def test_a_stranger_without_number_becomes_a_contact_with_message_window_and_notice(desk: Desk) -> None:
    await desk.say(STRANGER, "Buongiorno, a che punto siamo?")
    [contact] = await desk.rows(
        "select name, origin::text, last_interaction_at is not null as met from public.contacts"
    )
    assert contact == {"name": "giù 🌊", "origin": "whatsapp", "met": True}
    [consent] = await desk.rows("select channel::text, purpose::text, state::text from public.consents")
    assert consent == {"channel": "whatsapp", "purpose": "marketing", "state": "non_richiesto"}
    [channel] = await desk.rows(
        "select external_id, portfolio, username, phone_id, is_done, snippet from public.contact_channels"
    )
    assert channel == {
        "external_id": STRANGER.bsuid, "portfolio": "portfolio", "username": "giu.mare", "phone_id": None,
        "is_done": False, "snippet": "Buongiorno, a che punto siamo?",
    }  # fmt: skip
    [entry] = await desk.rows("select kind, title, body, data from public.timeline where kind = 'whatsapp'")
    assert (entry["title"], entry["body"]) == ("WhatsApp", "Buongiorno, a che punto siamo?")
    [notice] = await desk.rows("select kind, message, action_url from public.notifications where kind like '%whatsapp'")
    assert notice["message"] == "giù 🌊 ti ha scritto su WhatsApp."
    [message] = await desk.rows("select channel_id from public.whatsapp_messages")
    assert notice["action_url"] == f"/crm?vista=whatsapp&conversazione={message['channel_id']}"


async def test_the_window_lasts_24_hours_from_the_time_in_the_message(desk: Desk) -> None:
    desk.meta.offset = timedelta(hours=-5)
    await desk.say(GIULIA, "uno")
    desk.meta.offset = timedelta(minutes=10)  # a clock of Meta's that is ahead of ours
    await desk.say(STRANGER, "due")
    desk.meta.offset = timedelta(hours=-6)  # delivered later, written before
    await desk.say(GIULIA, "tre")
    rows = await desk.rows(
        "select snippet, extract(epoch from window_expires_at - now())::float8 / 3600 as hours"
        " from public.contact_channels order by 2"
    )
    assert [row["snippet"] for row in rows] == ["uno", "due"]
    assert [row["hours"] for row in rows] == pytest.approx([19, 24], abs=0.05)


async def test_a_delivery_that_comes_again_or_at_once_keeps_a_message_once(desk: Desk) -> None:
    one = desk.meta.message(GIULIA, part="uno")
    body = desk.meta.said(GIULIA, one, desk.meta.message(GIULIA, part="due"))
    await desk.deliver(body, body, desk.meta.said(GIULIA, one))
    assert [row["body"] for row in await desk.rows("select body from public.whatsapp_messages order by body")] == [
        "due",
        "uno",
    ]
    assert len(await desk.rows("select id from public.contacts")) == 1
    assert len(await desk.rows("select id from public.interactions")) == 2


async def test_identity_is_the_bsuid_then_the_number_then_somebody_new(desk: Desk) -> None:
    async with db.transaction(desk.resources.pool) as connection:
        contact_id = await channels.reachable(connection, desk.user_id)
        await connection.execute(
            PHONE,
            desk.user_id,
            contact_id,
        )
    # From before identifiers: only the number, then both, then the identifier alone.
    await desk.deliver(desk.meta.said(GIULIA, desk.meta.message(GIULIA, part="a", from_user_id=None)).replace(
        b'"user_id": "IT.13491208655302741918", ', b""
    ))  # fmt: skip
    assert [row["external_id"] for row in await desk.rows("select external_id from public.contact_channels")] == [
        "393331234567"
    ]
    await desk.say(GIULIA, "b")
    await desk.say(replace(GIULIA, digits=None), "c")
    [channel] = await desk.rows(
        "select contact_id, external_id, phone_id is not null as known from public.contact_channels"
    )
    assert channel == {"contact_id": contact_id, "external_id": GIULIA.bsuid, "known": True}


async def test_a_number_of_another_contact_proposes_a_merge_and_does_not_merge(desk: Desk) -> None:
    await desk.say(replace(GIULIA, digits=None), "Sono io")
    async with db.transaction(desk.resources.pool) as connection:
        other = await channels.reachable(connection, desk.user_id)
        await connection.execute(
            PHONE,
            desk.user_id,
            other,
        )
    await desk.say(GIULIA, "Ecco il mio numero")
    assert len(await desk.rows("select id from public.contacts where merged_into is null")) == 2
    async with db.as_claims(desk.resources.pool, {"role": "authenticated", "sub": str(desk.user_id)}) as connection:
        [pair] = await connection.fetch("select a_id, b_id, reasons from public.find_duplicates()")
    assert other in (pair["a_id"], pair["b_id"])
    assert pair["reasons"] == ["telefono"]


async def test_a_number_that_nobody_has_is_added_to_the_contact(desk: Desk) -> None:
    await desk.say(replace(GIULIA, digits=None), "Sono io")
    await desk.say(GIULIA, "Ecco il mio numero")
    assert await desk.rows("select norm, label::text from public.contact_phones") == [
        {"norm": "+393331234567", "label": "WhatsApp"}
    ]


async def test_whoever_writes_again_leaves_the_trash(desk: Desk) -> None:
    await desk.say(GIULIA, "uno")
    await desk.rows("update public.contacts set deleted_at = now()")
    await desk.say(GIULIA, "due")
    assert await desk.rows("select deleted_at from public.contacts") == [{"deleted_at": None}]


@pytest.mark.parametrize("word", ["STOP", "basta", " Cancellami! "])
async def test_a_stop_word_takes_the_consents_back(desk: Desk, word: str) -> None:
    await desk.say(GIULIA, "Basta così, grazie")
    assert await desk.rows("select id from public.contact_channels where stopped_at is not null") == []
    await desk.say(GIULIA, word)
    consents = await desk.rows("select purpose::text, state::text, source from public.consents order by 1")
    assert consents == [
        {"purpose": purpose, "state": "revocato", "source": "Messaggio WhatsApp"}
        for purpose in ("marketing", "servizio")
    ]
    [channel] = await desk.rows("select stopped_at is not null as stopped, is_done from public.contact_channels")
    assert channel == {"stopped": True, "is_done": True}


async def test_another_number_and_no_json_are_dead_letters(desk: Desk) -> None:
    other = replace(desk.meta, phone_number_id="5")
    await desk.deliver(other.said(GIULIA, other.message(GIULIA, part="x")), b"[1", b"[1]", b'{"entry": {}}')
    rows = await desk.rows("select dead_letter from private.whatsapp_deliveries order by id")
    assert [row["dead_letter"] for row in rows] == ["another number", "it is no JSON", None, None]
    assert await desk.rows("select id from public.contacts") == []


async def test_deliveries_are_erased_after_seven_days(desk: Desk) -> None:
    await desk.say(GIULIA, "uno")
    await desk.say(GIULIA, "due")
    await desk.rows(
        "update private.whatsapp_deliveries set received_at = now() - interval '7 days'"
        " where id = (select min(id) from private.whatsapp_deliveries)"
    )
    assert await desk.rows("select private.forget_whatsapp_deliveries(100) as erased") == [{"erased": 1}]
    assert len(await desk.rows("select id from private.whatsapp_deliveries")) == 1
    assert len(await desk.rows("select id from public.whatsapp_messages")) == 2


KINDS: dict[str, tuple[Any, str]] = {
    "image": ({"id": "1", "mime_type": "image/jpeg", "caption": "Il cantiere"}, "Foto: Il cantiere"),
    "audio": ({"id": "1", "mime_type": "audio/ogg; codecs=opus", "voice": True}, "Messaggio vocale"),
    "document": ({"id": "1", "filename": "visura.pdf", "caption": "eccola"}, "Documento: visura.pdf · eccola"),
    "sticker": ({"id": "1"}, "Sticker"),
    "location": ({"latitude": 45.4, "longitude": 9.1, "name": "Studio"}, "Posizione"),
    "contacts": ([{"name": {"formatted_name": "Ugo"}}], "Contatto condiviso"),
    "button": ({"payload": "1", "text": "Confermo"}, "Confermo"),
    "interactive": ({"type": "button_reply", "button_reply": {"id": "1", "title": "Sì"}}, "Sì"),
    "reaction": ({"message_id": "wamid.0", "emoji": "👍"}, "Reazione: 👍"),
    "system": ({"body": "Giulia ha cambiato numero"}, "Giulia ha cambiato numero"),
    "revoke": ({"original_message_id": "wamid.0"}, "Messaggio eliminato"),
    "unsupported": (None, payloads.UNSUPPORTED),
    "hologram": ({"depth": 3}, payloads.UNSUPPORTED),
}


@pytest.mark.parametrize("kind", KINDS)
async def test_each_kind_of_message_is_kept_and_named(desk: Desk, kind: str) -> None:
    part, summary = KINDS[kind]
    errors = [{"code": 131051}] if kind == "unsupported" else None
    await desk.deliver(desk.meta.said(GIULIA, desk.meta.message(GIULIA, kind, part, errors=errors)))
    [message] = await desk.rows("select kind, summary, refers_to from public.whatsapp_messages")
    refers_to = "wamid.0" if kind in ("reaction", "revoke") else None
    assert message == {"kind": kind, "summary": summary, "refers_to": refers_to}


ODD = [
    {"id": "m"},
    {"id": "m", "type": 7, "timestamp": "soon", "from": ["x"], "text": "y"},
    {"id": "m", "type": "text", "text": {"body": "a\x00b\u202ec"}, "timestamp": "9" * 30, "context": []},
    {"id": "m", "type": "image", "image": None, "from_user_id": {"a": 1}},
    {"id": "m", "type": "interactive", "interactive": {"button_reply": 4}},
]


@pytest.mark.parametrize("message", ODD, ids=str)
async def test_a_message_with_missing_or_odd_fields_is_kept(desk: Desk, message: dict[str, Any]) -> None:
    await desk.deliver(desk.meta.delivery(desk.meta.value(messages=[message])))
    [kept] = await desk.rows("select message_id, at from public.whatsapp_messages")
    assert kept["message_id"] == "m"
    assert kept["at"] <= datetime.now(UTC)


async def test_reading_waits_while_many_deliveries_come_and_for_some_seconds_only(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = "update private.whatsapp_deliveries set received_at = now() + interval '1 minute'"
    calm = "update private.whatsapp_deliveries set received_at = now() - interval '2 seconds' where id > $1"
    old = "update private.whatsapp_deliveries set received_at = now() - interval '5 seconds' where id = $1"
    bodies = [desk.meta.said(GIULIA, desk.meta.message(GIULIA, part=str(place))) for place in range(51)]
    for body in bodies:
        assert (await desk.post(body)).status_code == 200
    first, second, third, *_ = [
        row["id"] for row in await desk.rows("select id from private.whatsapp_deliveries order by id")
    ]
    ended: list[int] = []

    def waits(sql: str, delivery_id: int) -> None:
        async def pause() -> None:
            ended.append(delivery_id)
            await desk.rows(sql, delivery_id)

        monkeypatch.setattr(whatsapp_deliveries, "pause", pause)

    # No clock decides here: they come in a minute, until a pause makes them those of the past.
    await desk.rows(later)
    waits(old, first)
    await whatsapp_deliveries.handler({"delivery_id": first}, desk.context())
    waits(calm, second)
    await whatsapp_deliveries.handler({"delivery_id": second}, desk.context())
    await whatsapp_deliveries.handler({"delivery_id": third}, desk.context())
    assert ended == [first, second]
    kept = await desk.rows("select body from public.whatsapp_messages order by body")
    assert [row["body"] for row in kept] == ["0", "1", "2"]


async def test_a_delivery_is_answered_while_others_of_the_number_are_read(desk: Desk) -> None:
    body = desk.meta.said(GIULIA, desk.meta.message(GIULIA, part="Buongiorno"))
    async with db.transaction(desk.resources.pool) as connection, asyncio.timeout(10):
        await connection.execute(
            "select from public.whatsapp_accounts where id = $1 for no key update", desk.account_id
        )
        assert (await desk.post(body)).status_code == 200
