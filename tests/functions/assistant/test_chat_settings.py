"""What the client is told of the assistant: whether there is a model, whose, and what an answer costs."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from backend import gateway
from backend.core import config, db
from backend.core.resources import Resources
from functions._shared.assistant import engine, events
from tests.db import accounts

pytestmark = pytest.mark.anyio


WITHOUT = {
    "ai": False,
    "ai_stopped": False,
    "local_only": False,
    "voice": False,
    "model": None,
    "provider": None,
    "host": None,
    "in_eu": None,
    "is_agreed": False,
}
OPENAI = {"AI_MODEL": "openai:gpt", "AI_API_KEY": "sk-secret"}


async def asked(
    resources: Resources, secrets: dict[str, str], role: str = "authenticated", person: UUID | None = None, **body: Any
) -> httpx.Response:
    """The answer to somebody on an installation with these secrets; with a body it is written."""
    runtime = replace(resources.settings.edge_runtime, secrets=secrets)
    resources = replace(resources, settings=replace(resources.settings, edge_runtime=runtime))
    moment = int(time.time())
    token = resources.keys.sign({"sub": str(person or uuid4()), "role": role, "iat": moment, "exp": moment + 60})
    async with (
        gateway.application(resources) as app,
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client,
    ):
        headers = {"Authorization": f"Bearer {token}"}
        if body:
            return await client.post("/functions/v1/chat_settings", json=body, headers=headers)
        return await client.get("/functions/v1/chat_settings", headers=headers)


async def test_it_tells_agents_prices_limits_and_whose_model_it_is(resources: Resources) -> None:
    without = (await asked(resources, {})).json()
    assert {name: without[name] for name in WITHOUT} == WITHOUT
    assert [agent["id"] for agent in without["agents"]] == ["logico", "creativo", "strategico", "etico", "esecutore"]
    assert all(agent["name"] and agent["does"] for agent in without["agents"])
    assert without["prices"] == {
        "chat": 1,
        "chat_deep": 2,
        "advice": 3,
        "chat_local": 0,
        "voice_minute": 1,
        "letter": 1,
    }
    assert without["limits"] == {"characters": 20_000}
    given = {"AI_MODEL": "mistral:mistral-large-latest", "AI_API_KEY": "sk-secret"}
    told = await asked(resources, given)
    expected = {"ai": True, "ai_stopped": False, "local_only": False, "voice": False, "model": "mistral-large-latest"}
    expected |= {"provider": "Mistral", "host": "api.eu.mistral.ai", "in_eu": True, "is_agreed": False}
    assert {name: told.json()[name] for name in WITHOUT} == expected
    assert "sk-secret" not in told.text
    for model, hears in (("mistral:mistral-large-latest", True), ("anthropic:claude", False)):
        voiced = await asked(resources, {**given, "AI_MODEL": model, "AI_VOICE_MODEL": "voxtral-mini-latest"})
        assert voiced.json()["voice"] is hears


async def test_stopped_by_an_admin_there_is_no_model_and_the_person_is_told(resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        await connection.execute("insert into public.site_settings (key, value) values ('ai.stopped', 'true')")
    answer = (await asked(resources, OPENAI)).json()
    assert {name: answer[name] for name in WITHOUT} == WITHOUT | {"ai_stopped": True}
    # Without a model there is nothing to stop.
    assert not (await asked(resources, {})).json()["ai_stopped"]


async def test_asking_for_the_settings_loads_what_answers(
    resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[bool] = []
    monkeypatch.setattr(engine, "_is_warm", asyncio.Event())
    monkeypatch.setattr(engine, "_load", lambda *, has_provider: loaded.append(has_provider))
    assert (await asked(resources, {}, "anon")).status_code == 200
    # A visitor is told at once, and nothing is loaded for one.
    assert loaded == []
    for _ in range(2):
        assert (await asked(resources, {})).status_code == 200
        async with asyncio.timeout(20):
            await engine._is_warm.wait()
    assert loaded == [False]


async def test_a_person_agrees_once_to_each_provider(resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        anna, bruno = await accounts.create(connection), await accounts.create(connection)

    async def agrees(person: UUID, secrets: dict[str, str] = OPENAI) -> bool:
        return bool((await asked(resources, secrets, person=person)).json()["is_agreed"])

    for _ in range(2):
        assert (await asked(resources, OPENAI, person=anna, host="api.openai.com")).json()["is_agreed"]
    assert (await agrees(anna), await agrees(bruno)) == (True, False)
    # The same provider elsewhere is another one for whoever reads where it answers.
    assert not await agrees(anna, OPENAI | {"AI_BASE_URL": "https://eu.api.openai.com/v1"})
    async with db.connection(resources.pool) as connection:
        rows = await connection.fetch("select host, provider, in_eu from private.ai_consents")
    assert [tuple(row) for row in rows] == [("api.openai.com", "OpenAI", False)]
    for host, status in (("api.anthropic.com", 409), (7, 400)):
        assert (await asked(resources, OPENAI, person=bruno, host=host)).status_code == status
    assert (await asked(resources, {}, person=bruno, host="api.openai.com")).json()["code"] == "provider_changed"
    assert (await asked(resources, OPENAI, "anon", host="api.openai.com")).status_code == 401


async def test_a_wrong_setting_counts_as_no_model_and_is_in_the_log(
    resources: Resources, caplog: pytest.LogCaptureFixture
) -> None:
    answer = (await asked(resources, {"AI_MODEL": "openai:gpt"})).json()
    assert {name: answer[name] for name in WITHOUT} == WITHOUT
    assert "the assistant has no model" in caplog.text


def test_the_client_has_words_for_every_way_an_answer_ends_badly() -> None:
    words = (config.ROOT / "web" / "src" / "strings" / "chat.ts").read_text("utf-8")
    assert [code for code in events.SENTENCES if f"  {code}: '" not in words] == []


async def test_visitors_are_told_only_whether_there_is_a_model(resources: Resources) -> None:
    assert (await asked(resources, {}, role="anon")).json() == {"ai": False}
    assert (await asked(resources, OPENAI, role="anon")).json() == {"ai": True}
