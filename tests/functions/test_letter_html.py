"""The HTML of a mail says what its text says."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions._shared import letter_html

TAG = re.compile(r"<[^>]*>")


def shown(html: str) -> str:
    """Return the words on screen."""
    body = html.partition("<body")[2].partition(">")[2]
    return " ".join(unescape(TAG.sub("", body)).split())


@given(st.text(alphabet=st.one_of(st.characters(codec="utf-8"), st.sampled_from("<>&\"'\n \t-:/.")), max_size=300))
def test_nothing_is_lost_added_or_becomes_a_tag(body: str) -> None:
    html = letter_html.page(body)
    words = body.rpartition(letter_html.SIGNATURE)
    assert shown(html) == " ".join(f"{words[0]} {words[2]}".split())
    tags = {re.match(r"</?!?([a-z]*)", tag)[1] for tag in TAG.findall(html)}  # type: ignore[index]
    assert tags <= {"doctype", "html", "head", "meta", "body", "p", "br", "a"}


@pytest.mark.parametrize(
    ("line", "html"),
    [
        ("vedi https://a.example/x?y=1&z=2.", 'vedi <a href="https://a.example/x?y=1&amp;z=2">https://a.example/x?y=1&amp;z=2</a>.'),
        ("(http://b.example/q), poi", '(<a href="http://b.example/q">http://b.example/q</a>), poi'),
        ('https://c.example/"onclick="x', '<a href="https://c.example/">https://c.example/</a>&quot;onclick=&quot;x'),
        ("javascript://d.example/%0aalert(1)", "javascript://d.example/%0aalert(1)"),
        ("  - una voce", "&nbsp;&nbsp;- una voce"),
    ],
)  # fmt: skip
def test_only_addresses_of_the_web_become_links(line: str, html: str) -> None:
    assert f"<p>{html}</p>" in letter_html.page(line)


def test_a_signature_is_quiet_and_the_last_mark_begins_it() -> None:
    html = letter_html.page("Ciao\n-- \nnon ancora\n\n-- \nGiulia\nStudio")
    assert "Ciao<br>\n-- <br>\nnon ancora</p>" in html
    assert '<p style="color:#6B675E">Giulia<br>\nStudio</p>' in html


def test_empty_lines_make_paragraphs() -> None:
    assert "<p>uno</p>\n<p>due<br>\ntre</p>\n" in letter_html.page("uno\r\n\r\n \r\ndue\r\ntre\n")
