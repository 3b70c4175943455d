"""Measure the reading of scans (GOAL-P14): pages a core-minute against Tesseract alone, and the wait of a page."""

from __future__ import annotations

import asyncio
import io
import os
import random
import resource
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pypdfium2  # type: ignore[import-untyped]
from PIL import Image
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from functions._shared.documents import ocr, reading
from functions._shared.documents.formats import Format
from scripts.bench.goals import Result
from scripts.bench.stage import Stage

PAGES, ROUNDS = 4, 3
LONG, WAIT_S = 200, 30
DPI = 300
POLL_S = 0.1
AT_REST = ("pronto", "da_verificare", "errore")
WORDS = """
fattura cliente servizio manutenzione impianto mese prezzo quantità totale imponibile scadenza pagamento bonifico
consegna materiale lavoro cantiere contratto garanzia assistenza presso secondo accordo trasporto ordine numero
del della per con che sono alla nel una gli dopo entro giorni euro percento
"""


async def recognition(stage: Stage) -> list[Result]:
    """Measure both figures of GOAL-P14."""
    with tempfile.TemporaryDirectory() as folder:
        scans = [_scan(Path(folder), number) for number in range(PAGES)]
        ratio = await _against_tesseract(scans)
    return [ratio, await _waiting(stage)]


def _scan(folder: Path, number: int) -> tuple[Path, Path]:
    """A page as a PDF of one picture, and that picture as Tesseract takes it."""
    picture = _page(number)
    pdf, png = folder / f"{number}.pdf", folder / f"{number}.png"
    pdf.write_bytes(_pdf_of([picture]))
    drawn: Image.Image = pypdfium2.PdfDocument(pdf)[0].render(scale=DPI / 72, grayscale=True).to_pil()
    drawn.save(png, dpi=(DPI, DPI))
    return pdf, png


def _page(number: int) -> Image.Image:
    """A full page of words, a little askew."""
    chosen = random.Random(number)
    output = io.BytesIO()
    canvas = Canvas(output, pagesize=A4)
    canvas.setFont("Helvetica", 10)
    for line in range(48):
        canvas.drawString(50, 790 - 15.5 * line, " ".join(chosen.choices(WORDS.split(), k=13)))
    canvas.save()
    drawn: Image.Image = pypdfium2.PdfDocument(output.getvalue())[0].render(scale=DPI / 72, grayscale=True).to_pil()
    return drawn.rotate(chosen.uniform(-1, 1), Image.Resampling.BICUBIC, fillcolor=255)


def _pdf_of(pictures: list[Image.Image]) -> bytes:
    output = io.BytesIO()
    canvas = Canvas(output, pagesize=A4)
    for picture in pictures:
        canvas.drawImage(ImageReader(picture), 0, 0, *A4)
        canvas.showPage()
    canvas.save()
    return output.getvalue()


async def _against_tesseract(scans: list[tuple[Path, Path]]) -> Result:
    async def ours(scan: tuple[Path, Path]) -> None:
        [page] = await reading.pages(scan[0], Format.PDF, 1)
        assert len(page.words) > 500

    async def bare(scan: tuple[Path, Path]) -> None:
        command = ("tesseract", str(scan[1]), "stdout", "-l", ocr.LANGUAGES, "--dpi", str(DPI), "tsv")
        process = await asyncio.create_subprocess_exec(
            *command,
            env={**os.environ, "OMP_THREAD_LIMIT": "1"},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        output, _ = await process.communicate()
        assert output.count(b"\n") > 500

    spent: dict[Callable[[tuple[Path, Path]], Awaitable[None]], list[float]] = {ours: [], bare: []}
    for round_ in range(ROUNDS):
        for scan in scans:
            for read in (ours, bare) if round_ % 2 else (bare, ours):
                before_s = _spent_s()
                await read(scan)
                spent[read].append(_spent_s() - before_s)
    mine, least = statistics.mean(spent[ours]), statistics.mean(spent[bare])
    details = f"{60 / mine:.1f} to {60 / least:.1f} pages"
    return Result("P14", "pages a core-minute, to bare tesseract", least / mine, 0.85, details, at_least=True)


def _spent_s() -> float:
    """CPU of all processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


async def _waiting(stage: Stage) -> Result:
    """From the request to the end of a page that must be recognised, while the long document is read."""
    headers = stage.headers(0)
    picture = _page(0)
    long = await _dropped(stage, headers, _pdf_of([picture] * LONG))
    await _until(stage, headers, long, lambda row: row["pages_done"] > 1)
    began_s = time.perf_counter()
    short = await _dropped(stage, headers, _pdf_of([_page(1)]))
    row = await _until(stage, headers, short, lambda row: row["state"] in AT_REST)
    waited_s = time.perf_counter() - began_s
    assert row["state"] != "errore"
    done = (await _row(stage, headers, long))["pages_done"]
    assert done < LONG
    await _ask(stage, headers, {"document_id": long, "action": "cancel"})
    details = f"{waited_s:.1f} s, page {done} of {LONG} meanwhile"
    return Result("P14", "a page behind 200 of the same person, to 30 s", waited_s / WAIT_S, 1, details)


async def _dropped(stage: Stage, headers: dict[str, str], content: bytes) -> str:
    path = f"{stage.people[0].id}/{uuid4()}/scan.pdf"
    sent = {**headers, "content-type": "application/pdf"}
    address = f"{stage.url}/storage/v1/object/documents/{path}"
    async with stage.client.post(address, data=content, headers=sent) as answer:
        assert answer.status == 200, await answer.text()
    return str((await _ask(stage, headers, {"path": path}))["id"])


async def _ask(stage: Stage, headers: dict[str, str], body: dict[str, Any]) -> dict[str, Any]:
    async with stage.client.post(f"{stage.url}/functions/v1/read_document", json=body, headers=headers) as answer:
        assert answer.status == 200, await answer.text()
        told: dict[str, Any] = await answer.json()
        return told


async def _row(stage: Stage, headers: dict[str, str], document: str) -> dict[str, Any]:
    address = f"{stage.url}/rest/v1/documents?id=eq.{document}&select=state,pages_done"
    async with stage.client.get(address, headers=headers) as answer:
        [row] = await answer.json()
        found: dict[str, Any] = row
        return found


async def _until(
    stage: Stage, headers: dict[str, str], document: str, is_so: Callable[[dict[str, Any]], bool]
) -> dict[str, Any]:
    while not is_so(row := await _row(stage, headers, document)):  # noqa: ASYNC110
        await asyncio.sleep(POLL_S)  # as a person looks
    return row
