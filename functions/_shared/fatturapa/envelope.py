"""The signed envelope around a file: CAdES (.p7m), DER or BER, also as base64 or PEM text, also several times over.

What is no envelope is handed back as it is. `Unwrapped.verified` says of all layers together what `signatures` found;
for an XML with a signature inside (XAdES) it is None, because that is not checked here.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass, replace

from asn1crypto import cms  # type: ignore[import-untyped]

from functions._shared.fatturapa import signatures
from functions._shared.fatturapa.errors import BadEnvelope, NotAnInvoice
from functions._shared.fatturapa.model import Signature

MAX_LAYERS = 4
MAX_BYTES = 100 * 1024 * 1024
# 1.2.840.113549.1.7.2, id-signedData, as DER.
_SIGNED_DATA = bytes.fromhex("06092a864886f70d010702")
_ARMOUR = re.compile(rb"-----(?:BEGIN|END) [A-Z0-9 ]{1,40}-----")
_XADES = re.compile(rb"<(?:[A-Za-z0-9]+:)?X509Certificate[^>]*>([A-Za-z0-9+/=\s]{100,20000})</", re.DOTALL)
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_MAGIC = (
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n", "image/png"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
)


@dataclass(frozen=True)
class Unwrapped:
    """What an envelope held. `layers` is 0 when there was none; `mime` is what the content's first bytes say."""

    content: bytes
    signer: str | None
    verified: bool | None
    signature: Signature | None = None
    layers: int = 0
    mime: str | None = None


def unwrapped(content: bytes) -> Unwrapped:
    """Opens all layers. Raises BadEnvelope when an envelope is broken, empty, or holds too many others."""
    opened, found = content, list[Signature]()
    for layers in range(MAX_LAYERS + 1):
        der = _signed_data(opened)
        if der is None:
            break
        if layers == MAX_LAYERS:
            raise BadEnvelope(f"La busta firmata ne contiene altre, una nell’altra: più di {MAX_LAYERS}.")
        opened, signed = _content(der)
        found.extend(signed)
    inside = None if found else _signature_inside(opened)
    signature = _together(found) if found else inside
    return Unwrapped(
        content=opened,
        signer=signature.signer if signature else None,
        verified=signature.verified if signature else None,
        signature=signature,
        layers=layers,
        mime=_mime(opened),
    )


def _signed_data(content: bytes) -> bytes | None:
    """The bytes of an envelope, None when this is none."""
    if len(content) > MAX_BYTES:
        raise BadEnvelope("La busta firmata è troppo grande.")
    if _is_signed_data(content):
        return content
    text = content.strip().removeprefix(b"\xef\xbb\xbf")
    if not text.startswith((b"-----BEGIN", b"MI", b"TUl")):
        return None
    body = b"".join(_ARMOUR.sub(b"", text).split())
    start = _debased(body[:64])
    if start is None or not (_is_signed_data(start) or start.startswith(b"MI")):
        return None
    decoded = _debased(body)
    if decoded is None:
        raise BadEnvelope("La busta firmata (.p7m) è rovinata o incompleta.")
    # Some mail programs write base64 of base64.
    return decoded if _is_signed_data(decoded) else _signed_data(decoded)


def _debased(text: bytes) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        return None


def _is_signed_data(content: bytes) -> bool:
    return content[:1] == b"\x30" and _SIGNED_DATA in content[:32]


def _content(der: bytes) -> tuple[bytes, list[Signature]]:
    try:
        signed = cms.ContentInfo.load(der)["content"]
        encapsulated = signed["encap_content_info"]["content"]
        if encapsulated.native is None:
            raise BadEnvelope("Il file contiene solo la firma: manca il documento firmato.")
        content = bytes(encapsulated)
        return content, [signatures.checked(each, signed, content) for each in signed["signer_infos"]]
    except (*signatures.MALFORMED, RecursionError) as error:
        raise BadEnvelope("La busta firmata (.p7m) è rovinata o incompleta.") from error


def _together(found: list[Signature]) -> Signature:
    """Several signers as one: all names, the strictest verdict, the details of the first."""
    if len(found) == 1:
        return found[0]
    verdicts = [each.verified for each in found]
    verified = False if False in verdicts else None if None in verdicts else True
    names = dict.fromkeys(each.signer for each in found if each.signer)
    notes = dict.fromkeys(each.note for each in found)
    return replace(found[0], signer=", ".join(names) or None, verified=verified, note=" ".join(notes))


def _signature_inside(content: bytes) -> Signature | None:
    plain = content if not content.startswith(_UTF16_MARKS) else content.replace(b"\0", b"")
    found = _XADES.search(plain) if b"Signature" in plain else None
    if not found:
        return None
    try:
        return signatures.unchecked(base64.b64decode(b"".join(found[1].split()), validate=True))
    except binascii.Error:
        return None


def _mime(content: bytes) -> str | None:
    for magic, mime in _MAGIC:
        if content.startswith(magic):
            return mime
    start = content[:200].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
    return "application/xml" if start.startswith(b"<") else None


__all__ = ["BadEnvelope", "NotAnInvoice", "Unwrapped", "unwrapped"]
