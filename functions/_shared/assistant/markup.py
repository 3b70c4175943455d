"""What of a model's Markdown is shown, rule by rule (citations.py runs them over a stream).

A rule looks at one special character of a text: how many characters are done with and what stands for them, or None
until more of the text is known. It decides the same however the text was cut.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from functions._shared.assistant import origins

Step = tuple[int, str] | None
# The text, the place of the special character, whether nothing more comes, and the line so far as it left.
Rule = Callable[[str, int, bool, str], Step]

# How far the end of something is looked for.
_TAG_REACH = 256
_MARKER_REACH = 64
_LABEL_REACH = 200
_TARGET_REACH = 600

_UNFINISHED = re.compile("\x1b(?:\\[[ -?]{0,64}|\\][^\x07\x1b\n]{0,256}\x1b?)?|\x9b[ -?]{0,64}")
# After «<»: what makes no tag of it, and no rule takes away.
_NO_TAG = re.compile(r"[\s\d=€]")
# After «[»: what makes no marker of it, and no rule takes away.
_NO_MARKER = re.compile(r"[\w\s«\"'(€*+.,-]")
_FENCE_END = re.compile(r"[⟦⟧\n]")
_TAG_END = re.compile(r"[<>\n]")
_BRACKET = re.compile(r"[\[\]\n]")
_CLOSED = re.compile(r"[)\n]")
_HANDLES = re.compile(r"\s*r\d{1,4}(?:\s*[,;]\s*r\d{1,4})*\s*")
_OWN_PATH = re.compile(r"/(?:[\w.~%?=&+-]+(?:/[\w.~%?=&+-]+)*/?)?(?:#[\w-]+)?", re.ASCII)
_BARE_LABEL = re.compile(r"[\W\d_]*\[[^\[\]]*\]")
_ADDRESSES = ("http://", "https://", "ftp://", "ftps://", "file://", "ws://", "wss://", "www.")
_SCRIPTS = ("javascript:", "vbscript:", "data:")
_NO_ADDRESS = re.compile(r"[\s<>\"`|()\[\]«»]")
_HOST = re.compile(r"[^\W_][\w.-]*")
_ENDING = re.compile(r"[,;!?*_~]*$")
_WWW = re.compile(r"(?<![^\W_])www\.", re.IGNORECASE)
_ENTITY = re.compile(r"&[#A-Za-z0-9]{1,32};")
_BEGUN_ENTITY = re.compile(r"&[#A-Za-z0-9]{0,32}")


def unseen(text: str, place: int, final: bool, _line: str) -> Step:
    """Invisible characters go, and what tells a terminal something."""
    found = origins.TERMINAL.match(text, place)
    if found:
        return found.end() - place, ""
    return None if not final and _UNFINISHED.fullmatch(text, place) else (1, "")


def fence(text: str, place: int, final: bool, _line: str) -> Step:
    """Marks around data (origins.py) go, also where a model copied them."""
    end = _find(text, place + 1, _FENCE_END, _MARKER_REACH, final)
    if end is None:
        return None
    return (end + 1 - place, "") if text[place] == "⟦" and text[end : end + 1] == "⟧" else (1, "")


def tag(text: str, place: int, final: bool, _line: str) -> Step:
    """`<…>` goes; «<» stays before a space or a figure."""
    if place + 1 == len(text):
        return (1, "<") if final else None
    if _NO_TAG.match(text, place + 1):
        return 1, "<"
    end = _find(text, place + 1, _TAG_END, _TAG_REACH, final)
    if end is None:
        return None
    return (end + 1 - place, "") if text[end : end + 1] == ">" else (1, "")


def brackets(cite: Callable[[str], str]) -> Rule:
    """Markers become citations or go; images go; of links those into the product stay, of others their text."""

    def rule(text: str, place: int, final: bool, line: str) -> Step:
        step = _signs(text, place, final) if text[place] != "[" else _opened(text, place, final, cite)
        if step is None or not step[1]:
            return step
        # No link, definition or image that was not written as one.
        apart = (line[-1:] == "]" and step[1][0] == "(") or (line[-1:] == "!" and step[1][0] == "[")
        defines = step[1][0] == ":" and _BARE_LABEL.fullmatch(line) is not None
        return step[0], " " + step[1] if apart or defines else step[1]

    return rule


def _signs(text: str, place: int, final: bool) -> Step:
    sign, following = text[place], text[place + 1 : place + 2]
    if sign != "!" or (following and following != "["):
        return 1, sign
    if not following:
        return (1, sign) if final else None
    link = _link(text, place + 1, final)
    if link is None:
        return None
    return (1 + link[0], "") if link[0] else (1, sign)


def _opened(text: str, place: int, final: bool, cite: Callable[[str], str]) -> Step:
    following = text[place + 1 : place + 2]
    if not following:
        return (1, "") if final else None
    if following in "[^":
        return _marker(text, place, final, cite)
    link = _link(text, place, final)
    if link is None:
        return None
    length, label, target = link
    if _HANDLES.fullmatch(label):
        return len(label) + 2, _cited(label, cite)
    if length:
        return length, f"[{label}]({target})" if _own(target) else label
    return 1, "[" if _NO_MARKER.match(following) else ""


def _marker(text: str, place: int, final: bool, cite: Callable[[str], str]) -> Step:
    """`[[…]]` and `[^…]`."""
    end = _find(text, place + 2, _BRACKET, _MARKER_REACH, final)
    if end is None:
        return None
    if text[end : end + 1] != "]":
        return 1, ""
    if text[place + 1] == "^":
        return end + 1 - place, ""
    if end + 1 == len(text) and not final:
        return None
    if text[end + 1 : end + 2] != "]":
        return 1, ""
    inner = text[place + 2 : end]
    return end + 2 - place, _cited(inner, cite) if _HANDLES.fullmatch(inner) else ""


def _cited(handles: str, cite: Callable[[str], str]) -> str:
    return "".join(dict.fromkeys(cite(handle) for handle in re.findall(r"r\d+", handles)))


def _link(text: str, place: int, final: bool) -> tuple[int, str, str] | None:
    """Length, label and target of `[label](target)`; length 0 where none begins; None until that is known."""
    end = _find(text, place + 1, _BRACKET, _LABEL_REACH, final)
    if end is None or (end + 1 == len(text) and text[end] == "]" and not final):
        return None
    if text[end : end + 1] != "]":
        return 0, "", ""
    label = text[place + 1 : end]
    if text[end + 1 : end + 2] != "(":
        return 0, label, ""
    close = _find(text, end + 2, _CLOSED, _TARGET_REACH, final)
    if close is None:
        return None
    if text[close : close + 1] != ")":
        return 0, label, ""
    return close + 1 - place, label, text[end + 2 : close]


def _own(target: str) -> bool:
    return _OWN_PATH.fullmatch(target) is not None


def address(text: str, place: int, final: bool, line: str) -> Step:
    """Of `https://host/path` the host stays; nothing can be followed from the answer that is not a record."""
    if text[place] == ":":
        if text.startswith("://", place):
            return 1, " "
        return None if not final and len(text) - place < 3 and "://".startswith(text[place:]) else (1, ":")
    if line[-1:].isalnum():
        return 1, text[place]
    begun = text[place : place + 12].lower()
    for word in (*_ADDRESSES, *_SCRIPTS):
        if begun.startswith(word):
            return _script(text, place, final, word) if word in _SCRIPTS else _host(text, place, final, word)
        if not final and len(text) - place < len(word) and word.startswith(begun):
            return None
    return 1, text[place]


def _script(text: str, place: int, final: bool, word: str) -> Step:
    end = place + len(word)
    if word != "data:":
        return len(word), text[place : end - 1] + " "
    if end == len(text):
        return (len(word), text[place:end]) if final else None
    # «Data: 12 novembre» is no address.
    return len(word), text[place:end] + ("" if text[end].isspace() else " ")


def _host(text: str, place: int, final: bool, word: str) -> Step:
    start = place + len(word)
    end = _find(text, start, _NO_ADDRESS, _TARGET_REACH, final)
    if end is None:
        return None
    shown = text[start:end]
    while _WWW.search(shown):
        shown = _WWW.sub("", shown)
    host = _HOST.match(shown)
    if host is None:
        # Before a dot that was left, «www» would be an address again.
        followed = text[start:end]
        return len(word) + len(followed) - len(followed.lstrip(".")), word.rstrip(":/.")
    # What ends the sentence is not the address's.
    ending = _ENDING.search(shown, host.end())
    return end - place, host[0] + (ending[0] if ending else "")


def entity(text: str, place: int, final: bool, _line: str) -> Step:
    """An entity loses its end, so that it stands for nothing; «&amp;» before a space is «&»."""
    found = _ENTITY.match(text, place)
    if found is None:
        return None if not final and _BEGUN_ENTITY.fullmatch(text, place) else (1, "&")
    end = found.end()
    if found[0] == "&amp;" and end == len(text) and not final:
        return None
    if found[0] == "&amp;" and not text[end : end + 1].strip():
        return end - place, "&"
    return end - place, found[0][:-1] + " "


def _find(text: str, start: int, ends: re.Pattern[str], reach: int, final: bool) -> int | None:
    """Where the first such character stands, or the reach ends without one; None until that is known."""
    last = min(start + reach, len(text))
    found = ends.search(text, start, last)
    if found:
        return found.start()
    return last if final or last == start + reach else None
