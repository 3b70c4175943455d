"""The way out of a person's promotions: links that need no sign-in, each for one address and for ever.

A token is the address, encrypted for its writer: it cannot be made up, says nothing to whoever sees the link, and needs
no row, so it still works after the contact was erased.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode
from uuid import UUID

from backend.edge import api

PURPOSE = "unsubscribing"
# web/src/paths.ts spells it too.
PAGE = "/disiscrizione"
QUESTION = "Non vuoi più ricevere queste email?"
INVITATION = "Disiscriviti qui"


@dataclass(frozen=True)
class Links:
    """Where a recipient unsubscribes: a page with a button, and an address for mail programs (RFC 8058)."""

    page: str
    one_click: str

    @property
    def footer(self) -> str:
        """End the text of a mail with the way out."""
        return f"\n\n{QUESTION} {INVITATION}: {self.page}\n"

    @property
    def headers(self) -> bytes:
        """Write both headers; email.message would fold the address, which is longer than a line."""
        return f"List-Unsubscribe: <{self.one_click}>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n".encode()


def links(context: api.Context, user_id: UUID, address: str) -> Links:
    """Make the links for what this person writes to this address."""
    query = urlencode({"da": user_id, "chiave": context.seal(PURPOSE, user_id, address.lower())})
    return Links(page_of(context, query), f"{context.api_url}/functions/v1/mail_unsubscribe?{query}")


def page_of(context: api.Context, query: str) -> str:
    """Return the address of the page with the button."""
    return f"{context.site_url}{PAGE}?{query}"


def asked(context: api.Context, writer: str, token: str) -> tuple[UUID, str] | None:
    """Return whose mails are not wanted by which address; None for a link that none of ours is."""
    try:
        user_id = UUID(writer)
        return user_id, context.unseal(PURPOSE, user_id, token)
    except (ValueError, api.Undecryptable):
        return None
