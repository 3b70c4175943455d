"""What a model is shown beside a question: the conversation so far, memories, documents, the record pointed at.

All of it is data. What was said before has the role of who said it; the rest is labelled with where it comes from.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from backend.edge import api
from functions._shared.assistant import figures, limits, origins
from functions._shared.assistant.turn import Ref, Turn

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage

# Marks of citations: their numbers mean something in their own answer only.
_CITATION = re.compile(r" ?\[\^\d+\]")
# An answer that cites these has read what strangers may have written, and so has who reads the answer.
_STRANGERS = {"document": "documento", "note": "nota", "mail": "e-mail", "whatsapp": "whatsapp"}
MEMORIES_BESIDE = 5
# Where the records lie that a person may point at.
_TABLES: Mapping[str, str] = {
    "contact": "contacts",
    "deal": "deals",
    "task": "tasks",
    "project": "projects",
    "document": "documents",
    "invoice": "invoices",
    "memory": "memories",
    "note": "notes",
    "draft": "drafts",
}


@dataclass(frozen=True)
class Said:
    """One message of the conversation so far."""

    role: str
    content: str
    kinds: frozenset[str]


@dataclass(frozen=True)
class Branch:
    """A question with what it came with, and what was said before it, oldest first."""

    question: str
    attachments: tuple[str, ...]
    picked: Mapping[str, str] | None
    said: tuple[Said, ...]
    # What earlier answers said with good reason.
    figures: tuple[str, ...] = ()
    # Whether the record that was pointed at has a name that its person did not write.
    is_picked_foreign: bool = False

    @property
    def tainted_by(self) -> set[str]:
        """Origins of what strangers may have written in what was said before, and of the record pointed at."""
        found = {origin for each in self.said for kind, origin in _STRANGERS.items() if kind in each.kinds}
        return found | ({"contatto"} if self.is_picked_foreign else set())

    @property
    def untrusted(self) -> list[str]:
        """Those texts, as far as they are here."""
        picked = [self.picked["label"]] if self.picked and self.is_picked_foreign else []
        return picked + [each.content for each in self.said if each.kinds & set(_STRANGERS)]


async def branch(connection: api.Connection, question_id: str) -> Branch:
    """The way from the root of a conversation to a question of the caller, cut at its old end."""
    rows = await connection.fetch(
        """
        with recursive branch as (
          select messages.*, 0 as distance from public.messages where id = $1
          union all
          select parent.*, distance + 1
          from branch join public.messages as parent on parent.user_id = branch.user_id and parent.id = branch.parent_id
          where distance < $2
        )
        select role, content, attachments, picked, jsonb_path_query_array(refs, '$[*].kind') as kinds,
          unverified, status = 'done' as is_whole,
          picked ->> 'kind' in ('document', 'invoice') or exists (
            select from public.contacts
            where id = (picked ->> 'id')::uuid and origin not in ('manuale', 'demo') and picked ->> 'kind' = 'contact'
          ) as is_picked_foreign
        from branch order by distance
        """,
        UUID(question_id),
        limits.HISTORY_MESSAGES,
    )
    asked, earlier = rows[0], rows[1:]
    return Branch(
        asked["content"],
        tuple(str(each) for each in asked["attachments"]),
        asked["picked"],
        _newest(earlier),
        _borne_out(earlier),
        bool(asked["is_picked_foreign"]),
    )


def _borne_out(rows: list[Any]) -> tuple[str, ...]:
    """The figures of the answers among these messages, newest first; what ended early was never checked."""
    return tuple(
        figure
        for answer, asked in itertools.pairwise(rows)
        if answer["role"] == "assistant" and answer["is_whole"]
        for figure in figures.borne_out(answer["content"], answer["unverified"], asked["content"])
    )


def _newest(rows: list[Any]) -> tuple[Said, ...]:
    """As much as fits, oldest first, beginning with a question."""
    said, room = list[Said](), limits.HISTORY_CHARACTERS
    for row in rows:
        content = _CITATION.sub("", row["content"]).strip()
        room -= len(content)
        if room < 0:
            break
        if content:
            said.append(Said(row["role"], content, frozenset(row["kinds"])))
    while said and said[-1].role != "user":
        said.pop()
    return tuple(reversed(said))


def messages(said: tuple[Said, ...]) -> list[ModelMessage]:
    """As models read it. Only where pydantic-ai is loaded."""
    from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart

    return [
        ModelRequest([UserPromptPart(each.content)]) if each.role == "user" else ModelResponse([TextPart(each.content)])
        for each in said
    ]


async def beside(turn: Turn) -> list[str]:
    """What stands beside the question for a model that does not look it up by itself."""
    async with turn.database() as connection:
        blocks = [*await _memories(connection, turn), *await _documents(connection, turn)]
    if turn.picked:
        blocks.append(f"La persona indica: {turn.picked.handle}, {origins.labelled('nome', turn.picked.label)}")
    return blocks


async def _memories(connection: api.Connection, turn: Turn) -> list[str]:
    """What is remembered that helps; each stands beside the answer from here on («Perché lo sai?»)."""
    if not turn.uses_memory:
        return []
    rows = await connection.fetch(
        "select id, body from public.recall_memories($1, $2)", turn.question[:1000], MEMORIES_BESIDE
    )
    lines = []
    for row in rows:
        turn.memories.append(str(row["id"]))
        turn.results.append(row["body"])
        lines.append(f"{turn.refs.add('memory', row['id'], row['body'])}: {row['body']}")
    return [f"Ricordi della persona:\n{origins.labelled('memoria', chr(10).join(lines))}"] if lines else []


async def _documents(connection: api.Connection, turn: Turn) -> list[str]:
    """The attached documents with the beginning of their text."""
    rows = await connection.fetch(
        """
        select documents.id, filename, state::text,
          (
            select left(string_agg(text, E'\\n\\n' order by no), $2) from public.document_pages
            where document_id = documents.id and text <> ''
          ) as text
        from public.documents join unnest($1::uuid[]) with ordinality as attached (id, place) using (id)
        where deleted_at is null order by place
        """,
        [UUID(each) for each in turn.attachments],
        limits.DOCUMENT_CHARACTERS,
    )
    blocks, room = [], limits.DOCUMENTS_CHARACTERS
    for row in rows:
        handle = turn.refs.add("document", row["id"], row["filename"])
        turn.tainted_by.add("documento")
        text = (row["text"] or "")[:room]
        room -= len(text)
        turn.untrusted.append(text)
        turn.results.append(text)
        shown = text or f"(nessun testo letto finora, stato: {row['state']})"
        name = origins.labelled("nome del file", row["filename"])
        blocks.append(
            f"Documento allegato {handle}, {name}\n{origins.labelled('documento', shown, limits.DOCUMENT_CHARACTERS)}"
        )
    return blocks


async def is_own(connection: api.Connection, picked: Mapping[str, str]) -> bool:
    """Whether the record that was pointed at is the caller's."""
    table = _TABLES.get(picked["kind"])
    if table is None:
        return False
    query = f"select exists (select from public.{table} where id = $1)"  # noqa: S608 - constants only
    return bool(await connection.fetchval(query, UUID(picked["id"])))


def pointed_at(turn: Turn, picked: Mapping[str, str] | None) -> Ref | None:
    """The record that the person clicked, with a handle of this turn."""
    if picked is None:
        return None
    return turn.refs.get(turn.refs.add(picked["kind"], picked["id"], picked["label"]))  # type: ignore[arg-type]
