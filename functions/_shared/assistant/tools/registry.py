"""All tools by name, and as pydantic-ai takes them: who may use which, with which arguments.

Importing pydantic-ai takes seconds, so it is done in `toolset` only, which a serving process calls off its event loop.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from functions._shared.assistant.tools import contacts, deals, documents, invoices, memory, search, tasks
from functions._shared.assistant.tools import credits as wallet
from functions._shared.assistant.tools.answers import Answer, Arguments, Read, answered
from functions._shared.assistant.turn import Turn

if TYPE_CHECKING:
    from pydantic_ai import RunContext, Tool

READS: Mapping[str, Read[Any]] = {
    read.name: read
    for module in (search, tasks, contacts, deals, invoices, documents, wallet, memory)
    for read in module.READS
}


def step(name: str) -> str:
    """What a person reads while a tool runs: «Cerco fra le fatture…»."""
    return READS[name].step if name in READS else "Ci lavoro…"


def toolset(agent_id: str, turn: Turn) -> list[Tool[Turn]]:  # noqa: ARG001  # who may write
    """The tools of an agent. Memory is at hand only where the conversation uses it."""
    names = [name for name, read in READS.items() if turn.uses_memory or not read.needs_memory]
    return [_reading(name) for name in names]


@cache
def _reading(name: str) -> Tool[Turn]:
    from pydantic_ai import RunContext, Tool

    read = READS[name]

    async def run(ctx: RunContext[Turn], given: Arguments) -> Answer:
        return await answered(ctx.deps, read, given)

    # What is checked before it runs: the tool's own arguments, and nothing beyond them.
    run.__annotations__ = {"ctx": RunContext[Turn], "given": read.arguments, "return": dict}
    return Tool(run, name=name, description=" ".join((read.run.__doc__ or "").split()), takes_ctx=True)
