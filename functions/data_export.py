"""`/functions/v1/data_export`: what is held of the caller, as a ZIP to take along (GDPR, art. 15 and 20).

    POST {domains, files}   200 {id}     a job makes the archive: of all domains ("all") or of those named
    POST {id}               200 {path}   where the archive is for an hour; the address can be resumed
    DELETE                  200 {}       the archive that is made is not wanted any more
    403 reauthentication_needed          the last sign-in is older than a day: sign in again
    403 insufficient_aal                 there is a second factor and this session has not used it
    404 not_found                        no archive of the caller, or not any more
    409 already_under_way                another archive is made
    409 nothing_under_way                there is nothing to cancel
    429 over_request_rate_limit          ten archives in a day

The row in `data_exports` says how far it is. functions/jobs/data_export.py makes the archive,
functions/_shared/personal_archive.py says what is in it.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote
from uuid import UUID

from backend.edge import api
from functions._shared import personal_data, proofs, requests

BODY_LIMIT_BYTES = 4096
BUCKET = "exports"
# As long as a slow line may be cut and the download resumed; then the page gives another address.
ADDRESS_LIFE_S = 3600
REFUSALS = {
    "under_way": api.Refused(
        409, "already_under_way", "Stiamo già preparando un archivio: aspetta che sia pronto, o annullalo"
    ),
    "too_many": api.Refused(
        429, "over_request_rate_limit", "Hai già chiesto i tuoi dati dieci volte oggi: riprova domani"
    ),
}


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 401, 403, 404, 405, 409 and 429."""
    requests.only(request, "POST", "DELETE")
    user_id = UUID(requests.caller(context))
    if request.method == "DELETE":
        if not await context.call("private.cancel_export", user_id):
            raise api.Refused(409, "nothing_under_way", "Non c’è nessun archivio da annullare: forse è già pronto")
        return api.JSONResponse({})
    wish = await api.json_object(request)
    export_id = archive_of(wish) if "id" in wish else None
    domains, with_files = ((), False) if export_id else chosen(wish)
    proofs.require(context, await context.call("private.account_facts", user_id))
    if export_id:
        return api.JSONResponse({"path": await opened(context, user_id, export_id)})
    return api.JSONResponse({"id": await asked(context, user_id, domains, with_files=with_files)})


def archive_of(wish: dict[str, Any]) -> UUID:
    """Return which archive is wanted. Raises Refused 400."""
    try:
        return UUID(str(wish["id"]))
    except ValueError as error:
        raise api.Refused(400, "validation_failed", "Questo non è un archivio") from error


def chosen(wish: dict[str, Any]) -> tuple[tuple[str, ...], bool]:
    """Return the domains, in the order of the archive, and whether files come along. Raises Refused 400."""
    domains, with_files = wish.get("domains", "all"), wish.get("files")
    if not isinstance(with_files, bool):
        raise api.Refused(400, "validation_failed", "Scegli se vuoi anche i file")
    if domains == "all":
        return tuple(personal_data.EXPORTED), with_files
    known = [domain for domain in personal_data.EXPORTED if isinstance(domains, list) and domain in domains]
    if not known or len(known) != len(domains):
        raise api.Refused(400, "validation_failed", "Scegli almeno una parte dei tuoi dati")
    return tuple(known), with_files


async def asked(context: api.Context, user_id: UUID, domains: tuple[str, ...], *, with_files: bool) -> str:
    """Have the archive made; return its id. Raises Refused 409, 429."""
    async with context.as_service() as connection:
        row = await connection.fetchrow(
            "select * from private.request_export($1, $2, $3)", user_id, domains, with_files
        )
        assert row is not None
        if row["refusal"]:
            raise REFUSALS[row["refusal"]]
        export_id = str(row["id"])
        await api.enqueue(connection, "data_export", {"export_id": export_id}, user_id=str(user_id))
    return export_id


async def opened(context: api.Context, user_id: UUID, export_id: UUID) -> str:
    """Count a download; return its address. Raises Refused 404, 503."""
    gone = api.Refused(404, "not_found", "Questo archivio non c’è più: chiedi di nuovo i tuoi dati")
    export = await context.call("private.open_export", user_id, export_id, context.now())
    if export is None or export["id"] is None:
        raise gone
    left_s = int((export["expires_at"] - context.now()).total_seconds())
    try:
        path = await context.storage_as_service.signed_url(
            BUCKET, f"{user_id}/{export_id}.zip", max(1, min(ADDRESS_LIFE_S, left_s))
        )
    except api.PlatformError as error:
        if error.status in (400, 404):
            raise gone from error
        raise api.Refused(503, "storage_away", "L’archivio non si apre in questo momento: riprova tra poco") from error
    name = f"Socio, i tuoi dati del {export['finished_at']:%Y-%m-%d}.zip"
    return f"{path}&download={quote(name)}"
