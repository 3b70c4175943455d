"""`/functions/v1/account_deletion`: the caller's account goes, in thirty days (GDPR, art. 17).

    GET     200 {address, stops, domains, files, kept, invoices, credits, refunds}    what would stop, go and stay
    POST {address, fiscal_archive, gives_up_credits}   200 {due_at}    asked again, it answers the same
    DELETE  200 {}   taken back
    400 wrong_address            the address typed is not the account's
    400 fiscal_archive_missing   there are invoices, and no answer where they are kept
    400 credits_left             there are credits, and they were not given up
    403 reauthentication_needed, insufficient_aal     as for the export
    409 too_late                 there is nothing to take back (any more)

`fiscal_archive` is `downloaded`, `elsewhere` or `empty`: keeping invoices for ten years is their owner's duty.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from backend.edge import api
from functions._shared import italian_dates, letters, personal_data, proofs, requests

BODY_LIMIT_BYTES = 4096
ARCHIVES = ("downloaded", "elsewhere", "empty")


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 401, 403, 405 and 409."""
    requests.only(request, "POST", "GET", "DELETE")
    user_id = requests.caller(context)
    if request.method == "DELETE":
        if not await context.call("private.cancel_deletion", user_id, context.now()):
            raise api.Refused(409, "too_late", "Non c’è nessuna eliminazione da annullare")
        return api.JSONResponse({})
    preview = await context.call("private.deletion_preview", user_id)
    if request.method == "GET":
        return api.JSONResponse(shown(preview))
    wish = await api.json_object(request)
    proofs.require(context, await context.call("private.account_facts", user_id))
    check(wish, preview)
    return api.JSONResponse({"due_at": await ask(context, user_id, preview["address"], wish["fiscal_archive"])})


def shown(preview: dict[str, Any]) -> dict[str, Any]:
    """Put the counts of the catalogue into words: what goes by domain, what stays by rule."""
    rows = preview.pop("rows")
    kept_tables = {table for rule in preview["kept"] for table in rule["tables"]}
    domains = [
        {
            "domain": domain,
            "tables": [
                {"label": label, "count": rows[table]}
                for table, label in tables.items()
                if rows.get(table) and table not in kept_tables
            ],
        }
        for domain, tables in personal_data.EXPORTED.items()
    ]
    kept = [
        {
            **{name: rule[name] for name in ("title", "period", "reason")},
            "count": sum(rows.get(table, 0) for table in rule["tables"]),
        }
        for rule in preview["kept"]
    ]
    return {**preview, "domains": [domain for domain in domains if domain["tables"]], "kept": kept}


def check(wish: dict[str, Any], preview: dict[str, Any]) -> None:
    """Check that the person knows which account goes and what it takes along. Raises Refused 400."""
    typed = wish.get("address")
    if not isinstance(typed, str) or typed.strip().casefold() != str(preview["address"] or "").casefold():
        raise api.Refused(400, "wrong_address", "L’indirizzo non è quello di questo account")
    archive = wish.get("fiscal_archive")
    if archive not in ARCHIVES or (archive == "empty" and preview["invoices"]):
        raise api.Refused(400, "fiscal_archive_missing", "Di’ prima dove conservi le tue fatture")
    if preview["credits"] and wish.get("gives_up_credits") is not True:
        raise api.Refused(400, "credits_left", "Hai ancora crediti: conferma che li perdi")


async def ask(context: api.Context, user_id: str, address: str, fiscal_archive: str) -> str:
    """Write the request down, stop what leaves the account, and mail its owner; return when it is due."""
    async with context.as_service() as connection:
        row = await connection.fetchrow(
            "select * from private.request_deletion($1, $2, $3)", user_id, fiscal_archive, context.now()
        )
        assert row is not None
        due_at: str = row["request"]["due_at"]
        if row["is_new"] and "@" in address:
            await api.send_mail(
                connection, letters.message(address, letter(due_at, context.site_url), "deletion asked")
            )
    return due_at


def letter(due_at: str, site_url: str) -> letters.Letter:
    """Say what was asked for, until when it can be taken back, and what has stopped already."""
    day = italian_dates.moment(datetime.fromisoformat(due_at))
    return letters.Letter(
        title="Hai chiesto di eliminare il tuo account",
        paragraphs=(
            f"il {day} elimineremo il tuo account Socio con tutti i tuoi dati.",
            "Fino ad allora puoi cambiare idea: accedi e premi «Annulla l’eliminazione».",
            "Da subito non parte più nulla: casella e WhatsApp sono scollegati, i messaggi in attesa annullati.",
            "Se non l’hai chiesto tu, accedi, annulla e cambia la password.",
        ),
        button="Annulla l’eliminazione",
        link=f"{site_url}/home",
    )
