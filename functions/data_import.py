"""`POST /functions/v1/data_import`: have an archive of `data_export` brought into the caller's account.

    {}          200 {}                      an archive may be sent; asked before the gigabytes leave
    {path}      200 {id, state}             where it lies in the bucket `imports`; a second call is the same import
                404 not_found               no such file in the caller's folder
                409 account_in_use          the account has work of its own already, or is frozen
                403 reauthentication_needed, insufficient_aal   as for data_export

functions/jobs/data_import.py does it; `public.data_imports` says how far it is.
"""

from __future__ import annotations

from uuid import UUID

from backend.edge import api
from functions._shared import personal_restore, proofs, requests

BODY_LIMIT_BYTES = 4096


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 401, 403, 404, 405 and 409."""
    requests.only(request, "POST")
    user_id = UUID(requests.caller(context))
    path = (await api.json_object(request)).get("path")
    if path is not None and not isinstance(path, str):
        raise api.Refused(400, "validation_failed", "Serve il percorso dell’archivio")
    proofs.require(context, await context.call("private.account_facts", user_id))
    if path is None:
        async with context.as_caller() as connection:
            if not await connection.fetchval("select public.takes_archive()"):
                raise _used()
        return api.JSONResponse({})
    async with context.as_service() as connection:
        is_there = path.startswith(f"{user_id}/") and await connection.fetchval(
            "select exists (select from storage.objects where bucket_id = 'imports' and name = $1)", path
        )
        if not is_there:
            raise api.Refused(404, "not_found", "L’archivio non è arrivato: caricalo di nuovo")
        row = await connection.fetchrow("select * from private.begin_import($1, $2)", user_id, path)
        if row is None or row["id"] is None:
            raise _used()
        if row["state"] == "in_attesa":
            await api.enqueue(
                connection,
                "data_import",
                {"import_id": str(row["id"])},
                dedupe_key=f"data_import:{row['id']}",
                user_id=str(user_id),
            )
    return api.JSONResponse({"id": str(row["id"]), "state": row["state"]})


def _used() -> api.Refused:
    return api.Refused(409, "account_in_use", personal_restore.USED)
