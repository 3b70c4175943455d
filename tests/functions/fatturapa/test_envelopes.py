"""Signed envelopes (.p7m): opened in every form, and «verified» is said only of bytes that the certificate signed."""

from __future__ import annotations

import base64

import pytest
from asn1crypto import cms  # type: ignore[import-untyped]
from cryptography.hazmat.primitives.serialization.pkcs7 import PKCS7Options

from functions._shared import fatturapa
from functions._shared.fatturapa import envelope
from tests.functions.fatturapa import samples, signing

PLAIN = samples.as_bytes("public office")
ANNA = signing.Signer()
LUCA = signing.Signer("Luca Bianchi", curve=True)
DER = ANNA.signed(PLAIN)


def pem(der: bytes, label: str = "PKCS7") -> bytes:
    """As text."""
    return f"-----BEGIN {label}-----\n{base64.encodebytes(der).decode()}-----END {label}-----\n".encode()


FORMS = {
    "der": DER,
    "der with bytes after it": DER + bytes(10),
    "ber": signing.indefinite(DER),
    "ber in small chunks": signing.indefinite(DER, 7),
    "base64": base64.encodebytes(DER),
    "base64 on one line": base64.b64encode(DER),
    "base64 twice": base64.b64encode(base64.encodebytes(DER)),
    "pem": pem(DER),
    "pem as cms": pem(DER, "CMS"),
    "signed twice": ANNA.signed(DER),
    "signed twice, text inside": ANNA.signed(base64.b64encode(DER)),
    "pss": ANNA.signed(PLAIN, pss=True),
    "no attributes": ANNA.signed(PLAIN, PKCS7Options.NoAttributes),
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_is_opened_and_verified(name: str) -> None:
    opened = envelope.unwrapped(FORMS[name])
    assert (opened.content, opened.signer, opened.verified, opened.mime) == (
        PLAIN,
        "Anna Verdi",
        True,
        "application/xml",
    )
    assert fatturapa.read(FORMS[name])[0].signature == opened.signature


def test_verified_never_claims_that_the_issuer_is_trusted() -> None:
    signature = envelope.unwrapped(DER).signature
    assert signature is not None
    assert "Chi ha rilasciato il certificato e la sua revoca non sono stati controllati." in signature.note
    assert (signature.issuer, signature.valid_until and signature.valid_until.year) == ("Autorità di prova", 2036)


def test_two_signers_on_top_of_each_other_are_both_named() -> None:
    opened = envelope.unwrapped(LUCA.signed(DER))
    assert (opened.signer, opened.verified, opened.layers) == ("Luca Bianchi, Anna Verdi", True, 2)


def test_a_changed_figure_is_found_out() -> None:
    for form in (DER, ANNA.signed(PLAIN, PKCS7Options.NoAttributes), LUCA.signed(PLAIN)):
        opened = envelope.unwrapped(form.replace(b"<ImportoPagamento>1000.00", b"<ImportoPagamento>9000.00"))
        assert opened.verified is False
        (invoice,) = fatturapa.read(opened.content)
        assert invoice.installments[0].amount_cents == 900_000
    findings = fatturapa.read(DER.replace(b"Prestazione", b"Consulenza_"))[0].findings
    assert ("firma_non_valida", "errore") in [(each.code, each.severity) for each in findings]


def test_a_signature_by_somebody_elses_key_does_not_verify() -> None:
    forged = cms.ContentInfo.load(DER)
    other = cms.ContentInfo.load(signing.Signer().signed(PLAIN))
    forged["content"]["signer_infos"][0]["signature"] = other["content"]["signer_infos"][0]["signature"].native
    assert envelope.unwrapped(forged.dump(force=True)).verified is False


def test_without_the_certificate_nothing_is_claimed() -> None:
    opened = envelope.unwrapped(ANNA.signed(PLAIN, PKCS7Options.NoCerts))
    assert (opened.content, opened.signer, opened.verified) == (PLAIN, None, None)


def test_an_unknown_algorithm_is_not_verified() -> None:
    odd = DER.replace(bytes.fromhex("0609608648016503040201"), bytes.fromhex("060960864801650304020a"))
    assert envelope.unwrapped(odd).verified is None


def test_another_content_comes_out_with_its_type() -> None:
    opened = envelope.unwrapped(ANNA.signed(b"%PDF-1.7 contratto"))
    assert (opened.content, opened.mime) == (b"%PDF-1.7 contratto", "application/pdf")
    with pytest.raises(fatturapa.NotAnInvoice) as refused:
        fatturapa.read(ANNA.signed(b"%PDF-1.7 contratto"))
    assert "ma un altro documento" in refused.value.message


def too_many() -> bytes:
    """Five layers."""
    content = PLAIN
    for _ in range(5):
        content = LUCA.signed(content)
    return content


BROKEN = {
    "cut": (DER[: len(DER) // 2], "rovinata"),
    "cut base64": (base64.b64encode(DER)[:1001], "rovinata"),
    "only the signature": (ANNA.signed(PLAIN, PKCS7Options.DetachedSignature), "manca il documento"),
    "too many layers": (too_many(), "più di 4"),
    "garbage behind the name": (DER[:19] + b"\xff" * 400, "rovinata"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_envelope_is_told_in_words(name: str) -> None:
    content, words = BROKEN[name]
    with pytest.raises(fatturapa.BadEnvelope) as refused:
        envelope.unwrapped(content)
    assert words in refused.value.message
