"""The model behind AI_MODEL: one setting switches it, and whatever the provider does the person gets a clear word."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.exceptions import UnexpectedModelBehavior
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import UsageLimits

from backend import gateway
from backend.core.config import Settings
from backend.core.resources import open_all
from functions._shared.assistant import limits, provider
from functions._shared.assistant.breaker import MOST_FAILURES, OPEN_S, WITHIN_S, Breaker
from functions._shared.assistant.provider import Limits, Unavailable
from tests.conftest import Clock
from tests.fakes.llm.__main__ import serving
from tests.fakes.llm.script import Fake
from tests.functions.assistant.chatting import talking, with_model
from tests.functions.assistant.offline import context

pytestmark = pytest.mark.anyio

KEY = "sk-very-secret-0123456789"
# Nothing here lasts longer than it must to be told from nothing.
QUICK = Limits(first_byte_s=0.3, between_bytes_s=0.3, whole_s=10, backoff_s=0.001, longest_wait_s=0.05)
STEPS = UsageLimits(request_limit=4)


@pytest.fixture
def fake() -> Fake:
    return Fake()


@pytest.fixture
async def url(fake: Fake) -> AsyncIterator[str]:
    async with serving(fake) as address:
        yield address


async def ask(
    installation: Path,
    url: str,
    model: str,
    limits: Limits = QUICK,
    tools: Any = (),
    model_settings: ModelSettings | None = None,
) -> str:
    """The streamed answer of a model that is set by AI_MODEL. Raises Unavailable."""
    base = url if model.startswith("anthropic") else f"{url}/v1"
    given = await context(installation, AI_MODEL=model, AI_API_KEY=KEY, AI_BASE_URL=base)
    built = await provider.model(given, limits)
    assert built
    try:
        agent = Agent(built, tools=tools, model_settings=model_settings)
        async with agent.run_stream("Ciao", usage_limits=STEPS) as answer:
            return "".join([piece async for piece in answer.stream_text(delta=True)])
    except Exception as error:
        raise provider.translate(error) or error from None


async def refused(installation: Path, url: str, model: str, limits: Limits = QUICK, tools: Any = ()) -> Unavailable:
    with pytest.raises(Unavailable) as caught:
        await ask(installation, url, model, limits, tools)
    return caught.value


def search(query: str) -> str:
    """Searches."""
    raise AssertionError(f"called with {len(query)} characters")


@pytest.mark.parametrize("kind", ["openai", "anthropic", "mistral", "compatible"])
async def test_one_setting_switches_the_provider(installation: Path, url: str, fake: Fake, kind: str) -> None:
    def find(query: str) -> str:
        return f"trovato: {query}"

    calling = {"calls": [{"name": "find", "arguments": {"query": "Rossi"}}]}
    fake.script(queue=[calling, {"text": f"Sono {kind}, ciao."}])
    assert await ask(installation, url, f"{kind}:un-modello", tools=[find]) == f"Sono {kind}, ciao."
    first, second = fake.received
    assert first.path == {"anthropic": "/v1/messages", "openai": "/v1/responses"}.get(kind, "/v1/chat/completions")
    assert (first.key, first.body["model"], first.body["stream"]) == (KEY, "un-modello", True)
    assert "trovato: Rossi" in str(second.body)


@pytest.mark.parametrize(
    ("kind", "sent"),
    [
        ("openai", {"max_output_tokens": 24_384, "store": False}),
        ("anthropic", {"max_tokens": 24_384, "thinking": {"type": "enabled", "budget_tokens": 16_384}}),
        ("mistral", {"max_tokens": 8000}),
        ("compatible", {"stream_options": {"include_usage": True}}),
    ],
)
async def test_each_provider_is_sent_only_what_it_takes(
    installation: Path, url: str, fake: Fake, kind: str, sent: dict[str, Any]
) -> None:
    await ask(installation, url, f"{kind}:un-modello", tools=[search], model_settings=ModelSettings(thinking="high"))
    body = fake.received[0].body
    everywhere = {"model", "messages", "input", "stream", "tools", "tool_choice", "system"}
    assert {name: value for name, value in body.items() if name not in everywhere} == sent


async def test_without_the_setting_there_is_no_model(installation: Path) -> None:
    assert await provider.model(await context(installation)) is None


@pytest.mark.parametrize(
    ("secrets", "external_url"),
    [
        ({"AI_MODEL": "gpt"}, "http://localhost:1"),
        ({"AI_MODEL": "openai:"}, "http://localhost:1"),
        ({"AI_MODEL": "altro:x"}, "http://localhost:1"),
        ({"AI_MODEL": "openai:x", "AI_API_KEY": ""}, "http://localhost:1"),
        ({"AI_MODEL": "compatible:x"}, "http://localhost:1"),
        ({"AI_MODEL": "compatible:x", "AI_BASE_URL": "http://example.com/v1"}, "http://localhost:1"),
        ({"AI_MODEL": "compatible:x", "AI_BASE_URL": "https://10.0.0.1/v1"}, "http://localhost:1"),
        ({"AI_MODEL": "compatible:x", "AI_BASE_URL": "http://127.0.0.1:11434/v1"}, "https://socio.example"),
    ],
    ids=["no provider", "no model", "unknown", "no key", "no address", "no https", "our network", "us, from outside"],
)
async def test_a_wrong_setting_is_told(installation: Path, secrets: dict[str, str], external_url: str) -> None:
    given = await context(installation, external_url, **{"AI_API_KEY": KEY, **secrets})
    with pytest.raises(Unavailable) as caught:
        provider.choice(given)
    assert caught.value.code == "ai_misconfigured"
    assert KEY not in f"{caught.value!r} {caught.value.cause}"


@pytest.mark.parametrize(
    ("model", "base_url", "label", "in_eu"),
    [
        ("mistral:m", "", "Mistral", True),
        ("openai:m", "", "OpenAI", False),
        ("mistral:m", "https://api.mistral.ai/v1", "Mistral", False),
        ("openai:m", "https://eu.api.openai.com/v1", "OpenAI", True),
        ("anthropic:m", "", "Anthropic", False),
        ("compatible:m", "https://llm.example/v1/", "llm.example", None),
    ],
    ids=["Mistral", "OpenAI", "Mistral anywhere", "OpenAI in the EU", "Anthropic", "another"],
)
async def test_it_says_where_data_go(
    installation: Path, model: str, base_url: str, label: str, in_eu: bool | None
) -> None:
    chosen = provider.choice(await context(installation, AI_MODEL=model, AI_API_KEY=KEY, AI_BASE_URL=base_url))
    assert chosen
    assert (chosen.label, chosen.in_eu) == (label, in_eu)
    assert KEY not in repr(chosen)


async def test_what_fails_before_the_first_byte_is_tried_again(installation: Path, url: str, fake: Fake) -> None:
    fake.script(queue=[{"status": 500}, {"status": 429, "retry_after": "0.02"}, {"text": "Eccomi."}])
    assert await ask(installation, url, "openai:m") == "Eccomi."
    assert len(fake.received) == 3


@pytest.mark.parametrize(
    ("model", "code", "requests"),
    [
        ("openai:error-500", "ai_unavailable", 3),
        ("openai:error-503", "ai_unavailable", 3),
        ("openai:busy-1", "ai_busy", 1),
        ("openai:error-401", "ai_refused", 1),
        ("openai:error-404", "ai_refused", 1),
        ("openai:redirect", "ai_garbage", 1),
        ("openai:stall-0", "ai_timeout", 1),
        ("openai:stall-2", "ai_timeout", 1),
        ("openai:cut-0", "ai_unavailable", 3),
        ("openai:cut-2", "ai_cut", 1),
        ("openai:short-2", "ai_cut", 1),
        ("openai:garbage", "ai_cut", 1),
        ("openai:unknowntool", "ai_garbage", 2),
        ("openai:wrongarguments", "ai_garbage", 2),
        ("openai:brokenarguments", "ai_garbage", 2),
        ("anthropic:error-500", "ai_unavailable", 3),
        ("anthropic:busy-1", "ai_busy", 1),
        ("anthropic:stall-2", "ai_timeout", 1),
        ("anthropic:cut-2", "ai_cut", 1),
        ("anthropic:short-2", "ai_cut", 1),
        ("anthropic:garbage", "ai_cut", 1),
        ("anthropic:unknowntool", "ai_garbage", 2),
    ],
)
async def test_each_fault_has_its_code(
    installation: Path, url: str, fake: Fake, model: str, code: str, requests: int
) -> None:
    error = await refused(installation, url, model, tools=[search])
    assert (error.code, len(fake.received)) == (code, requests), error.cause
    assert error.message_it == provider.MESSAGES[code]
    assert error.__cause__ is None


async def test_an_endless_or_huge_answer_ends(installation: Path, url: str, fake: Fake) -> None:
    error = await refused(installation, url, "mistral:endless", replace(QUICK, whole_s=0.3))
    assert error.code == "ai_timeout"
    error = await refused(installation, url, "mistral:bigargument", tools=[search])
    assert error.code == "ai_garbage"
    assert [each.state for each in fake.received] == ["left", "done"]


async def test_an_answer_may_be_slower_than_one_wait(installation: Path, url: str) -> None:
    assert "parola" in await ask(installation, url, "mistral:slow-0.02")


@pytest.mark.parametrize("model", ["error-500", "error-401", "cut-1"])
async def test_the_key_is_in_no_log_and_no_error(
    installation: Path, url: str, model: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        error = await refused(installation, url, f"compatible:{model}")
    logging.getLogger("test").error("as it would be logged", exc_info=error)
    assert KEY not in caplog.text
    assert KEY not in f"{error!r} {error.cause} {error.message_it}"


async def test_who_fails_too_often_is_left_alone(installation: Path, url: str, fake: Fake) -> None:
    given = await context(installation, AI_MODEL="openai:error", AI_API_KEY=KEY, AI_BASE_URL=f"{url}/v1")
    chosen = provider.choice(given)
    assert chosen
    provider.refuse_if_open(chosen)
    await refused(installation, url, "openai:error")
    await refused(installation, url, "openai:error")
    assert len(fake.received) == MOST_FAILURES
    with pytest.raises(Unavailable) as caught:
        provider.refuse_if_open(chosen)
    assert caught.value.code == "ai_unavailable"
    assert 0 < (caught.value.retry_after_s or 0) <= OPEN_S


async def test_who_thinks_hard_may_be_silent_for_longer_and_is_not_blamed(
    installation: Path, url: str, fake: Fake
) -> None:
    ordinary = Limits()
    assert provider.DEEP.first_byte_s == provider.DEEP.between_bytes_s == 60 > ordinary.between_bytes_s
    # The connection, which can tell why, gives up before the turn does.
    assert provider.DEEP.between_bytes_s < limits.DEEP_STALL_S
    assert ordinary.between_bytes_s < limits.STALL_S
    given = await context(installation, AI_MODEL="openai:stall-2", AI_API_KEY=KEY, AI_BASE_URL=f"{url}/v1")
    chosen = provider.choice(given)
    assert chosen
    for _ in range(MOST_FAILURES):
        error = await refused(installation, url, "openai:stall-2", replace(QUICK, is_silence_blamed=False))
        assert error.code == "ai_timeout"
    assert provider.breaker(chosen)._failures == deque()
    provider.refuse_if_open(chosen)
    await refused(installation, url, "openai:stall-2")
    assert len(provider.breaker(chosen)._failures) == 1


@pytest.mark.parametrize(
    ("more", "given"),
    [({"deep": True}, provider.DEEP), ({}, None), ({"deep": True, "agent": "consiglio"}, None)],
    ids=["deep", "ordinary", "council"],
)
async def test_only_a_deep_turn_waits_for_longer(
    settings: Settings,
    url: str,
    now: Clock,
    monkeypatch: pytest.MonkeyPatch,
    more: dict[str, Any],
    given: Limits | None,
) -> None:
    asked = list[Limits | None]()
    build = provider.model

    async def model(context: Any, wanted: Limits | None = None) -> Any:
        asked.append(wanted)
        return await build(context, wanted)

    monkeypatch.setattr(provider, "model", model)
    async with (
        open_all(with_model(settings, url), now) as resources,
        gateway.application(resources) as app,
        talking(app, resources) as talk,
    ):
        assert (await talk.ask("Chi sei?", mode="ia", **more))[-1].name == "done"
    assert asked == [given]


def test_the_breaker_opens_waits_and_lets_one_try() -> None:
    now = 0.0
    breaker = Breaker(lambda: now)
    for _ in range(MOST_FAILURES - 1):
        assert breaker.admit()
        breaker.failed()
    now += WITHIN_S + 1
    breaker.failed()
    assert breaker.admit(), "old failures do not count"
    for _ in range(MOST_FAILURES):
        breaker.failed()
    assert (breaker.admit(), breaker.open_for_s()) == (False, OPEN_S)
    now += OPEN_S
    assert (breaker.admit(), breaker.admit()) == (True, False)
    breaker.gave_up()
    assert breaker.admit()
    breaker.failed()
    assert breaker.open_for_s() == OPEN_S
    now += OPEN_S
    assert breaker.admit()
    breaker.succeeded()
    assert (breaker.admit(), breaker.admit()) == (True, True)


def test_only_errors_of_models_are_translated() -> None:
    assert provider.translate(KeyError("x")) is None
    garbage = provider.translate(UnexpectedModelBehavior("x"))
    assert garbage
    assert garbage.code == "ai_garbage"
