"""The HTML of a person's mail: its own text with links that open, and nothing that the text does not say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from functions._shared.unsubscribing import INVITATION, QUESTION

# Ends before what closes a sentence or a bracket.
LINK = re.compile(r"https?://[^\s<>\"«»“”]*[^\s<>\"«»“”.,;:!?)\]}'’]")
# RFC 3676 4.3: mail programs know a signature by this line.
SIGNATURE = "\n-- \n"
PAGE = (
    '<!doctype html>\n<html lang="it">\n<head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1"></head>\n'
    '<body style="font-family:Arial,Helvetica,sans-serif;font-size:15px;line-height:1.5">\n{}</body>\n</html>\n'
)
QUIET = ' style="color:#6B675E"'


def page(body: str, way_out: str | None = None) -> str:
    """Return the HTML of a mail with this text and signature; `way_out` is where its recipient unsubscribes."""
    text, mark, signature = body.rpartition(SIGNATURE)
    parts = [*_paragraphs(text), *_paragraphs(signature, QUIET)] if mark else [*_paragraphs(body)]
    if way_out is not None:
        parts.append(f'<p{QUIET}>{QUESTION} <a href="{escape(way_out)}"{QUIET}>{INVITATION}</a></p>\n')
    return PAGE.format("".join(parts))


def _paragraphs(text: str, style: str = "") -> Iterator[str]:
    for paragraph in re.split(r"\n(?:[ \t]*\n)+", text.replace("\r\n", "\n").strip("\n")):
        if paragraph.strip():
            lines = "<br>\n".join(map(_line, paragraph.splitlines()))
            yield f"<p{style}>{lines}</p>\n"


def _line(line: str) -> str:
    """Escape a line and its indent, which HTML would drop, and make links of addresses of the web."""
    indent = len(line) - len(line := line.lstrip())
    parts, at = ["&nbsp;" * indent], 0
    for found in LINK.finditer(line):
        address = escape(found[0])
        parts += [escape(line[at : found.start()]), f'<a href="{address}">{address}</a>']
        at = found.end()
    return "".join([*parts, escape(line[at:])])
