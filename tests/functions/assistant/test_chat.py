"""`chat` in local mode: a question is one turn, whoever asks how often; what is wrong is refused with a reason."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from starlette.types import ASGIApp

from backend.core import config, db
from backend.core.resources import Resources
from backend.edge import api
from functions._shared.assistant import asked, limits
from tests.db import accounts, crm
from tests.functions.assistant.chatting import CREDITS, Talk, body, talking

pytestmark = pytest.mark.anyio


@pytest.fixture
async def talk(app: ASGIApp, resources: Resources) -> AsyncIterator[Talk]:
    async with talking(app, resources) as opened:
        yield opened


def text_of(told: list[Any]) -> str:
    """What was shown."""
    return "".join(event.data["text"] for event in told if event.name == "delta")


async def test_a_local_question_is_streamed_stored_and_free(talk: Talk) -> None:
    told = await talk.ask("Che cosa puoi fare?")
    assert [event.seq for event in told] == list(range(1, len(told) + 1))
    start, done = told[0], told[-1]
    assert (start.name, start.data["mode"], start.data["quote"]) == ("start", "locale", 0)
    assert done.name == "done"
    message = done.data["message"]
    assert message["content"] == text_of(told)
    assert (message["status"], message["cost"], message["mode"]) == ("done", 0, "locale")
    assert done.data["conversation"] == {"id": start.data["conversation_id"], "title": "Che cosa puoi fare?"}
    row = await talk.row(start.data["message_id"])
    assert (row["content"], row["status"]) == (text_of(told), "done")
    question = await talk.row(start.data["user_message_id"])
    assert (question["role"], question["content"]) == ("user", "Che cosa puoi fare?")
    assert await talk.wallet() == (CREDITS, 0)


async def test_a_sentence_becomes_a_card_and_suggestions_are_told(talk: Talk) -> None:
    told = await talk.ask("Domani alle 15 chiama Rossi")
    [card] = [event.data for event in told if event.name == "card"]
    assert (card["tool"], card["state"], card["message_id"]) == ("create_task", "proposed", told[0].data["message_id"])
    assert [event.name for event in told][-1] == "done"
    assert {"agent": "esecutore"} in [event.data for event in told if event.name == "agent"]
    told = await talk.ask("Ehm")
    [suggested] = [event.data["suggestions"] for event in told if event.name == "suggestions"]
    assert suggested == told[-1].data["message"]["suggestions"]


async def test_who_is_asked_which_one_answers_in_a_word(talk: Talk) -> None:
    async with db.connection(talk.resources.pool) as connection:
        for first in ("Anna", "Luca"):
            await crm.contact(connection, talk.person, first_name=first, last_name="Bianchi")
    asked_back = await talk.ask("nota su Bianchi: preferisce la mail")
    start, message = asked_back[0].data, asked_back[-1].data["message"]
    assert len(message["suggestions"]) == 2
    chosen = await talk.ask("il primo", conversation_id=start["conversation_id"], parent_id=start["message_id"])
    assert {"agent": "esecutore"} in [event.data for event in chosen if event.name == "agent"]
    assert [event.data["tool"] for event in chosen if event.name == "card"] == ["add_note"]


async def test_the_same_key_twice_is_one_turn(talk: Talk) -> None:
    key = str(uuid4())
    first, second = [await talk.ask("Che cosa puoi fare?", client_key=key) for _ in range(2)]
    assert second == first
    assert len(await talk.query("select from public.messages")) == 2
    # Its events are gone some time after its end; the answer is still the same.
    await talk.query("delete from private.run_events")
    [last] = await talk.ask("Che cosa puoi fare?", client_key=key)
    assert (last.name, last.data) == (first[-1].name, first[-1].data)


async def test_who_comes_back_gets_exactly_what_is_missing(talk: Talk) -> None:
    told = await talk.ask("Che cosa puoi fare?")
    run_id = told[0].data["run_id"]
    for after in (0, 1, len(told) - 1):
        assert await talk.rest(run_id, after) == told[after:]
    # Where some are lost, as after a crash of the database, nobody gets half of them.
    await talk.query("delete from private.run_events where seq < 3")
    assert await talk.rest(run_id, 0) == told[-1:]
    assert await talk.rest(run_id, 2) == told[2:]
    params = {"run": run_id, "last": str(len(told))}
    nothing = await talk.http.get("/functions/v1/chat", params=params, headers=talk.headers())
    assert nothing.status_code == 204


async def test_an_answer_made_anew_is_a_sibling(talk: Talk) -> None:
    first = (await talk.ask("Che cosa puoi fare?"))[0].data
    conversation = {"conversation_id": first["conversation_id"]}
    second = (await talk.ask("", regenerate=first["message_id"], **conversation))[0].data
    assert second["user_message_id"] == first["user_message_id"]
    third = (await talk.ask("E poi?", parent_id=second["message_id"], **conversation))[0].data
    rows = [await talk.row(each["message_id"]) for each in (first, second)]
    assert rows[0]["parent_id"] == rows[1]["parent_id"]
    assert str((await talk.row(third["user_message_id"]))["parent_id"]) == second["message_id"]


async def test_controls_are_taken_out_of_a_question_and_lines_stay(talk: Talk) -> None:
    told = await talk.ask("  Aiuto\x00,\x1b[31m per\r\nfavore\u202e \ud83d \U0001f600\t!\x07 ")
    question = await talk.row(told[0].data["user_message_id"])
    assert question["content"] == "Aiuto,[31m per\nfavore  \U0001f600\t!"


@pytest.mark.parametrize(
    "wrong",
    [
        {"content": ""}, {"content": " \n\x00\u202e "}, {"content": None}, {"content": ["x"]},
        {"content": "x" * 100_000}, {"content": "x" * (limits.QUESTION_CHARACTERS + 1)}, {"mode": "cloud"},
        {"agent": "amministratore"}, {"client_key": "1"}, {"client_key": None}, {"conversation_id": "1"},
        {"parent_id": 7}, {"regenerate": "x"}, {"attachments": "x"}, {"attachments": ["x"]},
        {"attachments": [str(UUID(int=each)) for each in range(limits.MOST_ATTACHMENTS + 1)]}, {"deep": "yes"},
        {"is_temporary": 1}, {"picked": "x"}, {"picked": {"kind": "secret", "id": str(uuid4()), "label": "x"}},
        {"picked": {"kind": "contact", "id": "1", "label": "x"}},
        {"picked": {"kind": "contact", "id": str(uuid4()), "label": ""}},
    ],
    ids=lambda wrong: "-".join(f"{name}-{str(value)[:12]!a}" for name, value in wrong.items())[:40],
)  # fmt: skip
def test_a_question_that_is_none_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(api.Refused) as refused:
        asked.of_body({**body("Ciao"), **wrong})
    assert (refused.value.status, refused.value.code) == (400, "validation_failed")


async def test_a_refused_question_leaves_nothing_behind(talk: Talk) -> None:
    for content in ("", "x" * 100_000):
        answer = await talk.post(content)
        assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed"), answer.text
    assert "100.000 caratteri" in answer.json()["message"]
    assert await talk.query("select from public.conversations") == []


async def test_what_is_anothers_is_not_found_and_a_visitor_is_sent_away(talk: Talk) -> None:
    mine = (await talk.ask("Che cosa puoi fare?"))[0].data
    async with db.connection(talk.resources.pool) as connection:
        stranger = await accounts.create(connection)
        contact = await crm.contact(connection, talk.person)
        document = await connection.fetchval(
            "insert into public.documents (user_id, storage_path, filename) values ($1, $2, 'a.pdf') returning id",
            talk.person,
            f"{talk.person}/a.pdf",
        )
    conversation = {"conversation_id": mine["conversation_id"]}
    for strange in (
        conversation,
        {"parent_id": mine["message_id"], **conversation},
        {"regenerate": mine["message_id"], **conversation},
        {"attachments": [str(document)]},
        {"picked": {"kind": "contact", "id": str(contact), "label": "Anna"}},
    ):
        sent = body("Ciao", **strange)
        answer = await talk.http.post("/functions/v1/chat", json=sent, headers=talk.headers(stranger))
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found"), strange
    run: Any = {"params": {"run": mine["run_id"]}}
    assert (await talk.http.get("/functions/v1/chat", headers=talk.headers(stranger), **run)).status_code == 404
    assert (await talk.http.get("/functions/v1/chat", **run)).status_code == 401
    assert (await talk.http.post("/functions/v1/chat", json=body("Ciao"))).status_code == 401
    assert (await talk.http.put("/functions/v1/chat", headers=talk.headers())).status_code == 405
    for params in ({"run": "1"}, {"run": mine["run_id"], "last": "-1"}, {}):
        wrong = await talk.http.get("/functions/v1/chat", params=params, headers=talk.headers())
        assert wrong.status_code == 400


async def test_without_a_key_there_is_no_ai_and_nothing_is_written(talk: Talk) -> None:
    answer = await talk.post("Ciao", mode="ia")
    assert (answer.status_code, answer.json()["code"]) == (503, "ai_unavailable")
    assert "modalità locale" in answer.json()["message"]
    assert await talk.query("select from public.conversations") == []


async def test_what_cannot_be_learned_spoils_no_answer(talk: Talk) -> None:
    await talk.query("alter function private.propose_memory rename to elsewhere")
    told = await talk.ask("Il mio cliente Rossi paga sempre a sessanta giorni")
    assert told[-1].name == "done"


async def test_too_many_questions_are_told_when_there_is_room_again(talk: Talk) -> None:
    await talk.ask("Che cosa puoi fare?")
    await talk.query("update private.assistant_use set turns = 20 where span = '1 minute'")
    answer = await talk.post("Ciao")
    assert (answer.status_code, answer.json()["code"]) == (429, "too_many_requests")
    assert 1 <= int(answer.headers["retry-after"]) <= 60


def test_functions_are_imported_without_what_takes_seconds() -> None:
    """The loader imports them on the event loop of everybody."""
    names = ("chat", "chat_action", "chat_settings")
    code = (
        f"import sys\nfor name in {names!r}:\n    __import__('functions.' + name)\n"
        "print([name for name in ('pydantic_ai', 'openai', 'anthropic') if name in sys.modules])"
    )
    paths = f"{config.ROOT / 'supabase'}:{config.ROOT}"
    done = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": paths}, capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr
