"""The settings of second factors and passkeys, by the CLI's keys; everything is off until the file switches it on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True)
class Passkey:
    """Signing in with a passkey instead of a password."""

    enabled: bool = False


@dataclass(frozen=True)
class WebAuthn:
    """The relying party (WebAuthn 5.1.2): the domain credentials belong to, and the pages that may use them.

    `localhost` or nothing stands for the domain of `site_url`, whose own pages always count among the origins.
    """

    rp_id: str = ""
    rp_display_name: str = "Socio"
    rp_origins: tuple[str, ...] = ()


@dataclass(frozen=True)
class Factor:
    """One kind of second factor."""

    enroll_enabled: bool = False
    verify_enabled: bool = False


@dataclass(frozen=True)
class PhoneFactor(Factor):
    """Codes by SMS; `max_frequency` is the least time between two of them."""

    otp_length: int = 6
    template: str = "Your code is {{ .Code }}"
    max_frequency: timedelta = timedelta(seconds=60)


@dataclass(frozen=True)
class Mfa:
    """Second factors; the limit counts unfinished enrolments too."""

    max_enrolled_factors: int = 10
    totp: Factor = Factor()
    phone: PhoneFactor = PhoneFactor()
    web_authn: Factor = Factor()
