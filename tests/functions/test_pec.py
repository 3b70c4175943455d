"""Certified mail as providers write it: receipts, envelopes, the two ticks of each recipient, and the proof."""

from __future__ import annotations

import hashlib
import io
import zipfile
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default

import pytest

from functions._shared import pec

ID = "<opec.original@studio.example>"


def certificate(kind: str, recipient: str = "", error: str = "nessuno", text: str = "", hour: str = "10:15:32") -> str:
    about = f"<consegna>{recipient}</consegna>" if recipient else ""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<postacert tipo="{kind}" errore="{error}"><intestazione>'
        "<mittente>io@pec.example</mittente>"
        '<destinatari tipo="certificato">anna@pec.example</destinatari>'
        '<destinatari tipo="esterno">luca@example.it</destinatari>'
        "<risposte>io@pec.example</risposte><oggetto>Diffida &amp; messa in mora</oggetto></intestazione><dati>"
        "<gestore-emittente>Gestore di prova S.p.A.</gestore-emittente>"
        f'<data zona="+0100"><giorno>26/11/2026</giorno><ora>{hour}</ora></data>'
        "<identificativo>opec1.20261126@pec.example</identificativo>"
        f'<msgid>{ID.replace("<", "&lt;").replace(">", "&gt;")}</msgid><ricevuta tipo="completa"/>{about}'
        f"<errore-esteso>{text}</errore-esteso></dati></postacert>"
    )


def mail(headers: str, xml: str | None, *, has_original: bool = False) -> EmailMessage:
    """Write a mail of a provider: multipart/signed around text, daticert.xml and postacert.eml."""
    parts = ["Content-Type: text/plain\n\nRicevuta\n"]
    if xml is not None:
        parts.append(f'Content-Type: application/xml; name="daticert.xml"\n'
                     f'Content-Disposition: inline; filename="daticert.xml"\n\n{xml}\n')  # fmt: skip
    if has_original:
        parts.append('Content-Type: message/rfc822; name="postacert.eml"\nContent-Disposition: attachment; '
                     f'filename="postacert.eml"\n\nSubject: Diffida\nMessage-ID: {ID}\n\nEgregio,\n')  # fmt: skip
    inside = "".join(f"--in\n{part}" for part in parts)
    text = (
        f'{headers}MIME-Version: 1.0\nContent-Type: multipart/signed; boundary="out"\n\n--out\n'
        f'Content-Type: multipart/mixed; boundary="in"\n\n{inside}--in--\n\n'
        '--out\nContent-Type: application/pkcs7-signature; name="smime.p7s"\n\nAAAA\n--out--\n'
    )
    return message_from_bytes(text.encode(), policy=default)


def receipt(kind: str, recipient: str = "", **more: str) -> pec.Receipt:
    found = pec.read(mail(f"X-Ricevuta: {kind}\n", certificate(kind, recipient, **more)))
    assert isinstance(found, pec.Receipt)
    return found


def test_a_receipt_of_delivery_is_read_with_its_legal_time_and_the_mail() -> None:
    headers = f"X-Ricevuta: avvenuta-consegna\nX-Riferimento-Message-ID: {ID}\n"
    found = pec.read(mail(headers, certificate("avvenuta-consegna", "anna@pec.example"), has_original=True))
    assert isinstance(found, pec.Receipt)
    assert (found.kind, found.message_id, found.is_failure) == ("avvenuta-consegna", ID, False)
    assert found.original is not None
    assert found.original["Subject"] == "Diffida"
    told = found.certificate
    assert told is not None
    assert told.at == datetime(2026, 11, 26, 9, 15, 32, tzinfo=UTC)
    assert told.recipients == (("anna@pec.example", "certificato"), ("luca@example.it", "esterno"))
    assert (told.recipient, told.subject, told.provider) == (
        "anna@pec.example",
        "Diffida & messa in mora",
        "Gestore di prova S.p.A.",
    )


def test_without_the_header_the_mail_is_found_by_the_certificate() -> None:
    assert receipt("accettazione").message_id == ID


@pytest.mark.parametrize(
    ("kind", "text", "is_failure"),
    [
        ("accettazione", "", False),
        ("presa-in-carico", "", False),
        ("preavviso-errore-consegna", "il messaggio non è ancora stato consegnato", False),
        ("preavviso-errore-consegna", "5.4.1 - dominio inesistente", True),
        ("errore-consegna", "5.1.1 - indirizzo inesistente", True),
        ("non-accettazione", "formato errato", True),
        ("rilevazione-virus", "virus", True),
    ],
)
def test_each_receipt_says_whether_the_mail_still_arrives(kind: str, text: str, is_failure: bool) -> None:
    assert receipt(kind, "anna@pec.example", text=text).is_failure is is_failure


@pytest.mark.parametrize(
    "xml",
    [
        None,
        "<postacert",
        '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><postacert tipo="accettazione">&b;</postacert>',
        '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><postacert><dati><msgid>&a;</msgid></dati></postacert>',
    ],
    ids=["none", "cut", "bomb", "file"],
)
def test_a_certificate_that_cannot_be_read_leaves_the_headers(xml: str | None) -> None:
    found = pec.read(mail(f"X-Ricevuta: accettazione\nX-Riferimento-Message-ID: {ID}\n", xml))
    assert found == pec.Receipt("accettazione", ID, None, None)


def test_an_envelope_shows_the_mail_and_whether_it_has_legal_value() -> None:
    for transport, is_certified in (("posta-certificata", True), ("errore", False)):
        found = pec.read(mail(f"X-Trasporto: {transport}\n", certificate("posta-certificata"), has_original=True))
        assert isinstance(found, pec.Envelope)
        assert found.is_certified is is_certified
        assert found.original is not None
        assert found.original.get_content().strip() == "Egregio,"
    assert pec.read(mail("X-Ricevuta: qualcosa\n", None)) is None
    assert pec.read(mail("Subject: ACCETTAZIONE: finta\n", None)) is None


def test_only_a_mail_to_ordinary_mailboxes_gets_no_receipt_of_delivery() -> None:
    assert not receipt("accettazione").is_external
    xml = certificate("accettazione").replace('tipo="certificato"', 'tipo="esterno"')
    found = pec.read(mail("X-Ricevuta: accettazione\n", xml))
    assert isinstance(found, pec.Receipt)
    assert found.is_external


def test_the_proof_holds_the_bytes_and_their_sums() -> None:
    files = [("messaggio", b"messaggio"), ("accettazione", b"uno"), ("avvenuta-consegna", b"due")]
    content = pec.proof(files)
    assert content == pec.proof(files)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.namelist() == [
            "01-messaggio.eml", "02-accettazione.eml", "03-avvenuta-consegna.eml", "SHA256SUMS",
        ]  # fmt: skip
        for line in archive.read("SHA256SUMS").decode().splitlines():
            digest, name = line.split("  ")
            assert hashlib.sha256(archive.read(name)).hexdigest() == digest
