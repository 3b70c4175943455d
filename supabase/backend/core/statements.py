"""Split a SQL file into its statements, as the Supabase CLI records them, and name a statement for a trace."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

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
# What a name must not show: comments and literals.
_UNNAMED = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:''|[^'])*'|\$(\w*)\$.*?\$\1\$", re.DOTALL)
_WRITES = re.compile(r"(?<!for )(?<!key )\b(insert|update|delete|merge)\b")
_TABLE = re.compile(r"\b(?:into|update|from|join)\s+(?:only\s+)?([a-z_]\w*\.[a-z_]\w*)")
_FUNCTION = re.compile(r"\b([a-z_]\w*\.[a-z_]\w*)\s*\(")
_BARE_FUNCTION = re.compile(r"\bselect\s+([a-z_]\w*)\s*\(")


def split(sql: str) -> list[str]:
    """Split SQL into statements without semicolons; a comment stays with the statement that follows it."""
    pieces = []
    start = 0
    for position in _ends(sql):
        pieces.append(sql[start:position].strip())
        start = position + 1
    pieces.append(sql[start:].strip())
    return [piece for piece in pieces if _has_code(piece)]


@lru_cache(maxsize=1000)
def summary(sql: str) -> str:
    """Name a statement by its verb and its first table or function, as `INSERT jobs.mails`, without any value.

    https://opentelemetry.io/docs/specs/semconv/database/database-spans/#generating-a-summary-of-the-query
    """
    text = _UNNAMED.sub(" ", sql).strip(" \n;").lower()
    verb = text.partition(" ")[0].partition("\n")[0] or "statement"
    if not re.fullmatch("[a-z]{1,20}", verb):
        return "STATEMENT"
    if verb == "with":
        found = _WRITES.search(text)
        verb = found[1] if found else "select"
    target = _TABLE.search(text) or _FUNCTION.search(text) or _BARE_FUNCTION.search(text)
    return f"{verb.upper()} {target[1][:100]}" if target else verb.upper()


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
