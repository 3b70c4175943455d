"""All tools by name, and as pydantic-ai takes them: who may use which, with which arguments.

Importing pydantic-ai takes seconds, so it is done in `toolset` only, which a serving process calls off its event loop.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from functions._shared.assistant import approvals
from functions._shared.assistant.tools import (
    autonomy,
    comparisons,
    contact_lists,
    contacts,
    deals,
    documents,
    flat_rate,
    invoices,
    mails,
    memory,
    own_business,
    paper_facts,
    rankings,
    search,
    tasks,
    whatsapp,
)
from functions._shared.assistant.tools import credits as wallet
from functions._shared.assistant.tools.answers import Answer, Arguments, Read, answered, bounded
from functions._shared.assistant.tools.writes import WRITES
from functions._shared.assistant.turn import Turn

if TYPE_CHECKING:
    from pydantic_ai import RunContext, Tool

READS: Mapping[str, Read[Any]] = {
    read.name: read
    for module in (
        search,
        tasks,
        contacts,
        contact_lists,
        deals,
        invoices,
        rankings,
        comparisons,
        documents,
        paper_facts,
        mails,
        whatsapp,
        wallet,
        autonomy,
        flat_rate,
        own_business,
        memory,
    )
    for read in module.READS
}


# Who may propose; all others only look (CHAT-02).
WRITERS = frozenset({"automatico", "esecutore"})


def step(name: str) -> str:
    """What a person reads while a tool runs: «Cerco fra le fatture…»."""
    tool = READS.get(name) or WRITES.get(name)
    return tool.step if tool else "Ci lavoro…"


def toolset(agent_id: str, turn: Turn) -> list[Tool[Turn]]:
    """The tools of an agent. Memory is at hand only where the conversation uses it."""
    tools = [_reading(name) for name, read in READS.items() if turn.uses_memory or not read.needs_memory]
    if agent_id in WRITERS:
        tools += [_writing(name) for name, write in WRITES.items() if turn.uses_memory or not write.needs_memory]
    return tools


@cache
def _reading(name: str) -> Tool[Turn]:
    from pydantic_ai import RunContext, Tool

    read = READS[name]

    async def run(ctx: RunContext[Turn], given: Arguments) -> Answer:
        return await answered(ctx.deps, read, given)

    # What is checked before it runs: the tool's own arguments, and nothing beyond them.
    run.__annotations__ = {"ctx": RunContext[Turn], "given": read.arguments, "return": dict}
    return Tool(run, name=name, description=" ".join((read.run.__doc__ or "").split()), takes_ctx=True)


@cache
def _writing(name: str) -> Tool[Turn]:
    from pydantic_ai import RunContext, Tool

    write = WRITES[name]

    async def run(ctx: RunContext[Turn], given: Arguments) -> Answer:
        answer = bounded(await approvals.propose(ctx.deps, write, given))
        # What a model wrote into a message proves none of its figures.
        ctx.deps.results.append({"card": answer.get("card")} if write.outward else answer)
        return answer

    run.__annotations__ = {"ctx": RunContext[Turn], "given": write.asked, "return": dict}
    # One after the other: cards stand in the order in which they were proposed.
    return Tool(run, name=name, description=write.description, takes_ctx=True, sequential=True)
