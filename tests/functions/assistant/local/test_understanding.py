"""What the assistant without a provider understands: golden sets per family, of sentences it was tuned on and not.

How many sentences each set had right when it was first met, and how many are right when they are left out of what is
learned from, stands in tests/vectors/assistant/README.md.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from backend.core import config
from functions._shared.assistant.history import Said
from functions._shared.assistant.local import conversation, match, periods, turns, understanding
from functions._shared.assistant.local.learned import weights
from functions._shared.names import fold
from functions._shared.quick_add.parse import parse
from scripts import assistant_training

VECTORS = config.ROOT / "tests" / "vectors" / "assistant"
HELD_OUT = sorted((VECTORS / "held_out").glob("*.json"))
TUNED = [each for held in HELD_OUT if (each := VECTORS / held.name).exists()] + sorted(
    each for first in ("everyday", "unseen", "voices", "strangers") for each in VECTORS.glob(f"{first}*.json")
)
NOW = datetime.fromisoformat("2026-11-23T10:00")
WHICH = "Quale «Rossi» intendi?\n\n1. **Mario Rossi** (Studio Rossi)\n2. **Anna Rossi** (Milano Servizi)"

# Days that only narrow a list.
_NARROWS = re.compile(r"\b(?:entro|nei prossimi|da più di)\b|^prossimi ")


def understood(phrase: dict[str, Any]) -> match.Said:
    questions = [phrase["before"], phrase["text"]] if "before" in phrase else [phrase["text"]]
    return conversation.read([conversation.Asked(each) for each in questions], NOW)


def is_right(phrase: dict[str, Any]) -> bool:
    said = understood(phrase)
    if phrase["intent"] == "*read":
        return not said.writes
    said = _as_labelled(said)
    slots = dict(said.slots)
    if said.intent == "create_task":
        task = parse(slots.pop("text"), NOW)
        slots |= {"title": task["title"]} | ({"due": task["due"]} if task["due"] else {})
    wanted = {name: value for name, value in phrase.items() if name not in ("text", "intent", "before")}
    if not {"from", "to"} & wanted.keys() and _NARROWS.search(phrase["text"]):
        # Sentences were labelled when these forms were not read.
        slots = {name: value for name, value in slots.items() if name not in ("from", "to")}
        wanted.pop("on", None)
    slots = {} if said.intent == "unknown" else slots
    return said.intent == phrase["intent"] and _plain(slots) == _plain(wanted)


def _as_labelled(said: match.Said) -> match.Said:
    """Return what was read as sentences were labelled before these classes had a grammar of their own."""
    slots = said.slots
    closer: dict[str, tuple[str, dict[str, Any]]] = {
        "paper_ends": ("ask_documents", {}),
        "paper_total": ("ask_documents", {}),
        "last_heard": ("contact_summary", slots),
        "days_late": ("invoices", {"state": "scadute", **slots}),
        "top_deal": ("deals", {"state": slots.get("state")}),
        "contacts_of": ("find_contacts", {"query": slots["place"]}) if "place" in slots else ("to_call", {}),
    }
    if said.intent == "projects":
        return match.Said(said.intent, {name: value for name, value in slots.items() if name != "status"})
    return match.Said(*closer[said.intent]) if said.intent in closer else said


def _plain(slots: dict[str, Any]) -> dict[str, Any]:
    """Without accents and points at the end; a question is the sentence itself, more or less politely."""
    return {
        name: fold(value).strip(' .!?«»"') if isinstance(value, str) else value
        for name, value in slots.items()
        if name != "question"
    }


def phrases(file: Path) -> list[dict[str, Any]]:
    read: list[dict[str, Any]] = json.loads(file.read_text("utf-8"))
    return read


@pytest.mark.long
@pytest.mark.parametrize("family", TUNED, ids=lambda family: family.stem)
def test_sentences_that_were_learned_from_are_read_as_they_were_meant(family: Path) -> None:
    said = phrases(family)
    wrong = [phrase["text"] for phrase in said if not is_right(phrase)]
    assert len(wrong) <= max(1, len(said) * 0.01), wrong


@pytest.mark.parametrize("family", HELD_OUT, ids=lambda family: family.stem)
def test_sentences_that_were_never_learned_from(family: Path) -> None:
    said = phrases(family)
    wrong = [phrase["text"] for phrase in said if not is_right(phrase)]
    assert len(wrong) <= len(said) * 0.05, wrong


@pytest.mark.parametrize("family", HELD_OUT, ids=lambda family: family.stem)
def test_nothing_is_written_that_was_not_asked_for(family: Path) -> None:
    wrong = [
        phrase["text"] for phrase in phrases(family) if understood(phrase).writes and not is_right(phrase)
    ]  # fmt: skip
    assert wrong == []


@pytest.mark.parametrize(
    "text",
    [f"nuova trattativa {'9' * 1500}", f"nuova trattativa con Rossi da {'9' * 1500} euro", "i ⁵ clienti da chiamare"],
    ids=["an amount", "an amount in euro", "a power"],
)
def test_numbers_that_are_none_of_ours_are_read_as_something(text: str) -> None:
    assert "amount" not in understood({"text": text}).slots


def test_what_was_learned_was_learned_from_these_sentences() -> None:
    assert weights.learned().sentences == assistant_training.digest(), "python -m scripts.assistant_training"


def test_a_sentence_without_a_rule_is_read_by_its_likeness() -> None:
    assert match.understand("ho pagato tutto?", NOW).intent == "unknown"
    said = understanding.understand("ho pagato tutto?", NOW)
    assert said == match.Said("invoices", {"state": "da_pagare", "direction": "passiva"})
    assert said.is_learned


def test_what_a_rule_reads_alike_is_not_marked_as_learned() -> None:
    said = understanding.understand("ricordami di chiamare Rossi domani", NOW)
    assert said.writes
    assert not said.is_learned


@pytest.mark.parametrize("text", ["via Rossi dalla rubrica", "del contatto di Rossi non so più che farmene"])
def test_likeness_alone_deletes_nothing(text: str) -> None:
    assert not match.understand(text, NOW).writes
    assert not understanding.understand(text, NOW).intent.startswith("delete")


@pytest.mark.parametrize("text", ["xk zzt plof", "scarpe rosse", "il gatto sul tetto", ""])
def test_what_is_like_nothing_is_not_understood(text: str) -> None:
    assert not understanding.understand(text, NOW).writes


@pytest.mark.parametrize(
    ("words", "choice"),
    [("il primo", True), ("2", True), ("quello di Milano", True), ("Anna Rossi", True), ("trattative aperte", False)],
)
def test_an_answer_to_which_one_is_told_from_a_new_question(words: str, choice: bool) -> None:
    found = turns.understood([("riassumi Rossi", WHICH)], words, NOW)
    assert (found.choice == words) is choice
    assert found.said.intent == ("contact_summary" if choice else "deals")


def test_somebody_who_was_not_among_the_possibilities_is_asked_for_anew() -> None:
    found = turns.understood([("riassumi Rossi", WHICH)], "Carlo Verdi", NOW)
    assert found.said == match.Said("contact_summary", {"contact": "Carlo Verdi"})


def test_who_was_chosen_stays_the_one_who_is_spoken_of() -> None:
    rounds = [("riassumi Rossi", WHICH), ("il secondo", "**Anna Rossi**")]
    assert turns.understood(rounds, "e il suo telefono?", NOW).said.slots == {
        "contact": "Anna Rossi",
        "field": "telefono",
    }


def test_the_first_of_a_list_stays_the_one_who_is_spoken_of() -> None:
    rounds = [
        ("chi devo richiamare?", "Due persone.\n\n1. **Luca Ricci** · ieri\n2. **Sara Neri** · oggi"),
        ("riassumi il primo", "…"),
    ]
    assert turns.understood(rounds, "e la mail?", NOW).said.slots == {"contact": "Luca Ricci", "field": "email"}


@pytest.mark.parametrize(("words", "agent"), [("il primo", "esecutore"), ("quante trattative ho?", None)])
def test_a_choice_for_a_write_is_for_the_agent_that_proposes(words: str, agent: str | None) -> None:
    said = [Said("user", "nota su Rossi: paga tardi", frozenset()), Said("assistant", WHICH, frozenset())]
    assert turns.agent_for(turns.rounds_of(said), words, NOW) == agent


@pytest.mark.parametrize(
    "text", ["", "?!", "«»", "…" * 3000, "a" * 20_000, "sposta a", "💥" * 50, "è l' d' \u0000", "di " * 4000]
)
def test_whatever_is_written_is_read_without_harm(text: str) -> None:
    assert not match.understand(text, NOW).writes


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Cantina Poggio Alto paga sempre a 60 giorni. Chi devo richiamare?", "to_call"),
        ("Ciao! Domani alle 15 chiama Rossi. Grazie", "create_task"),
        ("qual è il telefono del dott. Ferrari?", "contact_field"),
    ],
)
def test_of_several_sentences_the_one_that_wants_something_counts(text: str, intent: str) -> None:
    assert match.understand(text, NOW).intent == intent


@pytest.mark.parametrize(
    "text", ["chi chiama Rossi domani", "quando chiamo Rossi", "quanto costa spostare la riunione"]
)
def test_a_question_writes_nothing_even_without_its_mark(text: str) -> None:
    assert not match.understand(text, NOW).writes


def test_abbreviations_are_spelled_out_outside_of_quotation_marks_and_sizes() -> None:
    said = match.understand("aggiungi task: pannello 50 x 70 «nn x ven» x ven", NOW)
    assert said.slots == {"text": "pannello 50 x 70 «nn x ven» per venerdì"}


def test_what_is_dictated_is_kept_to_its_last_point() -> None:
    body = "vuole lo sconto. Ha tre sedi! " + "Sentirlo ancora. " * 200 + "Grazie?"
    assert match.understand(f"nota su Rossi: {body}", NOW).slots == {"contact": "Rossi", "body": body}
    assert match.understand(f"scrivi a Rossi: {body}", NOW).slots["body"] == body


def test_the_first_of_a_list_may_be_named_with_the_list() -> None:
    assert match.understand("segna fatta la prima attività scaduta", NOW).slots == {"pick": 1, "within": "scaduti"}


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("ricordami di chiamare il secondo domani", "domani chiamare Sara Neri"),
        ("ricordami il primo dicembre di pagare", "il primo dicembre pagare"),
    ],
)
def test_a_task_names_whom_the_list_before_counts(question: str, text: str) -> None:
    listed = [("chi devo richiamare?", "Due persone.\n\n1. **Luca Ricci** · ieri\n2. **Sara Neri** · oggi")]
    assert turns.understood(listed, question, NOW).said == match.Said("create_task", {"text": text})


@pytest.mark.parametrize(
    ("today", "said", "paid_on"),
    [
        ("2027-01-05", "il 28", "2026-12-28"),
        ("2026-12-01", "il 31", "2026-10-31"),
        ("2026-03-05", "il 31", "2026-01-31"),
        ("2026-03-05", "il 29/02", "2024-02-29"),
        ("2026-11-22", "il 3 dicembre", "2025-12-03"),
    ],
)
def test_a_payment_was_on_the_last_such_day(today: str, said: str, paid_on: str) -> None:
    text = f"la fattura 12 è stata pagata {said}"
    read = match.understand(text, datetime.fromisoformat(f"{today}T10:00"))
    assert read == match.Said("mark_invoice_paid", {"number": "12", "paid_on": paid_on})


@pytest.mark.parametrize(
    ("text", "understood_whole"),
    [
        ("quanto ho fatturato nei mesi estivi?", False),
        ("quanto fatturo al mese?", False),
        ("quanto ho fatturato a ottobre e dicembre?", False),
        ("quanto ho fatturato lo stesso mese dell'anno scorso?", False),
        ("fatture di Vivaio Primavera", True),
        ("chi doveva pagarmi settimane fa?", True),
        ("Lunedì vado in banca. Quanto ho fatturato nel 2025?", True),
        ("quanto ho incassato nel mese di ottobre?", True),
    ],
)
def test_days_that_are_not_read_are_known(text: str, understood_whole: bool) -> None:
    assert periods.is_understood(text, NOW.date()) is understood_whole


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("entrate di dicembre", {"state": "pagate", "from": "2026-12-01", "to": "2026-12-31"}),
        ("dimmi le entrate di ottobre", {"state": "pagate", "from": "2026-10-01", "to": "2026-10-31"}),
        ("incassi previsti a gennaio", {"state": "da_pagare", "from": "2027-01-01", "to": "2027-01-31"}),
    ],
)
def test_of_a_month_that_has_begun_is_told_what_came_in(text: str, slots: dict[str, str]) -> None:
    said = conversation.read([conversation.Asked(text)], datetime.fromisoformat("2027-01-04T10:00"))
    assert {name: said.slots.get(name) for name in slots} == slots


def test_who_asks_for_those_that_were_paid_means_those_that_were_listed() -> None:
    said = understood({"before": "quanto ho fatturato a ottobre?", "text": "e quelle pagate?"})
    assert said.slots == {
        "state": "pagate",
        "direction": "attiva",
        "by": "issued",
        "from": "2026-10-01",
        "to": "2026-10-31",
    }
