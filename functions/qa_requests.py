"""`/functions/v1/qa_requests`: gives test machines the runs that admins ask for (`python -m scripts.qa_runner`).

    POST {"machine": "banco-1"}          200 {request: {id, kind} | null}     takes the oldest request that waits
    POST {"id"}                          200 {is_open}                        the machine still works on it
    POST {"id", "failure": "sentence"}   200 {is_open}                        the machine gives it up
        400 bad_json, validation_failed
        403 forbidden                    not the secret key

The report of the run goes to `qa_report?request=<id>`, which ends the request. `is_open` is false when an admin has
cancelled the request, another one has replaced it, or it is over.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared import requests

# As the columns of private.qa_requests.
MOST_CHARACTERS = {"machine": 60, "failure": 300}


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 403, 405, 413."""
    requests.only(request, "POST")
    if context.claims.get("role") != "service_role":
        raise api.Refused(403, "forbidden", "Serve la chiave segreta dell’installazione")
    body = await api.json_object(request)
    if "id" not in body:
        return api.JSONResponse({"request": await context.call("private.take_qa_request", _text(body, "machine"))})
    failure = _text(body, "failure") if "failure" in body else None
    return api.JSONResponse({"is_open": await context.call("private.note_qa_request", _id(body["id"]), failure)})


def _text(body: dict[str, Any], name: str) -> str:
    given = body.get(name)
    text = " ".join(given.split()) if isinstance(given, str) else ""
    if not 0 < len(text) <= MOST_CHARACTERS[name]:
        raise api.Refused(
            400, "validation_failed", f"{name}: serve un testo di al più {MOST_CHARACTERS[name]} caratteri"
        )
    return text


def _id(given: Any) -> UUID:
    try:
        return UUID(str(given))
    except ValueError as error:
        raise api.Refused(400, "validation_failed", "id: serve quello di una richiesta") from error
