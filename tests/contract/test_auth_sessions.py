"""supabase-py: what a client does with the session it has."""

from __future__ import annotations

import time
from collections.abc import Callable

import httpx
import pytest
from supabase_auth import SyncGoTrueClient, SyncMemoryStorage
from supabase_auth.constants import STORAGE_KEY
from supabase_auth.errors import AuthInvalidJwtError, AuthRetryableError
from supabase_auth.types import AuthChangeEvent, Session, SignOutOptions

from supabase import Client
from tests.contract import stack
from tests.contract.conftest import PASSWORD, Person
from tests.contract.methods import works
from tests.contract.stack import refused


def _storage_with(session: Session, life_s: int = 3600) -> SyncMemoryStorage:
    """As a page left it, with a session that ends in so many seconds."""
    storage = SyncMemoryStorage()
    left = session.model_copy(update={"expires_at": round(time.time()) + life_s})
    storage.set_item(STORAGE_KEY, left.model_dump_json())
    return storage


def _events_of(client: Client) -> list[AuthChangeEvent]:
    events: list[AuthChangeEvent] = []
    client.auth.on_auth_state_change(lambda event, _: events.append(event))
    return events


@works("auth.initialize")
@works("auth.initialize_from_storage")
@pytest.mark.parametrize("name", ["initialize", "initialize_from_storage"])
def test_initialize_takes_up_the_stored_session(new_client: Callable[..., Client], person: Person, name: str) -> None:
    client = new_client(storage=_storage_with(person.session))
    events = _events_of(client)
    getattr(client.auth, name)()
    session = client.auth.get_session()
    assert session is not None
    assert (events, session.access_token) == (["SIGNED_IN"], person.session.access_token)


@works("auth.initialize")
@works("auth.initialize_from_storage")
def test_initialize_finds_nothing_in_an_empty_storage(client: Client) -> None:
    client.auth.initialize()
    client.auth.initialize_from_storage()
    assert client.auth.get_session() is None


@works("auth.initialize_from_url")
def test_initialize_from_url_takes_up_what_a_link_ended_with(client: Client, person: Person) -> None:
    client.auth.reset_password_for_email(person.email)
    link = stack.token_hash(stack.mails_to(person.email)[-1])
    answer = httpx.get(f"{stack.run()['url']}/auth/v1/verify", params={"token": link, "type": "recovery"})
    events = _events_of(client)
    client.auth.initialize_from_url(answer.headers["location"])
    session = client.auth.get_session()
    assert session is not None
    assert session.user.email == person.email
    assert events == ["SIGNED_IN", "PASSWORD_RECOVERY"]


@works("auth.get_session")
def test_get_session_refreshes_what_has_ended(new_client: Callable[..., Client], person: Person) -> None:
    client = new_client(storage=_storage_with(person.session, life_s=-1))
    fresh = client.auth.get_session()
    assert fresh is not None
    assert fresh.refresh_token != person.session.refresh_token
    assert person.lives(fresh.access_token)


@works("auth.get_session")
def test_get_session_of_a_stranger(client: Client) -> None:
    assert client.auth.get_session() is None


@works("auth.get_user")
def test_get_user_knows_the_caller(person: Person) -> None:
    answer = person.client.auth.get_user()
    assert answer is not None
    assert answer.user.email == person.email


@works("auth.get_user")
def test_get_user_with_a_forged_token(client: Client) -> None:
    with refused(403, "bad_jwt"):
        client.auth.get_user("eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.")


@works("auth.get_claims")
def test_get_claims_verifies_with_the_published_keys(person: Person) -> None:
    claims = person.client.auth.get_claims()
    assert claims is not None
    assert claims["claims"]["sub"] == person.id
    assert claims["headers"]["alg"] == "RS256"


@works("auth.get_claims")
def test_get_claims_refuses_another_signature(person: Person) -> None:
    head, payload, _ = person.session.access_token.split(".")
    with pytest.raises(AuthInvalidJwtError):
        person.client.auth.get_claims(f"{head}.{payload}.{'A' * 342}")


@works("auth.refresh_session")
def test_refresh_session_rotates_and_forgives_a_late_parent(person: Person) -> None:
    before = person.session
    after = person.client.auth.refresh_session().session
    assert after is not None
    assert after.refresh_token != before.refresh_token
    again = person.client.auth.refresh_session(before.refresh_token).session
    assert again is not None
    assert again.refresh_token == after.refresh_token


@works("auth.refresh_session")
def test_refresh_session_with_an_unknown_token(client: Client) -> None:
    with refused(400, "refresh_token_not_found"):
        client.auth.refresh_session("abcdefghijkl")


@works("auth.set_session")
def test_set_session_takes_over_a_session(client: Client, person: Person) -> None:
    answer = client.auth.set_session(person.session.access_token, person.session.refresh_token)
    assert answer.user is not None
    assert answer.user.email == person.email


@works("auth.set_session")
def test_set_session_of_one_that_was_signed_out(client: Client, person: Person) -> None:
    session = person.session
    person.client.auth.sign_out()
    with refused(403, "session_not_found"):
        client.auth.set_session(session.access_token, session.refresh_token)


@works("auth.sign_out")
@pytest.mark.parametrize(
    ("options", "own_lives", "other_lives"),
    [({"scope": "global"}, False, False), ({"scope": "local"}, False, True), ({"scope": "others"}, True, False)],
    ids=["global", "local", "others"],
)
def test_sign_out_scopes(
    client: Client, person: Person, options: SignOutOptions, own_lives: bool, other_lives: bool
) -> None:
    other = client.auth.sign_in_with_password({"email": person.email, "password": PASSWORD}).session
    assert other is not None
    own = person.session.access_token
    person.client.auth.sign_out(options)
    assert (person.lives(own), person.lives(other.access_token)) == (own_lives, other_lives)


@works("auth.on_auth_state_change")
def test_on_auth_state_change_tells_what_happens_until_it_is_unsubscribed(client: Client, person: Person) -> None:
    events: list[AuthChangeEvent] = []
    subscription = client.auth.on_auth_state_change(lambda event, _: events.append(event))
    client.auth.sign_in_with_password({"email": person.email, "password": PASSWORD})
    client.auth.update_user({"data": {"city": "Torino"}})
    client.auth.refresh_session()
    client.auth.sign_out()
    assert events == ["SIGNED_IN", "USER_UPDATED", "TOKEN_REFRESHED", "SIGNED_OUT"]
    subscription.unsubscribe()
    client.auth.sign_in_with_password({"email": person.email, "password": PASSWORD})
    assert len(events) == 4


@works("auth.close")
@works("auth.admin.close")
@pytest.mark.parametrize("name", ["auth", "admin"])
def test_close_ends_the_connections(name: str) -> None:
    auth = SyncGoTrueClient(url=f"{stack.run()['url']}/auth/v1", auto_refresh_token=False)
    (auth.admin if name == "admin" else auth).close()
    with pytest.raises(AuthRetryableError):
        auth.sign_in_anonymously()
