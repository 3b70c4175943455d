"""The assistant: local answers, 150 at once, a provider's first words, 200 of its answers at once.

The provider is the fake of the tests, in this process: it notes when it was asked, just before its first byte.
"""

from __future__ import annotations

import asyncio
import json
import re
import statistics
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar
from uuid import uuid4

import aiohttp

from scripts import postgres
from scripts.bench import cpu
from scripts.bench.goals import BACKEND, POSTGRES, Result
from scripts.bench.stage import Stage
from tests.fakes.llm.__main__ import serving
from tests.fakes.llm.asked import Asked
from tests.fakes.llm.script import Answer, Fake

LOCAL_MS, FIRST_WORDS_MS = 150, 80
STREAMS = 200
# So many questions in one moment, each answered in so many seconds.
RUSH, RUSH_S = 150, 30
# Twenty questions a minute are a person's limit.
ASKING, FIRST_WORDS = 10, 40
QUESTIONS = (
    *("cosa devo fare oggi?", "cosa ho in programma domani?", "quali attività sono scadute?", "chi devo richiamare?"),
    *("quanto ho in trattativa?", "quali trattative sono ferme?", "ci sono fatture scadute?", "quanto devo incassare?"),
    *("cerca nei documenti la caldaia", "ricordami di chiamare Rossi domani alle 15", "quanti crediti ho?"),
    *("che cosa ricordi di me?", "che cosa sai fare?", "i miei progetti"),
)
# Twenty come a second, and each is written for fifteen: all are open at the same time.
ARRIVALS_PER_S, WORDS, PACE_S = 20, 75, 0.2
PATIENCE_S = 150


T = TypeVar("T")


@dataclass
class Clocked(Fake):
    """Notes when each question came."""

    asked_s: dict[str, float] = field(default_factory=dict)

    def answer(self, asked: Asked) -> Answer:
        """Answer as scripted and note when the question came, by its number."""
        if number := re.search(r"Domanda (\S+)", asked.question):
            self.asked_s.setdefault(number[1], time.perf_counter())
        return super().answer(asked)


@dataclass(frozen=True)
class Heard:
    """One answer: when its first words came, when it was over, what it was, and «done» or why it was not."""

    first_s: float
    end_s: float
    text: str
    status: str


_port = 0


def environment() -> dict[str, str]:
    """Choose the provider's port and return the settings that the product needs before it starts."""
    global _port
    _port = postgres.free_port()
    return {"AI_MODEL": "compatible:bench", "AI_BASE_URL": f"http://127.0.0.1:{_port}/v1", "AI_API_KEY": "sk-bench"}


async def local(stage: Stage) -> Result:
    """Everyday questions of people with demo data, from the request to the last event."""
    taken_ms: list[float] = []

    async def one(number: int, question: str) -> float:
        began_s = time.perf_counter()
        heard = await _ask(stage, number, question, "locale")
        if heard.status != "done":
            raise RuntimeError(f"«{question}» ended {heard.status}")
        return (heard.end_s - began_s) * 1000

    async def ask_all() -> None:
        for number in range(ASKING):
            taken_ms.extend([await one(number, question) for question in QUESTIONS])

    for number in range(ASKING):
        await _call(stage, number, "add_demo_data")
        # The first answer of a process loads what answers.
        await one(number, QUESTIONS[0])
    _, cpu_s = await _counted(ask_all)
    p95, p50 = _p95(taken_ms), statistics.median(taken_ms)
    details = f"{p95:.0f} ms, p50 {p50:.0f}; {cpu_s / len(taken_ms) * 1000:.0f} ms CPU each"
    return Result("chat", f"local answers, p95, to {LOCAL_MS} ms", p95 / LOCAL_MS, 1, details)


async def rush(stage: Stage) -> Result:
    """Everybody asks in the same moment, and nobody a provider."""
    await _ask(stage, 0, QUESTIONS[0], "locale")
    began_s = time.perf_counter()
    heard, cpu_s = await _counted(
        lambda: asyncio.gather(
            *(_ask(stage, number, QUESTIONS[number % len(QUESTIONS)], "locale") for number in range(RUSH))
        )
    )
    taken_s = sorted(each.end_s - began_s for each in heard if each.status == "done")
    in_time = sum(each <= RUSH_S for each in taken_s)
    details = (
        f"{in_time} of {RUSH}, first {taken_s[0]:.1f} s, p50 {statistics.median(taken_s):.1f}, last {taken_s[-1]:.1f}"
    )
    details += f"; {cpu_s / RUSH * 1000:.0f} ms CPU each"
    return Result("chat", f"{RUSH} local questions at once, {RUSH_S} s", in_time / RUSH, 1, details, at_least=True)


async def streams(stage: Stage) -> list[Result]:
    """Measure the first words of single answers, then of two hundred at once, which must all arrive complete."""
    fake = Clocked()
    async with serving(fake, _port):

        async def one(number: int, question: str) -> Heard:
            return await _ask(stage, number, f"Domanda {question} per te", "ia")

        for number in range(len(stage.people)):
            await _agree(stage, number)
        await one(0, "warm")
        calm = [await one(ASKING + number, f"calm{number}") for number in range(FIRST_WORDS)]
        if lost := Counter(heard.status for heard in calm if heard.status != "done"):
            raise RuntimeError(f"of {FIRST_WORDS} answers {dict(lost)}")
        calm_ms = [(heard.first_s - fake.asked_s[f"calm{number}"]) * 1000 for number, heard in enumerate(calm)]
        text = " ".join(f"parola{number}" for number in range(WORDS))
        fake.script(rules=[{"steps": [{"text": text, "pace_s": PACE_S}]}])
        all_at_once, cpu_s = await _counted(lambda: _all_at_once(one))
    return [_first_words(calm_ms), _at_once(all_at_once, fake, text, cpu_s)]


async def _all_at_once(one: Callable[[int, str], Awaitable[Heard]]) -> list[Heard]:
    async def later(number: int) -> Heard:
        await asyncio.sleep(number / ARRIVALS_PER_S)
        return await one(number, f"all{number}")

    return await asyncio.gather(*(later(number) for number in range(STREAMS)))


async def _counted(work: Callable[[], Awaitable[T]]) -> tuple[T, float]:
    """Run the work; return its result and the CPU time of the product and its database meanwhile."""
    processes = cpu.matching(BACKEND, POSTGRES)
    before_s = cpu.spent_s(processes)
    return await work(), cpu.spent_s(processes) - before_s


def _first_words(taken_ms: list[float]) -> Result:
    p95, p50 = _p95(taken_ms), statistics.median(taken_ms)
    what = f"first words after the provider's, p95, to {FIRST_WORDS_MS} ms"
    return Result("chat", what, p95 / FIRST_WORDS_MS, 1, f"{p95:.0f} ms, p50 {p50:.0f}")


def _at_once(heard: list[Heard], fake: Clocked, text: str, cpu_s: float) -> Result:
    what = f"{STREAMS} answers at once, whole"
    whole = {n: each for n, each in enumerate(heard) if each.status == "done" and each.text.strip() == text}
    if len(whole) < 2:
        return Result("chat", what, 0, 1, f"{len(whole)} of {len(heard)}", at_least=True)
    were_open = max(each.first_s for each in whole.values()) < min(each.end_s for each in whole.values())
    late_ms = [(each.first_s - fake.asked_s[f"all{number}"]) * 1000 for number, each in whole.items()]
    slowest_s = max(each.end_s - each.first_s for each in whole.values())
    details = f"{len(whole)}, first words p95 {_p95(late_ms):.0f} ms, slowest {slowest_s:.0f} s of {WORDS * PACE_S:.0f}"
    details += f"; {cpu_s / len(heard) * 1000:.0f} ms CPU each"
    if lost := Counter(each.status for number, each in enumerate(heard) if number not in whole):
        details += f"; lost: {dict(lost)}"
    return Result("chat", what, len(whole) / len(heard) * were_open, 1, details, at_least=True)


def _p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[18]


async def _call(stage: Stage, number: int, function: str) -> None:
    async with stage.client.post(
        f"{stage.url}/rest/v1/rpc/{function}", json={}, headers=stage.headers(number)
    ) as answer:
        answer.raise_for_status()


async def _agree(stage: Stage, number: int) -> None:
    """Agree that questions go to the provider: without that a turn is refused with 403."""
    async with stage.client.post(
        f"{stage.url}/functions/v1/chat_settings", json={"host": "127.0.0.1"}, headers=stage.headers(number)
    ) as answer:
        answer.raise_for_status()


async def _ask(stage: Stage, number: int, content: str, mode: str) -> Heard:
    """Ask a question in a new conversation and read the answer to its end."""
    asked = {"content": content, "mode": mode, "agent": "logico" if mode == "ia" else None, "client_key": str(uuid4())}
    first_s, text = 0.0, ""
    async with stage.client.post(
        f"{stage.url}/functions/v1/chat",
        json=asked,
        headers=stage.headers(number),
        timeout=aiohttp.ClientTimeout(total=PATIENCE_S),
    ) as answer:
        if answer.status != 200:
            return Heard(0.0, 0.0, "", str(answer.status))
        async for event, data in _events(answer):
            if event == "delta":
                first_s = first_s or time.perf_counter()
                text += data["text"]
            elif event in ("done", "error"):
                return Heard(first_s, time.perf_counter(), text, data.get("code", event))
    return Heard(first_s, time.perf_counter(), text, "cut")


async def _events(answer: aiohttp.ClientResponse) -> AsyncIterator[tuple[str, dict[str, Any]]]:
    event = ""
    async for line in answer.content:
        name, _, value = line.decode().rstrip("\n").partition(": ")
        if name == "event":
            event = value
        elif name == "data":
            yield event, json.loads(value)
