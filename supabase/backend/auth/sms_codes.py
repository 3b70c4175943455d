"""Make the codes that go out by SMS, store them as hashes and put them into the outbox (AUTH-11, AUTH-33).

All in the caller's transaction. A number of `[auth.sms.test_otp]` gets its fixed code and no SMS.
"""

from __future__ import annotations

from uuid import UUID, uuid4

from backend.auth import limits, one_time_tokens, phones, queries, sms
from backend.auth.models import User
from backend.auth.one_time_tokens import OneTimeToken
from backend.core import db, mail
from backend.core.resources import Resources

LENGTH = 6


async def confirmation(connection: db.Connection, resources: Resources, user: User, channel: str) -> UUID:
    """Asks for the proof of a number, or offers a way in; answers the SMS's id."""
    token = _make(resources, user.phone)
    await queries.users.set_confirmation_sent(connection, user.id, token.hash, resources.now())
    await one_time_tokens.store(connection, resources, user.id, one_time_tokens.CONFIRMATION, token, user.phone)
    return await _send(connection, resources, user, user.phone, token, "confirmation", channel)


async def phone_change(
    connection: db.Connection, resources: Resources, user: User, new_phone: str, channel: str
) -> UUID:
    """Asks for the proof of the number a user wants to have."""
    token = _make(resources, new_phone)
    await queries.accounts.set_phone_change_sent(connection, user.id, new_phone, token.hash, resources.now())
    await one_time_tokens.store(connection, resources, user.id, one_time_tokens.PHONE_CHANGE, token, new_phone)
    return await _send(connection, resources, user, new_phone, token, "phone_change", channel)


async def reauthentication(connection: db.Connection, resources: Resources, user: User) -> UUID:
    """Sends the code that proves who is at the keyboard."""
    token = _make(resources, user.phone)
    await queries.users.set_reauthentication_sent(connection, user.id, token.hash, resources.now())
    await one_time_tokens.store(connection, resources, user.id, one_time_tokens.REAUTHENTICATION, token, user.phone)
    return await _send(connection, resources, user, user.phone, token, "reauthentication", phones.SMS)


def _make(resources: Resources, phone: str) -> OneTimeToken:
    fixed = resources.settings.auth.sms.test_otp.get(phone, "")
    return one_time_tokens.make(resources.keys, phone, LENGTH, code=fixed)


async def _send(
    connection: db.Connection,
    resources: Resources,
    user: User,
    phone: str,
    token: OneTimeToken,
    purpose: str,
    channel: str,
) -> UUID:
    settings = resources.settings.auth.sms
    if phone in settings.test_otp:
        return uuid4()
    await limits.take(connection, resources, limits.TEXTS)
    text = mail.render_subject(settings.template, {"Code": token.code})
    return await sms.enqueue(connection, resources, phone, text, purpose, user=user, code=token.code, channel=channel)
