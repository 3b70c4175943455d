"""Why a file cannot be read as an invoice, in words for people."""


class NotAnInvoice(Exception):
    """The file holds no electronic invoice; `message` says why, in Italian."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class BadEnvelope(NotAnInvoice):
    """The file looks like a signed envelope (.p7m) and cannot be opened."""
