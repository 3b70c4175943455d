"""supabase-py: second factors."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from supabase_auth.errors import AuthSessionMissingError

from supabase import Client
from tests.backend.auth.authenticators import totp
from tests.contract import stack
from tests.contract.conftest import PASSWORD, Person
from tests.contract.methods import works
from tests.contract.stack import refused

STEP_S = 30
AMPLE_S = 5


def _codes(secret: str) -> tuple[str, str]:
    """Two codes to use one after the other: the server takes neighbours of the current step, and each step once."""
    now = time.time()
    first = datetime.fromtimestamp(now if now % STEP_S > STEP_S - AMPLE_S else now - STEP_S, UTC)
    return totp(secret, first), totp(secret, first + timedelta(seconds=STEP_S))


@dataclass(frozen=True)
class Protected:
    """Somebody with an authenticator app, in a session at aal2; `code` is the next one the app shows."""

    person: Person
    factor_id: str
    code: str


@pytest.fixture
def protected(person: Person) -> Protected:
    mfa = person.client.auth.mfa
    factor = mfa.enroll({"factor_type": "totp", "friendly_name": "Telefono"})
    assert factor.totp is not None
    first, code = _codes(factor.totp.secret)
    mfa.challenge_and_verify({"factor_id": factor.id, "code": first})
    return Protected(person, factor.id, code)


@pytest.fixture
def below(client: Client, protected: Protected) -> Client:
    """The same person in a session that has only seen the password."""
    client.auth.sign_in_with_password({"email": protected.person.email, "password": PASSWORD})
    return client


def _level(client: Client) -> str | None:
    return client.auth.mfa.get_authenticator_assurance_level().current_level


@works("auth.mfa.enroll")
def test_enroll_gives_an_app_a_secret_its_address_and_a_picture_of_it(person: Person) -> None:
    factor = person.client.auth.mfa.enroll({"factor_type": "totp", "friendly_name": "Telefono", "issuer": "Socio"})
    assert factor.totp is not None
    assert factor.totp.qr_code.startswith("data:image/svg+xml;utf-8,<svg ")
    assert factor.totp.uri.startswith("otpauth://totp/Socio:")
    with refused(422, "mfa_factor_name_conflict"):
        person.client.auth.mfa.enroll({"factor_type": "totp", "friendly_name": "Telefono"})


@works("auth.mfa.enroll")
def test_enroll_of_a_stranger(client: Client) -> None:
    with pytest.raises(AuthSessionMissingError):
        client.auth.mfa.enroll({"factor_type": "totp"})


@works("auth.mfa.challenge")
def test_challenge_sends_the_code_of_a_phone(person: Person) -> None:
    mfa, phone = person.client.auth.mfa, stack.new_number()
    factor = mfa.enroll({"factor_type": "phone", "phone": phone})
    challenge = mfa.challenge({"factor_id": factor.id, "channel": "sms"})
    assert challenge.expires_at > time.time()
    mfa.verify({"factor_id": factor.id, "challenge_id": challenge.id, "code": stack.sms_code(phone)})
    assert _level(person.client) == "aal2"


@works("auth.mfa.challenge")
def test_challenge_of_an_unknown_factor(person: Person) -> None:
    with refused(404, "mfa_factor_not_found"):
        person.client.auth.mfa.challenge({"factor_id": str(uuid4())})


@works("auth.mfa.verify")
def test_verify_raises_the_session_and_tells_the_program(below: Client, protected: Protected) -> None:
    events: list[str] = []
    below.auth.on_auth_state_change(lambda event, _: events.append(event))
    challenge = below.auth.mfa.challenge({"factor_id": protected.factor_id})
    below.auth.mfa.verify({"factor_id": protected.factor_id, "challenge_id": challenge.id, "code": protected.code})
    assert (_level(below), events) == ("aal2", ["MFA_CHALLENGE_VERIFIED"])


@works("auth.mfa.verify")
def test_verify_of_a_wrong_code(below: Client, protected: Protected) -> None:
    challenge = below.auth.mfa.challenge({"factor_id": protected.factor_id})
    with refused(422, "mfa_verification_failed"):
        below.auth.mfa.verify({"factor_id": protected.factor_id, "challenge_id": challenge.id, "code": "000000"})


@works("auth.mfa.challenge_and_verify")
def test_challenge_and_verify_takes_each_code_once(below: Client, protected: Protected) -> None:
    below.auth.mfa.challenge_and_verify({"factor_id": protected.factor_id, "code": protected.code})
    assert _level(below) == "aal2"
    with refused(422, "mfa_verification_failed"):
        below.auth.mfa.challenge_and_verify({"factor_id": protected.factor_id, "code": protected.code})


@works("auth.mfa.unenroll")
def test_unenroll_removes_a_factor(protected: Protected) -> None:
    mfa = protected.person.client.auth.mfa
    assert mfa.unenroll({"factor_id": protected.factor_id}).id == protected.factor_id
    assert mfa.list_factors().all == []


@works("auth.mfa.unenroll")
def test_unenroll_of_a_verified_factor_needs_aal2(below: Client, protected: Protected) -> None:
    with refused(422, "insufficient_aal"):
        below.auth.mfa.unenroll({"factor_id": protected.factor_id})


@works("auth.mfa.list_factors")
def test_list_factors_sorts_by_kind_what_is_verified(protected: Protected) -> None:
    mfa = protected.person.client.auth.mfa
    mfa.enroll({"factor_type": "phone", "phone": stack.new_number()})
    listed = mfa.list_factors()
    assert (len(listed.all), listed.phone, [factor.id for factor in listed.totp]) == (2, [], [protected.factor_id])


@works("auth.mfa.list_factors")
def test_list_factors_of_a_stranger(client: Client) -> None:
    assert client.auth.mfa.list_factors().all == []


@works("auth.mfa.get_authenticator_assurance_level")
def test_get_authenticator_assurance_level_says_how_sure_the_server_is(below: Client) -> None:
    level = below.auth.mfa.get_authenticator_assurance_level()
    assert (level.current_level, level.next_level) == ("aal1", "aal2")
    assert [entry.method for entry in level.current_authentication_methods] == ["password"]


@works("auth.mfa.get_authenticator_assurance_level")
def test_get_authenticator_assurance_level_of_a_stranger(client: Client) -> None:
    assert _level(client) is None


@works("auth.admin.mfa.list_factors")
def test_an_admin_lists_the_factors_of_anybody(server: Client, protected: Protected) -> None:
    listed = server.auth.admin.mfa.list_factors({"user_id": protected.person.id})
    assert [(factor.id, factor.status) for factor in listed] == [(protected.factor_id, "verified")]
    with refused(404, "user_not_found"):
        server.auth.admin.mfa.list_factors({"user_id": str(uuid4())})


@works("auth.admin.mfa.delete_factor")
def test_an_admin_helps_out_who_lost_the_app(server: Client, protected: Protected) -> None:
    mfa, user_id = server.auth.admin.mfa, protected.person.id
    assert mfa.delete_factor({"user_id": user_id, "id": protected.factor_id}).id == protected.factor_id
    assert mfa.list_factors({"user_id": user_id}) == []
    with refused(404, "mfa_factor_not_found"):
        mfa.delete_factor({"user_id": user_id, "id": protected.factor_id})
