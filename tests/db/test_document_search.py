"""Finding what stands in documents: words, stems, near misses, numbers; where it stands; passages that answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from functions._shared.documents.words import laid_out
from tests.db import access, accounts, crm, documents, ledger
from tests.db.access import PEOPLE
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

OWNER, STRANGER = PEOPLE["owner"], PEOPLE["stranger"]
WATER = """Spett.le Verdi S.r.l. P.IVA IT00743110157
Fattura n. 77/2026 del 01/03/2026. Consumo dell'acqua potabile e deprezza-
mento dei contatori. Totale da pagare: 1.234,50 euro entro il 31/03/2026.
IBAN IT60 X054 2811 1010 0000 0123 456. La città ringrazia."""
RENT = "Contratto di locazione. Il conduttore versa il canone ogni mese. La caldaia è revisionata dal locatore."


async def _call(
    connection: Connection, function: str, *arguments: Any, role: str = "owner"
) -> Sequence[asyncpg.Record]:
    places = ", ".join(f"${place}" for place in range(1, len(arguments) + 1))
    async with access.acting(connection, role):
        return await connection.fetch(f"select * from public.{function}({places})", *arguments)


async def _found(connection: Connection, query: str, role: str = "owner") -> list[tuple[str, int | None]]:
    rows = await _call(connection, "search_documents", query, role=role)
    return [(row["filename"], row["page"]) for row in rows]


@pytest.fixture
async def filled(connection: Connection) -> Connection:
    water = await documents.document(connection, OWNER, filename="bolletta_acqua.pdf", kind="fattura")
    rent = await documents.document(connection, OWNER, filename="locazione.pdf", kind="contratto")
    await documents.page(connection, water, WATER)
    await documents.page(connection, rent, RENT)
    await documents.page(connection, rent, "Seconda pagina: registrazione del contratto.", no=2)
    return connection


PAGE = ("bolletta_acqua.pdf", 1)


@pytest.mark.parametrize(
    "query",
    [
        "potabile",
        "POTABILE",
        "dell'acqua",
        "dell’acqua",
        "citta",
        "città",
        "contatore",
        "ringrazi",
        "deprezzamento",
        "potabbile",
        "deprezzamneto",
        "1.234,50",
        "1234,50",
        "1234",
        "77/2026",
        "31/03/2026",
        "IT60X0542811101000000123456",
        "it60 x054 2811 1010 0000 0123 456",
        "IT 60 X 05428 11101 000000123456",
        "00743110157",
        "IT00743110157",
        "srl",
        "contatore inesistente",
        "potabile & !citta | (<-> ')",
    ],
)
async def test_page_is_found_first_by(query: str, filled: Connection) -> None:
    first = (await _call(filled, "search_documents", query))[0]
    assert (first["filename"], first["page"]) == PAGE
    marks = first["marks"]
    assert marks
    assert marks == sorted(marks)


@pytest.mark.parametrize("query", ["", " ", "a", "!", "&|!():*<->", "il la di", "xyzxyz", "\\", "'", "%", "\U0001f600"])
async def test_nothing_is_found_by(query: str, filled: Connection) -> None:
    assert await _found(filled, query) == []
    assert await _call(filled, "ask_documents", query) == []


async def test_a_query_of_ten_thousand_characters_is_answered(filled: Connection) -> None:
    assert ("bolletta_acqua.pdf", 1) in await _found(filled, "potabile " + "parola " * 1_500)


async def test_a_snippet_marks_what_was_found_and_shows_broken_words_whole(filled: Connection) -> None:
    row = (await _call(filled, "search_documents", "deprezzamento acqua"))[0]
    marked = [row["snippet"][start:end] for start, end in zip(row["marks"][::2], row["marks"][1::2], strict=True)]
    assert marked == ["acqua", "deprezzamento"]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("deprezzamento", ["deprezza- mento"]),
        ("IT60X0542811101000000123456", ["IT60 X054 2811 1010 0000 0123 456."]),
        ("potabbile", ["potabile"]),
        ("citta acqua", ["dell'acqua", "città"]),
        ("pagamento", ["pagare:"]),
        ("locatore", []),
    ],
)
async def test_hits_say_which_words_of_a_page_fit(query: str, words: list[str], filled: Connection) -> None:
    document_id = await filled.fetchval("select id from public.documents where filename = 'bolletta_acqua.pdf'")
    rows = await _call(filled, "document_hits", document_id, query)
    written = WATER.split()
    assert [" ".join(written[row["word_from"] : row["word_to"] + 1]) for row in rows] == words
    for row in rows:
        boxes = documents.words_of(WATER)[row["word_from"] : row["word_to"] + 1]
        assert row["box"] == [
            min(box[1] for box in boxes), min(box[2] for box in boxes),
            max(box[3] for box in boxes), max(box[4] for box in boxes),
        ]  # fmt: skip


@pytest.mark.parametrize("query", ["contratti", "registrazone", "caldaia", "contratto caldaia"])
async def test_hits_agree_with_the_pages_that_are_found(query: str, filled: Connection) -> None:
    found = await _call(filled, "search_documents", query)
    pages = {(row["document_id"], row["page"]) for row in found if row["page"]}
    assert pages
    assert pages == {
        (document_id, row["page"])
        for document_id in {document_id for document_id, _ in pages}
        for row in await _call(filled, "document_hits", document_id, query)
    }


@pytest.mark.parametrize("query", ["gialli srl", "gialli S.r.l.", "gialli s r l"])
async def test_a_company_form_is_found_however_it_is_written(query: str, filled: Connection) -> None:
    for name in ("Gialli srl", "Gialli S.r.l.", "Gialli S. r. l.", "Gialli s r l"):
        document_id = await documents.document(filled, OWNER, filename="carta.pdf")
        await documents.page(filled, document_id, f"Preventivo di {name} del giorno")
        assert (document_id, 1) in {
            (row["document_id"], row["page"]) for row in await _call(filled, "search_documents", query)
        }
        rows = await _call(filled, "document_hits", document_id, query)
        last = 3 + len(name.split()) - 2
        assert [(row["word_from"], row["word_to"]) for row in rows] == [(2, 2), (3, last)]


async def test_pages_without_boxes_have_hits_too(filled: Connection) -> None:
    await filled.execute("update public.document_pages set words = '[]'")
    document_id = await filled.fetchval("select id from public.documents where filename = 'locazione.pdf'")
    rows = await _call(filled, "document_hits", document_id, "caldaia")
    assert [(row["page"], row["word_from"], row["word_to"], row["box"]) for row in rows] == [(1, 11, 11, None)]


async def test_rare_words_come_before_words_that_stand_everywhere(filled: Connection) -> None:
    for number in range(6):
        other = await documents.document(filled, OWNER, filename=f"altra{number}.pdf")
        await documents.page(filled, other, "Totale euro totale da pagare fattura")
    assert (await _found(filled, "totale fattura caldaia"))[0] == ("locazione.pdf", 1)


async def test_at_most_three_pages_of_a_document_are_shown_the_best_of_each_first(connection: Connection) -> None:
    for name in ("lungo.pdf", "corto.pdf"):
        document_id = await documents.document(connection, OWNER, filename=name)
        for no in range(1, 6 if name == "lungo.pdf" else 2):
            await documents.page(connection, document_id, "Verbale della riunione", no=no)
    found = await _found(connection, "verbale riunione")
    assert sorted(found[:2]) == [("corto.pdf", 1), ("lungo.pdf", 1)]
    assert found[2:] == [("lungo.pdf", 2), ("lungo.pdf", 3)]


async def test_what_is_known_about_a_document_finds_it(filled: Connection) -> None:
    document_id = await filled.fetchval("select id from public.documents where filename = 'locazione.pdf'")
    contact_id = await crm.contact(filled, OWNER, first_name="Ermenegildo", last_name="Zanon")
    await filled.execute("update public.documents set contact_id = $2 where id = $1", document_id, contact_id)
    await documents.field(filled, document_id, "number", "A-991/B")
    await filled.execute(
        "insert into public.document_tags (user_id, document_id, tag_id) select user_id, $1, id from public.tags"
        " where name = 'Libero'",
        document_id,
    )
    for query in ("ermenegildo", "zanon", "A-991/B", "libero", "locazione.pdf"):
        assert ("locazione.pdf", None) in await _found(filled, query)
    await filled.execute("update public.contacts set last_name = 'Brambilla' where id = $1", contact_id)
    assert await _found(filled, "zanon") == []
    assert await _found(filled, "brambilla") == [("locazione.pdf", None)]
    # A page counts more when the rest of what was typed is known of its document.
    assert (await _found(filled, "brambilla registrazione"))[0] == ("locazione.pdf", 2)


@pytest.mark.parametrize(
    ("wanted", "is_found"),
    [
        ({"kind": "contratto"}, True),
        ({"kind": "fattura"}, False),
        ({"state": "pronto", "from": "2020-01-01"}, True),
        ({"to": "2020-01-01"}, False),
        ({"contact_id": "00000000-0000-4000-8000-00000000ffff"}, False),
        ({"tag_id": "00000000-0000-4000-8000-0000000000e0"}, False),
    ],
    ids=str,
)
async def test_a_filter_leaves_documents_out(wanted: dict[str, str], is_found: bool, filled: Connection) -> None:
    rows = await _call(filled, "search_documents", "caldaia", 50, json.dumps(wanted))
    assert [row["filename"] for row in rows] == ["locazione.pdf"] * is_found


async def test_the_trash_is_neither_found_nor_counted(filled: Connection) -> None:
    words = "select count(*), sum(pages) from private.document_words where user_id = $1"
    before = await filled.fetchrow(words, OWNER)
    trash = "update public.documents set deleted_at = $1 where filename = 'locazione.pdf'"
    await filled.execute(trash, datetime.now(UTC))
    assert await _found(filled, "caldaia") == []
    assert await _call(filled, "ask_documents", "caldaia") == []
    assert await filled.fetchval("select pages from private.document_words where word = 'caldaia'") == 0
    assert await ledger.broken(filled) == {}
    await filled.execute(trash, None)
    assert await ledger.broken(filled) == {}
    assert await _found(filled, "caldaia") == [("locazione.pdf", 1)]
    assert await filled.fetchrow(words, OWNER) == before


async def test_the_vocabulary_counts_what_pages_hold_whatever_happens_to_them(filled: Connection) -> None:
    document_id = await filled.fetchval("select id from public.documents where filename = 'locazione.pdf'")
    await filled.execute("update public.document_pages set text = 'Caldaia' where document_id = $1", document_id)
    await filled.execute("update public.documents set filename = 'caldaia.pdf' where id = $1", document_id)
    pages = "select pages from private.document_words where user_id = $1 and word = $2"
    assert await filled.fetchval(pages, OWNER, "caldaia") == 3
    assert await filled.fetchval(pages, OWNER, "conduttore") == 0
    await filled.execute("delete from public.documents where id = $1", document_id)
    assert await filled.fetchval(pages, OWNER, "caldaia") is None
    assert await ledger.broken(filled) == {}


async def test_with_an_account_goes_all_that_is_kept_of_its_pages(filled: Connection) -> None:
    leaver = await accounts.create(filled)
    document_id = await documents.document(filled, leaver)
    await documents.page(filled, document_id, "Segretissimo")
    await filled.execute("delete from auth.users where id = $1", leaver)
    for table in ("document_words", "document_search"):
        assert not await filled.fetchval(f"select exists (select from private.{table} where user_id = $1)", leaver)


@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("Quanto devo pagare in totale?", "Totale da pagare: 1.234,50 euro entro il 31/03/2026."),
        ("Qual è l'IBAN?", "IBAN IT60 X054 2811 1010 0000 0123 456."),
        ("Chi revisiona la caldaia?", "La caldaia è revisionata dal locatore."),
    ],
)
async def test_a_question_is_answered_by_its_sentence(question: str, quote: str, filled: Connection) -> None:
    row = (await _call(filled, "ask_documents", question))[0]
    assert row["quote"] == quote
    written = (WATER if row["filename"] == "bolletta_acqua.pdf" else RENT).split()
    assert " ".join(written[row["word_from"] : row["word_to"] + 1]) == quote


CLAUSES = """Art. 5 Recesso. Il conduttore recede con sei mesi di preavviso a norma dell'art. 27 della legge n. 392/1978
per gravi motivi. Il Sig. Rossi della Edil S.r.l. Costruzioni consegna le chiavi. Il deposito è restituito."""
ENDLESS = f"Il fornitore garantisce {'materiali e ' * 40}la manutenzione della pompa {'e controlli ' * 40}a norma."


@pytest.mark.parametrize(
    ("text", "question", "quote"),
    [
        (
            CLAUSES,
            "Con quale preavviso recede?",
            (
                "Il conduttore recede con sei mesi di preavviso a norma dell'art. 27 della legge n. 392/1978 "
                "per gravi motivi."
            ),
        ),
        (CLAUSES, "Chi consegna le chiavi?", "Il Sig. Rossi della Edil S.r.l. Costruzioni consegna le chiavi."),
    ],
    ids=["abbreviations in the sentence", "a company form"],
)
async def test_a_passage_is_whole_sentences(connection: Connection, text: str, question: str, quote: str) -> None:
    await documents.page(connection, await documents.document(connection, OWNER), text)
    assert [row["quote"] for row in await _call(connection, "ask_documents", question)] == [quote]


async def test_a_sentence_that_is_too_long_is_cut_between_words(connection: Connection) -> None:
    await documents.page(connection, await documents.document(connection, OWNER), ENDLESS)
    (row,) = await _call(connection, "ask_documents", "manutenzione della pompa")
    quote = row["quote"]
    assert (quote[0], quote[-1]) == ("…", "…")
    assert "la manutenzione della pompa" in quote
    assert f" {quote[1:-1]} " in ENDLESS
    assert len(quote) < 500
    assert quote[1:-1].split() == ENDLESS.split()[row["word_from"] : row["word_to"] + 1]


FORM = """Cliente Verdi Impianti S.n.c.
Codice cliente 4471
Data di consegna prevista
18 giugno 2026
Trasporto furgone 1 40,00
Montaggio della pensilina in giardino, con due operai 2 90,00
Smaltimento macerie 1 55,00"""


@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("Chi è il cliente Verdi Impianti?", "Cliente Verdi Impianti S.n.c."),
        ("Qual è la data di consegna prevista?", "Data di consegna prevista 18 giugno 2026"),
        ("Quanto costa il montaggio?", "Montaggio della pensilina in giardino, con due operai 2 90,00"),
    ],
)
async def test_a_passage_of_a_form_is_its_lines(connection: Connection, question: str, quote: str) -> None:
    document_id = await documents.document(connection, OWNER)
    (page,) = laid_out(FORM)
    await documents.page(connection, document_id, FORM)
    await connection.execute(
        "update public.document_pages set words = $2::text::jsonb where document_id = $1",
        document_id,
        json.dumps(page.words),
    )
    assert [row["quote"] for row in await _call(connection, "ask_documents", question)] == [quote]


async def test_a_question_about_something_else_gets_no_answer(filled: Connection) -> None:
    for question in ("Quando parte il treno per Venezia?", "Che treno porta a Venezia passando da quale città?"):
        assert await _call(filled, "ask_documents", question) == []


async def test_a_question_is_answered_from_one_document_only_when_asked_so(filled: Connection) -> None:
    document_id = await filled.fetchval("select id from public.documents where filename = 'locazione.pdf'")
    assert await _call(filled, "ask_documents", "Qual è il totale da pagare?", document_id) == []
    assert len(await _call(filled, "ask_documents", "caldaia", document_id)) == 1


async def test_nobody_finds_what_is_another_persons(filled: Connection) -> None:
    document_id: UUID = await filled.fetchval("select id from public.documents where filename = 'locazione.pdf'")
    assert await _found(filled, "caldaia", role="stranger") == []
    assert await _call(filled, "document_hits", document_id, "caldaia", role="stranger") == []
    assert await _call(filled, "ask_documents", "caldaia", document_id, role="stranger") == []


async def test_a_search_reads_the_index_and_costs_the_same_among_many_strangers(filled: Connection) -> None:
    costs = []
    for crowd in (300, 3_000):
        await _crowd(filled, crowd)
        costs.append(await _cost(filled))
    # An index may gain a level or two, at each of some thirty words.
    assert costs[1] <= 1.3 * costs[0] + 40


async def _crowd(connection: Connection, pages: int) -> None:
    """So many pages of the same words in the hands of others."""
    strangers = await accounts.create(connection)
    await connection.execute(
        """
        insert into private.document_search (document_id, page, user_id, lexemes)
          select gen_random_uuid(), 1, $1, private.document_lexemes($1, string_to_array($2, ' ') || n::text)
          from generate_series(1, $3) as n
        """,
        strangers,
        "contratto locazione conduttore canone mese caldaia locatore totale acqua",
        pages,
    )
    await connection.execute(
        """
        insert into private.document_words (user_id, word, stem, grams, pages)
          select $1, word, word, private.document_grams($1, word), 1
          from generate_series(1, $2) as n, lateral (select 'contratt' || n as word) as words
        """,
        strangers,
        pages,
    )
    await connection.execute("analyze private.document_search, private.document_words")


async def _cost(connection: Connection) -> int:
    """Buffers of several searches, none of which reads a whole index table."""
    scans = "select sum(seq_scan) from pg_stat_xact_user_tables where relname in ('document_search', 'document_words')"
    before, buffers = await connection.fetchval(scans), 0
    for function in ("search_documents", "ask_documents"):
        for query in ("caldaia", "contratto canone totale", "contrato", "1.234,50"):
            async with access.acting(connection, "owner"):
                explain = f"explain (analyze, buffers, format json) select * from public.{function}($1)"
                await connection.fetchval(explain, query)
                plan = json.loads(await connection.fetchval(explain, query))[0]["Plan"]
            buffers += plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
    assert await connection.fetchval(scans) == before
    return buffers
