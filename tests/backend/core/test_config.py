"""core.config: one file for the CLI and us; every fault names its line."""

from __future__ import annotations

import dataclasses
import shutil
import subprocess
from datetime import timedelta
from ipaddress import ip_network
from pathlib import Path

import pytest

from backend.core import config, jwt

ENVIRON = {"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"}


def load(tmp_path: Path, text: str, **environ: str) -> config.Settings:
    (tmp_path / "supabase").mkdir()
    (tmp_path / config.FILE).write_text(text)
    return config.load({**ENVIRON, **environ}, root=tmp_path)


def refused(tmp_path: Path, text: str, **environ: str) -> str:
    with pytest.raises(config.ConfigError) as error:
        load(tmp_path, text, **environ)
    return str(error.value)


def test_the_products_own_settings_are_what_the_spec_asks_for() -> None:
    settings = config.load(ENVIRON)
    assert settings.auth.site_url == "http://localhost:54321"
    assert settings.auth.jwt_issuer == "http://localhost:54321/auth/v1"
    assert settings.auth.minimum_password_length == 8
    assert settings.auth.password_requirements == "lower_upper_letters_digits"
    assert settings.auth.email.enable_confirmations
    assert settings.auth.email.max_frequency == timedelta(seconds=60)
    assert settings.auth.email.template["confirmation"].content_path.is_absolute()
    assert (settings.smtp.host, settings.smtp.port) == ("127.0.0.1", 54325)
    assert not settings.secure


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("\n\n[auth]\nsite_ulr = 'x'\n", "supabase/config.toml:4: auth.site_ulr is not a known setting"),
        ("[auth.email]\n\n[auth.email.smpt]\nhost='x'\n", "supabase/config.toml:3: auth.email.smpt is not a known"),
        ("colour = 1", "supabase/config.toml:1: colour is not a known setting"),
        ("[api]\nport = '54321'\n", "supabase/config.toml:2: api.port must be a whole number"),
        ("[api]\nport = true\n", "supabase/config.toml:2: api.port must be a whole number"),
        ("[api]\nschemas = 'public'\n", "supabase/config.toml:2: api.schemas must be a list of texts"),
        ("[auth]\nenable_signup = 1\n", "supabase/config.toml:2: auth.enable_signup must be true or false"),
        (
            "[auth.email]\nmax_frequency = 'soon'\n",
            "supabase/config.toml:2: auth.email.max_frequency must be a duration",
        ),
        ("[auth]\npassword_requirements='x'\n", "supabase/config.toml:2: auth.password_requirements must be one of"),
        ("auth = 3\n", "supabase/config.toml:1: auth must be a table"),
        (
            "[auth.email.template]\nconfirmation = 1\n",
            "supabase/config.toml:2: auth.email.template.confirmation must be",
        ),
        (
            "[auth.email.smtp]\nenabled = true\npass = 'env(SMTP_PASSWORD)'\n",
            "supabase/config.toml:3: auth.email.smtp.pass needs the environment variable SMTP_PASSWORD",
        ),
        (
            "[auth.sms]\nenabled = true\n[auth.sms.twilio]\nenabled = true\nauth_token = 'env(TWILIO_TOKEN)'\n",
            "supabase/config.toml:5: auth.sms.twilio.auth_token needs the environment variable TWILIO_TOKEN",
        ),
        ("[auth.sms.test_otp]\n39 = 1\n", "supabase/config.toml:2: auth.sms.test_otp.39 must be a text"),
        ("[auth\n", "supabase/config.toml: "),
        ("[api]\nexternal_url = 'socio.it'\n", "supabase/config.toml:2: api.external_url must be a whole address"),
        ("[auth]\nsite_url = 'http://[x'\n", "supabase/config.toml:2: auth.site_url must be a whole address"),
        ("[auth]\nexternal_url = 'ftp://a.it'\n", "supabase/config.toml:2: auth.external_url must be a whole address"),
    ],
)
def test_a_fault_names_the_line_and_the_key(tmp_path: Path, text: str, complaint: str) -> None:
    assert refused(tmp_path, text).startswith(complaint)


def test_secrets_come_from_the_environment_and_are_never_shown(tmp_path: Path) -> None:
    text = "[auth.email.smtp]\nenabled = true\nhost = 'mail'\npass = 'env(SMTP_PASSWORD)'\n"
    settings = load(tmp_path, text, SMTP_PASSWORD="hunter2")
    assert settings.smtp.password == "hunter2"
    assert "hunter2" not in repr(settings)
    assert ENVIRON["DATABASE_URL"] not in repr(settings)


def test_a_secret_of_a_disabled_section_may_be_missing(tmp_path: Path) -> None:
    settings = load(tmp_path, "[auth.email.smtp]\nenabled = false\npass = 'env(SMTP_PASSWORD)'\n")
    assert settings.auth.email.smtp.password == ""


def test_the_environment_overrides_the_file_as_the_cli_does(tmp_path: Path) -> None:
    settings = load(
        tmp_path,
        "[api]\nport = 1\n[auth.email]\nmax_frequency = '60s'\n[auth.email.smtp]\nenabled = false\n",
        SUPABASE_API_PORT="54399",
        SUPABASE_API_EXTERNAL_URL="https://socio.example/",
        SUPABASE_AUTH_EMAIL_MAX_FREQUENCY="1m30s",
        SUPABASE_AUTH_ENABLE_SIGNUP="false",
        SUPABASE_AUTH_ADDITIONAL_REDIRECT_URLS="https://a.example, https://b.example",
        SUPABASE_AUTH_EMAIL_SMTP_ENABLED="true",
        SUPABASE_AUTH_EMAIL_SMTP_HOST="mail.example",
        SUPABASE_STORAGE_ACCOUNT_QUOTA="5GiB",
    )
    assert settings.api.port == 54399
    assert settings.storage.account_quota == 5 * 2**30
    assert settings.auth.jwt_issuer == "https://socio.example/auth/v1"
    assert settings.secure
    assert settings.auth.email.max_frequency == timedelta(seconds=90)
    assert settings.auth.enable_signup is False
    assert settings.auth.additional_redirect_urls == ("https://a.example", "https://b.example")
    assert settings.smtp.host == "mail.example"


def test_a_wrong_override_is_refused_like_a_wrong_value(tmp_path: Path) -> None:
    assert "api.port must be a whole number" in refused(tmp_path, "[api]\nport = 1\n", SUPABASE_API_PORT="many")


@pytest.mark.parametrize(
    "name", ["SUPABASE_AUTH_SITE_ULR", "SUPABASE_API_PROT", "SUPABASE_AUTH_EXTERNAL_AZURE_ENABLED"]
)
def test_an_override_of_nothing_is_refused_by_its_name(tmp_path: Path, name: str) -> None:
    assert refused(tmp_path, "[api]\nport = 1\n", **{name: "x"}).startswith(f"{name}: is not a known setting")


def test_variables_that_the_file_asks_for_are_no_overrides_of_nothing(tmp_path: Path) -> None:
    text = "[auth.sms.twilio]\nenabled = false\nauth_token = 'env(SUPABASE_AUTH_TOKEN_OF_TWILIO)'\n"
    settings = load(tmp_path, text, SUPABASE_AUTH_TOKEN_OF_TWILIO="hush", SUPABASE_AUTH_RATE_LIMIT_MFA="3")
    assert (settings.auth.sms.twilio.auth_token, settings.auth.rate_limit.mfa) == ("hush", 3)


def test_over_https_nobody_is_sent_to_a_machine_of_their_own(tmp_path: Path) -> None:
    redirects = (
        "http://127.0.0.1:5173/**,http://localhost:[0-9]*/**,http://[::1]/**,https://app.socio.it/**,it.socio://in"
    )
    settings = load(
        tmp_path,
        "",
        SUPABASE_API_EXTERNAL_URL="https://socio.it",
        SUPABASE_AUTH_ADDITIONAL_REDIRECT_URLS=redirects,
    )
    assert settings.auth.additional_redirect_urls == ("https://app.socio.it/**", "it.socio://in")


def test_the_socket_and_its_mode_may_be_chosen(tmp_path: Path) -> None:
    chosen = {"SOCIO_POSTGREST_SOCKET": "/run/socio/rest.sock", "SOCIO_POSTGREST_SOCKET_MODE": "660"}
    settings = load(tmp_path, "", **chosen)
    assert (settings.postgrest_socket, settings.postgrest_socket_mode) == (Path("/run/socio/rest.sock"), "660")
    shutil.rmtree(tmp_path / "supabase")
    assert refused(tmp_path, "", SOCIO_POSTGREST_SOCKET_MODE="rw").startswith("SOCIO_POSTGREST_SOCKET_MODE")


def test_without_database_url_the_embedded_postgres_is_meant(tmp_path: Path) -> None:
    (tmp_path / "supabase").mkdir()
    (tmp_path / config.FILE).write_text("[db]\nport = 54377\n")
    settings = config.load({"SOCIO_HOME": str(tmp_path / "home")}, root=tmp_path)
    assert settings.database_url.endswith("@127.0.0.1:54377/postgres")
    assert (tmp_path / "home" / "keys.json").exists()


def test_trusted_proxies_are_addresses_or_networks(tmp_path: Path) -> None:
    settings = load(tmp_path, "", SOCIO_TRUSTED_PROXIES="127.0.0.1, 10.0.0.0/8,::1")
    assert settings.trusted_proxies == (ip_network("127.0.0.1"), ip_network("10.0.0.0/8"), ip_network("::1"))
    shutil.rmtree(tmp_path / "supabase")
    assert refused(tmp_path, "", SOCIO_TRUSTED_PROXIES="my-proxy").startswith("SOCIO_TRUSTED_PROXIES")


def test_a_long_path_gets_a_short_socket(tmp_path: Path) -> None:
    settings = config.load(ENVIRON)
    deep = dataclasses.replace(settings, home=tmp_path / ("deep" * 40))
    assert len(str(deep.postgrest_socket)) < 100
    assert deep.postgrest_socket != dataclasses.replace(deep, home=tmp_path / ("else" * 40)).postgrest_socket
    assert dataclasses.replace(settings, home=Path("/srv/socio")).postgrest_socket == Path("/srv/socio/postgrest.sock")


def test_the_supabase_cli_knows_every_key_of_the_file() -> None:
    cli = config.ROOT / "node_modules" / ".bin" / "supabase"
    command = [str(cli), "--workdir", str(config.ROOT), "migration", "list", "--db-url", "postgresql://x@127.0.0.1:1/x"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    output = done.stdout + done.stderr
    assert "ECONNREFUSED" in output or "refused" in output, output
    assert "Invalid config" not in output
    assert "does not recognize" not in output
    assert "deprecated and will be removed in v4, use auth" not in output


def test_a_table_of_texts_keeps_its_free_names(tmp_path: Path) -> None:
    sms = load(tmp_path, '[auth.sms.test_otp]\n393331234567 = "123456"\n').auth.sms
    assert sms.test_otp == {"393331234567": "123456"}


def test_the_secret_of_a_provider_is_wanted_when_it_is_switched_on(tmp_path: Path) -> None:
    text = "[auth.sms]\nenabled = true\n[auth.sms.twilio]\nenabled = true\nauth_token = 'env(TWILIO_TOKEN)'\n"
    sms = load(tmp_path, text, TWILIO_TOKEN="hush").auth.sms
    assert (sms.provider, sms.twilio.auth_token) == ("twilio", "hush")
    assert "hush" not in repr(sms)


def test_functions_have_their_settings_and_secrets_by_name(tmp_path: Path) -> None:
    text = (
        '[edge_runtime]\npolicy = "oneshot"\n[edge_runtime.secrets]\nA = "env(A_KEY)"\nB = "env(B_KEY)"\n'
        "[functions.webhook]\nverify_jwt = false\n[functions.old]\nenabled = false\n"
    )
    settings = load(tmp_path, text, A_KEY="s3cret", SOCIO_FUNCTIONS="functions:/elsewhere")
    assert (settings.edge_runtime.policy, settings.edge_runtime.secrets) == ("oneshot", {"A": "s3cret", "B": ""})
    assert (settings.functions["webhook"].verify_jwt, settings.functions["old"].enabled) == (False, False)
    assert settings.functions_folders == (tmp_path / "functions", Path("/elsewhere"))
    assert "s3cret" not in repr(settings)


def test_production_loads_functions_once_unless_the_file_says_otherwise(tmp_path: Path) -> None:
    settings = load(tmp_path, "")
    assert (settings.edge_runtime.policy, settings.functions_folders) == ("per_worker", (tmp_path / "functions",))


def test_the_whole_file_of_the_cli_loads_and_one_warning_names_what_has_no_effect(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cli = config.ROOT / "node_modules" / ".bin" / "supabase"
    subprocess.run([str(cli), "init", "--workdir", str(tmp_path)], check=True, capture_output=True, timeout=60)
    settings = config.load(ENVIRON, root=tmp_path)
    assert settings.auth.site_url == "http://127.0.0.1:3000"
    [warning] = [record.getMessage() for record in caplog.records if record.name == "backend.config"]
    for name in ("studio", "analytics", "db.pooler", "auth.third_party", "storage.s3_protocol"):
        assert name in warning
    assert "db.migrations" not in warning


def test_settings_of_functions_that_the_cli_knows_have_no_effect(tmp_path: Path) -> None:
    text = "[functions.old]\nimport_map = './a.json'\nentrypoint = './a.ts'\nstatic_files = ['a']\n"
    assert load(tmp_path, text).functions["old"].enabled


def test_all_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    text = (
        "[api]\nport = 'x'\n[auth]\nsite_url = 'here'\nsite_ulr = 'y'\n[auth.email.smtp]\nenabled = 'yes'\n"
        "[auth.sms.test_otp]\n39 = 1\n"
    )
    assert refused(tmp_path, text, SUPABASE_AUTH_PROT="1").splitlines() == [
        "supabase/config.toml:2: api.port must be a whole number",
        "supabase/config.toml:5: auth.site_ulr is not a known setting",
        "supabase/config.toml:7: auth.email.smtp.enabled must be true or false",
        "supabase/config.toml:9: auth.sms.test_otp.39 must be a text",
        "SUPABASE_AUTH_PROT: is not a known setting of supabase/config.toml",
        "supabase/config.toml:4: auth.site_url must be a whole address, such as https://www.socio.example: not 'here'",
    ]


def test_keys_may_be_brought_and_are_never_shown(tmp_path: Path) -> None:
    text = "[auth]\njwt_secret = 'env(OLD_SECRET)'\npublishable_key = 'sb_publishable_x'\nsecret_key = 'sb_secret_x'\n"
    settings = load(tmp_path, text, OLD_SECRET="s3cret-" * 5, SOCIO_SIGNING_ALGORITHM="HS256")
    assert settings.own_keys == jwt.Own("s3cret-" * 5, "sb_publishable_x", "sb_secret_x", (), "HS256")
    assert "s3cret" not in repr(settings)
    assert "sb_secret_x" not in repr(settings)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, "No such file"),
        ("{", "Expecting property name"),
        ("{}", "must hold a list of private keys"),
        ('[{"kty": "oct"}]', "key 1 must have kty RSA or EC"),
        ('[{"kty": "EC", "crv": "P-256", "x": "a", "y": "b"}]', "key 1 lacks kid, d"),
        (
            '[{"kty": "EC", "kid": "1", "crv": "P-256", "x": "a", "y": "b", "d": "c", "alg": "ES384"}]',
            "key 1 is for ES384: only RS256 and ES256 can be used",
        ),
        ('[{"kty": "EC", "kid": "1", "crv": "P-256", "x": "a", "y": "b", "d": "c"}]', "the key 1 is damaged"),
    ],
)
def test_signing_keys_that_cannot_be_used_say_what_is_missing(
    tmp_path: Path, content: str | None, complaint: str
) -> None:
    if content is not None:
        (tmp_path / "keys.json").write_text(content)
    text = "[auth]\nsigning_keys_path = '../keys.json'\njwt_secret = 'short'\n"
    first, second = refused(tmp_path, text).splitlines()
    assert first == "supabase/config.toml:3: auth.jwt_secret must have at least 16 characters"
    assert second.startswith("supabase/config.toml:2: auth.signing_keys_path cannot be used: ")
    assert complaint in second


def test_sessions_are_signed_with_what_we_know(tmp_path: Path) -> None:
    assert "must be one of RS256, ES256, HS256" in refused(tmp_path, "", SOCIO_SIGNING_ALGORITHM="none")
