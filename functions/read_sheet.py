"""`/functions/v1/read_sheet`: reads one sheet of an Excel file (.xlsx) at once, without keeping it.

    POST the file, ?sheet=0    200 {sheets: [name], sheet, rows: [[number, [text]]]}

`number` counts rows as the spreadsheet does; days are ISO, numbers plain. Without `sheet` it is the first one with
contents.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from backend.edge import api
from functions._shared import requests, sheets

TIMEOUT_S = 120
BODY_LIMIT_BYTES = sheets.MAX_BYTES
# A decoder may take a gigabyte of memory and one processor.
PLACES = api.Places(at_once=2, each=1)


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 401, 405, 413, 422 unreadable_sheet with a sentence that says what to do, 429 busy."""
    requests.only(request, "POST")
    user_id = requests.caller(context, "Accedi per leggere un foglio")
    sheet = _sheet(request)
    try:
        async with PLACES.one(user_id):
            return await _read(request, sheet)
    except api.Full as error:
        message = "Una lettura è già in corso: aspetta che finisca"
        raise api.Refused(429, "busy", message, headers={"Retry-After": "1"}) from error


async def _read(request: api.Request, sheet: int | None) -> api.Response:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "file"
        with file.open("xb") as output:
            async for piece in request.stream():
                output.write(piece)
        try:
            content = await sheets.read(file, sheet)
        except sheets.UnreadableSheet as reason:
            raise api.Refused(422, "unreadable_sheet", reason.sentence) from reason
    return api.Response(content, media_type="application/json")


def _sheet(request: api.Request) -> int | None:
    typed = request.query_params.get("sheet")
    if typed is None:
        return None
    if not typed.isascii() or not typed.isdigit() or len(typed) > 3:
        raise api.Refused(400, "invalid_request", "Il foglio è un numero, da 0")
    return int(typed)
