"""Runs with a provider: they outlive their readers, and cost what the rule says whatever the provider does."""

from __future__ import annotations

import asyncio
import math
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any

import httpx
import pytest

from backend import gateway
from backend.core import db
from backend.core.config import Settings
from backend.core.resources import open_all
from functions._shared.assistant import events
from functions._shared.assistant.told import TOO_MANY_STEPS
from scripts import postgres
from tests.backend.test_commands import environment
from tests.conftest import Clock
from tests.db import documents, ledger
from tests.fakes.llm.__main__ import serving
from tests.fakes.llm.script import Fake
from tests.functions.assistant.chatting import CREDITS, PATIENCE_S, Talk, Told, talking, with_model

pytestmark = pytest.mark.anyio

PRICE = 1
WORDS = "Uno due tre quattro cinque sei sette otto nove dieci."


@pytest.fixture
async def fake() -> Fake:
    return Fake()


@pytest.fixture
async def provider_url(fake: Fake) -> AsyncIterator[str]:
    async with serving(fake) as url:
        yield url


@asynccontextmanager
async def office(settings: Settings, now: Clock) -> AsyncIterator[Talk]:
    """Somebody who talks, on an installation of these settings."""
    async with (
        open_all(settings, now) as resources,
        gateway.application(resources) as app,
        talking(app, resources) as one,
    ):
        yield one


@pytest.fixture
async def talk(settings: Settings, provider_url: str, now: Clock) -> AsyncIterator[Talk]:
    async with office(with_model(settings, provider_url), now) as opened:
        yield opened


def text_of(told: list[Told]) -> str:
    """What was shown."""
    return "".join(event.data["text"] for event in told if event.name == "delta")


async def until(events_: AsyncIterator[Told], name: str) -> list[Told]:
    """The events up to the first of a name."""
    told = list[Told]()
    async for event in events_:
        told.append(event)
        if event.name == name:
            break
    return told


async def settled(talk: Talk) -> None:
    """Nothing is held, and wallet and ledger agree."""
    assert await talk.query("select from public.credit_holds where state = 'open'") == []
    async with db.connection(talk.resources.pool) as connection:
        assert await ledger.broken(connection) == {}


async def test_an_answer_that_ends_costs_its_price(talk: Talk, fake: Fake) -> None:
    told = await talk.ask("Chi sei?", mode="ia")
    message = told[-1].data["message"]
    assert text_of(told) == message["content"] == "Hai chiesto: Chi sei?"
    assert (message["status"], message["cost"], message["quote"]) == ("done", PRICE, PRICE)
    assert message["tokens_out"] > 0
    assert message["model"] == "fake"
    assert await talk.wallet() == (CREDITS - PRICE, 0)
    # The second question comes with what was said before.
    start = told[0].data
    more = {"conversation_id": start["conversation_id"], "parent_id": start["message_id"]}
    await talk.ask("E io?", mode="ia", **more)
    said = [each["content"] for each in fake.received[-1].body["messages"] if each["role"] != "system"]
    assert said[:2] == ["Chi sei?", "Hai chiesto: Chi sei?"]
    assert "E io?" in str(said[2])
    await settled(talk)


async def test_a_model_looks_cites_and_proposes_and_the_person_decides(talk: Talk, fake: Fake) -> None:
    claims = {"sub": str(talk.person), "role": "authenticated"}
    async with db.as_claims(talk.resources.pool, claims) as connection:
        await connection.execute("select public.add_demo_data()")
        name = await connection.fetchval("select name from public.contacts order by name limit 1")
    proposal = {"name": "create_task", "arguments": {"text": "domani alle 15 chiama il commercialista"}}
    steps = [
        {"text": "Guardo.", "calls": [{"name": "find_contacts", "arguments": {"query": name}}]},
        {"calls": [proposal]},
        {"text": f"{name} è qui [[r1]], e il resto no[[r99]]."},
    ]
    fake.script(rules=[{"steps": steps}])
    told = await talk.ask(f"Trova {name} e ricordami il commercialista", mode="ia", agent="esecutore")
    assert [event.data["tool"] for event in told if event.name == "step"] == ["find_contacts", "create_task"]
    [ref] = [event.data for event in told if event.name == "ref"]
    assert (ref["n"], ref["kind"], ref["label"]) == (1, "contact", name)
    message = told[-1].data["message"]
    assert message["content"] == f"Guardo.\n\n{name} è qui [^1], e il resto no."
    assert (message["refs"], message["cost"]) == ([ref], PRICE)
    [card] = [event.data for event in told if event.name == "card"]
    for decision, state in (("approve", "executed"), ("undo", "undone")):
        sent = {"tool_call_id": card["id"], "decision": decision}
        answer = await talk.http.post("/functions/v1/chat_action", json=sent, headers=talk.headers())
        assert (answer.status_code, answer.json()["state"]) == (200, state), answer.text


async def test_a_figure_of_an_earlier_answer_stands_as_long_as_a_tool_returned_it(talk: Talk, fake: Fake) -> None:
    left = CREDITS - PRICE
    steps = [{"calls": [{"name": "credits", "arguments": {}}]}, {"text": f"Ne hai {left}, e forse 4321."}]
    fake.script(rules=[{"steps": steps}])
    first = (await talk.ask("Quanti crediti ho?", mode="ia"))[-1].data["message"]
    assert [first["content"][start:end] for start, end in first["unverified"]] == ["4321"]
    fake.script(queue=[{"text": f"Come detto {left}, e forse 4321."}])
    same = {"conversation_id": first["conversation_id"], "parent_id": first["id"]}
    again = (await talk.ask("Sicuro?", mode="ia", **same))[-1].data["message"]
    assert [again["content"][start:end] for start, end in again["unverified"]] == ["4321"]


async def test_the_council_tells_its_views_and_stopping_it_costs_what_was_finished(talk: Talk, fake: Fake) -> None:
    told = await talk.ask("Che faccio?", mode="ia", agent="consiglio")
    message = told[-1].data["message"]
    assert [view["agent"] for view in message["views"]] == ["logico", "creativo", "strategico", "etico"]
    assert {view["status"] for view in message["views"]} == {"done"}
    assert (message["status"], message["cost"]) == ("done", message["quote"])
    fake.script(rules=[{"system": "Più agenti hanno risposto", "steps": [{"text": WORDS, "stall_after": 3}]}])
    async with talk.asking("E adesso?", mode="ia", agent="consiglio") as answer:
        told = await until(answer, "delta")
        await talk.stop(told[0].data["run_id"])
        told += [event async for event in answer]
    message = told[-1].data["message"]
    assert (message["status"], message["cost"]) == ("stopped", math.ceil(message["quote"] * 4 / 5))
    # All views were read, and not a word of what is made of them.
    fake.script(rules=[{"system": "Più agenti hanno risposto", "steps": [{"text": WORDS, "stall_after": 0}]}])
    async with talk.asking("E poi?", mode="ia", agent="consiglio") as answer:
        told = await until(answer, "view")
        while sum(event.name == "view" and event.data["status"] == "done" for event in told) < 4:
            told += await until(answer, "view")
        await talk.stop(told[0].data["run_id"])
        told += [event async for event in answer]
    message = told[-1].data["message"]
    assert (message["status"], message["content"], message["cost"]) == (
        "stopped",
        "",
        math.ceil(message["quote"] * 4 / 5),
    )
    await settled(talk)


async def test_a_question_costs_what_who_answers_it_costs(talk: Talk) -> None:
    first = (await talk.ask("Che faccio?", mode="ia", agent="consiglio"))[-1].data["message"]
    same = {"conversation_id": first["conversation_id"], "parent_id": first["id"]}
    second = (await talk.ask("E adesso?", mode="ia", **same))[-1].data["message"]
    assert (second["agent"], second["quote"], second["cost"]) == ("consiglio", first["quote"], first["cost"])
    assert first["cost"] > PRICE


async def test_nobody_pays_more_than_they_were_shown(talk: Talk) -> None:
    answer = await talk.post("Che faccio?", mode="ia", agent="consiglio", max_credits=PRICE)
    assert (answer.status_code, answer.json()["code"]) == (409, "price_changed")
    price = answer.json()["details"]["credits"]
    assert f"al massimo {price} crediti" in answer.json()["message"]
    assert await talk.query("select from public.conversations") == []
    assert await talk.wallet() == (CREDITS, 0)
    assert (await talk.ask("Che faccio?", mode="ia", agent="consiglio", max_credits=price))[-1].name == "done"
    for wrong in (True, -1, "3", 10**30):
        answer = await talk.post("Che faccio?", mode="ia", max_credits=wrong)
        assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed"), wrong


async def test_an_answer_that_takes_too_many_steps_is_paid_as_far_as_it_was_read(talk: Talk, fake: Fake) -> None:
    steps = [{"text": f"Parte {n}.", "calls": [{"name": "credits", "arguments": {}}]} for n in range(20)]
    fake.script(rules=[{"steps": steps}])
    message = (await talk.ask("Avanti", mode="ia", agent="logico"))[-1].data["message"]
    assert (message["status"], message["cost"]) == ("done", PRICE)
    assert message["content"].startswith("Parte 0.")
    assert message["content"].endswith(TOO_MANY_STEPS)
    # Nothing to read, nothing to pay.
    fake.script(rules=[{"steps": [{"calls": [{"name": "credits", "arguments": {}}]}]}])
    last = (await talk.ask("Avanti", mode="ia", agent="logico"))[-1]
    assert (last.data["code"], last.data["row"]["cost"]) == ("ai_limit", 0)
    # Of a council, what each voice said until then is its view.
    fake.script(rules=[{"system": "Più agenti", "steps": [{"text": WORDS}]}, {"steps": steps}])
    message = (await talk.ask("Avanti", mode="ia", agent="consiglio"))[-1].data["message"]
    assert {view["status"] for view in message["views"]} == {"done"}
    assert (message["content"], message["cost"]) == (WORDS, message["quote"])


async def test_what_stands_beside_a_question_is_data(talk: Talk, fake: Fake) -> None:
    connection = await db.connect(talk.resources.settings)
    document = await documents.document(connection, talk.person, filename="Contratto.pdf")
    await documents.page(connection, document, "Il canone è di 300 € al mese.")
    await connection.close()
    claims = {"sub": str(talk.person), "role": "authenticated"}
    async with db.as_claims(talk.resources.pool, claims) as as_person:
        memory = await as_person.fetchval("select (public.remember('Il canone si paga il cinque', 'decisione')).id")
    told = await talk.ask("Quanto è il canone?", mode="ia", attachments=[str(document)])
    asked = str(fake.received[-1].body["messages"])
    for shown in ("Il canone si paga il cinque", "Contratto.pdf", "Il canone è di 300 € al mese."):
        assert shown in asked
    assert asked.count("⟦dati ") >= 3
    assert [row["memory_id"] for row in await talk.query("select memory_id from public.memory_uses")] == [memory]
    assert told[-1].name == "done"


async def test_who_leaves_in_the_middle_finds_the_whole_answer_and_two_read_the_same(talk: Talk, fake: Fake) -> None:
    fake.script(queue=[{"text": WORDS, "stall_after": 3}])
    async with talk.asking("Conta", mode="ia") as answer:
        told = await until(answer, "delta")
    start = told[0].data
    async with talk.following(start["run_id"], told[-1].seq) as one, talk.following(start["run_id"]) as two:
        again = await until(two, "delta")
        fake.released.set()
        rest = [event async for event in one]
        whole = again + [event async for event in two]
    assert told + rest == whole
    assert text_of(whole) == whole[-1].data["message"]["content"] == WORDS
    assert (await talk.row(start["message_id"]))["content"] == WORDS


async def test_nobody_reads_and_the_answer_is_complete(talk: Talk, fake: Fake) -> None:
    fake.script(queue=[{"text": WORDS, "stall_after": 3}])
    async with talk.asking("Conta", mode="ia") as answer:
        start = (await until(answer, "delta"))[0].data
    fake.released.set()
    row = await talk.over(start["message_id"])
    assert (row["status"], row["content"], row["cost"]) == ("done", WORDS, PRICE)
    await settled(talk)


async def test_a_stopped_answer_keeps_its_text_and_costs_at_least_one(talk: Talk, fake: Fake) -> None:
    fake.script(queue=[{"text": WORDS, "stall_after": 3}])
    async with talk.asking("Conta", mode="ia", deep=True) as answer:
        told = await until(answer, "delta")
        await talk.stop(told[0].data["run_id"])
        told += [event async for event in answer]
    message = told[-1].data["message"]
    assert (told[-1].name, message["status"], message["cost"]) == ("done", "stopped", 1)
    assert WORDS.startswith(message["content"])
    assert message["content"] == text_of(told) != ""
    assert message["quote"] > 1
    assert await talk.wallet() == (CREDITS - 1, 0)
    await settled(talk)


async def test_a_question_stopped_before_its_first_word_is_free(talk: Talk, fake: Fake) -> None:
    fake.script(queue=[{"text": WORDS, "stall_after": 0}])
    async with talk.asking("Conta", mode="ia") as answer:
        told = await until(answer, "agent")
        await talk.stop(told[0].data["run_id"])
        told += [event async for event in answer]
    assert (told[-1].data["message"]["status"], told[-1].data["message"]["cost"]) == ("stopped", 0)
    assert await talk.wallet() == (CREDITS, 0)


@pytest.mark.parametrize(
    ("model", "text"),
    [
        ("error-500", ""), ("redirect", ""), ("cut-3", "Rispondo a: "), ("garbage", ""), ("empty", ""),
        ("unknowntool", ""), ("wrongarguments", ""), ("brokenarguments", ""), ("bigargument", ""),
        ("stall-0", ""), ("stall-3", "Rispondo a: "), ("slow-0.2", "Rispondo"),
    ],
)  # fmt: skip
async def test_whatever_the_provider_does_wrong_is_told_and_costs_nothing(
    settings: Settings, provider_url: str, now: Clock, monkeypatch: pytest.MonkeyPatch, model: str, text: str
) -> None:
    monkeypatch.setattr("functions._shared.assistant.limits.STALL_S", 1.0)
    monkeypatch.setattr("functions._shared.assistant.limits.TURN_S", 3.0)
    async with office(with_model(settings, provider_url, model), now) as talk:
        told = await talk.ask("Conta", mode="ia")
        last = told[-1]
        assert last.name == "error"
        message = last.data["row"]
        assert (message["status"], message["cost"], message["error_code"]) == ("error", 0, last.data["code"])
        assert last.data["message"] == events.SENTENCES[last.data["code"]]
        assert message["content"] == text_of(told)
        assert message["content"].startswith(text)
        assert await talk.query("select from public.tool_calls") == []
        assert await talk.wallet() == (CREDITS, 0)
        await settled(talk)


async def test_an_answer_without_end_is_cut_and_costs_its_price(
    talk: Talk, fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("functions._shared.assistant.limits.ANSWER_CHARACTERS", 200)
    fake.script(queue=[{"endless": True}])
    message = (await talk.ask("Conta", mode="ia"))[-1].data["message"]
    assert (message["status"], message["cost"]) == ("done", PRICE)
    assert message["content"].endswith("la risposta è diventata troppo lunga.*")
    assert len(message["content"]) < 300


async def test_without_credits_nothing_begins(talk: Talk) -> None:
    await talk.query("select private.hold_credits($1, $2, 'elsewhere')", talk.person, CREDITS)
    answer = await talk.post("Chi sei?", mode="ia")
    assert (answer.status_code, answer.json()["code"]) == (402, "insufficient_credits")
    assert await talk.query("select from public.conversations") == []
    assert (await talk.ask("Che cosa puoi fare?"))[-1].name == "done"


async def test_no_question_goes_to_a_provider_before_its_person_has_agreed(talk: Talk, fake: Fake) -> None:
    """The same provider elsewhere is another one, whatever an open tab believes."""
    await talk.query("update private.ai_consents set host = 'elsewhere.example'")
    answer = await talk.post("Chi sei?", mode="ia")
    assert (answer.status_code, answer.json()["code"]) == (403, "consent_needed")
    assert await talk.query("select from public.conversations") == []
    assert (fake.received, await talk.wallet()) == ([], (CREDITS, 0))
    await talk.agree()
    assert (await talk.ask("Chi sei?", mode="ia"))[-1].name == "done"


async def test_over_the_monthly_cap_nothing_begins(talk: Talk) -> None:
    await talk.query("update public.credit_settings set monthly_cap = 0 where user_id = $1", talk.person)
    answer = await talk.post("Chi sei?", mode="ia")
    assert (answer.status_code, answer.json()["code"]) == (402, "monthly_cap")


async def test_over_the_daily_cap_nothing_begins_and_the_person_reads_until_when(talk: Talk) -> None:
    await talk.query("insert into public.site_settings (key, value) values ('credits.daily_cap', '1')")
    await talk.ask("Chi sei?", mode="ia")
    answer = await talk.post("E io?", mode="ia")
    assert (answer.status_code, answer.json()["code"]) == (402, "daily_cap")
    assert answer.json()["message"].startswith(
        "Per oggi hai usato i crediti che Socio permette in un giorno, 1: il limite"
    )
    assert "riparte a mezzanotte" in answer.json()["message"]
    assert (await talk.ask("Che cosa puoi fare?"))[-1].name == "done"


async def test_the_stop_of_the_ai_cuts_answers_under_way_for_free(talk: Talk, fake: Fake) -> None:
    fake.script(rules=[{"steps": [{"text": WORDS, "stall_after": 3}]}])
    async with talk.asking("Conta", mode="ia") as answer:
        await until(answer, "delta")
        await talk.query("insert into public.site_settings (key, value) values ('ai.stopped', 'true')")
        last = (await until(answer, "error"))[-1].data
    assert (last["code"], last["row"]["status"], last["row"]["cost"]) == ("ai_stopped", "error", 0)
    assert last["row"]["content"] != ""
    assert await talk.wallet() == (CREDITS, 0)
    asked = len(fake.received)
    refused = await talk.post("Chi sei?", mode="ia")
    assert (refused.status_code, refused.json()["code"]) == (503, "ai_stopped")
    assert len(fake.received) == asked
    assert (await talk.ask("Che cosa puoi fare?"))[-1].name == "done"
    await settled(talk)


async def test_one_answer_at_a_time_and_three_of_a_person(talk: Talk, fake: Fake) -> None:
    fake.script(rules=[{"steps": [{"text": WORDS, "stall_after": 1}]}])
    started = list[dict[str, Any]]()
    for _ in range(3):
        async with talk.asking("Conta", mode="ia") as answer:
            started.append((await until(answer, "delta"))[0].data)
    same = {"conversation_id": started[0]["conversation_id"], "parent_id": started[0]["message_id"]}
    busy = await talk.post("Ancora", mode="ia", **same)
    assert (busy.status_code, busy.json()["code"]) == (409, "busy")
    assert busy.json()["details"] == {"run_id": started[0]["run_id"]}
    fourth = await talk.post("Ancora", mode="ia")
    assert (fourth.status_code, fourth.json()["code"]) == (429, "too_many_requests")
    fake.released.set()
    for each in started:
        assert (await talk.over(each["message_id"]))["status"] == "done"


async def test_a_conversation_deleted_meanwhile_ends_its_answer(talk: Talk, fake: Fake) -> None:
    fake.script(queue=[{"text": WORDS, "stall_after": 3}])
    async with talk.asking("Conta", mode="ia") as answer:
        told = await until(answer, "delta")
        # Readers hear of a word a moment before it is kept.
        async with asyncio.timeout(PATIENCE_S):
            while not await talk.query("select from private.run_events where event = 'delta'"):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        await talk.query("delete from public.conversations")
        told += [event async for event in answer]
    assert told[-1].name == "delta"
    # As if it had been stopped.
    assert await talk.wallet() == (CREDITS - 1, 0)
    await settled(talk)


async def test_a_process_that_ends_leaves_the_truth(
    settings: Settings, provider_url: str, now: Clock, fake: Fake
) -> None:
    fake.script(queue=[{"text": WORDS, "stall_after": 3}])
    async with office(with_model(settings, provider_url), now) as talk, talk.asking("Conta", mode="ia") as answer:
        told = await until(answer, "delta")
    async with office(settings, now) as later:
        row = await later.row(told[0].data["message_id"])
        assert (row["status"], row["error_code"], row["cost"]) == ("error", "interrotta", 0)
        assert row["content"].startswith(text_of(told))
        await settled(later)


@pytest.mark.long
async def test_another_process_reads_along_and_knows_the_truth_when_the_first_is_killed(
    settings: Settings, provider_url: str, now: Clock, fake: Fake
) -> None:
    fake.script(queue=[{"text": WORDS, "stall_after": 3}])
    async with office(settings, now) as here, running(settings, provider_url) as (process, there):
        elsewhere = replace(here, http=there)
        await elsewhere.agree()
        async with elsewhere.asking("Conta", mode="ia") as answer:
            told = await until(answer, "delta")
            start = told[0].data
            async with here.following(start["run_id"]) as followed:
                seen = await until(followed, "delta")
                assert seen == told
                process.kill()
                await process.wait()
                await here.query(
                    "update public.runs set heartbeat_at = now() - interval '61 seconds' where id = $1::text::uuid",
                    start["run_id"],
                )
                await here.query("select private.sweep_runs()")
                seen += [event async for event in followed]
    assert (seen[-1].name, seen[-1].data["code"]) == ("error", "interrotta")
    message = seen[-1].data["row"]
    assert message["content"] == text_of(seen)
    assert WORDS.startswith(message["content"])
    assert message["content"]


@asynccontextmanager
async def running(settings: Settings, provider_url: str) -> AsyncIterator[tuple[Process, httpx.AsyncClient]]:
    """A serving process of its own on the same database."""
    port = postgres.free_port()
    more = {"SUPABASE_API_PORT": str(port), "AI_MODEL": "compatible:fake", "AI_BASE_URL": f"{provider_url}/v1"}
    env = environment(settings, **more)
    command = (sys.executable, "-m", "backend", "serve")
    process = await asyncio.create_subprocess_exec(*command, env=env, stderr=asyncio.subprocess.DEVNULL)
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_S) as client:
            async with asyncio.timeout(PATIENCE_S):
                while not await answers(client):  # noqa: ASYNC110
                    await asyncio.sleep(0.05)  # another process tells nobody
            yield process, client
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def answers(client: httpx.AsyncClient) -> bool:
    """Whether somebody listens."""
    try:
        return (await client.get("/health")).status_code == 200
    except httpx.TransportError:
        return False
