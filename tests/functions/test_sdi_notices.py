"""Notices of the exchange system, of both families of schemas, in words for their owner."""

from __future__ import annotations

import pytest

from functions._shared import sdi_notices

ERRORS = (
    "<ListaErrori><Errore><Codice>00404</Codice><Descrizione>Fattura duplicata.</Descrizione>"
    "<Suggerimento>Verifica il numero</Suggerimento></Errore><Errore><Codice>00311</Codice>"
    "<Descrizione>CodiceDestinatario non valido</Descrizione></Errore></ListaErrori>"
)


def notice(root: str, inside: str = "", at: str = "2026-11-26T10:00:00.000+01:00") -> bytes:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><ns3:{root} xmlns:ns3="http://www.fatturapa.gov.it/sdi/messaggi/v1.0" '
        f'versione="1.0"><IdentificativoSdI>111</IdentificativoSdI><NomeFile>IT01234567890_00001.xml</NomeFile>'
        f"<DataOraRicezione>{at}</DataOraRicezione>{inside}<MessageId>123</MessageId></ns3:{root}>"
    ).encode()


REJECTED = (
    "Scartata: correggi entro il 1 dicembre 2026, con lo stesso numero e la stessa data. "
    "00404: Fattura duplicata; 00311: CodiceDestinatario non valido."
)


@pytest.mark.parametrize(
    ("content", "kind", "sentence"),
    [
        (notice("RicevutaConsegna"), "RC", "Consegnata al destinatario."),
        (
            notice("NotificaMancataConsegna"),
            "MC",
            "Emessa, ma non consegnata: è nel cassetto fiscale del cliente. Avvisalo.",
        ),
        (
            notice("RicevutaImpossibilitaRecapito"),
            "MC",
            "Emessa, ma non consegnata: è nel cassetto fiscale del cliente. Avvisalo.",
        ),
        (notice("NotificaScarto", ERRORS), "NS", REJECTED),
        (notice("RicevutaScarto", ERRORS), "NS", REJECTED),
        (
            notice("NotificaScarto", at="ieri"),
            "NS",
            "Scartata: correggi entro cinque giorni dalla notifica, con lo stesso numero e la stessa data.",
        ),
        (
            notice("NotificaEsito", "<EsitoCommittente><Esito>EC01</Esito></EsitoCommittente>"),
            "NE",
            "Accettata dall’ente.",
        ),
        (
            notice(
                "NotificaEsito",
                "<EsitoCommittente><Esito>EC02</Esito><Descrizione>CIG errato</Descrizione></EsitoCommittente>",
            ),
            "NE",
            "Rifiutata dall’ente. CIG errato",
        ),
        (
            notice("NotificaDecorrenzaTermini"),
            "DT",
            "L’ente non ha risposto entro quindici giorni: la fattura vale come consegnata.",
        ),
        (
            notice("AttestazioneTrasmissioneFattura"),
            "AT",
            "Il Sistema di Interscambio non è riuscito a recapitarla all’ente: inviagliela con l’attestazione.",
        ),
    ],
)
def test_a_notice_says_what_happened_and_what_to_do(content: bytes, kind: str, sentence: str) -> None:
    found = sdi_notices.read(content)
    assert found is not None
    assert (found.kind, found.sdi_id, found.invoice_file) == (kind, "111", "IT01234567890_00001.xml")
    assert found.sentence() == sentence


@pytest.mark.parametrize("content", [b"", b"<a/>", b"<NotificaScarto", b"<!DOCTYPE a><NotificaScarto/>"])
def test_what_is_no_notice_is_none(content: bytes) -> None:
    assert sdi_notices.read(content) is None


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("IT01234567890_00001_NS_001.xml", True),
        ("IT01234567890_a1b2c_RC_002.XML", True),
        ("IT01234567890_00001_SE_001.xml", False),
        ("IT01234567890_00001.xml", False),
        ("fattura_NS_001.xml", False),
    ],
)
def test_a_notice_is_known_by_its_name(name: str, is_one: bool) -> None:
    assert sdi_notices.is_notice(name) is is_one
