"""With a provider the same tools answer: in whatever order a model asks, the money is that of local mode."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest

from backend import gateway
from backend.core import db
from backend.core.config import Settings
from backend.core.resources import open_all
from tests.business import load, papers, people
from tests.business.truth import Truth
from tests.conftest import Clock
from tests.databases import connected
from tests.db import crm, documents
from tests.fakes.llm.__main__ import serving
from tests.fakes.llm.script import Fake
from tests.functions.assistant.chatting import Talk, talking, with_model

pytestmark = pytest.mark.anyio

VAT, OTHER_VAT = "00743110157", "12345678903"
QUESTION = "Quanto mi deve Neri S.r.l.?"
OPEN_ARGUMENTS = {"contact": "Neri S.r.l.", "state": "da_pagare", "direction": "attiva"}
OPEN = {"name": "list_invoices", "arguments": OPEN_ARGUMENTS}
FIND = {"name": "find_contacts", "arguments": {"query": "Neri"}}
LATE = {"name": "list_invoices", "arguments": {"contact": "Neri S.r.l.", "state": "scadute"}}
EVERY = {"name": "list_invoices", "arguments": {"contact": "Neri S.r.l.", "direction": "attiva"}}
WRONG = {"name": "list_invoices", "arguments": {"contact": "Neri S.r.l.", "state": "aperte"}}
UNKNOWN = {"name": "sum_of_debts", "arguments": {"client": "Neri"}}
SAID = {"text": "Neri S.r.l. ti deve 366,00 €."}


@pytest.fixture
async def fake() -> Fake:
    return Fake()


@asynccontextmanager
async def conversing(settings: Settings, fake: Fake, now: Clock) -> AsyncIterator[Talk]:
    """Let somebody talk on an installation whose provider is the fake."""
    async with (
        serving(fake) as url,
        open_all(with_model(settings, url), now) as resources,
        gateway.application(resources) as app,
        talking(app, resources) as talk,
    ):
        yield talk


@pytest.fixture
async def talk(settings: Settings, fake: Fake, now: Clock) -> AsyncIterator[Talk]:
    async with conversing(settings, fake, now) as opened:
        yield opened


async def file(talk: Talk, cents: int, name: str, vat: str, **more: Any) -> None:
    """File an issued invoice that has no contact."""
    connection = await asyncpg.connect(talk.resources.settings.database_url)
    document = await documents.document(connection, talk.person, filename="fattura.xml", kind="fattura")
    invoice = {"direction": "attiva", "number": f"{cents}/2026", "total_cents": cents, "counterparty_name": name}
    await documents.store_invoices(connection, document, {**invoice, "counterparty_vat": vat, **more})
    await connection.execute("update public.invoices set contact_id = null where document_id = $1", document)
    await connection.close()


async def neri(talk: Talk) -> None:
    """File what Neri S.r.l. owes, and what a company with a similar name owes."""
    company = {"type": "azienda", "business_name": "Neri S.r.l.", "first_name": None, "last_name": None}
    async with db.connection(talk.resources.pool) as connection:
        await crm.contact(connection, talk.person, **company, vat_number=VAT)
    await file(talk, 36_600, "NERI SRL", VAT, net_cents=30_000, vat_cents=6_600)
    await file(talk, 97_600, "Neri Srls", OTHER_VAT)


async def asked(talk: Talk, fake: Fake, *steps: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Ask with the model saying these steps; return the answer and what the tools gave the model, oldest first."""
    fake.received.clear()
    fake.script(rules=[{"steps": list(steps)}])
    told = await talk.ask(QUESTION, mode="ia")
    message = told[-1].data["message"]
    assert (message["status"], message["mode"]) == ("done", "ia")
    results = [each["content"] for each in fake.received[-1].body["messages"] if each["role"] == "tool"]
    return message, [_read(each) for each in results]


def _read(content: str) -> dict[str, Any]:
    try:
        read = json.loads(content)
    except ValueError:
        return {"refused": content}
    return read if isinstance(read, dict) else {"refused": content}


def owed(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the answers about invoices of the client that found one: nothing of theirs is late."""
    return [each for each in results if each.get("of") and each.get("count") == 1]


def marked(message: dict[str, Any]) -> list[str]:
    """Return the words of an answer that its reader sees as doubtful."""
    encoded = str(message["content"]).encode("utf-16-le")
    return [encoded[2 * start : 2 * end].decode("utf-16-le") for start, end in message["unverified"]]


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param([{"calls": [FIND]}, {"calls": [OPEN]}, SAID], id="contact first"),
        pytest.param([{"calls": [OPEN]}, {"calls": [FIND]}, SAID], id="invoices first"),
        pytest.param([{"calls": [FIND, OPEN, LATE, EVERY]}, SAID], id="four at once"),
        pytest.param([{"calls": [OPEN]}, {"calls": [OPEN]}, SAID], id="the same twice"),
        pytest.param([{"calls": [OPEN, OPEN]}, SAID], id="the same twice at once"),
        pytest.param([{"calls": [WRONG]}, {"calls": [OPEN]}, SAID], id="a wrong argument, then a right one"),
        pytest.param([{"calls": [UNKNOWN]}, {"calls": [OPEN]}, SAID], id="a tool that does not exist"),
    ],
)
async def test_a_debt_is_the_same_in_whatever_order_a_model_asks(
    talk: Talk, fake: Fake, steps: list[dict[str, Any]]
) -> None:
    await neri(talk)
    local = (await talk.ask(QUESTION))[-1].data["message"]["content"]
    assert "**366,00 €**" in local
    assert "Neri Srls" in local
    message, results = await asked(talk, fake, *steps)
    assert marked(message) == []
    answers = owed(results)
    assert len(answers) >= sum(call in (OPEN, EVERY) for step in steps for call in step.get("calls", ()))
    for answer in answers:
        assert (answer["to_cash"] if "to_cash" in answer else answer["issued"])["total_cents"] == 36_600
        [similar] = answer["similar"]
        assert "Neri Srls" in similar["counterparty"]
        assert similar["amount"] == "976,00 €"
        assert not answer.get("all_paid")


async def test_a_model_is_told_net_and_gross_apart(talk: Talk, fake: Fake) -> None:
    await neri(talk)
    message, [answer] = await asked(
        talk, fake, {"calls": [EVERY]}, {"text": "366,00 € IVA compresa, 300,00 € netto, IVA 67,00 €."}
    )
    assert (answer["amount"], answer["net"]) == ("366,00 €", "300,00 €")
    assert marked(message) == ["67,00"]
    described = {tool["function"]["name"]: tool["function"] for tool in fake.received[-1].body["tools"]}
    told = described["list_invoices"]["description"]
    assert "include VAT, their `net` does not: say which one you tell" in told
    assert "Say that everything is paid only where `all_paid` is true" in told


@pytest.mark.parametrize("claim", ["È tutto saldato.", "Neri ha già pagato tutto.", "Neri non ti deve più nulla."])
async def test_a_debtor_whom_a_model_calls_settled_is_marked(talk: Talk, fake: Fake, claim: str) -> None:
    await neri(talk)
    message, _ = await asked(talk, fake, {"calls": [OPEN]}, {"text": f"Ho controllato. {claim} Restano 12,00 €."})
    [doubted, figure] = marked(message)
    assert doubted in claim
    assert figure == "12,00"
    # What a model says without having looked is no better.
    message, _ = await asked(talk, fake, {"text": claim})
    assert marked(message) == [doubted]


async def test_settled_stands_where_a_tool_proves_it(talk: Talk, fake: Fake) -> None:
    company = {"type": "azienda", "business_name": "Neri S.r.l.", "first_name": None, "last_name": None}
    async with db.connection(talk.resources.pool) as connection:
        await crm.contact(connection, talk.person, **company, vat_number=VAT)
    message, [nothing] = await asked(talk, fake, {"calls": [OPEN]}, {"text": "È tutto saldato."})
    assert (nothing["all_paid"], marked(message)) == (False, ["tutto saldato"])
    await file(talk, 36_600, "NERI SRL", VAT, paid_on="2026-03-02")
    message, [paid] = await asked(talk, fake, {"calls": [OPEN]}, {"text": "È tutto saldato."})
    assert (paid["all_paid"], marked(message)) == (True, [])
    local = (await talk.ask(QUESTION))[-1].data["message"]
    assert local["content"].endswith("è tutto saldato.")
    assert marked(local) == []


async def test_each_debtor_of_a_business_owes_the_same_to_a_model(settings: Settings, fake: Fake, now: Clock) -> None:
    async with conversing(settings, fake, now) as talk:
        today = now().astimezone(load.ROME).date()
        async with connected(settings.database_url) as connection:
            await load.load(connection, talk.person, today)
        books = Truth(today).books
        debtors = list(dict.fromkeys(each.contact for each in books.invoices(["issued", "open"])))
        calls = [{**OPEN, "arguments": {**OPEN_ARGUMENTS, "contact": people.CONTACTS[key].name}} for key in debtors]
        everybody = {"name": "list_invoices", "arguments": {"state": "da_pagare"}}
        _, [every, *results] = await asked(talk, fake, {"calls": [everybody, *calls]}, {"text": "Fatto."})
    assert every["to_cash"]["total_cents"] == books.total("owed", books.invoices(["issued"]))
    assert every["to_pay"]["total_cents"] == books.total("owed", books.invoices(["received"]))
    assert [each["to_cash"]["total_cents"] for each in results] == [
        books.total("owed", [of for of in papers.ISSUED if of.contact == key]) for key in debtors
    ]
