"""Recognise text that names no party (structure.json).

These are headings of tables and articles, labels, terms of payment, page numbers, courtesies and slogans.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from functions._shared.extraction.layout import Cell, Sheet
from functions._shared.names import fold

COMPANY = re.compile(
    r"\b(s\.? ?r\.? ?l\.?( ?s\.?)?|s\.? ?p\.? ?a\.?|s\.? ?n\.? ?c\.?|s\.? ?a\.? ?s\.?|soc\.? coop|societa|gmbh|ltd)"
    r"(?!\w)"
)
TITLE = re.compile(r"^(studio|avv|ing|dott|arch|geom|rag|prof|notaio|dr)\b")
# «Art. 1», «Articolo 3 bis», «2)», «3.1», «IV.», «a)», «Allegato A», «Pag. 1 di 2», «§ 4».
NUMBERED = re.compile(
    r"^(?:art(?:t|icol[oi])?\.?\s*(?:\d|[ivx]+\b)|\d{1,2}(?:\.\d{1,2})*\s*[.)°:–-](?:\s|$)|\d{1,2}\.\d{1,2}\s|[ivx]{1,4}[.)]\s|[a-h]\)|"
    r"§|allegat[oi]\b|pag(?:ina|\.)?\s*\d|\d+\s*(?:/|di)\s*\d+$|premess[aeo]\b)"
)
# What a paper is called: «Contratto di consulenza».
PAPER = re.compile(
    r"(?:contratto|accordo|scrittura|lettera|fattura|preventivo|offerta|ricevuta|bolletta|proposta|convenzione|verbale|"
    r"visura)\b"
)
ADDRESS = re.compile(
    r"(?:via|v\.|viale|v\.le|corso|c\.so|piazza|p\.zza|piazzale|largo|vicolo|contrada|c\.da|localita|loc\.|frazione|"
    r"fraz\.|strada|borgo|salita|calle|lungo[a-z]+)\s"
)
# «Senza numero civico», which is no company here.
NO_NUMBER = re.compile(r"\bsnc\b")
# A sentence of the paper speaks of somebody, a name does not.
SENTENCE = re.compile(
    r"[!?]$|\b(?:che|non|vi|ti|ci|si|mi|sono|siamo|sei|hai|abbiamo|viene|essere|deve|devono|grazie|entro|inoltre|questo|"
    r"questa|tuoi|tua|tuo|tue|nostr[aeio]|vostr[aeio]|dal (?:19|20)\d\d)\b"
)
# A line with so many headings heads a table, and so does all else that is in it.
HEADINGS_OF_A_TABLE = 2
# What is printed as a sentence has few capitals.
LONG_NAME, CAPITALS = 4, 0.5


def _read_words() -> dict[str, frozenset[str]]:
    rows: dict[str, str] = json.loads(Path(__file__).with_name("structure.json").read_text("utf-8"))
    return {key: frozenset(_plain(each) for each in words.split()) for key, words in rows.items()}


def _plain(word: str) -> str:
    return "".join(each for each in fold(word) if each.isalnum())


WORDS = _read_words()
LINKS = WORDS["links"]
STRUCTURE = frozenset().union(*WORDS.values())
TABLE_WORDS = WORDS["headings"] | WORDS["payments"]


def is_structure(text: str) -> bool:
    """Tell whether a text is a heading, a label, a term of payment, a page number or a slogan, and so no name."""
    folded = fold(text).strip(" .:;,-–—*|#°()[]«»\"'")
    if NUMBERED.match(folded):
        return True
    own = [word for word in map(_plain, folded.split()) if word.isalpha() and len(word) > 1 and word not in LINKS]
    if not own:
        return True
    if ADDRESS.match(folded) and (NO_NUMBER.search(folded) or not COMPANY.search(folded)):
        return True
    if COMPANY.search(folded):
        rest = [word for word in map(_plain, COMPANY.sub("", folded).split()) if word not in LINKS]
        return not any(word and word not in WORDS["labels"] for word in rest)
    if PAPER.match(folded):
        return True
    return all(word in STRUCTURE for word in own) or bool(SENTENCE.search(folded)) or _is_written_small(text)


def _is_written_small(text: str) -> bool:
    """Tell whether most words of a long line begin with a small letter."""
    own = [word for word in text.split() if word[0].isalpha() and _plain(word) not in LINKS]
    return len(own) >= LONG_NAME and sum(word[0].isupper() for word in own) < CAPITALS * len(own)


def table_heads(sheet: Sheet) -> set[Cell]:
    """Return the cells of lines that head a table: most of their cells are headings and nothing else."""
    heads: set[Cell] = set()
    for line in sheet.lines:
        named = [cell for cell in line if _heads_a_column(cell)]
        columns = sum(len(_columns(cell)) for cell in named)
        if columns >= HEADINGS_OF_A_TABLE and len(named) * 2 >= len(line):
            heads.update(line)
    return heads


def _columns(cell: Cell) -> list[str]:
    return [word for word in map(_plain, cell.text.split()) if word in TABLE_WORDS]


def _heads_a_column(cell: Cell) -> bool:
    words = [word for word in map(_plain, cell.text.split()) if word and word not in LINKS]
    return any(word in TABLE_WORDS for word in words) and all(word in STRUCTURE for word in words)
