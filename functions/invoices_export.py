"""`GET /functions/v1/invoices_export?from=…&to=…&direction=…&format=…`: the caller's invoices for the accountant.

from, to     days (2026-01-31), both included, both optional
direction    attiva or passiva; without it, both
format       csv (the default) or xlsx, which has the days of payment on a second sheet

200   the file, to be saved; a CSV is sent as it is read
413   more invoices than one file takes: a shorter period
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from backend.edge import api
from functions._shared import attachments, requests
from functions._shared.fatturapa import export

TIMEOUT_S = 120
MAX_INVOICES = 20_000
PAGE = 500
DIRECTIONS = ("attiva", "passiva")
TYPES = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
WANTED = """
    from public.invoice_register as register
    where register.user_id = $1 and register.deleted_at is null
      and ($2::date is null or register.issued_on >= $2)
      and ($3::date is null or register.issued_on <= $3) and ($4::text is null or register.direction::text = $4)
"""


@dataclass(frozen=True)
class Wish:
    """What is asked for."""

    user_id: str
    starts_on: date | None
    ends_on: date | None
    direction: str | None
    format: str

    @property
    def values(self) -> tuple[Any, ...]:
        """The first four parameters of every query."""
        return (self.user_id, self.starts_on, self.ends_on, self.direction)

    @property
    def filename(self) -> str:
        """«Fatture attive dal 2026-01-01 al 2026-03-31.csv»."""
        kind = {"attiva": " attive", "passiva": " passive"}.get(self.direction or "", "")
        start = f" dal {self.starts_on}" if self.starts_on else ""
        end = f" al {self.ends_on}" if self.ends_on else ""
        return f"Fatture{kind}{start}{end}.{self.format}"


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Answers the file. Refuses with 400, 401, 405 and 413."""
    requests.only(request, "GET")
    wish = parsed(request, context)
    async with context.as_caller() as connection:
        count = await connection.fetchval(
            f"select count(*) from (select 1 {WANTED} limit {MAX_INVOICES + 1}) as found",  # noqa: S608  # constants only
            *wish.values,
        )
    if count > MAX_INVOICES:
        raise api.Refused(
            413, "request_entity_too_large", f"Sono più di {MAX_INVOICES} fatture: scegli un periodo più breve"
        )
    if wish.format == "xlsx":
        return api.Response(
            await workbook(context, wish), media_type=TYPES["xlsx"], headers=attachments.headers(wish.filename)
        )
    return api.StreamingResponse(
        lines(context, wish), media_type=TYPES["csv"], headers=attachments.headers(wish.filename)
    )


def parsed(request: api.Request, context: api.Context) -> Wish:
    """The query. Raises Refused 400 or 401."""
    user_id = requests.caller(context, "Devi accedere")
    asked = request.query_params
    direction, kind = asked.get("direction") or None, asked.get("format", "csv")
    if kind not in TYPES or direction not in (None, *DIRECTIONS):
        raise api.Refused(400, "validation_failed", "Il formato è csv o xlsx, la direzione attiva o passiva")
    starts_on, ends_on = day(asked.get("from")), day(asked.get("to"))
    if starts_on and ends_on and starts_on > ends_on:
        raise api.Refused(400, "validation_failed", "Il periodo finisce prima di cominciare")
    return Wish(user_id, starts_on, ends_on, direction, kind)


def day(text: str | None) -> date | None:
    """A day of the query. Raises Refused 400."""
    try:
        return date.fromisoformat(text) if text else None
    except ValueError as error:
        raise api.Refused(400, "validation_failed", "Le date si scrivono così: 2026-01-31") from error


async def lines(context: api.Context, wish: Wish) -> AsyncIterator[str]:
    """The CSV, page by page: a slow reader holds no connection."""
    yield export.csv_head()
    async for page in pages(context, wish):
        yield export.csv_rows(row for stored in page for row in export.rows_of(stored))


async def workbook(context: api.Context, wish: Wish) -> bytes:
    """The XLSX."""
    stored = [each async for page in pages(context, wish) for each in page]
    async with context.as_caller() as connection:
        dues = await connection.fetch(
            f"""
            select register.direction, number, register.issued_on, counterparty_name, register.currency, parts.due_on,
              cents, method, iban, parts.paid_on
            from (select * {WANTED}) as register
            join public.invoice_parts as parts
              on parts.user_id = register.user_id and parts.invoice_id = register.id and counts and parts.id is not null
            order by due_on, register.issued_on, invoice_id, no limit {MAX_INVOICES * 2}
            """,  # noqa: S608  # constants only
            *wish.values,
        )
    rows = [row for each in stored for row in export.rows_of(each)]
    return await asyncio.to_thread(export.workbook, rows, [export.due_of(dict(each)) for each in dues])


async def pages(context: api.Context, wish: Wish) -> AsyncIterator[list[export.Stored]]:
    """The invoices in the order of their dates, some hundred at a time."""
    after: tuple[Any, ...] = (None, None)
    for _ in range(MAX_INVOICES // PAGE):
        async with context.as_caller() as connection:
            rows = await connection.fetch(
                f"""
                select id, direction::text, type_code, number, issued_on, counterparty_name, counterparty_vat, sign,
                  net_cents, vat_cents, total_cents, payable_cents, withheld_cents, currency, paid_on, filename,
                  twin ->> 'filename' as twin, content -> 'summaries' as summaries, content #>> array[
                    case direction when 'attiva' then 'customer' else 'supplier' end, 'tax_code'
                  ] as tax_code
                {WANTED} and ($5::date is null or (issued_on, id) > ($5, $6::uuid))
                order by issued_on, id limit {PAGE}
                """,  # constants only
                *wish.values,
                *after,
            )
        yield [dict(each) for each in rows]
        if len(rows) < PAGE:
            return
        after = (rows[-1]["issued_on"], rows[-1]["id"])
