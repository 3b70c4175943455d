"""Reading raw mails that strangers wrote: what they say, and that nothing in them harms."""

from __future__ import annotations

import base64
from datetime import UTC, datetime

import pytest

from functions._shared.received_mail import body, guard, message

PLAIN = """\
From: =?utf-8?q?Anna_Ner=C3=AC?= <Anna@Example.it>
To: io@studio.example, "Rossi, Ugo" <ugo@rossi.it>
Cc: ugo@rossi.it
Subject: =?utf-8?q?R=3A_Fattura_12_-_perch=C3=A9?=
Date: Fri, 20 Nov 2026 10:15:00 +0100
Message-ID: <b@example.it>
In-Reply-To: <a@studio.example>
References: <0@studio.example>
 <a@studio.example>
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: 8bit

Buongiorno, pago domani.

Il giorno ven 20 nov 2026 alle ore 09:00 Studio Io <io@studio.example> ha scritto:
> Gentile Anna,
> le ricordo la fattura.
"""


def mail(text: str) -> message.Mail:
    """Read a mail written with the line ends of this file."""
    return message.read(text.encode().replace(b"\n", b"\r\n"))


def with_body(text: bytes, content_type: str, *headers: str) -> message.Mail:
    """Read a mail with this body."""
    lines = ["From: anna@example.it", "Subject: x", f"Content-Type: {content_type}", *headers]
    return message.read("\r\n".join(lines).encode() + b"\r\n\r\n" + text)


def test_a_mail_is_read_as_it_was_written() -> None:
    found = mail(PLAIN)
    assert (found.sender, found.sender_name) == ("anna@example.it", "Anna Nerì")
    assert found.recipients == ("io@studio.example", "ugo@rossi.it")
    assert found.subject == "R: Fattura 12 - perché"
    assert found.sent_at == datetime(2026, 11, 20, 9, 15, tzinfo=UTC)
    assert (found.message_id, found.in_reply_to) == ("<b@example.it>", ("<a@studio.example>",))
    assert found.references == ("<0@studio.example>", "<a@studio.example>")
    assert found.text == "Buongiorno, pago domani."
    assert found.quoted.startswith("Il giorno ven 20 nov")
    assert (found.kind, found.html, found.files, found.is_whole) == ("persona", None, (), True)


@pytest.mark.parametrize(
    ("content", "charset"),
    [
        ("perché €".encode(), "us-ascii"),
        ("perché €".encode("cp1252"), "utf-8"),
        ("perché €".encode("cp1252"), "iso-8859-1"),
        ("perché €".encode(), "iso-8859-1"),
        ("perché €".encode(), "x-unknown"),
        ("perché €".encode("utf-16"), "utf-16"),
        ("perché €".encode("iso-8859-15"), "iso-8859-15"),
        (b"\xef\xbb\xbf" + "perché €".encode(), "utf-8"),
    ],
)
def test_a_wrong_charset_is_seen_through(content: bytes, charset: str) -> None:
    encoded = base64.encodebytes(content)
    found = with_body(encoded, f"text/plain; charset={charset}", "Content-Transfer-Encoding: base64")
    assert found.text == "perché €"


@pytest.mark.parametrize("date", ["", "yesterday", "Fri, 99 Foo 20260 99:99:99", "Thu, 1 Jan 1970 00:00:00 +0000"])
def test_a_date_that_is_none_is_left_out(date: str) -> None:
    assert mail(f"From: a@b.it\nDate: {date}\n\nCiao").sent_at is None


@pytest.mark.parametrize(
    ("sender", "address"),
    [
        ("Anna <anna@b.it>", "anna@b.it"),
        ("anna@b.it", "anna@b.it"),
        ('"io@studio.example" <ladro@evil.it>', "ladro@evil.it"),
        ("Anna", None),
        ("", None),
        ("<>", None),
        ("=?utf-8?b?" + base64.b64encode(b"io@studio.example\r\nBcc: x@y.it").decode() + "?= <a@b.it>", "a@b.it"),
        ("(" * 5_000 + " a@b.it", None),
    ],
)
def test_the_sender_is_an_address_or_none(sender: str, address: str | None) -> None:
    found = mail(f"From: {sender}\n\nCiao")
    assert found.sender == address
    assert "\n" not in (found.sender_name or "")


def test_headers_cannot_be_injected_by_encoded_lines() -> None:
    words = base64.b64encode(b"Ciao\r\nBcc: spia@evil.it\x00\x1b[31m").decode()
    found = mail(f"From: a@b.it\nSubject: =?utf-8?b?{words}?=\n\nCiao")
    assert found.subject == "Ciao Bcc: spia@evil.it[31m"
    assert found.recipients == ()


HTML = """\
From: a@b.it
Content-Type: multipart/mixed; boundary=x

--x
Content-Type: multipart/related; boundary=y

--y
Content-Type: text/html; charset=utf-8

<style>p{color:red}</style><p onclick="rubami()">Buongiorno</p><script>rubami()</script>
<img src="cid:logo@b"><img src="https://traccia.example/1.gif"><a href="javascript:rubami()">qui</a>
<a href="https://b.it">là</a><form action="https://evil.it"><input name="password"></form>
<iframe src="https://evil.it"></iframe><a href="data:text/html,x">dati</a>
--y
Content-Type: image/png
Content-ID: <logo@b>
Content-Transfer-Encoding: base64

iVBORw0KGgo=
--y--
--x
Content-Type: application/pdf; name="fattura.pdf"
Content-Disposition: attachment; filename="../../etc/fattura.pdf"
Content-Transfer-Encoding: base64

JVBERi0xLjQ=
--x
Content-Type: message/rfc822

From: c@d.it
Subject: Dentro

Inoltrato
--x--
"""


def test_html_is_shown_without_anything_that_acts_or_calls_home() -> None:
    found = mail(HTML)
    assert found.html is not None
    html, has_hidden = body.harmless(found.html, {"cid:logo@b": "data:image/png;base64,AA"})
    assert has_hidden
    assert '<img src="data:image/png;base64,AA">' in html
    for harm in (
        "script",
        "rubami",
        "style",
        "onclick",
        "traccia",
        "javascript",
        "form",
        "iframe",
        "data:text",
        "input",
    ):
        assert harm not in html.replace("data:image", "")
    assert 'href="https://b.it"' in html
    assert 'rel="noopener noreferrer nofollow"' in html
    assert "Buongiorno" in found.text
    assert "rubami" not in found.text


def test_attachments_keep_their_bytes_and_lose_their_path() -> None:
    assert [(file.name, file.mime, file.content[:8], file.content_id) for file in mail(HTML).files] == [
        ("allegato.png", "image/png", b"\x89PNG\r\n\x1a\n", "logo@b"),
        ("fattura.pdf", "application/pdf", b"%PDF-1.4", None),
        ("messaggio.eml", "message/rfc822", b"From: c@", None),
    ]


def nested(depth: int) -> bytes:
    """Make multiparts in multiparts."""
    heads = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (at, at) for at in range(depth))
    return b"From: a@b.it\r\nSubject: matrioska\r\n" + heads + b"\r\nCiao\r\n"


@pytest.mark.parametrize(
    "content",
    [
        nested(60_000),
        b"From: a@b.it\r\nSubject: matrioska\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"
        + b"--b\r\n\r\n" * 500_000,
        b"From: a@b.it\r\nSubject: matrioska\r\nTo: " + b"(" * 3_000_000 + b"\r\n\r\nCiao",
        b"From: a@b.it\r\nSubject: matrioska\r\nReferences: " + b"<a@b> " * 500_000 + b"\r\n\r\nCiao",
        b"From: a@b.it\r\nSubject: matrioska\r\nContent-Type: text/html\r\n\r\n" + b"<div>" * 300_000,
    ],
    ids=["nested", "parts", "comments", "references", "html"],
)
def test_a_bomb_costs_little_and_keeps_its_subject(content: bytes) -> None:
    found = message.read(content)
    assert (found.sender, found.subject) == ("a@b.it", "matrioska")


def test_a_large_mail_is_read_and_one_beyond_the_limit_loses_its_end() -> None:
    attachment = base64.encodebytes(b"0" * 18_000_000)
    head = b"From: a@b.it\r\nContent-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    found = message.read(head + attachment)
    assert found.is_whole
    assert [len(file.content) for file in found.files] == [18_000_000]
    assert not message.read(head + attachment * 2).is_whole


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        ("X-Mailer: Outlook", "persona"),
        ("Auto-Submitted: no", "persona"),
        ("Auto-Submitted: auto-replied", "automatica"),
        ('Auto-Submitted: auto-generated; owner-email="x"', "automatica"),
        ("Precedence: auto_reply", "automatica"),
        ("X-Auto-Response-Suppress: All", "automatica"),
        ("X-Autoreply: yes", "automatica"),
        ("Return-Path: <>", "automatica"),
        ("Precedence: bulk", "lista"),
        ("Precedence: list", "lista"),
        ("List-Id: Novità <news.b.it>", "lista"),
        ("List-Unsubscribe: <https://b.it/u>", "lista"),
        ("Content-Type: multipart/report; report-type=delivery-status; boundary=x", "rimbalzo"),
    ],
)
def test_machines_and_lists_are_recognised(header: str, kind: str) -> None:
    assert mail(f"From: anna@b.it\n{header}\n\nCiao").kind == kind


@pytest.mark.parametrize(
    ("sender", "kind"),
    [("MAILER-DAEMON@b.it", "rimbalzo"), ("no-reply@b.it", "automatica"), ("noreply-ordini@b.it", "automatica"),
     ("nora@b.it", "persona")],
)  # fmt: skip
def test_addresses_of_machines_are_recognised(sender: str, kind: str) -> None:
    assert mail(f"From: {sender}\n\nCiao").kind == kind


OWN = "Received: from mx.b.it (mx.b.it [1.2.3.4]) by mx1.casella.it with ESMTPS; Fri, 20 Nov 2026 10:15:00 +0100\n"


@pytest.mark.parametrize(
    ("headers", "verdict"),
    [
        (OWN + "Authentication-Results: casella.it; spf=pass; dmarc=pass header.from=b.it\n", "pass"),
        (OWN + "Authentication-Results: mx1.casella.it;\n dkim=fail; dmarc=fail\n", "fail"),
        (OWN + "Authentication-Results: mx1.casella.it; dmarc=none\n", None),
        (OWN + "Authentication-Results: evil.it; dmarc=pass\n", None),
        ("Authentication-Results: casella.it; dmarc=pass\n", None),
        (OWN + "Received: from x by evil.it; x\nAuthentication-Results: evil.it; dmarc=pass\n", None),
        (
            "Received: by 10.0.0.1 with SMTP id x; now\n" + OWN + "Authentication-Results: mx.casella.it; dmarc=fail\n",
            "fail",
        ),
        (OWN, None),
    ],
)
def test_only_the_own_server_tells_what_dmarc_says(headers: str, verdict: str | None) -> None:
    assert mail(f"{headers}From: anna@b.it\n\nCiao").dmarc == verdict


QUOTES = {
    "gmail": "Sì.\n\nIl giorno ven 20 nov 2026 alle ore 09:00 Anna <a@b.it> ha scritto:\n\n> Ciao",
    "gmail in two lines": "Sì.\n\nIl giorno ven 20 nov 2026 alle 09:00 Anna di Bianchi\n<a@b.it> ha scritto:\n> Ciao",
    "apple": "Sì.\n\n> Il giorno 20 nov 2026, alle ore 09:00, Anna <a@b.it> ha scritto:\n> \n> Ciao",
    "thunderbird": "Sì.\n\nIl 20/11/2026 09:00, Anna ha scritto:\n> Ciao",
    "english": "Sì.\n\nOn Fri, Nov 20, 2026 at 9:00 AM Anna <a@b.it> wrote:\n> Ciao",
    "german": "Sì.\n\nAm 20.11.2026 um 09:00 schrieb Anna:\n> Ciao",
    "french": "Sì.\n\nLe 20/11/2026 à 09:00, Anna a écrit :\n> Ciao",
    "outlook": "Sì.\n\nDa: Anna <a@b.it>\nInviato: venerdì 20 novembre 2026 09:00\nA: io@b.it\n\nCiao",
    "outlook with a line": "Sì.\n\n________________________\nDa: Anna <a@b.it>\nInviato: venerdì\nA: io\n\nCiao",
    "original": "Sì.\n\n-----Messaggio originale-----\nDa: Anna\n\nCiao",
    "original in English": "Sì.\n\n----- Original Message -----\nFrom: Anna\n\nCiao",
    "forwarded": "Sì.\n\nInizio messaggio inoltrato:\n\nDa: Anna",
    "bare": "Sì.\n\n> Ciao\n> come stai",
}


@pytest.mark.parametrize("text", QUOTES.values(), ids=QUOTES)
def test_the_quoted_history_is_split_off(text: str) -> None:
    written, quoted = body.split_quoted(text)
    assert written == "Sì."
    assert quoted


@pytest.mark.parametrize(
    "text",
    [
        "> Quando?\nDomani.\n> Dove?\nQui.",
        "Il preventivo è pronto: lo mando domani.",
        "Da: martedì non ci sono",
        "> Solo citazioni",
        "",
    ],
)
def test_what_is_written_is_never_split_off(text: str) -> None:
    assert body.split_quoted(text) == (text, "")


KNOWN_IBAN, OTHER_IBAN = "IT60X0542811101000000123456", "IT40S0542811101000000123456"
OWN_IBAN = "IT07X0542811101000000654321"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"Il nuovo IBAN è {OTHER_IBAN}", [OTHER_IBAN]),
        (f"Il nuovo IBAN è {' '.join(OTHER_IBAN[at : at + 4] for at in range(0, 27, 4))} GRAZIE", [OTHER_IBAN]),
        (f"Come sempre {KNOWN_IBAN}", []),
        (f"Ho pagato sul vostro {OWN_IBAN}", []),
        ("IT00X0542811101000000123456", []),
        ("Nessun conto", []),
    ],
)
def test_another_account_than_the_known_one_is_a_warning(text: str, found: list[str]) -> None:
    told = guard.warnings(
        text=text, sender=None, dmarc=None, known_ibans=[KNOWN_IBAN], own_ibans=[OWN_IBAN], known_domains=[]
    )
    assert told == [{"kind": "iban", "value": each, "known": KNOWN_IBAN} for each in found]


@pytest.mark.parametrize(
    ("domain", "alike"),
    [
        ("studiobianchi.it", None),
        ("studiobianchl.it", "studiobianchi.it"),
        ("studi0bianchi.it", "studiobianchi.it"),
        ("studio-bianchi.it", "studiobianchi.it"),
        ("studiobiancchi.it", "studiobianchi.it"),
        ("studiobinachi.it", "studiobianchi.it"),
        ("rnario.it", "mario.it"),
        ("gmail.com", None),
        ("altro.it", None),
        ("ab.it", None),
    ],
)
def test_a_domain_that_resembles_a_known_one_is_found(domain: str, alike: str | None) -> None:
    assert guard.look_alike(domain, ["studiobianchi.it", "mario.it", "gmai.com", "aa.it"]) == alike


def test_html_becomes_text_as_it_is_read() -> None:
    html = "<div>Pago <b>domani</b>.</div><div><br></div><div><br></div><div><br></div><p>Ciao,<br>Anna</p>"
    assert with_body(html.encode(), "text/html").text == "Pago domani.\n\nCiao,\nAnna"
