"""Reminders of «Recupero crediti» by mail, WhatsApp and PEC: the rule, and what happens when a channel is gone."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import httpx
import pytest

from backend.core import db
from backend.core.config import Settings
from functions._shared import smtp as mail_server
from functions._shared.goals import channels as ways
from functions._shared.goals import dry_run, plans, recovery, running
from functions._shared.whatsapp import numbers
from functions.jobs import mail_outbox
from tests.backend.test_commands import environment
from tests.db import channels
from tests.fakes import smtp
from tests.fakes.meta import graph
from tests.fakes.meta.business import Business as Portfolio
from tests.fakes.meta.business import Person
from tests.functions.test_goals import CHILD, CONTENT, Business
from tests.functions.test_goals import business as business
from tests.functions.test_goals import databases as databases
from tests.functions.whatsapp_desk import Desk

pytestmark = pytest.mark.anyio
ROSSI = Person("IT.13491208655302741918", "Rossi srl", "393331234567")
PEC = "rossi@pec.example"
PASSWORD = "una password per le app"
# As web/src/strings/goals.ts proposes it to Meta.
BODY = (
    "Gentile {{nome}}, le ricordo un pagamento ancora aperto: {{fatture}}, in totale {{totale}}, scadenza {{scadenza}}."
    " Se è già partito, non tenga conto di questo messaggio."
)
PLACES = ["nome", "fatture", "totale", "scadenza"]


@pytest.fixture
async def meta() -> AsyncIterator[graph.Meta]:
    async with graph.serving(Portfolio()) as fake:
        yield fake


@pytest.fixture
def settings(settings: Settings, meta: graph.Meta) -> Settings:
    return replace(settings, edge_runtime=replace(settings.edge_runtime, secrets={"WHATSAPP_API_BASE": meta.url}))


@dataclass(frozen=True)
class Shop:
    """The business of test_goals with a number at Meta, a template and a client who wrote once."""

    business: Business
    desk: Desk
    meta: graph.Meta

    async def third(self, **limits: Any) -> dict[str, Any]:
        """Run the agent until the third reminder, after a second that left by mail; answers its step."""
        await self.business.invoice("7", 1)
        await self.business.start(**limits, uses_whatsapp=True)
        [second] = await self.business.run()
        if second["state"] == "in_approvazione":
            await self.approve(second)
            await self.business.run()
        return (await self.business.later(7))[-1]

    async def approve(self, step: dict[str, Any]) -> None:
        await self.business.call("decide_goal_steps", [step["id"]], [step["hash"]], True)


@pytest.fixture
async def shop(business: Business, client: httpx.AsyncClient, meta: graph.Meta) -> Shop:
    desk = await connected(business, client, meta)
    await business.do(
        "insert into public.contact_phones (user_id, contact_id, value, norm)"
        " values ($1, $2, '333 123 4567', '+393331234567')",
        business.user_id,
        business.client,
    )
    await desk.say(ROSSI, "Buongiorno")
    return Shop(business, desk, meta)


async def connected(business: Business, client: httpx.AsyncClient, meta: graph.Meta) -> Desk:
    """Connect a number to the business, with the template of reminders."""
    account_id, context = uuid4(), business.context
    meta.add_template("promemoria_pagamento", BODY)
    async with db.transaction(business.resources.pool) as connection:
        await channels.connect_whatsapp(
            connection, business.user_id, account_id=account_id, phone_number_id=meta.business.phone_number_id,
            sealed_token=context.seal(numbers.TOKENS, account_id, meta.business.token),
            sealed_app_secret=context.seal(numbers.APP_SECRETS, account_id, meta.business.app_secret),
        )  # fmt: skip
        await channels.add_template(connection, business.user_id, name="promemoria_pagamento", body=BODY, places=PLACES)
    return Desk(business.resources, client, business.user_id, account_id, meta.business)


# What breaks each way, and what the client has.
NO_MAIL = "delete from public.contact_emails"
DEAD_MAIL = (
    "insert into public.mail_suppressions (user_id, address, reason)"
    " select user_id, norm, 'rimbalzo' from public.contact_emails"
)
NO_CHAT = "delete from public.contact_channels; delete from public.contact_phones"
STRANGER = "delete from public.contact_channels"
STOPPED = "update public.contact_channels set stopped_at = now()"
OBJECTED = (
    "insert into public.consents (user_id, contact_id, channel, purpose, state, legal_basis)"
    " select user_id, contact_id, 'whatsapp', 'servizio', 'revocato', 'Consenso' from public.contact_channels"
)
NO_NUMBER = "delete from public.whatsapp_accounts"
PENDING = "update public.whatsapp_templates set state = 'PENDING'"
REJECTED = "update public.whatsapp_templates set state = 'REJECTED'"
PROMOTION = "update public.whatsapp_templates set category = 'MARKETING'"
NO_TEMPLATE = "delete from public.whatsapp_templates"
COMMON = "update public.mail_accounts set is_certified = false"
NO_PEC = "update public.contacts set pec = null"
DEAD_PEC = (
    "insert into public.mail_suppressions (user_id, address, reason)"
    " select user_id, pec, 'rimbalzo' from public.contacts where pec is not null"
)
BOTH = {"uses_whatsapp": True, "uses_pec": True}
TABLE: list[tuple[dict[str, bool], str, str, list[str | None]]] = [
    # What the mandate has, what is broken: the channels of the four reminders, and the reasons.
    ({}, "", "email email email email", [None] * 4),
    ({}, NO_MAIL, "email email email email", [None] * 4),
    ({"uses_whatsapp": True}, "", "email email whatsapp email", [None] * 4),
    ({"uses_pec": True}, "", "email email email pec", [None] * 4),
    (BOTH, "", "email email whatsapp pec", [None] * 4),
    (BOTH, NO_MAIL, "whatsapp whatsapp whatsapp pec", ["no_email", "no_email", None, None]),
    (BOTH, DEAD_MAIL, "whatsapp whatsapp whatsapp pec", ["email_refused", "email_refused", None, None]),
    (BOTH, f"{NO_MAIL}; {NO_PEC}", "whatsapp whatsapp whatsapp whatsapp", ["no_email", "no_email", None, "no_pec"]),
    (BOTH, f"{NO_MAIL}; {NO_CHAT}", "email email email pec", [None, None, "no_number", None]),
    (BOTH, NO_CHAT, "email email email pec", [None, None, "no_number", None]),
    (BOTH, STRANGER, "email email email pec", [None, None, "never_wrote", None]),
    (BOTH, STOPPED, "email email email pec", [None, None, "stopped", None]),
    (BOTH, OBJECTED, "email email email pec", [None, None, "objected", None]),
    (BOTH, NO_NUMBER, "email email email pec", [None, None, "no_account", None]),
    (BOTH, PENDING, "email email email pec", [None, None, "template_pending", None]),
    (BOTH, REJECTED, "email email email pec", [None, None, "template", None]),
    (BOTH, PROMOTION, "email email email pec", [None, None, "template", None]),
    (BOTH, NO_TEMPLATE, "email email email pec", [None, None, "no_template", None]),
    (BOTH, COMMON, "email email whatsapp email", [None, None, None, "no_pec_account"]),
    (BOTH, NO_PEC, "email email whatsapp email", [None, None, None, "no_pec"]),
    (BOTH, DEAD_PEC, "email email whatsapp email", [None, None, None, "pec_refused"]),
]


async def test_the_channel_follows_the_mandate_and_gives_way_with_a_reason(shop: Shop) -> None:
    business = shop.business
    await business.do("update public.contacts set pec = $1", PEC)
    await business.do("update public.mail_accounts set is_certified = true")
    values = dict.fromkeys(PLACES, "x")
    for mandate, broken, expected, reasons in TABLE:
        await business.start("proponi", **mandate)
        async with business.context.as_service() as connection:
            trial = connection.transaction()
            await trial.start()
            await connection.execute("reset role")
            await connection.execute(broken or "select 1")
            found = [
                await ways.choose(connection, business.user_id, business.client, level, values)
                for level in (1, 2, 3, 4)
            ]
            await trial.rollback()
        assert (" ".join(way.channel for way in found), [way.reason for way in found]) == (expected, reasons), broken
        assert all(way.note() for way in found if way.reason)
        if not broken:
            terms = plans.Terms(
                uses_whatsapp=mandate.get("uses_whatsapp", False), uses_pec=mandate.get("uses_pec", False)
            )
            plan = await plans.make(business.context, recovery.CHASE, terms)
            assert [step["channel"] for step in plan["steps"]] == expected.split()
    # A value that is missing cannot be sent.
    await business.start("proponi", **BOTH)
    async with business.context.as_service() as connection:
        way = await ways.choose(connection, business.user_id, business.client, 3, {**values, "totale": " "})
    assert (way.channel, way.note()) == ("email", "Per email: manca un dato del modello WhatsApp")


async def test_the_third_reminder_leaves_once_by_whatsapp_with_its_facts(shop: Shop) -> None:
    business, meta = shop.business, shop.meta
    step = await shop.third()
    assert (step["state"], step["recipients"]) == ("fatto", ["+393331234567"])
    for _ in range(2):
        await business.run()
        [message] = await shop.desk.send()
    [sent] = meta.sent
    given = sent["template"]["components"][0]["parameters"]
    assert [(each["parameter_name"], each["text"]) for each in given][:3] == [
        ("nome", "Rossi srl"), ("fatture", "fattura 7"), ("totale", "1.000,00 €"),
    ]  # fmt: skip
    assert (message["key"], message["state"], message["body"]) == (step["id"], "sent", step["preview"]["body"])
    assert "in totale 1.000,00 €" in message["body"]
    # The second went by mail; the third did not go twice.
    assert len(await business.outbox()) == 1
    entries = await business.do("select kind::text from public.interactions where direction = 'uscita'")
    assert [row["kind"] for row in entries] == ["whatsapp"]
    [row] = await business.do("select private.agent_week($1, now() + interval '1 hour') as week", business.user_id)
    assert (row["week"]["sent_by_whatsapp"], row["week"]["sent_by_pec"]) == (1, 0)
    await business.invoice("8", 40)
    report = await dry_run.report(business.context, business.user_id, recovery.CHASE)
    assert "whatsapp" in {letter["channel"] for letter in report["letters"]}
    assert len(meta.sent) == 1


async def test_an_approval_names_the_channel_and_another_needs_a_yes_again(shop: Shop) -> None:
    business = shop.business
    step = await shop.third(autonomy="supervisionata", last_tone=1)
    assert (step["state"], step["args"]["channel"]) == ("in_approvazione", "whatsapp")
    assert step["args"]["values"]["nome"] == "Rossi srl"
    with pytest.raises(asyncpg.PostgresError) as refused:
        await business.call("edit_goal_step", step["id"], "Altro", "testo")
    assert refused.value.sqlstate == "SG006"
    # The hash is another for another channel, recipient or value.
    hashes = await business.do(
        """
        select public.hash(changed) as hash from public.goal_steps as step cross join lateral (values
          (step), (jsonb_populate_record(step, jsonb_build_object('args', args || '{"channel": "pec"}'))),
          (jsonb_populate_record(step, jsonb_build_object('recipients', '{+39000}'::text[]))),
          (jsonb_populate_record(step, jsonb_build_object('args', jsonb_set(args, '{values,totale}', '"1 €"')))),
          (jsonb_populate_record(step, jsonb_build_object('args', jsonb_set(args, '{template,body}', '"x"'))))
        ) as each (changed) where id = $1
        """,
        step["id"],
    )
    assert len({row["hash"] for row in hashes}) == 5
    await shop.approve(step)
    await shop.desk.rows("update public.whatsapp_templates set state = 'REJECTED'")
    skipped = next(each for each in await business.run() if each["id"] == step["id"])
    assert (skipped["state"], skipped["error"]) == ("saltato", "channel_template")
    # Kind enough for the mandate, but not the channel that was approved.
    await business.start("supervisionata", uses_whatsapp=True)
    again = next(each for each in await business.run() if each["state"] == "in_approvazione")
    assert (again["args"]["channel"], len(await business.outbox())) == ("email", 1)
    assert again["preview"]["note"] == "Per email: il modello WhatsApp dei solleciti non è approvato"
    await shop.approve(again)
    await business.run()
    assert (len(await business.outbox()), await shop.desk.outgoing()) == (2, [])


RATE = (
    "insert into public.whatsapp_rates (market, category, valid_from, currency, amount_micros)"
    " values ('39', 'utility', '2026-01-01', 'EUR', 30000)"
)


@pytest.mark.parametrize(
    ("meanwhile", "state"),
    [
        ("update public.contact_channels set window_expires_at = now() - interval '1 minute'", "fatto"),
        ("update public.whatsapp_rates set amount_micros = 40000", "saltato"),
        ("delete from public.whatsapp_rates", "saltato"),
    ],
)
async def test_an_approval_is_about_what_meta_asks_at_most(shop: Shop, meanwhile: str, state: str) -> None:
    business = shop.business
    await business.do(RATE)
    await business.invoice("7", 1)
    await business.do(NO_MAIL)
    await business.start("proponi", uses_whatsapp=True)
    [step] = await business.run()
    cost = {"currency": "EUR", "least_micros": 0, "most_micros": 30000}
    assert step["preview"]["price"] == {"sums": [cost], "unpriced": 0}
    await shop.approve(step)
    await business.do(meanwhile)
    found = next(each for each in await business.run() if each["id"] == step["id"])
    assert (found["state"], found["error"]) == (state, "channel_changed" if state == "saltato" else None)


@pytest.mark.parametrize("moment", ["approved", "queued"])
@pytest.mark.parametrize("cause", ["paid", "STOP", "revoked"])
async def test_what_changes_before_it_leaves_stops_it(shop: Shop, moment: str, cause: str) -> None:
    business = shop.business
    step = await shop.third(autonomy="proponi" if moment == "approved" else "supervisionata")
    if moment == "approved":
        await shop.approve(step)
    if cause == "paid":
        await business.call("mark_invoice_paid", UUID(step["args"]["items"][0]["invoice_id"]), business.today)
    elif cause == "STOP":
        await shop.desk.say(ROSSI, "STOP")
    else:
        [mandate] = await business.do("select id from public.agent_mandates where revoked_at is null")
        await business.call("revoke_mandate", mandate["id"])
    after = next(each for each in await business.run() if each["id"] == step["id"])
    await shop.desk.send()
    assert [sent for sent in shop.meta.sent if "template" in sent] == []
    stopped = {("approved", "STOP"): "saltato", ("queued", "STOP"): "fatto"}
    assert after["state"] == stopped.get((moment, cause), "annullato")
    if (moment, cause) == ("approved", "STOP"):
        assert after["error"] == "channel_stopped"


async def test_a_worker_that_is_killed_sends_no_second_whatsapp(shop: Shop) -> None:
    business = shop.business
    await business.do(NO_MAIL)
    await business.invoice("7", 2)
    await business.start(uses_whatsapp=True)
    async with business.context.as_service() as connection:
        assert await running.plan_next(connection, business.user_id, business.now())
    child = subprocess.Popen(  # noqa: ASYNC220 - takes no time
        [sys.executable, "-c", CHILD, "running", business.now().isoformat(), str(business.user_id)],
        env=environment(business.resources.settings),
    )
    assert await asyncio.to_thread(child.wait, 60) == -signal.SIGKILL
    assert await shop.desk.outgoing() == []
    business.now.advance(minutes=6)
    for _ in range(2):
        await business.run()
        await shop.desk.send()
    assert [sent["type"] for sent in shop.meta.sent] == ["template"]


async def test_the_last_reminder_goes_by_pec_and_never_as_common_mail(business: Business) -> None:
    await business.do("update public.contacts set pec = $1", PEC)
    async with smtp.serving(PASSWORD) as server:
        sealed = business.context.seal(mail_server.PURPOSE, business.user_id, PASSWORD)
        account = {"port": server.port, "sealed": sealed}
        async with db.connection(business.resources.pool) as connection:
            await channels.connect(connection, business.user_id, **account, is_certified=True)
        await business.invoice("7", 1, content=CONTENT)
        await business.start(uses_pec=True)
        await business.run()
        for days in (7, 12):
            last = (await business.later(days))[-1]
        assert (last["args"]["channel"], last["recipients"], last["state"]) == ("pec", [PEC], "fatto")
        # The mailbox is another before it leaves.
        async with db.connection(business.resources.pool) as connection:
            await channels.connect(connection, business.user_id, **account)
        await business.do("update public.outgoing_mails set not_before = now() where key = $1", last["id"])
        await mail_outbox.handler({"user_id": str(business.user_id)}, business.context)
        mail = (await business.outbox())[-1]
        assert (mail["state"], mail["error"], server.letters()) == ("failed", "disconnected", [])
        async with db.connection(business.resources.pool) as connection:
            await channels.connect(connection, business.user_id, **account, is_certified=True)
        await business.call("decide_mail", mail["id"], False)
        await business.do("update public.outgoing_mails set not_before = now() where key = $1", last["id"])
        await mail_outbox.handler({"user_id": str(business.user_id)}, business.context)
        [letter] = server.letters()
    assert (letter["To"], letter["X-TipoRicevuta"]) == (PEC, "completa")
    assert [each.get_content_type() for each in letter.iter_attachments()] == ["application/pdf"]
