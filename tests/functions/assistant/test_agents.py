"""The five characters and the council: who may write, what they are told, and one answer out of several views."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.models import Model

from functions._shared.assistant import agents, agents_data, council, provider
from functions._shared.assistant.local.model import LocalModel
from functions._shared.assistant.provider import Limits
from functions._shared.assistant.tools.writes import WRITES
from functions._shared.assistant.turn import Turn
from tests.fakes.llm.__main__ import serving
from tests.fakes.llm.script import Fake
from tests.functions.assistant import offline

pytestmark = pytest.mark.anyio

PATIENCE_S = 20
QUESTION = "Alzo la tariffa a Rossi?"
VIEWS = {
    "Logico": "Rossi paga 50 [[r1]].",
    "Creativo": "Tre modi.",
    "Strategico": "Prima Rossi.",
    "Rivedi i loro pareri": "Avvisa prima.",
}
SPEAKER = "Fanne una risposta sola"


@pytest.fixture
def fake() -> Fake:
    return Fake()


@pytest.fixture
async def url(fake: Fake) -> AsyncIterator[str]:
    async with serving(fake) as address:
        yield address


@pytest.fixture
async def turn(installation: Path, url: str) -> Turn:
    secrets = {"AI_MODEL": "compatible:m", "AI_BASE_URL": f"{url}/v1"}
    return await offline.turn(installation, QUESTION, **secrets)


@pytest.fixture
async def model(turn: Turn) -> Model:
    built = await provider.model(turn.context, Limits(backoff_s=0.001))
    assert built
    return built


def scripted(fake: Fake, **instead: dict[str, Any]) -> None:
    """Every voice says its part; `instead` are other answers, by the beginning of the voice's name."""
    answers = {name: {"text": text} for name, text in VIEWS.items()} | instead
    said = [{"system": SPEAKER, "steps": [{"text": "Sì, ma avvisa. [[r1]]"}]}]
    said += [{"system": name, "steps": [answer]} for name, answer in answers.items() if name.startswith("Rivedi")]
    said += [{"system": f"Tu sei {name}", "steps": [answer]} for name, answer in answers.items()]
    fake.script(rules=said)


async def held(turn: Turn, model: Model, question: str = QUESTION) -> tuple[council.Council, list[dict[str, Any]], str]:
    """A council with all that was told of it."""
    views: list[dict[str, Any]] = []
    text: list[str] = []

    async def on_view(view: dict[str, Any]) -> None:
        views.append(view)

    async def on_text(piece: str) -> None:
        text.append(piece)

    return await council.run(turn, model, [question], [], on_view, on_text), views, "".join(text)


def statuses(views: Sequence[dict[str, Any]]) -> dict[str, str]:
    return {view["agent"]: view["status"] for view in views}


@pytest.mark.parametrize("agent_id", [*agents_data.BY_ID, agents_data.COUNCIL])
async def test_only_the_esecutore_is_given_tools_that_write(
    turn: Turn, model: Model, fake: Fake, agent_id: str
) -> None:
    await agents.build(agent_id, model, turn).run(QUESTION, deps=turn)
    offered = {tool["function"]["name"] for tool in fake.received[0].body["tools"]}
    assert "find_contacts" in offered
    assert offered & set(WRITES) == (set(WRITES) if agent_id == "esecutore" else set())


@pytest.mark.parametrize("agent_id", agents_data.BY_ID)
async def test_what_an_agent_is_told_holds_nobodys_words(turn: Turn, model: Model, fake: Fake, agent_id: str) -> None:
    await agents.build(agent_id, model, turn).run(QUESTION, deps=turn)
    [system] = {each["content"] for each in fake.received[0].body["messages"] if each["role"] == "system"}
    assert system.startswith(agents_data.SOCIO)
    assert system.endswith("Oggi è sabato 2026-11-21, in Italia.")
    assert QUESTION not in system
    for rule in ("[[r1]]", "Non inventarne mai", "⟦dati", "tabella Markdown", "italiano"):
        assert rule in system


async def test_a_tool_called_wrongly_is_not_run(turn: Turn, model: Model, fake: Fake) -> None:
    wrong = {"calls": [{"name": "find_contacts", "arguments": {"query": "x" * 40_000, "user_id": "other"}}]}
    fake.script(queue=[wrong, {"text": "Non ci riesco."}])
    answer = await agents.build("logico", model, turn).run(QUESTION, deps=turn)
    assert answer.output == "Non ci riesco."
    assert turn.results == []


async def test_the_council_says_one_answer_made_of_four_views(turn: Turn, model: Model, fake: Fake) -> None:
    scripted(fake)
    answer, views, text = await held(turn, model)
    assert text == answer.content == "Sì, ma avvisa. [[r1]]"
    assert {view.agent: view.content for view in answer.views} == dict(
        zip(("logico", "creativo", "strategico", "etico"), VIEWS.values(), strict=True)
    )
    assert set(statuses(views).values()) == {"done"}
    assert answer.finished == 5
    assert answer.tokens_in > 0 < answer.tokens_out
    last = fake.received[-1].body["messages"][-1]["content"]
    assert all(text in str(last) for text in (*VIEWS.values(), QUESTION))
    assert "tools" not in fake.received[-1].body


@pytest.mark.parametrize("voice", ["Creativo", "Rivedi i loro pareri"])
async def test_a_view_that_fails_does_not_fail_the_whole(turn: Turn, model: Model, fake: Fake, voice: str) -> None:
    scripted(fake, **{voice: {"text": "Metà ", "status": 401}})
    answer, views, text = await held(turn, model)
    assert text == "Sì, ma avvisa. [[r1]]"
    failed = "creativo" if voice == "Creativo" else "etico"
    assert [agent for agent, status in statuses(views).items() if status == "error"] == [failed]
    assert answer.finished == 4
    assert VIEWS[voice] not in str(fake.received[-1].body["messages"])


async def test_a_council_where_nobody_answers_is_no_answer(turn: Turn, model: Model, fake: Fake) -> None:
    fake.script(rules=[{"steps": [{"status": 401}]}])
    with pytest.raises(provider.Unavailable) as caught:
        await held(turn, model)
    assert caught.value.code == "ai_refused"


async def test_what_stops_a_council_stops_every_voice(turn: Turn, model: Model, fake: Fake) -> None:
    scripted(fake, Logico={"text": "uno due tre", "stall_after": 1}, Strategico={"text": "a b c", "stall_after": 1})

    async def on_view(view: dict[str, Any]) -> None:
        if view["status"] == "done":
            raise InterruptedError

    with pytest.raises(InterruptedError):
        await council.run(turn, model, [QUESTION], [], on_view, on_view)  # type: ignore[arg-type]
    async with asyncio.timeout(PATIENCE_S):
        while any(each.state == "open" for each in fake.received):  # noqa: ASYNC110
            await asyncio.sleep(0)
    assert "left" in {each.state for each in fake.received}


async def test_the_local_model_holds_a_council_too(turn: Turn) -> None:
    answer, views, text = await held(turn, LocalModel(), "Cosa sai fare?")
    assert text == answer.content == answer.views[0].content != ""
    assert statuses(views) == dict.fromkeys(("logico", "creativo", "strategico", "etico"), "done")
    said = [each["text"] for each in turn.suggestions]
    assert len(said) == len(set(said)) > 0
