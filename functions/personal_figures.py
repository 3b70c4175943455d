"""`/functions/v1/personal_figures`: how much is held of the caller, on which basis and for how long (GDPR, art. 15).

    GET   200 {domains: [{domain, basis, tables: [{label, count}], rules: [{title, period}]}],
               files: {count, bytes}, left_out: [reason]}

Counts only. The tables are those of the export, so what is named here is what can be taken along.
"""

from __future__ import annotations

from typing import Any

from backend.edge import api
from functions._shared import personal_data, requests


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 401 and 405."""
    requests.only(request, "GET")
    user_id = requests.caller(context)
    held = await context.call("private.held_of", user_id)
    return api.JSONResponse(
        {
            "domains": [domain(name, held) for name in personal_data.EXPORTED],
            "files": held["files"],
            "left_out": list(dict.fromkeys(personal_data.LEFT_OUT.values())),
        }
    )


def domain(name: str, held: dict[str, Any]) -> dict[str, Any]:
    """Put one folder of the export into figures, without the tables that are empty."""
    tables = personal_data.EXPORTED[name]
    return {
        "domain": name,
        "basis": personal_data.BASES[name],
        "tables": [
            {"label": label, "count": held["rows"][table]} for table, label in tables.items() if held["rows"][table]
        ],
        "rules": [
            {"title": rule["title"], "period": rule["period"]}
            for rule in held["rules"]
            if any(table in tables for table in rule["tables"])
        ],
    }
