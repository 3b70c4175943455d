"""Files as they are met: encodings, prefixes, signatures inside; what is no invoice is told in words, never a crash."""

from __future__ import annotations

import codecs
import contextlib
import random
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from functions._shared import fatturapa
from functions._shared.fatturapa import envelope
from tests.functions.fatturapa import builder, samples, signing

PLAIN = samples.as_bytes("goods")
EXPECTED = fatturapa.read(PLAIN)
TEXT = PLAIN.decode()
SIGNER = signing.Signer()
SIGNED = SIGNER.signed(PLAIN)
# Written by hand, so that a name misspelt in both reader and builder is found.
BY_HAND = b"""<?xml version="1.0"?>
<ns2:FatturaElettronica xmlns:ns2="http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2" versione="FPR12">
<FatturaElettronicaHeader>
 <DatiTrasmissione><FormatoTrasmissione>FPR12</FormatoTrasmissione></DatiTrasmissione>
 <CedentePrestatore><DatiAnagrafici>
  <IdFiscaleIVA><IdPaese>IT</IdPaese><IdCodice>12345670157</IdCodice></IdFiscaleIVA>
  <Anagrafica><Nome>Anna</Nome><Cognome>Verdi</Cognome></Anagrafica><RegimeFiscale>RF01</RegimeFiscale>
 </DatiAnagrafici>
 <Sede><Indirizzo>Via Roma 1</Indirizzo><CAP>20100</CAP><Comune>Milano</Comune></Sede></CedentePrestatore>
 <CessionarioCommittente><DatiAnagrafici><CodiceFiscale>01234560157</CodiceFiscale>
  <Anagrafica><Denominazione>Rossi s.r.l.</Denominazione></Anagrafica></DatiAnagrafici></CessionarioCommittente>
</FatturaElettronicaHeader>
<FatturaElettronicaBody>
 <DatiGenerali><DatiGeneraliDocumento><TipoDocumento>TD01</TipoDocumento><Divisa>EUR</Divisa>
  <Data>2026-01-31+01:00</Data><Numero>7</Numero><DatiBollo><BolloVirtuale>SI</BolloVirtuale></DatiBollo>
 </DatiGeneraliDocumento></DatiGenerali>
 <DatiBeniServizi>
  <DettaglioLinee><NumeroLinea>1</NumeroLinea><Descrizione>Consulenza</Descrizione><Quantita>3.00</Quantita>
   <PrezzoUnitario>33.333333</PrezzoUnitario><PrezzoTotale>100.00</PrezzoTotale><AliquotaIVA>22.00</AliquotaIVA></DettaglioLinee>
  <DatiRiepilogo><AliquotaIVA>22.00</AliquotaIVA><ImponibileImporto>100.00</ImponibileImporto><Imposta>22.00</Imposta></DatiRiepilogo>
 </DatiBeniServizi>
 <DatiPagamento><CondizioniPagamento>TP02</CondizioniPagamento><DettaglioPagamento><ModalitaPagamento>MP05</ModalitaPagamento>
  <DataRiferimentoTerminiPagamento>2026-01-31</DataRiferimentoTerminiPagamento>
  <GiorniTerminiPagamento>30</GiorniTerminiPagamento><ImportoPagamento>122.00</ImportoPagamento>
  <IBAN>it60 X054 2811 1010 0000 0123 456</IBAN></DettaglioPagamento></DatiPagamento>
 <Allegati><NomeAttachment>a.txt</NomeAttachment><Attachment>Y2lh
bw==</Attachment></Allegati>
</FatturaElettronicaBody></ns2:FatturaElettronica>"""


def test_a_file_written_by_hand_is_read() -> None:
    (invoice,) = fatturapa.read(BY_HAND, today=date(2026, 2, 1))
    assert (invoice.supplier.name, invoice.supplier.vat_number) == ("Anna Verdi", "12345670157")
    assert (invoice.customer.name, invoice.customer.tax_code) == ("Rossi s.r.l.", "01234560157")
    assert (invoice.number, invoice.issued_on, invoice.stamp is not None) == ("7", date(2026, 1, 31), True)
    assert (invoice.net_cents, invoice.vat_cents, invoice.total_cents, invoice.due_cents) == (
        10_000,
        2_200,
        12_200,
        12_200,
    )
    (payment,) = invoice.installments
    assert (payment.due_on, payment.due_by_terms, payment.iban) == (date(2026, 3, 2), True, samples.IBAN)
    assert [each.content for each in invoice.attachments] == [b"ciao"]
    assert (invoice.lines[0].price, invoice.findings) == ("33.333333", ())


ENCODINGS = {
    "utf-8 with a mark": TEXT.encode("utf-8-sig"),
    "utf-16": TEXT.replace("UTF-8", "UTF-16").encode("utf-16"),
    "utf-16 big endian": b"\xfe\xff" + TEXT.replace("UTF-8", "UTF-16").encode("utf-16-be"),
    "utf-16 without a mark": TEXT.replace("UTF-8", "UTF-16").encode("utf-16-le"),
    "windows-1252": TEXT.replace("UTF-8", "windows-1252").encode("cp1252"),
    "latin 1": TEXT.replace("UTF-8", "ISO-8859-1").encode("cp1252"),
    "says utf-8 and is not": TEXT.encode("cp1252"),
    "says utf-8 with a mark and is not": codecs.BOM_UTF8 + TEXT.encode("cp1252"),
    "says latin 1 and is utf-8": TEXT.replace("UTF-8", "ISO-8859-1").encode(),
    "an encoding nobody knows": TEXT.replace("UTF-8", "x-mac-klingon").encode(),
    "blank lines first": b"\n\n " + PLAIN,
    "no prefix": samples.as_bytes("goods", prefix=""),
    "another prefix": samples.as_bytes("goods", prefix="ns3:"),
    "no declaration": TEXT.partition("?>")[2].encode(),
}


@pytest.mark.parametrize("name", ENCODINGS)
def test_encodings_and_prefixes_change_nothing(name: str) -> None:
    assert fatturapa.read(ENCODINGS[name]) == EXPECTED


def test_a_signature_inside_is_told_but_not_verified() -> None:
    from base64 import b64encode

    from cryptography.hazmat.primitives.serialization import Encoding

    certificate = b64encode(SIGNER.certificate.public_bytes(Encoding.DER)).decode()
    inside = f'<ds:Signature xmlns:ds="urn:x"><ds:X509Certificate>{certificate}</ds:X509Certificate></ds:Signature>'
    (invoice,) = fatturapa.read(builder.written([samples.goods()], inside=inside).encode())
    assert invoice.signature is not None
    assert (invoice.signature.signer, invoice.signature.verified) == ("Anna Verdi", None)
    assert "non verificata" in invoice.signature.note


BOMB = (
    b'<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><FatturaElettronica versione="FPR12">&b;</FatturaElettronica>'
)
DEEP = b"<FatturaElettronica>" + b"<a>" * 100_000
OTHERS = {
    "nothing": (b" \n", "vuoto"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(40), "XML leggibile"),
    "half a file": (PLAIN[: len(PLAIN) // 2], "XML leggibile"),
    "html": (b"<html><body>Fattura</body></html>", "«html»"),
    "a receipt of delivery": (b'<t:RicevutaConsegna xmlns:t="urn:t"/>', "la ricevuta di consegna"),
    "entities": (BOMB, "DOCTYPE"),
    "an outer file": (b'<!DOCTYPE x SYSTEM "file:///etc/passwd"><x/>', "DOCTYPE"),
    "too deep": (DEEP, "profondo"),
    "too many elements": (b"<FatturaElettronica>" + b"<a/>" * 500_001 + b"</FatturaElettronica>", "lungo"),
    "another version": (PLAIN.replace(b'"FPR12"', b'"XXX99"'), "XXX99"),
    "no body": (b'<FatturaElettronica versione="FPR12"/>', "corpo"),
    "null characters": (PLAIN.replace(b"Prestazione", b"\0\0"), "XML leggibile"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_invoice_is_told_in_words(name: str) -> None:
    content, words = OTHERS[name]
    with pytest.raises(fatturapa.NotAnInvoice) as refused:
        fatturapa.read(content)
    assert words in refused.value.message


@given(st.integers(0, 2**32), st.sampled_from([PLAIN, SIGNED, signing.indefinite(SIGNED), BY_HAND]))
@settings(max_examples=150, deadline=None)
def test_a_mutated_file_is_an_invoice_or_not_but_never_a_crash(seed: int, original: bytes) -> None:
    chance = random.Random(seed)
    content = bytearray(original)
    for _ in range(chance.choice([1, 1, 3, 20])):
        at = chance.randrange(len(content))
        kind = chance.choice(["byte", "cut", "drop", "swap"])
        if kind == "byte":
            content[at] = chance.randrange(256)
        elif kind == "cut":
            content = content[: max(at, 1)]
        elif kind == "drop":
            del content[at : at + chance.randrange(1, 30)]
        else:
            content[at : at + 8] = content[at : at + 8][::-1]
        content = content or bytearray(b"<")
    with contextlib.suppress(fatturapa.NotAnInvoice):
        for invoice in fatturapa.read(bytes(content), today=date(2026, 11, 21)):
            invoice.to_json()


def test_an_attachment_that_cannot_be_decoded_is_told() -> None:
    (invoice,) = fatturapa.read(BY_HAND.replace(b"bw==", b"b!=="))
    assert [each.content for each in invoice.attachments] == [None]
    assert [each.code for each in invoice.findings] == ["allegato_illeggibile"]


@pytest.mark.parametrize("day", [b"31/01/2026+", b"9999-12-31+", b"0226-01-31+"])
def test_a_value_that_cannot_be_read_stays_missing(day: bytes) -> None:
    (invoice,) = fatturapa.read(BY_HAND.replace(b"<Numero>7<", b"<Numero> <").replace(b"2026-01-31+", day))
    assert (invoice.number, invoice.issued_on) == (None, None)
    assert [each.code for each in invoice.findings] == ["valore_illeggibile", "dato_mancante", "dato_mancante"]


def test_a_simplified_invoice_may_state_the_tax_instead_of_the_rate() -> None:
    content = samples.as_bytes("simplified").replace(b"<Aliquota>22.00</Aliquota>", b"<Imposta>11.09</Imposta>")
    (invoice,) = fatturapa.read(content)
    assert (invoice.net_cents, invoice.vat_cents, invoice.total_cents) == (11_091, 1_109, 12_200)
    assert fatturapa.read(content.replace(b"<Imposta>11.09</Imposta>", b""))[0].vat_cents is None


def test_what_is_no_envelope_stays_as_it_is() -> None:
    for content in (PLAIN, b"%PDF-1.7", b"0\x82\x00", b"MIchele scrive"):
        opened = envelope.unwrapped(content)
        assert (opened.content, opened.layers, opened.signature) == (content, 0, None)
