"""The agents that there are, by name."""

from __future__ import annotations

from collections.abc import Mapping

from functions._shared.goals import chores, quotes, recovery
from functions._shared.goals.proposals import Agent

ALL: tuple[Agent, ...] = (recovery.CHASE, quotes.CHASE, chores.CONTACTS, chores.MONTH)
BY_NAME = {agent.name: agent for agent in ALL}
# As web/src/strings/goals.ts calls them.
TITLES: Mapping[str, str] = {
    "recupero_crediti": "Recupero crediti",
    "segui_preventivi": "Segui i preventivi",
    "pulizia_contatti": "Pulizia contatti",
    "chiusura_mese": "Chiusura del mese",
}
