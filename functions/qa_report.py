"""`/functions/v1/qa_report`: keeps what a report of Playwright says about phones and browsers.

    POST the report as JSON, ?browser=firefox&version=140.2    200 {runs: [{id, kind, browser, version, passed, failed,
                                                                            is_new}]}

`browser` and `version` are of tests that do not name theirs. Pictures are the report's own attachments, in base64. For
admins who have shown a second factor, and for the service (`python -m scripts.qa`). The same report changes nothing the
second time. With `?request=<id>` the service ends the request that an admin made for this run (`qa_requests`).
"""

from __future__ import annotations

import asyncio
import json
from typing import Any
from uuid import UUID

import asyncpg

from backend.edge import api
from functions._shared import playwright_report, requests

TIMEOUT_S = 60
BODY_LIMIT_BYTES = 32 * 1024 * 1024


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 401, 403, 405, 413, 422 bad_report with a sentence that says what is wrong."""
    requests.only(request, "POST")
    is_service = context.claims.get("role") == "service_role"
    if not is_service:
        requests.caller(context)
        await requests.refuse_non_admins(context)
    request_id = _request_id(request.query_params.get("request")) if is_service else None
    body = await request.body()
    default = playwright_report.Browser(
        request.query_params.get("browser", "").lower(), request.query_params.get("version", "")
    )
    try:
        runs = await asyncio.to_thread(_read, body, default)
    except playwright_report.BadReport as reason:
        raise api.Refused(422, "bad_report", reason.sentence) from reason
    kept = [await _keep(context, run, request_id, is_service=is_service) for run in runs]
    return api.JSONResponse({"runs": kept})


def _request_id(given: str | None) -> UUID | None:
    try:
        return None if given is None else UUID(given)
    except ValueError as error:
        raise api.Refused(400, "validation_failed", "request: serve l’id di una richiesta") from error


def _read(body: bytes, default: playwright_report.Browser) -> list[playwright_report.Run]:
    try:
        report = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise api.Refused(400, "bad_json", "Il file non è JSON: forse è stato tagliato") from error
    return playwright_report.read(report, default)


async def _keep(
    context: api.Context, run: playwright_report.Run, request_id: UUID | None, *, is_service: bool
) -> dict[str, Any]:
    content = (json.dumps(run.facts), json.dumps(run.rows()))
    try:
        if is_service:
            async with context.as_service() as connection:
                is_new = await connection.fetchval(
                    "select private.keep_qa_run($1::text::jsonb, $2::text::jsonb, $3)", *content, request_id
                )
        else:
            async with context.as_caller() as connection:
                is_new = await connection.fetchval(
                    "select public.admin_keep_qa_run($1::text::jsonb, $2::text::jsonb)", *content
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
