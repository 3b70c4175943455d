"""Who calls a service: the claims of a user's token, or those of the API key's role."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from starlette.datastructures import Headers

from backend.core import http
from backend.core.errors import ApiError, Code
from backend.core.jwt import TokenError
from backend.core.resources import Resources

# The claim of a token whose account has a second factor that this session has not answered, and its value.
SECOND_FACTOR, MISSING = "second_factor", "missing"


def is_halfway(claims: Mapping[str, Any]) -> bool:
    """Whether the caller still owes the second factor: such a token opens the way to answer it, and no data."""
    return claims.get(SECOND_FACTOR) == MISSING


def of_headers(headers: Headers, resources: Resources, *, verify: bool = True) -> Mapping[str, Any]:
    """Return the claims a request acts with; see `of_tokens`."""
    return of_tokens(http.tokens(headers), resources, verify=verify)


def of_tokens(tokens: Iterable[str | None], resources: Resources, *, verify: bool = True) -> Mapping[str, Any]:
    """Return the claims of a user's token, else the role of an API key, else anon.

    The bearer token comes first in `tokens`, the API key last.

    A token that does not verify is refused; with `verify` off (webhooks, which carry signatures of their own) a
    foreign Authorization header is nobody's. Raises ApiError 401.
    """
    for token in filter(None, tokens):
        role = resources.keys.role_of_key(token)
        if role == "anon":
            continue  # older clients repeat the publishable key as a bearer token: the next may be worth more
        if role is not None:
            return {"role": role}
        try:
            return resources.keys.verify(token, now=resources.now())
        except TokenError as error:
            if verify:
                raise ApiError(401, Code.BAD_JWT, str(error), cause=error) from error
    return {"role": "anon"}
