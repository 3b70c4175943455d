"""Counts, rankings, averages and comparisons of invoices: by client and period, in the tools and in local mode."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import date, datetime
from typing import Any
from uuid import uuid4

import asyncpg
import pytest
from starlette.types import ASGIApp

from backend.core.resources import Resources
from functions._shared.assistant.local import turns
from functions._shared.assistant.turn import ROME
from tests.db import documents
from tests.functions.assistant.chatting import Talk, talking
from tests.functions.assistant.test_truth import contact, says, tool

pytestmark = pytest.mark.anyio

VAT = "00743110157"


@pytest.fixture
async def talk(app: ASGIApp, resources: Resources) -> AsyncIterator[Talk]:
    async with talking(app, resources) as opened:
        yield opened


async def invoice(talk: Talk, net: int, issued_on: str, name: str, **more: Any) -> None:
    """File an invoice in euros of cents, with 22 % VAT, due a month after its issue."""
    connection = await asyncpg.connect(talk.resources.settings.database_url)
    document = await documents.document(connection, talk.person, filename="fattura.xml", kind="fattura")
    total = net * 122 // 100
    row = {
        "direction": "attiva",
        "number": str(uuid4())[:8],
        "issued_on": issued_on,
        "counterparty_name": name,
        "net_cents": net,
        "vat_cents": total - net,
        "total_cents": total,
        **more,
    }
    await documents.store_invoices(connection, document, row)
    if more.get("contact_id") is None:
        await connection.execute("update public.invoices set contact_id = null where document_id = $1", document)
    await connection.close()


def due(total_cents: int, on: str) -> list[dict[str, Any]]:
    """Return the only instalment of an invoice."""
    return [{"due_on": on, "amount_cents": total_cents}]


async def business(talk: Talk) -> None:
    """File what three clients and a supplier were sent: Neri in three names, Rosa late, Blu in time."""
    company = await contact(talk, "Neri S.r.l.", vat_number=VAT)
    await contact(talk, first_name="Elena", last_name="Galli", company_id=company)
    await invoice(talk, 100_000, "2026-01-10", "Neri Srl", counterparty_vat=VAT, paid_on="2026-02-09")
    await invoice(talk, 50_000, "2026-03-10", "NERI S.R.L.", paid_on="2026-03-30")
    await invoice(talk, 20_000, "2026-02-01", "Elena Galli", paid_on="2026-02-11")
    await invoice(talk, 80_000, "2026-02-02", "Rosa Snc", schedules=due(97_600, "2026-03-01"))
    await invoice(talk, 60_000, "2025-02-10", "Blu Spa", paid_on="2025-02-20", schedules=due(73_200, "2025-03-10"))
    await invoice(talk, 30_000, "2025-12-10", "Blu Spa", paid_on="2025-12-20", schedules=due(36_600, "2026-01-10"))
    await invoice(talk, 40_000, "2026-02-10", "Legnami Po", direction="passiva")


async def test_clients_are_ranked_by_net_with_a_company_and_its_people_as_one(talk: Talk) -> None:
    await business(talk)
    ranked = await tool(talk, "rank_counterparties", **{"from": "2026-01-01", "to": "2026-12-31"})
    assert [(row["name"], row["net"], row["invoices"]) for row in ranked["rows"]] == [
        ("Neri S.r.l.", "1.700,00 €", 3),
        ("Rosa Snc", "800,00 €", 1),
    ]
    assert (ranked["parties"], ranked["ever"], ranked["new"], ranked["net"]) == (2, 3, 2, "2.500,00 €")
    owed = await tool(talk, "rank_counterparties", by="open")
    assert [(row["name"], row["open"]) for row in owed["rows"]] == [("Rosa Snc", "976,00 €")]
    delays = await tool(talk, "rank_counterparties", by="delay")
    assert [(row["name"], row["delay"] > 0) for row in delays["rows"]] == [("Rosa Snc", True), ("Blu Spa", False)]
    suppliers = await tool(talk, "rank_counterparties", direction="passiva")
    assert [row["name"] for row in suppliers["rows"]] == ["Legnami Po"]


async def test_averages_count_what_was_paid(talk: Talk) -> None:
    await business(talk)
    every = await tool(talk, "payment_averages")
    assert (every["payment_days"], every["paid"], every["unpaid"]) == (16, 5, 1)
    neri = await tool(talk, "payment_averages", contact="Neri")
    assert (neri["payment_days"], neri["count"], neri["average_net"]) == (25, 2, "750,00 €")


async def test_an_unfinished_period_is_compared_up_to_the_same_day(talk: Talk) -> None:
    await business(talk)
    today = talk.resources.now().astimezone(ROME).date()
    year = today.year
    await invoice(talk, 10_000, f"{year}-01-01", "Ieri")
    await invoice(talk, 5_000, f"{year - 1}-01-01", "Ieri")
    await invoice(talk, 7_000, f"{year - 1}-12-31", "Ieri")
    days = {"from": f"{year}-01-01", "to": f"{year}-12-31"}
    days |= {"other_from": f"{year - 1}-01-01", "other_to": f"{year - 1}-12-31"}
    compared = await tool(talk, "compare_periods", **days)
    assert compared["period"]["to"] == today.isoformat()
    assert compared["other"]["to"][5:] == today.isoformat()[5:]
    later = 7_000 if today < date(year, 12, 31) else 0
    assert compared["other_whole"]["net_cents"] - compared["other"]["net_cents"] >= later
    assert compared["difference_cents"] == compared["period"]["net_cents"] - compared["other"]["net_cents"]


SAYINGS = [
    ("quanti clienti ho?", "Hai **3 clienti** a cui hai emesso fatture."),
    ("con quanti clienti ho lavorato nel 2025?", "Hai **1 cliente** a cui hai emesso fatture nel 2025."),
    ("quanti clienti nuovi nel 2026?", "Hai **2 clienti nuovi** nel 2026"),
    ("quanti fornitori ho", "Hai **1 fornitore** da cui hai ricevuto fatture."),
    ("chi è il mio miglior cliente?", "Il tuo miglior cliente è **Neri S.r.l.**"),
    (
        "i miei migliori clienti del 2026",
        "**1.700,00 €** netto (2.074,00 € IVA compresa), il 68 % del totale",
    ),
    ("chi mi deve di più?", "Chi ti deve di più è **Rosa Snc**"),
    ("a chi ho fatturato di meno nel 2025?", "**900,00 €** netto"),
    ("chi paga in ritardo?", "Chi paga più in ritardo è **Rosa Snc**"),
    ("qual è il cliente più puntuale?", "Chi paga più puntuale è **Blu Spa**"),
    ("da chi compro di più?", "Il fornitore da cui compri di più è **Legnami Po**"),
    ("in quanti giorni mi pagano in media?", "in media **16 giorni** dopo l’emissione"),
    ("quanto ci mette Neri a pagare?", "Neri S.r.l. ti paga in media **25 giorni** dopo l’emissione"),
    ("qual è la fattura media nel 2025?", "La fattura media nel 2025 è di **450,00 €** netto (549,00 € IVA compresa)"),
    ("confronta febbraio 2026 e febbraio 2025", "**400,00 € in più** (+67 %) rispetto a **600,00 €** netto"),
    ("chi è il miglior cliente nel 2024?", "Non hai ancora fatture emesse nel 2024, quindi non c’è una classifica."),
    ("chi è il miglior cliente di Torino?", "Non ho capito «Torino»"),
]


async def test_questions_about_figures_are_answered_or_asked_back(talk: Talk) -> None:
    await business(talk)
    answers = {question: await says(talk, question) for question, _ in SAYINGS}
    assert {question: answers[question] for question, part in SAYINGS if part not in answers[question]} == {}


SUMS = [
    ("quanto ho speso in tipografia?", "Non trovo «tipografia» fra i fornitori, nelle righe"),
    ("quanto ho speso di legnami al netto?", "**400,00 €** netto"),
    ("quanto mi ha pagato finora Neri?", "**1.830,00 €**"),
    ("quanto ho fatturato di trasporto?", "Non trovo «trasporto» fra i clienti e i fornitori"),
]


async def test_a_word_next_to_a_sum_is_a_name_or_asked_about(talk: Talk) -> None:
    await business(talk)
    answers = {question: await says(talk, question) for question, _ in SUMS}
    assert {question: answers[question] for question, part in SUMS if part not in answers[question]} == {}


FOLLOWING = [
    (("chi è il mio miglior cliente?", "e il secondo?"), "rank_parties", {"place": 2}),
    (("chi è il mio miglior cliente?", "e nel 2025?"), "rank_parties", {"from": "2025-01-01", "to": "2025-12-31"}),
    (("quanti clienti ho?", "chi sono?"), "rank_parties", {"by": "invoiced"}),
    (("quanti clienti ho?", "e i fornitori?"), "count_parties", {"direction": "passiva"}),
    (("quanto ci mette Bianchi a pagare?", "e Rossi?"), "payment_days", {"contact": "Rossi"}),
    (
        ("quanto ho fatturato il mese scorso?", "e il mese prima?"),
        "invoices",
        {"from": "2026-09-01", "to": "2026-09-30"},
    ),
    (("quanto ho fatturato a ottobre?", "e rispetto all'anno scorso?"), "compare", {"other_from": "2025-10-01"}),
    (("ho fatturato più o meno dell'anno scorso?", "e a settembre?"), "compare", {"other_from": "2025-09-01"}),
]


@pytest.mark.parametrize(("questions", "intent", "slots"), FOLLOWING, ids=[each[0][1] for each in FOLLOWING])
def test_a_follow_up_keeps_the_rest_of_the_question(
    questions: tuple[str, str], intent: str, slots: dict[str, Any]
) -> None:
    said = turns.understood([(questions[0], "")], questions[1], datetime.fromisoformat("2026-11-23T10:00")).said
    assert said.intent == intent
    assert said.slots | slots == said.slots
