"""Reads a spreadsheet in the sandbox, with limits on bytes, unpacked bytes, rows, columns, memory and time."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from backend.edge import api

DECODER = "functions._shared.sheet_decoder"
MAX_BYTES = 20 * 1024**2
LIMITS = api.Limits(memory_bytes=1024**3, cpu_s=60, wall_s=75)
# The status by which the decoder says that it knows what is wrong; its output is the sentence.
REFUSED = 10
# A sheet is one core's work; requests wait for one that is free.
AT_ONCE = asyncio.Semaphore(2)

TOO_LARGE = "Il foglio è troppo grande: togli i fogli e le colonne che non servono, o dividilo in più file, e riprova."
DAMAGED = "Il file è rovinato o non è un foglio Excel: aprilo, salvalo di nuovo come .xlsx e riprova."


class UnreadableSheet(Exception):
    """A spreadsheet cannot be read; `sentence` says in Italian what to do."""

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence
        super().__init__(sentence)


async def read(file: Path, sheet: int | None) -> bytes:
    """Return the JSON {sheets: [name], sheet, rows: [[number, [text]]]} of one sheet. Raises UnreadableSheet."""
    options: dict[str, Any] = {"sheet": sheet}
    async with AT_ONCE:
        result = await api.isolated(DECODER, options, file, LIMITS)
    match result.ending:
        case api.Ending.DONE:
            return result.output
        case api.Ending.REFUSED if result.status == REFUSED:
            raise UnreadableSheet(json.loads(result.output)["sentence"])
        case api.Ending.TOOK_TOO_LONG | api.Ending.OUT_OF_MEMORY | api.Ending.TOO_MUCH_OUTPUT:
            raise UnreadableSheet(TOO_LARGE)
        case _:
            raise UnreadableSheet(DAMAGED)
