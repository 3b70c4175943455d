"""The e-mails of the auth service: from the templates of the settings into the outbox, in the caller's transaction.

A template is `<name>.html` with its plain text beside it in `<name>.txt`, in Go's notation with the variables GoTrue
offers (AUTH-25). Links lead to a page of the client with a button, so that a mail scanner that opens them
uses nothing up; `ConfirmationURL` keeps upstream's way for templates written for it. Each mail shows the code too.
"""

# ruff: noqa: S105 - names of templates, no passwords
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from backend.auth import hooks, limits, mail_hook, one_time_tokens, queries
from backend.auth.models import User
from backend.auth.one_time_tokens import OneTimeToken
from backend.auth.providers import known
from backend.core import db, mail
from backend.core.config import ConfigError, Settings, Template
from backend.core.resources import Resources

CONFIRMATION = "confirmation"
RECOVERY = "recovery"
MAGIC_LINK = "magic_link"
EMAIL_CHANGE = "email_change"
INVITE = "invite"
REAUTHENTICATION = "reauthentication"
# Ours: upstream tells nobody, and whoever forgot their account waits for a mail that never comes.
ACCOUNT_EXISTS = "account_exists"
PASSWORD_CHANGED = "password_changed"
EMAIL_CHANGED = "email_changed"
PHONE_CHANGED = "phone_changed"
IDENTITY_LINKED = "identity_linked"
IDENTITY_UNLINKED = "identity_unlinked"
MFA_FACTOR_ENROLLED = "mfa_factor_enrolled"
MFA_FACTOR_UNENROLLED = "mfa_factor_unenrolled"

# The `type` a link of each mail carries to /verify.
_LINK_TYPES = {
    CONFIRMATION: "signup",
    RECOVERY: "recovery",
    MAGIC_LINK: "magiclink",
    EMAIL_CHANGE: "email_change",
    INVITE: "invite",
}


# Every variable a template may use (AUTH-25), filled as a preview shows it.
SAMPLE: Mapping[str, Any] = {
    "SiteURL": "https://socio.example",
    "RedirectTo": "https://socio.example/home",
    "ConfirmationURL": "https://socio.example/auth/v1/verify?token=0f5b47&type=signup",
    "Token": "123456",
    "TokenHash": "0f5b47c2a91e",
    "Email": "giulia@socio.example",
    "NewEmail": "giulia.ferri@socio.example",
    "OldEmail": "giulia@socio.example",
    "Phone": "393331234567",
    "OldPhone": "393337654321",
    "Provider": "google",
    "FactorType": "totp",
    "Data": {"full_name": "Giulia Ferri"},
}


@dataclass(frozen=True)
class Letter:
    """A template, read once at start."""

    subject: str
    html: str
    text: str


def _plain(subject: str, sentence: str, *, has_link: bool = True) -> Letter:
    link = "{{ .ConfirmationURL }}" if has_link else ""
    anchor = f'<p><a href="{link}">{subject}</a></p>' if has_link else ""
    code = "The code is {{ .Token }}."
    return Letter(subject, f"<p>{sentence}</p>{anchor}<p>{code}</p>", "\n\n".join(filter(None, (sentence, link, code))))


# What a project sends that has no template for it, as upstream has such letters.
_PLAIN: Mapping[str, Letter] = {
    CONFIRMATION: _plain("Confirm your address", "Follow this link to confirm your address."),
    RECOVERY: _plain("Reset your password", "Follow this link to choose a new password."),
    MAGIC_LINK: _plain("Your link to sign in", "Follow this link to sign in."),
    EMAIL_CHANGE: _plain("Confirm your new address", "Follow this link to confirm {{ .NewEmail }}."),
    INVITE: _plain("You have been invited", "Follow this link to accept the invitation."),
    REAUTHENTICATION: _plain("Your code", "Somebody is about to change your account.", has_link=False),
}


class Templates:
    """Every template the settings name. Raises ConfigError at start for one that is broken, not at the first mail."""

    def __init__(self, settings: Settings) -> None:
        email = settings.auth.email
        self._letters = {
            name: _read(f"auth.email.template.{name}", email.template.get(name, Template()), settings.project, plain)
            for name, plain in _PLAIN.items()
        }
        for name, notice in email.notification.items():
            if notice.enabled:
                self._letters[name] = _read(f"auth.email.notification.{name}", notice, settings.project)

    def names(self) -> list[str]:
        """Every mail the settings want."""
        return sorted(self._letters)

    def preview(self, name: str) -> mail.Message | None:
        """A mail as somebody would get it, filled with sample data; None when there is none of this name."""
        return self.render(name, SAMPLE["Email"], SAMPLE)

    def has(self, name: str) -> bool:
        """Whether the settings want this mail."""
        return name in self._letters

    def render(self, name: str, to: str, variables: Mapping[str, Any]) -> mail.Message | None:
        """A mail ready to send; None for a notice that the settings leave out."""
        letter = self._letters.get(name)
        if letter is None:
            return None
        return mail.Message(
            to=to,
            subject=mail.render_subject(letter.subject, variables),
            html=mail.render(letter.html, variables),
            # Rendered values come escaped for HTML; plain text shows them as they are.
            text=unescape(mail.render(letter.text, variables)),
            purpose=name,
        )


def _read(key: str, template: Template, project: Path, plain: Letter | None = None) -> Letter:
    """Read a template; without a file, and with one that has no plain text beside it, `plain` fills the gaps."""
    has_file = template.content_path not in (Path(), project)
    if plain is not None and not has_file:
        return replace(plain, subject=template.subject or plain.subject)
    beside = template.content_path.with_suffix(".txt")
    try:
        html = template.content_path.read_text(encoding="utf-8")
        text = plain.text if plain is not None and not beside.exists() else beside.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{key}: {error}") from error
    for part in (template.subject, html, text):
        try:
            mail.check(part, SAMPLE)
        except ValueError as error:
            raise ConfigError(f"{key}: {error}") from error
    return Letter(template.subject, html, text)


@dataclass(frozen=True)
class Post:
    """The parts that every mail of one request shares; `redirect_to` has been checked. `network` is the one that asks.

    With `silent` everything is as if the mail had been sent, but it is not: an admin hands the link over.
    """

    templates: Templates
    resources: Resources
    redirect_to: str
    silent: bool = False
    network: str | None = None

    async def confirmation(self, connection: db.Connection, user: User, *, pkce: bool) -> OneTimeToken:
        """Asks for the proof of a new address; the user's row tells when."""
        return await self._confirm(connection, CONFIRMATION, user, pkce=pkce)

    async def invite(self, connection: db.Connection, user: User, *, pkce: bool = False) -> OneTimeToken:
        """Asks somebody in, whose account waits; the user's row tells when."""
        await queries.accounts.set_invited(connection, user.id, self.resources.now())
        return await self._confirm(connection, INVITE, user, pkce=pkce)

    async def _confirm(self, connection: db.Connection, name: str, user: User, *, pkce: bool) -> OneTimeToken:
        token = self._token(user.email, pkce=pkce)
        await queries.users.set_confirmation_sent(connection, user.id, token.hash, self.resources.now())
        await one_time_tokens.store(
            connection, self.resources, user.id, one_time_tokens.CONFIRMATION, token, user.email
        )
        await self._send(connection, name, user.email, user, token)
        return token

    async def recovery(self, connection: db.Connection, user: User, *, pkce: bool) -> OneTimeToken:
        """Offers a way back in to whoever forgot the password."""
        return await self._let_in(connection, RECOVERY, user, pkce=pkce)

    async def magic_link(self, connection: db.Connection, user: User, *, pkce: bool) -> OneTimeToken:
        """Offers a way in without password; to the server it is a recovery with another letter."""
        return await self._let_in(connection, MAGIC_LINK, user, pkce=pkce)

    async def _let_in(self, connection: db.Connection, name: str, user: User, *, pkce: bool) -> OneTimeToken:
        token = self._token(user.email, pkce=pkce)
        await queries.users.set_recovery_sent(connection, user.id, token.hash, self.resources.now())
        await one_time_tokens.store(connection, self.resources, user.id, one_time_tokens.RECOVERY, token, user.email)
        await self._send(connection, name, user.email, user, token)
        return token

    async def email_change_half(
        self, connection: db.Connection, user: User, new_email: str, kind: str, *, pkce: bool
    ) -> OneTimeToken:
        """A token for one of the two addresses of a change, for an admin to hand over; `kind` says which."""
        address = new_email if kind == one_time_tokens.EMAIL_CHANGE_NEW else user.email
        token = self._token(address, pkce=pkce)
        await queries.accounts.begin_email_change(connection, user.id, new_email, self.resources.now())
        await one_time_tokens.store(connection, self.resources, user.id, kind, token, address)
        return token

    def confirmation_url(self, token: OneTimeToken, kind: str) -> str:
        """Upstream's link, which works by itself: GET /verify."""
        query = {"token": token.hash, "type": kind, "redirect_to": self.redirect_to}
        return f"{self.resources.settings.auth.external_url}/verify?{urlencode(query)}"

    async def email_change(
        self, connection: db.Connection, user: User, new_email: str, *, pkce: bool, is_taken: bool = False
    ) -> None:
        """Ask the new address and, where the settings say so, the old one too.

        The owner of an address that is taken is told so instead, and its token is sent to nobody.
        """
        resources = self.resources
        both = resources.settings.auth.email.double_confirm_changes and user.email != ""
        to_new = self._token(new_email, pkce=pkce)
        to_current = self._token(user.email, pkce=pkce) if both else None
        await queries.users.set_email_change_sent(
            connection, user.id, new_email, to_new.hash, to_current.hash if to_current else "", resources.now()
        )
        kind_new, kind_current = one_time_tokens.EMAIL_CHANGE_NEW, one_time_tokens.EMAIL_CHANGE_CURRENT
        await one_time_tokens.store(connection, resources, user.id, kind_new, to_new, new_email)
        if to_current:
            await one_time_tokens.store(connection, resources, user.id, kind_current, to_current, user.email)
        if is_taken:
            owner = await queries.users.find_owner(connection, new_email)
            if owner is not None:
                await self.account_exists(connection, owner, new_email)
            if to_current and not hooks.enabled(resources, hooks.SEND_EMAIL):
                await self._send(connection, EMAIL_CHANGE, user.email, user, to_current, NewEmail=new_email)
            return
        if hooks.enabled(resources, hooks.SEND_EMAIL):
            changing = replace(user, email_change=new_email)
            await self._hand_over(connection, EMAIL_CHANGE, changing, to_new, to_current, {})
            return
        await self._send(connection, EMAIL_CHANGE, new_email, user, to_new, NewEmail=new_email)
        if to_current:
            await self._send(connection, EMAIL_CHANGE, user.email, user, to_current, NewEmail=new_email)

    async def account_exists(self, connection: db.Connection, owner: User, address: str) -> None:
        """Tell the owner of an address that somebody wants to use it for an account or for a change of address."""
        if self.templates.has(ACCOUNT_EXISTS):
            # A refusal here would show that there is an account: once the budget is used up the notice is not sent.
            if await self._is_from_elsewhere(connection, address) and not await limits.is_left(
                connection, self.resources, limits.MAILS_TO_ACCOUNTS, ""
            ):
                return
            await self._count(connection, CONFIRMATION, address)
            await self.notice(connection, ACCOUNT_EXISTS, address, owner, Email=address)

    async def reauthentication(self, connection: db.Connection, user: User) -> None:
        """Sends the code that proves who is at the keyboard."""
        token = self._token(user.email, pkce=False)
        kind = one_time_tokens.REAUTHENTICATION
        await queries.users.set_reauthentication_sent(connection, user.id, token.hash, self.resources.now())
        await one_time_tokens.store(connection, self.resources, user.id, kind, token, user.email)
        await self._send(connection, REAUTHENTICATION, user.email, user, token)

    async def notice(self, connection: db.Connection, name: str, to: str, user: User, **more: str) -> None:
        """Tells after the fact, with nothing to click."""
        await self._send(connection, name, to, user, None, **more)

    def _token(self, email: str, *, pkce: bool) -> OneTimeToken:
        length = self.resources.settings.auth.email.otp_length
        return one_time_tokens.make(self.resources.keys, email, length, pkce=pkce)

    async def _send(
        self, connection: db.Connection, name: str, to: str, user: User, token: OneTimeToken | None, **more: str
    ) -> None:
        if self.silent:
            return
        if hooks.enabled(self.resources, hooks.SEND_EMAIL):
            await self._hand_over(connection, name, user, token, None, more)
            return
        settings = self.resources.settings.auth
        variables: dict[str, Any] = {
            "SiteURL": settings.site_url,
            "RedirectTo": self.redirect_to,
            "Email": user.email,
            "Data": user.user_metadata,
            **more,
        }
        if "Provider" in more:
            variables["Provider"] = known.title(more["Provider"])
        if token:
            variables |= {
                "Token": token.code,
                "TokenHash": token.hash,
                "ConfirmationURL": self.confirmation_url(token, _LINK_TYPES.get(name, "")),
            }
            # Notices are not held back: they warn.
            await self._count(connection, name, user.email)
        message = self.templates.render(name, to, variables)
        if message is not None:
            await mail.enqueue(connection, message)

    async def _count(self, connection: db.Connection, name: str, address: str) -> None:
        if name == CONFIRMATION:
            await limits.take(connection, self.resources, limits.MAILS_TO_STRANGERS)
        elif name in (RECOVERY, MAGIC_LINK) and await self._is_from_elsewhere(connection, address):
            await limits.take(connection, self.resources, limits.MAILS_FROM_ELSEWHERE)
            await limits.take(connection, self.resources, limits.MAILS_TO_ACCOUNTS)
        else:
            await limits.take(connection, self.resources, limits.MAILS)

    async def _is_from_elsewhere(self, connection: db.Connection, address: str) -> bool:
        known = await limits.is_known_place(connection, self.resources, address, self.network)
        return self.network is not None and not known

    async def _hand_over(
        self,
        connection: db.Connection,
        name: str,
        user: User,
        token: OneTimeToken | None,
        to_current: OneTimeToken | None,
        more: Mapping[str, str],
    ) -> None:
        """To the hook, which sends in its own way; notices only as far as the settings want them."""
        if token:
            await self._count(connection, name, user.email)
        elif not self.templates.has(name):
            return
        action = _LINK_TYPES.get(name, name) if token else f"{name}_notification"
        await mail_hook.enqueue(connection, self.resources, action, user, self.redirect_to, token, to_current, more)
