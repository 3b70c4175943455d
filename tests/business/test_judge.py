"""The judge of the business questions can fail an answer: each class with right, honest, asking and wrong ones."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date
from typing import Any

import pytest

from functions._shared import fatturapa, tax_ids
from tests.business import files, judge, measure, papers, people, reading
from tests.business.facts import Amount
from tests.business.judge import Answer, Question, Verdict
from tests.business.truth import Truth

TODAY = date(2026, 11, 23)
RIGHT, HONEST, ASKS, WRONG = Verdict.RIGHT, Verdict.HONEST, Verdict.ASKS, Verdict.WRONG
DEBT = Question("x", "crediti", "quanto mi deve Bianchi?", facts=["owed issued client:bianchi"],
                about=["issued client:bianchi"], never=["tutto saldato"])  # fmt: skip
NET = Question("x", "fatturato", "quanto ho fatturato a {month -2}?", facts=["net issued month:-2"],
               about=["issued month:-2"])  # fmt: skip
CLIENTS = Question("x", "conteggi", "quanti fornitori ho", facts=["count-people role:Fornitore"])
BEST = Question("x", "classifiche", "chi è il mio miglior cliente?", facts=["top net issued"], about=["issued"])
MEAN = Question("x", "medie", "in quanti giorni paga Rossi Arredamenti?", facts=["days issued client:rossi_arr"],
                about=["issued client:rossi_arr"])  # fmt: skip
PAID = Question("x", "incassi", "quando ha pagato il Teatro?", facts=["paidon i28"], about=["issued client:teatro"])
LATE = Question("x", "crediti", "quali fatture sono scadute?", facts=["numbers issued late"], about=["issued late"],
                only=True)  # fmt: skip
PLACE = Question("x", "luoghi", "ho qualcuno a Modena?", facts=["people city:Modena"], only=True)
HEARD = Question("x", "sentiti", "quando ho sentito Anna Bassi?", facts=["heard anna"], also=["talks"])
PHONE = Question("x", "recapiti", "telefono di Mario Rossi", facts=["phone mario_r"])
CONTRACT = Question("x", "contratti", "quando scade il contratto con Bianchi?", facts=["dueon c_bianchi"])
TASKS = Question("x", "attivita", "cosa ho da fare senza scadenza?", facts=["tasks undated"], only=True)
DEALS = Question("x", "trattative", "quanto ho in trattativa?", facts=["sum-deals open"], about=["deals open"])
LIGHT = "either paid received client:energia / gross received client:energia"
SPENT = Question("x", "parole", "quanto ho speso di luce?", facts=[LIGHT], about=["received client:energia"],
                 never=["luce s.r.l"])  # fmt: skip
NOTHING = Question("x", "crediti", "il Teatro mi deve qualcosa?", facts=["owed issued client:teatro"])
TAX = Question("x", "fatturato", "quanta IVA devo versare?", facts=["vatdue quarter:0"], or_honest=True)
QUOTES = "I tuoi documenti:\n\n**a.pdf**, pagina 1 [^1]\n> {}\n\n**b.pdf**, pagina 1 [^2]\n> {}"
AMBIGUOUS = Question("x", "ambiguo", "telefono di Ferrari", right="asks", facts=["contacts elena_f davide_f"])
UNKNOWN = Question("x", "ignoto", "quanto mi deve la ditta Colombo?", right="unknown", never=["tutto saldato"])
LOG = Question("x", "registrare", "ho sentito Luca ieri", right="action", tools=["interaction"],
               args=["contact luca", "day -1"])  # fmt: skip
SHORTER = Question("x", "lettere", "più corta", right="action", before=["scrivi un sollecito"], tools=["draft"],
                   args=["overdue issued client:bianchi"], change="shorter")  # fmt: skip
UNDO = Question("x", "lettere", "annulla", right="action", tools=["undo"], facts=["text annullat"])


def card(tool: str, *lines: str, **args: Any) -> dict[str, Any]:
    """Build a proposal as the chat sends it."""
    return {"tool": tool, "args": args, "preview": {"lines": [{"label": "", "value": each} for each in lines]}}


def letter(body: str) -> dict[str, Any]:
    """Build the proposal of an e-mail."""
    return card("draft_email", body=body)


@pytest.mark.parametrize(
    ("question", "text", "verdict"),
    [
        (DEBT, "Da incassare di Bianchi Costruzioni S.r.l.: **2.171,60 €** in 2 fatture.", RIGHT),
        (DEBT, "Ti deve 2.171,60 euro, di cui 1.769,00 € già scaduti.", RIGHT),
        (DEBT, "Ti deve 2.171,61 €.", WRONG),
        (DEBT, "Ti deve 2.598,60 €.", WRONG),
        (DEBT, "È tutto saldato.", WRONG),
        (DEBT, "Ti deve 2.171,60 € in 3 fatture.", WRONG),
        (DEBT, "Non ho capito la domanda.", HONEST),
        (DEBT, "Non ho capito, ma so che incassi 99,00 €.", WRONG),
        (DEBT, "Quale Bianchi intendi?", ASKS),
        (DEBT, "", WRONG),
        (NET, "A settembre hai fatturato 1.525,00 € netto (1.724,10 € IVA compresa).", RIGHT),
        (NET, "A settembre hai fatturato 1.724,10 €.", WRONG),
        (NET, "A settembre hai fatturato 1.525,00 €, ad agosto 2.000,00 €.", WRONG),
        (CLIENTS, "Hai 9 fornitori.", RIGHT),
        (CLIENTS, "Hai nove fornitori.", RIGHT),
        (CLIENTS, "Hai 8 fornitori.", WRONG),
        (CLIENTS, "Hai 9 fornitori e 80 clienti.", WRONG),
        (BEST, "Il migliore è Hotel Miramonti S.p.A., poi Officine Romagnole S.p.A.", RIGHT),
        (BEST, "Il migliore è Officine Romagnole S.p.A., poi Hotel Miramonti S.p.A.", WRONG),
        (BEST, "Non lo so.", HONEST),
        (MEAN, "Paga in media dopo 77,5 giorni.", RIGHT),
        (MEAN, "Paga in media dopo 30 giorni.", WRONG),
        (MEAN, "Ha 78 fatture.", WRONG),
        (PAID, "Ha pagato il 14 novembre.", RIGHT),
        (PAID, "Ha pagato sab 14/11.", RIGHT),
        (PAID, "Ha pagato il 14/11/2025.", WRONG),
        (PAID, "Ha pagato il 13 novembre.", WRONG),
        (LATE, "Sono 19/2026, 21/2026, 22/2026, 24/2026 e 26/2026.", RIGHT),
        (LATE, "Sono 19/2026 (del 28/10/2026), 21/2026, 22/2026, 24/2026 e 26/2026.", RIGHT),
        (LATE, "Sono 19/2026, 21/2026, 22/2026 e 24/2026.", WRONG),
        (LATE, "Sono 19/2026, 21/2026, 22/2026, 24/2026, 26/2026 e 29/2026.", WRONG),
        (PLACE, "A Modena hai Palestra Olimpia SSD a r.l. e Silvia Landi.", RIGHT),
        (PLACE, "A Modena hai Palestra Olimpia, Silvia Landi e Marco Neri.", WRONG),
        (PLACE, "A Modena non c’è nessuno.", WRONG),
        (HEARD, "L’ultima volta il 21 novembre.", RIGHT),
        (HEARD, "L’ultima volta due giorni fa, cioè 2 giorni fa.", RIGHT),
        (HEARD, "L’ultima volta il 1 marzo.", WRONG),
        (PHONE, "Il telefono di Mario Rossi: **333 5550148** [^1]", RIGHT),
        (PHONE, "Il telefono di Mario Rossi: 333 5550149", WRONG),
        (CONTRACT, "Il contratto scade il 27 gennaio 2027.", RIGHT),
        (CONTRACT, "Il contratto scade il 26 gennaio 2027.", WRONG),
        (CONTRACT, QUOTES.format("scade il 27 gennaio 2027", "Vale fino al 18 novembre 2027"), RIGHT),
        (CONTRACT, QUOTES.format("Vale fino al 18 novembre 2027", "scade il 27 gennaio 2027"), WRONG),
        (CONTRACT, "La garanzia vale fino al 18 novembre 2027. Il contratto scade il 27 gennaio 2027.", WRONG),
        (TASKS, "C’è solo **Riordinare l'archivio**.", RIGHT),
        (TASKS, "Ci sono Riordinare l’archivio e Rinnovare il dominio.", WRONG),
        (DEALS, "Hai 12.080,00 € in 8 trattative aperte.", RIGHT),
        (DEALS, "Hai 12.180,00 € in 8 trattative aperte.", WRONG),
        (SPENT, "Hai speso 420,90 € con Energia Emilia.", RIGHT),
        (SPENT, "Nessuna fattura ricevuta di Luce S.r.l.", WRONG),
        (NOTHING, "Niente: non ti deve nulla.", RIGHT),
        (NOTHING, "Ti deve 100,00 €.", WRONG),
        (TAX, "Quanto devi di IVA non lo so calcolare.", RIGHT),
        (TAX, "Devi 500,00 € di IVA.", WRONG),
        (AMBIGUOUS, "Quale «Ferrari» intendi? Elena Ferrari o Davide Ferrari?", RIGHT),
        (AMBIGUOUS, "Quale Ferrari intendi? Elena Ferrari?", ASKS),
        (AMBIGUOUS, "Il telefono di Elena Ferrari è 333 5550134.", WRONG),
        (AMBIGUOUS, "Non ho capito.", HONEST),
        (UNKNOWN, "Non trovo nessun contatto che si chiami Colombo.", RIGHT),
        (DEBT, "Ecco cosa dicono i tuoi documenti: niente di Bianchi.", WRONG),
        (DEBT, "Dimmi quale Bianchi.", ASKS),
        (UNKNOWN, "Quale Colombo intendi?", ASKS),
        (UNKNOWN, "Colombo ti deve 250,00 €.", WRONG),
        (UNKNOWN, "Nessuna fattura: è tutto saldato.", WRONG),
        (LOG, "Non posso registrarlo.", HONEST),
        (LOG, "Il telefono di Luca è 333 5550132.", WRONG),
    ],
)  # fmt: skip
def test_an_answer_is_judged_by_what_it_states(question: Question, text: str, verdict: Verdict) -> None:
    assert judge.judged(question, Answer(text), Truth(TODAY))[0] is verdict


LUCA = ("Luca Marchetti", "ieri, domenica 22 novembre")


@pytest.mark.parametrize(
    ("question", "answer", "verdict"),
    [
        (LOG, Answer("Controlla.", (card("log_interaction", *LUCA),)), RIGHT),
        (LOG, Answer("Controlla.", (card("log_interaction", LUCA[0], "oggi, lunedì 23 novembre"),)), WRONG),
        (LOG, Answer("Controlla.", (card("log_interaction", "Luca Neri", LUCA[1]),)), WRONG),
        (LOG, Answer("Controlla.", (card("create_task", *LUCA),)), WRONG),
        (DEBT, Answer("Ti deve 2.171,60 €.", (card("create_task"),)), WRONG),
        (SHORTER, Answer("", (letter("1.769,00 €"),), (letter("Paga 1.769,00 €"),)), RIGHT),
        (SHORTER, Answer("", (letter("Paga 1.769,00 €"),), (letter("1.769,00 €"),)), WRONG),
        (SHORTER, Answer("", (letter("1,00 €"),), (letter("Paga 1.769,00 €"),)), WRONG),
        (UNDO, Answer("Fatto: ho annullato la nota.", undone=1), RIGHT),
        (UNDO, Answer("Fatto: ho annullato la nota."), WRONG),
    ],
)  # fmt: skip
def test_an_action_is_judged_by_its_proposal(question: Question, answer: Answer, verdict: Verdict) -> None:
    assert judge.judged(question, answer, Truth(TODAY))[0] is verdict


def test_both_sets_have_a_hundred_questions_of_the_same_mix() -> None:
    tuned, held_out = (measure.questions(name) for name in ("tuned", "held_out"))
    assert (len(tuned), len(held_out)) == (100, 100)
    counts = [Counter(each.of for each in asked) for asked in (tuned, held_out)]
    assert all(abs(counts[0][of] - counts[1][of]) <= 1 for of in counts[0] | counts[1])
    every = [*tuned, *held_out, *measure.questions("practice")]
    assert len({json.dumps([*each.before, each.ask]) for each in every}) == len(every)


@pytest.mark.parametrize(
    "today", [date(2027, 1, 1), date(2028, 2, 29), date(2027, 3, 31), date(2026, 12, 31), date(2027, 7, 15)], ids=str
)
def test_every_expectation_can_be_computed_on_any_day(today: date) -> None:
    truth = Truth(today)
    for each in (each for name in measure.SETS for each in measure.questions(name)):
        assert truth.filled(each.ask)
        truth.books.figures(each.about)
        for fact in (*each.facts, *each.also, *each.args):
            assert fact == "talks" or truth.fact(fact) is not None
        assert each.facts or each.args or each.tools or each.right == "unknown", each.id


def test_the_files_of_the_business_are_what_its_definition_says() -> None:
    found = {name.split("_")[1].removesuffix(".xml"): fatturapa.read(file)[0] for name, file in files.invoices(TODAY)}
    assert len(found) == len(papers.INVOICES) == 65
    for key, invoice in found.items():
        told = papers.INVOICES[key]
        assert (invoice.net_cents, invoice.vat_cents, invoice.total_cents) == (
            told.net_cents, told.vat_cents, told.gross_cents,
        )  # fmt: skip
        assert [each.amount_cents for each in invoice.installments] == [each.cents for each in told.parts]
        assert not [each for each in invoice.findings if each.severity == "errore"], key
    drawn = dict(files.drawn(TODAY))
    assert len(drawn) == len(papers.PAPERS)
    assert all(drawn.values())
    assert dict(files.drawn(TODAY)) == drawn
    assert files.contact_csv().decode("cp1252").count("\r\n") == 63


def test_the_contacts_have_valid_numbers() -> None:
    assert len(people.CONTACTS) == 60
    for each in people.CONTACTS.values():
        assert each.vat_number is None or tax_ids.vat_number(each.vat_number) == each.vat_number
        assert each.tax_code is None or tax_ids.tax_code(each.tax_code) == each.tax_code


def test_the_arithmetic_agrees_with_sums_made_by_hand() -> None:
    truth = Truth(TODAY)
    by_hand = {
        # 1,450 and 330 with 22 % VAT; 980, 1,980 … of the others are paid or of others.
        "owed issued client:bianchi": 176_900 + 40_260,
        "overdue issued client:bianchi": 176_900,
        # 1,150 + 1,290 − 190.
        "net issued client:verdi": 225_000,
        # 20 % of 260 and of 415.
        "withheld issued": 5_200 + 8_300,
        "gross issued client:asilo": 48_000 + 62_000,
        "owed issued client:caffe": 45_750,
    }
    assert {fact: truth.fact(fact) for fact in by_hand} == {fact: Amount(cents) for fact, cents in by_hand.items()}


def test_the_first_of_a_month_is_read_as_it_is_written() -> None:
    assert reading.written_days("giovedì 1º ottobre 2026", TODAY) == {date(2026, 10, 1)}
