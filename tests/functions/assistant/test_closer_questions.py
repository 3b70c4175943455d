"""What papers, people, deals, projects and payments are asked about is answered from the rows of a made-up business."""

from __future__ import annotations

import pytest
from starlette.types import ASGIApp

from backend.core.resources import Resources
from functions._shared import italian_dates
from tests.business import measure, papers
from tests.business.judge import Question
from tests.business.truth import Truth
from tests.functions.assistant.chatting import Talk
from tests.functions.assistant.test_truth import says, tool

pytestmark = pytest.mark.anyio


def answers(truth: Truth) -> list[tuple[str, list[str]]]:
    """Return questions with what their answers have to say."""
    number = papers.numbers(truth.today)
    return [
        ("fino a quando vale il contratto del coworking?", ["Spazio", "scade"]),
        ("quando scade il contratto con i marziani?", ["Non trovo nessun contratto con «marziani»"]),
        ("che massimale ha la polizza?", ["500.000"]),
        ("quanto era l'F24 dell'Iva?", ["1.130,00 €"]),
        ("quanto chiede il preventivo per la segnaletica?", ["Tra i documenti non trovo", "2.450,00 €"]),
        ("trova il preventivo per Salvia", ["1 preventivo", "salvia"]),
        ("cosa c'era nella fattura {i12}?", ["Vetrofanie", "310,00 €", "Montaggio vetrofanie", "95,00 €"]),
        ("in quale fattura ho messo il trasporto?", ["«trasporto» compare in", number["i17"], number["i37"]]),
        (
            "in quale fattura ho messo gli ombrelli?",
            ["Non lo so: nelle righe", "«ombrelli» non compare", "Scansioni e PDF"],
        ),
        ("a chi ho fatturato il trasporto?", ["L’hai fatturato a", "Rossi Arredamenti", "Officine Romagnole"]),
        ("chi mi ha fatturato il trasporto?", ["Te l’ha fatturato", "Corriere Lampo"]),
        ("chi abita a Forlì?", ["a Forli", "Forlì"]),
        ("ho qualcuno a Palermo?", ["nessuno ha Palermo in scheda"]),
        ("in che città è l'Asilo La Coccinella?", ["Faenza"]),
        ("con chi non parlo da più di tre mesi?", ["che non senti da più di 90 giorni", "mai sentiti"]),
        (
            "quanto vale la trattativa con la Cantina Belvedere?",
            ["Sito per la cantina", "3.200,00 €", "fase Trattativa"],
        ),
        ("a che punto è la trattativa con Garibaldi?", ["Non trovo trattative con «garibaldi»"]),
        ("quando va consegnato il progetto della spa?", ["Nuova spa Miramonti", "consegna"]),
        ("quando va consegnato il progetto ponte?", ["Non trovo un progetto con «ponte»"]),
        ("quali progetti sono in pausa?", ["1 progetto in pausa", "Mostra Luce"]),
        ("quale fattura non ha una scadenza?", ["1 fattura aperta non ha una scadenza", number["i35"]]),
        ("da quanti giorni è scaduta la fattura di Dall'Olio?", [number["i32"], "da 38 giorni"]),
        ("quanti giorni di ritardo ha la Libreria?", ["Non trovo fatture scadute"]),
        ("Verdi quando ha pagato il packaging?", [number["i25"], "Pagata"]),
        ("quando ha pagato Marco Neri?", ["non risulta aver pagato", "restano 323,30 €"]),
        ("qual è la fattura più alta che ho fatto?", [number["i02"], "più alta"]),
        ("qual è la trattativa più grossa?", ["Sito per la cantina", "3.200,00 €"]),
        (
            "quanta iva ho pagato ai fornitori quest'anno?",
            ["IVA sulle fatture ricevute", "lo stabilisce il tuo commer"],
        ),
    ]


async def test_the_answers_are_those_of_the_rows(app: ASGIApp, resources: Resources) -> None:
    async with measure.office(resources, app) as (talk, truth):
        asked = answers(truth)
        number = papers.numbers(truth.today)
        said = {}
        for question, _ in asked:
            await talk.query("delete from private.assistant_use")
            said[question] = await says(talk, question.format(**number))
        missing = [(each, said[question]) for question, parts in asked for each in parts if each not in said[question]]
        assert missing == []
        await _tools(talk, truth)


def _month(truth: Truth) -> str:
    """Return the month in which most was invoiced, net."""
    months: dict[str, int] = {}
    for of in papers.ISSUED:
        issued_on = of.issued_on(truth.today)
        month = italian_dates.month_and_year(issued_on)
        months[month] = months.get(month, 0) + truth.books.total("net", [of])
    return max(months, key=lambda month: months[month])


LETTERS = [
    ("più gentile", "spero che vada tutto bene"),
    ("falla più breve", "vi ricordo il pagamento"),
    ("più decisa", "vengo subito al punto"),
    ("dalle del tu", "Ciao "),
]


async def test_a_letter_is_written_again_in_another_tone(app: ASGIApp, resources: Resources) -> None:
    async with measure.office(resources, app) as (talk, truth):
        first, other = (papers.numbers(truth.today)[key] for key in ("i34", "i29"))
        for change, part in LETTERS:
            asked = [f"scrivi un sollecito a Bianchi per la fattura {first}", change]
            question = Question("x", "lettere", asked[1], before=asked[:1])
            answer = await measure.answered(talk, question, truth)
            assert answer.cards, answer.text
            [card] = answer.cards
            body = card["args"]["body"]
            assert part in body
            assert first in body
            assert other not in body


async def _tools(talk: Talk, truth: Truth) -> None:
    """Check what models get from the same tools."""
    spent = await tool(talk, "list_invoices", direction="passiva", by="issued")
    books = truth.books
    assert spent["received"]["vat"] == spent["vat"]
    assert _cents(spent["vat"]) == books.total("vat", books.invoices(["received"]))
    largest = await tool(talk, "list_invoices", direction="attiva", order="largest")
    amounts = [row["total_cents"] for row in largest["rows"] if row.get("kind") is None]
    assert amounts == sorted(amounts, reverse=True)
    undated = await tool(talk, "list_invoices", state="da_pagare", without_due=True)
    assert [row.get("due") for row in undated["rows"]] == [None] * undated["count"] != []
    lines = await tool(talk, "find_invoice_lines", query="stampa", direction="passiva")
    assert {row["direction"] for row in lines["rows"]} == {"passiva"}
    assert lines["searched"] == len(papers.RECEIVED)
    forli = await tool(talk, "list_contacts", place="Forlì")
    assert {row["city"] for row in forli["rows"]} == {"Forlì"}


def _cents(amount: str) -> int:
    return int(amount.removesuffix(" €").replace(".", "").replace(",", ""))
