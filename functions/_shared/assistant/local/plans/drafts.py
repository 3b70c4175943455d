"""Drafts of e-mails and messages, written from the person's data: a reminder of payment with number, amount and delay,
the follow-up of an offer, thanks, the confirmation of an appointment. Texts are in letters.json, for tu, Lei and voi.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from pathlib import Path
from typing import Any

from functions._shared.assistant.local import table, voices
from functions._shared.assistant.local.italian import and_list, count, day, shown
from functions._shared.assistant.local.plans.money import similar_invoices
from functions._shared.assistant.local.plans.picking import contact_of
from functions._shared.assistant.local.plans.writing import proposed
from functions._shared.assistant.local.steps import Answer, Call, Ended, Plan, Result, Row, Scene, answer, suggest, use
from functions._shared.assistant.local.words import sentence_of
from functions._shared.assistant.tools.invoices import totals
from functions._shared.names import fold
from functions._shared.quick_add.parse import parse

_LETTERS: dict[str, Any] = json.loads(Path(__file__).with_name("letters.json").read_text("utf-8"))
_INFORMAL = ("del tu", "informale", "amichevole", "dandogli il tu", "colloquiale")
_FORMAL = ("del lei", "formale", "ufficiale")
# «per la fattura 13», «le fatture 12, 13 e 14/2026»; not «la fattura del 3 ottobre».
_NAMED = re.compile(
    r"\bfattur[ae] (?:n\.? ?|nr\.? ?|numero )?(\d+(?:[/-]\w+)*(?:(?:, ?| e (?:la )?)\d+(?:[/-]\w+)*)*)\b"
    r"(?! ?(?:€|euro))"
)
_OPENINGS = {"gentile": "Cordiale", "diretta": "Diretta"}
_NEAR = ("ieri", "oggi", "domani", "dopodomani")
MAX_NAMED = 5
MAX_OFFERED = 4


def email(scene: Scene) -> Plan:
    """An e-mail."""
    return (yield from _draft(scene, "draft_email"))


def whatsapp(scene: Scene) -> Plan:
    """A WhatsApp message."""
    return (yield from _draft(scene, "draft_whatsapp"))


def _draft(scene: Scene, tool: str) -> Plan:
    contact = yield from contact_of(scene, "A chi scrivo? Per esempio: «scrivi un sollecito a Rossi».")
    found = yield from use(scene, "contact_summary", contact=contact)
    if "template" in scene.slots:
        return (yield from _from_template(scene, tool, found))
    purpose, form = _purpose(scene), _form(scene, found)
    values = yield from _values(scene, found, purpose)
    tone = scene.slots.get("tone")
    letter = _LETTERS["whatsapp" if tool == "draft_whatsapp" else "email"]
    subject = letter[purpose].get("subject", "").format(**values)
    if tone == "breve":
        if tool == "draft_whatsapp" or purpose == "libera":
            return answer("Più breve di così non la so scrivere: accorciala tu nella scheda, con «Modifica».")
        letter = _LETTERS["whatsapp"]
    tones = _LETTERS["tones"] if scene.agent == "creativo" else {}
    body = _text(letter[purpose][form], values)
    if tone in _OPENINGS:
        body = _opened(body, _LETTERS["tones"][_OPENINGS[tone]][form])
    if scene.agent == "creativo":
        variants = [f"**{title}**\n\n{_opened(body, tone[form])}" for title, tone in tones.items()]
        return answer(
            "Tre varianti, da copiare o da cambiare:",
            *variants,
            "Per salvarne una come bozza scegli «Automatico» e ripeti la richiesta.",
            derived=values.get("derived", ()),
        )
    if scene.agent == "etico":
        points = voices.concerns(found.get("consents_to_marketing"), f"{shown(found['name'])} [[{found['ref']}]]", body)
        return answer(
            "Prima di scrivere, controlla:",
            "\n".join(f"- {point}" for point in points),
            f"Il testo che proporrei:\n\n> {shown(body, 600)}",
            derived=values.get("derived", ()),
        )
    args = {"contact": str(found["ref"]), "body": body} | ({"subject": subject} if tool == "draft_email" else {})
    result = yield from use(scene, tool, **args)
    name = f"{shown(found['name'])} [[{found['ref']}]]"
    what = "il messaggio WhatsApp" if tool == "draft_whatsapp" else "l’email"
    return proposed(result, f"Ho preparato {what} per {name}{_because(values)}. Non invio niente da solo.")


def _from_template(scene: Scene, tool: str, found: Result) -> Plan:
    """A mail with the person's own words, which only they change."""
    if "tone" in scene.slots:
        return answer("Il testo è quello del tuo modello: cambialo tu nella scheda, con «Modifica».")
    name, ref = shown(found["name"]), found["ref"]
    result = yield from use(scene, tool, contact=str(ref), template=scene.slots["template"])
    if "templates" in result:
        choices = [f"scrivi a {found['name']} con il modello «{each}»" for each in result["templates"][:MAX_OFFERED]]
        return answer(shown(result["reason"], 900), suggestions=suggest(*choices), derived=result["templates"])
    return proposed(result, f"Ho preparato l’email per {name} [[{ref}]] con il tuo modello. Non invio niente da solo.")


def _opened(body: str, opening: str) -> str:
    """A letter with one more sentence behind its salutation."""
    hello, comma, rest = body.partition(",")
    rest = rest.lstrip()
    gap = "\n\n" if body[len(hello) + 1 : len(hello) + 3] == "\n\n" else " "
    return f"{hello}{comma}{gap}{opening[:1].lower()}{opening[1:]} {rest[:1].upper()}{rest[1:]}"


def _because(values: dict[str, Any]) -> str:
    return "".join(f" [[{ref}]]" for ref in values.get("refs", ()))


def _form(scene: Scene, found: Result) -> str:
    """«tu» where the person says so now or had it remembered, «voi» to companies, else «Lei»."""
    if (tone := scene.slots.get("tone")) == "tu":
        return "tu"
    said = "" if tone == "lei" else fold(_asked(scene))
    facts = fold(" ".join(str(row["fact"]) for row in (found.get("memories") or {}).get("rows", [])))
    if any(words in said for words in _INFORMAL) and "del lei" not in said:
        return "tu"
    if tone != "lei" and not any(words in said for words in _FORMAL) and ("del tu" in facts or "il tu" in facts):
        return "tu"
    return "voi" if found.get("type") == "azienda" else "lei"


def _asked(scene: Scene) -> str:
    """Return the request of the letter, which a change of tone follows."""
    return str(scene.slots["asked"]) if "tone" in scene.slots and "asked" in scene.slots else scene.question


def _purpose(scene: Scene) -> str:
    """What the letter is for; an appointment that nobody confirms, and that has no day, is yet to be asked for."""
    purpose = str(scene.slots.get("purpose", "libera"))
    if purpose != "appuntamento" or "conferm" in _asked(scene).lower():
        return purpose
    asks = table.OCCURS["PROPOSE"].search(sentence_of(_asked(scene)).line)
    return "incontro" if asks or not parse(_asked(scene), scene.now)["due"] else purpose


def _text(template: str, values: dict[str, Any]) -> str:
    return template.format(**{name: value for name, value in values.items() if name != "refs"})


def _values(scene: Scene, found: Result, purpose: str) -> Generator[Call, Result, dict[str, Any]]:
    """What the text speaks of. Raises Ended where there is nothing to write about."""
    name = shown(found["name"])
    values: dict[str, Any] = {"name": name, "first": name.split()[0], "body": scene.slots.get("body", ""), "refs": ()}
    if purpose == "sollecito":
        return values | (yield from _late(scene, found))
    if purpose == "offerta":
        return values | _offer(found)
    if purpose == "incontro":
        due = parse(_asked(scene), scene.now)["due"]
        return values | {"when": f" {_on(due, scene)}" if due else ""}
    if purpose == "appuntamento":
        return values | _appointment(scene, found)
    if purpose == "libera":
        body = values["body"].strip()
        if not body:
            raise Ended(_what_to_say(name, str(found["ref"])))
        values["body"] = body if body[-1] in ".!?…" else f"{body}."
    return values


def _what_to_say(name: str, ref: str) -> Answer:
    return answer(
        f"Che cosa vuoi scrivere a {name} [[{ref}]]? Per esempio: «scrivi a {name}: …».",
        suggestions=suggest(
            f"scrivi un sollecito a {name}",
            f"scrivi un'email a {name} per il preventivo",
            f"scrivi un'email a {name} per ringraziare",
        ),
    )


def _late(scene: Scene, found: Result) -> Generator[Call, Result, dict[str, Any]]:
    """The invoices that this contact should have paid."""
    result = yield from use(scene, "list_invoices", direction="attiva", state="scadute", contact=str(found["ref"]))
    rows, total = result.get("rows", []), str(result.get("amount", ""))
    if named_ones := _numbers(scene):
        rows = [row for row in rows if named_ones & {fold(str(row["number"])), fold(str(row["number"])).split("/")[0]}]
        total = str(totals(rows, "scadute").get("amount", ""))
    # What a credit note gives back needs no reminder of its own.
    if all(row.get("kind") for row in rows):
        name = shown(found["name"])
        if named_ones:
            said = and_list(sorted(shown(each, 40) for each in named_ones))
            raise Ended(
                answer(
                    f"Fra le fatture scadute di {name} [[{found['ref']}]] non trovo «{said}», quindi non c’è niente da "
                    "sollecitare.",
                    suggestions=suggest(f"fatture di {name}"),
                    derived=(said,),
                )
            )
        similar = similar_invoices(result)
        nothing = "" if similar else ", quindi non c’è niente da sollecitare"
        raise Ended(
            answer(
                f"{name} non ha fatture scadute [[{found['ref']}]]{nothing}.",
                similar,
                suggestions=suggest(f"fatture di {name}", f"scrivi un'email a {name}"),
            )
        )
    named = [_invoice(row, scene) for row in rows[:MAX_NAMED]]
    many = len(rows) > 1
    invoices = [row for row in rows if not row.get("kind")]
    return {
        "invoices": "\n".join(f"- {line}" for line in named) if many else named[0],
        "the_invoices": "le fatture seguenti:\n\n" + "\n".join(f"- {line}" for line in named) + "\n\n"
        if many
        else f"la {named[0]}. ",
        "short": f"{count(len(invoices), 'fattura', 'fatture')} per {total}" if many else named[0],
        "numbers": f"{'fatture' if len(invoices) > 1 else 'fattura'} "
        + and_list([shown(row["number"]) for row in invoices[:MAX_NAMED]]),
        "is_open": "risultano ancora aperte" if many else "risulta ancora aperta",
        "total": total,
        "derived": (total,),
        "refs": tuple(str(row["ref"]) for row in rows[:MAX_NAMED]),
    }


def _numbers(scene: Scene) -> set[str]:
    """The invoices that are named: «per la fattura 13», «le fatture 12 e 13»."""
    found = _NAMED.search(fold(_asked(scene)))
    return set(re.findall(r"\d+(?:[/-]\w+)*", found[1])) if found else set()


def _invoice(row: Row, scene: Scene) -> str:
    """«fattura 12/2026 del 3 ottobre 2026, 1.220,00 €, scaduta da 12 giorni»."""
    late = (
        f", scaduta da {row['days_late']} {'giorno' if row['days_late'] == 1 else 'giorni'}"
        if row.get("days_late")
        else ""
    )
    issued = f" del {day(row['issued_on'], scene.today).split(' ', 1)[-1]}" if row.get("issued_on") else ""
    amount = row.get("late") or row.get("open") or row["total"]
    part = "rata di " if amount != row["total"] and not row.get("kind") else ""
    return f"{row.get('kind', 'fattura')} {shown(row['number'])}{issued}, {part}{amount}{late}"


def _offer(found: Result) -> dict[str, Any]:
    """The offer is the deal with them that is open, if there is one."""
    rows = (found.get("deals") or {}).get("rows", [])
    if not rows:
        return {"offer": "", "subject_offer": "La mia offerta"}
    title = shown(rows[0]["title"])
    return {"offer": f" per «{title}»", "subject_offer": f"Offerta: {title}", "refs": (str(rows[0]["ref"]),)}


def _appointment(scene: Scene, found: Result) -> dict[str, Any]:
    """The day that was said, or that of their next task which has an hour."""
    due = parse(_asked(scene), scene.now)["due"]
    refs: tuple[str, ...] = ()
    if not due:
        rows = [
            row
            for row in (found.get("tasks") or {}).get("rows", [])
            if "T" in str(row.get("due", "")) and not row.get("late")
        ]
        if rows:
            due, refs = rows[0]["due"], (str(rows[0]["ref"]),)
    if not due:
        name = shown(found["name"])
        raise Ended(
            answer(
                f"Per quando è l’appuntamento con {name} [[{found['ref']}]]? "
                f"Dimmelo così: «conferma l’appuntamento a {name} giovedì alle 10»."
            )
        )
    when = _on(due, scene)
    return {"when": when, "refs": refs}


def _on(due: str, scene: Scene) -> str:
    """«martedì 24 novembre alle 15:00»; «domani» would be true only on the day on which it is written."""
    when = day(due, scene.today)
    when = when.split(", ", 1)[1] if when.split(",")[0] in _NEAR else when
    return when.replace(", alle", " alle")
