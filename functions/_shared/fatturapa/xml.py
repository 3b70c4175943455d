"""XML from strangers as a tree of elements without namespaces, bounded in size, depth and number, and no DOCTYPE.

The text is decoded here, whatever it declares: as UTF-16 where it shows, as UTF-8 when it is that, else as Latin 9
where it says so, else as Windows-1252. `Node` reads typed values and notes what it could not read.
"""

from __future__ import annotations

import codecs
import re
from datetime import date, datetime
from functools import cached_property
from xml.etree.ElementTree import Element, ParseError, TreeBuilder

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from functions._shared.fatturapa import money
from functions._shared.fatturapa.errors import NotAnInvoice
from functions._shared.fatturapa.model import Finding

# What the bucket takes; the exchange system itself takes 5 MB.
MAX_BYTES = 50 * 1024 * 1024
MAX_DEPTH = 64
MAX_ELEMENTS = 500_000
MAX_TEXT = 2_000

_DECLARATION = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._-]{1,40})[\"']")
_DECLARED = re.compile(r"\A\s*<\?xml.{0,300}?\?>", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,13}(?:\.[0-9]{0,8})?|\.[0-9]{1,8})", re.ASCII)
# A day of these centuries: from others no clock counts ten years on or back.
_DAY = re.compile(r"((?:19|20|21)[0-9]{2}-[0-9]{2}-[0-9]{2})(?:Z|[+-][0-9]{2}:[0-9]{2})?", re.ASCII)


def parsed(content: bytes) -> Element:
    """The root element. Raises NotAnInvoice when this is no well-formed XML, or larger than the limits."""
    if not content.strip():
        raise NotAnInvoice("Il file è vuoto.")
    if len(content) > MAX_BYTES:
        raise NotAnInvoice("Il file è troppo grande per una fattura elettronica.")
    parser = DefusedXMLParser(target=_BoundedBuilder(), forbid_dtd=True)
    try:
        parser.feed(_without_declaration(_text(content)))
        root: Element = parser.close()
    except DefusedXmlException as error:
        raise NotAnInvoice("Il file contiene una DOCTYPE, che una fattura elettronica non può avere.") from error
    except (ParseError, ValueError) as error:
        raise NotAnInvoice("Il file non è un XML leggibile: è rovinato, incompleto o di un altro tipo.") from error
    return root


class _BoundedBuilder(TreeBuilder):
    def __init__(self) -> None:
        super().__init__()
        self.depth = self.elements = 0

    def start(self, tag: str, attrs: dict[str, str], /) -> Element:
        self.depth += 1
        self.elements += 1
        if self.depth > MAX_DEPTH or self.elements > MAX_ELEMENTS:
            raise NotAnInvoice("Il file XML è troppo profondo o troppo lungo per una fattura elettronica.")
        return super().start(tag.rpartition("}")[2], attrs)

    def end(self, tag: str, /) -> Element:
        self.depth -= 1
        return super().end(tag.rpartition("}")[2])


def _text(content: bytes) -> str:
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16")
    # Without a mark, UTF-16 shows by the zero byte beside «<».
    if content[:2] in (b"<\0", b"\0<"):
        return content.decode("utf-16-le" if content[0] else "utf-16-be")
    try:
        # Accents of another encoding make no UTF-8, so what decodes is UTF-8 even where something else is declared.
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.removeprefix(codecs.BOM_UTF8).decode(_single_byte_encoding(content), "replace")


def _single_byte_encoding(content: bytes) -> str:
    found = _DECLARATION.search(content[:400])
    try:
        name = codecs.lookup(found[1].decode()).name if found else None
    except LookupError:
        name = None
    # By the name that Python gives it; what says Latin 1 is Windows-1252, as browsers know.
    return name if name == "iso8859-15" else "cp1252"


def _without_declaration(text: str) -> str:
    # Its encoding is done with, and some programs write blank lines before it, which XML forbids.
    return _DECLARED.sub("", text, count=1).lstrip("\ufeff \t\r\n")


class Node:
    """An element; paths are local names joined by «/», a missing element reads as None. Problems are shared by all."""

    def __init__(self, element: Element, problems: list[Finding]) -> None:
        self._element = element
        self._problems = problems

    @cached_property
    def _by_name(self) -> dict[str, list[Element]]:
        found: dict[str, list[Element]] = {}
        for child in self._element:
            found.setdefault(child.tag, []).append(child)
        return found

    def children(self, name: str) -> list[Node]:
        """The elements of this name, in order."""
        return [Node(each, self._problems) for each in self._by_name.get(name, [])]

    def child(self, path: str) -> Node | None:
        """The first element at this path."""
        here, _, rest = path.partition("/")
        found = self._by_name.get(here)
        if not found:
            return None
        node = Node(found[0], self._problems)
        return node.child(rest) if rest else node

    def texts(self, name: str) -> tuple[str, ...]:
        """What all elements of this name say."""
        return tuple(each for node in self.children(name) if (each := node.own_text()))

    def text(self, path: str) -> str | None:
        """Trimmed text, None when there is none."""
        node = self.child(path)
        return node.own_text() if node else None

    def own_text(self) -> str | None:
        """This element's text."""
        return (self._element.text or "").strip()[:MAX_TEXT] or None

    def long_text(self, path: str) -> str:
        """Text of any length: the bytes of an attachment."""
        node = self.child(path)
        return node.whole_text() if node else ""

    def whole_text(self) -> str:
        """This element's text as it is."""
        return self._element.text or ""

    def number(self, path: str) -> str | None:
        """A decimal number as it is written."""
        text = self.text(path)
        if text is None or _NUMBER.fullmatch(text):
            return text
        self._unreadable(path, text, "un numero")
        return None

    def cents(self, path: str) -> int | None:
        """An amount."""
        return money.cents(self.number(path))

    def count(self, path: str) -> int | None:
        """A whole number."""
        text = self.text(path)
        if text is not None and re.fullmatch("[0-9]{1,9}", text, re.ASCII):
            return int(text)
        if text is not None:
            self._unreadable(path, text, "un numero intero")
        return None

    def counts(self, name: str) -> tuple[int, ...]:
        """All whole numbers of this name."""
        return tuple(int(each) for each in self.texts(name) if re.fullmatch("[0-9]{1,9}", each, re.ASCII))

    def day(self, path: str) -> date | None:
        """A date; its time zone, if any, does not change the day."""
        text = self.text(path)
        if text is None:
            return None
        found = _DAY.fullmatch(text)
        try:
            return date.fromisoformat(found[1] if found else "")
        except ValueError:
            self._unreadable(path, text, "una data")
            return None

    def moment(self, path: str) -> datetime | None:
        """A date with a time."""
        text = self.text(path)
        try:
            return None if text is None else datetime.fromisoformat(text)
        except ValueError:
            self._unreadable(path, str(text), "una data con l’ora")
            return None

    def says_yes(self, path: str) -> bool:
        """Whether the element says SI."""
        return (self.text(path) or "").upper() == "SI"

    def _unreadable(self, path: str, text: str, expected: str) -> None:
        name = path.rpartition("/")[2]
        said = f"{name} dice «{text[:40]}», che non è {expected}: l’ho lasciato vuoto."
        self._problems.append(Finding("valore_illeggibile", "avviso", said))
