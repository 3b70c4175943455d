"""Figures of an answer: what a tool returned, the person said or can be counted stands; what was made up is marked."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, cast

import pytest

from backend.edge import api
from functions._shared.assistant import figures, origins
from functions._shared.assistant.turn import Turn

RESULTS: list[Any] = [
    {
        "rows": [
            {"label": "Fattura 2026/0012", "total_cents": 122000, "due_on": "2026-11-12", "vat": "IT12345678903"},
            {"label": "FT 7-B", "total_cents": 45050, "due_on": "2027-01-03", "phone": "+39 333 123 4567"},
        ],
        "count": 7,
        "total_cents": 167050,
        "at": "2026-11-23T14:30:00+00:00",
        "share": 0.22,
        "probability": 60,
    },
    {"quote": origins.labelled("documento", "Penale di euro 1.500 dopo 45 giorni, TAN 3,75%, tel. 02 1234 5678")},
]  # fmt: skip


def turn(question: str = "Quanto mi devono i 3 clienti di via Roma 18?") -> Turn:
    return Turn(
        context=cast("api.Context", None),
        user_id="u",
        conversation_id="c",
        message_id="m",
        question=question,
        now=datetime(2026, 11, 21, 9, 5, tzinfo=UTC),
        results=RESULTS,
    )


def marked(content: str) -> list[str]:
    encoded = content.encode("utf-16-le")
    return [encoded[2 * start : 2 * end].decode("utf-16-le") for start, end in figures.unverified(content, turn())]


@pytest.mark.parametrize(
    "content",
    [
        "Ti devono 1.670,50 € in tutto, di cui 1.220 € (1220,00 euro, € 1.220,00) da Rossi [^1].",
        "La fattura 2026/0012 scadeva il 12 novembre 2026, cioè il 12/11/2026, il 12/11, il 2026-11-12: 9 giorni fa.",
        "La FT 7-B scade il 3 gennaio, il 3 gen. 2027, a gennaio 2027, fra 43 giorni; nel 2027.",
        "P.IVA 12345678903, telefono 333 1234567 o +39 3331234567 o 02 12345678, uffici in via Roma 18.",
        "Appuntamento il 23 novembre alle 15:30. Oggi è il 21 novembre 2026, domani il 22; sono le 10:05.",
        "Al 22%, probabilità 60 %, TAN 3,75%, penale 1.500 € dopo 45 giorni (1,5 mila).",
        "Sono 7 fatture, 2 qui sotto:\n\n1. Rossi\n2. Verdi\n\n3 clienti in tutto [^2] e il modello F24.",
        "Ecco 4 idee:\n- a\n- b\n- c\n- d\n\n| Cliente | Importo |\n|---|---|\n| Rossi | 450,50 |",
        "1.220,00 € + 450,50 € + 45 = 1.715,50 €, e 1.220,00 − 450,50 = 769,50; 7 × 60 = 420.",
        "- Rossi: 1.220,00 €\n- Verdi: 450,50 €\n- Penale: 1.500 €\n\nIn tutto **3.170,50 €**.",
        "| A | N. | € |\n|---|--:|--:|\n| A | 7 | 1.220,00 |\n| B | 60 | 45 |\n| Totale | 67 | **1.265,00** |",
        "[Rossi](/crm/3f2b8c1a-0000-4000-8000-123456789012) ti aspetta.",
    ],
)
def test_what_is_borne_out_stands(content: str) -> None:
    assert marked(content) == []


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Rossi ti deve 1.221,00 € e 12.200 €.", ["1.221,00", "12.200"]),
        ("😀 In tutto 9.999,99 €", ["9.999,99"]),
        ("Scade il 13 novembre 2026, il 12 novembre 2025, il 2026-11-14 alle 15:31.",
         ["13 novembre 2026", "12 novembre 2025", "2026-11-14", "15:31"]),
        ("Chiama il 333 1234568, P.IVA 12345678904.", ["333 1234568", "12345678904"]),
        ("La fattura 2026/001 e la 026/0012.", ["2026/001", "026/0012"]),
        ("Sono 19 fatture, il 35% di 80 giorni, 2 milioni nel 2031.", ["19", "35", "80", "2 milioni", "2031"]),
        ("1. Rossi deve 777 €\n2. Verdi", ["777"]),
        ("Sono 122000 euro", ["122000"]),
        ("1.220,00 € + 450,50 € = 1.671,50 €", ["1.671,50"]),
        ("1.220,00 € + 333,00 € = 1.553,00 €", ["333,00", "1.553,00"]),
        ("- Rossi: 1.220,00 €\n- Verdi: 450,50 €\n\nTotale: 1.700,00 €", ["1.700,00"]),
        ("a febbraio 2027", ["febbraio 2027"]),
    ],
)  # fmt: skip
def test_what_was_made_up_is_marked(content: str, expected: list[str]) -> None:
    assert marked(content) == expected


def test_places_are_counted_as_browsers_count() -> None:
    assert figures.unverified("😀😀 9.999 €", turn()) == [(5, 10)]


def test_what_an_earlier_answer_had_from_tools_stands_and_nothing_else() -> None:
    earlier = "Rossi ti deve 980,40 € dal 3 marzo 2025 [^9], forse 777 €, e tu ne volevi 555."
    place = earlier.index("777")
    asked = turn("E in tutto?")
    asked.earlier += figures.borne_out(earlier, [[place, place + 3]], "Volevo 555 euro da Rossi: quanto mi deve?")
    assert asked.earlier == ["980,40", "3 marzo 2025"]
    content = "Come detto 980,40 € dal 3 marzo 2025; 777 €, 555 € e 9 no."
    found = content.encode("utf-16-le")
    assert [found[2 * start : 2 * end].decode("utf-16-le") for start, end in figures.unverified(content, asked)] == [
        "777",
        "555",
        "9",
    ]
