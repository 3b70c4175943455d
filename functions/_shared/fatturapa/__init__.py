"""Italian electronic invoices: FPA12, FPR12 (1.2.x) and simplified FSM10, as XML or in a signed envelope (.p7m).

    for invoice in fatturapa.read(content):        # NotAnInvoice.message says in Italian why not
        invoice.number, invoice.total_cents, invoice.findings
        content = invoice.to_json()                # what invoices.content keeps
    rows = fatturapa.for_store(invoices, own_vat, own_tax_code)   # what private.store_invoice takes

The JSON is `model.Invoice` field by field, in snake_case: days as «2026-01-31», moments as ISO 8601, money as whole
cents (`…_cents`), prices, quantities and rates as text with the decimals of the file, codes as codes (words:
codes.json), lists for what may stand several times, null for what is missing. Attachments are there without bytes.
web/src/data/invoice-content.ts is the same as a TypeScript type, tests/vectors/fattura_content.json an example.
"""

from functions._shared.fatturapa.errors import BadEnvelope, NotAnInvoice
from functions._shared.fatturapa.model import Attachment, Finding, Invoice
from functions._shared.fatturapa.reader import read
from functions._shared.fatturapa.register import MAX_CENTS, direction, for_store, is_complete, vat_of

__all__ = [
    "MAX_CENTS", "Attachment", "BadEnvelope", "Finding", "Invoice", "NotAnInvoice", "direction", "for_store",
    "is_complete", "read", "vat_of",
]  # fmt: skip
