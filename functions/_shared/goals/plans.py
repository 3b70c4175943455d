"""Make the plan of an agent under a mandate, from what judges and carries out its steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from backend.edge import api
from functions._shared import ethics
from functions._shared.goals import chasing, chores, running
from functions._shared.goals.proposals import Agent, Step


@dataclass(frozen=True)
class Terms:
    """The part of a mandate that changes a plan; the columns of agent_mandates say what each is."""

    autonomy: str = "proponi"
    last_tone: int = 1
    uses_whatsapp: bool = False
    uses_pec: bool = False
    letter_credits: int | None = None
    letter_budget: int | None = None
    skipped_steps: tuple[str, ...] = ()


async def make(context: api.Context, agent: Agent, terms: Terms) -> dict[str, Any]:
    """Return the steps with what each may cost, the total and the hours.

    A step: {key, tool, tone, days, is_optional, is_left_out, channel, asks, undo, max_credits}. `undo`: {s} of a mail,
    {days} of a merge, {} of what can be deleted at any time, null where it cannot be undone.
    """
    rules: dict[str, Any] = await context.call("private.plan_rules", terms.uses_whatsapp, terms.uses_pec)
    steps = [_step(agent, step, terms, rules) for step in agent.steps]
    is_paid = any(step["max_credits"] for step in steps if not step["is_left_out"])
    return {
        "steps": steps,
        # Of all letters from the mandate on; then it waits and asks.
        "max_credits": (terms.letter_budget or 0) if is_paid else 0,
        "plans_at": rules["plans_at"],
        "mail_hours": rules["mail_hours"],
        "closing_days": rules["closing_days"],
        "most_a_day": None if isinstance(agent, chasing.Chase) else chores.MOST_A_DAY,
        "most_approvals_a_day": ethics.MANY_APPROVALS,
        "most_messages_a_week": ethics.MANY_MESSAGES,
    }


def _step(agent: Agent, step: Step, terms: Terms, rules: Mapping[str, Any]) -> dict[str, Any]:
    channel = _channel(agent, step, rules)
    # Text of a template by WhatsApp is the one that Meta approved.
    is_written = channel in ("email", "pec") and terms.letter_credits is not None
    # A price that the mandate does not cover is never paid.
    price = rules["letter_credits"] if is_written and rules["letter_credits"] <= (terms.letter_credits or 0) else 0
    return {
        **asdict(step),
        "is_left_out": step.is_optional and step.key in terms.skipped_steps,
        "channel": channel,
        # E-05 asks for a merge, E-09 for the words of a model; a template in their place asks too.
        "asks": step.tool == "merge" or is_written or not running.is_tone_mandated(asdict(terms), step.tone),
        "undo": _undo(step, channel, rules),
        "max_credits": price,
    }


def _channel(agent: Agent, step: Step, rules: Mapping[str, Any]) -> str | None:
    if step.tool != chasing.TOOL:
        return None
    has_channels = isinstance(agent, chasing.Chase) and agent.values is not None
    return str(rules["channels"][step.key]) if has_channels else "email"


def _undo(step: Step, channel: str | None, rules: Mapping[str, Any]) -> dict[str, int] | None:
    if channel == "whatsapp":
        return None
    if step.tool == chasing.TOOL:
        return {"s": rules["mail_undo_s"]}
    return {"days": rules["merge_undo_days"]} if step.tool == "merge" else {}
