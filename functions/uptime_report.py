"""`/functions/v1/uptime_report`: keeps what a second machine saw of the installation (`python -m scripts.watch`).

    Authorization: Bearer …          SOCIO_WATCH_SECRET
    POST {"results": [{"at", "checks": [{"part", "is_up", "took_ms"}], "steps": [{"step", "took_ms", "error"}]}],
          "login": true}
        200 {kept, refused, login: {email, password, apikey}}
        400 bad_json, validation_failed
        403 forbidden                another secret, or none of 16 characters is set

Times are those of the results, so that what was kept while the installation was away counts for its own minutes. A
result of the future or of more than eight days ago is refused, one that is known already is kept again without effect.
`login` asks for the account of the next journey, with a password for that journey only; null while one is
under way.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Container
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from backend.edge import api
from functions._shared import requests, uptime_checks

BODY_LIMIT_BYTES = 1024 * 1024
SECRET_SETTING = "SOCIO_WATCH_SECRET"  # noqa: S105 - its name
MIN_SECRET_LENGTH = 16
MOST_RESULTS = 500
VIEWPOINT = "watch"
# What can be seen from outside.
PARTS = frozenset({*uptime_checks.ROUTES, uptime_checks.JOURNEY})
STEPS = ("login", "read", "write", "delete")
LONGEST_MS = 600_000

T = TypeVar("T")


@dataclass(frozen=True)
class Result:
    """One round of the second machine."""

    at: datetime
    checks: list[dict[str, Any]]
    steps: list[dict[str, Any]] | None


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 403, 405, 413."""
    requests.only(request, "POST")
    if not _is_allowed(request, context):
        raise api.Refused(403, "forbidden", "The secret does not fit")
    body = await api.json_object(request)
    given = body.get("results", [])
    if not isinstance(given, list) or len(given) > MOST_RESULTS:
        raise api.Refused(400, "validation_failed", f"results must be a list of at most {MOST_RESULTS}")
    kept = 0
    for result in sorted((_result(each) for each in given), key=lambda each: each.at):
        kept += await context.call("private.note_uptime", VIEWPOINT, result.at, result.checks, result.steps)
    return api.JSONResponse(
        {"kept": kept, "refused": len(given) - kept, **(await _login(context) if body.get("login") is True else {})},
        headers={"Cache-Control": "no-store"},
    )


def _is_allowed(request: api.Request, context: api.Context) -> bool:
    expected = context.secret(SECRET_SETTING) if context.has_secret(SECRET_SETTING) else ""
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    is_same = hmac.compare_digest(expected.encode(), given.encode("utf-8", "replace"))
    return scheme.lower() == "bearer" and is_same and len(expected) >= MIN_SECRET_LENGTH


async def _login(context: api.Context) -> dict[str, Any]:
    password = secrets.token_urlsafe(32)
    email = await context.call("private.prepare_probe", VIEWPOINT, password)
    if email is None:
        return {"login": None}
    return {"login": {"email": email, "password": password, "apikey": context.publishable_key}}


def _result(given: Any) -> Result:
    """Read one result. Raises Refused 400."""
    try:
        at = datetime.fromisoformat(given["at"])
        if at.tzinfo is None:
            raise ValueError("no time zone")
        checks = [
            {
                "part": _one_of(PARTS, each["part"]),
                "is_up": _typed(each["is_up"], bool),
                "took_ms": _duration(each["took_ms"]),
                "minutes": uptime_checks.JOURNEY_MINUTES if each["part"] == uptime_checks.JOURNEY else 1,
            }
            for each in _typed(given["checks"], list)
        ]
        steps = given.get("steps")
        if len({each["part"] for each in checks}) < len(checks) or steps == [] or len(steps or ()) > len(STEPS):
            raise ValueError("a part or a step too many")
        return Result(at, checks, None if steps is None else [_step(each) for each in _typed(steps, list)])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise api.Refused(400, "validation_failed", "A result has another form") from error


def _step(given: Any) -> dict[str, Any]:
    return {
        "step": _one_of(STEPS, given["step"]),
        "took_ms": _duration(given["took_ms"]),
        "error": _typed(given["error"], str)[: uptime_checks.MAX_ERROR_CHARS],
    }


def _one_of(known: Container[str], given: Any) -> str:
    if not isinstance(given, str) or given not in known:
        raise ValueError("unknown")
    return given


def _typed(given: Any, kind: type[T]) -> T:
    if not isinstance(given, kind):
        raise TypeError(f"not a {kind.__name__}")
    return given


def _duration(given: Any) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given <= LONGEST_MS:
        raise ValueError("no duration")
    return given
