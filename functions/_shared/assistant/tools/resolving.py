"""Whom and what an argument means: a handle of this turn («r3»), or words that are compared with names.

Nobody is guessed: where several fit equally well, or one only nearly, the tool asks. A name counts, from sure to
unsure: the same; holding every word; holding words that begin so; like it by trigrams.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared import names
from functions._shared.assistant.tools.answers import Unanswered, foreign
from functions._shared.assistant.turn import Ref, RefKind, Turn

_HANDLE = re.compile(r"\[?\[?(r[0-9]{1,4})\]?\]?")
# Say nothing of whom or what is meant.
_SMALL = re.compile(
    "ad?|a[il]|all[aeo]?|agli|con|da[il]?|dall[aeo]|dagli|d[ei]?|del|dell[aeo]|degli|ed?|il?|gli|in|l[aeo]?|nell?a?|per|"
    "sul?|sulla|un[ao]?"
)
# From here on a name that was written differently is taken for the one that is meant.
NEARLY_THE_SAME = 0.7
MAX_CHOICES = 6


@dataclass(frozen=True)
class Found:
    """The record that an argument means."""

    kind: RefKind
    id: str
    label: str
    handle: str


@dataclass(frozen=True)
class _Candidate:
    id: str
    label: str
    detail: str


# Each answers id, label, detail; $1 is what was typed, $2 an id.
_TASKS = """
    select tasks.id, tasks.title::text as label,
      concat_ws(' · ', contacts.name, to_char(due_at at time zone 'Europe/Rome', 'DD/MM/YYYY')) as detail
    from public.tasks
    left join public.contacts on contacts.user_id = tasks.user_id and contacts.id = tasks.contact_id
    where tasks.deleted_at is null
"""
_DEALS = """
    select deals.id, deals.title::text as label, concat_ws(' · ', contacts.name, stages.name) as detail
    from public.deals
    join public.stages on stages.user_id = deals.user_id and stages.id = deals.stage_id
    left join public.contacts on contacts.user_id = deals.user_id and contacts.id = deals.contact_id
    where deals.deleted_at is null
"""
_PROJECTS = "select id, name::text as label, status::text as detail from public.projects where deleted_at is null"
_DOCUMENTS = "select id, filename::text as label, kind::text as detail from public.documents where deleted_at is null"
_INVOICES = """
    select invoices.id,
      concat_ws(' · ', 'Fattura ' || invoices.number, coalesce(counterparty_name, contacts.name)) as label,
      concat_ws(
        ' ', translate(to_char(coalesce(due_cents, invoices.total_cents) / 100.0, 'FM999,999,990.00'), ',.', '.,'),
        replace(invoices.currency, 'EUR', '€'), 'del', to_char(invoices.issued_on, 'DD/MM/YYYY')
      ) as detail
    from public.invoices
    join public.documents on documents.user_id = invoices.user_id and documents.id = document_id
    left join public.contacts on contacts.user_id = invoices.user_id and contacts.id = invoices.contact_id
    where documents.deleted_at is null
"""
_LIKE = """
    and (
      extensions.word_similarity(extensions.unaccent(lower($1)), extensions.unaccent(lower({name}))) >= 0.4
      or {name} ilike '%' || replace(replace(replace($1, '\\', '\\\\'), '%', '\\%'), '_', '\\_') || '%'
    )
    order by extensions.word_similarity(extensions.unaccent(lower($1)), extensions.unaccent(lower({name}))) desc, 1
    limit 40
"""
_BY_NAME: Mapping[str, str] = {
    "contact": """
        select id, name as label, concat_ws(' · ', nullif(company_name, ''), coalesce(email, phone)) as detail
        from public.search_contacts($1, 40)
    """,
    "task": _TASKS + " and state <> 'fatto' " + _LIKE.format(name="concat_ws(' ', tasks.title, contacts.name)"),
    "deal": _DEALS + _LIKE.format(name="concat_ws(' ', deals.title, contacts.name)"),
    "project": _PROJECTS + _LIKE.format(name="projects.name"),
    # What is paid is spoken of no more.
    "invoice": _INVOICES
    + " and invoices.paid_on is null "
    + _LIKE.format(name="concat_ws(' ', 'Fattura', invoices.number, counterparty_name, contacts.name)"),
    "document": _DOCUMENTS + _LIKE.format(name="coalesce(documents.title, '') || ' ' || documents.filename"),
}
_BY_ID: Mapping[str, str] = {
    "contact": """
        select id, name as label, '' as detail from public.contacts
        where id = $1 and deleted_at is null and merged_into is null
    """,
    "task": _TASKS + " and tasks.id = $1",
    "deal": _DEALS + " and deals.id = $1",
    "project": _PROJECTS + " and id = $1",
    "document": _DOCUMENTS + " and id = $1",
    "invoice": _INVOICES + " and invoices.id = $1",
}
# A task, a deal, an invoice or a document of somebody names them as well, and an invoice its document.
_BESIDE: Mapping[tuple[RefKind, RefKind], str] = {
    ("task", "contact"): "select contact_id from public.tasks where id = $1",
    ("deal", "contact"): "select contact_id from public.deals where id = $1",
    ("invoice", "contact"): "select contact_id from public.invoices where id = $1",
    ("document", "contact"): "select contact_id from public.documents where id = $1",
    ("project", "contact"): "select contact_id from public.projects where id = $1",
    ("note", "contact"): "select contact_id from public.notes where id = $1",
    ("invoice", "document"): "select document_id from public.invoices where id = $1",
    # A file may hold more than one; then nobody knows which.
    ("document", "invoice"): """
        select (array_agg(id))[1] from public.invoices where document_id = $1 having count(*) = 1
    """,
}


async def find(connection: api.Connection, turn: Turn, kind: RefKind, words: str) -> Found:
    """The record of this kind that is meant. Raises Unanswered when none is, or more than one may be."""
    handle = _HANDLE.fullmatch(words.strip())
    if handle:
        return await _of_handle(connection, turn, kind, handle.group(1))
    if turn.picked and turn.picked.kind == kind and _rank(words, turn.picked.label) <= 2:
        picked = await _of_id(connection, turn, kind, turn.picked)
        if picked:
            return picked
    return _chosen(turn, kind, words, await _candidates(connection, kind, words))


async def called(connection: api.Connection, kind: RefKind, words: str) -> list[_Candidate]:
    """The records that bear a name beyond doubt; more than one may."""
    rank, best = _best(words, await _candidates(connection, kind, words))
    return best if rank < 2 else []


async def id_of(connection: api.Connection, turn: Turn, kind: RefKind, words: str | None) -> str | None:
    """The id of what is meant, of an argument that may be left out. Raises Unanswered."""
    return (await find(connection, turn, kind, words)).id if words else None


async def _of_handle(connection: api.Connection, turn: Turn, kind: RefKind, handle: str) -> Found:
    ref = turn.refs.get(handle)
    if ref is None:
        raise Unanswered({"none": True, "query": handle})
    if (ref.kind, kind) in _BESIDE:
        beside = await connection.fetchval(_BESIDE[ref.kind, kind], ref.id)
        ref = Ref(handle, kind, str(beside), "") if beside else ref
    found = await _of_id(connection, turn, kind, ref) if ref.kind == kind else None
    if found is None:
        raise Unanswered({"none": True, "query": ref.label or handle})
    return found


async def _of_id(connection: api.Connection, turn: Turn, kind: RefKind, ref: Ref) -> Found | None:
    """The record as it is now: it may be gone since, and what the client names may be anybody's or nonsense."""
    with suppress(ValueError):
        return await _row_of(connection, turn, kind, UUID(ref.id))
    return None


async def _row_of(connection: api.Connection, turn: Turn, kind: RefKind, id_: UUID) -> Found | None:
    row = await connection.fetchrow(_BY_ID[kind], id_)
    if row is None:
        return None
    return Found(kind, str(row["id"]), row["label"], turn.refs.add(kind, row["id"], row["label"]))


async def _candidates(connection: api.Connection, kind: RefKind, words: str) -> list[_Candidate]:
    rows = await connection.fetch(_BY_NAME[kind], words[:200])
    if kind == "invoice":
        # Twelve is never nearly thirteen.
        numbers = _numbers(words)
        rows = [row for row in rows if numbers <= _numbers(row["label"])]
    return [_Candidate(str(row["id"]), row["label"], row["detail"] or "") for row in rows]


def _numbers(text: str) -> set[int]:
    return {int(each) for each in re.findall(r"[0-9]+", text)}


def _best(words: str, candidates: Sequence[_Candidate]) -> tuple[int, list[_Candidate]]:
    """The best rank there is, and who has it."""
    ranked = [(_rank(words, each.label, each.detail), each) for each in candidates]
    best = min((rank for rank, _ in ranked), default=3)
    return best, [each for rank, each in ranked if rank == best]


def _chosen(turn: Turn, kind: RefKind, words: str, candidates: Sequence[_Candidate]) -> Found:
    rank, best = _best(words, candidates)
    if not best:
        raise Unanswered({"none": True, "query": words})
    is_sure = rank < 3 or likeness(words, best[0].label) >= NEARLY_THE_SAME
    if len(best) == 1 and is_sure:
        chosen = best[0]
        return Found(kind, chosen.id, chosen.label, turn.refs.add(kind, chosen.id, chosen.label))
    raise Unanswered(_question(turn, kind, best[:MAX_CHOICES]))


def _question(turn: Turn, kind: RefKind, candidates: Sequence[_Candidate]) -> dict[str, Any]:
    # Any of the names may have been written by somebody else, and none was said by the person.
    return {
        "ambiguous": [
            {
                "ref": turn.refs.add(kind, each.id, each.label),
                "label": foreign(turn, "contatto", each.label),
                "detail": foreign(turn, "contatto", each.detail) or "",
            }
            for each in candidates
        ]
    }


def _rank(words: str, label: str, detail: str = "") -> int:
    """0 the same name, 1 its words, 2 beginnings of its words or of what stands beside it, 3 something like it."""
    if names.same(words, label):
        return 0
    wanted = [each for each in names.words(words).split() if not _SMALL.fullmatch(each)]
    there = names.words(label).split()
    if wanted and all(each in there for each in wanted):
        return 1
    beside = there + names.words(detail).split()
    if wanted and all(any(word.startswith(each) for word in beside) for each in wanted):
        return 2
    return 3


def likeness(words: str, label: str) -> float:
    """The share of trigrams that two texts have in common, as pg_trgm counts them."""
    one, other = _trigrams(names.words(words)), _trigrams(names.words(label))
    return len(one & other) / len(one | other) if one | other else 0.0


def _trigrams(text: str) -> set[str]:
    return {padded[at : at + 3] for word in text.split() for padded in [f"  {word} "] for at in range(len(padded) - 2)}
