"""The agents that there are, by name."""

from __future__ import annotations

from functions._shared.goals import chores, quotes, recovery
from functions._shared.goals.proposals import Agent

ALL: tuple[Agent, ...] = (recovery.CHASE, quotes.CHASE, chores.CONTACTS, chores.MONTH)
BY_NAME = {agent.name: agent for agent in ALL}
