"""supabase-py: other applications signing people in with our accounts."""

from __future__ import annotations

from uuid import uuid4

import pytest
from supabase_auth.types import CreateOAuthClientParams, OAuthClient, PageParams, UpdateOAuthClientParams

from supabase import Client
from tests.contract.conftest import Person
from tests.contract.methods import works
from tests.contract.stack import refused

REDIRECT = "https://contabile.example/callback"
UNKNOWN = str(uuid4())


@pytest.fixture
def application(server: Client) -> OAuthClient:
    created = server.auth.admin.oauth.create_client(
        CreateOAuthClientParams(client_name="Contabile", redirect_uris=[REDIRECT])
    ).client
    assert created is not None
    return created


@works("auth.admin.oauth.create_client")
def test_create_client_shows_the_secret_once(server: Client, application: OAuthClient) -> None:
    assert application.client_secret
    found = server.auth.admin.oauth.get_client(application.client_id).client
    assert found is not None
    assert found.client_secret is None


@works("auth.admin.oauth.create_client")
def test_create_client_is_not_for_people(person: Person) -> None:
    admin = person.client.auth.admin
    admin._headers["Authorization"] = f"Bearer {person.session.access_token}"
    with refused(403, "not_admin"):
        admin.oauth.create_client(CreateOAuthClientParams(client_name="Contabile", redirect_uris=[REDIRECT]))


@works("auth.admin.oauth.list_clients")
def test_list_clients_pages(server: Client, application: OAuthClient) -> None:
    other = server.auth.admin.oauth.create_client(
        CreateOAuthClientParams(client_name="Notaio", redirect_uris=[REDIRECT])
    ).client
    assert other is not None
    first = server.auth.admin.oauth.list_clients(PageParams(page=1, per_page=1))
    assert (len(first.clients), first.next_page) == (1, 2)
    assert first.total >= 2
    listed = server.auth.admin.oauth.list_clients(PageParams(page=1, per_page=100))
    assert {application.client_id, other.client_id} <= {each.client_id for each in listed.clients}


@works("auth.admin.oauth.get_client")
def test_get_client(server: Client, application: OAuthClient) -> None:
    found = server.auth.admin.oauth.get_client(application.client_id).client
    assert found is not None
    assert found.redirect_uris == [REDIRECT]
    with refused(404, "oauth_client_not_found"):
        server.auth.admin.oauth.get_client(UNKNOWN)


@works("auth.admin.oauth.update_client")
def test_update_client(server: Client, application: OAuthClient) -> None:
    changed = server.auth.admin.oauth.update_client(
        application.client_id, UpdateOAuthClientParams(client_name="Ragioniere")
    ).client
    assert changed is not None
    assert changed.client_name == "Ragioniere"
    with refused(404, "oauth_client_not_found"):
        server.auth.admin.oauth.update_client(UNKNOWN, UpdateOAuthClientParams(client_name="Ragioniere"))


@works("auth.admin.oauth.delete_client")
def test_delete_client(server: Client, application: OAuthClient) -> None:
    server.auth.admin.oauth.delete_client(application.client_id)
    with refused(404, "oauth_client_not_found"):
        server.auth.admin.oauth.delete_client(application.client_id)


@works("auth.admin.oauth.regenerate_client_secret")
def test_regenerate_client_secret(server: Client, application: OAuthClient) -> None:
    fresh = server.auth.admin.oauth.regenerate_client_secret(application.client_id).client
    assert fresh is not None
    assert fresh.client_secret
    assert fresh.client_secret != application.client_secret
    with refused(404, "oauth_client_not_found"):
        server.auth.admin.oauth.regenerate_client_secret(UNKNOWN)
