"""Memory: what is remembered that helps with a question, and what is remembered at all."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from functions._shared import names
from functions._shared.assistant.tools import resolving
from functions._shared.assistant.tools.answers import Answer, Arguments, Read, Unanswered, foreign, listed, present
from functions._shared.assistant.tools.tasks import named
from functions._shared.assistant.turn import Turn

RECALLED = 8
# Kept by the person, and still in somebody else's words.
FOREIGN_SOURCES = frozenset({"documento", "nota"})
MEMORIES = """
    select memories.id, memories.kind::text, memories.body, memories.source::text, memories.source_quote,
      contacts.id as contact_id, contacts.name as contact, contacts.origin::text as contact_origin
    from public.memories
    left join public.contacts on contacts.user_id = memories.user_id and contacts.id = memories.contact_id
"""


class Recall(Arguments):
    """What `recall` may be told."""

    question: str = Field(min_length=1, max_length=400, description="What the memory is asked for")


class ListMemories(Arguments):
    """What `list_memories` may be told."""

    about: str | None = Field(default=None, max_length=200, description="A contact (name or handle), or words")


async def recall(turn: Turn, given: Recall) -> Answer:
    """What the person had remembered that helps with a question, best first."""
    async with turn.database() as connection:
        rows = await connection.fetch(
            f"""
            {MEMORIES}
            join (
              select id, ordinality as place from public.recall_memories($1, $2) with ordinality
            ) as found on found.id = memories.id
            order by place
            """,  # noqa: S608  # constants only
            given.question,
            RECALLED,
        )
    return used(turn, rows)


async def list_memories(turn: Turn, given: ListMemories) -> Answer:
    """Lists what is remembered: everything, or about one contact or subject; newest first."""
    if given.about:
        about = await _about_contact(turn, given.about)
        return used(turn, about) if about is not None else await recall(turn, Recall(question=given.about))
    async with turn.database() as connection:
        rows = await connection.fetch(f"{MEMORIES} where memories.state = 'attiva' order by memories.updated_at desc")
    return used(turn, rows[:50], len(rows))


async def _about_contact(turn: Turn, words: str) -> list[Any] | None:
    """What is linked to a contact of that name, and what names it; None when nobody is called so: it is a subject."""
    async with turn.database() as connection:
        try:
            contact = await resolving.find(connection, turn, "contact", words)
        except Unanswered as unsure:
            if "ambiguous" in unsure.answer:
                raise
            return None
        rows = await connection.fetch(f"{MEMORIES} where memories.state = 'attiva' order by memories.updated_at desc")
    name = names.words(contact.label)
    return [row for row in rows if str(row["contact_id"]) == contact.id or name in names.words(row["body"])]


def used(turn: Turn, rows: list[Any], count: int | None = None) -> Answer:
    """The facts; from here on they stand beside the question."""
    turn.memories += [str(row["id"]) for row in rows if str(row["id"]) not in turn.memories]
    return listed([_memory_row(turn, row) for row in rows], count)


def _memory_row(turn: Turn, row: Any) -> Answer:
    if row["source"] in FOREIGN_SOURCES:
        for text in (row["body"], row["source_quote"]):
            foreign(turn, row["source"], text)
    return present(
        {
            "ref": turn.refs.add("memory", row["id"], row["body"]),
            "kind": row["kind"],
            "fact": row["body"],
            "said": row["source_quote"],
            **named(turn, row),
        }
    )


READS = (
    Read("recall", "Cerco nella memoria…", Recall, recall, needs_memory=True),
    Read("list_memories", "Guardo la memoria…", ListMemories, list_memories, needs_memory=True),
)
