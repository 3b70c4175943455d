"""Where mail is received by SMTP: nowhere unless it is said, and not with half of a setting."""

from __future__ import annotations

from pathlib import Path

import pytest

from backend.core import config_inbound
from backend.core.config_file import ConfigError

DOMAIN, PORT = {"SOCIO_INBOUND_DOMAIN": "In.Example.com"}, {"SOCIO_INBOUND_PORT": "2525"}


@pytest.mark.parametrize("environ", [{}, DOMAIN, PORT])
def test_nothing_is_received_without_domain_and_port(environ: dict[str, str]) -> None:
    assert config_inbound.read(environ) is None


def test_mail_is_received_on_this_machine_unless_a_host_is_named() -> None:
    found = config_inbound.read({**DOMAIN, **PORT})
    assert found == config_inbound.Inbound("in.example.com", 2525, "127.0.0.1")
    files = {"SOCIO_INBOUND_CERT": "/c.pem", "SOCIO_INBOUND_KEY": "/k.pem"}
    public = config_inbound.read({**DOMAIN, **PORT, **files, "SOCIO_INBOUND_HOST": "0.0.0.0"})
    assert public is not None
    assert (public.host, public.cert, public.key) == ("0.0.0.0", Path("/c.pem"), Path("/k.pem"))


@pytest.mark.parametrize(
    "wrong",
    [
        {"SOCIO_INBOUND_DOMAIN": "in"},
        {"SOCIO_INBOUND_DOMAIN": "in.example.com\r\nX: y"},
        {"SOCIO_INBOUND_DOMAIN": "u+a@in.example.com"},
        {"SOCIO_INBOUND_PORT": "0"},
        {"SOCIO_INBOUND_PORT": "smtp"},
        {"SOCIO_INBOUND_PORT": "٢٥"},
        {"SOCIO_INBOUND_CERT": "/c.pem"},
    ],
)
def test_a_wrong_or_half_setting_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        config_inbound.read({**DOMAIN, **PORT, **wrong})
