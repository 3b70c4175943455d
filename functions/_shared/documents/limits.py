"""How much a document may be. Beyond it nothing is read, and the original stays."""

from __future__ import annotations

MAX_BYTES = 50 * 1024**2
MAX_PAGES = 1_000
MAX_PIXELS = 50_000_000
MAX_ENTRIES = 500
# What is packed in an upload, however deep, altogether.
MAX_UNPACKED_BYTES = 200 * 1024**2
# Texts and XML invoices pack five to fifteen times.
MAX_RATIO = 30
# Small files of equal characters pack better than any invoice; together they are harmless.
FREE_OF_RATIO_BYTES = 1024**2
# A ZIP in a mail in a ZIP.
MAX_DEPTH = 2
# Characters of a page; a page of a novel has 3,000.
MAX_PAGE_CHARS = 100_000
MAX_PAGE_WORDS = 20_000


def most_unpacked(packed_bytes: int) -> int:
    """Return how many bytes may come out of an upload of this size, however deep they are packed in it."""
    return min(MAX_UNPACKED_BYTES, max(FREE_OF_RATIO_BYTES, MAX_RATIO * packed_bytes))
