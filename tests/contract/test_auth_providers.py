"""supabase-py: signing in with an account elsewhere, at a real OpenID provider beside the stack."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qs

import httpx
import pytest
from supabase_auth.errors import AuthSessionMissingError
from supabase_auth.types import UserIdentity

from supabase import Client
from tests.contract import stack
from tests.contract.conftest import Person
from tests.contract.methods import disabled, works
from tests.contract.openid import OpenId
from tests.contract.stack import refused


def _identities(person: Person) -> dict[str, UserIdentity]:
    return {identity.provider: identity for identity in person.client.auth.get_user_identities().identities}


def _connect(openid: OpenId, person: Person, account: str) -> None:
    """Through the provider's pages, as the settings screen does it."""
    answer = person.client.auth.link_identity(
        {"provider": "keycloak", "options": {"query_params": {"login_hint": openid.account(account)}}}
    )
    openid.travel(answer.url)


@works("auth.sign_in_with_oauth")
def test_sign_in_with_oauth_ends_in_a_code_for_the_client_that_asked(pkce_client: Client, openid: OpenId) -> None:
    home = f"{stack.run()['url']}/home"
    answer = pkce_client.auth.sign_in_with_oauth(
        {
            "provider": "keycloak",
            "options": {"redirect_to": home, "query_params": {"login_hint": openid.account("giulia")}},
        }
    )
    arrived = openid.travel(answer.url)
    assert arrived.path == "/home"
    exchanged = pkce_client.auth.exchange_code_for_session({"auth_code": arrived.params["code"]})
    assert exchanged.user is not None
    assert exchanged.user.app_metadata["provider"] == "keycloak"
    assert exchanged.user.user_metadata["full_name"] == "Giulia"


@works("auth.sign_in_with_oauth")
def test_sign_in_with_oauth_tells_the_page_who_said_no(client: Client, openid: OpenId) -> None:
    answer = client.auth.sign_in_with_oauth(
        {"provider": "keycloak", "options": {"query_params": {"login_hint": "nobody"}}}
    )
    assert parse_qs(openid.travel(answer.url).fragment)["error"] == ["access_denied"]


@works("auth.sign_in_with_oauth")
def test_sign_in_with_oauth_at_a_provider_that_is_off(client: Client) -> None:
    answer = client.auth.sign_in_with_oauth({"provider": "twitter"})
    assert httpx.get(answer.url).status_code == 400


@works("auth.sign_in_with_id_token")
def test_sign_in_with_id_token_takes_what_an_app_got_from_the_provider(client: Client, openid: OpenId) -> None:
    email = stack.new_address()
    token = openid.id_token(sub=email, email=email, email_verified=True)
    answer = client.auth.sign_in_with_id_token({"provider": "keycloak", "token": token})  # type: ignore[typeddict-item]
    assert answer.session is not None
    assert answer.session.user.email == email


@works("auth.sign_in_with_id_token")
def test_sign_in_with_id_token_for_another_application(client: Client, openid: OpenId) -> None:
    token = openid.id_token(sub="x", aud="altro")
    with refused(400, "validation_failed"):
        client.auth.sign_in_with_id_token({"provider": "keycloak", "token": token})  # type: ignore[typeddict-item]


@works("auth.link_identity")
def test_link_identity_connects_an_account_to_one_person_only(openid: OpenId, new_person: Callable[[], Person]) -> None:
    first, second = new_person(), new_person()
    _connect(openid, first, "marco")
    assert set(_identities(first)) == {"email", "keycloak"}
    _connect(openid, second, "marco")
    assert set(_identities(second)) == {"email"}


@works("auth.link_identity")
def test_link_identity_of_a_stranger(client: Client) -> None:
    with pytest.raises(AuthSessionMissingError):
        client.auth.link_identity({"provider": "keycloak"})


@works("auth.get_user_identities")
def test_get_user_identities_lists_the_ways_in(person: Person) -> None:
    identity = _identities(person)["email"]
    assert identity.identity_data["email"] == person.email


@works("auth.get_user_identities")
def test_get_user_identities_of_a_stranger(client: Client) -> None:
    with pytest.raises(AuthSessionMissingError):
        client.auth.get_user_identities()


@works("auth.unlink_identity")
def test_unlink_identity_but_never_the_last_one(openid: OpenId, person: Person) -> None:
    _connect(openid, person, "lucia")
    person.client.auth.unlink_identity(_identities(person)["keycloak"])
    with refused(422, "single_identity_not_deletable"):
        person.client.auth.unlink_identity(_identities(person)["email"])


@disabled("auth.sign_in_with_sso")
def test_sign_in_with_sso_answers_that_saml_is_off(client: Client) -> None:
    with refused(404, "saml_provider_disabled"):
        client.auth.sign_in_with_sso({"domain": "socio.example"})
