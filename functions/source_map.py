"""`GET /functions/v1/source_map?file=index-B75wHxHI.js`: the source map of a script of the client, for `/admin/errors`.

200 application/json   the map, as the build wrote it (web/vite/source-maps.ts)
404 not_found          a script whose map is not kept: of a release that is too old, or made elsewhere
"""

import asyncio

from backend.edge import api
from functions._shared import requests, source_maps


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 403, 404 and 405."""
    requests.only(request, "GET")
    await requests.refuse_non_admins(context)
    packed = await asyncio.to_thread(source_maps.kept, request.query_params.get("file", ""))
    if packed is None:
        raise api.Refused(404, "not_found", "La mappa di questo file non c’è")
    headers = {"Content-Encoding": "gzip", "Cache-Control": "private, no-store"}
    return api.Response(packed, media_type="application/json", headers=headers)
