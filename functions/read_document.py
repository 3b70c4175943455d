"""`/functions/v1/read_document`: has an uploaded file read.

    POST {path, filename?}                          200 {id, state}: in the queue, or what is known of this path already
    POST {document_id, action: "retry"|"cancel"}    200 {id, state}

Costs no credits. The file must lie in the caller's folder of the bucket `documents`.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared import requests
from functions._shared.documents import care, names, queries

ACTIONS = ("retry", "cancel")


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400 invalid_request, 401, 404 and 405."""
    requests.only(request, "POST")
    user_id = requests.caller(context, "Accedi per far leggere i tuoi documenti")
    body = await api.json_object(request)
    if "document_id" in body:
        document = await act(context, user_id, body)
    else:
        document = await registered(context, user_id, body)
    return api.JSONResponse({"id": str(document["id"]), "state": document["state"]})


def invalid(reason: str) -> api.Refused:
    """400."""
    return api.Refused(400, "invalid_request", reason)


def no_such_document() -> api.Refused:
    """404: the same for another's."""
    return api.Refused(404, "not_found", "Questo documento non esiste")


async def registered(context: api.Context, user_id: str, body: dict[str, Any]) -> queries.Row:
    """The document of a path; a second call finds the first one's. Raises Refused 400 and 404."""
    path, filename = body.get("path"), body.get("filename")
    if not isinstance(path, str) or not (filename is None or isinstance(filename, str)):
        raise invalid("Servono il percorso del file e, se vuoi, il suo nome")
    if not path.startswith(f"{user_id}/"):
        raise no_such_document()
    async with context.as_service() as connection:
        stored = await care.stored_object(connection, path)
        if stored is None:
            raise no_such_document()
        name = names.tidy(filename) if filename else names.of_key(path)
        return await queries.register(connection, user_id, path, name, stored["size_bytes"], stored["mime"])


async def act(context: api.Context, user_id: str, body: dict[str, Any]) -> queries.Row:
    """Cancels or tries again; answers the document as it is then. Raises Refused 400 and 404."""
    action = body.get("action")
    if action not in ACTIONS:
        raise invalid("Si può riprovare (retry) o annullare (cancel)")
    try:
        document_id = UUID(str(body["document_id"]))
    except ValueError as error:
        raise no_such_document() from error
    async with context.as_service() as connection:
        document = await care.owned(connection, user_id, document_id)
        if document is None:
            raise no_such_document()
        if action == "cancel":
            return await care.cancel(connection, document)
        return await care.retry(connection, document)
