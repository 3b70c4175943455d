"""The body of a mail: HTML made harmless, text out of HTML, and the quoted history split off."""

from __future__ import annotations

import re
from collections.abc import Mapping

import nh3

from functions._shared.documents import text as documents_text

# A picture of this size is shown inside of the page.
MAX_PICTURE_BYTES = 2 * 1024 * 1024
# Of longer HTML only this much becomes text; a parser may look through all of it for each sign.
MAX_TEXT_HTML = 300_000
# Cleaning takes the square of how deep tags are nested.
MAX_TAGS = 20_000
PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
TAGS = nh3.ALLOWED_TAGS - {"audio", "video", "source", "track", "map", "area", "math", "svg"}
HISTORY = re.compile(
    r"(?im)^[ \t]*(?:"
    # Apple Mail, Gmail, Thunderbird, in the languages of neighbours.
    r"(?:il|in data|on|le|am|el)\b[^\n]{4,200}(?:\n[^\n]{1,120})?"
    r"(?:ha scritto|scrisse|wrote|a écrit|schrieb|escribió)[^\n]{0,120}?:[ \t]*$"
    r"|[^\n]{3,120}<[^<>\s]+@[^<>\s]+>[ \t]*(?:ha scritto|wrote)[^\n]{0,40}:[ \t]*$"
    # Outlook and web mails.
    r"|-{2,}[ \t]*(?:messaggio originale|original message|messaggio inoltrato|forwarded message"
    r"|ursprüngliche nachricht)[^\n]*$"
    r"|(?:inizio messaggio inoltrato|begin forwarded message)[^\n]*$"
    r"|(?:da|from|von|de)[ \t]*:[^\n]{3,200}\n+"
    r"(?:[ \t]*(?:inviato|sent|data|date|gesendet|envoyé|a|to)[ \t]*:[^\n]*\n+)"
    r")"
)
QUOTED_LINE = re.compile(r"(?m)^[ \t]*>")


def plain(html: str) -> str:
    """Return what HTML says, with at most one empty line in a row."""
    lines = (line.strip() for line in documents_text.plain(html[:MAX_TEXT_HTML]).splitlines())
    # Words of inline tags come with a blank behind them.
    return re.sub(r" +([.,;:!?)])", r"\1", re.sub(r"\n{3,}", "\n\n", "\n".join(lines)))


def split_quoted(text: str) -> tuple[str, str]:
    """Return what was written, and the older mails below it. A text that only quotes is all written."""
    found = HISTORY.search(text)
    at = len(text) if found is None else found.start()
    first = next((each.start() for each in QUOTED_LINE.finditer(text) if _is_quoted_to_the_end(text, each.start())), at)
    at = min(at, first)
    written = text[:at].rstrip().rstrip("_-").rstrip()
    return (written, text[at:].strip()) if written else (text, "")


def _is_quoted_to_the_end(text: str, at: int) -> bool:
    """Return whether only quoted and empty lines follow; an answer between quotations stays whole."""
    rest = text[at:].splitlines()
    return all(not each.strip() or each.lstrip().startswith(">") for each in rest)


def harmless(html: str, pictures: Mapping[str, str]) -> tuple[str, list[str]]:
    """Return HTML without scripts, styles, forms and anything from elsewhere, and the pictures that were left out.

    `pictures` are data addresses by what the mail calls them: `cid:…`, or an address elsewhere.
    """
    left_out: list[str] = []

    def attribute(tag: str, name: str, value: str) -> str | None:
        if tag != "img" or name != "src":
            return value
        name = f"cid:{value[4:]}" if value.lower().startswith("cid:") else value
        if name in pictures:
            return pictures[name]
        left_out.append(value)
        return None

    if html.count("<") > MAX_TAGS:
        return f"<pre>{nh3.clean_text(plain(html))}</pre>", []
    cleaned = nh3.clean(
        html,
        tags=TAGS,
        clean_content_tags={"script", "style", "title", "head", "template", "noscript", "form", "object"} - TAGS,
        attribute_filter=attribute,
        url_schemes={"http", "https", "mailto", "tel", "cid"},
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
    return cleaned, left_out
