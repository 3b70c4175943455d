"""What the client is told of the assistant: whether there is a model, whose, and what an answer costs."""

from __future__ import annotations

import time
from dataclasses import replace
from uuid import uuid4

import httpx
import pytest

from backend import gateway
from backend.core import config
from backend.core.resources import Resources
from functions._shared.assistant import events

pytestmark = pytest.mark.anyio


WITHOUT = {"ai": False, "model": None, "provider": None, "in_eu": None}


async def asked(resources: Resources, secrets: dict[str, str], role: str = "authenticated") -> httpx.Response:
    """The answer to somebody on an installation with these secrets."""
    runtime = replace(resources.settings.edge_runtime, secrets=secrets)
    resources = replace(resources, settings=replace(resources.settings, edge_runtime=runtime))
    moment = int(time.time())
    token = resources.keys.sign({"sub": str(uuid4()), "role": role, "iat": moment, "exp": moment + 60})
    async with (
        gateway.application(resources) as app,
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client,
    ):
        return await client.get("/functions/v1/chat_settings", headers={"Authorization": f"Bearer {token}"})


async def test_it_tells_agents_prices_limits_and_whose_model_it_is(resources: Resources) -> None:
    without = (await asked(resources, {})).json()
    assert {name: without[name] for name in WITHOUT} == WITHOUT
    assert [agent["id"] for agent in without["agents"]] == ["logico", "creativo", "strategico", "etico", "esecutore"]
    assert all(agent["name"] and agent["does"] for agent in without["agents"])
    assert without["prices"] == {"chat": 1, "chat_deep": 2, "advice": 3, "chat_local": 0}
    assert without["limits"] == {"characters": 20_000}
    given = {"AI_MODEL": "mistral:mistral-large-latest", "AI_API_KEY": "sk-secret"}
    told = await asked(resources, given)
    expected = {"ai": True, "model": "mistral-large-latest", "provider": "Mistral", "in_eu": True}
    assert {name: told.json()[name] for name in WITHOUT} == expected
    assert "sk-secret" not in told.text


async def test_a_wrong_setting_counts_as_no_model_and_is_in_the_log(
    resources: Resources, caplog: pytest.LogCaptureFixture
) -> None:
    answer = (await asked(resources, {"AI_MODEL": "openai:gpt"})).json()
    assert {name: answer[name] for name in WITHOUT} == WITHOUT
    assert "the assistant has no model" in caplog.text


def test_the_client_has_words_for_every_way_an_answer_ends_badly() -> None:
    words = (config.ROOT / "web" / "src" / "strings" / "chat.ts").read_text("utf-8")
    assert [code for code in events.SENTENCES if f"  {code}: '" not in words] == []


async def test_visitors_are_told_nothing(resources: Resources) -> None:
    assert (await asked(resources, {}, role="anon")).status_code == 401
