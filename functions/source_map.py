"""`GET /functions/v1/source_map?file=index-B75wHxHI.js`: the source map of a script of the client, for `/admin/errors`.

200 application/json   the map, as the build wrote it (web/vite/source-maps.ts)
404 not_found          a script whose map is not kept: of a release that is too old, or made elsewhere

The name of a script has a hash of its content, so it is the same script in every release that has it.
"""

import asyncio
import re
from pathlib import Path

from backend.edge import api
from functions._shared import requests

FOLDER = Path(__file__).parents[1] / "web" / "source-maps"
# One part of a path and no hidden file.
SCRIPT = re.compile(r"[\w~][\w.~-]{0,100}\.js", re.ASCII)


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 403, 404 and 405."""
    requests.only(request, "GET")
    await requests.refuse_non_admins(context)
    file = request.query_params.get("file", "")
    packed = await asyncio.to_thread(kept, file) if SCRIPT.fullmatch(file) else None
    if packed is None:
        raise api.Refused(404, "not_found", "La mappa di questo file non c’è")
    headers = {"Content-Encoding": "gzip", "Cache-Control": "private, no-store"}
    return api.Response(packed, media_type="application/json", headers=headers)


def kept(file: str) -> bytes | None:
    """Read the map of a script, still packed; None if no kept release has it."""
    path = next(FOLDER.glob(f"*/{file}.map.gz"), None)
    try:
        return path.read_bytes() if path else None
    except FileNotFoundError:
        # A build is deleting its release.
        return None
