"""The set-up: what it does once, what it does again, and that it takes the machine's own registry settings."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from scripts import machine, reset, setup
from scripts.paths import ROOT
from scripts.run import exclusive


@pytest.fixture(autouse=True)
def stamps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "STAMPS", tmp_path / "stamps")


def test_a_step_is_done_once_and_again_when_its_input_changes() -> None:
    done: list[str] = []
    for made_from in ("lock 1", "lock 1", "lock 2"):
        setup.step("python", made_from, True, "Installing", lambda made_from=made_from: done.append(made_from))  # type: ignore[misc]
    assert done == ["lock 1", "lock 2"]


def test_a_step_whose_result_is_gone_is_done_again() -> None:
    done: list[int] = []
    for sound in (True, False):
        setup.step("web", "same", sound, "Building", lambda: done.append(1))
    assert len(done) == 2


def test_an_interrupted_step_is_done_again() -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    done: list[int] = []
    setup.step("node", "same", True, "Installing", lambda: done.append(1))
    with pytest.raises(KeyboardInterrupt):
        setup.step("node", "other", True, "Installing", interrupted)
    setup.step("node", "same", True, "Installing", lambda: done.append(1))
    assert len(done) == 2


def test_the_lock_gives_uv_with_its_hashes_and_nothing_else() -> None:
    first, *hashes = setup.locked_block("uv").splitlines()
    assert first.startswith("uv==")
    assert hashes
    assert all("--hash=sha256:" in line for line in hashes)


def test_tests_of_the_client_do_not_rebuild_it() -> None:
    paths = {str(path.relative_to(ROOT / "web")) for path in setup.web_sources()}
    assert "index.html" in paths
    assert not [path for path in paths if path.startswith(("node_modules", "dist", "e2e"))]


def test_an_old_python_is_told_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 18))
    assert setup.main([]) == 1
    assert "needs Python 3.11 or newer, this is 3.9.18" in capsys.readouterr().err


def test_the_set_up_needs_the_standard_library_only() -> None:
    code = "import scripts.setup, sys; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    done = subprocess.run([sys.executable, "-S", "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) - {"scripts"} <= sys.stdlib_module_names | {"__main__", "sitecustomize"}


def test_uv_gets_what_the_machine_told_pip(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://mirror.example/simple")
    monkeypatch.setenv("PIP_FIND_LINKS", "/srv/wheels /srv/more")
    monkeypatch.setenv("UV_DEFAULT_INDEX", "https://own.example/simple")
    settings = machine.uv_settings(Path(sys.executable))
    assert settings["UV_FIND_LINKS"] == "/srv/wheels /srv/more"
    assert "UV_DEFAULT_INDEX" not in settings
    monkeypatch.delenv("UV_DEFAULT_INDEX")
    assert machine.uv_settings(Path(sys.executable))["UV_DEFAULT_INDEX"] == "https://mirror.example/simple"


@pytest.mark.parametrize("home", [None, "/nonexistent"])
def test_without_a_home_the_caches_stay_in_the_checkout(
    monkeypatch: pytest.MonkeyPatch, home: str | None, tmp_path: Path
) -> None:
    monkeypatch.setattr(machine, "ROOT", tmp_path)
    if home is None:
        monkeypatch.delenv("HOME", raising=False)
    else:
        monkeypatch.setenv("HOME", home)
    assert machine.environment()["HOME"] == str(tmp_path / ".socio" / "cache")


def test_what_may_not_be_installed_is_named_and_passed_over(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(machine, "_root_prefix", lambda: None)
    machine.offer(machine.Need(("some-package",), lambda: False, "Something"))
    assert "Something will be missing: install some-package." in capsys.readouterr().out


def test_reset_wipes_data_but_not_under_a_running_product(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOCIO_HOME", str(tmp_path))
    (tmp_path / "postgres").mkdir()
    (tmp_path / "postgres" / "PG_VERSION").write_text("18")
    (tmp_path / "keys.json").write_text("{}")
    with exclusive(tmp_path):
        assert reset.main(["--yes"]) == 1
    assert (tmp_path / "postgres").exists()
    asked: dict[str, str] = {}
    monkeypatch.setattr("builtins.input", lambda question: asked.setdefault(question, "no"))
    assert reset.main([]) == 1
    assert "the uploaded files" in next(iter(asked))
    monkeypatch.setenv("DATABASE_URL", "postgresql://elsewhere/socio")
    assert reset.main(["--yes"]) == 1
    assert (tmp_path / "keys.json").exists(), "the keys of a database that would stay"
    monkeypatch.delenv("DATABASE_URL")
    assert reset.main(["--yes"]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["lock"]
