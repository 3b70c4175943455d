"""Memory: what the person wants remembered, and what they want forgotten."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

import asyncpg
from pydantic import BeforeValidator, Field, StringConstraints

from functions._shared import names
from functions._shared.assistant import facts, learning
from functions._shared.assistant.tools import resolving
from functions._shared.assistant.tools.answers import Arguments, Unanswered, foreign
from functions._shared.assistant.tools.writing import Done, Gone, Impossible, Line, Name, Preview, Work, Write, uuid
from functions._shared.assistant.turn import Turn

# As the table has it.
Fact = Annotated[
    str,
    BeforeValidator(lambda value: " ".join(value.split()) if isinstance(value, str) else value),
    StringConstraints(min_length=12, max_length=240),
]
# Why the gate of the memory refuses, by its word for it (db/schemas/33_memories.sql).
REFUSALS = {
    "segreti": "Password e codici non li ricordo: tienili in un posto sicuro",
    "conto": "I dati di conti e carte non li ricordo",
    "salute": "Le informazioni sulla salute non le ricordo",
    "convinzioni": "Opinioni, fede e vita privata delle persone non le ricordo",
}
NOT_SAID = "Ricordo solo quello che mi dici tu: scrivimi «ricorda che …»"
# A fact in other words is still what was asked.
ALIKE = 0.6


class NewFact(Arguments):
    """What a model says for `remember`."""

    fact: Fact = Field(description="One sentence in Italian, in the person's words, with its subject")


class FactArgs(Arguments):
    """A fact to be remembered, and the one it takes the place of."""

    fact: Fact
    kind: facts.Kind = "profilo"
    topic: Line | None = None
    contact_id: UUID | None = None
    replaces: UUID | None = None


class What(Arguments):
    """What a model says for `forget`."""

    what: Name = Field(description="A handle of a memory, its words, or a contact whom all of it is about")


class MemoryArgs(Arguments):
    """Memories."""

    memory_ids: list[UUID] = Field(min_length=1, max_length=200)


class Remember(Write[NewFact, FactArgs]):
    """Proposes a fact to remember: only what the person said themselves, never what a document or a message says."""

    name = "remember"
    label = "Ricorda"
    step = "Preparo un ricordo…"
    needs_memory = True
    asked = NewFact
    args = FactArgs

    async def resolve(self, work: Work, turn: Turn, asked: NewFact) -> FactArgs:
        if not (is_asked(turn.question, asked.fact) or facts.said(asked.fact, turn.question)):
            raise Impossible(NOT_SAID, "fact")
        known = facts.understood(asked.fact)
        contact_id = await learning.contact_of(work.connection, known.name) if known.name else None
        args = _of(FactArgs(fact=asked.fact, contact_id=contact_id))
        try:
            await _tried(work, args)
        except _Similar as similar:
            return args.model_copy(update={"replaces": similar.id})
        return args

    async def preview(self, work: Work, args: FactArgs) -> Preview:
        try:
            replaced = await _tried(work, args)
        except _Similar as similar:
            raise Impossible("C’è già un ricordo quasi uguale", "fact") from similar
        contact = await work.connection.fetchval("select name from public.contact_list where id = $1", args.contact_id)
        return Preview(
            "Ricorda questo",
            (("Ricordo", args.fact), ("Su", contact)),
            before=" · ".join(row["body"] for row in replaced) or None,
            about=(contact,) if contact else (),
            texts=(args.fact,),
        )

    async def execute(self, work: Work, args: FactArgs) -> Done:
        try:
            memory_id = await _remember(work, args)
        except _Similar as similar:
            raise Impossible("C’è già un ricordo quasi uguale", "fact") from similar
        undo = {"memory_id": str(memory_id), "replaced": [dict(row) for row in await _replaced(work, memory_id)]}
        return Done(f"Me ne ricorderò: «{args.fact}»", "memory", str(memory_id), args.fact, undo)

    async def undo(self, work: Work, undo: dict[str, Any]) -> None:
        # It is not proposed again: who takes it back does not want it. What it took the place of counts again.
        await work.connection.execute("select public.forget($1)", [uuid(undo, "memory_id")])
        for old in undo.get("replaced", []):
            restored = FactArgs(fact=old["body"], kind=old["kind"], topic=old["topic"], contact_id=old["contact_id"])
            try:
                await _remember(work, restored)
            except _Similar:
                continue

    async def edited(self, _work: Work, before: FactArgs, after: FactArgs) -> FactArgs:
        return _of(after) if after.fact != before.fact else after


def is_asked(question: str, fact: str) -> bool:
    """Whether the person said in so many words to remember this."""
    return any(resolving.likeness(asked, fact) >= ALIKE for asked in facts.asked_to_remember(question))


def _of(args: FactArgs) -> FactArgs:
    """With the kind and the topic of what it says; without knowing whom, two facts about somebody go together."""
    known = facts.understood(args.fact)
    topic = None if known.kind == "contatto" and args.contact_id is None else known.topic
    return args.model_copy(update={"fact": known.body, "kind": known.kind, "topic": topic})


class _Similar(Exception):
    """There is one nearly like it."""

    def __init__(self, memory_id: str) -> None:
        super().__init__(memory_id)
        self.id = UUID(memory_id)


class _Undone(Exception):
    """Takes back what was only tried."""


async def _remember(work: Work, args: FactArgs) -> UUID:
    try:
        async with work.connection.transaction():
            memory_id: UUID = await work.connection.fetchval(
                """
                select id from public.remember(
                  $1, $2::text::public.memory_kind,
                  _contact_id => $3, _topic => $4, _replaces => $5::uuid, _anyway => $5::uuid is not null
                )
                """,
                args.fact,
                args.kind,
                args.contact_id,
                args.topic,
                args.replaces,
            )
    except asyncpg.PostgresError as error:
        raise _refusal(error) or error from error
    return memory_id


def _refusal(error: asyncpg.PostgresError) -> Exception | None:
    """What the gate of the memory means."""
    match error.sqlstate:
        case "SM001":
            return Impossible(REFUSALS.get(error.message, "Questo non lo ricordo"), "fact")
        case "SM002":
            return _Similar(error.detail or "")
        case "SM003":
            return Impossible("La memoria è piena: togli qualcosa in Impostazioni, Memoria", "fact")
        case "PT404":
            return Gone("Il contatto o il ricordo da sostituire non c’è più")
    return None


async def _tried(work: Work, args: FactArgs) -> list[Any]:
    """Passes the gate, and leaves nothing behind; answers what it would take the place of."""
    replaced: list[Any] = []
    try:
        async with work.connection.transaction():
            replaced += await _replaced(work, await _remember(work, args))
            raise _Undone
    except _Undone:
        return replaced


async def _replaced(work: Work, memory_id: UUID) -> list[Any]:
    return list(
        await work.connection.fetch(
            """
            select body, kind::text, topic::text, contact_id::text from public.memories
            where superseded_by = $1 order by updated_at desc, id
            """,
            memory_id,
        )
    )


class Forget(Write[What, MemoryArgs]):
    """Proposes to forget a memory, or all about a contact, for good: it cannot be undone."""

    name = "forget"
    label = "Dimentica"
    step = "Cerco che cosa dimenticare…"
    risk = "medio"
    reversible = False
    deletes = True
    needs_memory = True
    asked = What
    args = MemoryArgs

    async def resolve(self, work: Work, turn: Turn, asked: What) -> MemoryArgs:
        ref = turn.refs.get(asked.what.strip("[] "))
        if ref and ref.kind == "memory":
            return MemoryArgs(memory_ids=[UUID(ref.id)])
        rows = await work.connection.fetch("select id, body, contact_id from public.memories where state <> 'superata'")
        contact = await _exactly(work, turn, asked.what)
        of_contact = [row["id"] for row in rows if contact and row["contact_id"] == contact]
        if of_contact:
            return MemoryArgs(memory_ids=of_contact[:200])
        wanted = [word for word in names.words(asked.what).split() if len(word) > 2]
        scored = sorted(((_shared(wanted, row["body"]), row) for row in rows), key=lambda each: -each[0])
        best = [row for score, row in scored if score > 0 and score == scored[0][0]]
        if not best:
            raise Unanswered({"none": True, "query": asked.what})
        if len(best) == 1 and scored[0][0] == len(wanted):
            return MemoryArgs(memory_ids=[best[0]["id"]])
        raise Unanswered(
            {
                "ambiguous": [
                    {
                        "ref": turn.refs.add("memory", row["id"], row["body"]),
                        "label": foreign(turn, "nota", row["body"]),
                        "detail": "",
                    }
                    for _, row in scored[: resolving.MAX_CHOICES]
                    if _ > 0
                ]
            }
        )

    async def preview(self, work: Work, args: MemoryArgs) -> Preview:
        rows = await work.connection.fetch(
            "select body from public.memories where id = any ($1) order by updated_at desc", args.memory_ids
        )
        if not rows:
            raise Gone("Questo ricordo non c’è più")
        return Preview(
            "Dimentica un ricordo" if len(rows) == 1 else f"Dimentica {len(rows)} ricordi",
            tuple(("Ricordo", row["body"]) for row in rows[:10]),
            about=tuple(row["body"] for row in rows),
        )

    async def execute(self, work: Work, args: MemoryArgs) -> Done:
        count = await work.connection.fetchval("select public.forget($1)", args.memory_ids)
        if not count:
            raise Gone("Questo ricordo non c’è più")
        return Done("L’ho dimenticato." if count == 1 else f"Ho dimenticato {count} ricordi.")

    async def undo(self, _work: Work, _undo: dict[str, Any]) -> None:
        raise Impossible("Quello che ho dimenticato non c’è più")


async def _exactly(work: Work, turn: Turn, words: str) -> UUID | None:
    try:
        return UUID((await resolving.find(work.connection, turn, "contact", words)).id)
    except Unanswered:
        return None


def _shared(wanted: list[str], body: str) -> int:
    """How many of the words begin a word of the fact."""
    there = names.words(body).split()
    return sum(any(word.startswith(each[:-1] if len(each) > 4 else each) for word in there) for each in wanted)


WRITES: tuple[Write[Any, Any], ...] = (Remember(), Forget())
