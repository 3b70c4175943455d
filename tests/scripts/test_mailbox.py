"""The development mailbox: mails in by SMTP, out by page and REST."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from email.message import EmailMessage
from pathlib import Path

import aiosmtplib
import httpx
import pytest

from scripts import postgres
from scripts.mailbox.app import create_app
from scripts.mailbox.store import Store
from scripts.supervisor import health
from scripts.supervisor.child import Service
from scripts.supervisor.log import Log
from scripts.supervisor.supervisor import Supervisor

pytestmark = pytest.mark.anyio


def mail(subject: str = "Conferma perché sì", text: str = "Apri https://x.example/a?b=1&c=2.", html: str = "") -> bytes:
    message = EmailMessage()
    message["From"] = "Socio <ciao@socio.example>"
    message["To"] = "Giulia Ferri <giulia@x.example>, paolo@x.example"
    message["Subject"] = subject
    message["Message-ID"] = "<1@socio.example>"
    message.set_content(text)
    if html:
        message.add_alternative(html, subtype="html")
    return message.as_bytes()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "mails")


@pytest.fixture
async def client(store: Store) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=create_app(store))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:54324") as made:
        yield made


async def test_a_mail_sent_by_smtp_is_listed_also_after_a_restart(tmp_path: Path) -> None:
    port, smtp_port = postgres.free_ports(2)
    environment = {
        "SOCIO_HOME": str(tmp_path),
        "SUPABASE_LOCAL_SMTP_PORT": str(port),
        "SUPABASE_LOCAL_SMTP_SMTP_PORT": str(smtp_port),
    }
    command = [sys.executable, "-W", "error", "-m", "scripts.fakes"]
    service = Service("fakes", command, environment, healthy=health.http(port, "/livez"))
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "ciao@socio.example", "giulia@x.example", "Benvenuta"
    message.set_content("Ciao")
    subjects: list[list[str]] = []
    for _ in range(2):
        supervisor = Supervisor(Log(sys.stdout))
        try:
            await supervisor.start(service)
            if not subjects:
                await aiosmtplib.send(message, hostname="127.0.0.1", port=smtp_port)
            async with httpx.AsyncClient() as http:
                listed = (await http.get(f"http://127.0.0.1:{port}/api/v1/messages")).json()
            subjects.append([each["Subject"] for each in listed["messages"]])
        finally:
            await supervisor.stop()
    assert subjects == [["Benvenuta"], ["Benvenuta"]]


async def test_the_list_has_mailpits_shape(store: Store, client: httpx.AsyncClient) -> None:
    store.add(mail("prima"))
    newest = store.add(mail())
    listed = (await client.get("/api/v1/messages", params={"limit": 1})).json()
    assert (listed["total"], listed["unread"], listed["count"], listed["start"]) == (2, 2, 1, 0)
    [summary] = listed["messages"]
    assert summary["ID"] == newest
    assert summary["From"] == {"Name": "Socio", "Address": "ciao@socio.example"}
    assert [person["Address"] for person in summary["To"]] == ["giulia@x.example", "paolo@x.example"]
    assert summary["Subject"] == "Conferma perché sì"
    assert summary["Snippet"].startswith("Apri https://x.example")
    assert summary["MessageID"] == "1@socio.example"
    assert summary["Read"] is False
    assert summary["Created"].endswith("Z")


async def test_reading_a_mail_marks_it_read(store: Store, client: httpx.AsyncClient) -> None:
    mail_id = store.add(mail(html="<p>Ciao</p>"))
    shown = (await client.get(f"/api/v1/message/{mail_id}")).json()
    assert shown["Text"].startswith("Apri")
    assert shown["HTML"] == "<p>Ciao</p>\n"
    assert (await client.get("/api/v1/messages")).json()["unread"] == 0
    assert (await client.get("/api/v1/message/latest/headers")).json()["Subject"] == ["Conferma perché sì"]
    assert (await client.get(f"/api/v1/message/{mail_id}/raw")).content == store.raw(mail_id)


@pytest.mark.parametrize("mail_id", ["latest", "0" * 24, "..%2f..%2fkeys", "x"])
async def test_an_unknown_mail_is_404(client: httpx.AsyncClient, mail_id: str) -> None:
    assert (await client.get(f"/api/v1/message/{mail_id}")).status_code == 404


async def test_mails_are_deleted_by_id_or_all(store: Store, client: httpx.AsyncClient) -> None:
    first, second, third = (store.add(mail(str(number))) for number in range(3))
    await client.request("DELETE", "/api/v1/messages", json={"IDs": [second, "../../etc"]})
    assert store.ids() == [third, first]
    assert (await client.request("DELETE", "/api/v1/messages", json={"IDs": "all"})).status_code == 400
    await client.delete("/api/v1/messages")
    assert store.ids() == []


async def test_a_mail_that_is_hardly_one_is_shown_all_the_same(store: Store, client: httpx.AsyncClient) -> None:
    store.add(b"Subject: =?bad?=\r\nFrom: broken <<<\r\nTo:\r\nContent-Type: text/html; charset=nowhere\r\n\r\n\xff")
    store.add(b"")
    assert (await client.get("/api/v1/messages")).json()["count"] == 2
    for mail_id in store.ids():
        assert (await client.get(f"/api/v1/message/{mail_id}")).status_code == 200
        assert (await client.get(f"/messages/{mail_id}")).status_code == 200


async def test_the_page_escapes_and_links(store: Store, client: httpx.AsyncClient) -> None:
    mail_id = store.add(mail(subject="<script>alert(1)</script>"))
    for path in ("/", f"/messages/{mail_id}"):
        page = await client.get(path)
        assert "<script" not in page.text
        assert "script" not in page.headers["content-security-policy"]
    shown = (await client.get(f"/messages/{mail_id}")).text
    assert '<a href="https://x.example/a?b=1&amp;c=2" target="_blank">' in shown


async def test_foreign_html_runs_in_a_sandbox(store: Store, client: httpx.AsyncClient) -> None:
    mail_id = store.add(mail(html="<script>alert(1)</script>"))
    frame = await client.get(f"/messages/{mail_id}/html")
    policy = frame.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy
    assert "allow-scripts" not in policy


async def test_another_hosts_name_is_refused(client: httpx.AsyncClient) -> None:
    assert (await client.get("/api/v1/messages", headers={"host": "evil.example"})).status_code == 400


async def test_another_sites_form_deletes_nothing(store: Store, client: httpx.AsyncClient) -> None:
    store.add(mail())
    assert (await client.post("/delete", headers={"origin": "https://evil.example"})).status_code == 403
    assert len(store.ids()) == 1
    assert (await client.post("/delete", headers={"origin": "http://127.0.0.1:54324"})).status_code == 303
    assert store.ids() == []


def test_the_oldest_mails_make_room(tmp_path: Path) -> None:
    few = Store(tmp_path / "few", most_messages=2)
    ids = [few.add(mail(str(number))) for number in range(3)]
    assert few.ids() == [ids[2], ids[1]]
    small = Store(tmp_path / "small", most_bytes=len(mail("1")) + 1)
    ids = [small.add(mail(str(number))) for number in range(3)]
    assert small.ids() == [ids[2]]
