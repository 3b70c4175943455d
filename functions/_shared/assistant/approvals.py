"""Proposals: laid before the person by a model, carried out once when they approve, taken back when they change their
mind.

What is done and the word that it was done are one transaction with the person's rights: a crash leaves nothing or
everything, and whoever comes second finds it decided.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

import asyncpg
from pydantic import ValidationError

from backend.edge import api
from functions._shared import ethics
from functions._shared.assistant import facts, figures, supervisor
from functions._shared.assistant.tools import decisions, write_memory, writing
from functions._shared.assistant.tools.answers import Answer, Arguments, Unanswered
from functions._shared.assistant.tools.writes import WRITES
from functions._shared.assistant.tools.writing import Gone, Impossible, Preview, Work, Write
from functions._shared.assistant.turn import Turn

# More cards than this under one answer nobody reads.
MAX_PROPOSALS = 10
# What may be done unasked, when the person said so for the conversation.
UNASKED = frozenset({"create_task", "add_note", "complete_task", "move_task"})
_DECIDED = {
    "executed": "Questa azione è già stata eseguita",
    "rejected": "Questa azione è già stata rifiutata",
    "failed": "Questa azione non è riuscita: chiedila di nuovo",
    "undone": "Questa azione è già stata annullata",
}

Kind = Literal["approve", "refuse", "undo"]
Row = dict[str, Any]


@dataclass(frozen=True)
class Decision:
    """What the person says about a proposal; approving, with edited arguments, the number they typed, and whether such
    actions may be done unasked from here on in the conversation."""

    call_id: UUID
    kind: Kind
    args: dict[str, Any] | None = None
    count: int | None = None
    always: bool = False


# Proposing -----------------------------------------------------------------------------------------------------------


async def propose(turn: Turn, write: Write[Any, Any], asked: Arguments) -> Answer:
    """What a model is answered: proposed, done at once, asked back, or refused. Nothing else is written."""
    if len(turn.proposals) >= MAX_PROPOSALS:
        return {"refused": True, "reason": "Ci sono già dieci proposte in questa risposta: decidi prima queste"}
    try:
        async with turn.database() as connection:
            work = Work(connection, turn.now, conversation_id=turn.conversation_id)
            args = await write.resolve(work, turn, asked)
            preview = await write.preview(work, args)
    except Unanswered as unsure:
        return unsure.answer
    except (Impossible, Gone) as error:
        return {"refused": True, "reason": str(error)}
    doubted = preview.body if write.outward and not preview.is_own_text else None
    highlights = figures.unverified(doubted, turn) if doubted else []
    verdict = supervisor.judge(write, preview, _facts(turn, preview, highlights))
    if verdict.result == "blocca":
        return {"refused": True, "reason": verdict.rules[0].reason, "rule": verdict.rules[0].id}
    shown = preview.to_json() | ({"highlights": highlights} if highlights else {})
    row = await _store(turn, write, args, shown, verdict)
    if may_act_unasked(turn, write, args, preview, verdict) and not await _is_again(turn, row):
        # What cannot be done after all stays a card.
        with suppress(api.Refused):
            row = await decide(turn.context, Decision(UUID(row["id"]), "approve"))
    turn.proposals.append(row)
    told = {"title": preview.title} if preview.is_own_text else shown
    answer = {"card": row["seq"], "preview": told, "rules": [each["reason"] for each in row["rules"]]}
    if row["state"] == "proposed":
        return {"proposed": True, **answer}
    return {"done": row["state"] == "executed", "text": row["result"]["text"], **answer}


def _facts(turn: Turn, preview: Preview, highlights: list[tuple[int, int]]) -> supervisor.Facts:
    units = (preview.body or "").encode("utf-16-le")
    return supervisor.Facts(
        from_data=supervisor.passages(preview.texts, preview.about, turn.untrusted, turn.question),
        unverified=tuple(units[2 * start : 2 * end].decode("utf-16-le") for start, end in highlights),
    )


def may_act_unasked(turn: Turn, write: Write[Any, Any], args: Any, preview: Preview, verdict: ethics.Verdict) -> bool:
    """Whether it is done at once: reversible, within the account, nothing of a stranger was read, the wish was not told
    by likeness, no rule asks, and the person allowed it for this conversation and said what, or «ricorda che …»."""
    if (
        turn.tainted_by
        or turn.is_read_by_likeness
        or verdict.result != "consenti"
        or write.outward
        or write.deletes
        or not write.reversible
    ):
        return False
    if write.name == "remember":
        return not preview.before and write_memory.is_asked(turn.question, args.fact)
    # Whatever a model read elsewhere: what is done unasked stands in the person's own words.
    is_said = all(facts.said(text, turn.question) for text in preview.texts) and (
        bool(preview.texts) or any(facts.said(name, turn.question) for name in preview.about)
    )
    return is_said and write.name in UNASKED and write.name in turn.auto_approve


async def _is_again(turn: Turn, row: Row) -> bool:
    """Whether this answer proposed the same before, or another one to the same question had such an action decided:
    models call a tool twice, and an answer that is given anew says its actions in other words."""
    async with turn.database() as connection:
        return bool(
            await connection.fetchval(
                """
                select exists (
                  select from public.messages as answer
                  join public.messages as sibling
                    on (sibling.user_id, sibling.conversation_id, sibling.parent_id)
                      = (answer.user_id, answer.conversation_id, answer.parent_id)
                  join public.tool_calls as call
                    on (call.user_id, call.conversation_id, call.message_id)
                      = (sibling.user_id, sibling.conversation_id, sibling.id)
                  where answer.id = $1 and tool = $2 and case
                    when message_id = $1 then seq < $3 and args = $4::jsonb
                    else call.decided_at is not null
                  end
                )
                """,
                UUID(row["message_id"]),
                row["tool"],
                row["seq"],
                row["args"],
            )
        )


async def _store(turn: Turn, write: Write[Any, Any], args: Arguments, shown: Row, verdict: ethics.Verdict) -> Row:
    """The next card of the answer."""
    async with turn.context.as_service() as connection:
        row: Row = await connection.fetchval(
            """
            select to_jsonb(call) from private.propose_tool_call(
              $1, $2, $3, $4::jsonb, $5::jsonb, $6, $7::jsonb, $8, $9
            ) as call
            """,
            turn.user_id,
            turn.message_id,
            write.name,
            args.model_dump(mode="json"),
            shown,
            write.risk,
            [rule.to_json() for rule in verdict.rules],
            bool(turn.tainted_by),
            verdict.needs_count,
        )
    return row


# Deciding ------------------------------------------------------------------------------------------------------------


async def decide(context: api.Context, decision: Decision) -> Row:
    """The proposal as it is after the decision. Raises Refused 404, 409 already_decided and cannot_be_undone,
    410 expired, 422 validation_failed with what is wrong in `details.fields`."""
    try:
        async with context.as_caller() as connection:
            return await _decided(connection, context, decision)
    except Impossible as error:
        if decision.kind == "undo":
            raise api.Refused(409, "cannot_be_undone", error.message) from error
        raise invalid({error.field or "": error.message}) from error
    except Gone as gone:
        if decision.kind == "undo":
            raise api.Refused(409, "cannot_be_undone", str(gone)) from gone
        async with context.as_caller() as connection:
            return await _failed(connection, decision, str(gone))
    except asyncpg.PostgresError as error:
        refused = _refusal(error)
        if refused is None:
            raise
        raise refused from error


async def _decided(connection: api.Connection, context: api.Context, decision: Decision) -> Row:
    call = await decisions.take(connection, decision.call_id, decision.kind)
    write = WRITES.get(call["tool"])
    if decision.kind == "refuse":
        return call
    if write is None:
        raise Gone("Questa azione non esiste più")
    work = Work(connection, context.now(), call["id"], call["conversation_id"])
    if decision.kind == "undo":
        await write.undo(work, call["undo"])
        return await decisions.settle(connection, decision.call_id, "undone")
    args = await _checked(write, work, call, decision)
    preview = await write.preview(work, args)
    verdict = supervisor.judge(write, preview)
    if verdict.result == "blocca":
        raise Impossible(verdict.rules[0].reason, "body")
    done = await write.execute(work, args)
    if decision.always and write.name in UNASKED:
        await _allow(connection, call["conversation_id"], write.name)
    return await decisions.settle(
        connection,
        decision.call_id,
        "executed",
        args.model_dump(mode="json"),
        done.to_json(),
        done.undo,
        done.undo_until,
    )


async def _checked(write: Write[Any, Any], work: Work, call: Row, decision: Decision) -> Any:
    """The arguments, edited or as proposed. Raises Impossible and Refused 422."""
    if call["needs_count"] is not None and decision.count != call["needs_count"]:
        raise Impossible(f"Scrivi il numero dei destinatari: {call['needs_count']}", "count")
    try:
        proposed = write.args.model_validate(call["args"])
        if decision.args is None:
            return proposed
        return await write.edited(work, proposed, write.args.model_validate(call["args"] | decision.args))
    except ValidationError as error:
        raise invalid(writing.fields_of(error)) from error


def invalid(fields: dict[str, str]) -> api.Refused:
    """422: what is wrong with which argument."""
    return api.Refused(422, "validation_failed", next(iter(fields.values())), details={"fields": fields})


async def _failed(connection: api.Connection, decision: Decision, text: str) -> Row:
    """What it was about is gone: nothing was done, and the card says why."""
    await decisions.take(connection, decision.call_id, decision.kind)
    return await decisions.settle(
        connection, decision.call_id, "failed", None, {"ref": None, "text": text}, None, None, "gone"
    )


async def _allow(connection: api.Connection, conversation_id: str, name: str) -> None:
    await connection.execute(
        """
        update public.conversations set auto_approve = array_append(auto_approve, $2)
        where id = $1 and not $2 = any (auto_approve)
        """,
        conversation_id,
        name,
    )


def _refusal(error: asyncpg.PostgresError) -> api.Refused | None:
    """What a refusal of the database means to the person; None for what is our fault."""
    match error.sqlstate:
        case "PT404":
            return api.Refused(404, "not_found", "Questa proposta non esiste")
        case "ST001":
            return api.Refused(410, "expired", "Questa proposta è scaduta: chiedila di nuovo")
        case "ST002":
            state = getattr(error, "message", "")
            return api.Refused(409, "already_decided", _DECIDED.get(state, "Questa azione è già stata decisa"))
        case "ST003":
            return api.Refused(409, "cannot_be_undone", "Questa azione non si può più annullare")
        case "23514" | "23505" | "22021" | "22P05":
            return invalid({"": "Questi dati non si possono salvare così: controllali"})
    return None
