"""Find the account that an identity of a provider belongs to (AUTH-18, AUTH-19).

An identity we know belongs to its account. A new one joins the account that has its address, when the provider has
proof of it; several such accounts are refused. Otherwise it begins an account of its own. An account whose address
nobody proved before its owner came through a provider is emptied of what was in it: whoever signed up with somebody
else's address keeps no way in.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID, uuid4

import asyncpg

from backend.auth import access, audit, errors, hooks, mail_requests, mails, one_time_tokens, queries, user_metadata
from backend.auth.access import AUDIENCE, Device
from backend.auth.audit import Action
from backend.auth.errors import AuthError, Code
from backend.auth.mails import Post
from backend.auth.models import User
from backend.auth.providers.model import Profile
from backend.core import db
from backend.core.resources import Resources


@dataclass(frozen=True)
class Arrival:
    """Somebody who came from a provider, and what is needed to let them in."""

    resources: Resources
    post: Post
    profile: Profile
    device: Device
    email_optional: bool

    @property
    def traits(self) -> dict[str, str]:
        return {"provider": self.profile.provider}

    @property
    def confirmations(self) -> bool:
        return self.resources.settings.auth.email.enable_confirmations


async def sign_in(connection: db.Connection, arrival: Arrival) -> User | AuthError:
    """The account to sign in to. A refusal is returned where what was written (a new account, its mail) must stay.

    Raises AuthError signup_disabled, user_banned, provider_email_needs_verification, email_exists, unexpected_failure.
    """
    profile, now = arrival.profile, arrival.resources.now()
    if profile.email is None and not profile.others and not arrival.email_optional:
        message = "Error getting user email from external provider"
        raise AuthError(500, Code.UNEXPECTED_FAILURE, message)
    await _take_turns(connection, profile)
    user = await _find(connection, profile)
    is_new = user is None
    if user is None:
        user = await _create(connection, arrival)
    _refuse_banned(user, arrival)
    await _put_identity(connection, arrival, user.id)
    await queries.provider_accounts.merge_facts(connection, user.id, profile.facts, user_metadata.MAX_BYTES, now)
    await queries.provider_accounts.name_providers(connection, user.id, now)
    if user.email and user.email_confirmed_at is None:
        return await _prove(connection, arrival, user)
    await audit.record(
        connection, Action.USER_SIGNED_UP if is_new else Action.LOGIN, user, arrival.device, now, arrival.traits
    )
    return await _reload(connection, user.id)


async def accept_invite(connection: db.Connection, arrival: Arrival, invite_token: str) -> User:
    """The invited account, joined by the identity. Raises AuthError invite_not_found, validation_failed."""
    profile, now = arrival.profile, arrival.resources.now()
    await _take_turns(connection, profile)
    taken = await one_time_tokens.take_by_hash(connection, arrival.resources, invite_token, "invite")
    user = await queries.users.find(connection, taken.user_id) if taken else None
    if user is None:
        raise AuthError(404, Code.INVITE_NOT_FOUND, "Invite not found")
    if user.email not in {each.address for each in (profile.email, *profile.others) if each}:
        raise errors.invalid("Invited email does not match emails from external provider")
    await _refuse_foreign(connection, profile, user)
    _refuse_banned(user, arrival)
    await _put_identity(connection, arrival, user.id)
    await _empty(connection, arrival, user)
    # The invitation was in a mail to this address: that is the proof.
    await queries.users.confirm_email(connection, user.id, now)
    await audit.record(connection, Action.INVITE_ACCEPTED, user, arrival.device, now, arrival.traits)
    return await _reload(connection, user.id)


async def link(connection: db.Connection, arrival: Arrival, user_id: UUID, session_id: UUID | None) -> User | AuthError:
    """The same account with one more way in, as its owner asked for in a session that still lives.

    A refusal is returned where what was written must stay. Raises AuthError session_not_found, user_not_found,
    user_banned, identity_already_exists, email_exists.
    """
    profile, now = arrival.profile, arrival.resources.now()
    await _take_turns(connection, profile)
    await access.hold(connection, user_id, session_id)
    user = await queries.users.find(connection, user_id)
    if user is None:
        raise AuthError(422, Code.USER_NOT_FOUND, "Linking target user not found")
    _refuse_banned(user, arrival)
    await _refuse_foreign(connection, profile, user)
    await _put_identity(connection, arrival, user.id)
    refusal = None if user.email else await _adopt_email(connection, arrival, user)
    await queries.provider_accounts.name_providers(connection, user.id, now)
    await audit.record(connection, Action.IDENTITY_LINKED, user, arrival.device, now, arrival.traits)
    if user.email:
        await arrival.post.notice(connection, mails.IDENTITY_LINKED, user.email, user, Provider=profile.provider)
    return refusal or await _reload(connection, user.id)


async def _take_turns(connection: db.Connection, profile: Profile) -> None:
    """Two tabs, or two providers with one address, at the same time make one account."""
    addresses = [each.address for each in (profile.email, *profile.others) if each]
    await queries.provider_accounts.take_turns(connection, [f"{profile.provider} {profile.subject}", *addresses])


async def _find(connection: db.Connection, profile: Profile) -> User | None:
    owner = await queries.provider_accounts.find_owner(connection, profile.provider, profile.subject)
    candidates = [owner] if owner else await queries.provider_accounts.find_candidates(connection, profile.proved)
    if len(candidates) > 1:
        # Upstream's words; its 500 would have people try again, and somebody look for a bug.
        message = "Multiple accounts with the same email address in the same linking domain detected: default"
        raise AuthError(422, Code.EMAIL_EXISTS, message)
    return await queries.users.find(connection, candidates[0]) if candidates else None


async def _create(connection: db.Connection, arrival: Arrival) -> User:
    profile, user_id = arrival.profile, uuid4()
    if not arrival.resources.settings.auth.enable_signup:
        raise AuthError(422, Code.SIGNUP_DISABLED, "Signups not allowed for this instance")
    email = profile.email.address if profile.email else ""
    # Only without proof can it be taken: with proof it would have been found. Upstream leaves an account without
    # address behind here, which then cannot be linked once the address has been proved.
    if email and await queries.users.is_email_taken(connection, email, by_other_than=user_id):
        raise _needs_verification(f"Verify the email with {profile.provider} in order to sign in", profile)
    resources, now = arrival.resources, arrival.resources.now()
    named = {"provider": profile.provider, "providers": [profile.provider]}
    draft = User(user_id, AUDIENCE, "authenticated", email, "", named, profile.facts, now, now)
    await hooks.before_user_created(connection, resources, draft, arrival.device.ip)
    try:
        await queries.accounts.insert(
            connection,
            user_id=user_id,
            audience=AUDIENCE,
            role=draft.role,
            email=email,
            phone="",
            encrypted_password="",
            app_metadata={},
            user_metadata=profile.facts,
            is_anonymous=False,
            now=now,
        )
    except asyncpg.PostgresError as error:
        raise errors.database("Database error saving new user", error) from None
    user = await _reload(connection, user_id)
    await hooks.after_user_created(connection, resources, user, arrival.device.ip)
    return user


async def _put_identity(connection: db.Connection, arrival: Arrival, user_id: UUID) -> None:
    profile = arrival.profile
    await queries.provider_accounts.put_identity(
        connection,
        user_id=user_id,
        provider=profile.provider,
        subject=profile.subject,
        facts=profile.facts,
        now=arrival.resources.now(),
    )


async def _prove(connection: db.Connection, arrival: Arrival, user: User) -> User | AuthError:
    """An account whose address nobody has proved: by the provider's word it is this person's, or by a mail."""
    profile, now = arrival.profile, arrival.resources.now()
    if user.email in profile.proved or not arrival.confirmations:
        await _empty(connection, arrival, user)
        await queries.users.confirm_email(connection, user.id, now)
        await audit.record(connection, Action.USER_SIGNED_UP, user, arrival.device, now, arrival.traits)
        return await _reload(connection, user.id)
    await _ask_for_proof(connection, arrival, user)
    message = f"A confirmation email has been sent to your {profile.provider} email"
    return _needs_verification(message, profile)


async def _ask_for_proof(connection: db.Connection, arrival: Arrival, user: User) -> None:
    """A mail, unless one has just been sent."""
    purpose = mail_requests.CONFIRMATION
    if await mail_requests.note(connection, arrival.resources, arrival.device, user.email, purpose) is None:
        await arrival.post.confirmation(connection, user, pkce=False)
        now = arrival.resources.now()
        await audit.record(connection, Action.USER_CONFIRMATION_REQUESTED, user, arrival.device, now, arrival.traits)


def _needs_verification(advice: str, profile: Profile) -> AuthError:
    message = f"Unverified email with {profile.provider}. {advice}"
    return AuthError(422, Code.PROVIDER_EMAIL_NEEDS_VERIFICATION, message)


async def _empty(connection: db.Connection, arrival: Arrival, user: User) -> None:
    """The rule against accounts made ahead of their owner."""
    if user.email_confirmed_at is not None:
        return
    profile, now = arrival.profile, arrival.resources.now()
    await queries.provider_accounts.forget_unproved(
        connection, user.id, profile.provider, profile.subject, profile.facts, now
    )
    await queries.users.clear_pending_tokens(connection, user.id)
    await queries.provider_accounts.name_providers(connection, user.id, now)


async def _refuse_foreign(connection: db.Connection, profile: Profile, user: User) -> None:
    owner = await queries.provider_accounts.find_owner(connection, profile.provider, profile.subject)
    if owner is not None:
        whose = "Identity is already linked" if owner == user.id else "Identity is already linked to another user"
        raise AuthError(422, Code.IDENTITY_ALREADY_EXISTS, whose)


def _refuse_banned(user: User, arrival: Arrival) -> None:
    if user.is_banned(arrival.resources.now()):
        raise AuthError(403, Code.USER_BANNED, "User is banned")


async def _adopt_email(connection: db.Connection, arrival: Arrival, user: User) -> AuthError | None:
    """An account without address (a guest's, or one by phone) gets the identity's."""
    email, now = arrival.profile.email, arrival.resources.now()
    if email and await queries.users.is_email_taken(connection, email.address, by_other_than=user.id):
        raise AuthError(422, Code.EMAIL_EXISTS, "A user with this email address has already been registered")
    if email is None or email.verified or not arrival.confirmations:
        if email:
            await queries.provider_accounts.set_email(connection, user.id, email.address, now)
        await queries.provider_accounts.end_anonymity(connection, user.id)
        return None
    # Upstream makes it the account's at once, and whoever really has the address meets an account with somebody in it.
    purpose = mail_requests.EMAIL_CHANGE
    device = arrival.device
    if await mail_requests.note(connection, arrival.resources, device, str(user.id), purpose, signed_in=True) is None:
        await arrival.post.email_change(connection, user, email.address, pkce=False)
    provider = arrival.profile.provider
    message = f"Unverified email with {provider}. A confirmation email has been sent to your {provider} email"
    return AuthError(422, Code.EMAIL_NOT_CONFIRMED, message)


async def _reload(connection: db.Connection, user_id: UUID) -> User:
    user = await queries.users.find(connection, user_id)
    if user is None:
        raise AuthError(500, Code.UNEXPECTED_FAILURE, "Database error saving new user", cause="the row is gone")
    return user
