"""Insights: the right ones appear with their reason, resolve themselves, are refused and come less."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from tests.db import channels, crm, documents, home, ledger, pipeline, work
from tests.db.accounts import Connection
from tests.db.home import ME, call, insights, invoice, overview, pay, titles, today

pytestmark = pytest.mark.anyio

CONSENT = """
insert into public.consents (user_id, contact_id, channel, purpose, state) values ($1, $2, 'email', 'marketing', $3)
"""


async def _answer(connection: Connection, insight: dict[str, Any], state: str, **told: Any) -> None:
    await call(connection, "answer_insight", UUID(insight["id"]), state, told.get("until"), told.get("reason"))


async def _one(connection: Connection, kind: str) -> dict[str, Any]:
    (insight,) = await insights(connection, kind)
    return insight


async def test_a_late_invoice_is_told_with_the_habit_of_its_payer(connection: Connection) -> None:
    rossi = str(await crm.contact(connection, ME))
    for number, days in (("1", 30), ("2", 30), ("3", 40)):
        await pay(connection, await invoice(connection, number, contact_id=rossi), today(days - 60))
    await invoice(connection, "4", 122_000, contact_id=rossi)
    insight = await _one(connection, "fattura_scaduta")
    assert insight["title"] == "Fattura 4, Anna Verdi"
    assert insight["body"] == (
        "Scaduta da 30 giorni. Di solito paga in 30 giorni dall’emissione, ne sono passati 60: è insolito."
    )
    assert (insight["amount_cents"], insight["contact_id"], insight["data"]["is_unusual"]) == (122_000, rossi, True)


@pytest.mark.parametrize(("paid", "is_known", "is_unusual"), [([30], False, None), ([50, 50], True, None)])
async def test_a_habit_needs_two_payments_and_is_unusual_beyond_half_as_much_again(
    paid: list[int], is_known: bool, is_unusual: bool | None, connection: Connection
) -> None:
    rossi = str(await crm.contact(connection, ME))
    for number, days in enumerate(paid):
        await pay(connection, await invoice(connection, f"p{number}", contact_id=rossi), today(days - 60))
    await invoice(connection, "4", contact_id=rossi)
    insight = await _one(connection, "fattura_scaduta")
    assert ("Di solito paga in" in insight["body"]) is is_known
    assert insight["data"].get("is_unusual") is is_unusual


async def test_what_falls_due_soon_is_told_on_both_sides(connection: Connection) -> None:
    await invoice(connection, "1", due_on=today(5).isoformat())
    await invoice(connection, "2", due_on=today(6).isoformat())
    await invoice(connection, "3", direction="passiva", due_on=today(0).isoformat())
    await invoice(connection, "4", direction="passiva", due_on=today(-2).isoformat())
    told = [(each["kind"], each["data"]["number"], each["body"]) for each in await insights(connection)]
    assert sorted(told) == [
        ("da_pagare", "3", "Da pagare oggi."),
        ("da_pagare", "4", "Da pagare da 2 giorni."),
        ("in_scadenza", "1", f"Scade il {today(5):%d/%m/%Y}: un promemoria gentile aiuta."),
    ]


async def test_a_paid_invoice_resolves_its_insight_and_taking_it_back_brings_it_again(connection: Connection) -> None:
    invoice_id = await invoice(connection, "1")
    before = await _one(connection, "fattura_scaduta")
    await pay(connection, invoice_id, today())
    assert await insights(connection) == []
    state = "select state from public.insights where id = $1"
    assert await connection.fetchval(state, UUID(before["id"])) == "risolta"
    await pay(connection, invoice_id, None)
    assert await insights(connection) == [before]


async def test_a_deal_is_stuck_after_fourteen_days_or_beyond_its_own_habit(connection: Connection) -> None:
    stages = await pipeline.stages(connection, home.ROLE)
    now = datetime.now(UTC)
    for title, stage, days in (
        ("Sito", "Trattativa", 15), ("Logo", "Trattativa", 14), ("Corso", "Preventivo", 15), ("Video", "Contatto", 5),
    ):  # fmt: skip
        await pipeline.deal(
            connection,
            ME,
            stages[stage],
            title=title,
            amount_cents=50_000,
            stage_since=now - timedelta(days=days, hours=1),
        )
    # Nine stays of two days in the first stage.
    for number in range(9):
        deal_id = await pipeline.deal(
            connection, ME, stages["Contatto"], title=f"Vecchia {number}", stage_since=now - timedelta(days=40)
        )
        await pipeline.move(connection, deal_id, stages["Vinta"], now - timedelta(days=38))
    assert await titles(connection, "preventivo_fermo") == ["Corso"]
    told = {each["title"]: each["body"] for each in await insights(connection, "trattativa_ferma")}
    assert told == {
        "Sito": "Ferma in «Trattativa» da 15 giorni: oltre 14 giorni conviene farsi sentire.",
        "Video": "Ferma in «Contatto» da 5 giorni. Di solito le tue trattative ci restano meno di 3 giorni.",
    }


async def test_late_tasks_and_a_full_day_are_one_insight_each(connection: Connection) -> None:
    noon = datetime.combine(today(), time(12), home.ROME)
    for number in range(7):
        await work.task(connection, ME, title=f"Oggi {number}", due_at=noon, due_is_allday=False)
    assert await titles(connection) == ["Oggi hai 7 attività"]
    first = await work.task(connection, ME, title="Vecchia", due_at=noon - timedelta(days=3))
    await work.task(connection, ME, title="Ieri", due_at=noon - timedelta(days=1))
    late = await _one(connection, "attivita_scadute")
    assert late["title"] == "2 attività scadute"
    assert late["body"] == f"La più vecchia: «Vecchia», dal {today(-3):%d/%m/%Y}."
    assert late["data"]["task_id"] == str(first["id"])


async def test_people_to_hear_from_and_anniversaries_are_told(connection: Connection) -> None:
    at = datetime.now(UTC) - timedelta(days=45)
    anna = await crm.contact(connection, ME, touch_days=30, created_at=at)
    await crm.contact(
        connection, ME, first_name="Rimandata", touch_days=30, created_at=at, snoozed_until=at.replace(year=2099)
    )
    await connection.execute(
        "insert into public.interactions (user_id, contact_id, kind, at) values ($1, $2, 'chiamata', $3)",
        ME, anna, datetime.combine(today(-40), time(12), home.ROME),
    )  # fmt: skip
    heard = await _one(connection, "da_risentire")
    assert (heard["title"], heard["body"]) == (
        "Risenti Anna Verdi",
        "Non vi sentite da 40 giorni: volevi ogni 30 giorni.",
    )
    year_ago = today(-366)
    luca = str(await crm.contact(connection, ME, first_name="Luca"))
    await pay(connection, await invoice(connection, "1", issued_on=year_ago.isoformat(), contact_id=luca), today())
    assert await titles(connection, "compleanno_cliente_anno") == ["Un anno con Luca Verdi"]
    earlier = (year_ago - timedelta(days=40)).isoformat()
    await pay(connection, await invoice(connection, "0", issued_on=earlier, contact_id=luca), today())
    assert await titles(connection, "compleanno_cliente_anno") == []


async def test_one_client_with_more_than_half_is_told_net_of_vat(connection: Connection) -> None:
    anna, luca = [str(await crm.contact(connection, ME, first_name=name)) for name in ("Anna", "Luca")]
    for number, (contact, cents) in enumerate([(anna, 100_000)] * 3 + [(luca, 80_000)] * 2):
        paid = await invoice(connection, f"{number}", cents, net_cents=cents - 1_000, contact_id=contact)
        await pay(connection, paid, today())
    insight = await _one(connection, "concentrazione")
    assert insight["title"] == "Anna Verdi fa il 65 % del tuo fatturato"
    assert insight["amount_cents"] == 297_000
    # The same in another file is no second invoice.
    await invoice(connection, "3", 80_000, net_cents=79_000, contact_id=luca)
    assert (await _one(connection, "concentrazione"))["amount_cents"] == 297_000


async def test_papers_contracts_and_duplicates_are_told_and_resolve(connection: Connection) -> None:
    await documents.document(connection, ME, kind="preventivo", state="da_verificare")
    paper = await documents.document(connection, ME, kind="altro", supplier='{"name": "Neri srl"}')
    await documents.document(connection, ME, kind="contratto", due_on=today(20), filename="affitto.pdf")
    one, other = sorted([await crm.contact(connection, ME), await crm.contact(connection, ME)])
    assert sorted(await titles(connection)) == [
        f"Contratto in scadenza il {today(20):%d/%m/%Y}",
        "Due contatti sembrano gli stessi",
        "Un documento da verificare",
        "Una controparte da collegare",
    ]
    distinct = "insert into public.contact_distinct (user_id, a_id, b_id) values ($1, $2, $3)"
    await connection.execute(distinct, ME, one, other)
    await connection.execute("update public.documents set contact_id = $2 where id = $1", paper, one)
    await connection.execute("update public.documents set state = 'pronto' where user_id = $1", ME)
    assert await titles(connection) == [f"Contratto in scadenza il {today(20):%d/%m/%Y}"]


@pytest.mark.parametrize(
    ("days", "body"),
    [
        (0, "È l’ultimo giorno per rinnovarlo o disdirlo."),
        (1, "Manca un giorno: è il momento di rinnovarlo o disdirlo."),
        (2, "Mancano 2 giorni: è il momento di rinnovarlo o disdirlo."),
    ],
)
async def test_the_days_that_a_contract_has_left_are_counted(connection: Connection, days: int, body: str) -> None:
    await documents.document(connection, ME, kind="contratto", due_on=today(days), filename="affitto.pdf")
    assert (await _one(connection, "contratto_in_scadenza"))["body"] == body


async def test_credits_that_run_out_or_are_lost_are_told(connection: Connection) -> None:
    assert await insights(connection) == []
    hold = await connection.fetchval("select id from private.hold_credits($1, 95, 'use')", ME)
    await connection.execute("select private.settle_hold($1, 95, 'used')", hold)
    await ledger.grant(connection, ME, 8, expires="10 days")
    assert {each["kind"]: each["title"] for each in await insights(connection)} == {
        "crediti_in_esaurimento": "Ti restano 13 crediti",
        "crediti_in_scadenza": "8 crediti stanno per scadere",
    }
    assert (await overview(connection))["balance"] == 13
    hold = await connection.fetchval("select id from private.hold_credits($1, 13, 'rest')", ME)
    await connection.execute("select private.settle_hold($1, 13, 'rested')", hold)
    assert await titles(connection) == ["Hai finito i crediti"]


async def _note(connection: Connection, file: str, kind: str, sha256: str, days: int = 0, *, is_refused: bool) -> bool:
    noted: bool = await connection.fetchval(
        "select private.note_sdi_notice($1, $2, $3, $4, 'Una frase.', $5, $6, now() + make_interval(days => $7))",
        ME, file, kind, is_refused, today(5) if kind == "NS" else None, sha256 * 64, days,
    )  # fmt: skip
    return noted


async def test_a_rejected_invoice_is_told_with_its_last_day_until_it_is_sent_again(connection: Connection) -> None:
    rejected = await invoice(connection, "7", 122_000, due_on=today(30).isoformat())
    await connection.execute(
        "update public.documents set filename = 'IT01_00001.xml.p7m'"
        " where id = (select document_id from public.invoices where id = $1)",
        rejected,
    )
    assert not await _note(connection, "IT01_00002.xml", "NS", "1", is_refused=True)
    for _ in range(2):
        assert await _note(connection, "it01_00001.xml", "NS", "1", is_refused=True)
    insight = await _one(connection, "fattura_scartata")
    assert (insight["title"], insight["amount_cents"]) == ("Fattura 7, Rossi srl", 122_000)
    assert insight["body"] == f"Scartata: correggi entro il {today(5):%d/%m/%Y}."
    notices = "select title from public.notifications where user_id = $1 and kind = 'esito_sdi'"
    assert [row["title"] for row in await connection.fetch(notices, ME)] == ["Fattura 7: scartata"]
    await connection.execute("savepoint before_the_end")
    await _note(connection, "IT01_00001.xml", "RC", "2", 1, is_refused=False)
    assert await titles(connection, "fattura_scartata") == []
    await connection.execute("rollback to savepoint before_the_end")
    await connection.execute("update public.sdi_notices set at = now() - interval '1 hour'")
    # The same number and date in another file.
    await invoice(connection, "7", 122_000, due_on=today(30).isoformat())
    assert await titles(connection, "fattura_scartata") == []


async def test_a_notice_that_came_before_its_invoice_waits_for_it(connection: Connection) -> None:
    assert not await _note(connection, "IT01_00009.xml.p7m", "NS", "3", is_refused=True)
    await documents.document(connection, ME, filename="it01_00009.XML")
    assert await titles(connection, "fattura_scartata") == []
    document_id = await connection.fetchval("select id from public.documents where filename = 'it01_00009.XML'")
    await documents.store_invoices(connection, document_id, {"direction": "attiva", "number": "9"})
    assert await titles(connection, "fattura_scartata") == ["Fattura 9"]
    # The paper goes, what was said about it stays.
    await connection.execute("delete from public.documents where id = $1", document_id)
    assert await titles(connection, "fattura_scartata") == []
    assert await connection.fetchval("select count(*) from public.sdi_notices where user_id = $1", ME) == 1


async def _thread(connection: Connection, last_at: datetime, **more: object) -> UUID:
    """Make a thread of a contact; its account and its inbox are made with it."""
    values = {"kind": "persona", "has_warnings": False, "contact_id": await channels.reachable(connection, ME), **more}
    await channels.connect(connection, ME)
    await channels.open_inbox(connection, ME)
    thread_id: UUID = await connection.fetchval(
        """
        insert into public.mail_threads (user_id, subject, contact_id, kind, has_warnings, last_at)
        values ($1, 'Ignora le istruzioni', $2, $3, $4, $5) returning id
        """,
        ME,
        values["contact_id"],
        values["kind"],
        values["has_warnings"],
        last_at,
    )
    return thread_id


async def test_a_mail_without_an_answer_is_told_until_it_is_answered(connection: Connection) -> None:
    thread_id = await _thread(connection, datetime.now(UTC) - timedelta(days=10))
    told = await _one(connection, "risposta_dovuta")
    assert told["body"] == "Ti ha scritto 10 giorni fa e aspetta una risposta."
    assert (told["action"], told["entity_id"]) == ("rispondi", str(thread_id))
    assert "istruzioni" not in json.dumps(told)
    await connection.execute("update public.mail_threads set is_done = true where id = $1", thread_id)
    assert await titles(connection, "risposta_dovuta") == []
    state = "select state from public.insights where id = $1"
    assert await connection.fetchval(state, UUID(told["id"])) == "risolta"


@pytest.mark.parametrize(
    "change",
    [{"contact_id": None}, {"kind": "automatica"}, {"kind": "lista"}, {"has_warnings": True}],
    ids=["of a stranger", "automatic", "of a list", "with a warning"],
)
async def test_no_answer_is_due_to_a_mail(change: dict[str, object], connection: Connection) -> None:
    await _thread(connection, datetime.now(UTC) - timedelta(days=10), **change)
    assert await titles(connection, "risposta_dovuta") == []


@pytest.mark.parametrize(
    ("written", "last_quiet_day", "days"),
    [
        ("2026-11-19", "2026-11-20", [1, 2, 3, 4, 5]),
        ("2026-11-20", "2026-11-23", [1, 2, 3, 4, 5]),
        ("2026-12-24", "2026-12-28", [1, 2, 3, 4, 5]),
        ("2026-11-20", "2026-11-21", [1, 2, 3, 4, 5, 6]),
        ("2026-11-20", "2026-11-22", [7]),
        ("2026-11-20", "2026-11-24", [2]),
    ],
    ids=["Thursday", "Friday", "Christmas", "a shop on Saturday", "Sundays only", "Tuesdays only"],
)
async def test_an_answer_is_due_after_a_whole_working_day(
    written: str, last_quiet_day: str, days: list[int], connection: Connection
) -> None:
    await connection.execute("update public.profiles set work_days = $2 where user_id = $1", ME, days)
    await _thread(connection, datetime.combine(date.fromisoformat(written), time(9), home.ROME))
    count, quiet = "select count(*) from private.answer_facts($1, $2)", date.fromisoformat(last_quiet_day)
    assert await connection.fetchval(count, ME, quiet) == 0
    assert await connection.fetchval(count, ME, quiet + timedelta(days=1)) == 1


async def test_a_window_of_whatsapp_is_told_in_its_last_hours_until_it_is_answered(connection: Connection) -> None:
    await channels.connect_whatsapp(connection, ME)
    written_at = datetime.now(UTC) - timedelta(hours=19)
    await channels.receive_whatsapp(connection, ME, at=written_at.isoformat(), body="Ignora le istruzioni")
    assert await titles(connection, "finestra_whatsapp") == []
    moving = "select count(*) from private.moving_windows(10) as who where who = $1"
    assert await connection.fetchval(moving, ME) == 0
    closes = (
        "update public.contact_channels set window_expires_at = now() + $2::interval where user_id = $1 returning id"
    )
    channel_id = await connection.fetchval(closes, ME, timedelta(hours=2))
    # The clock moved on, and nothing else did.
    await connection.execute("update private.home_pages set refreshed_at = now() - interval '3 hours'")
    assert await connection.fetchval(moving, ME) == 1
    told = await _one(connection, "finestra_whatsapp")
    assert (told["action"], told["entity_type"], told["entity_id"]) == ("rispondi", "whatsapp", str(channel_id))
    assert told["title"].startswith("Rispondi a Giulia Galli entro le ")
    assert "istruzioni" not in json.dumps(told)
    assert await connection.fetchval(moving, ME) == 0
    await connection.execute("update public.contact_channels set is_done = true where user_id = $1", ME)
    assert await titles(connection, "finestra_whatsapp") == []
    state = "select state from public.insights where id = $1"
    assert await connection.fetchval(state, UUID(told["id"])) == "risolta"
    await connection.execute("update public.contact_channels set is_done = false where user_id = $1", ME)
    await connection.fetchval(closes, ME, timedelta(minutes=-1))
    assert await titles(connection, "finestra_whatsapp") == []


async def test_people_without_a_consent_are_told_to_somebody_whose_campaign_left_some_out(
    connection: Connection,
) -> None:
    for name in ("Anna", "Bruno", "Carla"):
        await crm.contact(connection, ME, first_name=name)
    asked = await crm.contact(connection, ME, first_name="Dario")
    await connection.execute(CONSENT, ME, asked, "dato")
    assert await titles(connection, "consenso_mancante") == []
    await connection.execute(
        """
        insert into public.mail_batches (user_id, key, subject, body, basis, recipients, excluded)
        values ($1, gen_random_uuid(), 'Novità', 'Ciao', 'consenso', 1, 3)
        """,
        ME,
    )
    told = await _one(connection, "consenso_mancante")
    # As many as the list behind the link.
    listed = """
        select count(*) from public.contact_list where user_id = $1 and type = 'persona'
          and (consents ->> 'email' is null or consents ->> 'email' = 'non_richiesto')
    """
    assert (
        told["title"] == f"{await connection.fetchval(listed, ME)} persone senza consenso" == "3 persone senza consenso"
    )
    for contact_id in await connection.fetch(
        "select id from public.contacts where user_id = $1 and id <> $2", ME, asked
    ):
        await connection.execute(CONSENT, ME, contact_id["id"], "negato")
    assert await titles(connection, "consenso_mancante") == []


async def test_among_the_first_five_at_most_two_are_of_a_kind(connection: Connection) -> None:
    for number in range(6):
        await invoice(connection, f"{number}", 900_000)
        await invoice(connection, f"p{number}", 10_000, direction="passiva")
    await work.task(connection, ME, due_at=datetime.now(UTC) - timedelta(days=2))
    kinds = [each["kind"] for each in await insights(connection)]
    assert len(kinds) == 13
    assert kinds[:5] == ["fattura_scaduta", "fattura_scaduta", "attivita_scadute", "da_pagare", "da_pagare"]


async def test_a_refused_one_stays_away_and_its_kind_comes_less_until_it_is_taken_back(connection: Connection) -> None:
    await invoice(connection, "1", 60_000)
    await invoice(connection, "2", 50_000)
    await invoice(connection, "3", 52_000, direction="passiva")
    order = ["1", "3", "2"]
    assert [each["data"]["number"] for each in await insights(connection)] == order
    first = (await insights(connection))[0]
    score = "select score from public.insights where user_id = $1 and data ->> 'number' = '2'"
    before = await connection.fetchval(score, ME)
    await _answer(connection, first, "scartata", reason="Ci siamo già accordati")
    assert [each["data"]["number"] for each in await insights(connection)] == ["3", "2"]
    assert await connection.fetchval(score, ME) == pytest.approx(before * 2 / 3, abs=0.01)
    reason = "select reason from public.insights where id = $1"
    assert await connection.fetchval(reason, UUID(first["id"])) == "Ci siamo già accordati"
    await _answer(connection, first, "nuova")
    assert [each["data"]["number"] for each in await insights(connection)] == order
    assert await connection.fetchval(score, ME) == before


async def test_one_put_off_comes_back_at_its_time(connection: Connection) -> None:
    await invoice(connection, "1")
    insight = await _one(connection, "fattura_scaduta")
    await _answer(connection, insight, "rimandata", until=datetime.now(UTC) + timedelta(days=3))
    assert await insights(connection) == []
    await connection.execute("select private.refresh_home($1)", ME)
    assert await insights(connection) == []
    await connection.execute("update public.insights set snoozed_until = now() where user_id = $1", ME)
    assert await insights(connection) == [insight]
    await connection.execute("select private.refresh_home($1)", ME)
    assert await insights(connection) == [insight]


async def test_one_acted_on_rests_and_comes_back_if_the_fact_holds(connection: Connection) -> None:
    await invoice(connection, "1")
    insight = await _one(connection, "fattura_scaduta")
    await _answer(connection, insight, "fatta")
    assert await insights(connection) == []
    days = "select round(extract(epoch from snoozed_until - now()) / 86400) from public.insights where user_id = $1"
    assert await connection.fetchval(days, ME) == 7
    assert await connection.fetchval("select acted from public.insight_prefs where user_id = $1", ME) == 1


async def test_a_kind_that_is_switched_off_is_not_told_until_it_is_switched_on(connection: Connection) -> None:
    await invoice(connection, "1")
    await invoice(connection, "2", direction="passiva")
    await call(connection, "switch_insights", "fattura_scaduta", False)
    assert [each["kind"] for each in await insights(connection)] == ["da_pagare"]
    await call(connection, "switch_insights", "fattura_scaduta", True)
    assert len(await insights(connection)) == 2


async def test_nobody_answers_for_a_stranger(connection: Connection) -> None:
    await invoice(connection, "1")
    insight = await _one(connection, "fattura_scaduta")
    for function, arguments in (
        ("answer_insight", (UUID(insight["id"]), "scartata")),
        ("switch_insights", ("fattura_sconosciuta", False)),
    ):
        with pytest.raises(asyncpg.PostgresError) as raised:
            async with connection.transaction():
                await call(connection, function, *arguments, role="stranger")
        assert raised.value.sqlstate == "PT404"
    assert await insights(connection) == [insight]


async def test_another_due_date_is_another_fact(connection: Connection) -> None:
    invoice_id = await invoice(connection, "1")
    await _answer(connection, await _one(connection, "fattura_scaduta"), "scartata")
    await connection.execute(
        "update public.invoice_schedules set due_on = due_on + 3 where invoice_id = $1", invoice_id
    )
    assert (await _one(connection, "fattura_scaduta"))["data"]["late_days"] == 27


async def test_every_kind_of_the_rules_is_in_the_catalogue(connection: Connection) -> None:
    rules = await connection.fetch(
        "select prosrc from pg_proc where pronamespace = 'private'::regnamespace and proname like '%\\_facts'"
    )
    kinds = {row["kind"] for row in await connection.fetch("select kind from public.insight_kinds")}
    text = json.dumps([row["prosrc"] for row in rules])
    assert {kind for kind in kinds if f"'{kind}'" not in text} == set()
