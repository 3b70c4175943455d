"""Decide whom «Recupero crediti» reminds on a day, and write the letter: pure, all texts from templates.

A part of an invoice is asked for four times: three days before it is due, and 1, 8 and 20 days after. One letter per
client names all that is open. The first letter about a part that is late already is the second, not a harder one. Which
channel a letter takes is in channels.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from uuid import UUID

from functions._shared import italian_dates
from functions._shared.fatturapa import identities, money
from functions._shared.goals import chasing
from functions._shared.goals.proposals import Step

# Days after the due date, by level.
OFFSETS = (-3, 1, 8, 20)
# Days between a letter of this level and the one before about the same part.
GAPS = (0, 4, 7, 12)
# Nobody gets two letters within so many days.
REST_DAYS = 4
# By level: kind, kind, firm, last.
TONES = (1, 1, 2, 3)
# The first and the last may be left out: those between name the one before.
STEPS = tuple(
    Step(str(level), chasing.TOOL, tone, days, is_optional=level in (1, len(OFFSETS)))
    for level, (days, tone) in enumerate(zip(OFFSETS, TONES, strict=True), start=1)
)
# By level, for the assistant.
PURPOSES = (
    "ricordare un pagamento che sta per scadere",
    "primo sollecito: chiedere quando pensa di pagare",
    "secondo sollecito: chiedere di pagare o di dire come intende procedere",
    "ultimo sollecito: chiedere di pagare, dopo i messaggi precedenti rimasti senza esito",
)


@dataclass(frozen=True)
class Part:
    """A part of an invoice that a client has not paid; a credit note is negative."""

    invoice_id: UUID
    no: int
    number: str
    issued_on: date
    due_on: date
    cents: int
    iban: str | None
    # What D.Lgs. 231/2002 adds, where the mandate claims it: interest is None while a rate is not known.
    claims_interest: bool = False
    interest_cents: int | None = None
    lump_cents: int | None = None

    def facts(self) -> dict[str, Any]:
        """Return what a letter relies on."""
        return {
            "invoice_id": str(self.invoice_id),
            "no": self.no,
            "cents": self.cents,
            "due_on": self.due_on.isoformat(),
            "iban": self.iban,
            "claims_interest": self.claims_interest,
        }

    def line(self) -> dict[str, Any]:
        """Return what the person is shown."""
        return {"label": f"Fattura {self.number}", "cents": self.cents, "due_on": self.due_on.isoformat()}


def _item(row: Mapping[str, Any]) -> Part:
    return Part(
        row["invoice_id"], row["no"], chasing.one_line(row["number"]), row["issued_on"], row["due_on"], row["cents"],
        row["iban"], row["claims_interest"], row["interest_cents"], row["lump_cents"],
    )  # fmt: skip


def due_letter(
    client: chasing.Client[Part],
    history: Sequence[chasing.Sent],
    day: date,
    sender: str,
    left_out: frozenset[str] = frozenset(),
) -> chasing.Letter[Part] | None:
    """Return the letter that a client gets on a day, None where nothing is to be asked; `left_out` are levels."""
    if history and day < max(sent.day for sent in history) + timedelta(days=REST_DAYS):
        return None
    items = tuple(item for item in client.items if item.due_on + timedelta(days=OFFSETS[0]) <= day)
    before = {chasing.key(item.facts()): chasing.last_asked(item, history) for item in items}
    due = {
        key: level
        for item in items
        if item.cents > 0 and (level := _due_level(item, before[key := chasing.key(item.facts())], day, left_out))
    }
    if not due or sum(item.cents for item in items) <= 0:
        return None
    level = max(due.values())
    levels = {key: due.get(key, asked) for key, (asked, _day) in before.items()}
    subject, body, brief = _text(client, items, level, day, sender)
    return chasing.Letter(f"Sollecito a {client.name}", subject, body, level, TONES[level - 1], items, levels, brief)


def _due_level(item: Part, asked: tuple[int, date | None], day: date, left_out: frozenset[str]) -> int | None:
    level, last = asked
    is_late = day >= item.due_on + timedelta(days=OFFSETS[1])
    following = chasing.next_level(max(level, 1) if is_late else level, left_out)
    if following > len(OFFSETS) or day < item.due_on + timedelta(days=OFFSETS[following - 1]):
        return None
    if last is not None and day < last + timedelta(days=GAPS[following - 1]):
        return None
    return following


def _text(
    client: chasing.Client[Part], items: Sequence[Part], level: int, day: date, sender: str
) -> tuple[str, str, dict[str, Any]]:
    """Return subject and body of a letter, and what the assistant may write instead of its first lines."""
    what = "Promemoria di pagamento" if level == 1 else "Sollecito di pagamento"
    numbers = ", ".join(dict.fromkeys(item.number for item in items))
    subject = f"{what}: fattura {numbers}" if len(items) == 1 else f"{what}: fatture {numbers}"
    listed = "\n".join(
        f"- fattura n. {item.number} del {italian_dates.long_day(item.issued_on)}: {money.euros(item.cents)}, "
        f"{'scadenza' if item.due_on >= day else 'scaduta il'} {italian_dates.long_day(item.due_on)}"
        for item in items
    )
    total = f"\n\nTotale: {money.euros(sum(item.cents for item in items))}." if len(items) > 1 else ""
    hello, opening, closing, bye = (_COMPANY if client.is_company else _PERSON)[level - 1]
    claim = _claim(items, day) if level == len(OFFSETS) else ""
    end = f"{bye}\n{sender}" if sender else bye
    facts = (f"{listed}{total}", claim, _pay_to(items))
    body = "\n\n".join(filter(None, (f"{hello} {client.name},", opening, *facts, closing, end)))
    brief = {"facts": _facts(client, items, level, sender), "block": "\n\n".join(filter(None, (*facts, end)))}
    return subject, body, brief


def _facts(client: chasing.Client[Part], items: Sequence[Part], level: int, sender: str) -> dict[str, Any]:
    """Return what the assistant is told: of this client only, without the account."""
    due = {"rispondere entro giorni": 7} if level > 2 else {}
    return {
        **client.told(sender, PURPOSES[level - 1]),
        **due,
        "total_cents": sum(item.cents for item in items),
        "items": [
            {
                "fattura": item.number, "issued_on": item.issued_on.isoformat(), "due_on": item.due_on.isoformat(),
                "cents": item.cents,
            }
            for item in items
        ],
    }  # fmt: skip


def template_values(client: chasing.Client[Part], letter: chasing.Letter[Part]) -> dict[str, str]:
    """Return what fills in the template by WhatsApp, all of it from the register."""
    numbers = list(dict.fromkeys(item.number for item in letter.items))
    first = min(item.due_on for item in letter.items if item.cents > 0)
    several = len({item.due_on for item in letter.items if item.cents > 0}) > 1
    return {
        "nome": client.name,
        "fatture": f"{'fattura' if len(numbers) == 1 else 'fatture'} {', '.join(numbers)}" if all(numbers) else "",
        "totale": money.euros(sum(item.cents for item in letter.items)),
        "scadenza": f"{'dal ' if several else ''}{italian_dates.long_day(first)}",
    }


def _claim(items: Sequence[Part], day: date) -> str:
    """Claim late interest and the lump sum of D.Lgs. 231/2002 for what is late; empty where nothing is claimed."""
    late = [item for item in items if item.claims_interest and item.cents > 0 and item.due_on < day]
    if not late:
        return ""
    text = "Dal giorno dopo la scadenza decorrono gli interessi di mora (D.Lgs. 231/2002, artt. 4 e 5)"
    interest = [item.interest_cents for item in late if item.interest_cents is not None]
    # A credit note lessens what bears interest, from a day that the register does not know.
    if len(interest) == len(late) and all(item.cents > 0 for item in items):
        text += f": al {italian_dates.long_day(day)} sono {money.euros(sum(interest))}"
    lump = late[0].lump_cents
    if lump is None:
        return f"{text}."
    each = " per ogni fattura" if len({item.invoice_id for item in late}) > 1 else ""
    return f"{text}. Sono dovuti anche {money.euros(lump)}{each} di risarcimento dei costi di recupero (art. 6)."


def _pay_to(items: Sequence[Part]) -> str:
    """Name the account where all is paid to one; empty where not. The rules compare it with the mandate."""
    accounts = {item.iban for item in items if item.cents > 0}
    iban = accounts.pop() if len(accounts) == 1 else None
    return f"IBAN per il bonifico: {identities.in_fours(iban)}" if iban else ""


_VOI, _LEI = "Spett.le", "Gentile"
# By level: hello, opening, closing, bye. The same voice as web/src/strings/reminders.ts.
_COMPANY = (
    (_VOI, "Vi ricordo che tra poco scade:",
     "Se il pagamento è già partito, non tenete conto di questo messaggio.", "Cordiali saluti"),
    (_VOI, "Risulta ancora da saldare:",
     ("Mi fate sapere quando pensate di poter pagare? "
      "Se il pagamento è già partito, non tenete conto di questo messaggio."),
     "Cordiali saluti"),
    (_VOI, "Nonostante il mio messaggio precedente, risulta ancora da saldare:",
     "Vi chiedo di saldare entro sette giorni, o di dirmi entro quella data come intendete procedere.",
     "Cordiali saluti"),
    (_VOI, "Dopo i messaggi precedenti, rimasti senza esito, risulta ancora da saldare:",
     "Vi chiedo di saldare entro sette giorni. In mancanza dovrò valutare come tutelare il mio credito.",
     "Distinti saluti"),
)  # fmt: skip
_PERSON = (
    (_LEI, "Le ricordo che tra poco scade:",
     "Se il pagamento è già partito, non tenga conto di questo messaggio.", "Un cordiale saluto"),
    (_LEI, "Risulta ancora da saldare:",
     "Mi fa sapere quando pensa di poter pagare? Se il pagamento è già partito, non tenga conto di questo messaggio.",
     "Un cordiale saluto"),
    (_LEI, "Nonostante il mio messaggio precedente, risulta ancora da saldare:",
     "Le chiedo di saldare entro sette giorni, o di dirmi entro quella data come intende procedere.",
     "Un cordiale saluto"),
    (_LEI, "Dopo i messaggi precedenti, rimasti senza esito, risulta ancora da saldare:",
     "Le chiedo di saldare entro sette giorni. In mancanza dovrò valutare come tutelare il mio credito.",
     "Distinti saluti"),
)  # fmt: skip

CHASE = chasing.Chase(
    "recupero_crediti", STEPS, "select * from private.recovery_items($1, $2)", "paid", _item, due_letter,
    template_values,
)  # fmt: skip
