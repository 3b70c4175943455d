"""supabase-py: signing in with what a mail or an SMS says."""

from __future__ import annotations

from uuid import uuid4

import httpx

from supabase import Client
from tests.contract import stack
from tests.contract.conftest import PASSWORD, Person
from tests.contract.methods import works
from tests.contract.stack import refused


@works("auth.sign_in_with_otp")
def test_sign_in_with_otp_sends_a_link_to_a_new_address_too(client: Client) -> None:
    email = stack.new_address()
    assert client.auth.sign_in_with_otp({"email": email}).session is None
    token = stack.code(stack.mails_to(email)[0])
    answer = client.auth.verify_otp({"type": "email", "email": email, "token": token})
    assert answer.user is not None
    assert answer.user.email == email


@works("auth.sign_in_with_otp")
def test_sign_in_with_otp_sends_an_sms(client: Client) -> None:
    phone = stack.new_number()
    assert client.auth.sign_in_with_otp({"phone": phone}).message_id
    answer = client.auth.verify_otp({"type": "sms", "phone": phone, "token": stack.sms_code(phone)})
    assert answer.user is not None
    assert answer.user.phone == phone


@works("auth.sign_in_with_otp")
def test_sign_in_with_otp_refuses_what_is_no_address(client: Client) -> None:
    with refused(400, "validation_failed"):
        client.auth.sign_in_with_otp({"email": "nessuno"})


@works("auth.verify_otp")
def test_verify_otp_confirms_a_sign_up(client: Client) -> None:
    email = stack.new_address()
    client.auth.sign_up({"email": email, "password": PASSWORD})
    link = stack.token_hash(stack.mails_to(email)[0])
    answer = client.auth.verify_otp({"type": "signup", "token_hash": link})
    assert answer.session is not None
    assert answer.session.user.email == email


@works("auth.verify_otp")
def test_verify_otp_with_a_wrong_code(client: Client, person: Person) -> None:
    with refused(403, "otp_expired"):
        client.auth.verify_otp({"type": "email", "email": person.email, "token": "000000"})


@works("auth.resend")
def test_resend_sends_a_newer_link(client: Client) -> None:
    email = stack.new_address()
    client.auth.sign_up({"email": email, "password": PASSWORD})
    # Mails that wait at the same time may arrive in any order.
    [older] = map(stack.token_hash, stack.mails_to(email))
    client.auth.resend({"type": "signup", "email": email})
    newer = stack.token_hash(stack.mails_to(email, 2)[-1])
    with refused(403, "otp_expired"):
        client.auth.verify_otp({"type": "signup", "token_hash": older})
    assert client.auth.verify_otp({"type": "signup", "token_hash": newer}).session


@works("auth.resend")
def test_resend_sends_the_sms_of_a_sign_up_again(client: Client) -> None:
    phone = stack.new_number()
    client.auth.sign_up({"phone": phone, "password": PASSWORD})
    client.auth.resend({"type": "sms", "phone": phone})
    assert client.auth.verify_otp({"type": "sms", "phone": phone, "token": stack.sms_code(phone, 2)}).session


@works("auth.resend")
def test_resend_for_an_unknown_address(client: Client) -> None:
    client.auth.resend({"type": "signup", "email": stack.new_address()})


@works("auth.exchange_code_for_session")
def test_exchange_code_for_session_ends_a_link_for_the_client_that_asked(pkce_client: Client, person: Person) -> None:
    pkce_client.auth.reset_password_for_email(person.email)
    link = stack.token_hash(stack.mails_to(person.email)[-1])
    answer = httpx.get(f"{stack.run()['url']}/auth/v1/verify", params={"token": link, "type": "recovery"})
    code = httpx.URL(answer.headers["location"]).params["code"]
    exchanged = pkce_client.auth.exchange_code_for_session({"auth_code": code})
    assert exchanged.user is not None
    assert exchanged.user.email == person.email


@works("auth.exchange_code_for_session")
def test_exchange_code_for_session_with_an_unknown_code(pkce_client: Client) -> None:
    pkce_client.auth.reset_password_for_email(stack.new_address())
    with refused(404, "flow_state_not_found"):
        pkce_client.auth.exchange_code_for_session({"auth_code": str(uuid4())})
