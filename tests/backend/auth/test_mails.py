"""The templates in supabase/templates."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from backend.auth import mails
from backend.core import config
from backend.core.config import ConfigError, Settings, Template

NAMES = ("confirmation", "recovery", "magic_link", "email_change", "invite", "reauthentication")
NOTICES = (
    "password_changed",
    "email_changed",
    "phone_changed",
    "identity_linked",
    "identity_unlinked",
    "mfa_factor_enrolled",
    "mfa_factor_unenrolled",
)
VARIABLES = {
    "SiteURL": "https://socio.example",
    "ConfirmationURL": "https://socio.example/auth/v1/verify?token=x",
    "Email": "o'neil@socio.example",
    "NewEmail": "nuova@socio.example",
    "OldEmail": "vecchia@socio.example",
    "Phone": "393331234567",
    "Provider": "google",
    "Token": "123456",
    "TokenHash": "abcdef",
    "RedirectTo": "https://socio.example",
    "Data": {},
}


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return config.load({"SOCIO_HOME": str(tmp_path_factory.mktemp("home"))})


@pytest.mark.parametrize("name", [*NAMES, *NOTICES])
def test_every_mail_renders_completely_in_both_forms(settings: Settings, name: str) -> None:
    message = mails.Templates(settings).render(name, "a@b.it", VARIABLES)
    assert message is not None
    for text in (message.subject, message.html, message.text):
        assert text.strip()
        assert "{{" not in text
    assert "<" not in message.text.replace("<https", "")
    assert "&#" not in message.text
    assert 'lang="it"' in message.html
    assert not re.search(r'(src|background)="?http', message.html)


@pytest.mark.parametrize("name", [*NAMES])
def test_the_code_stands_beside_every_link(settings: Settings, name: str) -> None:
    message = mails.Templates(settings).render(name, "a@b.it", VARIABLES)
    assert message is not None
    assert "123456" in message.html
    assert "123456" in message.text
    if name != "reauthentication":
        assert "token_hash=abcdef&type=" in message.text
        assert "/auth/v1/verify" not in message.text + message.html


def test_a_project_without_templates_sends_plain_letters(settings: Settings, tmp_path: Path) -> None:
    html = tmp_path / "invite.html"
    html.write_text("<p>{{ .Token }}</p>")
    named = {"recovery": Template("Mine"), "invite": Template("Yours", html)}
    bare = replace(settings, auth=replace(settings.auth, email=replace(settings.auth.email, template=named)))
    templates = mails.Templates(bare)
    letters = [letter for name in ("confirmation", "recovery", "invite") if (letter := templates.preview(name))]
    assert [letter.subject for letter in letters] == ["Confirm your address", "Mine", "Yours"]
    assert all("/verify?token=" in letter.text for letter in letters)
    assert ["/verify?token=" in letter.html for letter in letters] == [True, True, False]
    assert letters[2].html == "<p>123456</p>"


def test_a_missing_template_stops_the_start(settings: Settings) -> None:
    email = settings.auth.email
    template = {**email.template, "recovery": Template("x", settings.root / "nowhere.html")}
    broken = replace(settings, auth=replace(settings.auth, email=replace(email, template=template)))
    with pytest.raises(ConfigError, match=r"auth\.email\.template"):
        mails.Templates(broken)


def test_a_notice_that_is_switched_off_is_not_sent(settings: Settings) -> None:
    email = settings.auth.email
    off = {name: replace(notice, enabled=False) for name, notice in email.notification.items()}
    quiet = replace(settings, auth=replace(settings.auth, email=replace(email, notification=off)))
    assert mails.Templates(quiet).render("password_changed", "a@b.it", VARIABLES) is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{{ .Tokn }}", "is not known: there are ConfirmationURL"),
        ("{{ if .Token }}x{{ end }}", "{{ if .Token }} is not understood"),
        ("{{ .Token", "{{ is not understood"),
    ],
    ids=["unknown name", "a condition", "never closed"],
)
def test_a_template_that_could_not_be_filled_stops_the_start(
    settings: Settings, tmp_path: Path, text: str, problem: str
) -> None:
    path = tmp_path / "recovery.html"
    path.write_text(text)
    path.with_suffix(".txt").write_text("{{ .Token }} {{ .Data.full_name }}")
    email = settings.auth.email
    template = {**email.template, "recovery": Template("x", path)}
    broken = replace(settings, auth=replace(settings.auth, email=replace(email, template=template)))
    with pytest.raises(ConfigError, match=re.escape(problem)):
        mails.Templates(broken)
