"""The keys and the tokens made with them.

Access tokens are RS256 (PostgREST 12 checks ES256 three times slower), or what SOCIO_SIGNING_ALGORITHM says: a list of
keys of which the first of that algorithm signs and all verify, so that a new key can take over while tokens of the old
one live on. The legacy HS256 secret signs the anon and service_role keys of older clients. Opaque `sb_publishable_…`
and `sb_secret_…` keys are what new clients send; the gateway swaps them for a role. Everything is made on the first run
into `keys.json`, mode 0600; settings of `[auth]` replace single ones of them (`Own`).

The algorithm follows from the key a token names, never from what the token says about itself (RFC 8725, 3.1);
`jku`, `jwk`, `x5u` and `x5c` headers are never looked at.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import secrets
import tempfile
import time
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import jwt as pyjwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm
from jwt.types import Options

from backend.core import durable

KEYS_FILE = "keys.json"
# What may sign sessions, the default first.
ALGORITHMS = ("RS256", "ES256", "HS256")
# The numbers of a public key, by kind (RFC 7518, 6.2.1 and 6.3.1), and what only the private one has.
_PUBLIC = {"RSA": ("n", "e"), "EC": ("crv", "x", "y")}
_PRIVATE = {"RSA": (*_PUBLIC["RSA"], "d", "p", "q"), "EC": (*_PUBLIC["EC"], "d")}
_ALGORITHM = {"RSA": "RS256", "EC": "ES256"}
# The role of everybody who signs in.
AUTHENTICATED = "authenticated"
LEEWAY_S = 30
RELOAD_INTERVAL_S = 60
TEN_YEARS_S = 10 * 365 * 24 * 3600
# A token is a few hundred bytes; a long one only costs us work.
MAX_TOKEN_BYTES = 16 * 1024
# Checking a signature costs 130 us, looking it up 2; a remembered one takes about 3 KB.
MAX_VERIFIED = 4096
# PyJWT checks the signature only: the checks below know the movable clock and the leeway.
SIGNATURE_ONLY: Options = {
    "verify_signature": True,
    "verify_exp": False,
    "verify_nbf": False,
    "verify_iat": False,
    "verify_aud": False,
    "verify_iss": False,
    "verify_sub": False,
    "verify_jti": False,
}


class KeysError(Exception):
    """keys.json is there and cannot be used; the message names it."""


class TokenError(Exception):
    """A token that must not be believed; the message may be shown to its bearer."""


class TokenExpired(TokenError):
    """A token of ours whose time is over."""


@dataclass(frozen=True)
class Secrets:
    """What `keys.json` holds. `signing_keys` are private JWKs (RFC 7517), the newest first."""

    signing_keys: tuple[dict[str, Any], ...] = field(repr=False)
    jwt_secret: str = field(repr=False)
    publishable_key: str
    secret_key: str = field(repr=False)
    postgres_password: str = field(repr=False)
    authenticator_password: str = field(repr=False)
    created_at: int


@dataclass(frozen=True)
class Own:
    """Keys that the operator brought, each of which counts instead of that in `keys.json`; empty ones do not count.

    `algorithm` is what signs sessions; without one, what the first signing key is for.
    """

    jwt_secret: str = field(default="", repr=False)
    publishable_key: str = ""
    secret_key: str = field(default="", repr=False)
    signing_keys: tuple[dict[str, Any], ...] = field(default=(), repr=False)
    algorithm: str = ""

    def instead_of(self, stored: Secrets) -> Secrets:
        """Return the stored keys with these in their places."""
        names = ("jwt_secret", "publishable_key", "secret_key", "signing_keys")
        return replace(stored, **{name: value for name in names if (value := getattr(self, name))})


class KeyRing:
    """The keys of one running process; looks at the file again when a token names a key it does not know.

    Raises KeysError for keys that cannot be used, or when none is for the algorithm that shall sign.
    """

    def __init__(self, path: Path, own: Own = Own()) -> None:
        self._path = path
        self._own = own
        self._read()
        self._next_reload_s = 0.0

    def _read(self) -> None:
        self._secrets = self._own.instead_of(_stored(self._path))
        # Signatures that were right, by the token's hash, the one used last at the end. Their time is checked anew
        # each time, and with other keys all is checked anew.
        self._verified: OrderedDict[bytes, tuple[dict[str, Any], str]] = OrderedDict()
        self.algorithm = self._own.algorithm or _ALGORITHM[self._secrets.signing_keys[0]["kty"]]
        self._signing, self._signing_header = self._signing_key()
        self._verifying = {
            key["kid"]: (_parsed(json.dumps(_public_part(key))), _ALGORITHM[key["kty"]])
            for key in self._secrets.signing_keys
        }
        self.postgres_password = self._secrets.postgres_password
        self.authenticator_password = self._secrets.authenticator_password
        self.publishable_key = self._secrets.publishable_key
        self.secret_key = self._secrets.secret_key
        self.anon_key = self._legacy_key("anon")
        self.service_role_key = self._legacy_key("service_role")

    def _signing_key(self) -> tuple[Any, dict[str, str]]:
        if self.algorithm == "HS256":
            return self._secrets.jwt_secret, {}
        for key in self._secrets.signing_keys:
            if _ALGORITHM[key["kty"]] == self.algorithm:
                return _parsed(json.dumps(key)), {"kid": key["kid"]}
        raise KeysError(f"no signing key is for {self.algorithm}: run 'keys rotate', which makes one")

    def sign(self, claims: Mapping[str, Any]) -> str:
        """Sign a token that names its key."""
        return pyjwt.encode(dict(claims), self._signing, algorithm=self.algorithm, headers=self._signing_header)

    def verify(
        self, token: str, *, now: datetime | None = None, issuer: str | None = None, audience: str | None = None
    ) -> dict[str, Any]:
        """Return the claims of a token that we signed and that is valid now; compare issuer and audience when given.

        Raises TokenExpired, TokenError.
        """
        claims, algorithm = self._signed_claims(token)
        # Keys that an operator signed with the legacy secret may last for ever, as upstream; tokens of users may not.
        is_key = algorithm == "HS256" and claims.get("role") not in (None, "", AUTHENTICATED)
        _check_claims(claims, now or datetime.now(UTC), may_last=is_key)
        if issuer is not None and claims.get("iss") != issuer:
            raise TokenError("The token was issued by somebody else")
        if audience is not None and claims.get("aud") != audience:
            raise TokenError("The token is meant for another audience")
        return claims

    def _signed_claims(self, token: str) -> tuple[dict[str, Any], str]:
        """Return the claims and the algorithm of a token whose signature is right; recent tokens are remembered."""
        digest = hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
        if (known := self._verified.get(digest)) is not None:
            self._verified.move_to_end(digest)
            return {**known[0]}, known[1]
        key, algorithm = self._key_for(token)
        try:
            claims: dict[str, Any] = pyjwt.decode(token, key, algorithms=[algorithm], options=SIGNATURE_ONLY)
        except pyjwt.PyJWTError as error:
            raise TokenError("The token is malformed or its signature is wrong") from error
        self._verified[digest] = (claims, algorithm)
        if len(self._verified) > MAX_VERIFIED:
            self._verified.popitem(last=False)
        return {**claims}, algorithm

    def _key_for(self, token: str) -> tuple[Any, str]:
        if len(token) > MAX_TOKEN_BYTES:
            raise TokenError("The token is too long")
        try:
            header = pyjwt.get_unverified_header(token)
        except pyjwt.PyJWTError as error:
            raise TokenError("The token is malformed") from error
        kid = header.get("kid")
        if kid is None and header.get("alg") == "HS256":
            return self._secrets.jwt_secret, "HS256"
        if not isinstance(kid, str) or header.get("alg") not in _ALGORITHM.values():
            raise TokenError("The token is signed with an unknown key")
        if kid not in self._verifying:
            self._reload()
        known = self._verifying.get(kid)
        if known is None or known[1] != header["alg"]:
            raise TokenError("The token is signed with an unknown key")
        return known

    def _reload(self) -> None:
        """At most once a minute: an attacker chooses how often an unknown key is named."""
        if time.monotonic() >= self._next_reload_s:
            self._next_reload_s = time.monotonic() + RELOAD_INTERVAL_S
            self._read()

    def public_jwks(self) -> dict[str, Any]:
        """Return the public key set (RFC 7517)."""
        return {"keys": [_public_part(key) for key in self._secrets.signing_keys]}

    def postgrest_jwks(self) -> dict[str, Any]:
        """Return the key set that PostgREST verifies with: public keys and the legacy secret. It is a secret itself."""
        encoded = base64.urlsafe_b64encode(self._secrets.jwt_secret.encode()).rstrip(b"=").decode()
        return {"keys": [*self.public_jwks()["keys"], {"kty": "oct", "k": encoded, "alg": "HS256"}]}

    @property
    def created_at(self) -> datetime:
        """Return when `keys.json` was made; signing keys may be newer."""
        return datetime.fromtimestamp(self._secrets.created_at, UTC)

    def secret_parts(self) -> dict[str, str]:
        """Return the secrets that age, by name; the newest signing key only."""
        return {
            "signing_key": json.dumps(self._secrets.signing_keys[0], sort_keys=True),
            "jwt_secret": self._secrets.jwt_secret,
            "secret_key": self._secrets.secret_key,
        }

    @property
    def fingerprint(self) -> str:
        """Names these keys without giving them away; rotating the signing keys does not change it."""
        return self.derive("fingerprint").hex()[:32]

    def derive(self, purpose: str) -> bytes:
        """Derive a secret of 32 bytes for one purpose; it does not reveal the secrets of other purposes."""
        return hmac.digest(self._secrets.jwt_secret.encode(), f"derive {purpose}".encode(), "sha256")

    def role_of_key(self, api_key: str) -> str | None:
        """Return the role of an opaque API key, None for anything else; compare in constant time."""
        given = api_key.encode()
        if hmac.compare_digest(given, self.publishable_key.encode()):
            return "anon"
        if hmac.compare_digest(given, self.secret_key.encode()):
            return "service_role"
        return None

    def _legacy_key(self, role: str) -> str:
        issued = self._secrets.created_at
        claims = {"iss": "supabase", "role": role, "iat": issued, "exp": issued + TEN_YEARS_S}
        return pyjwt.encode(claims, self._secrets.jwt_secret, algorithm="HS256")


def _check_claims(claims: dict[str, Any], now: datetime, *, may_last: bool) -> None:
    for claim in ("exp", "nbf", "iat"):
        if claim in claims and type(claims[claim]) not in (int, float):
            raise TokenError(f"The claim {claim} must be a number")
    for claim in ("role", "sub"):
        if not isinstance(claims.get(claim, ""), str):
            raise TokenError(f"The claim {claim} must be a text")
    if "exp" not in claims and not may_last:
        raise TokenError("The token never expires")
    moment = now.timestamp()
    if claims.get("exp", moment) + LEEWAY_S <= moment:
        raise TokenExpired("The token is expired")
    if max(claims.get("nbf", 0), claims.get("iat", 0)) - LEEWAY_S > moment:
        raise TokenError("The token is not valid yet")


def load(home: Path, own: Own = Own()) -> KeyRing:
    """Load the keys, or create them on the first call; two processes starting at once agree on one set.

    Raises KeysError.
    """
    path = home / KEYS_FILE
    if not path.exists():
        _write(path, _fresh(own), exclusive=True)
    return KeyRing(path, own)


def read_signing_keys(path: Path) -> tuple[dict[str, Any], ...]:
    """Read private JWKs as `supabase gen signing-key` writes them: a list of ES256 and RS256 keys.

    `use`, `alg` and `key_ops` may be missing. Raises KeysError, which says what is missing.
    """
    try:
        keys = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise KeysError(f"{path}: {error}") from error
    if not isinstance(keys, list) or not keys:
        raise KeysError(f"{path}: must hold a list of private keys (JWK)")
    for number, key in enumerate(keys, start=1):
        kind = key.get("kty") if isinstance(key, dict) else None
        if kind not in _PRIVATE:
            raise KeysError(f"{path}: key {number} must have kty RSA or EC")
        if missing := [name for name in ("kid", *_PRIVATE[kind]) if not isinstance(key.get(name), str)]:
            raise KeysError(f"{path}: key {number} lacks {', '.join(missing)}")
        if key.get("alg", _ALGORITHM[kind]) != _ALGORITHM[kind]:
            raise KeysError(f"{path}: key {number} is for {key['alg']}: only RS256 and ES256 can be used")
        _parsed(json.dumps(key))
    if len({key["kid"] for key in keys}) != len(keys):
        raise KeysError(f"{path}: two keys have the same kid")
    return tuple(keys)


def rotate(home: Path, own: Own = Own()) -> str:
    """Put a new signing key in front and return its key id; tokens of the older keys stay valid.

    Raises KeysError for signing keys that the operator brought.

    PostgREST must have read the new set before a process signs with it; running processes go on signing with the
    key they started with, so: rotate, reload PostgREST, then restart the backends one after the other.
    """
    _refuse_brought(own)
    path = home / KEYS_FILE
    content = _stored(path)
    keys = (_new_signing_key(own.algorithm), *content.signing_keys)
    _write(path, replace(content, signing_keys=keys))
    return str(keys[0]["kid"])


def retire(home: Path, own: Own = Own()) -> int:
    """Delete every key but the newest and return their number; call it when all their tokens have expired.

    Raises KeysError for signing keys that the operator brought.
    """
    _refuse_brought(own)
    path = home / KEYS_FILE
    content = _stored(path)
    _write(path, replace(content, signing_keys=content.signing_keys[:1]))
    return len(content.signing_keys) - 1


def _refuse_brought(own: Own) -> None:
    if own.signing_keys:
        raise KeysError("the signing keys are those of auth.signing_keys_path: change that file")


def _stored(path: Path) -> Secrets:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return Secrets(**{**content, "signing_keys": tuple(content["signing_keys"])})
    except (ValueError, TypeError, KeyError) as error:
        raise KeysError(f"{path} is damaged: put it back from a backup") from error


def _fresh(own: Own) -> Secrets:
    return Secrets(
        signing_keys=(_new_signing_key(own.algorithm),),
        jwt_secret=secrets.token_urlsafe(48),
        publishable_key=f"sb_publishable_{secrets.token_urlsafe(24)}",
        secret_key=f"sb_secret_{secrets.token_urlsafe(32)}",
        # hex: these stand in connection addresses
        postgres_password=secrets.token_hex(24),
        authenticator_password=secrets.token_hex(24),
        created_at=int(time.time()),
    )


def _write(path: Path, content: Secrets, *, exclusive: bool = False) -> None:
    """Write the key file completely or not at all, also in a power cut, and readable by its owner only.

    With `exclusive`, a file that another process created first stays. When root writes the file for a service's user,
    the owner of the file or of its folder stays the owner.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix="keys-")  # mode 0600
    scratch = Path(name)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        if os.geteuid() == 0:
            before = (path if path.exists() else path.parent).stat()
            with suppress(OSError):  # a container that cannot name that owner
                os.fchown(descriptor, before.st_uid, before.st_gid)
        json.dump(asdict(content), file, indent=1)
        file.flush()
        os.fsync(descriptor)
    if exclusive:
        # FileExistsError: another process was first, its keys count
        with suppress(FileExistsError):
            path.hardlink_to(scratch)
        scratch.unlink()
    else:
        scratch.replace(path)
    durable.sync_folder(path.parent)


def _new_signing_key(algorithm: str) -> dict[str, Any]:
    jwk: dict[str, Any]
    if algorithm == "ES256":
        jwk = ECAlgorithm.to_jwk(ec.generate_private_key(ec.SECP256R1()), as_dict=True)
    else:
        jwk = RSAAlgorithm.to_jwk(rsa.generate_private_key(public_exponent=65537, key_size=2048), as_dict=True)
    return {**jwk, "kid": secrets.token_hex(8), "alg": _ALGORITHM[jwk["kty"]], "use": "sig"}


def _public_part(key: dict[str, Any]) -> dict[str, Any]:
    shown = {name: key[name] for name in ("kty", "kid", *_PUBLIC[key["kty"]])}
    return {**shown, "alg": _ALGORITHM[key["kty"]], "use": "sig", "key_ops": ["verify"]}


@lru_cache(maxsize=16)
def _parsed(jwk: str) -> Any:
    """Parse a JWK; kept, for whether the numbers of a private key are primes takes 30 ms to find out.

    Raises KeysError.
    """
    content = json.loads(jwk)
    try:
        return pyjwt.PyJWK(content, algorithm=_ALGORITHM[content["kty"]]).key
    except (pyjwt.PyJWTError, ValueError) as error:
        raise KeysError(f"the key {content['kid']} is damaged: {error}") from error
