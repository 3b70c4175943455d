"""«Solo modalità locale»: nothing goes to a provider, whatever was agreed to; what went there is counted and marked."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from backend import gateway
from backend.core import db
from backend.core.config import Settings
from backend.core.resources import open_all
from tests.conftest import Clock
from tests.fakes.llm.__main__ import serving
from tests.fakes.llm.script import Fake
from tests.functions.assistant.chatting import CREDITS, Talk, talking, with_model

pytestmark = pytest.mark.anyio


@pytest.fixture
def fake() -> Fake:
    return Fake()


@pytest.fixture
async def talk(settings: Settings, fake: Fake, now: Clock) -> AsyncIterator[Talk]:
    async with (
        serving(fake) as url,
        open_all(with_model(settings, url), now) as resources,
        gateway.application(resources) as app,
        talking(app, resources) as one,
    ):
        yield one


async def choose(talk: Talk, *, is_allowed: bool) -> None:
    """As the switch of the privacy page does."""
    claims = {"sub": str(talk.person), "role": "authenticated"}
    async with db.as_claims(talk.resources.pool, claims) as connection:
        await connection.execute(
            "insert into public.privacy_choices (purpose, is_allowed, wording) values ('ai', $1, 'Solo locale')",
            is_allowed,
        )


async def settings_of(talk: Talk) -> dict[str, Any]:
    answer = await talk.http.get("/functions/v1/chat_settings", headers=talk.headers())
    return {name: answer.json()[name] for name in ("ai", "local_only", "host", "is_agreed")}


async def test_nothing_is_sent_to_a_provider_until_the_person_allows_it_again(talk: Talk, fake: Fake) -> None:
    before = await settings_of(talk)
    assert (before["ai"], before["local_only"], before["is_agreed"]) == (True, False, True)
    await choose(talk, is_allowed=False)
    assert await settings_of(talk) == {"ai": False, "local_only": True, "host": None, "is_agreed": False}
    for wish in ({}, {"deep": True}, {"agent": "consiglio"}):
        answer = await talk.post("Chi sei?", mode="ia", **wish)
        assert (answer.status_code, answer.json()["code"]) == (403, "local_only")
    assert (await talk.ask("Che cosa puoi fare?"))[-1].name == "done"
    assert (fake.received, await talk.wallet()) == ([], (CREDITS, 0))
    await choose(talk, is_allowed=True)
    assert await settings_of(talk) == before
    assert (await talk.ask("Chi sei?", mode="ia"))[-1].name == "done"
    assert len(fake.received) == 1


async def test_choosing_it_stops_an_answer_that_is_under_way(talk: Talk, fake: Fake) -> None:
    fake.script(queue=[{"text": "Uno due tre quattro cinque sei.", "stall_after": 3}])
    async with talk.asking("Conta", mode="ia") as answer:
        async for event in answer:
            if event.name == "delta":
                break
    await choose(talk, is_allowed=False)
    [run] = await talk.query("select message_id from public.runs")
    assert (await talk.over(str(run["message_id"])))["status"] == "stopped"


async def test_answers_are_counted_by_who_gave_them_and_outlive_their_conversation(talk: Talk, fake: Fake) -> None:
    claims = {"sub": str(talk.person), "role": "authenticated"}
    async with db.as_claims(talk.resources.pool, claims) as connection:
        await connection.execute("select public.add_demo_data()")
        contact = await connection.fetchrow("select id::text, name from public.contacts order by name limit 1")
    assert contact is not None
    steps = [
        {"calls": [{"name": "find_contacts", "arguments": {"query": contact["name"]}}]},
        {"text": f"{contact['name']} è qui [[r1]]."},
    ]
    fake.script(rules=[{"steps": steps}])
    for temporary in (False, True):
        await talk.ask(f"Trova {contact['name']}", mode="ia", is_temporary=temporary)
    await talk.ask("Che cosa puoi fare?")
    async with db.as_claims(talk.resources.pool, claims) as connection:
        await connection.execute("delete from public.conversations")
        months = await connection.fetch("select * from public.ai_usage_by_month()")
        seen = await connection.fetch("select entities from public.ai_usage where mode = 'ia' order by id")
    assert [row["entities"] for row in seen] == [[{"id": contact["id"], "kind": "contact"}], []]
    local, asked = sorted(months, key=lambda row: row["mode"], reverse=True)
    assert (local["mode"], local["provider"], local["answers"], local["credits"]) == ("locale", None, 1, 0)
    assert (asked["provider"], asked["model"], asked["answers"], asked["credits"]) == ("127.0.0.1", "fake", 2, 2)
    assert asked["tokens_in"] > 0 < asked["tokens_out"]
    # Somebody else sees none of it.
    async with db.as_claims(talk.resources.pool, claims | {"sub": "00000000-0000-0000-0000-000000000001"}) as other:
        assert await other.fetch("select * from public.ai_usage_by_month()") == []


async def test_a_draft_says_who_generated_it_and_the_notice_of_its_contact_counts_it(talk: Talk, fake: Fake) -> None:
    claims = {"sub": str(talk.person), "role": "authenticated"}
    async with db.as_claims(talk.resources.pool, claims) as connection:
        await connection.execute("select public.add_demo_data()")
        contact = await connection.fetchrow(
            "select contacts.id, name from public.contacts join public.contact_emails on contact_id = contacts.id"
            " where type = 'persona' order by name limit 1"
        )
        assert contact is not None
        await connection.execute(
            "insert into public.drafts (contact_id, channel, body) values ($1, 'email', 'Scritta a mano')",
            contact["id"],
        )
    letter = {"contact": contact["name"], "subject": "Saluti", "body": "Gentile, a presto."}
    fake.script(rules=[{"steps": [{"calls": [{"name": "draft_email", "arguments": letter}]}, {"text": "Ecco."}]}])
    told = await talk.ask(f"Scrivi a {contact['name']}", mode="ia", agent="esecutore")
    [card] = [event.data for event in told if event.name == "card"]
    sent = {"tool_call_id": card["id"], "decision": "approve"}
    answer = await talk.http.post("/functions/v1/chat_action", json=sent, headers=talk.headers())
    assert answer.status_code == 200, answer.text
    drafts = await talk.query("select ai from public.drafts where contact_id = $1 order by created_at", contact["id"])
    mark = {"generated": True, "mode": "ia", "provider": "127.0.0.1", "model": "fake", "reviewed": True}
    assert [draft["ai"] for draft in drafts] == [None, mark]
    async with db.as_claims(talk.resources.pool, claims) as connection:
        found = await connection.fetch("select * from public.ai_notice($1)", contact["id"])
        other = await connection.fetch("select * from public.ai_notice($1)", talk.person)
    rows = {row["step"]: (row["provider"], row["model"], row["times"], row["reviewed"]) for row in found}
    assert (rows["answer"], rows["draft"]) == (("127.0.0.1", "fake", 1, 0), ("127.0.0.1", "fake", 1, 1))
    assert other == []
    async with db.as_claims(talk.resources.pool, claims | {"sub": "00000000-0000-0000-0000-000000000001"}) as stranger:
        assert await stranger.fetch("select * from public.ai_notice($1)", contact["id"]) == []
