"""Files as people have them, made here: PDFs with and without text, scans, mails, archives, and broken ones."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from email.message import EmailMessage

import pypdfium2  # type: ignore[import-untyped]
from PIL import Image
from reportlab.lib import pdfencrypt
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

# A letter: no kind that has fields.
LINES = (
    "Ricordi di un anno nel giardino della nonna",
    "Cara Elena, come d'accordo ti racconto che cosa abbiamo fatto",
    "Potatura delle siepi e degli alberi da frutto, due giornate",
    "Semina del prato e concimazione, una giornata",
    "Poi abbiamo portato via i rami e acceso un grande fuoco",
    "I bambini hanno riso molto e dormito sotto le stelle",
    "Le rose quest'anno sono fiorite prima del solito",
    "Ti abbraccio forte e ti aspetto presto, la tua amica Giulia",
)


def pdf(pages: Sequence[Sequence[str]] = (LINES,), *, rotate: int = 0, password: str = "") -> bytes:
    """A PDF with a text layer; viewers turn its pages clockwise by `rotate`."""
    output = io.BytesIO()
    encrypt = pdfencrypt.StandardEncryption(password) if password else None
    canvas = Canvas(output, pagesize=A4, encrypt=encrypt)
    for lines in pages:
        canvas.setFont("Helvetica", 14)
        for number, line in enumerate(lines):
            canvas.drawString(60, 760 - 60 * number, line)
        canvas.showPage()
    canvas.save()
    return output.getvalue() if rotate == 0 else turned(output.getvalue(), rotate)


def turned(content: bytes, rotate: int) -> bytes:
    """The same with a rotation in its pages: a canvas of that rotation would change its paper."""
    output = io.BytesIO()
    document = pypdfium2.PdfDocument(content)
    for page in document:
        page.set_rotation(rotate)
    document.save(output)
    return output.getvalue()


def picture(content: bytes, dpi: int = 200) -> Image.Image:
    """The first page of a PDF as a grey picture."""
    drawn: Image.Image = pypdfium2.PdfDocument(content)[0].render(scale=dpi / 72, grayscale=True).to_pil()
    return drawn


def saved(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    output = io.BytesIO()
    image.save(output, kind, **options)
    return output.getvalue()


def scan(dpi: int = 200) -> bytes:
    """A page of LINES as a PNG."""
    return saved(picture(pdf(), dpi), dpi=(dpi, dpi))


def scanned_pdf(images: Iterable[Image.Image], stamp: str = "") -> bytes:
    """A PDF whose pages are pictures, with a line of text on top of each."""
    output = io.BytesIO()
    canvas = Canvas(output, pagesize=A4)
    for image in images:
        canvas.drawImage(ImageReader(image), 0, 0, *A4)
        if stamp:
            canvas.setFont("Helvetica", 6)
            canvas.drawString(10, 10, stamp)
        canvas.showPage()
    canvas.save()
    return output.getvalue()


def zipped(entries: Mapping[str, bytes]) -> bytes:
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return output.getvalue()


def docx(paragraphs: Iterable[str]) -> bytes:
    namespace = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = "".join(f"<w:p><w:r><w:t>{each}</w:t></w:r></w:p>" for each in paragraphs)
    document = f'<?xml version="1.0"?><w:document xmlns:w="{namespace}"><w:body>{body}</w:body></w:document>'
    return zipped({"[Content_Types].xml": b"<Types/>", "word/document.xml": document.encode()})


def mail(text: str, attachments: Mapping[str, bytes], subject: str = "Saluti") -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "carlo@bellavista.example", "anna@socio.example", subject
    message["Date"] = "Mon, 02 Nov 2026 10:00:00 +0100"
    message.set_content(text)
    for name, content in attachments.items():
        message.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    return message.as_bytes()


def pixel_flood() -> bytes:
    """A PNG of 60,000 x 60,000 pixels in a few bytes."""
    head = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(b"\0" * 1000)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )


def pdf_bomb() -> bytes:
    """A page whose content unpacks, three times over, to what no memory holds."""
    packed = b"0 0 m\n" * 2_000_000
    for _ in range(2):
        packed = zlib.compress(packed, 9)
    layers = zlib.compress(zlib.compress(b"\0" * 200_000_000, 9), 9)
    stream = b"<</Length %d/Filter[/FlateDecode/FlateDecode]>>stream\n%s\nendstream"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents[4 0 R 5 0 R]>>",
        stream % (len(packed), packed),
        stream % (len(layers), layers),
    ]
    return written(objects)


def written(objects: Sequence[bytes]) -> bytes:
    """A PDF of these objects, the first one its catalogue."""
    output, places = bytearray(b"%PDF-1.7\n"), []
    for number, each in enumerate(objects, 1):
        places.append(len(output))
        output += b"%d 0 obj%s endobj\n" % (number, each)
    start = len(output)
    output += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    output += b"".join(b"%010d 00000 n \n" % place for place in places)
    output += b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, start)
    return bytes(output)


BILLION_LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "lol">'
    + b"".join(b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9))
    + b"]><lolz>&j;</lolz>"
)
