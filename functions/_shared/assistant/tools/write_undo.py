"""Taking back what the assistant did last in a conversation, in words instead of on its card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from functions._shared.assistant.tools import decisions
from functions._shared.assistant.tools.answers import Arguments
from functions._shared.assistant.tools.writing import Done, Gone, Impossible, Preview, Work, Write
from functions._shared.assistant.turn import Turn

_LAST = """
select id, undo is not null and (undo_until is null or undo_until > $2) as is_undoable, result ->> 'text' as text
from public.tool_calls
where conversation_id = $1 and state = 'executed' and tool <> $3 order by decided_at desc, id limit 1
"""
_ONE = "select result ->> 'text' as text from public.tool_calls where id = $1 and state = 'executed'"


class NoArguments(Arguments):
    """What a model says for `undo_last_action`: nothing."""


class UndoArgs(Arguments):
    """The proposal that was carried out."""

    call_id: UUID


class UndoLastAction(Write[NoArguments, UndoArgs]):
    """Proposes to take back the last action carried out in this conversation; says which one, or why it cannot be."""

    name = "undo_last_action"
    label = "Annulla azione"
    step = "Cerco l’ultima azione…"
    reversible = False
    asked = NoArguments
    args = UndoArgs

    def __init__(self, writes: Mapping[str, Write[Any, Any]]) -> None:
        self._writes = writes

    async def resolve(self, work: Work, turn: Turn, _asked: NoArguments) -> UndoArgs:
        row = await work.connection.fetchrow(_LAST, UUID(turn.conversation_id), work.now, self.name)
        if row is None:
            raise Impossible(
                "In questa conversazione non ho ancora fatto niente: una proposta si rifiuta dalla sua scheda"
            )
        if not row["is_undoable"]:
            raise Impossible(f"L’ultima azione non si può annullare: «{row['text']}»")
        return UndoArgs(call_id=row["id"])

    async def preview(self, work: Work, args: UndoArgs) -> Preview:
        text = await work.connection.fetchval(_ONE, args.call_id)
        if text is None:
            raise Gone("Quell’azione è già stata annullata")
        return Preview("Annulla l’ultima azione", (("Che cosa avevo fatto", text),))

    async def execute(self, work: Work, args: UndoArgs) -> Done:
        await self.preview(work, args)
        call = await decisions.take(work.connection, args.call_id, "undo")
        write = self._writes.get(call["tool"])
        if write is None:
            raise Gone("Quell’azione non si può annullare")
        await write.undo(work, call["undo"])
        await decisions.settle(work.connection, args.call_id, "undone")
        return Done(f"Ho annullato l’azione: «{call['result']['text']}»")

    async def undo(self, _work: Work, _undo: dict[str, Any]) -> None:
        raise Impossible("Questa azione non si può annullare")
