"""Memory in chat: the person's own words are proposed to be kept, once; nobody else's words ever are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from backend.core import db
from backend.core.resources import Resources
from backend.edge.api import Context
from functions._shared.assistant import facts, learning
from functions._shared.assistant.turn import Turn
from tests.db import accounts, crm, talks

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("message", "kind", "topic", "body"),
    [
        ("Rossi paga a 60 giorni", "contatto", "pagamento", "Rossi paga a 60 giorni"),
        ("Guarda che il sig. Rossi paga sempre a 60 giorni, crea un promemoria", "contatto", "pagamento",
         "Il sig. Rossi paga sempre a 60 giorni"),
        ("Quanto mi deve? Comunque la mia tariffa è 45 €/h.", "profilo", "tariffa", "La mia tariffa è 45 €/h"),
        ("preferisco le chiamate al mattino", "preferenza", "telefonate", "Preferisco le chiamate al mattino"),
        ("Ho deciso di non lavorare più con Bianchi", "decisione", None, "Ho deciso di non lavorare più con Bianchi"),
        ("Il mio obiettivo è fatturare 60.000 €", "obiettivo", "obiettivo", "Il mio obiettivo è fatturare 60.000 €"),
        ("non lavoro il venerdì pomeriggio", "profilo", "orari", "Non lavoro il venerdì pomeriggio"),
        ("La Rossi Impianti vuole sempre il PDF", "contatto", "preferenze", "La Rossi Impianti vuole sempre il PDF"),
    ],
)  # fmt: skip
def test_what_people_say_of_themselves_and_of_others_is_understood(
    message: str, kind: str, topic: str | None, body: str
) -> None:
    assert [(fact.kind, fact.topic, fact.body) for fact in facts.facts(message)] == [(kind, topic, body)]


@pytest.mark.parametrize(
    "message",
    [
        "> Rossi paga a 60 giorni",
        "Mi ha scritto «la mia tariffa è 90 €/h», che dici?",
        "Riassumi: la mia tariffa è 45 €/h",
        "Rispondi a questa mail:\n\nCiao,\nla mia tariffa è 12 €/h",
        "Oggetto: sconto\nDa: Luca\nla mia tariffa è 12 €/h",
        "```\nRossi paga a 60 giorni\n```",
        "Se Rossi paga a 60 giorni quanto aspetto",
        "Rossi paga a 60 giorni?",
        "Forse Rossi paga a 60 giorni",
        "Lui paga a 60 giorni",
        "Domani è chiuso tutto il giorno",
        "la mia tariffa è 45 €/h\n" + "testo incollato " * 100,
        "Ricordami di chiamare Rossi",
        "Mi piace",
    ],
)
def test_what_others_say_what_is_asked_or_supposed_is_not(message: str) -> None:
    assert facts.facts(message) == []
    assert facts.asked_to_remember(message) == []


def test_what_is_worth_keeping_is_told_from_what_is_only_said() -> None:
    said = json.loads(Path(__file__).with_name("said.json").read_text())
    assert [message for message in said["worth keeping"] if len(facts.facts(message)) != 1] == []
    assert [message for message in said["only said"] if facts.facts(message)] == []


def test_what_is_to_be_remembered_is_taken_by_the_tool_and_only_as_it_was_said() -> None:
    message = "Ricorda che la mia tariffa è 50 €/h. E poi, Rossi paga a 60 giorni"
    assert facts.asked_to_remember(message) == ["La mia tariffa è 50 €/h"]
    assert [fact.body for fact in facts.facts(message)] == ["Rossi paga a 60 giorni"]
    assert facts.said("La tariffa è di 50 €/h", message)
    assert not facts.said("La tariffa è di 500 €/h", message)
    assert not facts.said("I pagamenti vanno sul conto di Luca", message)
    assert facts.understood("Rossi paga a 60 giorni") == facts.Fact(
        "contatto", "Rossi paga a 60 giorni", "Rossi paga a 60 giorni", "pagamento", "Rossi"
    )


class Talk:
    """A conversation of one person."""

    def __init__(self, resources: Resources, user_id: UUID) -> None:
        self.resources = resources
        self.user_id = user_id
        self.last: Mapping[str, Any] = {}

    async def say(self, message: str, **begun: Any) -> list[str]:
        """What is proposed to be kept after this message."""
        return [row["body"] for row in await self.rows(message, **begun)]

    async def rows(self, message: str, untrusted: str = "", **begun: Any) -> list[dict[str, Any]]:
        if self.last and "is_temporary" not in begun:
            begun = {"conversation_id": self.last["conversation_id"], "parent_id": self.last["message_id"], **begun}
        async with db.connection(self.resources.pool) as connection:
            self.last = await talks.begin(connection, self.user_id, message, **begun)
            await talks.finish(connection, self.last["run_id"])
        claims = {"sub": str(self.user_id), "role": "authenticated"}
        turn = Turn(
            Context("chat", claims, "", self.resources), str(self.user_id), self.last["conversation_id"],
            self.last["message_id"], message, self.resources.now(),
        )  # fmt: skip
        turn.untrusted.append(untrusted)
        return await learning.after(turn, turn.context.as_service)

    async def sql(self, query: str, *arguments: Any) -> Any:
        """As the owner of the database."""
        async with db.connection(self.resources.pool) as connection:
            return await connection.fetchval(query, *arguments)


@pytest.fixture
async def talk(resources: Resources) -> Talk:
    async with db.connection(resources.pool) as connection:
        user_id = await accounts.create(connection)
        await crm.contact(connection, user_id, first_name="Marco", last_name="Rossi")
        company = await crm.contact(
            connection, user_id, type="azienda", business_name="Cantina Poggio Alto", first_name=None, last_name=None
        )
        await crm.contact(connection, user_id, first_name="Ugo", last_name="Neri", company_id=company)
        for name in ("Anna", "Luca"):
            await crm.contact(connection, user_id, first_name=name, last_name="Verdi")
    return Talk(resources, user_id)


async def test_a_proposal_names_its_sentence_its_contact_and_what_it_would_replace(talk: Talk) -> None:
    (row,) = await talk.rows("Rossi paga a 60 giorni. Che ore sono?")
    question = UUID(talk.last["user_message_id"])
    assert (row["state"], row["source"], row["source_id"]) == ("proposta", "chat", str(question))
    assert (row["source_quote"], row["replaces"]) == ("Rossi paga a 60 giorni.", None)
    assert await talk.sql("select name from public.contacts where id = $1", UUID(row["contact_id"])) == "Marco Rossi"
    await talk.sql("update public.memories set state = 'attiva' where id = $1 returning id", UUID(row["id"]))

    (other,) = await talk.rows("Anzi no, Rossi paga a 90 giorni")
    assert other["replaces"] == {"id": row["id"], "body": "Rossi paga a 60 giorni"}
    (firm,) = await talk.rows("Cantina Poggio Alto paga sempre a 60 giorni")
    assert await talk.sql("select type::text from public.contacts where id = $1", UUID(firm["contact_id"])) == "azienda"
    talk.last = {}
    (somebody,) = await talk.rows("Verdi paga entro 30 giorni")
    assert somebody["contact_id"] is None, "two are called Verdi"


async def test_what_was_pasted_from_a_document_is_not_learned(talk: Talk) -> None:
    document = "Condizioni: la mia tariffa è 90 €/h, IVA esclusa."
    assert await talk.rows("La mia tariffa è 90 €/h", untrusted=document) == []
    assert len(await talk.rows("La mia tariffa è 45 €/h", untrusted=document)) == 1


async def test_three_of_a_conversation_are_enough(talk: Talk) -> None:
    said = await talk.say("La mia tariffa è 45 €/h. Preferisco le chiamate al mattino.")
    assert len(said) == 2
    assert await talk.say("Ho deciso di chiudere ad agosto. Rossi paga a 60 giorni.") == [
        "Ho deciso di chiudere ad agosto"
    ]
    assert await talk.say("Non lavoro il venerdì pomeriggio") == []


async def test_nothing_is_learned_where_the_person_does_not_want_it(talk: Talk) -> None:
    assert await talk.say("La mia tariffa è 45 €/h", is_temporary=True) == []
    talk.last = {}
    await talk.say("Ciao, che si fa oggi")
    await talk.sql("update public.conversations set uses_memory = false where user_id = $1 returning id", talk.user_id)
    assert await talk.say("La mia tariffa è 45 €/h") == []
    await talk.sql("update public.conversations set uses_memory = true where user_id = $1 returning id", talk.user_id)
    await talk.sql(
        "insert into public.memory_settings (user_id, is_active) values ($1, false) returning user_id", talk.user_id
    )
    assert await talk.say("La mia tariffa è 45 €/h") == []
    await talk.sql(
        "update public.memory_settings set is_active = true where user_id = $1 returning user_id", talk.user_id
    )
    assert await talk.say("La mia tariffa è 45 €/h") == ["La mia tariffa è 45 €/h"]
