"""Findings about numbers with check digits: VAT numbers, tax codes, IBANs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from functions._shared import tax_ids
from functions._shared.fatturapa.model import Finding, Invoice, Party

_IBAN = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}", re.ASCII)
# Lengths that are known here; others are only checked by their remainder.
_IBAN_LENGTHS = {
    "IT": 27,
    "SM": 27,
    "DE": 22,
    "FR": 27,
    "ES": 24,
    "AT": 20,
    "CH": 21,
    "BE": 16,
    "NL": 18,
    "LT": 20,
    "GB": 22,
}


def findings(invoice: Invoice) -> Iterator[Finding]:
    """What is wrong with the identifiers of both parties and with the accounts to be paid."""
    yield from _party(invoice.supplier, "di chi vende")
    yield from _party(invoice.customer, "di chi compra")
    for iban in dict.fromkeys(each.iban for each in invoice.installments):
        if iban and not is_iban(iban):
            text = f"L’IBAN {iban[:40]} non è valido: le cifre di controllo non tornano. Verificalo prima di pagare."
            yield Finding("iban", "errore", text)


def is_iban(text: str) -> bool:
    """Whether an IBAN without blanks has its length and check digits (ISO 13616)."""
    if not _IBAN.fullmatch(text) or len(text) != _IBAN_LENGTHS.get(text[:2], len(text)):
        return False
    return int("".join(str(int(each, 36)) for each in text[4:] + text[:4])) % 97 == 1


def in_fours(iban: str) -> str:
    """Write an IBAN as people read it: «IT60 X054 2811 1010 0000 0123 456»."""
    return " ".join(iban[at : at + 4] for at in range(0, len(iban), 4))


def _party(party: Party, whose: str) -> Iterator[Finding]:
    number, code = party.vat_number, party.tax_code
    if number and party.vat_country == "IT" and tax_ids.vat_number(number) is None:
        text = f"La partita IVA {whose}, {number[:28]}, non è valida: la cifra di controllo non torna."
        yield Finding("partita_iva", "errore", text)
    elif number and party.vat_country == "IT" and not tax_ids.has_known_office(number):
        text = f"La partita IVA {whose}, {number[:28]}, ha un codice di ufficio che non conosciamo: controllala."
        yield Finding("partita_iva", "avviso", text)
    # Companies have eleven digits like a VAT number; persons sixteen characters.
    if code and tax_ids.tax_code(code) is None and tax_ids.vat_number(code) is None:
        text = f"Il codice fiscale {whose}, {code[:28]}, non è valido: il carattere di controllo non torna."
        yield Finding("codice_fiscale", "avviso", text)
