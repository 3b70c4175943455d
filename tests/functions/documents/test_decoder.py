"""The decoder in its sandbox: words with their places from every format, and a reason from the list for the rest."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from PIL import Image

from functions._shared import extraction
from functions._shared.documents import decoder, reading, words
from functions._shared.documents.errors import Code, Unreadable
from functions._shared.documents.formats import Format
from functions._shared.documents.words import Page
from tests.functions.documents import files

pytestmark = pytest.mark.anyio


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file"


def write(path: Path, content: bytes) -> None:
    path.write_bytes(content)


async def read(path: Path, content: bytes, filename: str = "file") -> list[Page]:
    """All pages, as the jobs read them."""
    write(path, content)
    found = await reading.inspected(path, filename)
    pages: list[Page] = []
    while len(pages) < found.pages:
        pages += await reading.pages(path, found.format, len(pages) + 1)
    return pages


def middle(page: Page, word: str) -> tuple[float, float]:
    """Where a word stands, as shares of the page."""
    [(_, x0, y0, x1, y1, _)] = [each for each in page.words if each[0] == word]
    return (x0 + x1) / 2 / words.SCALE, (y0 + y1) / 2 / words.SCALE


# --- what is read ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rotate", "place"),
    [(0, (0.1, 0.09)), (90, (0.91, 0.1)), (180, (0.9, 0.91)), (270, (0.09, 0.9))],
    ids=["upright", "90", "180", "270"],
)
async def test_words_of_a_text_layer_stand_where_the_page_shows_them(
    path: Path, rotate: int, place: tuple[float, float]
) -> None:
    lines = ["Capo di una pagina che ha abbastanza parole per essere creduta"]
    [page] = await read(path, files.pdf([lines], rotate=rotate))
    assert (page.text, page.source, page.confidence) == (lines[0], "testo", None)
    assert page.width < page.height if rotate in (0, 180) else page.width > page.height
    assert middle(page, "Capo") == pytest.approx(place, abs=0.04)


@pytest.mark.parametrize(
    "turn",
    [
        pytest.param(0, id="skewed"),
        pytest.param(90, id="on its left", marks=pytest.mark.long),
        pytest.param(180, id="upside down", marks=pytest.mark.long),
        pytest.param(270, id="on its right", marks=pytest.mark.long),
    ],
)
async def test_a_scan_is_read_however_it_lies_and_its_words_stand_where_it_shows_them(path: Path, turn: int) -> None:
    upright = files.picture(files.pdf())
    shown = upright.rotate(2, fillcolor=255).rotate(turn, expand=True)
    [page] = await read(path, files.saved(shown, dpi=(200, 200)))
    assert page.source == "ocr"
    assert page.confidence is not None
    assert page.confidence > 85
    # rotate() turns counter-clockwise; the page says how far to turn it clockwise.
    assert page.rotation == turn
    assert "Potatura delle siepi e degli alberi da frutto, due giornate" in page.text
    [upright_page] = await read(path, files.pdf())
    x, y = middle(upright_page, "Semina")
    expected = {0: (x, y), 90: (y, 1 - x), 180: (1 - x, 1 - y), 270: (1 - y, x)}[turn]
    assert middle(page, "Semina") == pytest.approx(expected, abs=0.03)


@pytest.mark.long
async def test_a_scan_with_a_stamp_and_a_layer_of_glyph_numbers_are_recognised(path: Path) -> None:
    picture = files.picture(files.pdf(), 150)
    garbage = "".join(chr(33 + (ord(char) * 7) % 60) for char in " ".join(files.LINES))
    for stamp in ("Scansionato con un telefono, pagina 1", garbage):
        [page] = await read(path, files.scanned_pdf([picture], stamp))
        assert page.source == "ocr"
        assert "Semina del prato e concimazione" in page.text


async def test_blank_pages_have_no_words_and_frames_of_a_tiff_are_pages(path: Path) -> None:
    blank = Image.new("L", (1240, 1754), 250)
    content = files.saved(blank, "TIFF", save_all=True, append_images=[blank, blank])
    pages = await read(path, content, "fax.tif")
    assert [(page.text, page.words, page.confidence) for page in pages] == [("", [], None)] * 3


async def test_text_of_other_formats_is_laid_out_on_pages(path: Path) -> None:
    documents = {
        "a.txt": "Città\nperché no".encode("cp1252"),
        "b.docx": files.docx(["Città", "perché no"]),
        "c.eml": files.mail("Città\nperché no", {}),
        "d.txt": "Città\nperché no".encode("utf-16"),
    }
    for name, content in documents.items():
        [page] = await read(path, content, name)
        assert "Città\nperché no" in page.text
        assert [word[0] for word in page.words][-3:] == ["Città", "perché", "no"]
    assert len(await read(path, ("riga\n" * 130).encode(), "lungo.txt")) == 3


async def test_pages_with_text_are_read_together_and_a_scan_alone(path: Path) -> None:
    write(path, files.pdf([files.LINES] * 30))
    assert len(await reading.pages(path, Format.PDF, 1)) == reading.PAGES_AT_ONCE
    assert len(await reading.pages(path, Format.PDF, 26)) == 5


async def test_what_is_packed_in_a_file_is_unpacked_and_told_by_its_content(path: Path, tmp_path: Path) -> None:
    paper = files.pdf()
    packed = files.zipped({"cartella/a.pdf": paper, "__MACOSX/a.pdf": b"x", "città.exe": b"MZ\x90\0", "vuoto/": b""})
    letter = files.mail("In allegato", {"a.pdf": paper, "smime.p7s": b"x", "città.exe": b"MZ\x90\0"})
    for content, name in ((packed, "a.zip"), (letter, "a.eml")):
        write(path, content)
        found = await reading.inspected(path, name)
        into = tmp_path / name
        into.mkdir()
        entries = await reading.unpacked(path, found.format, name, into)
        assert [(each.name, each.mime) for each in entries] == [("a.pdf", "application/pdf"), ("città.exe", None)]
        assert entries[0].path.read_bytes() == paper


# --- what is not ----------------------------------------------------------------------------------------------------

BAD = {
    "empty": (b"", "a.pdf", Code.EMPTY),
    "encrypted pdf": (files.pdf(password="segreto"), "a.pdf", Code.ENCRYPTED),
    "truncated pdf": (files.pdf()[:300], "a.pdf", Code.TRUNCATED),
    "pdf without pages": (
        files.written([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[]/Count 0>>"]),
        "a.pdf",
        Code.TRUNCATED,
    ),
    "too many pages": (
        files.written([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[%s]/Count 1001>>" % (b"3 0 R " * 1001),
                       b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>"]),
        "a.pdf",
        Code.TOO_MANY_PAGES,
    ),
    "truncated picture": (files.scan()[:40], "a.png", Code.TRUNCATED),
    "pixel flood": (files.pixel_flood(), "a.png", Code.TOO_MANY_PIXELS),
    "nonsense called pdf": (b"\x01\x02nonsense" * 9, "a.pdf", Code.MISLABELLED),
    "page of the web called pdf": (b"<!DOCTYPE html><html></html>", "a.pdf", Code.MISLABELLED),
    "program": (b"MZ\x90\0\x03", "a.exe", Code.UNSUPPORTED),
    "zeros": (b"\0" * 999, "a.pdf", Code.TRUNCATED),
    "broken heic": (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + b"\xff" * 99, "a.heic", Code.TRUNCATED),
    "gif and javascript": (b"GIF89a" + b"\xff" * 30 + b"<script>", "a.gif", Code.TRUNCATED),
    "entities": (files.BILLION_LAUGHS, "a.xml", Code.BOMB),
    "broken xml": (b"<?xml version='1.0'?><a><b></a>", "a.xml", Code.TRUNCATED),
    "broken zip": (b"PK\x03\x04" + b"\xff" * 99, "a.zip", Code.TRUNCATED),
    "broken envelope": (b"\x30\x82\xff\xff" + bytes.fromhex("06092a864886f70d010702") + b"x" * 50, "a.p7m",
                        Code.BAD_SIGNATURE_CONTAINER),
}  # fmt: skip


@pytest.mark.parametrize("name", list(BAD))
async def test_a_file_that_cannot_be_read_has_a_reason(path: Path, name: str) -> None:
    content, filename, code = BAD[name]
    with pytest.raises(Unreadable) as refused:
        await read(path, content, filename)
    assert refused.value.code is code


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (files.zipped({"a.txt": b"0" * 20_000_000}), Code.BOMB),
        (files.zipped({f"{number}.txt": b"x" for number in range(501)}), Code.BOMB),
        (files.zipped({}), Code.EMPTY),
    ],
    ids=["dense", "many", "empty"],
)
async def test_an_archive_that_is_a_bomb_is_not_unpacked(
    path: Path, tmp_path: Path, content: bytes, code: Code
) -> None:
    write(path, content)
    with pytest.raises(Unreadable) as refused:
        await reading.unpacked(path, Format.ZIP, "a.zip", tmp_path)
    assert refused.value.code is code


async def test_a_pdf_bomb_costs_a_page_and_nothing_else(path: Path) -> None:
    write(path, files.pdf_bomb())
    try:
        found = [page.words for page in await reading.pages(path, Format.PDF, 1)]
    except Unreadable:
        found = [[]]
    assert found == [[]]


async def test_without_tesseract_only_recognition_is_unavailable(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(path.parent))
    assert shutil.which("tesseract") is None
    assert (await read(path, files.pdf()))[0].source == "testo"
    with pytest.raises(Unreadable) as refused:
        await read(path, files.scan())
    assert refused.value.code is Code.OCR_UNAVAILABLE


@pytest.mark.parametrize(("confidence", "kind"), [(0.8, "fattura"), (0.79, "preventivo")], ids=["says", "unsure"])
def test_a_kind_that_was_taught_counts_where_the_paper_does_not_say_its_own(
    confidence: float, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extraction, "classify", lambda _pages: extraction.Kind("fattura", confidence, "Contiene «IVA»"))
    taught = [{"vat_number": "09876540155", "key": "kind", "label": None, "kind": "preventivo"}]
    placed = [["P.IVA", 400, 300, 900, 410, 100], ["09876540155", 1000, 300, 2000, 410, 100]]
    pages = [{"no": 1, "width": 595, "height": 842, "words": placed, "source": "testo"}]
    told = decoder.analyse(json.dumps({"pages": pages, "corrections": taught}).encode(), {})
    assert told["kind"] == kind


# --- believing a text layer -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "believed"),
    [
        (" ".join(files.LINES), True),
        ("Übermäßig große Straßen führen über schöne Brücken nach Österreich und zurück", True),
        ("Žluťoučký kůň příšerně úpěl ďábelské ódy, a potom šel zase domů spát", True),
        ("Ο φάκελος περιέχει τιμολόγια και συμβόλαια για το έτος", True),
        ("1.220,00 € 22% IVA 12/03/2026 n. 15 IT60X0542811101000000123456", True),
        ("pagina 1", False),
        ("PerchÃ© la cittÃ  Ã¨ cosÃ¬ piÃ¹ lontana, cioÃ¨ al di lÃ ", False),
        ("\x03\x11\x07\x15\x02\x1b\x12\x07" * 9, False),
        ("\ue001\ue014\ue023\ue007\ue012\ue030" * 9, False),
        ("Xqpvztrk bgdhfs wrtpl kjhgfd mnbvcx zxcvb qwrtp lkjhg dfghj kjhgf trwqp zxcvbnm kjhgf wrtzp sdfgh", False),
        ("\ufffd\ufffd\ufffd" * 20, False),
    ],
    ids=[
        "italian",
        "german",
        "czech",
        "greek",
        "figures",
        "stamp",
        "mojibake",
        "control",
        "private",
        "shifted",
        "lost",
    ],
)
def test_only_a_plausible_text_layer_is_believed(text: str, believed: bool) -> None:
    assert words.is_plausible(text) is believed
