"""supabase-py: accounts with an address or a number, and a password."""

from __future__ import annotations

import pytest
from supabase_auth.errors import AuthApiError, AuthSessionMissingError, AuthWeakPasswordError

from supabase import Client
from tests.contract import stack
from tests.contract.conftest import PASSWORD, Person
from tests.contract.methods import works
from tests.contract.stack import refused


@works("auth.sign_up")
def test_sign_up_answers_a_user_without_a_session(client: Client) -> None:
    email = stack.new_address()
    answer = client.auth.sign_up({"email": email, "password": PASSWORD})
    assert answer.session is None
    assert answer.user is not None
    assert answer.user.email == email
    assert answer.user.identities is not None
    assert [identity.provider for identity in answer.user.identities] == ["email"]


@works("auth.sign_up")
def test_sign_up_takes_a_number_confirmed_by_sms(client: Client) -> None:
    phone = stack.new_number()
    assert client.auth.sign_up({"phone": phone, "password": PASSWORD}).session is None
    answer = client.auth.verify_otp({"type": "sms", "phone": phone, "token": stack.sms_code(phone)})
    assert answer.user is not None
    assert answer.user.phone == phone
    assert client.auth.sign_in_with_password({"phone": phone, "password": PASSWORD}).session


@works("auth.sign_up")
def test_sign_up_with_a_weak_password(client: Client) -> None:
    with pytest.raises(AuthWeakPasswordError) as error:
        client.auth.sign_up({"email": stack.new_address(), "password": "corta"})
    assert error.value.reasons == ["length", "characters"]
    assert error.value.status == 422


@works("auth.sign_up")
def test_sign_up_of_a_taken_address_reveals_nothing(client: Client, person: Person) -> None:
    answer = client.auth.sign_up({"email": person.email, "password": "Altra-789x"})
    assert answer.user is not None
    assert answer.user.email == person.email
    assert answer.session is None


@works("auth.sign_in_with_password")
def test_sign_in_with_password(client: Client, person: Person) -> None:
    answer = client.auth.sign_in_with_password({"email": person.email, "password": PASSWORD})
    assert answer.session is not None
    assert answer.user is not None
    assert answer.user.user_metadata["full_name"] == "Giulia Ferri"
    rows = client.table("profiles").select("full_name").eq("user_id", answer.user.id).execute()
    assert rows.data == [{"full_name": "Giulia Ferri"}]


@works("auth.sign_in_with_password")
def test_sign_in_with_a_wrong_password(client: Client, person: Person) -> None:
    with pytest.raises(AuthApiError) as error:
        client.auth.sign_in_with_password({"email": person.email, "password": "Sbagliata-1"})
    assert error.value.to_dict() == {
        "name": "AuthApiError",
        "message": "Invalid login credentials",
        "status": 400,
        "code": "invalid_credentials",
    }


@works("auth.sign_in_with_password")
def test_sign_in_before_the_confirmation(client: Client) -> None:
    email = stack.new_address()
    client.auth.sign_up({"email": email, "password": PASSWORD})
    with refused(400, "email_not_confirmed"):
        client.auth.sign_in_with_password({"email": email, "password": PASSWORD})


@works("auth.sign_in_with_password")
def test_the_demo_logins(client: Client) -> None:
    for name in ("demo_user", "demo_admin"):
        assert client.auth.sign_in_with_password(stack.run()[name]).session is not None


@works("auth.update_user")
def test_update_user(person: Person) -> None:
    answer = person.client.auth.update_user({"data": {"city": "Torino"}})
    assert answer.user.user_metadata["city"] == "Torino"
    assert answer.user.user_metadata["full_name"] == "Giulia Ferri"
    person.client.auth.update_user({"password": "Nuova-456x"})
    assert person.client.auth.sign_in_with_password({"email": person.email, "password": "Nuova-456x"}).session


@works("auth.update_user")
def test_update_user_with_the_same_password(person: Person) -> None:
    with refused(422, "same_password"):
        person.client.auth.update_user({"password": PASSWORD})


@works("auth.update_user")
def test_update_user_with_a_new_address_confirmed_from_both(person: Person) -> None:
    new, auth = stack.new_address(), person.client.auth
    assert auth.update_user({"email": new}).user.new_email == new
    half = stack.token_hash(stack.mails_to(person.email)[-1])
    auth.verify_otp({"type": "email_change", "token_hash": half})
    whole = auth.verify_otp({"type": "email_change", "token_hash": stack.token_hash(stack.mails_to(new)[0])})
    assert whole.user is not None
    assert whole.user.email == new


@works("auth.update_user")
def test_update_user_with_a_new_number_confirmed_by_sms(person: Person) -> None:
    phone, auth = stack.new_number(), person.client.auth
    auth.update_user({"phone": phone})
    answer = auth.verify_otp({"type": "phone_change", "phone": phone, "token": stack.sms_code(phone)})
    assert answer.user is not None
    assert answer.user.phone == phone


@works("auth.update_user")
def test_update_user_of_a_stranger(client: Client) -> None:
    with pytest.raises(AuthSessionMissingError):
        client.auth.update_user({"data": {}})


@works("auth.reauthenticate")
def test_reauthenticate_sends_a_code_that_counts_as_nonce(person: Person) -> None:
    person.client.auth.reauthenticate()
    nonce = stack.code(stack.mails_to(person.email)[-1])
    person.client.auth.update_user({"password": "Nuova-456x", "nonce": nonce})


@works("auth.reauthenticate")
def test_reauthenticate_of_a_stranger(client: Client) -> None:
    with pytest.raises(AuthSessionMissingError):
        client.auth.reauthenticate()


@works("auth.reset_password_for_email")
def test_reset_password_for_email_sends_a_code_that_signs_in_once(client: Client, person: Person) -> None:
    client.auth.reset_password_for_email(person.email, {"redirect_to": f"{stack.run()['url']}/reset-password"})
    mail = stack.mails_to(person.email)[-1]
    assert "/reset-password?token_hash=" in mail
    assert client.auth.verify_otp({"type": "recovery", "email": person.email, "token": stack.code(mail)}).session
    with refused(403, "otp_expired"):
        client.auth.verify_otp({"type": "recovery", "token_hash": stack.token_hash(mail)})


@works("auth.reset_password_for_email")
def test_reset_password_for_an_unknown_address(client: Client) -> None:
    client.auth.reset_password_for_email(stack.new_address())
    with refused(400, "validation_failed"):
        client.auth.reset_password_for_email("nessuno")


@works("auth.reset_password_email")
def test_reset_password_email_is_the_older_name(client: Client, person: Person) -> None:
    client.auth.reset_password_email(person.email)
    assert stack.token_hash(stack.mails_to(person.email)[-1])


@works("auth.sign_in_anonymously")
def test_sign_in_anonymously_makes_an_account_that_becomes_permanent(client: Client) -> None:
    answer = client.auth.sign_in_anonymously({"options": {"data": {"plan": "prova"}}})
    assert answer.user is not None
    assert answer.user.is_anonymous
    assert answer.user.user_metadata["plan"] == "prova"
    email = stack.new_address()
    client.auth.update_user({"email": email})
    link = stack.token_hash(stack.mails_to(email)[0])
    changed = client.auth.verify_otp({"type": "email_change", "token_hash": link})
    assert changed.user is not None
    assert (changed.user.id, changed.user.is_anonymous) == (answer.user.id, False)


@works("auth.sign_in_anonymously")
def test_an_anonymous_account_may_not_enrol_second_factors(client: Client) -> None:
    client.auth.sign_in_anonymously()
    with refused(403, "no_authorization"):
        client.auth.mfa.enroll({"factor_type": "totp"})
