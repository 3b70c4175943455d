"""Choose the channel of a reminder, and say why it is not the one that the mandate asks for.

The rule is `private.reminder_channel`. A step by WhatsApp or PEC names its channel, recipient, template and values, so
that its approval is bound to them, and to the price by WhatsApp. When one of them changes, the step is skipped and
planned again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from backend.edge import api
from functions._shared.goals.proposals import Proposal

QUERY = "select * from private.reminder_channel($1, $2, $3, $4)"
# Clients whose person approved a channel that was gone when the step was carried out: the next one needs a yes again.
LOST = """
select distinct contact_id from public.goal_steps as lost
where user_id = $1 and approved_at is not null and state = 'saltato' and error like 'channel%' and exists (
  select from public.goals where goals.user_id = $1 and goals.id = goal_id and agent = $2
) and not exists (
  select from public.goal_steps as later
  where later.user_id = $1 and later.contact_id = lost.contact_id and later.goal_id = lost.goal_id
    and later.created_at > lost.created_at and later.state in ('fatto', 'rifiutato', 'bloccato')
)
"""
WAYS: Mapping[str, str] = {"email": "Per email", "whatsapp": "Su WhatsApp", "pec": "Per PEC"}
REASONS: Mapping[str, str] = {
    "no_email": "il cliente non ha un’email",
    "email_refused": "il suo indirizzo email non riceve più",
    "no_pec_account": "la tua casella non è una PEC",
    "no_pec": "il cliente non ha una PEC",
    "pec_refused": "la sua PEC non riceve più",
    "no_account": "non hai collegato un numero WhatsApp",
    "account": "il tuo numero WhatsApp ora non invia",
    "no_template": "manca il modello WhatsApp dei solleciti",
    "template_pending": "Meta non ha ancora approvato il modello WhatsApp",
    "template": "il modello WhatsApp dei solleciti non è approvato",
    "no_number": "il cliente non ha un cellulare né una chat WhatsApp",
    "stopped": "il cliente non vuole messaggi su WhatsApp",
    "objected": "il cliente non vuole messaggi su WhatsApp",
    "never_wrote": "il cliente non ti ha mai scritto su WhatsApp né ha acconsentito",
    "unreachable": "gli ultimi messaggi WhatsApp non sono arrivati",
    "unfilled": "manca un dato del modello WhatsApp",
    "too_long": "il testo è troppo lungo per WhatsApp",
}


@dataclass(frozen=True)
class Way:
    """How a reminder reaches a client; body, template and price are those of WhatsApp."""

    channel: Literal["email", "whatsapp", "pec"]
    recipient: str | None
    body: str | None
    template: dict[str, Any] | None
    # What Meta asks for it: {sums: [{currency, least_micros, most_micros}], unpriced}.
    price: dict[str, Any] | None
    reason: str | None

    def note(self) -> str | None:
        """Return why it is not the channel of the mandate: «Per email: il cliente non ha una PEC»."""
        return f"{WAYS[self.channel]}: {REASONS[self.reason]}" if self.reason else None


async def choose(
    connection: api.Connection, user_id: UUID, contact_id: UUID, level: int, values: Mapping[str, str]
) -> Way:
    """Return the channel that a reminder takes now. The connection acts as the service."""
    row = await connection.fetchrow(QUERY, user_id, contact_id, level, dict(values))
    assert row is not None
    return Way(row["channel"], row["recipient"], row["body"], row["template"], row["price"], row["reason"])


async def addressed(
    connection: api.Connection, user_id: UUID, agent: str, letters: list[tuple[Proposal, Mapping[str, str]]]
) -> list[Proposal]:
    """Return letters with their channels; `letters` are proposals by mail, and the values of their template."""
    if not letters:
        return []
    lost = {row["contact_id"] for row in await connection.fetch(LOST, user_id, agent)}
    return [
        _on_its_way(
            letter, await choose(connection, user_id, letter.contact_id, letter.args["level"], values), values,
            is_asked=letter.contact_id in lost,
        )
        for letter, values in letters
        if letter.contact_id
    ]  # fmt: skip


def _on_its_way(letter: Proposal, way: Way, values: Mapping[str, str], *, is_asked: bool) -> Proposal:
    args = {**letter.args, "channel": way.channel}
    preview = {**letter.preview, "channel": way.channel}
    if way.channel == "whatsapp":
        args |= {"template": way.template, "values": dict(values)}
        preview |= {"body": way.body, "price": way.price}
    if is_asked:
        args["asks"] = True
    if note := way.note():
        preview["note"] = note
    recipients = (way.recipient,) if way.recipient else ()
    # The text of a template is the one that Meta approved.
    brief = None if way.channel == "whatsapp" else letter.brief
    return Proposal(letter.contact_id, letter.tool, args, preview, recipients, brief)


async def change(connection: api.Connection, step: Mapping[str, Any]) -> str | None:
    """Return why a step cannot leave by WhatsApp or PEC as it was planned; None while it can, and for a mail."""
    args = step["args"]
    if args.get("channel", "email") == "email":
        return None
    way = await choose(
        connection, UUID(step["user_id"]), UUID(step["contact_id"]), args["level"], args.get("values", {})
    )
    if way.channel != args["channel"]:
        return f"channel_{way.reason or 'mandate'}"
    is_same = [way.recipient] == step["recipients"] and way.template == args.get("template")
    if way.channel == "whatsapp":
        is_same = (
            is_same and way.body == step["preview"]["body"] and _most(way.price) == _most(step["preview"].get("price"))
        )
    return None if is_same else "channel_changed"


def _most(price: Mapping[str, Any] | None) -> tuple[dict[str, int], int] | None:
    """Return what is paid at most: a chat whose window closes only makes that certain."""
    if price is None:
        return None
    return {each["currency"]: each["most_micros"] for each in price["sums"]}, price["unpriced"]
