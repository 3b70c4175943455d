"""Set the headers for browsers itself, as Supabase's tutorials do (https://supabase.com/docs/guides/functions/cors)."""

from backend.edge import api

CORS_HEADERS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Headers": "authorization, x-client-info, apikey, content-type",
}


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Greet the caller by the name in the body."""
    if request.method == "OPTIONS":
        return api.Response("ok", headers=CORS_HEADERS)
    name = (await api.json_object(request)).get("name")
    if not name:
        return api.JSONResponse({"error": "name is missing"}, status_code=400, headers=CORS_HEADERS)
    return api.JSONResponse({"message": f"Hello {name}!"}, headers=CORS_HEADERS)
