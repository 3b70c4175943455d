"""Judge a claimed step and carry it out: one transaction, in which switches, mandate and facts are read.

What changed since the step was planned stops it: a paid invoice is not chased, a withdrawn consent stops the mail, an
approval counts for the bytes that were shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg

from backend.edge import api
from functions._shared import ethics
from functions._shared.assistant import provider
from functions._shared.goals import agents, letters, planning, proposals

MOST_ATTEMPTS = 5
# Refusals of the outbox that another day may answer: no account, a daily limit, a pause, an unconfirmed login.
PASSING = {"SM001", "SM005", "SM014", "SM016", "SM017", "SW005"}
OPEN = "select * from private.open_goal_step($1, $2, $3)"
SETTLE = "select private.settle_goal_step($1, $2::public.goal_step_state, $3, $4, $5, $6)"
DROP = "select private.drop_letter($1, $2, $3, $4, $5, $6)"
# In the place of a state: the credits of the letter are held, and the assistant is to write it (writing.py).
WRITING = "da_scrivere"
# Why a letter is the template's, for the person: by the answers of private.begin_letter, and of the provider.
UNWRITTEN: Mapping[str, str] = {
    why: f"{text}: testo del modello"
    for why, text in {
        "fermo": "L’assistente è fermo",
        "locale": "Hai scelto «solo modalità locale»",
        "consenso": "Manca il tuo consenso al fornitore dell’IA",
        "prezzo": "Il prezzo è salito e il mandato non lo copre",
        "crediti": "Non hai abbastanza crediti",
        "tetto": "Hai raggiunto il tetto dei tuoi crediti",
        "quarto": "Avrebbe usato più di un quarto dei tuoi crediti",
        "fornitore": "Qui non è collegato nessun fornitore di IA",
        "muto": "L’assistente non ha risposto",
        "scartata": "L’assistente ha scritto qualcosa che non risulta dai tuoi dati",
    }.items()
}
LOG = "select private.log_ethics($1, $2, $3, $4, $5, $6, $7, $8)"
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b")


async def run(
    connection: api.Connection, step_id: UUID, attempt: int, now: datetime, chosen: provider.Choice | None = None
) -> str | None:
    """Run a claimed step in the caller's transaction; return its new state, None when another worker has it.

    Where the mandate wants the assistant's words, it is WRITING: `chosen` is to be asked after the transaction.
    """
    opened = await connection.fetchrow(OPEN, step_id, attempt, now)
    if opened is None:
        return None
    step: dict[str, Any] = opened["step"]
    if opened["is_stopped"]:
        return await _settle(connection, step, "annullato", now, error="stopped")
    if step["attempts"] > MOST_ATTEMPTS:
        return await _settle(connection, step, "fallito", now, error="attempts")
    agent = agents.BY_NAME[opened["agent"]]
    left_out = proposals.left_out(agent, (opened["mandate"] or {}).get("skipped_steps", []))
    if proposals.key_of(step["tool"], step["args"]) in left_out:
        return await _settle(connection, step, "saltato", now, error="left_out")
    if change := await agent.change(connection, step, now.astimezone(planning.ROME).date()):
        return await _settle(connection, step, "saltato", now, error=change)
    facts = facts_of(opened, step, now)
    verdict = ethics.judge(facts)
    # Also what concerns nobody else is asked where the mandate does not cover it.
    verdict = replace(verdict, result=ethics.raised(verdict, None if facts.mandated else "conferma"))
    rules = [rule.to_json() for rule in verdict.rules]
    await _log(connection, step, "giudizio", verdict)
    if verdict.result == "blocca":
        return await _settle(connection, step, "bloccato", now, rules)
    if verdict.wait in ("domani", "budget") and not opened["is_approved"]:
        return await _settle(connection, step, step["state"], now, rules, not_before=now + timedelta(days=1))
    if opened["letter_credits"] is not None:
        return await _have_written(connection, opened, now, chosen)
    if verdict.result == "conferma" and not opened["is_approved"]:
        if step["state"] == "approvato":
            # It is not what was approved, or that was a day ago.
            rules.append({"id": "E-01", "reason": "L’approvazione non vale più", "version": ethics.VERSION})
        return await _settle(connection, step, "in_approvazione", now, rules)
    if verdict.wait == "orario" and not opened["is_approved"]:
        # What a person approved waits in the outbox: the approval holds for a day, a weekend lasts longer.
        return await _settle(connection, step, "pianificato", now, rules, not_before=opened["mail_time"])
    return await _carry_out(connection, step, rules, now, is_automatic=not opened["is_approved"])


async def _have_written(
    connection: api.Connection, opened: asyncpg.Record, now: datetime, chosen: provider.Choice | None
) -> str | None:
    """Have the assistant write the letter, or judge the step again with the template's."""
    step = opened["step"]
    step_id, attempt = UUID(step["id"]), step["attempts"]
    expired = await connection.fetchval("select private.expired_letter($1)", step_id)
    if expired and letters.still_true(expired, step["brief"], now.astimezone(planning.ROME).date()):
        again = {name: expired[name] for name in ("subject", "body", "by")}
        await connection.execute("select private.reuse_letter($1, $2, $3)", step_id, attempt, again)
        return await run(connection, step_id, attempt, now)
    why = await _begin_letter(connection, opened, chosen)
    if why is None:
        return WRITING
    await connection.execute(DROP, UUID(step["user_id"]), step_id, attempt, UNWRITTEN[why], None, None)
    return await run(connection, step_id, attempt, now)


async def _begin_letter(
    connection: api.Connection, opened: asyncpg.Record, chosen: provider.Choice | None
) -> str | None:
    """Hold the price of a letter; return why the assistant does not write it, None when it does."""
    if chosen is None:
        return "fornitore"
    price = ethics.Facts(credits=opened["letter_credits"], balance=opened["balance"])
    if ethics.judge(price).wait == "budget":
        return "quarto" if price.credits <= opened["balance"] else "crediti"
    why: str | None = await connection.fetchval(
        "select private.begin_letter($1, $2, $3, $4, $5)",
        UUID(opened["step"]["id"]), opened["step"]["attempts"], chosen.host, chosen.label, chosen.name,
    )  # fmt: skip
    return why


def facts_of(opened: asyncpg.Record, step: dict[str, Any], now: datetime) -> ethics.Facts:
    """Return what the rules judge of an opened step."""
    if step["tool"] != "mail":
        # A merge is always asked: E-05.
        return ethics.Facts(
            mandated=is_mandated(opened, step),
            deletes=step["tool"] == "merge",
            texts=(step["preview"]["subject"], step["preview"]["body"]),
            approvals_today=opened["proposed_today"],
        )
    text = f"{step['preview']['subject']}\n{step['preview']['body']}"
    own = set(opened["mandate"]["ibans"]) if opened["mandate"] else set()
    named = [item["iban"] for item in step["args"]["items"] if item.get("iban")]
    # A price that the mandate does not cover is never paid: the template takes the letter's place.
    agreed = (opened["mandate"] or {}).get("letter_credits")
    price = opened["letter_credits"] or 0
    is_agreed = agreed is not None and price <= agreed
    named += [found[0].replace(" ", "") for found in _IBAN.finditer(text)]
    return ethics.Facts(
        outward=True,
        channel=step["args"].get("channel", "email"),
        has_template="template" in step["args"],
        mandated=is_mandated(opened, step),
        recipients=len(step["recipients"]),
        lawful=opened["lawful"],
        texts=(step["preview"]["subject"], step["preview"]["body"]),
        origins={
            "destinatario": "righe", "importo": "righe", "iban": "righe",
            "testo": "modello" if step["letter"] == "scritta" else "regola",
        },
        credits=price if is_agreed else 0,
        budget_left=opened["budget_left"],
        resting=opened["mail_time"] > now,
        recent=opened["recent"],
        foreign_ibans=tuple(dict.fromkeys(iban for iban in named if iban not in own)),
        approvals_today=opened["proposed_today"],
    )  # fmt: skip


def is_mandated(opened: asyncpg.Record, step: dict[str, Any]) -> bool:
    """Whether the mandate in force covers a step: its autonomy, tone, sum and the number of a day.

    A step that replaces an approved one on another channel always asks.
    """
    mandate = opened["mandate"]
    if mandate is None or step["args"].get("asks"):
        return False
    tone: int = step["preview"]["tone"]
    return bool(
        is_tone_mandated(mandate, tone)
        and step["preview"]["cents"] <= mandate["max_cents"]
        and opened["sent_today"] < mandate["max_recipients_day"]
    )


def is_tone_mandated(mandate: Mapping[str, Any], tone: int) -> bool:
    """Whether a mandate {autonomy, last_tone} lets steps of a tone happen without a yes."""
    if mandate["autonomy"] == "proponi":
        return False
    last: int = mandate["last_tone"] if mandate["autonomy"] == "supervisionata" else 1
    return tone <= last


async def _carry_out(
    connection: api.Connection, step: dict[str, Any], rules: list[dict[str, str]], now: datetime, *, is_automatic: bool
) -> str:
    try:
        async with connection.transaction():
            await connection.execute("select private.carry_out_goal_step($1, $2)", step["id"], is_automatic)
    except asyncpg.PostgresError as error:
        code = error.sqlstate or ""
        if not code.startswith(("SM", "SC", "SW", "PT")):
            raise
        if code in PASSING:
            tomorrow = now + timedelta(days=1)
            return await _settle(connection, step, step["state"], now, rules, error=code, not_before=tomorrow)
        return await _settle(connection, step, "bloccato", now, rules, error=code)
    await _log(connection, step, "effetto", None)
    return await _settle(connection, step, "fatto", now, rules)


async def _log(connection: api.Connection, step: dict[str, Any], action: str, verdict: ethics.Verdict | None) -> None:
    await connection.execute(
        LOG,
        step["user_id"],
        action,
        [step["args"], step["preview"], step["recipients"], step["max_credits"]],
        step["goal_id"],
        step["id"],
        [rule.id for rule in verdict.rules] if verdict else [],
        ethics.VERSION if verdict else None,
        verdict.result if verdict else None,
    )


async def _settle(
    connection: api.Connection,
    step: dict[str, Any],
    state: str,
    now: datetime,
    rules: list[dict[str, str]] | None = None,
    *,
    error: str | None = None,
    not_before: datetime | None = None,
) -> str:
    await connection.execute(SETTLE, step["id"], state, now, rules or [], error, not_before)
    return state


async def claim(connection: api.Connection, user_id: UUID, now: datetime) -> tuple[UUID, int] | None:
    """Lease a step of a person that is due; return its id and attempt."""
    row = await connection.fetchrow("select id, attempts from private.claim_goal_step($1, $2)", user_id, now)
    return (row["id"], row["attempts"]) if row else None


async def plan_next(connection: api.Connection, user_id: UUID, now: datetime) -> bool:
    """Plan the steps of a goal of a person that is due; return whether one was."""
    goal = await connection.fetchrow("select id, agent from private.claim_goal($1, $2)", user_id, now)
    if goal is not None and (agent := agents.BY_NAME.get(goal["agent"])):
        await planning.plan(connection, agent, user_id, goal["id"], now)
    return goal is not None
