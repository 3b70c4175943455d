"""How much a document may be. Beyond it nothing is read, and the original stays."""

from __future__ import annotations

MAX_BYTES = 50 * 1024**2
MAX_PAGES = 1_000
MAX_PIXELS = 50_000_000
MAX_ENTRIES = 500
MAX_UNPACKED_BYTES = 200 * 1024**2
MAX_RATIO = 100
# A ZIP in a mail in a ZIP.
MAX_DEPTH = 2
# Characters of a page; a page of a novel has 3,000.
MAX_PAGE_CHARS = 100_000
MAX_PAGE_WORDS = 20_000
