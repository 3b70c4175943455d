"""Splits a SQL file into its statements, as the Supabase CLI records them."""

from __future__ import annotations

import re
from collections.abc import Iterator

# What may hide a semicolon, and what opens or closes a body written as `begin atomic … end`
# (https://www.postgresql.org/docs/current/sql-syntax-lexical.html).
_TOKEN = re.compile(
    r"""
      --[^\n]*
    | (?P<comment>/\*)
    | \b[eE]'(?:''|\\.|[^'\\])*'
    | '(?:''|[^'])*'
    | "(?:""|[^"])*"
    | (?<![\w$])\$(?P<tag>(?:[^\W\d]\w*)?)\$.*?\$(?P=tag)\$
    | \b(?P<begin>begin\s+atomic)\b
    | \b(?P<case>case)\b
    | \b(?P<end>end)\b
    | (?P<semicolon>;)
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_COMMENT_EDGE = re.compile(r"/\*|\*/")


def split(sql: str) -> list[str]:
    """Split SQL into statements without semicolons; a comment stays with the statement that follows it."""
    pieces = []
    start = 0
    for position in _ends(sql):
        pieces.append(sql[start:position].strip())
        start = position + 1
    pieces.append(sql[start:].strip())
    return [piece for piece in pieces if _has_code(piece)]


def _ends(sql: str) -> Iterator[int]:
    depth = 0
    position = 0
    while token := _TOKEN.search(sql, position):
        position = token.end()
        match token.lastgroup:
            case "comment":
                position = _comment_end(sql, position)
            case "begin":
                depth += 1
            case "case" if depth:
                depth += 1
            case "end" if depth:
                depth -= 1
            case "semicolon" if not depth:
                yield token.start()


def _comment_end(sql: str, position: int) -> int:
    """Block comments nest in Postgres."""
    depth = 1
    while depth and (edge := _COMMENT_EDGE.search(sql, position)):
        depth += 1 if edge[0] == "/*" else -1
        position = edge.end()
    return position if not depth else len(sql)


def _has_code(piece: str) -> bool:
    position = 0
    while position < len(piece):
        if piece[position].isspace():
            position += 1
        elif piece.startswith("--", position):
            newline = piece.find("\n", position)
            position = len(piece) if newline < 0 else newline
        elif piece.startswith("/*", position):
            position = _comment_end(piece, position + 2)
        else:
            return True
    return False
