"""The assistant without a provider on real data: agents, tools and rights as in a conversation, and what it cites."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart

from backend.core import db
from backend.core.config import Settings
from functions._shared.assistant import agents, citations, figures
from functions._shared.assistant.local.model import LocalModel
from functions._shared.assistant.turn import Turn
from tests.databases import Databases
from tests.db import talks
from tests.functions.assistant.office import Office, opened

pytestmark = pytest.mark.anyio


@dataclass
class Talk:
    """A conversation with the local model; every answer passes the gate that a browser's would."""

    office: Office
    message_id: str
    conversation_id: str

    async def asks(self, *questions: str, agent: str = "esecutore", picked: Any = None) -> tuple[str, Turn]:
        """The answer to the last of these questions, as it is shown, and its turn."""
        said: list[ModelMessage] = []
        for question in questions:
            turn = self.office.turn(question, message_id=self.message_id, conversation_id=self.conversation_id)
            if picked and question == questions[-1]:
                turn.picked = turn.refs.get(turn.refs.add(**picked))
            text = await self._answer(agent, turn, said)
            gate = citations.Filter(turn.refs)
            pieces = [*gate.feed(text), *gate.flush()]
            content = "".join(piece.text for piece in pieces if isinstance(piece, citations.Piece))
            assert figures.unverified(content, turn) == [], content
            said += [ModelRequest([UserPromptPart(question)]), ModelResponse([TextPart(content)])]
        return text, turn

    async def _answer(self, agent: str, turn: Turn, said: Sequence[ModelMessage]) -> str:
        built = agents.build(agent, LocalModel(), turn)
        async with built.run_stream(turn.question, message_history=said, deps=turn) as answer:
            return "".join([piece async for piece in answer.stream_text(delta=True)])


@pytest.fixture(scope="module")
async def talk(
    databases: Databases, installed: Settings, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Talk]:
    async with opened(databases, installed, tmp_path_factory.mktemp("office")) as office:
        async with db.connection(office.resources.pool) as connection:
            begun = await talks.begin(connection, office.owner)
        yield Talk(office, begun["message_id"], begun["conversation_id"])


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("cosa devo fare oggi?", "**Da risentire**"),
        ("attività in ritardo", "| **"),
        ("chi devo richiamare?", "Da risentire ci sono"),
        ("quanto ho in trattativa?", "ponderato per la probabilità"),
        ("trattative vinte negli ultimi 6 mesi", "trattative vinte dal "),
        ("quanto devo incassare?", "Da incassare: **2.440,00 €** in 2 fatture."),
        ("tutte le fatture", "Ricevute: **"),
        ("fatture emesse negli ultimi 6 mesi", "2 fatture emesse dal "),
        ("quanto ho speso?", "2 fatture ricevute: **"),
        ("cosa devo pagare entro fine anno?", "Da pagare entro il 31/12/"),
        ("fatture scadute di Rossi Impianti", "Da incassare di Rossi Impianti: **1.220,00 €** in 1 fattura scaduta."),
        ("riassumi Hotel Bellavista", "**Hotel Bellavista**"),
        ("telefono di Hotel Bellavista", "300 5550007"),
        ("partita IVA di Hotel Bellavista", "La partita IVA di Hotel Bellavista: **"),
        ("indirizzo di Hotel Bellavista", "Via Garibaldi"),
        ("cosa dice il contratto sulla disdetta?", "> Contratto di manutenzione con Rossi Impianti"),
        ("cerca nei documenti disdetta", "pagina 1"),
        ("progetti attivi", "| **"),
        ("quanti crediti ho?", "crediti"),
        ("cerca Bellavista", "**Contatti**"),
    ],
)
async def test_everyday_questions_are_answered_with_the_rows_they_rest_on(talk: Talk, question: str, part: str) -> None:
    answer, turn = await talk.asks(question)
    assert part in answer
    assert "[[r" in answer
    assert turn.proposals == []


@pytest.mark.parametrize(
    ("question", "tool", "title"),
    [
        ("domani alle 15 chiama Hotel Bellavista", "create_task", "chiama Hotel Bellavista"),
        ("sposta versare i contributi a venerdì", "move_task", "Versare i contributi"),
        ("segna fatta versare i contributi", "complete_task", "Versare i contributi"),
        ("nota su Hotel Bellavista: aprono a maggio", "add_note", "Hotel Bellavista"),
        ("nuovo contatto Mario Verdi, mario.verdi@esempio.it", "create_contact", "Mario Verdi"),
        ("scrivi un'email a Hotel Bellavista per ringraziarli", "draft_email", "Hotel Bellavista"),
        ("manda un whatsapp a Hotel Bellavista: arrivo alle 10", "draft_whatsapp", "Hotel Bellavista"),
    ],
)
async def test_orders_become_one_proposal(talk: Talk, question: str, tool: str, title: str) -> None:
    _, turn = await talk.asks(question)
    assert [(row["tool"], row["state"]) for row in turn.proposals] == [(tool, "proposed")]
    assert title.lower() in str(turn.proposals[0]["preview"]).lower()


async def test_a_name_that_several_have_is_asked_back_and_chosen_by_word_or_click(talk: Talk) -> None:
    asked, turn = await talk.asks("riassumi Bianchi")
    assert asked.startswith("Quale «Bianchi» intendi?")
    first, second = turn.suggestions[:2]
    by_place, _ = await talk.asks("riassumi Bianchi", "il secondo")
    by_word, _ = await talk.asks("riassumi Bianchi", f"quello di {turn.refs.all()[0].label.split()[0]}")
    by_click, _ = await talk.asks(
        "riassumi Bianchi",
        first["text"],
        picked={"kind": "contact", "id_": first["ref"]["id"], "label": first["label"]},
    )
    assert f"**{second['label']}**" in by_place
    assert f"**{first['label']}**" in by_word
    assert f"**{first['label']}**" in by_click


async def test_what_follows_is_understood_by_what_was_said(talk: Talk) -> None:
    answer, turn = await talk.asks("attività in ritardo", "segna fatta la seconda")
    second = [row for result in turn.results for row in result.get("rows", [])][1]
    assert [row["tool"] for row in turn.proposals] == ["complete_task"]
    assert second["title"] in str(turn.proposals[0]["preview"])
    assert "Controlla la scheda" in answer
    answer, _ = await talk.asks("chi devo richiamare?", "riassumi il primo", "e il suo telefono?")
    assert answer.startswith("Il telefono di")


async def test_a_reminder_of_payment_needs_something_that_is_late(talk: Talk) -> None:
    answer, turn = await talk.asks("scrivi un sollecito a Hotel Bellavista")
    assert "non ha fatture scadute" in answer
    assert turn.proposals == []


async def test_what_is_not_there_is_said_with_what_can_be_done(talk: Talk) -> None:
    answer, turn = await talk.asks("telefono di Zebedeo Quaglia")
    assert answer.startswith("Non trovo nessun contatto che si chiami «Zebedeo Quaglia»")
    assert [each["text"] for each in turn.suggestions] == [
        "cerca ovunque «Zebedeo Quaglia»",
        "nuovo contatto Zebedeo Quaglia",
    ]


async def test_what_is_not_understood_is_said_with_three_things_to_do(talk: Talk) -> None:
    answer, turn = await talk.asks("raccontami una barzelletta sulle fatture che non esistono mica boh")
    assert turn.proposals == []
    answer, turn = await talk.asks("asdf qwerty")
    assert answer.startswith("Questo non l’ho capito")
    assert len(turn.suggestions) == 3


async def test_each_agent_answers_in_its_own_way(talk: Talk) -> None:
    checked, _ = await talk.asks("quanto devo incassare?", agent="logico")
    assert "1.220,00 + 1.220,00 = 2.440,00 €; il conto torna." in checked
    ranked, _ = await talk.asks("trattative aperte", agent="strategico")
    assert "In ordine di valore × urgenza" in ranked
    written, turn = await talk.asks("scrivi una mail a Hotel Bellavista per ringraziarli", agent="creativo")
    assert written.count("Spett.le Hotel Bellavista") == 3
    judged, _ = await talk.asks("scrivi una mail a Hotel Bellavista per ringraziarli", agent="etico")
    assert "Consenso" in judged
    refused, turn = await talk.asks("domani alle 15 chiama Hotel Bellavista", agent="strategico")
    assert "Esecutore" in refused
    assert turn.proposals == []
