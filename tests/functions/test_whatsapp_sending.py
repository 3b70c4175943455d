"""WhatsApp, sent: the window is a lock, each code of Meta has its reaction, and no message leaves twice."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx
import pytest

from backend.core import db
from backend.core.resources import Resources
from tests.db import channels
from tests.fakes.meta import graph
from tests.fakes.meta.business import Payload, Person
from tests.functions.whatsapp_desk import Desk, sit_down
from tests.functions.whatsapp_desk import meta as meta
from tests.functions.whatsapp_desk import settings as settings

pytestmark = pytest.mark.anyio
GIULIA = Person("IT.13491208655302741918", "Giulia Rossi", "393331234567")
STRANGER = Person("IT.2222", "giù", username="giu.mare")


@pytest.fixture
async def desk(client: httpx.AsyncClient, resources: Resources, meta: graph.Meta) -> Desk:
    return await sit_down(client, resources, meta.business)


async def template(desk: Desk, meta: graph.Meta, **more: Any) -> str:
    """Have an approved template at Meta and with us."""
    meta.add_template(more.get("name", "promemoria"), "Gentile {{nome}}, ci sentiamo domani.")
    async with db.transaction(desk.resources.pool) as connection:
        return str(await channels.add_template(connection, desk.user_id, **more))


async def close_window(desk: Desk) -> None:
    await desk.rows("update public.contact_channels set window_expires_at = now()")


async def test_an_answer_inside_the_window_leaves_once_and_gets_its_ticks(desk: Desk, meta: graph.Meta) -> None:
    await desk.say(STRANGER, "Buongiorno")
    key = str(uuid4())
    answers = [await desk.write(key=key, body="Eccomi!") for _ in range(2)]
    assert answers[0].json() == answers[1].json()
    for _ in range(2):
        [message] = await desk.send()
    [sent] = meta.sent
    assert (sent["recipient"], sent["text"]["body"]) == (STRANGER.bsuid, "Eccomi!")
    assert (message["state"], message["message_id"], sent["biz_opaque_callback_data"]) == (
        "sent",
        sent["id"],
        str(message["id"]),
    )
    await desk.tell(meta.status(sent, "delivered"), meta.status(sent, "read"))
    [message] = await desk.outgoing()
    assert (message["state"], message["price_category"], message["is_billable"]) == ("read", "service", False)
    entries = await desk.rows("select direction::text, summary from public.interactions order by direction")
    assert [tuple(entry.values()) for entry in entries] == [("entrata", "Buongiorno"), ("uscita", "Eccomi!")]
    [channel] = await desk.rows("select is_done from public.contact_channels")
    assert channel["is_done"]


async def test_a_person_without_identifier_is_written_to_by_number(desk: Desk, meta: graph.Meta) -> None:
    body = meta.business.said(GIULIA, meta.business.message(GIULIA, part="a", from_user_id=None))
    meta.business.inbound_at[GIULIA.digits or ""] = meta.business.now()
    await desk.deliver(body.replace(f'"user_id": "{GIULIA.bsuid}", '.encode(), b""))
    await desk.write()
    await desk.send()
    assert meta.sent[0]["to"] == GIULIA.digits


async def test_a_free_text_after_the_window_is_refused_and_a_template_is_not(desk: Desk, meta: graph.Meta) -> None:
    meta.business.offset = timedelta(hours=-24)
    await desk.say(GIULIA, "uno")
    answer = await desk.write()
    assert (answer.status_code, answer.json()["code"]) == (409, "window_closed")
    template_id = await template(desk, meta)
    empty = await desk.write(body=None, template_id=template_id, values={"nome": " "})
    assert (empty.status_code, empty.json()["code"]) == (409, "template")
    answer = await desk.write(body=None, template_id=template_id, values={"nome": "Giulia"}, is_at_once=True)
    assert answer.status_code == 200
    [message] = await desk.send()
    assert (message["state"], message["body"]) == ("sent", "Gentile Giulia, ci sentiamo domani.")
    [sent] = meta.sent
    assert sent["template"] == {
        "name": "promemoria", "language": {"code": "it"},
        "components": [
            {"type": "body", "parameters": [{"type": "text", "parameter_name": "nome", "text": "Giulia"}]}
        ],
    }  # fmt: skip


async def test_a_message_that_waited_beyond_the_window_does_not_leave(desk: Desk, meta: graph.Meta) -> None:
    await desk.say(GIULIA, "uno")
    await desk.write()
    await close_window(desk)
    [message] = await desk.send()
    assert (message["state"], message["error"], meta.sent) == ("failed", "window", [])


async def test_clocks_ten_minutes_apart_do_not_open_the_window_for_longer(desk: Desk, meta: graph.Meta) -> None:
    for minutes in (-10, 10):
        meta.business.offset = timedelta(minutes=minutes)
        await desk.say(replace(GIULIA, bsuid=f"IT.{minutes + 20}", digits=None), "uno")
    rows = await desk.rows(
        "select window_expires_at - now() <= interval '24 hours' as fits from public.contact_channels"
    )
    assert [row["fits"] for row in rows] == [True, True]


async def test_stop_ends_everything_is_confirmed_once_and_a_new_message_may_be_answered(
    desk: Desk, meta: graph.Meta
) -> None:
    meta.business.offset = timedelta(seconds=-5)
    await desk.say(GIULIA, "uno")
    await desk.write(body="In coda")
    await desk.say(GIULIA, "STOP")
    await desk.say(GIULIA, "stop")
    queued, confirmed = await desk.send()
    assert (queued["state"], queued["error"]) == ("failed", "stopped")
    assert [sent["text"]["body"] for sent in meta.sent] == ["Va bene, non riceverai altri messaggi da questo numero."]
    assert confirmed["is_automatic"]
    template_id = await template(desk, meta)
    for told in ({}, {"body": None, "template_id": template_id, "values": {"nome": "Giulia"}}):
        answer = await desk.write(**told)
        assert (answer.status_code, answer.json()["code"]) == (409, "stopped")
    meta.business.offset = timedelta()
    await desk.say(GIULIA, "Una domanda ancora")
    assert (await desk.write()).status_code == 200
    answer = await desk.write(body=None, template_id=template_id, values={"nome": "Giulia"})
    assert (answer.status_code, answer.json()["code"]) == (409, "stopped")


async def test_a_promotion_needs_consent_and_people_a_day_are_counted(desk: Desk, meta: graph.Meta) -> None:
    await desk.say(GIULIA, "uno")
    await close_window(desk)
    offer = await template(desk, meta, name="offerta", category="MARKETING")
    told = {"body": None, "values": {"nome": "Giulia"}}
    answer = await desk.write(template_id=offer, **told)
    assert (answer.status_code, answer.json()["code"]) == (409, "no_consent")
    reminder = await template(desk, meta)
    await desk.rows("update public.whatsapp_accounts set people_a_day = 1")
    assert [(await desk.write(template_id=reminder, **told)).status_code for _ in range(2)] == [200, 200]
    await desk.rows(
        "update public.whatsapp_messages set not_before = now() - interval '25 hours' where direction = 'uscita'"
    )
    await desk.rows("update public.whatsapp_accounts set people_a_day = 0")
    answer = await desk.write(template_id=reminder, **told)
    assert (answer.status_code, answer.json()["code"]) == (409, "limit")


async def test_an_answer_that_is_lost_leaves_the_message_uncertain_until_its_status(
    desk: Desk, meta: graph.Meta
) -> None:
    await desk.say(GIULIA, "uno")
    await desk.write()
    meta.mode = "cut"
    for _ in range(2):
        [message] = await desk.send()
        meta.mode = "good"
    assert (message["state"], len(meta.sent)) == ("uncertain", 1)
    await desk.tell(meta.status(meta.sent[0], "delivered"))
    [message] = await desk.outgoing()
    assert (message["state"], message["message_id"], message["error"]) == ("delivered", meta.sent[0]["id"], None)


async def test_a_worker_that_dies_leaves_it_uncertain_and_its_person_decides(desk: Desk) -> None:
    await desk.say(GIULIA, "uno")
    await desk.write()
    await desk.rows("select id from private.claim_whatsapp($1)", desk.user_id)
    await desk.rows("select private.begin_whatsapp(id, attempts) from public.whatsapp_messages where state = 'queued'")
    await desk.rows("update public.whatsapp_messages set leased_until = now() where state = 'sending'")
    [message] = await desk.send()
    assert (message["state"], message["error"]) == ("uncertain", "interrupted")
    async with db.as_claims(desk.resources.pool, {"role": "authenticated", "sub": str(desk.user_id)}) as connection:
        decided = await connection.fetchrow("select * from public.decide_whatsapp($1, true)", message["id"])
    assert decided is not None
    assert decided["state"] == "sent"


async def test_meta_away_is_tried_again(desk: Desk, meta: graph.Meta) -> None:
    await desk.say(GIULIA, "uno")
    await desk.write()
    await desk.rows("select id from private.claim_whatsapp($1)", desk.user_id)
    await desk.rows(
        "select private.settle_whatsapp(id, 1, null, null, 'no', true) from public.whatsapp_messages"
        " where state = 'queued'"
    )
    [message] = await desk.outgoing()
    assert (message["state"], message["error"]) == ("queued", "unreachable")
    [message] = await desk.send()
    assert message["state"] == "sent"


@pytest.mark.parametrize("order", list(itertools.permutations(("sent", "delivered", "read"))), ids=str)
async def test_statuses_in_any_order_and_twice_never_go_back(
    desk: Desk, meta: graph.Meta, order: tuple[str, ...]
) -> None:
    await desk.say(GIULIA, "uno")
    await desk.write()
    await desk.send()
    ranks = {"sent": 1, "delivered": 2, "read": 3}
    seen = 0
    for state in (*order, *order):
        await desk.tell(meta.status(meta.sent[0], state))
        [message] = await desk.outgoing()
        assert ranks[message["state"]] >= seen
        seen = ranks[message["state"]]
    assert message["state"] == "read"
    assert len(await desk.rows("select id from public.interactions where direction = 'uscita'")) == 1


# Code → state of the message, state of the number, and what else changed.
REACTIONS: dict[int, tuple[str, str, str]] = {
    **dict.fromkeys((0, 10, 190, 200, 299), ("queued", "da_ricollegare", "")),
    **dict.fromkeys((4, 80007, 130429, 131057, 133016), ("queued", "attivo", "paused")),
    131056: ("queued", "attivo", "waits"),
    **dict.fromkeys((131000, 131016, 135000, 131052), ("queued", "attivo", "waits")),
    **dict.fromkeys((131042, 131044), ("queued", "sospeso", "")),
    **dict.fromkeys((131031, 368, 130497), ("failed", "spento", "")),
    **dict.fromkeys((131048, 131064), ("failed", "attivo", "no templates")),
    **dict.fromkeys((131030, 131037, 131049, 131051, 131053, 131062, 131063, 999), ("failed", "attivo", "")),
    131047: ("failed", "attivo", "window closed"),
    131026: ("failed", "attivo", "doubt"),
    131050: ("failed", "attivo", "no consent"),
    132015: ("failed", "attivo", "PAUSED"),
    132016: ("failed", "attivo", "DISABLED"),
    **dict.fromkeys((132000, 132001, 132005, 132007, 132008, 132012), ("failed", "attivo", "CHANGED")),
}


@pytest.mark.parametrize("code", REACTIONS)
async def test_each_code_of_meta_has_its_reaction(desk: Desk, meta: graph.Meta, code: int) -> None:
    await desk.say(GIULIA, "uno")
    template_id = await template(desk, meta)
    await desk.write(body=None, template_id=template_id, values={"nome": "Giulia"})
    meta.mode = str(code)
    [message] = await desk.send()
    [number] = await desk.rows(
        "select state::text, paused_until > now() as paused, templates_stopped_until > now() as stopped"
        " from public.whatsapp_accounts"
    )
    [channel] = await desk.rows("select window_expires_at <= now() as closed, failures from public.contact_channels")
    [kept] = await desk.rows("select state from public.whatsapp_templates")
    consents = await desk.rows("select state::text from public.consents where purpose = 'marketing'")
    seen = {
        "paused": bool(number["paused"]),
        "waits": not number["paused"] and message["state"] == "queued" and message["not_before"] > message["created_at"]
        and number["state"] == "attivo",
        "no templates": bool(number["stopped"]),
        "window closed": channel["closed"],
        "doubt": channel["failures"] == 1,
        "no consent": consents[0]["state"] == "revocato",
        **{state: kept["state"] == state for state in ("PAUSED", "DISABLED", "CHANGED")},
    }  # fmt: skip
    state, of_number, also = REACTIONS[code]
    assert (message["state"], message["error_code"], number["state"]) == (state, code, of_number)
    assert [name for name, is_so in seen.items() if is_so] == ([also] if also else [])
    notices = await desk.rows("select message from public.notifications where kind = 'whatsapp_fermo'")
    assert len(notices) == (of_number != "attivo")


async def test_a_retry_ends_after_three_and_a_failed_status_is_never_sent_again(desk: Desk, meta: graph.Meta) -> None:
    await desk.say(GIULIA, "uno")
    await desk.write()
    meta.mode = "131000"
    states = [(await desk.send())[0]["state"] for _ in range(5)]
    assert states == ["queued", "queued", "queued", "failed", "failed"]
    meta.mode = "good"
    await desk.write()
    await desk.send()
    await desk.tell(meta.status(meta.sent[0], "failed"))
    message = (await desk.send())[1]
    assert (message["state"], message["error_code"], len(meta.sent)) == ("failed", 131000, 1)


async def test_pair_rate_delays_one_person_only(desk: Desk, meta: graph.Meta) -> None:
    for person in (GIULIA, STRANGER):
        await desk.say(person, "uno")
    rows = await desk.rows("select id, external_id from public.contact_channels")
    ids = {row["external_id"]: str(row["id"]) for row in rows}
    for place in range(7):
        await desk.write_to(ids[GIULIA.bsuid], f"{place}")
    await desk.write_to(ids[STRANGER.bsuid], "altro")
    await desk.send()
    recipients = [sent["recipient"] for sent in meta.sent]
    assert (recipients.count(GIULIA.bsuid), recipients.count(STRANGER.bsuid)) == (5, 1)


async def test_costs_are_counted_from_what_meta_says_and_unknown_prices_stay_unknown(
    desk: Desk, meta: graph.Meta
) -> None:
    await desk.say(GIULIA, "uno")
    await desk.write()
    template_id = await template(desk, meta)
    await desk.write(body=None, template_id=template_id, values={"nome": "Giulia"})
    await desk.send()
    await desk.tell(*(meta.status(sent, "delivered") for sent in meta.sent))

    async def usage() -> list[dict[str, Any]]:
        async with db.as_claims(desk.resources.pool, {"role": "authenticated", "sub": str(desk.user_id)}) as connection:
            return [dict(row) for row in await connection.fetch("select * from public.whatsapp_usage()")]

    free = {"category": "service", "kind": "free_customer_service", "messages": 1, "unpriced": 0, "currency": None}
    billed = {"category": "utility", "kind": "regular", "messages": 1, "unpriced": 1, "currency": None}
    assert await usage() == [{**free, "amount_micros": 0}, {**billed, "amount_micros": 0}]
    await desk.rows("insert into public.whatsapp_rates values (default, '39', 'utility', '2026-01-01', 'EUR', 30000)")
    assert (await usage())[1] == {**billed, "unpriced": 0, "currency": "EUR", "amount_micros": 30000}


async def test_templates_change_by_webhook(desk: Desk, meta: graph.Meta) -> None:
    await template(desk, meta)
    about = {"message_template_name": "promemoria", "message_template_language": "it"}
    changes: list[tuple[str, Payload]] = [
        ("message_template_status_update", {"event": "REJECTED", "reason": "INVALID_FORMAT"}),
        ("message_template_quality_update", {"new_quality_score": "RED"}),
        ("template_category_update", {"new_category": "MARKETING"}),
    ]
    await desk.deliver(*(meta.business.delivery({**about, **value}, name=name) for name, value in changes))
    [kept] = await desk.rows("select state, reason, quality, category from public.whatsapp_templates")
    assert kept == {"state": "REJECTED", "reason": "INVALID_FORMAT", "quality": "RED", "category": "MARKETING"}


async def test_a_template_is_proposed_with_samples(desk: Desk, meta: graph.Meta) -> None:
    proposal = {
        "name": "sollecito_1", "category": "UTILITY", "body": "Gentile {{ nome }}, la fattura è scaduta.",
        "examples": {"nome": "Anna"},
    }  # fmt: skip
    answer = await desk.call("POST", "whatsapp_templates", proposal)
    assert (answer.status_code, answer.json()) == (200, {"state": "PENDING"})
    assert meta.templates["sollecito_1"]["components"] == [
        {
            "type": "BODY", "text": "Gentile {{nome}}, la fattura è scaduta.",
            "example": {"body_text_named_params": [{"param_name": "nome", "example": "Anna"}]},
        }
    ]  # fmt: skip
    [kept] = await desk.rows("select state, places, is_usable from public.whatsapp_templates")
    assert kept == {"state": "PENDING", "places": ["nome"], "is_usable": True}
    # A promotion says how to stop it.
    answer = await desk.call("POST", "whatsapp_templates", proposal | {"name": "offerta", "category": "MARKETING"})
    assert meta.templates["offerta"]["components"][1] == {
        "type": "FOOTER", "text": "Rispondi STOP per non ricevere altri messaggi",
    }  # fmt: skip
    [kept] = await desk.rows("select footer from public.whatsapp_templates where name = 'offerta'")
    assert kept == {"footer": "Rispondi STOP per non ricevere altri messaggi"}
    changes: list[dict[str, Any]]
    changes = [{"body": "{{nome}} ciao"}, {"examples": {}}, {"name": "No"}, {"category": "X"}, {"body": "a {{1}} b"}]
    for change in changes:
        assert (await desk.call("POST", "whatsapp_templates", proposal | change)).status_code == 400


async def test_a_number_is_connected_checked_and_disconnected(
    client: httpx.AsyncClient, resources: Resources, meta: graph.Meta
) -> None:
    desk = await sit_down(client, resources, replace(meta.business, phone_number_id="4"))
    meta.add_template("promemoria", "Gentile {{nome}}, a domani.")
    told = {
        "phone_number_id": meta.business.phone_number_id, "waba_id": meta.business.waba_id, "token": "wrong",
        "app_secret": meta.business.app_secret,
    }  # fmt: skip

    async def call(method: str, body: Any = None) -> httpx.Response:
        await desk.rows("delete from private.leases")
        return await desk.call(method, "whatsapp_account", body)

    answer = await call("PUT", told)
    assert (answer.status_code, answer.json()["code"]) == (422, "refused")
    assert (await call("PUT", told | {"waba_id": "x"})).status_code == 400
    answer = await call("PUT", told | {"token": meta.business.token})
    assert answer.json()["display_number"] == meta.business.display_number
    [number] = await desk.rows("select id, portfolio, quality, people_a_day from public.whatsapp_accounts")
    assert (number["portfolio"], number["quality"], number["people_a_day"]) == ("portfolio", "GREEN", 2000)
    assert meta.webhook is not None
    url, token = meta.webhook["override_callback_uri"], meta.webhook["verify_token"]
    asked = {"hub.mode": "subscribe", "hub.challenge": "7", "hub.verify_token": token}
    assert (await client.get(url, params={"account": str(number["id"]), **asked})).text == "7"
    assert len(await desk.rows("select id from public.whatsapp_templates")) == 1
    desk.account_id, desk.meta = number["id"], meta.business
    await desk.say(GIULIA, "uno")
    await desk.write()
    meta.mode = "190"
    await desk.send()
    assert (await desk.write()).json()["code"] == "not_connected"
    meta.mode = "good"
    assert (await call("POST")).status_code == 200
    [message] = await desk.send()
    assert message["state"] == "sent"
    assert (await call("DELETE")).json() == {"is_told": True}
    assert not meta.webhook
    assert await desk.rows("select account_id from private.whatsapp_secrets") == []
    assert len(await desk.outgoing()) == 1


async def test_two_workers_send_a_message_once(desk: Desk, meta: graph.Meta) -> None:
    await desk.say(GIULIA, "uno")
    for _ in range(4):
        await desk.write()
    await asyncio.gather(desk.send(), desk.send())
    assert len({sent["biz_opaque_callback_data"] for sent in meta.sent}) == len(meta.sent) == 4
