"""Phone numbers: what counts as one, how it is written down, and the channels a code may take to it."""

from __future__ import annotations

import re

from backend.auth import errors
from backend.core.config import Auth

# E.164 without the plus sign, as upstream keeps it.
_NUMBER = re.compile(r"[1-9][0-9]{1,14}")
SMS = "sms"
WHATSAPP = "whatsapp"


def normalise(phone: str) -> str:
    """The number without plus sign and spaces. Raises AuthError validation_failed."""
    number = phone.replace(" ", "").removeprefix("+")
    if not _NUMBER.fullmatch(number):
        raise errors.invalid("Invalid phone number format (E.164 required)")
    return number


def channel(wanted: str, settings: Auth) -> str:
    """How the code travels; SMS unless the caller says otherwise. Raises AuthError validation_failed."""
    chosen = wanted or SMS
    if chosen == SMS or (chosen == WHATSAPP and settings.sms.twilio.enabled):
        return chosen
    raise errors.invalid(
        "Invalid channel, supported values are 'sms' or 'whatsapp'. "
        "'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider."
    )
