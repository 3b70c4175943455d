"""WhatsApp, automatic answer: once to a person who writes, never to a machine, never in a loop."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import httpx
import pytest

from backend.core import db
from backend.core.resources import Resources
from functions.jobs import whatsapp_deliveries, whatsapp_outbox
from tests.fakes.meta import graph
from tests.fakes.meta.business import Person
from tests.functions.whatsapp_desk import Desk, sit_down
from tests.functions.whatsapp_desk import meta as meta
from tests.functions.whatsapp_desk import settings as settings

pytestmark = pytest.mark.anyio
GIULIA = Person("IT.13491208655302741918", "Giulia Rossi", "393331234567")
LUCA = Person("IT.2222", "Luca", "393337654321")
# No time of day is between these: nobody is ever at work, or somebody always is.
NIGHT, DAY = ("'00:00'", "'00:00:00.000001'"), ("'00:00'", "'24:00'")


@pytest.fixture
async def desk(client: httpx.AsyncClient, resources: Resources, meta: graph.Meta) -> Desk:
    return await sit_down(client, resources, meta.business)


async def choose(desk: Desk, when: str = "sempre", text: str | None = None, days: int | None = None) -> None:
    """Save the settings as the page does."""
    async with db.as_claims(desk.resources.pool, {"sub": str(desk.user_id), "role": "authenticated"}) as connection:
        await connection.execute(
            """
            insert into public.whatsapp_settings (answer_when, answer_text, answer_until)
            values ($1::text::public.whatsapp_answer_when, $2, (now() at time zone 'Europe/Rome')::date + $3::integer)
            on conflict (user_id) do update set
              answer_when = excluded.answer_when, answer_text = excluded.answer_text,
              answer_until = excluded.answer_until
            """,
            when, text, days,
        )  # fmt: skip


async def work(desk: Desk, hours: tuple[str, str]) -> None:
    """Work every day, within these hours."""
    await desk.rows(
        f"update public.profiles set work_days = '{{1,2,3,4,5,6,7}}', work_from = {hours[0]}, work_to = {hours[1]}"
    )


async def answers(desk: Desk) -> list[str]:
    """List the automatic answers by their state."""
    rows = await desk.rows(
        "select state::text from public.whatsapp_messages where answers_id is not null order by created_at, id"
    )
    return [row["state"] for row in rows]


async def later(desk: Desk, hours: int) -> None:
    """Have all that was sent and kept so far be older."""
    await desk.rows(
        f"update public.whatsapp_messages set created_at = created_at - interval '{hours} hours',"
        f" at = at - interval '{hours} hours'"
    )


async def test_somebody_who_writes_is_answered_once_in_a_day_and_goes_on_waiting(desk: Desk, meta: graph.Meta) -> None:
    await desk.say(LUCA, "C’è qualcuno?")
    assert await answers(desk) == []
    await choose(desk, text="Siamo in cantiere, a domani.")
    for text in ("Buonasera", "Ci sei?"):
        await desk.say(GIULIA, text)
    [row] = await desk.rows(
        "select extract(epoch from not_before - created_at)::integer as delay_s, is_automatic, is_outside_window,"
        " expires_at < now() + interval '62 minutes' as is_short"
        " from public.whatsapp_messages where direction = 'uscita'"
    )
    assert row == {"delay_s": 60, "is_automatic": True, "is_outside_window": False, "is_short": True}
    await desk.send()
    assert await answers(desk) == ["sent"]
    assert [one["text"]["body"] for one in meta.sent] == ["Risposta automatica: Siamo in cantiere, a domani."]
    [channel] = await desk.rows("select is_done from public.contact_channels where external_id = $1", GIULIA.bsuid)
    assert channel == {"is_done": False}
    [told] = await desk.rows("select summary from public.interactions where direction = 'uscita'")
    assert told["summary"].startswith("Risposta automatica: ")
    [insight] = await desk.rows(
        "update public.contact_channels set window_expires_at = now() + interval '1 hour' where external_id = $2"
        " returning (select count(*) from private.window_facts($1)) as facts", desk.user_id, GIULIA.bsuid,
    )  # fmt: skip
    assert insight["facts"] == 0
    assert len(await desk.rows("select * from private.window_facts($1)", desk.user_id)) == 1
    await later(desk, 25)
    await desk.say(GIULIA, "E oggi?")
    assert await answers(desk) == ["sent", "queued"]


async def test_a_delivery_that_comes_twice_or_to_two_workers_is_answered_once(desk: Desk, meta: graph.Meta) -> None:
    await choose(desk)
    body = desk.meta.said(GIULIA, desk.meta.message(GIULIA, part="uno"), desk.meta.message(GIULIA, part="due"))
    for _ in range(2):
        assert (await desk.post(body)).status_code == 200
    ids = [row["id"] for row in await desk.rows("select id from private.whatsapp_deliveries")]
    await asyncio.gather(*(whatsapp_deliveries.handler({"delivery_id": one}, desk.context()) for one in (*ids, *ids)))
    assert await answers(desk) == ["queued"]
    await desk.rows("update public.whatsapp_messages set not_before = now() where state = 'queued'")
    await asyncio.gather(*(whatsapp_outbox.handler({"user_id": str(desk.user_id)}, desk.context()) for _ in range(2)))
    assert (await answers(desk), len(meta.sent)) == (["sent"], 1)


async def test_a_worker_that_dies_while_it_sends_never_sends_again(desk: Desk, meta: graph.Meta) -> None:
    await choose(desk)
    await desk.say(GIULIA, "Buonasera")
    meta.mode = "cut"
    await desk.send()
    meta.mode = "good"
    await desk.send()
    assert (await answers(desk), len(meta.sent)) == (["uncertain"], 1)
    await desk.say(GIULIA, "Ci sei?")
    assert await answers(desk) == ["uncertain"]


@pytest.mark.parametrize("change", ["reply", "done", "off", "stop"])
async def test_it_stays_away_when_it_has_become_needless(desk: Desk, meta: graph.Meta, change: str) -> None:
    await choose(desk)
    await desk.say(GIULIA, "Buonasera")
    if change == "reply":
        await desk.write()
        # She writes again, so that only the reply itself tells.
        await desk.say(GIULIA, "Grazie!")
    elif change == "done":
        await desk.rows("update public.contact_channels set is_done = true")
    elif change == "off":
        await choose(desk, "mai")
    else:
        await desk.say(GIULIA, "STOP")
    await desk.send()
    assert await answers(desk) == ["cancelled"]
    assert not [one for one in meta.sent if one["text"]["body"].startswith("Risposta automatica")]


async def test_a_reply_of_the_minute_before_makes_it_needless(desk: Desk) -> None:
    await desk.say(GIULIA, "Buonasera")
    await desk.write()
    await choose(desk)
    # Meta tells whole seconds: this one is after the reply.
    desk.meta.offset = timedelta(seconds=2)
    await desk.say(GIULIA, "Perfetto, grazie")
    await desk.send()
    assert await answers(desk) == ["cancelled"]


async def test_machines_reactions_stops_and_late_messages_are_not_answered(desk: Desk) -> None:
    await choose(desk)
    for kind, part in (
        ("reaction", {"message_id": "wamid.X", "emoji": "👍"}), ("button", {"text": "Stop promozioni", "payload": "x"}),
        ("interactive", {"button_reply": {"title": "Sì"}}), ("system", {"body": "ha cambiato numero"}),
        ("edit", {"message": {"text": {"body": "corretto"}}}), ("unsupported", {}),
        ("text", "Risposta automatica: sono in ferie"), ("text", "STOP"), ("text", "Ci ripenso"),
    ):  # fmt: skip
        told: dict[str, Any] = {"part": part} if kind == "text" else {"kind": kind, "part": part}
        await desk.deliver(desk.meta.said(GIULIA, desk.meta.message(GIULIA, **told)))
    desk.meta.offset = timedelta(hours=-2)
    await desk.say(LUCA, "Scritto due ore fa")
    desk.meta.offset = timedelta()
    assert await answers(desk) == []
    await desk.rows("update public.profiles set limited_since = now()")
    await desk.say(LUCA, "Buonasera")
    assert await answers(desk) == []
    await desk.rows("update public.profiles set limited_since = null")
    await desk.tell({"id": "wamid.OUR", "status": "read", "timestamp": "1795420830"})
    assert await answers(desk) == []


async def test_working_hours_and_holidays_decide(desk: Desk) -> None:
    async def preview(when: str, text: str | None = None, days: int = 0) -> tuple[str, bool]:
        claims = {"sub": str(desk.user_id), "role": "authenticated"}
        async with db.as_claims(desk.resources.pool, claims) as connection:
            row = await connection.fetchrow(
                "select * from public.preview_whatsapp_answer($1::text::public.whatsapp_answer_when, $2,"
                " (now() at time zone 'Europe/Rome')::date + $3::integer)", when, text, days,
            )  # fmt: skip
        assert row is not None
        return row["body"], row["leaves_now"]

    await work(desk, DAY)
    [day] = await desk.rows("select private.is_holiday((now() at time zone 'Europe/Rome')::date) as is_free")
    assert (await preview("fuori_orario"))[1] is day["is_free"]
    await work(desk, NIGHT)
    body, leaves = await preview("fuori_orario")
    assert leaves
    assert "tutti i giorni dalle 0:00" in body
    await desk.rows("update public.profiles set work_days = '{1,2,3,4,5}', work_from = '09:00', work_to = '18:30'")
    assert "ci sono dal lunedì al venerdì dalle 9:00 alle 18:30." in (await preview("fuori_orario"))[0]
    await desk.rows("update public.profiles set work_days = '{1,3,5}'")
    assert "lunedì, mercoledì e venerdì dalle" in (await preview("fuori_orario"))[0]
    assert (await preview("ferie"))[1]
    assert not (await preview("ferie", days=-1))[1]
    assert "compreso" in (await preview("ferie"))[0]
    assert await preview("mai", "Ciao") == ("Risposta automatica: Ciao", False)
    await work(desk, NIGHT)
    await choose(desk, "fuori_orario")
    await desk.say(GIULIA, "Buonasera")
    assert await answers(desk) == ["queued"]
    assert await desk.rows("select 1 from public.ai_usage") == []
