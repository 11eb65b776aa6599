"""Settings from the environment."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from server import sealing
from server.config import Settings


def test_what_is_not_said_has_a_default(tmp_path: Path) -> None:
    settings = Settings.from_env({"GALAPOST_HOME": str(tmp_path)})
    assert settings.url == "http://127.0.0.1:8000"
    assert settings.database == f"sqlite:///{tmp_path}/galapost.db"
    assert settings.smtp is None and settings.webhooks_to_loopback is False


def test_the_url_follows_the_port_unless_it_is_said(tmp_path: Path) -> None:
    assert Settings.from_env({"GALAPOST_HOME": str(tmp_path), "GALAPOST_PORT": "8123"}).url == "http://127.0.0.1:8123"
    said = {"GALAPOST_HOME": str(tmp_path), "GALAPOST_PORT": "8123", "GALAPOST_URL": "https://play.example.org/"}
    assert Settings.from_env(said).url == "https://play.example.org"


@pytest.mark.parametrize(
    "url", ["postgresql://u:p@host/db", "postgres://u:p@host/db", "postgresql+psycopg://u:p@host/db"]
)
def test_postgresql_is_spoken_to_by_psycopg_3(url: str, tmp_path: Path) -> None:
    assert (
        Settings.from_env({"GALAPOST_HOME": str(tmp_path), "GALAPOST_DATABASE": url}).database
        == "postgresql+psycopg://u:p@host/db"
    )


def test_the_secret_key_is_made_once_and_is_nobody_elses(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: Settings.from_env({"GALAPOST_HOME": str(tmp_path)}).secret_key, range(8)))
    assert len(keys) == 1
    assert stat.S_IMODE((tmp_path / "secret.key").stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["secret.key"]


def test_what_is_sealed_is_read_again_and_does_not_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GALAPOST_HOME", str(tmp_path))
    sealing._key.cache_clear()
    try:
        sealed = sealing.seal("whsec_abc")
        assert "whsec" not in sealed and sealing.unseal(sealed) == "whsec_abc"
        assert sealing.keyed_digest("code") != sealing.digest("code")
    finally:
        sealing._key.cache_clear()
