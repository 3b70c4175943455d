"""Verify DKIM signatures (RFC 6376, 8301, 8463) of a mail that a stranger wrote, within bounds.

Each step takes time linear in the mail, and no single one holds the interpreter for long: dkimpy needs 8 seconds for a
line with 80,000 spaces. Stricter than the RFC where a mail could show other things than its signer signed: a
signature covers the whole body, and fields that a mail has once are there once.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_der_public_key

MAX_HEAD = 512 * 1024
MAX_FIELDS = 1_000
# Signatures beyond these are not looked at.
MAX_SIGNATURES = 10
# RFC 8301: a shorter key is no proof. A longer one costs more than it proves.
MIN_RSA_BITS, MAX_RSA_BITS = 1024, 4096
PIECE = 64 * 1024
MAX_LINE = 1024 * 1024
NAME = re.compile(r"(?=.{1,110}\Z)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){0,8}")
# RFC 5322 3.6: a program that shows the first of two and a signature of the last would differ.
ONCE = (b"from", b"sender", b"reply-to", b"to", b"cc", b"subject", b"date", b"message-id", b"content-type")


@dataclass(frozen=True)
class Message:
    """A mail as its signer saw it: header fields with their folds, and the body; lines end with LF."""

    fields: Sequence[bytes]
    body: bytes = field(repr=False)

    def named(self, name: bytes) -> list[bytes]:
        """Return the fields of a name, from the top."""
        return [each for each in self.fields if name_of(each) == name]


@dataclass(frozen=True)
class Signature:
    """The tags of a DKIM-Signature; `source` is the field itself."""

    domain: str
    selector: str
    algorithm: str
    names: tuple[bytes, ...]
    body_hash: bytes
    signature: bytes
    is_head_relaxed: bool
    is_body_relaxed: bool
    is_own_domain: bool
    length: int | None
    source: bytes = field(repr=False)

    @property
    def key_name(self) -> str:
        """Return where its key is published."""
        return f"{self.selector}._domainkey.{self.domain}"


def split(content: bytes) -> Message | None:
    """Split a raw mail; None when programs would not agree on which fields it has."""
    head, _, body = content.replace(b"\r\n", b"\n").partition(b"\n\n")
    # The parser of the standard library ends a line at a single CR; DKIM does not.
    if len(head) > MAX_HEAD or b"\r" in head:
        return None
    fields = re.split(rb"\n(?![ \t])", head)
    counted = Counter(map(name_of, fields))
    if len(fields) > MAX_FIELDS or any(counted[name] > 1 for name in ONCE):
        return None
    return Message(fields, body)


def name_of(header_field: bytes) -> bytes:
    """Return the name of a field in lower case."""
    return header_field.partition(b":")[0].strip().lower()


def signatures(message: Message, now: datetime) -> list[Signature]:
    """Read the first signatures, without malformed and expired ones."""
    read = [_read(each, now) for each in message.named(b"dkim-signature")[:MAX_SIGNATURES]]
    return [each for each in read if each is not None]


def verifies(message: Message, signature: Signature, keys: Sequence[str]) -> bool:
    """Check a signature against the records at the name of its key; no more than one of them may be a key.

    Takes seconds for a mail of 25 MiB.
    """
    found = [_tags(each) for each in keys]
    own = [each for each in found if each and each.get("v", "DKIM1") == "DKIM1" and "p" in each]
    check = _checker(own[0], signature) if len(own) == 1 else None
    if check is None or not check(_signed(message, signature)):
        return False
    digest, size = _body(message.body, is_relaxed=signature.is_body_relaxed)
    return digest == signature.body_hash and signature.length in (None, size)


def _read(source: bytes, now: datetime) -> Signature | None:
    tags = _tags(source.partition(b":")[2].decode("ascii", "replace"))
    if not tags or any(tags.get(each) is None for each in ("v", "a", "b", "bh", "d", "s", "h")):
        return None
    domain, selector, names = tags["d"].lower(), tags["s"].lower(), tags["h"].lower().encode("ascii", "replace")
    modes = tags.get("c", "simple/simple").lower().split("/")
    head_mode, body_mode = modes[0], modes[1] if len(modes) > 1 else "simple"
    signed = tuple(each.strip() for each in names.split(b":"))
    identity = tags.get("i", f"@{domain}").lower().rpartition("@")[2]
    is_sound = (
        tags["v"] == "1"
        and all(NAME.fullmatch(each) for each in (domain, selector))
        and {head_mode, body_mode} <= {"simple", "relaxed"}
        and b"from" in signed
        and len(signed) <= MAX_FIELDS
        and (identity == domain or identity.endswith(f".{domain}"))
        and tags.get("q", "dns/txt").lower() in ("dns/txt", "dns")
    )
    try:
        expires = int(tags["x"]) if "x" in tags else None
        length = int(tags["l"]) if "l" in tags else None
        if not is_sound or (expires is not None and expires <= now.timestamp()):
            return None
        return Signature(
            domain, selector, tags["a"].lower(), signed, _decoded(tags["bh"]), _decoded(tags["b"]),
            head_mode == "relaxed", body_mode == "relaxed", identity == domain, length, source,
        )  # fmt: skip
    except ValueError:
        return None


def _tags(text: str) -> dict[str, str]:
    """Read a list of tags (RFC 6376 3.2), without their spaces and folds; empty when one comes twice."""
    tags: dict[str, str] = {}
    for each in filter(str.strip, text.split(";")):
        name, equals, value = each.partition("=")
        if not equals or name.strip() in tags:
            return {}
        tags[name.strip()] = "".join(value.split())
    return tags


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError("no base64") from error


def _checker(key: dict[str, str], signature: Signature) -> Callable[[bytes], bool] | None:
    """Return what checks signatures with a published key; None when the key is not meant for this one."""
    allowed = [each.strip().lower() for each in key.get("h", "sha256").split(":")]
    services = [each.strip().lower() for each in key.get("s", "*").split(":")]
    flags = [each.strip().lower() for each in key.get("t", "").split(":")]
    kind = key.get("k", "rsa").lower()
    if "sha256" not in allowed or not {"*", "email"} & set(services) or ("s" in flags and not signature.is_own_domain):
        return None
    try:
        content = _decoded(key["p"])
        if (kind, signature.algorithm) == ("rsa", "rsa-sha256"):
            return _rsa(content, signature.signature)
        if (kind, signature.algorithm) == ("ed25519", "ed25519-sha256"):
            return _ed25519(content, signature.signature)
    except (ValueError, UnsupportedAlgorithm):
        return None
    return None


def _rsa(content: bytes, signature: bytes) -> Callable[[bytes], bool] | None:
    key = load_der_public_key(content)
    if not isinstance(key, RSAPublicKey) or not MIN_RSA_BITS <= key.key_size <= MAX_RSA_BITS:
        return None

    def is_right(signed: bytes) -> bool:
        try:
            key.verify(signature, signed, padding.PKCS1v15(), hashes.SHA256())
        except InvalidSignature:
            return False
        return True

    return is_right


def _ed25519(content: bytes, signature: bytes) -> Callable[[bytes], bool]:
    key = Ed25519PublicKey.from_public_bytes(content)

    def is_right(signed: bytes) -> bool:
        try:
            # RFC 8463 3: what is signed is the digest.
            key.verify(signature, hashlib.sha256(signed).digest())
        except InvalidSignature:
            return False
        return True

    return is_right


def _signed(message: Message, signature: Signature) -> bytes:
    """Return the bytes that were signed: the named fields, each name from the bottom up, and the signature's own."""
    left: dict[bytes, list[bytes]] = {}
    for each in message.fields:
        left.setdefault(name_of(each), []).append(each)
    chosen = [left[name].pop() for name in signature.names if left.get(name)]
    lines = [_field(each, is_relaxed=signature.is_head_relaxed) + b"\r\n" for each in chosen]
    return b"".join(lines) + _field(_without_value(signature.source), is_relaxed=signature.is_head_relaxed)


def _without_value(source: bytes) -> bytes:
    """Empty the tag `b` of a signature."""
    name, colon, value = source.partition(b":")
    parts = value.split(b";")
    kept = [each.partition(b"=")[0] + b"=" if each.partition(b"=")[0].strip() == b"b" else each for each in parts]
    return name + colon + b";".join(kept)


def _field(source: bytes, *, is_relaxed: bool) -> bytes:
    if not is_relaxed:
        return source.replace(b"\n", b"\r\n")
    name, _, value = source.partition(b":")
    return name.strip().lower() + b":" + re.sub(rb"[ \t]+", b" ", value.replace(b"\n", b"")).strip(b" ")


def _body(body: bytes, *, is_relaxed: bool) -> tuple[bytes, int]:
    """Return the digest and the size of a body in its canonical form; no digest for a line without end."""
    kept = body.rstrip(b" \t\n" if is_relaxed else b"\n")
    kept += b"\n" if kept or not is_relaxed else b""
    digest, size = hashlib.sha256(), 0
    for each in _pieces(kept):
        if len(each) > PIECE + MAX_LINE:
            return b"", 0
        piece = re.sub(rb"[ \t]+", b" ", each).replace(b" \n", b"\n") if is_relaxed else each
        piece = piece.replace(b"\n", b"\r\n")
        digest.update(piece)
        size += len(piece)
    return digest.digest(), size


def _pieces(body: bytes) -> Iterator[bytes]:
    """Cut at ends of lines."""
    start = 0
    while start < len(body):
        end = body.find(b"\n", start + PIECE) + 1 or len(body)
        yield body[start:end]
        start = end
