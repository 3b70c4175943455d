"""supabase-py: what the server may do with accounts, and nobody else."""

from __future__ import annotations

from typing import Literal
from uuid import uuid4

import pytest

from supabase import Client
from tests.contract import stack
from tests.contract.conftest import PASSWORD, Person
from tests.contract.methods import works
from tests.contract.stack import refused

UNKNOWN = str(uuid4())


@pytest.fixture
def as_person(person: Person) -> Client:
    """The admin methods with somebody's own token: none of them opens."""
    person.client.auth.admin._headers["Authorization"] = f"Bearer {person.session.access_token}"
    return person.client


@works("auth.admin.create_user")
def test_create_user_makes_a_confirmed_account(client: Client, server: Client) -> None:
    email = stack.new_address()
    user = server.auth.admin.create_user(
        {"email": email, "password": PASSWORD, "email_confirm": True, "app_metadata": {"plan": "pro"}}
    ).user
    assert user.email_confirmed_at is not None
    assert user.app_metadata["plan"] == "pro"
    assert client.auth.sign_in_with_password({"email": email, "password": PASSWORD}).session
    with refused(422, "email_exists"):
        server.auth.admin.create_user({"email": email})


@works("auth.admin.create_user")
def test_create_user_is_not_for_people(as_person: Client) -> None:
    with refused(403, "not_admin"):
        as_person.auth.admin.create_user({"email": stack.new_address()})


@works("auth.admin.list_users")
def test_list_users_pages(server: Client, person: Person) -> None:
    assert len(server.auth.admin.list_users(page=1, per_page=1)) == 1
    assert person.id in {user.id for user in server.auth.admin.list_users(per_page=1000)}


@works("auth.admin.list_users")
def test_list_users_is_not_for_people(as_person: Client) -> None:
    with refused(403, "not_admin"):
        as_person.auth.admin.list_users()


@works("auth.admin.get_user_by_id")
def test_get_user_by_id(server: Client, person: Person) -> None:
    assert server.auth.admin.get_user_by_id(person.id).user.email == person.email
    with refused(404, "user_not_found"):
        server.auth.admin.get_user_by_id(UNKNOWN)


@works("auth.admin.update_user_by_id")
def test_update_user_by_id_changes_anything_and_signs_out(client: Client, server: Client, person: Person) -> None:
    email, session = stack.new_address(), person.session
    user = server.auth.admin.update_user_by_id(
        person.id, {"email": email, "password": "Nuova-456x", "app_metadata": {"plan": "pro"}}
    ).user
    assert (user.email, user.app_metadata["plan"]) == (email, "pro")
    assert client.auth.sign_in_with_password({"email": email, "password": "Nuova-456x"}).session
    assert not person.lives(session.access_token)


@works("auth.admin.update_user_by_id")
def test_update_user_by_id_bans(client: Client, server: Client, person: Person) -> None:
    server.auth.admin.update_user_by_id(person.id, {"ban_duration": "24h"})
    with refused(400, "user_banned"):
        client.auth.sign_in_with_password({"email": person.email, "password": PASSWORD})


@works("auth.admin.update_user_by_id")
def test_update_user_by_id_of_nobody(server: Client) -> None:
    with refused(404, "user_not_found"):
        server.auth.admin.update_user_by_id(UNKNOWN, {"user_metadata": {}})


@works("auth.admin.delete_user")
def test_delete_user(server: Client, person: Person) -> None:
    session = person.session
    server.auth.admin.delete_user(person.id)
    assert not person.lives(session.access_token)
    with refused(404, "user_not_found"):
        server.auth.admin.delete_user(person.id)


@works("auth.admin.delete_user")
def test_delete_user_keeps_the_row_if_asked_to(client: Client, server: Client, person: Person) -> None:
    server.auth.admin.delete_user(person.id, should_soft_delete=True)
    assert server.auth.admin.get_user_by_id(person.id).user.id == person.id
    with refused(400, "invalid_credentials"):
        client.auth.sign_in_with_password({"email": person.email, "password": PASSWORD})


@works("auth.admin.invite_user_by_email")
def test_invite_user_by_email_sends_an_invitation_that_signs_in(client: Client, server: Client) -> None:
    email = stack.new_address()
    invited = server.auth.admin.invite_user_by_email(email, {"data": {"full_name": "Marco"}}).user
    assert invited.invited_at is not None
    link = stack.token_hash(stack.mails_to(email)[0])
    accepted = client.auth.verify_otp({"type": "invite", "token_hash": link})
    assert accepted.user is not None
    assert accepted.user.user_metadata["full_name"] == "Marco"


@works("auth.admin.invite_user_by_email")
def test_invite_user_by_email_of_who_is_already_here(server: Client, person: Person) -> None:
    with refused(422, "email_exists"):
        server.auth.admin.invite_user_by_email(person.email)


@works("auth.admin.generate_link")
@pytest.mark.parametrize("kind", ["magiclink", "recovery"])
def test_generate_link(client: Client, server: Client, person: Person, kind: Literal["magiclink", "recovery"]) -> None:
    answer = server.auth.admin.generate_link({"type": kind, "email": person.email})  # type: ignore[misc,arg-type]
    assert answer.user.email == person.email
    assert answer.properties.verification_type == kind
    assert answer.properties.action_link.startswith(f"{stack.run()['url']}/auth/v1/verify?")
    assert len(answer.properties.email_otp) == 6
    assert client.auth.verify_otp({"type": kind, "token_hash": answer.properties.hashed_token}).session


@works("auth.admin.generate_link")
def test_generate_link_for_nobody(server: Client) -> None:
    with refused(404, "user_not_found"):
        server.auth.admin.generate_link({"type": "recovery", "email": stack.new_address()})


@works("auth.admin.sign_out")
def test_admin_sign_out_ends_the_session_of_a_token(server: Client, person: Person) -> None:
    token = person.session.access_token
    server.auth.admin.sign_out(token)
    assert not person.lives(token)
    with refused(403, "bad_jwt"):
        server.auth.admin.sign_out("nessuno")
