"""Put the questions to the assistant in local mode and count what it answers.

    python -m tests.business.measure [tuned|practice|held_out] [--show] [--open-held-out «why»]

The rules were made with the tuned and the practice questions. The 100 held-out ones are for measuring only, so their
failures are shown only to somebody who says why.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from backend import gateway
from backend.core import config, jwt, migrate
from backend.core.config import Settings
from backend.core.resources import Resources, open_all
from scripts import postgres
from tests.business import judge, load
from tests.business.judge import Answer, Question, Verdict
from tests.business.truth import Truth
from tests.databases import connected
from tests.functions.assistant.chatting import Talk, talking

FOLDER = Path(__file__).with_name("questions")
SETS = ("tuned", "practice", "held_out")


@dataclass(frozen=True)
class Measured:
    """A question with what the assistant said and what that is worth."""

    question: Question
    answer: Answer
    verdict: Verdict
    why: str


def questions(name: str) -> list[Question]:
    """Read a set of questions."""
    return [Question(**each) for each in json.loads((FOLDER / f"{name}.json").read_text())]


async def measured(talk: Talk, asked: Sequence[Question], truth: Truth) -> list[Measured]:
    """Ask each question in a conversation of its own and judge the last answer."""
    found = []
    # Approved actions change the business, so they come last.
    for question in sorted(asked, key=lambda each: each.right == "action"):
        answer = await answered(talk, question, truth)
        verdict, why = judge.judged(question, answer, truth)
        found.append(Measured(question, answer, verdict, why))
    return found


async def answered(talk: Talk, question: Question, truth: Truth) -> Answer:
    """Return the last answer of a conversation; actions on the way are approved, as their owner would."""
    more: dict[str, Any] = {}
    cards: list[dict[str, Any]] = []
    before: list[dict[str, Any]] = []
    text = ""
    asked = [*question.before, question.ask]
    for place, each in enumerate(asked):
        # Nobody asks a hundred questions in a minute.
        await talk.query("delete from private.assistant_use")
        told = await talk.ask(truth.filled(each), **more)
        start = told[0].data
        more = {"conversation_id": start["conversation_id"], "parent_id": start["message_id"]}
        before, cards = cards, [event.data for event in told if event.name == "card"]
        done = told[-1].data
        text = str(done["message"]["content"]) if "message" in done else ""
        if place < len(asked) - 1:
            for card in cards:
                if "draft" in card["tool"]:
                    continue  # a letter is revised before it is sent
                body = {"tool_call_id": card["id"], "decision": "approve"}
                await talk.http.post("/functions/v1/chat_action", json=body, headers=talk.headers())
    undone = await talk.query(
        "select from public.tool_calls where conversation_id = $1 and state = 'undone'", UUID(more["conversation_id"])
    )
    return Answer(text, tuple(cards), tuple(before), len(undone))


@asynccontextmanager
async def office(resources: Resources, app: Any) -> AsyncIterator[tuple[Talk, Truth]]:
    """Let the owner of the business talk, once her account is filled."""
    today = datetime.now(load.ROME).date()
    async with talking(app, resources) as talk:
        async with connected(resources.settings.database_url) as connection:
            await load.load(connection, talk.person, today)
        yield talk, Truth(today)


@asynccontextmanager
async def _installed() -> AsyncIterator[Settings]:
    """Install the product on a cluster of its own."""
    with postgres.temporary() as cluster, tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        password = jwt.load(home).authenticator_password
        async with connected(cluster.url) as owner:
            await owner.execute("create database business")
        url = cluster.database_url("business")
        async with connected(url) as connection:
            await migrate.platform(connection, password)
            await migrate.product(connection, config.ROOT / "db" / "migrations")
            await migrate.seed(connection, sorted((config.ROOT / "db" / "seed").glob("01_*.sql")))
        environment = {
            "SOCIO_HOME": str(home),
            "SUPABASE_EDGE_RUNTIME_POLICY": "per_worker",
            "SUPABASE_REALTIME_ENABLED": "false",
            "SUPABASE_API_PORT": "1",
            "SUPABASE_LOCAL_SMTP_SMTP_PORT": "1",
        }
        yield replace(config.load(environment), database_url=url)
        shutil.rmtree(home, ignore_errors=True)


async def run(name: str) -> list[Measured]:
    """Measure a set on an installation of its own."""
    async with (
        _installed() as settings,
        open_all(settings) as resources,
        gateway.application(resources) as app,
        office(resources, app) as (talk, truth),
    ):
        return await measured(talk, questions(name), truth)


def table(found: Sequence[Measured]) -> str:
    """Lay out how many answers of each class were right, honest, asking back, or wrong."""
    counts = Counter((each.question.of, each.verdict) for each in found)
    classes = [*dict.fromkeys(sorted(each.question.of for each in found)), "all"]
    counts.update(("all", each.verdict) for each in found)
    rows = [f"{'class':<14}" + "".join(f"{each.value:>8}" for each in Verdict)]
    rows += [f"{of:<14}" + "".join(f"{counts[of, each]:>8}" for each in Verdict) for of in classes]
    return "\n".join(rows)


def shown(each: Measured) -> str:
    """Lay out a question with what was expected and what was said."""
    asked = " → ".join((*each.question.before, each.question.ask))
    expected = json.dumps({"facts": each.question.facts, "is": each.question.right}, ensure_ascii=False)
    proposed = "".join(
        f"\n  {card['tool']} {json.dumps(card['args'], ensure_ascii=False)}" for card in each.answer.cards
    )
    return (
        f"\n{each.question.id} [{each.question.of}] {each.verdict.value}: {each.why}\n  {asked}\n  {expected}\n"
        f"  «{each.answer.text}»{proposed}"
    )


def main() -> None:
    """Measure the sets that are named, both without a name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("set", nargs="?", choices=SETS)
    parser.add_argument("--show", action="store_true", help="show the answers that are not right")
    parser.add_argument("--all", action="store_true", help="show the right ones too")
    parser.add_argument("--open-held-out", metavar="WHY", default="", help="a sentence why held-out answers are shown")
    told = parser.parse_args()
    names = [told.set] if told.set else SETS
    if told.show and "held_out" in names and len(told.open_held_out.split()) < 3:
        parser.error("the held-out questions are kept out of tuning: --open-held-out needs a sentence why")
    for name in names:
        found = asyncio.run(run(name))
        print(f"{name}\n{table(found)}")
        if told.show:
            print("\n".join(shown(each) for each in found if told.all or each.verdict is not Verdict.RIGHT))


if __name__ == "__main__":
    main()
