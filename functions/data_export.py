"""`/functions/v1/data_export`: everything that is held of the caller, as one ZIP (GDPR, art. 15 and 20).

    POST {files}            200 {path}   where the download is for ten minutes, the original files in it or not
    403 reauthentication_needed          the last sign-in is older than a day: sign in again
    403 insufficient_aal                 there is a second factor and this session has not used it
    429 over_request_rate_limit          ten downloads in a day

    GET ?secret=…           200          the ZIP, written while it is sent: no copy stays behind
    404                                  a secret that opens nothing, or not any more

functions/_shared/personal_archive.py writes what is in it.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from uuid import UUID

from backend.edge import api
from functions._shared import archives, attachments, personal_archive, proofs, requests

# A gigabyte takes a slow line an hour.
TIMEOUT_S = 6 * 3600
BODY_LIMIT_BYTES = 1024
SECRET = re.compile(r"[0-9a-f]{64}")


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 401, 403, 404, 405 and 429."""
    requests.only(request, "POST", "GET")
    if request.method == "POST":
        return await _begin(request, context)
    secret = request.query_params.get("secret", "")
    export = await context.call("private.open_export", secret) if SECRET.fullmatch(secret) else None
    if export is None or export["id"] is None:
        raise api.Refused(404, "not_found", "Questo indirizzo non vale più: chiedi di nuovo i tuoi dati")
    name = f"Socio, i tuoi dati del {datetime.now(UTC):%Y-%m-%d}.zip"
    return api.StreamingResponse(
        _archive(context, export["id"], export["user_id"], with_files=export["with_files"]),
        media_type="application/zip",
        headers=attachments.headers(name),
    )


async def _begin(request: api.Request, context: api.Context) -> api.Response:
    user_id = UUID(requests.caller(context))
    with_files = (await api.json_object(request)).get("files")
    if not isinstance(with_files, bool):
        raise api.Refused(400, "validation_failed", "Scegli se vuoi anche i file")
    facts = await context.call("private.account_facts", user_id)
    proofs.require(context, facts)
    secret = await context.call("private.begin_export", user_id, with_files)
    if secret is None:
        raise api.Refused(
            429, "over_request_rate_limit", "Hai già scaricato i tuoi dati dieci volte oggi: riprova domani"
        )
    return api.JSONResponse({"path": f"/functions/v1/data_export?secret={secret}"})


async def _archive(context: api.Context, export_id: UUID, user_id: UUID, *, with_files: bool) -> AsyncIterator[bytes]:
    archive = archives.Archive()
    async for piece in personal_archive.pieces(context, archive, user_id, with_files=with_files):
        yield piece
    await context.call("private.finish_export", export_id, archive.size_bytes)
