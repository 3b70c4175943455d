"""Statements that everything is paid: marked unless a tool result of the turn proves them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, cast

import pytest

from backend.edge import api
from functions._shared.assistant import settlements
from functions._shared.assistant.turn import Turn

OPEN: list[Any] = [{"rows": [{"open_cents": 36_600}], "count": 1}, {"rows": [], "all_paid": False}]
PAID: list[Any] = [{"contact": {"name": "Neri"}, "invoices": {"rows": [], "all_paid": True}}]


def marked(content: str, results: list[Any]) -> list[str]:
    turn = Turn(
        context=cast("api.Context", None),
        user_id="u",
        conversation_id="c",
        message_id="m",
        question="Neri ha saldato tutto?",
        now=datetime(2026, 11, 21, 9, 5, tzinfo=UTC),
        results=results,
    )
    encoded = content.encode("utf-16-le")
    return [encoded[2 * start : 2 * end].decode("utf-16-le") for start, end in settlements.unproved(content, turn)]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Neri S.r.l. 😀: è tutto saldato.", ["tutto saldato"]),
        ("Sì, Neri ha già pagato tutto. Le fatture risultano tutte pagate.", ["ha già pagato tutto", "tutte pagate"]),
        ("Neri non ti deve più nulla, e tu non devi niente a lui.", ["non ti deve più nulla", "non devi niente"]),
        ("Nessuno ti deve soldi", ["Nessuno ti deve soldi"]),
    ],
)
def test_everything_paid_is_marked_without_a_proof(content: str, expected: list[str]) -> None:
    assert marked(content, OPEN) == expected
    assert marked(content, []) == expected
    assert marked(content, PAID) == []


@pytest.mark.parametrize(
    "content",
    [
        "Non ho registrato fatture emesse di Neri, quindi non so se è tutto saldato.",
        "Non è tutto pagato: restano 366,00 €.",
        "Quando avrà pagato tutto te lo dico. È tutto saldato?",
        "La fattura 12 è pagata; ti deve 366,00 € per la 13.",
    ],
)
def test_what_states_nothing_is_left_alone(content: str) -> None:
    assert marked(content, OPEN) == []
