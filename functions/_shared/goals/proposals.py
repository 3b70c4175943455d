"""What an agent is to the machinery of goals: it proposes steps, and says why one is not true any more."""

from __future__ import annotations

from collections.abc import Mapping
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


class Agent(Protocol):
    """All that tells one agent from another."""

    @property
    def name(self) -> str:
        """As goals.agent has it."""

    @property
    def rehearsal_days(self) -> int:
        """How many days of the past a rehearsal goes back."""

    async def propose(self, connection: api.Connection, user_id: UUID, day: date) -> list[Proposal]:
        """Return what is to be done on a day, from what the database knew on it."""

    async def change(self, connection: api.Connection, step: Mapping[str, Any], day: date) -> str | None:
        """Return why a step is not true any more, as a code; None while it is."""
