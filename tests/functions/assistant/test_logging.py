"""Contacts that took place are logged as they are told: who, how, when, what about; an unclear name or day is asked."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from starlette.types import ASGIApp

from backend.core import db
from backend.core.resources import Resources
from functions._shared.assistant.local import conversation
from functions._shared.assistant.tools import past_moments
from functions._shared.ics import ROME
from tests.db import crm
from tests.functions.assistant.chatting import Talk, talking

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 11, 23, 10, tzinfo=ROME)


@pytest.fixture
async def talk(app: ASGIApp, resources: Resources) -> AsyncIterator[Talk]:
    async with talking(app, resources) as opened:
        yield opened


async def person(talk: Talk, first: str, last: str, **columns: Any) -> UUID:
    async with db.connection(talk.resources.pool) as connection:
        return await crm.contact(connection, talk.person, first_name=first, last_name=last, **columns)


async def decide(talk: Talk, call: dict[str, Any], decision: str) -> dict[str, Any]:
    """Approve or undo a proposal, as its button does."""
    body = {"tool_call_id": call["id"], "decision": decision}
    answer = await talk.http.post("/functions/v1/chat_action", json=body, headers=talk.headers())
    assert answer.status_code == 200, answer.text
    row: dict[str, Any] = answer.json()
    return row


async def proposals(talk: Talk, question: str) -> list[dict[str, Any]]:
    """Return the cards of the answer to a question."""
    return [event.data for event in await talk.ask(question) if event.name == "card"]


async def test_a_call_of_yesterday_is_logged_and_moves_the_cadence(talk: Talk) -> None:
    luca = await person(talk, "Luca", "Marchetti", touch_days=30)
    columns = "select last_interaction_at, next_touch_at from public.contacts where id = $1"
    before = await talk.query(columns, luca)
    [call] = await proposals(talk, "Ho sentito Luca ieri alle 15 al telefono: vuole anticipare la consegna")
    assert call["tool"] == "log_interaction"
    assert await talk.query("select from public.interactions") == []
    lines = {each["label"]: each["value"] for each in call["preview"]["lines"]}
    assert (lines["Contatto"], lines["Tipo"]) == ("Luca Marchetti", "chiamata")
    assert lines["Quando"].startswith("ieri, ")
    done = await decide(talk, call, "approve")
    assert done["result"]["text"].startswith("Ho registrato con Luca Marchetti: chiamata, ieri, ")
    [row] = await talk.query("select kind::text, direction, at, summary from public.interactions")
    assert (row["kind"], row["direction"], row["summary"]) == ("chiamata", None, "Vuole anticipare la consegna")
    yesterday = talk.resources.now().astimezone(ROME).date() - timedelta(days=1)
    assert row["at"] == datetime(yesterday.year, yesterday.month, yesterday.day, 15, tzinfo=ROME)
    [contact] = await talk.query(columns, luca)
    assert contact["last_interaction_at"] == row["at"]
    assert contact["next_touch_at"] == row["at"] + timedelta(days=30)
    assert (await decide(talk, call, "undo"))["state"] == "undone"
    assert await talk.query("select from public.interactions") == []
    assert await talk.query(columns, luca) == before


async def test_a_name_that_two_contacts_have_is_asked_about(talk: Talk) -> None:
    await person(talk, "Mario", "Rossi")
    await person(talk, "Paola", "Rossi")
    told = await talk.ask("mi ha scritto Rossi lunedì")
    assert "Quale «Rossi» intendi?" in told[-1].data["message"]["content"]
    start = told[0].data
    more = {"conversation_id": start["conversation_id"], "parent_id": start["message_id"]}
    [call] = [event.data for event in await talk.ask("Paola", **more) if event.name == "card"]
    lines = {each["label"]: each["value"] for each in call["preview"]["lines"]}
    assert lines["Contatto"] == "Paola Rossi"
    assert "lunedì" in lines["Quando"]


async def test_a_day_that_is_not_one_and_a_word_that_is_nobody_write_nothing(talk: Talk) -> None:
    await person(talk, "Luca", "Marchetti")
    for question, answer in (
        ("ho sentito Luca la settimana scorsa", "Non capisco quando"),
        ("ho sentito gigetto ieri", "Non trovo nessun contatto"),
    ):
        told = await talk.ask(question)
        assert answer in told[-1].data["message"]["content"], question
        assert not [event for event in told if event.name == "card"]
        offered = [each for event in told if event.name == "suggestions" for each in event.data["suggestions"]]
        assert not [each for each in offered if each["label"].startswith("Crea")]


@pytest.mark.parametrize(
    ("sentence", "slots"),
    [
        ("stamattina ho visto la Bianchi", {"contact": "Bianchi", "kind": "incontro", "when": "stamattina"}),
        ("la Bianchi mi ha scritto stamattina una mail", {"kind": "email", "direction": "entrata"}),
        ("ho scritto a Rossi su WhatsApp lunedì", {"kind": "whatsapp", "direction": "uscita", "when": "lunedì"}),
        ("ho pranzato con Neri venerdì", {"contact": "Neri", "kind": "incontro", "when": "venerdì"}),
        ("registra una chiamata con Anna Bassi: conferma", {"contact": "Anna Bassi", "summary": "Conferma"}),
        ("telefonata con Luca ieri, tutto a posto", {"when": "ieri", "summary": "Tutto a posto"}),
        ("ho parlato al telefono con Anna Bassi", {"contact": "Anna Bassi", "kind": "chiamata"}),
        ("ho incontrato D'Aloisio tre giorni fa", {"contact": "D'Aloisio", "when": "tre giorni fa"}),
        ("mi ha telefonato il dott. Bianchi e mi ha detto che firma", {"direction": "entrata", "summary": "Firma"}),
    ],
)
def test_ways_to_tell_of_a_contact(sentence: str, slots: dict[str, str]) -> None:
    said = conversation.read([conversation.Asked(sentence)], NOW.replace(tzinfo=None))
    assert said.intent == "log_interaction"
    assert said.slots | slots == said.slots


@pytest.mark.parametrize(
    "sentence",
    [
        "ho sentito Rossi?",
        "ho visto un film bellissimo",
        "ho sentito la musica",
        "pranzo con Rossi venerdì",
        "incontro con Rossi domani alle 10",
        "ho chiamato Rossi, segnalo come fatto",
        "ho sentito dire che aumentano le tasse",
        "quando ho sentito Luca?",
        "ho visto Neri, è contento: scrivilo nella sua scheda",
    ],
)
def test_other_sentences_log_nothing(sentence: str) -> None:
    said = conversation.read([conversation.Asked(sentence)], NOW.replace(tzinfo=None))
    assert said.intent != "log_interaction"


@pytest.mark.parametrize(
    ("said", "moment"),
    [
        ("", "2026-11-23T10:00"),
        ("ieri", "2026-11-22T12:00"),
        ("venerdì pomeriggio alle 4", "2026-11-20T16:00"),
        ("lunedì", "2026-11-16T12:00"),
        ("stamattina", "2026-11-23T09:00"),
        ("ieri sera", "2026-11-22T19:00"),
        ("il 15 novembre", "2026-11-15T12:00"),
        ("due settimane fa", "2026-11-09T12:00"),
        ("alle 18", None),
        ("domani", None),
        ("la settimana scorsa", None),
        ("il 31 febbraio", None),
    ],
)
def test_moments_of_the_past(said: str, moment: str | None) -> None:
    expected = datetime.fromisoformat(moment).replace(tzinfo=ROME) if moment else None
    assert past_moments.read(said, NOW) == expected
