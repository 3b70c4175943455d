"""From the messages of a conversation to the scene of its last question; and which agent that question is for.

An answer that asks «Quale … intendi?» leaves the question open: what comes next may be the choice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from functions._shared.assistant.local import conversation, names, orders, steps, table
from functions._shared.assistant.local.match import Said
from functions._shared.assistant.local.words import plain, sentence_of

# (question, answer) of one round; the answer of the last is what is looked for.
Round = tuple[str, str]
_ASKS = re.compile(r"(?:Quale «.*» intendi\?|Intendi \*\*.+\?)")
_LABEL = re.compile(r"^(?:\d+\. |\| |Intendi )\*\*(.+?)\*\*", re.MULTILINE)
_CHOICE_WORDS = table.words("choice")
# «quello di Milano, lo studio tecnico»; what is longer is a request of its own.
MOST_WORDS = 6
# So many rounds back something may still be meant.
REMEMBERED = 8


@dataclass(frozen=True)
class Understood:
    """The last question in its conversation."""

    said: Said
    before: Said | None
    listed: tuple[str, ...]
    choice: str


def understood(
    rounds: Sequence[Round], question: str, now: datetime, *, is_picked: bool = False, has_papers: bool = False
) -> Understood:
    """What a question wants after these rounds; `is_picked`: the person clicked one of the possibilities.

    `has_papers`: what no rule holds for is asked of the documents that came with it.
    """
    asked = _asked(rounds[-REMEMBERED:])
    last = rounds[-1][1] if rounds else ""
    before = conversation.read(asked, now) if asked else None
    if before and (is_picked or _is_choice(question, last)) and _ASKS.match(last):
        earlier = conversation.read(asked[:-1], now) if asked[:-1] else None
        return Understood(before, earlier, asked[-1].listed, question)
    name = names.bare(plain(sentence_of(question)))
    if before and name and _ASKS.match(last) and "contact" in before.slots:
        # None of the possibilities, somebody else.
        return Understood(Said(before.intent, {**before.slots, "contact": name}), before, (), "")
    said = conversation.read([*asked, conversation.Asked(question, labels(last))], now, guesses=not has_papers)
    if said.intent == "create_task" and before and before.intent in conversation.OF_PEOPLE:
        said = replace(said, slots={"text": orders.counting(said.slots["text"], labels(last))})
    return Understood(said, before, labels(last), "")


def _asked(rounds: Sequence[Round]) -> list[conversation.Asked]:
    """The questions with what stood before them; a choice belongs to the question that it answers."""
    asked: list[conversation.Asked] = []
    for place, (question, _) in enumerate(rounds):
        last = rounds[place - 1][1] if place else ""
        if place and _is_choice(question, last):
            asked[-1] = replace(asked[-1], chosen=_chosen(question, last))
        else:
            asked.append(conversation.Asked(question, labels(last)))
    return asked


class Message(Protocol):
    """One message of a conversation."""

    @property
    def role(self) -> str: ...

    @property
    def content(self) -> str: ...


def rounds_of(said: Iterable[Message]) -> list[Round]:
    """Questions with their answers, of messages in their order."""
    rounds: list[Round] = []
    for message in said:
        if message.role == "user":
            rounds.append((message.content, ""))
        elif rounds:
            rounds[-1] = (rounds[-1][0], message.content)
    return rounds


def agent_for(rounds: Sequence[Round], question: str, now: datetime, *, is_picked: bool = False) -> str | None:
    """«esecutore» when the question asks for a proposal, None when any agent may answer."""
    return "esecutore" if understood(rounds, question, now, is_picked=is_picked).said.writes else None


def labels(answer: str) -> tuple[str, ...]:
    """What the list of an answer shows, in its order; without the titles of its sections."""
    return tuple(
        found[1]
        for line in answer.splitlines()
        if line.startswith("| **") or re.match(r"\d+\. \*\*", line)
        if (found := _LABEL.match(line))
    )


def _options(asked: str) -> list[dict[str, str]]:
    return [{"ref": name, "label": name} for name in _LABEL.findall(asked)]


def _chosen(words: str, asked: str) -> str:
    """The one possibility that is meant; "" when they do not say which."""
    chosen = steps.choose(words, _options(asked))
    return chosen[0] if len(chosen) == 1 else ""


def _is_choice(words: str, asked: str) -> bool:
    """Whether these words answer the question: a place, a possibility, something of it; not a request of their own."""
    if not _ASKS.match(asked):
        return False
    if steps.choose(words, _options(asked)):
        return True
    sentence = plain(sentence_of(words))
    return bool(sentence.words) and sentence.words[0].norm in _CHOICE_WORDS and len(sentence.words) <= MOST_WORDS
