"""WhatsApp on the phone too (coexistence): echoes are answers; old messages and contacts come in and are no news."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from datetime import timedelta
from typing import Any

import httpx
import pytest

from backend.core.resources import Resources
from functions.jobs import whatsapp_deliveries
from tests.fakes.meta.business import Business, Person
from tests.functions.whatsapp_desk import Desk, sit_down

pytestmark = pytest.mark.anyio
GIULIA = Person("IT.13491208655302741918", "Giulia Rossi", "393331234567")
UGO = Person("IT.7", "Ugo Foscolo", "393337654321")
DAY = timedelta(days=1)
STATE = "select is_on_phone, history_state::text as state, history_progress as progress from public.whatsapp_accounts"
MESSAGES = """
select direction::text, source::text, state::text, body, at = created_at as is_old
from public.whatsapp_messages order by at, message_id
"""


@pytest.fixture
async def desk(client: httpx.AsyncClient, resources: Resources) -> Desk:
    return await sit_down(client, resources, Business())


async def count(desk: Desk, table: str) -> int:
    [row] = await desk.rows(f"select count(*) as count from {table}")
    return int(row["count"])


async def test_an_echo_of_the_phone_is_the_answer(desk: Desk) -> None:
    await desk.rows("insert into public.whatsapp_settings (user_id, answer_when) values ($1, 'sempre')", desk.user_id)
    await desk.say(GIULIA, "A che punto siamo?")
    [waiting] = await desk.rows("select is_done from public.contact_channels")
    assert not waiting["is_done"]
    body = desk.meta.echo(GIULIA, "Ti rispondo dal telefono")
    await desk.deliver(body, body)
    [channel] = await desk.rows("select is_done, snippet from public.contact_channels")
    assert channel == {"is_done": True, "snippet": "A che punto siamo?"}
    automatic, echo = sorted(await desk.send(), key=lambda row: row["source"])
    assert (echo["source"], echo["state"], echo["body"]) == ("telefono", "sent", "Ti rispondo dal telefono")
    # The automatic answer has become needless.
    assert automatic["state"] == "cancelled"
    assert await desk.rows("select direction::text from public.interactions order by at, direction") == [
        {"direction": "entrata"}, {"direction": "uscita"},
    ]  # fmt: skip
    # One that comes late, from before the last question, answers nothing.
    await desk.say(GIULIA, "E poi?")
    await desk.deliver(desk.meta.echo(GIULIA, "prima", timestamp=str(int((desk.meta.now() - DAY).timestamp()))))
    [channel] = await desk.rows("select is_done from public.contact_channels")
    assert not channel["is_done"]


async def test_an_echo_to_a_stranger_makes_the_contact_and_opens_no_window(desk: Desk) -> None:
    await desk.deliver(desk.meta.echo(UGO, "Buongiorno"))
    [channel] = await desk.rows("select window_expires_at, is_done, external_id from public.contact_channels")
    assert channel == {"window_expires_at": None, "is_done": True, "external_id": UGO.digits}
    answer = await desk.write()
    assert answer.status_code == 409


def pieces(desk: Desk) -> list[bytes]:
    """Write a history of three pieces, with a file whose kind comes apart."""
    meta = desk.meta
    file = meta.past(UGO, "", age=3 * DAY, type="media_placeholder")
    part = {"id": meta.keep(b"%PDF-1.4", "application/pdf"), "mime_type": "application/pdf", "filename": "visura.pdf"}
    detail = {**file, "type": "document", "document": part}
    return [
        meta.history({GIULIA: [meta.past(GIULIA, "ieri", age=DAY), meta.past(GIULIA, "sì", age=DAY / 2, is_ours=True)]},
                     progress=40),
        meta.history({UGO: [file, meta.past(UGO, "Basta", age=100 * DAY)]}, phase=1, progress=70),
        meta.history({GIULIA: [meta.past(GIULIA, "due ore fa", age=DAY / 12)]}, phase=2),
        meta.delivery(meta.value(messages=[detail]), name="history"),
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
async def test_a_history_comes_in_once_in_any_order_and_is_no_news(desk: Desk, seed: int) -> None:
    await desk.rows("insert into public.whatsapp_settings (user_id, answer_when) values ($1, 'sempre')", desk.user_id)
    told = pieces(desk) * 2
    random.Random(seed).shuffle(told)
    await desk.deliver(*told)
    assert await desk.rows(STATE) == [{"is_on_phone": True, "state": "finita", "progress": 100}]
    assert [(row["direction"], row["body"], row["state"]) for row in await desk.rows(MESSAGES)] == [
        ("entrata", "Basta", None), ("entrata", "", None), ("entrata", "ieri", None), ("uscita", "sì", "read"),
        ("entrata", "due ore fa", None),
    ]  # fmt: skip
    assert all(row["source"] == "cronologia" and row["is_old"] for row in await desk.rows(MESSAGES))
    assert await desk.rows("select kind, summary, media_state::text as state from public.whatsapp_messages"
                           " where content ? 'media'") == [
        {"kind": "document", "summary": "Documento: visura.pdf", "state": "attesa"}
    ]  # fmt: skip
    assert await desk.rows("select id from public.notifications where kind = 'messaggio_whatsapp'") == []
    assert [row["is_automatic"] for row in await desk.send()] == [False]
    channels = await desk.rows(
        "select is_done, window_expires_at > now() as is_open, stopped_at is not null as is_stopped, snippet"
        " from public.contact_channels order by external_id"
    )
    # Only a message of the last day opens a window, and only as long as its own time says.
    assert channels == [
        {"is_done": True, "is_open": True, "is_stopped": False, "snippet": "due ore fa"},
        {"is_done": True, "is_open": False, "is_stopped": True, "snippet": "Documento: visura.pdf"},
    ]
    found = await desk.rows("select message_id from private.whatsapp_search where document::text like '%visur%'")
    assert len(found) == 1
    consents = await desk.rows("select distinct state::text from public.consents")
    assert consents == [{"state": "non_richiesto"}]


async def test_a_job_that_dies_in_the_middle_resumes_and_says_finished_at_the_end_only(desk: Desk) -> None:
    meta = desk.meta
    many = [meta.past(GIULIA, f"n. {number}", age=DAY * 2) for number in range(250)]
    assert (await desk.post(meta.history({GIULIA: many}))).status_code == 200
    [row] = await desk.rows("select id from private.whatsapp_deliveries")

    class Dead(Exception):
        pass

    context, calls = desk.context(), 0

    def as_service() -> Any:
        nonlocal calls
        calls += 1
        # The delivery is read, one batch is kept.
        if calls > 2:
            raise Dead
        return type(context).as_service(context)

    dying = replace_method(context, as_service)
    with pytest.raises(Dead):
        await whatsapp_deliveries.handler({"delivery_id": row["id"]}, dying)
    assert await count(desk, "public.whatsapp_messages") == whatsapp_deliveries.AT_ONCE
    assert (await desk.rows(STATE))[0]["state"] is None
    await whatsapp_deliveries.handler({"delivery_id": row["id"]}, desk.context())
    assert await count(desk, "public.whatsapp_messages") == len(many)
    assert (await desk.rows(STATE))[0]["state"] == "finita"


def replace_method(context: Any, as_service: Any) -> Any:
    """Have a context open transactions in another way."""
    object.__setattr__(context, "as_service", as_service)
    return context


@pytest.mark.parametrize(("code", "state"), [(2593109, "rifiutata"), (131000, "fallita")])
async def test_a_history_that_is_not_shared_says_so(desk: Desk, code: int, state: str) -> None:
    await desk.deliver(desk.meta.declined(code))
    assert await desk.rows(STATE) == [{"is_on_phone": True, "state": state, "progress": 0}]
    # A piece that comes all the same counts.
    await desk.deliver(desk.meta.history({}, progress=30))
    assert (await desk.rows(STATE))[0] == {"is_on_phone": True, "state": "in_corso", "progress": 30}


async def test_contacts_of_the_phone_are_linked_named_and_never_deleted(desk: Desk) -> None:
    meta = desk.meta
    known = await desk.rows(
        "insert into public.contacts (user_id, type, first_name, last_name) values ($1, 'persona', 'Giulia', 'Bianchi')"
        " returning id", desk.user_id,
    )  # fmt: skip
    await desk.rows(
        "insert into public.contact_phones (user_id, contact_id, value, norm) values ($1, $2, '333', '+393331234567')",
        desk.user_id, known[0]["id"],
    )  # fmt: skip
    # Old messages carry no name.
    await desk.deliver(meta.history({UGO: [meta.past(UGO, "ciao", age=DAY)]}))
    body = meta.address_book(GIULIA, UGO, Person("", "Anna Neri", "393330000001"), Person("", "X", "no"))
    await desk.deliver(body, body, meta.address_book(UGO, GIULIA, action="remove"))
    names = await desk.rows("select name, origin::text from public.contacts order by name")
    assert names == [
        {"name": "Anna Neri", "origin": "whatsapp"}, {"name": "Giulia Bianchi", "origin": "manuale"},
        {"name": "Ugo Foscolo", "origin": "whatsapp"},
    ]  # fmt: skip
    consents = await desk.rows("select state::text, source from public.consents order by source")
    assert consents == [
        {"state": "non_richiesto", "source": "Messaggio WhatsApp ricevuto"},
        {"state": "non_richiesto", "source": "Rubrica di WhatsApp Business"},
    ]
    # An address book is no conversation.
    assert await count(desk, "public.contact_channels") == 1
    # Who writes then is that contact.
    await desk.say(Person("IT.9", "Annina", "393330000001"), "Eccomi")
    assert await count(desk, "public.contacts") == 3


async def test_old_messages_take_nobody_out_of_the_trash_and_cost_nothing(desk: Desk) -> None:
    meta = desk.meta
    await desk.say(GIULIA, "uno")
    await desk.rows("update public.contacts set deleted_at = now()")
    await desk.deliver(meta.history({GIULIA: [meta.past(GIULIA, "vecchio", age=DAY)]}))
    assert (await desk.rows("select deleted_at is null as is_alive from public.contacts"))[0]["is_alive"] is False
    await desk.rows("insert into public.whatsapp_settings (user_id, voice_credits) values ($1, 1000)", desk.user_id)
    await desk.rows(
        "update public.whatsapp_messages set voice_s = 5, storage_path = $1 || '/whatsapp/x'", str(desk.user_id)
    )
    [asked] = await desk.rows(
        "select private.ask_transcript_alone(id, 'fake') as asked"
        " from public.whatsapp_messages where source = 'cronologia'"
    )
    assert asked == {"asked": False}


ODD: list[dict[str, Any]] = [
    {"history": [{"threads": [{"id": 5, "messages": [{"id": "m", "type": "text"}]}]}]},
    {"history": "x", "messages": [{"id": "m", "from": "39021234567", "type": "image", "image": {"id": "1"}}]},
    {"history": [{"metadata": {"progress": "130"}, "threads": [{"messages": [{"type": "text"}]}]}]},
    {"message_echoes": [{"id": "m", "type": "text", "text": None}], "history": [None]},
    {"state_sync": [{"type": "contact", "contact": {"phone_number": 5}}, {"type": "contact", "contact": []}, 7]},
]


@pytest.mark.parametrize("value", ODD, ids=json.dumps)
@pytest.mark.parametrize("name", whatsapp_deliveries.OF_PHONE)
async def test_odd_deliveries_about_the_phone_are_read_to_the_end(desk: Desk, name: str, value: dict[str, Any]) -> None:
    await desk.deliver(desk.meta.delivery(desk.meta.value(**value), name=name))
    other = replace(desk.meta, phone_number_id="5")
    await desk.deliver(other.delivery(other.value(**value), name=name))
    rows = await desk.rows("select dead_letter from private.whatsapp_deliveries order by id")
    assert [row["dead_letter"] for row in rows] == [None, "another number"]
    assert await count(desk, "public.whatsapp_messages") == 0
