"""How the fake answers: who may ask, the same answer to the same key, errors and lists in Stripe's shapes."""

from __future__ import annotations

import hmac
import json
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tests.fakes.stripe import forms
from tests.fakes.stripe.account import Account, Object

PAGE = 10


class Wrong(Exception):
    """What Stripe would refuse (https://docs.stripe.com/api/errors)."""

    def __init__(self, message: str, status: int = 400, kind: str = "invalid_request_error", code: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.body = {"error": {"type": kind, "message": message, **({"code": code} if code else {})}}


Handler = Callable[[Request, dict[str, Any]], Object]


def endpoint(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """A handler as an endpoint; whatever it did is kept, and its events are sent."""

    async def answer(request: Request) -> Response:
        ours = account(request)
        try:
            _authorise(request)
            given = forms.parse(request.url.query) | forms.parse((await request.body()).decode())
            status, body = _once(request, ours, handler, given)
        except Wrong as wrong:
            status, body = wrong.status, wrong.body
        ours.save()
        request.app.state.wake()
        visible = {name: value for name, value in body.items() if not name.startswith("_")}
        return JSONResponse(visible, status, {"Request-Id": f"req_{id(request):x}"})

    return answer


def _authorise(request: Request) -> None:
    given = request.headers.get("authorization", "")
    if not hmac.compare_digest(given.encode(), f"Bearer {request.app.state.secret_key}".encode()):
        raise Wrong("Invalid API Key provided", 401)


def _once(request: Request, ours: Account, handler: Handler, given: dict[str, Any]) -> tuple[int, Object]:
    """The same key gets the same answer, a 500 too; another request under it is refused, and refusals are not kept."""
    key = request.headers.get("idempotency-key")
    if request.method != "POST" or not key:
        return 200, handler(request, given)
    asked = json.dumps([request.url.path, given], sort_keys=True)
    known = ours.answers.get(key)
    if known is None:
        known = ours.answers[key] = {"asked": asked, **_first(request, ours, handler, given)}
    elif known["asked"] != asked:
        raise Wrong("Keys for idempotent requests can only be used with the same parameters", 400, "idempotency_error")
    return known.get("status", 200), known["body"]


def _first(request: Request, ours: Account, handler: Handler, given: dict[str, Any]) -> Object:
    """What a new key keeps; with `fail` set nothing is done."""
    if ours.faults.fail > 0:
        ours.faults.fail -= 1
        return {"status": 500, "body": Wrong("An unknown error occurred", 500, "api_error").body}
    return {"status": 200, "body": json.loads(json.dumps(handler(request, given)))}


def account(request: Request) -> Account:
    """The account this app was made with."""
    found: Account = request.app.state.account
    return found


def named(request: Request, kind: str, object_id: str | None = None) -> Object:
    """The object the path names, or this one. Raises Wrong 404."""
    wanted = object_id if object_id is not None else request.path_params["id"]
    found = account(request).find(wanted, kind)
    if found is None:
        raise Wrong(f"No such {kind}: '{wanted}'", 404, code="resource_missing")
    return found


def listed(path: str, found: list[Object], given: dict[str, Any]) -> Object:
    """A page of a list (https://docs.stripe.com/api/pagination)."""
    if after := given.get("starting_after"):
        found = found[[each["id"] for each in found].index(after) + 1 :]
    since = int(given.get("created", {}).get("gte", 0))
    found = [each for each in found if each["created"] >= since]
    limit = int(given.get("limit", PAGE))
    page = [{name: value for name, value in each.items() if not name.startswith("_")} for each in found[:limit]]
    return {"object": "list", "url": path, "has_more": len(found) > limit, "data": page}
