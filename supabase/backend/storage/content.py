"""What a file is, by its first bytes: the sender's word about the type is only a word.

Signatures from the formats' own specifications, as collected in WHATWG's MIME Sniffing Standard
(https://mimesniff.spec.whatwg.org) and the formats' documents.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence

# As much of a file as `sniff` needs.
HEAD_BYTES = 1024
UNKNOWN = "application/octet-stream"
PDF, PDF_HEADER = "application/pdf", b"%PDF-"

_SIGNATURES: Sequence[tuple[int, bytes, str]] = (
    (0, PDF_HEADER, PDF),
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (0, b"II*\0", "image/tiff"),
    (0, b"MM\0*", "image/tiff"),
    (0, b"BM", "image/bmp"),
    (8, b"WEBP", "image/webp"),
    *((4, b"ftyp" + brand, "image/heic") for brand in (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx")),
    (4, b"ftypmif1", "image/heif"),
    (4, b"ftypmsf1", "image/heif"),
    (4, b"ftypavif", "image/avif"),
    (4, b"ftypisom", "video/mp4"),
    (4, b"ftypmp4", "video/mp4"),
    (4, b"ftypqt", "video/quicktime"),
    (0, b"\x1aE\xdf\xa3", "video/webm"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"OggS", "audio/ogg"),
    (8, b"WAVE", "audio/wav"),
    (0, b"PK\x03\x04", "application/zip"),
    (0, b"\x1f\x8b", "application/gzip"),
    (0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (0, b"Rar!\x1a\x07", "application/vnd.rar"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (0, b"\x7fELF", "application/x-executable"),
    (0, b"MZ", "application/x-msdownload"),
)
# Few letters, with which a text may begin as well.
_WEAK = frozenset({b"BM", b"ID3", b"MZ", b"WAVE", b"WEBP"})
_TEXT = re.compile(r"text/|message/rfc822$")
# Formats whose own type says more than their container does.
_CONTAINERS = {
    "application/zip": re.compile(r"application/(vnd\.|zip|x-zip|epub|java-archive|octet-stream)"),
    "application/x-ole-storage": re.compile(r"application/(msword|vnd\.ms-|octet-stream)"),
    "application/gzip": re.compile(r"application/(gzip|x-gzip|x-tar|octet-stream)"),
    "video/webm": re.compile(r"(video|audio)/(webm|x-matroska)"),
    "video/mp4": re.compile(r"(video|audio)/(mp4|x-m4[av]|m4a)"),
    "audio/ogg": re.compile(r"(audio|video|application)/ogg"),
    "image/heif": re.compile(r"image/hei[cf]"),
    "image/heic": re.compile(r"image/hei[cf]"),
}
_MARKUP = re.compile(
    rb"<(?:!doctype html|html|head|body|script|iframe|img|svg|style|title|a |div|table|\?xml)", re.IGNORECASE
)
# Types whose bytes have a signature: a file that claims one and lacks it lies.
_SIGNED = frozenset(mime for _, _, mime in _SIGNATURES) - {"image/bmp", "audio/mpeg", "application/x-msdownload"}
# What a browser could run when it opens it on our address.
ACTIVE = frozenset(
    {
        "text/html",
        "application/xhtml+xml",
        "image/svg+xml",
        "text/xml",
        "application/xml",
        "text/javascript",
        "application/javascript",
        "text/css",
        "application/x-msdownload",
        "application/x-executable",
    }
)
# What a browser may show in place; everything else is saved.
SHOWN = ("image/*", "audio/*", "video/*", "text/plain", "application/pdf")


def plain(declared: str) -> str:
    """The type without its parameters, in lower case; what is no type at all counts as unknown."""
    mime = declared.partition(";")[0].strip().lower()
    return mime if re.fullmatch(r"[\w.+-]+/[\w.+-]+", mime) else UNKNOWN


def sniff(declared: str, head: bytes) -> str | None:
    """The type the bytes prove, None when they prove nothing; what is declared says whether they may be a text's."""
    weak = _WEAK if _TEXT.match(declared) else frozenset()
    for offset, signature, mime in _SIGNATURES:
        if signature not in weak and head.startswith(signature, offset):
            return mime
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n\x0c")
    if text.startswith(b"<?xml") or text[:256].lower().startswith(b"<svg"):
        lowered = head.lower()
        return "image/svg+xml" if b"<svg" in lowered else "text/html" if b"<html" in lowered else "application/xml"
    return "text/html" if _MARKUP.match(text) else None


def settle(declared: str, head: bytes) -> str:
    """The type an object is stored and served with.

    Bytes that prove another type than declared win; a claimed format without its signature is unknown; text without
    proof keeps its name, for it is served as an attachment or as plain text anyway.
    """
    mime = plain(declared)
    proven = sniff(mime, head)
    if proven is None:
        # Readers take a PDF whose header comes a little late, behind a printer's commands for example.
        is_known = mime not in _SIGNED or not head or (mime == PDF and PDF_HEADER in head)
        return mime if is_known else UNKNOWN
    if proven == mime or (proven in _CONTAINERS and _CONTAINERS[proven].match(mime)):
        return mime
    if proven == "application/xml" and (mime.endswith("+xml") or mime in ("text/xml", "application/xml")):
        return mime
    if proven == "text/html" and mime in ("text/plain", "text/markdown", "text/csv"):
        return mime  # nosniff keeps a browser from thinking otherwise
    return proven


def allowed(mime: str, patterns: Sequence[str] | None) -> bool:
    """Whether a bucket takes this type; None takes all, `image/*` a family."""
    return patterns is None or any(fnmatch.fnmatchcase(mime, pattern.strip().lower()) for pattern in patterns)


def is_shown(mime: str) -> bool:
    """Whether a browser may open it in place."""
    return mime not in ACTIVE and allowed(mime, SHOWN)
