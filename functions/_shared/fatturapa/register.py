"""Invoices as their owner's register keeps them (private.store_invoice): issued or received, with whom, when due."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import date
from typing import Any

from functions._shared.fatturapa import model
from functions._shared.fatturapa.as_json import encoded
from functions._shared.fatturapa.model import Direction, Finding, Installment, Invoice, Party

_TYPE = re.compile("TD[0-9]{2}", re.ASCII)
_METHOD = re.compile("MP[0-9]{2}", re.ASCII)
_CURRENCY = re.compile("[A-Z]{3}", re.ASCII)
_ITALIAN = re.compile("^IT(?=[0-9]{11}$)", re.ASCII)
# What files say of who has no number: «0000000», «OO99999999999», «XXXXXXX».
_PLACEHOLDER = re.compile("([A-Z]{2}){0,2}(0+|9{11}|X+)", re.ASCII)
MAX_NUMBER, MAX_NAME, MAX_ID = 100, 500, 50
# Ten thousand billion euros: more is a mistake, and no sum of it would fit.
MAX_CENTS = 10**15


def direction(invoice: Invoice, own_vat: str | None, own_tax_code: str | None) -> Direction | None:
    """Issued («attiva») or received («passiva») by whom these numbers are of; None when they stand on neither side.

    Who stands on both sides, as for goods for own use, issued TD27 and received every other self-invoice.
    """
    sold, bought = (_is(party, own_vat, own_tax_code) for party in (invoice.supplier, invoice.customer))
    if sold and bought:
        return "attiva" if invoice.type_code == "TD27" else "passiva"
    return "attiva" if sold else "passiva" if bought else None


def for_store(invoices: Sequence[Invoice], own_vat: str | None, own_tax_code: str | None) -> list[dict[str, Any]]:
    """What private.store_invoice takes, without what no register takes (`is_complete`).

    One of somebody else counts as received, and a finding says so.
    """
    return [_entry(each, own_vat, own_tax_code) for each in invoices if is_complete(each)]


def is_complete(invoice: Invoice) -> bool:
    """Whether it has what a register asks for: a number, a date, a total, and amounts that are possible."""
    amounts = [invoice.net_cents, invoice.vat_cents, invoice.total_cents, invoice.due_cents]
    amounts += [each.amount_cents for each in invoice.installments]
    fits = all(abs(each) < MAX_CENTS for each in amounts if each is not None)
    return bool(fits and invoice.number and invoice.issued_on and invoice.total_cents is not None)


def _entry(invoice: Invoice, own_vat: str | None, own_tax_code: str | None) -> dict[str, Any]:
    known = direction(invoice, own_vat, own_tax_code)
    other = invoice.customer if known == "attiva" else invoice.supplier
    findings = invoice.findings if known else (*invoice.findings, _not_ours(own_vat, own_tax_code))
    number = vat_of(other)
    return {
        "body_no": invoice.body_no,
        "direction": known or "passiva",
        "type_code": _matching(_TYPE, invoice.type_code),
        "number": (invoice.number or "")[:MAX_NUMBER],
        "issued_on": encoded(invoice.issued_on),
        "counterparty": _counterparty(invoice, other),
        "counterparty_name": (other.name or "")[:MAX_NAME] or None,
        "counterparty_vat": number[:MAX_ID] if number else None,
        "net_cents": invoice.net_cents,
        "vat_cents": invoice.vat_cents,
        "total_cents": invoice.total_cents,
        "due_cents": invoice.due_cents,
        "currency": _matching(_CURRENCY, invoice.currency),
        "content": invoice.to_json(),
        "findings": [asdict(each) for each in findings],
        "schedules": _schedules(invoice),
    }


def _schedules(invoice: Invoice) -> list[dict[str, Any]]:
    if invoice.type_code in model.SELF_INVOICES:
        return []
    due = (invoice.total_cents if invoice.due_cents is None else invoice.due_cents) or 0
    parts = [each for each in invoice.installments if each.amount_cents is not None]
    whole_cents = (due, invoice.total_cents)
    if len({each.due_on for each in parts}) == 1 and all(each.amount_cents in whole_cents for each in parts):
        # The whole, to one account or to another: it is owed once, without what is withheld.
        parts = [replace(parts[0], amount_cents=due)]
    asked = sum(each.amount_cents or 0 for each in parts)
    if asked and asked == invoice.total_cents != due:
        # Instalments of the total: each is paid without its share of what is withheld.
        parts = _shared_out(parts, asked, due)
        asked = due
    untold = sorted(
        (each for each in invoice.installments if each.amount_cents is None), key=lambda each: each.due_on or date.max
    )
    left = due - asked
    if untold and left * due > 0:
        # A day without an amount is the day of what the others leave.
        parts.append(replace(untold[0], amount_cents=left))
    elif parts and (rest := abs(due) - abs(asked)) > len(parts):
        # An instalment does not lower what is owed: the rest is due with the last. A cent for each is rounding.
        parts.append(_rest(parts, -rest if asked < 0 else rest))
    # Who says nothing of payment is paid as a whole, whenever that is.
    whole = [{"no": 1, "due_on": None, "amount_cents": due}] if due else []
    return [_schedule(each) for each in parts] or whole


def _shared_out(parts: Sequence[Installment], asked: int, due: int) -> list[Installment]:
    """Reduce instalments in proportion so that they add up to what is due."""
    before = [sum(each.amount_cents or 0 for each in parts[:no]) for no in range(len(parts) + 1)]
    ends = [cents * due // asked for cents in before]
    return [replace(each, amount_cents=ends[no + 1] - ends[no]) for no, each in enumerate(parts)]


def _rest(parts: Sequence[Installment], cents: int) -> Installment:
    last = max(parts, key=lambda each: each.due_on or date.max)
    return replace(last, no=max(each.no for each in parts) + 1, amount_cents=cents)


def _schedule(of: Installment) -> dict[str, Any]:
    return {
        "no": of.no,
        "due_on": encoded(of.due_on),
        "amount_cents": of.amount_cents,
        "method": _matching(_METHOD, of.method),
        "iban": of.iban[:MAX_ID] if of.iban else None,
    }


def _counterparty(invoice: Invoice, party: Party) -> dict[str, Any]:
    """Enough to find, or to make, the contact. The certified mailbox is known of customers only."""
    return {
        "name": party.name,
        "vat_number": vat_of(party),
        "tax_code": party.tax_code,
        "email": party.email,
        "pec": invoice.transmission.recipient_pec if party is invoice.customer else None,
        "address": encoded(party.address) if party.address else None,
    }


def vat_of(party: Party) -> str | None:
    """As a register writes it: Italian numbers bare, others with their country; None for a placeholder.

    The database says the same (private.party_vat).
    """
    number = _ITALIAN.sub("", re.sub("[^0-9A-Z]", "", (party.vat_number or "").upper()))
    if not number or _PLACEHOLDER.fullmatch(number):
        return None
    # Greece is GR to the post and EL to the tax office.
    country = "EL" if party.vat_country == "GR" else party.vat_country
    return number if country in ("IT", None) or number.startswith(country) else f"{country}{number}"


def _is(party: Party, own_vat: str | None, own_tax_code: str | None) -> bool:
    vat = own_vat is not None and party.vat_country in ("IT", None) and _bare(party.vat_number) == _bare(own_vat)
    code = _bare(party.tax_code)
    return vat or (code is not None and code in (_bare(own_tax_code), _bare(own_vat)))


def _bare(number: str | None) -> str | None:
    return re.sub(r"\s", "", number).upper().removeprefix("IT") if number else None


def _not_ours(own_vat: str | None, own_tax_code: str | None) -> Finding:
    if own_vat or own_tax_code:
        why = "Né chi vende né chi compra ha la tua partita IVA o il tuo codice fiscale"
    else:
        why = "Nei tuoi dati fiscali manca la partita IVA"
    return Finding("non_tua", "avviso", f"{why}: ho messo la fattura tra quelle ricevute.")


def _matching(pattern: re.Pattern[str], text: str | None) -> str | None:
    return text if text and pattern.fullmatch(text) else None
