"""`/functions/v1/qa_report`: keeps what a report of Playwright says about phones and browsers.

    POST the report as JSON, ?browser=firefox&version=140.2    200 {runs: [{id, kind, browser, version, passed, failed,
                                                                            is_new}]}

`browser` and `version` are of tests that do not name theirs. Pictures are the report's own attachments, in base64. For
admins who have shown a second factor, and for the service (`python -m scripts.qa`). The same report changes nothing the
second time.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import asyncpg

from backend.edge import api
from functions._shared import playwright_report, requests

TIMEOUT_S = 60
BODY_LIMIT_BYTES = 32 * 1024 * 1024


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400 bad_json, 401, 403, 405, 413, 422 bad_report with a sentence that says what is wrong."""
    requests.only(request, "POST")
    is_service = context.claims.get("role") == "service_role"
    if not is_service:
        requests.caller(context)
        await requests.refuse_non_admins(context)
    body = await request.body()
    default = playwright_report.Browser(
        request.query_params.get("browser", "").lower(), request.query_params.get("version", "")
    )
    try:
        runs = await asyncio.to_thread(_read, body, default)
    except playwright_report.BadReport as reason:
        raise api.Refused(422, "bad_report", reason.sentence) from reason
    kept = [await _keep(context, run, is_service=is_service) for run in runs]
    return api.JSONResponse({"runs": kept})


def _read(body: bytes, default: playwright_report.Browser) -> list[playwright_report.Run]:
    try:
        report = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise api.Refused(400, "bad_json", "Il file non è JSON: forse è stato tagliato") from error
    return playwright_report.read(report, default)


async def _keep(context: api.Context, run: playwright_report.Run, *, is_service: bool) -> dict[str, Any]:
    acting, function = (
        (context.as_service, "private.keep_qa_run") if is_service else (context.as_caller, "public.admin_keep_qa_run")
    )
    try:
        async with acting() as connection:
            is_new = await connection.fetchval(
                f"select {function}($1::text::jsonb, $2::text::jsonb)",
                json.dumps(run.facts),
                json.dumps(run.rows()),
            )
    except asyncpg.IntegrityConstraintViolationError as error:
        raise api.Refused(422, "bad_report", f"Il report ha un valore che non si può salvare ({error})") from error
    return {
        "id": run.facts["id"],
        "kind": run.facts["kind"],
        "browser": run.facts["browser"],
        "version": run.facts["browser_version"],
        "passed": sum(item.outcome == "passed" for item in run.items),
        "failed": sum(item.outcome == "failed" for item in run.items),
        "is_new": is_new,
    }
