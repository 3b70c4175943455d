"""The settings of hooks (`[auth.hook.<name>]`), by the CLI's keys: points at which the product has a say."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Hook:
    """One hook: `pg-functions://postgres/<schema>/<function>`, or an https address (http for this machine only).

    `secrets` signs requests over http: `v1,whsec_<base64>`, several separated by `|` while one replaces the other.
    """

    enabled: bool = False
    uri: str = ""
    secrets: str = field(default="", repr=False)


@dataclass(frozen=True)
class Hooks:
    """Every hook there is."""

    custom_access_token: Hook = Hook()
    send_email: Hook = Hook()
    send_sms: Hook = Hook()
    before_user_created: Hook = Hook()
    after_user_created: Hook = Hook()
    mfa_verification_attempt: Hook = Hook()
    password_verification_attempt: Hook = Hook()
