"""Letters of the product: the same words as text and as HTML, nobody's words as markup."""

from __future__ import annotations

from functions._shared import letters

TO = "anna@example.com"


def test_a_letter_says_the_same_as_text_and_as_html() -> None:
    letter = letters.Letter(
        "Titolo", ("Uno.", "Due."), small="In piccolo.", button="Apri", link="https://x.example/a?b=1"
    )
    mail = letters.message(TO, letter, "test")
    assert (mail.to, mail.subject, mail.purpose) == (TO, "Titolo", "test")
    for words in ("Titolo", "Ciao,", "Uno.", "Due.", "In piccolo.", "Apri", "https://x.example/a?b=1"):
        assert words in mail.text
        assert words in mail.html
    assert mail.text.index("Uno.") < mail.text.index("Due.") < mail.text.index("Apri") < mail.text.index("In piccolo.")


def test_what_a_person_wrote_is_never_markup() -> None:
    letter = letters.Letter("<b>", ("<img src=x> $link",), button='"', link='https://x.example/"><script>')
    html = letters.message(TO, letter, "test").html
    assert "<b>" not in html
    assert "<img" not in html
    assert "<script" not in html
    assert "&lt;img src=x&gt; $link" in html


def test_a_letter_without_link_and_small_print_leaves_no_gap() -> None:
    mail = letters.message(TO, letters.Letter("Titolo", ("Uno.",)), "test")
    assert mail.text == "Titolo\n\nCiao,\n\nUno.\n\n--\nSocio, il socio digitale di chi lavora in proprio\n"
    assert "<a " not in mail.html
    assert "font-size:14px" not in mail.html
