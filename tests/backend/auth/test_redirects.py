"""Where `redirect_to` may lead (ATTACK-05)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from backend.auth import redirects
from backend.core.config import Auth
from tests.backend.auth.conftest import Api

SITE = Auth(
    site_url="https://socio.example",
    additional_redirect_urls=("https://*.preview.example/**", "socio-app://login/*", "https://exact.example/back"),
)
LOCAL = Auth(site_url="http://127.0.0.1:54321", additional_redirect_urls=("http://localhost:5173/**",))


@pytest.mark.parametrize(
    "url",
    [
        "https://socio.example",
        "https://socio.example/",
        "https://socio.example/a/b?c=d#e",
        "https://SOCIO.example/a",
        "https://socio.example:443/a",
        "https://socio.example//evil.example",
        "https://socio.example/%2e%2e/%2f%2fevil.example",
        "https://one.preview.example/any/path",
        "https://exact.example/back",
        "https://exact.example/back#fragment",
        "socio-app://login/callback",
    ],
)
def test_allowed_targets(url: str) -> None:
    assert redirects.is_allowed(url, SITE)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "/relative",
        "evil",
        "//evil.example",
        "///evil.example",
        "https:evil.example",
        "https:/evil.example",
        "https:///evil.example",
        "\\\\evil.example",
        "https:\\\\evil.example",
        "https://socio.example\\@evil.example",
        "https://socio.example@evil.example",
        "https://socio.example:pw@evil.example/",
        "https://evil.example@socio.example/",
        "http://socio.example/",
        "https://socio.example:8443/",
        "https://socio.example.evil.example/",
        "https://evilsocio.example/",
        "https://socio.example.evil/",
        "https://socio。example/",
        "https://socio.example\u2024evil/",
        "https://xn--.example",
        "http://2130706433/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://127.0.0.1/",
        "http://127.0.0.1:54321/",
        "https://192.168.1.5/",
        "https://[::1]/",
        "https://[::ffff:7f00:1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[0:0:0:0:0:ffff:7f00:1]/",
        "https://[::1",
        "https://socio.example:port/",
        "https://socio.example:99999/",
        "javascript:alert(1)",
        "JavaScript:alert(1)//https://socio.example",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "file:///etc/passwd",
        "blob:https://socio.example/x",
        "https://socio.example/\r\nSet-Cookie: a=b",
        "\thttps://socio.example/",
        " https://socio.example/",
        "https://socio.example/ x",
        "https://socio.example\x00.evil.example/",
        "https://exact.example/back/more",
        "https://exact.example/back?x=1",
        "https://a.b.preview.example/",
        "https://evil.example/.preview.example/",
        "https://evil.example#.preview.example/",
        "socio-app://login/a/b",
        "socio-app://other",
    ],
)
def test_refused_targets(url: str) -> None:
    assert not redirects.is_allowed(url, SITE)


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("http://127.0.0.1:54321/", True),
        ("http://127.0.0.1:9999/", True),
        ("http://[::1]:3000/", True),
        ("http://127.9.9.9:3000/", True),
        ("http://localhost:5173/a/b", True),
        ("http://localhost:9999/", False),
        ("https://127.0.0.1:54321/", False),
        ("http://[::ffff:7f00:1]/", False),
        ("http://10.0.0.1/", False),
        ("http://2130706433/", False),
    ],
)
def test_a_loopback_target_needs_a_loopback_site(url: str, allowed: bool) -> None:
    assert redirects.is_allowed(url, LOCAL) is allowed


def test_a_wide_glob_does_not_open_scripts_or_userinfo() -> None:
    anything = replace(SITE, additional_redirect_urls=("**",))
    assert redirects.is_allowed("https://evil.example/", anything)
    for url in ("javascript:alert(1)", "data:text/html,x", "https://a@b.example/", "https://1.2.3.4/", "//evil"):
        assert not redirects.is_allowed(url, anything)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("query", "headers", "target"),
    [
        ("redirect_to=http://localhost:5173/a", {}, "http://localhost:5173/a#"),
        ("", {"redirect_to": "http://localhost:5173/b"}, "http://localhost:5173/b#"),
        ("", {"Referer": "http://localhost:5173/c"}, "http://localhost:5173/c#"),
        ("redirect_to=https://evil.example", {"Referer": "https://evil.example"}, "http://localhost:54321#"),
        ("redirect_to=javascript:alert(1)", {}, "http://localhost:54321#"),
        ("redirect_to=http://localhost:54321/%0d%0aX-Evil:%201", {}, "http://localhost:54321#"),
        ("redirect_to=http%253A%252F%252Fevil.example", {}, "http://localhost:54321#"),
    ],
)
async def test_a_refused_target_falls_back_to_the_site(
    api: Api, query: str, headers: dict[str, str], target: str
) -> None:
    answer = await api.get(f"/verify?token=x&type=signup&{query}", headers={"Host": "evil.example", **headers})
    assert answer.headers["location"].startswith(target)
    assert "x-evil" not in answer.headers


@pytest.mark.anyio
async def test_links_in_mails_never_follow_the_host_header(api: Api) -> None:
    await api.sign_up("giulia@socio.example")
    await api.post(
        "/recover",
        {"email": "giulia@socio.example"},
        headers={"Host": "evil.example", "X-Forwarded-Host": "evil.example", "Referer": "https://evil.example/"},
    )
    for message in await api.mails.all():
        assert "evil.example" not in message.html + message.text
