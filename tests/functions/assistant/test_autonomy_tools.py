"""What the assistant says of agents and of the packet for the accountant: what their screens say, to their person."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from backend.core import config, db
from functions._shared import italian_dates
from functions._shared.assistant import figures
from functions._shared.goals import agents
from tests.db import documents, goals
from tests.functions.assistant.office import Office

pytestmark = pytest.mark.anyio


async def test_agents_are_on_or_off_with_what_waits_and_who_stopped_them(office: Office) -> None:
    off = await office.ask(office.turn(), "list_agents")
    assert {row["agent"]: row["state"] for row in off["rows"]} == dict.fromkeys(agents.BY_NAME, "spento")
    assert ("last_7_days" in off, "stopped_by" in off) == (False, False)
    async with db.connection(office.resources.pool) as connection:
        for user_id, cents in ((office.owner, 122_000), (office.stranger, 999_900)):
            await goals.mandate(connection, user_id, uses_whatsapp=True)
            goal_id = await goals.start(connection, user_id)
            for state in ("in_approvazione", "in_approvazione", "rifiutato"):
                await connection.execute(
                    """
                    insert into public.goal_steps (user_id, goal_id, tool, args, preview, state)
                    values ($1, $2, 'mail', '{}', jsonb_build_object('cents', $3::integer), $4)
                    """,
                    user_id, goal_id, cents, state,
                )  # fmt: skip
        await goals.as_person(connection, office.stranger, "stop_agents", True)
    told = await office.ask(office.turn(), "list_agents")
    [on] = [row for row in told["rows"] if row["state"] != "spento"]
    assert (on["title"], on["state"], on["waiting"], on["waiting_total"]) == (
        "Recupero crediti", "attivo", 2, "2.440,00 €",
    )  # fmt: skip
    assert on["page"] == "/projects?vista=obiettivi&mandato=recupero_crediti"
    assert on["channels"] == "per email, poi su WhatsApp"
    assert (told["last_7_days"], "stopped_by" in told) == ({"refused": 1}, False)
    strangers = await office.ask(office.turn(stranger=True), "list_agents")
    assert strangers["stopped_by"] == "person"


async def test_the_packet_of_a_month_is_summed_by_side_and_says_what_is_missing(office: Office) -> None:
    async with db.connection(office.resources.pool) as connection:
        for user_id, number, told in (
            (office.owner, "1/2024", {"total_cents": 100_000}),
            (office.owner, "3/2024", {"total_cents": 22_050}),
            (office.owner, "77", {"total_cents": 5_000, "direction": "passiva", "currency": "USD"}),
            (office.stranger, "1/2024", {"total_cents": 999_900}),
        ):
            document_id = await documents.document(connection, user_id, kind="fattura")
            invoice = {"direction": "attiva", "number": number, "issued_on": "2024-02-29", **told}
            await documents.store_invoices(connection, document_id, invoice)
        await documents.document(connection, office.owner, kind="f24", issued_on=date(2024, 2, 16))
    turn = office.turn()
    assert await office.ask(turn, "month_packet", month="2024-02") == {
        "month": "febbraio 2024",
        "from": "2024-02-01",
        "sums": [
            {"side": "emesse", "count": 2, "total": "1.220,50 €"},
            {"side": "ricevute", "count": 1, "total": "50,00 USD"},
        ],
        "to_do": ["Collega 3 fatture", "Cerca una fattura che manca", "Ricarica i file di 3 fatture"],
        "papers": 1,
        "page": "/documents/fatture?pacchetto=2024-02",
    }
    assert figures.unverified("A febbraio 2024 hai 2 fatture emesse per 1.220,50 € e 1 altro documento.", turn) == []
    empty = await office.ask(office.turn(), "month_packet", month="2001-01")
    assert (empty["sums"], empty["to_do"], empty["papers"]) == ([], [], 0)
    refused = await office.ask(office.turn(), "month_packet", month="2026-13")
    assert refused == {"refused": True, "reason": "Il mese si scrive così: 2026-10"}
    before = office.turn().local_now.date().replace(day=1) - timedelta(days=1)
    assert (await office.ask(office.turn(), "month_packet"))["month"] == italian_dates.month_and_year(before)


def test_agents_are_called_as_on_their_screen() -> None:
    words = (config.ROOT / "web" / "src" / "strings" / "goals.ts").read_text("utf-8")
    assert set(agents.TITLES) == set(agents.BY_NAME)
    for name, title in agents.TITLES.items():
        assert f"  {name}: {{\n    name: '{title}',\n" in words
