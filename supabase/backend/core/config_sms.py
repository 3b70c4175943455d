"""The settings of sign-in by phone and of the SMS it needs, by the CLI's keys; off until the file switches it on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta


@dataclass(frozen=True)
class Twilio:
    """The account SMS are sent with; `message_service_sid` is a messaging service (MG…) or a sender's number."""

    enabled: bool = False
    account_sid: str = ""
    message_service_sid: str = ""
    auth_token: str = field(default="", repr=False)


@dataclass(frozen=True)
class Sms:
    """Rules of the phone provider; `enabled` is about signing up and in, codes of second factors go out anyway.

    `test_otp` gives numbers (without +) a fixed code; no SMS is sent to them.
    """

    enabled: bool = False
    enable_confirmations: bool = True
    template: str = "Your code is {{ .Code }}"
    max_frequency: timedelta = timedelta(seconds=60)
    test_otp: Mapping[str, str] = field(default_factory=dict)
    twilio: Twilio = Twilio()

    @property
    def provider(self) -> str:
        """Who carries the SMS; '' is the development mailbox."""
        return "twilio" if self.twilio.enabled else ""
