"""What an agent is to the machinery of goals: it has steps, proposes some, and says why one is not true any more."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Protocol
from uuid import UUID

from backend.edge import api


@dataclass(frozen=True)
class Proposal:
    """A step that an agent would take, for a contact or for none; the columns of goal_steps say what each is."""

    contact_id: UUID | None
    tool: str
    args: dict[str, Any]
    preview: dict[str, Any]
    recipients: tuple[str, ...] = ()
    brief: dict[str, Any] | None = None


@dataclass(frozen=True)
class Step:
    """A kind of step that an agent takes, as its plan shows it; `key` is the level of a letter, or the tool."""

    key: str
    tool: str
    tone: int = 1
    # When a letter is due: days after the due date, or of silence; None where it depends on the data only.
    days: int | None = None
    # Whether the person may leave it out. A letter that names the one before it stays, with that one.
    is_optional: bool = False


def key_of(tool: str, args: Mapping[str, Any]) -> str:
    """Return the key of a step that is proposed or planned; private.rehearsal_report has it too."""
    return str(args.get("level", tool))


SKIPPED = """
select coalesce(max(skipped_steps), '{}') from public.agent_mandates
where user_id = $1 and agent = $2 and revoked_at is null
"""


async def skipped(connection: api.Connection, user_id: UUID, agent: Agent) -> frozenset[str]:
    """Return the steps that the mandate in force leaves out. The connection acts as the service."""
    return left_out(agent, await connection.fetchval(SKIPPED, user_id, agent.name))


def left_out(agent: Agent, named: Collection[str]) -> frozenset[str]:
    """Return which of the steps that a mandate names may be left out."""
    return frozenset(step.key for step in agent.steps if step.is_optional and step.key in named)


class Agent(Protocol):
    """All that tells one agent from another."""

    @property
    def name(self) -> str:
        """As goals.agent has it."""

    @property
    def rehearsal_days(self) -> int:
        """How many days of the past a rehearsal goes back."""

    @property
    def steps(self) -> tuple[Step, ...]:
        """All kinds of steps that it takes, in the order of its plan."""

    async def propose(self, connection: api.Connection, user_id: UUID, day: date) -> list[Proposal]:
        """Return what is to be done on a day, from what the database knew on it."""

    async def change(self, connection: api.Connection, step: Mapping[str, Any], day: date) -> str | None:
        """Return why a step is not true any more, as a code; None while it is."""
