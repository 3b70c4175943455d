"""Concludes what a document is once its pages are read: its kind, fields, invoices, and whom it is from."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from backend.edge import api
from functions._shared.documents import cache, concluding, conclusions, languages, queries, reading
from functions._shared.documents.conclusions import Conclusion
from functions._shared.documents.errors import SENTENCES, Code, Unreadable
from functions._shared.documents.formats import Format
from functions._shared.fatturapa.model import Invoice

# What tells the kind and the fields stands on the first pages, or on the last.
TELLING_PAGES = 5
# Told the VAT number and the tax code of its owner, what the document is.
Concluded = Callable[[str | None, str | None], Conclusion]


async def handler(payload: dict[str, Any], context: api.Context) -> None:
    """Bears being repeated: everything is written in one transaction, over what was there."""
    async with context.as_service() as connection:
        document = await queries.begin(connection, payload["document_id"], "analisi")
        counted = None if document is None else await concluding.counted(connection, document)
    if document is None or counted is None:
        return
    try:
        found = await _concluded(context, document, counted)
    except Unreadable as reason:
        async with context.as_service() as connection:
            await queries.fail(connection, document, reason)
    else:
        lang = languages.of(counted["beginning"] or "")
        async with context.as_service() as connection:
            # Whoever changes the own numbers now waits, and then puts this document on its side too.
            own = await concluding.own_numbers(connection, document)
            if await queries.begin(connection, payload["document_id"], "analisi") is not None:
                await concluding.conclude(connection, document, found(*own), not counted["lost"], lang)
    await cache.forget(context, document["id"])


async def given_up(payload: dict[str, Any], context: api.Context) -> None:
    """It can be tried again."""
    await queries.fail_by_id(context, payload["document_id"], Code.GAVE_UP)


async def _concluded(context: api.Context, document: queries.Row, counted: queries.Row) -> Concluded:
    if not document["pages"]:
        return lambda _own_vat, _own_tax_code: _container(counted["children"])
    if counted["lost"] == document["pages"]:
        code = Code(document["error_code"] or Code.GAVE_UP)
        raise Unreadable(code, document["error"] or SENTENCES[code])
    if not counted["with_text"]:
        raise Unreadable(Code.NO_TEXT)
    if reading.format_of(document["mime"]) in (Format.XML, Format.P7M):
        told = await reading.invoices(await cache.file_of(context, document), context.now().date())
        invoices = [Invoice.from_json(each) for each in told]
        return partial(conclusions.of_invoices, invoices)
    async with context.as_service() as connection:
        pages = await concluding.pages_of(connection, document, TELLING_PAGES)
        corrections = await concluding.corrections(connection, document)
    return partial(conclusions.of_words, await reading.analysed(pages, corrections))


def _container(children: int) -> Conclusion:
    what = "1 documento" if children == 1 else f"{children} documenti"
    return Conclusion(kind="altro", confidence=1.0, rule=f"Contiene {what}")
