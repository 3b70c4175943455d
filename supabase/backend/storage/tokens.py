"""Signed addresses: tokens that stand for one object, to read it or to upload it once asked.

HS256 with a key of its own, so that no access token is ever one of these, or the other way round. Claims as upstream
(STORAGE-02): `{url, scope: "download", iat, exp}` (+ transformations) and `{url, upsert, scope: "upload",
owner, iat, exp}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import jwt as pyjwt

from backend.core.resources import Resources
from backend.storage import errors

PURPOSE = "storage signed urls"
MAX_TOKEN_BYTES = 8192
# What JavaScript can still write as a date; longer lives are cut to it.
LONGEST_S = 100 * 365 * 86400

Scope = Literal["download", "upload"]


def sign(resources: Resources, url: str, scope: Scope, life_s: int, **claims: Any) -> str:
    """A token for `bucket/name`."""
    issued = int(resources.now().timestamp())
    content = {"url": url, "scope": scope, **claims, "iat": issued, "exp": issued + min(life_s, LONGEST_S)}
    return pyjwt.encode(content, resources.keys.derive(PURPOSE), algorithm="HS256")


def life_s(resources: Resources, claims: Mapping[str, Any]) -> int:
    """How much longer a verified token is good."""
    return int(claims["exp"] - resources.now().timestamp())


def verify(resources: Resources, token: str, url: str, scope: Scope) -> dict[str, Any]:
    """The claims of a token that is good for this object now. Raises InvalidJWT, InvalidSignature."""
    if not token or len(token) > MAX_TOKEN_BYTES:
        raise errors.bad_token("jwt must be provided" if not token else "jwt malformed")
    options: Any = {"verify_exp": False, "verify_iat": False, "verify_nbf": False, "require": ["exp", "url", "scope"]}
    try:
        claims: dict[str, Any] = pyjwt.decode(
            token, resources.keys.derive(PURPOSE), algorithms=["HS256"], options=options
        )
    except pyjwt.PyJWTError as error:
        raise errors.bad_token("signature verification failed") from error
    if int(claims["exp"]) <= resources.now().timestamp():
        raise errors.bad_token('"exp" claim timestamp check failed')
    if claims["scope"] != scope or claims["url"] != url:
        raise errors.bad_signature()
    return claims
