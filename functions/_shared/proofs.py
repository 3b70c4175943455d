"""What somebody must have shown who takes everything away or deletes it: an open computer is not enough."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from backend.edge import api

PROOF_LASTS = timedelta(days=1)


def require(context: api.Context, facts: dict[str, Any]) -> None:
    """Require a sign-in of the last day, with the second factor if the account has one.

    `facts` are those of private.account_facts. Raises Refused 403.
    """
    has_factor = any(each["status"] == "verified" for each in facts["factors"])
    if has_factor and context.claims.get("aal") != "aal2":
        raise api.Refused(403, "insufficient_aal", "Serve il secondo fattore: esci e accedi con il codice")
    proofs = [each.get("timestamp", 0) for each in context.claims.get("amr", []) if isinstance(each, dict)]
    if context.now() - datetime.fromtimestamp(max(proofs, default=0), UTC) > PROOF_LASTS:
        raise api.Refused(
            403,
            "reauthentication_needed",
            "È passato più di un giorno da quando hai fatto l’accesso: esci, accedi di nuovo e riprova",
        )
