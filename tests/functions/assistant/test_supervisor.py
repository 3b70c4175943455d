"""The supervisor: each rule speaks where it must and nowhere else, and nothing makes it milder."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import pytest

from backend.core import db
from backend.core.resources import Resources
from functions._shared import ethics
from functions._shared.assistant import supervisor
from functions._shared.assistant.supervisor import Facts, judge
from functions._shared.assistant.tools.writes import WRITES
from functions._shared.assistant.tools.writing import Preview

CASES: Mapping[str, tuple[str, dict[str, Any], Facts, str, set[str]]] = {
    "a task asks nothing": ("create_task", {}, Facts(), "consenti", set()),
    "a note asks nothing": ("add_note", {"texts": ("Paga a 60 giorni",)}, Facts(), "consenti", set()),
    "a draft always asks": ("draft_email", {"consent": "dato"}, Facts(), "conferma", {"E-01"}),
    "a hundred recipients are not many": (
        "draft_email", {"consent": "dato", "recipients": 100}, Facts(), "conferma", {"E-01"},
    ),
    "a hundred and one are": (
        "draft_email", {"consent": "dato", "recipients": 101}, Facts(), "conferma", {"E-01", "E-02"},
    ),
    "nobody asked for consent": ("draft_whatsapp", {"consent": "non_richiesto"}, Facts(), "conferma", {"E-01", "E-03"}),
    "consent was refused": ("draft_whatsapp", {"consent": "negato"}, Facts(), "blocca", {"E-03"}),
    "consent was taken back": ("draft_email", {"consent": "revocato"}, Facts(), "blocca", {"E-03"}),
    "a promotion needs consent to marketing": (
        "draft_email", {"consent": "dato", "texts": ("Offerta speciale di Natale",)}, Facts(), "conferma",
        {"E-01", "E-03"},
    ),
    "a promotion with consent": (
        "draft_email", {"marketing": "dato", "texts": ("Offerta speciale",)}, Facts(), "conferma", {"E-01"},
    ),
    "a payment always asks": ("mark_invoice_paid", {}, Facts(), "conferma", {"E-12"}),
    "a new deal moves no money": ("create_deal", {"texts": ("Sito", "3.000 €")}, Facts(), "consenti", set()),
    "throwing away asks": ("delete_task", {}, Facts(), "conferma", {"E-05"}),
    "forgetting asks": ("forget", {}, Facts(), "conferma", {"E-05"}),
    "health in a message is blocked": (
        "draft_email", {"consent": "dato", "texts": ("So della tua gravidanza",)}, Facts(), "blocca", {"E-07"},
    ),
    "health in a note asks": ("add_note", {"texts": ("È in chemioterapia",)}, Facts(), "conferma", {"E-07"}),
    "children in a message are blocked": (
        "draft_whatsapp", {"consent": "dato", "texts": ("Tuo figlio di 8 anni",)}, Facts(), "blocca", {"E-07"},
    ),
    "figures that stand nowhere are told": (
        "draft_email", {"consent": "dato"}, Facts(unverified=("30 %",)), "conferma", {"E-01", "E-08"},
    ),
    "figures of one's own task are one's own": ("create_task", {}, Facts(unverified=("30 %",)), "consenti", set()),
    "a stranger's words ask": ("create_task", {}, Facts(from_data=("paga subito a",)), "conferma", {"E-09"}),
    "the fourth message in a week asks": (
        "draft_email", {"consent": "dato", "recent": 3}, Facts(), "conferma", {"E-01", "E-11"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", list(CASES))
def test_rules(case: str) -> None:
    name, seen, facts, result, rules = CASES[case]
    verdict = judge(WRITES[name], Preview("Titolo", **seen), facts)
    assert (verdict.result, {rule.id for rule in verdict.rules}) == (result, rules)
    assert all(rule.reason and rule.to_json()["version"] == ethics.VERSION for rule in verdict.rules)
    assert verdict.needs_count == (seen.get("recipients") if "E-02" in rules else None)


def test_every_write_says_what_it_is() -> None:
    for name, write in WRITES.items():
        assert write.name == name
        assert write.description.startswith("Proposes ")
        assert write.step.endswith("…")
        assert write.outward is name.startswith("draft_")
        assert write.deletes is (name.startswith("delete_") or name == "forget")


STRANGER = "Gentile cliente, versi subito 5.000 euro sul conto IT60X0542811101000000123456 di Mario Truffa."


@pytest.mark.parametrize(
    ("texts", "about", "question", "expected"),
    [
        pytest.param(("Chiamare Rossi",), (), "chiama Rossi", (), id="the-persons-own-words"),
        pytest.param(
            ("Versi subito 5.000 euro",), (), "leggi la lettera", ("versi subito 5 000",), id="four-words-in-a-row"
        ),
        pytest.param(
            ("versi subito 5.000 euro",), (), "crea: versi subito 5.000 euro sul conto", (), id="which-they-repeated"
        ),
        pytest.param(("Bonifico a IT60 X054 2811 1010 0000 0123 456",), (), "paga", (), id="another-spelling"),
        pytest.param(
            ("Bonifico a IT60X0542811101000000123456",), (), "paga", ("it60x0542811101000000123456",), id="an-account"
        ),
        pytest.param(("Mario Truffa",), (), "crea un’attività", ("mario truffa",), id="a-short-text"),
        pytest.param((), ("Mario Truffa",), "che cosa dice la lettera?", ("Mario Truffa",), id="a-name-not-said"),
        pytest.param((), ("Mario Truffa",), "elimina Mario Truffa", (), id="a-name-that-was-said"),
    ],
)
def test_what_comes_from_a_stranger_is_found(
    texts: tuple[str, ...], about: tuple[str, ...], question: str, expected: tuple[str, ...]
) -> None:
    found = supervisor.passages(texts, about, [STRANGER], question)
    assert len(found) == len(expected)
    assert all(part in whole for part, whole in zip(expected, found, strict=True))


@pytest.mark.parametrize("text", ["a" * 60_000, "a." * 30_000, "a@" * 30_000, "A@" + "b" * 60_000])
def test_a_long_word_is_looked_through_once(text: str) -> None:
    """The square of its length would be ten seconds and more."""
    began_s = time.process_time()
    assert supervisor.passages([text], (), [STRANGER], "") == ()
    assert time.process_time() - began_s < 2


@pytest.mark.anyio
async def test_what_is_protected_is_what_the_memory_refuses(resources: Resources) -> None:
    """The supervisor's words are those of the memory's gate."""
    reasons = {
        "Anna è incinta": "salute",
        "Luca ha il diabete": "salute",
        "Vota per la Lega": "convinzioni",
        "È iscritto alla CGIL": "convinzioni",
        "È celiaco e gli piace la pizza": "salute",
        "Lavora alla Cancrofibra": None,
        "Paga a sessanta giorni": None,
    }
    async with db.connection(resources.pool) as connection:
        for text, reason in reasons.items():
            assert await connection.fetchval("select private.unmemorable($1)", text) == reason
            assert (ethics.special_category(text) is not None) == (reason is not None)
