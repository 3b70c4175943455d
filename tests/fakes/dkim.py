"""A domain that signs its mails (DKIM), as its mail server does: its key, its records and its signature."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

# One for all tests: making a key takes long.
KEY = rsa.generate_private_key(65537, 2048)
OTHER_KEY = rsa.generate_private_key(65537, 2048)
NAMES = ("from", "to", "subject", "date", "message-id")


def published(key: rsa.RSAPrivateKey = KEY, start: str = "v=DKIM1; k=rsa") -> str:
    """Write the record of a key."""
    public = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return f"{start}; p={base64.b64encode(public).decode()}"


def signed(
    content: bytes,
    domain: str,
    *,
    selector: str = "s1",
    key: rsa.RSAPrivateKey = KEY,
    names: Sequence[str] = NAMES,
    tags: str = "",
    mode: str = "relaxed/relaxed",
) -> bytes:
    """Sign a mail whose lines end with CRLF; each name once, in the order given."""
    head, _, body = content.partition(b"\r\n\r\n")
    lines = [re.sub(rb"[ \t]+", b" ", line).rstrip(b" ") for line in body.split(b"\r\n")]
    while lines and not lines[-1]:
        lines.pop()
    digest = hashlib.sha256(b"".join(line + b"\r\n" for line in lines)).digest()
    value = (
        f"v=1; a=rsa-sha256; c={mode}; d={domain}; s={selector};{tags} h={':'.join(names)}; "
        f"bh={base64.b64encode(digest).decode()}; b="
    )
    fields = {}
    for each in re.split(rb"\r\n(?![ \t])", head):
        name, _, text = each.partition(b":")
        fields[name.strip().lower().decode()] = re.sub(rb"[ \t\r\n]+", b" ", text).strip()
    covered = b"".join(f"{name}:".encode() + fields[name] + b"\r\n" for name in names if name in fields)
    signature = key.sign(covered + b"dkim-signature:" + value.encode(), padding.PKCS1v15(), hashes.SHA256())
    return f"DKIM-Signature: {value}{base64.b64encode(signature).decode()}\r\n".encode() + content
