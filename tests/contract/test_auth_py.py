"""supabase-py against the running stack: each method of the auth client that the product needs."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from supabase_auth.errors import AuthApiError, AuthWeakPasswordError
from supabase_auth.types import Session, SignOutOptions

from supabase import Client, ClientOptions, create_client
from tests.contract import stack

PASSWORD = "Segreto-123"
# What the client itself does wrong on leaving is not ours to fix.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")


@pytest.fixture
def client() -> Iterator[Client]:
    yield from _client("implicit")


@pytest.fixture
def pkce_client() -> Iterator[Client]:
    yield from _client("pkce")


def _client(flow: str) -> Iterator[Client]:
    run = stack.run()
    with httpx.Client() as http:
        options = ClientOptions(auto_refresh_token=False, flow_type=flow, httpx_client=http)  # type: ignore[arg-type]
        yield create_client(run["url"], run["publishable_key"], options)


@pytest.fixture
def address(client: Client) -> str:
    """A confirmed account; the client is signed in with it."""
    email = stack.new_address()
    client.auth.sign_up({"email": email, "password": PASSWORD, "options": {"data": {"full_name": "Giulia Ferri"}}})
    link = stack.token_hash(stack.mails_to(email)[0])
    assert client.auth.verify_otp({"type": "signup", "token_hash": link}).session
    return email


def _session(client: Client) -> Session:
    session = client.auth.get_session()
    assert session is not None
    return session


def test_sign_up_answers_a_user_without_a_session(client: Client) -> None:
    email = stack.new_address()
    answer = client.auth.sign_up({"email": email, "password": PASSWORD})
    assert answer.session is None
    assert answer.user is not None
    assert answer.user.email == email
    assert answer.user.identities is not None
    assert [identity.provider for identity in answer.user.identities] == ["email"]


def test_sign_up_with_a_weak_password(client: Client) -> None:
    with pytest.raises(AuthWeakPasswordError) as refused:
        client.auth.sign_up({"email": stack.new_address(), "password": "corta"})
    assert refused.value.reasons == ["length", "characters"]
    assert refused.value.status == 422


def test_sign_up_of_a_taken_address_reveals_nothing(client: Client, address: str) -> None:
    answer = client.auth.sign_up({"email": address, "password": "Altra-789x"})
    assert answer.user is not None
    assert answer.user.email == address
    assert answer.session is None


def test_sign_in_with_password(client: Client, address: str) -> None:
    answer = client.auth.sign_in_with_password({"email": address, "password": PASSWORD})
    assert answer.session is not None
    assert answer.user is not None
    assert answer.user.user_metadata["full_name"] == "Giulia Ferri"
    rows = client.table("profiles").select("full_name").eq("user_id", answer.user.id).execute()
    assert rows.data == [{"full_name": "Giulia Ferri"}]


def test_sign_in_with_a_wrong_password(client: Client, address: str) -> None:
    with pytest.raises(AuthApiError) as refused:
        client.auth.sign_in_with_password({"email": address, "password": "Sbagliata-1"})
    assert refused.value.to_dict() == {
        "name": "AuthApiError",
        "message": "Invalid login credentials",
        "status": 400,
        "code": "invalid_credentials",
    }


def test_sign_in_before_the_confirmation(client: Client) -> None:
    email = stack.new_address()
    client.auth.sign_up({"email": email, "password": PASSWORD})
    with pytest.raises(AuthApiError) as refused:
        client.auth.sign_in_with_password({"email": email, "password": PASSWORD})
    assert (refused.value.status, refused.value.code) == (400, "email_not_confirmed")


def test_get_user_and_get_claims(client: Client, address: str) -> None:
    answer = client.auth.get_user()
    assert answer is not None
    assert answer.user.email == address
    claims = client.auth.get_claims()
    assert claims is not None
    assert claims["claims"]["sub"] == answer.user.id
    assert claims["headers"]["alg"] == "RS256"


def test_get_user_with_a_forged_token(client: Client) -> None:
    with pytest.raises(AuthApiError) as refused:
        client.auth.get_user("eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.")
    assert (refused.value.status, refused.value.code) == (403, "bad_jwt")


def test_update_user(client: Client, address: str) -> None:
    answer = client.auth.update_user({"data": {"city": "Torino"}})
    assert answer.user.user_metadata["city"] == "Torino"
    assert answer.user.user_metadata["full_name"] == "Giulia Ferri"
    client.auth.update_user({"password": "Nuova-456x"})
    assert client.auth.sign_in_with_password({"email": address, "password": "Nuova-456x"}).session


def test_update_user_with_the_same_password(client: Client, address: str) -> None:
    with pytest.raises(AuthApiError) as refused:
        client.auth.update_user({"password": PASSWORD})
    assert (refused.value.status, refused.value.code) == (422, "same_password")


def test_update_user_with_a_new_address_confirmed_from_both(client: Client, address: str) -> None:
    new = stack.new_address()
    assert client.auth.update_user({"email": new}).user.new_email == new
    half = stack.token_hash(stack.mails_to(address, 2)[-1])
    client.auth.verify_otp({"type": "email_change", "token_hash": half})
    whole = client.auth.verify_otp({"type": "email_change", "token_hash": stack.token_hash(stack.mails_to(new)[0])})
    assert whole.user is not None
    assert whole.user.email == new


def test_refresh_session_and_set_session(client: Client, address: str) -> None:
    before = _session(client)
    after = client.auth.refresh_session().session
    assert after is not None
    assert after.refresh_token != before.refresh_token
    again = client.auth.refresh_session(before.refresh_token).session
    assert again is not None
    assert again.refresh_token == after.refresh_token
    restored = client.auth.set_session(after.access_token, after.refresh_token)
    assert restored.user is not None
    assert restored.user.email == address


def test_refresh_session_with_an_unknown_token(client: Client) -> None:
    with pytest.raises(AuthApiError) as refused:
        client.auth.refresh_session("abcdefghijkl")
    assert (refused.value.status, refused.value.code) == (400, "refresh_token_not_found")


@pytest.mark.parametrize(
    ("options", "own_lives", "other_lives"),
    [({"scope": "global"}, False, False), ({"scope": "local"}, False, True), ({"scope": "others"}, True, False)],
    ids=["global", "local", "others"],
)
def test_sign_out_scopes(
    client: Client, pkce_client: Client, address: str, options: SignOutOptions, own_lives: bool, other_lives: bool
) -> None:
    pkce_client.auth.sign_in_with_password({"email": address, "password": PASSWORD})
    own, other = _session(client).access_token, _session(pkce_client).access_token
    client.auth.sign_out(options)
    assert (_lives(client, own), _lives(client, other)) == (own_lives, other_lives)


def _lives(client: Client, token: str) -> bool:
    try:
        return client.auth.get_user(token) is not None
    except AuthApiError as error:
        if error.code != "session_not_found":
            raise
        return False


def test_reset_password_for_email_and_verify_otp(client: Client, address: str) -> None:
    client.auth.reset_password_for_email(address, {"redirect_to": f"{stack.run()['url']}/reset-password"})
    mail = stack.mails_to(address, 2)[-1]
    assert "/reset-password?token_hash=" in mail
    answer = client.auth.verify_otp({"type": "recovery", "email": address, "token": stack.code(mail)})
    assert answer.session is not None
    with pytest.raises(AuthApiError) as used:
        client.auth.verify_otp({"type": "recovery", "token_hash": stack.token_hash(mail)})
    assert (used.value.status, used.value.code) == (403, "otp_expired")


def test_reset_password_for_an_unknown_address(client: Client) -> None:
    client.auth.reset_password_for_email(stack.new_address())


def test_exchange_code_for_session(client: Client, pkce_client: Client, address: str) -> None:
    pkce_client.auth.reset_password_for_email(address)
    link = stack.token_hash(stack.mails_to(address, 2)[-1])
    answer = httpx.get(f"{stack.run()['url']}/auth/v1/verify", params={"token": link, "type": "recovery"})
    code = httpx.URL(answer.headers["location"]).params["code"]
    exchanged = pkce_client.auth.exchange_code_for_session({"auth_code": code})
    assert exchanged.user is not None
    assert exchanged.user.email == address


def test_resend_sends_a_newer_link(client: Client) -> None:
    email = stack.new_address()
    client.auth.sign_up({"email": email, "password": PASSWORD})
    client.auth.resend({"type": "signup", "email": email})
    older, newer = map(stack.token_hash, stack.mails_to(email, 2))
    with pytest.raises(AuthApiError) as replaced:
        client.auth.verify_otp({"type": "signup", "token_hash": older})
    assert (replaced.value.status, replaced.value.code) == (403, "otp_expired")
    assert client.auth.verify_otp({"type": "signup", "token_hash": newer}).session


def test_resend_for_an_unknown_address(client: Client) -> None:
    client.auth.resend({"type": "signup", "email": stack.new_address()})


def test_disabled_ways_in(client: Client) -> None:
    with pytest.raises(AuthApiError) as anonymous:
        client.auth.sign_in_anonymously()
    assert (anonymous.value.status, anonymous.value.code) == (422, "anonymous_provider_disabled")
    with pytest.raises(AuthApiError) as phone:
        client.auth.sign_up({"phone": "393331234567", "password": PASSWORD})
    assert (phone.value.status, phone.value.code) == (422, "phone_provider_disabled")


def test_the_demo_logins(client: Client) -> None:
    for name in ("demo_user", "demo_admin"):
        answer = client.auth.sign_in_with_password(stack.run()[name])
        assert answer.session is not None
