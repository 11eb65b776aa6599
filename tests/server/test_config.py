"""Settings from the environment."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from server import migrate, sealing
from server.config import RATES, Settings, unknown_names


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


def test_of_the_limits_only_those_named_are_others(tmp_path: Path) -> None:
    def rates(text: str) -> dict[str, int]:
        return dict(Settings.from_env({"GALAPOST_HOME": str(tmp_path), "GALAPOST_RATE_LIMITS": text}).rates)

    assert rates("") == RATES and rates("off") == {}
    assert rates("writing=5, signing-in=7") == {**RATES, "writing": 5, "signing-in": 7}


WRONG = {
    "GALAPOST_PORT": ["x", "0", "70000", "-1", "8000.5", "８０００"],
    "GALAPOST_URL": ["nonsense", "ftp://host", "http://", "http://host:70000", "https://host/?a=b", "https://u:hush@host"],
    "GALAPOST_DATABASE": ["mysql://x:hush@h/db", "hush", "sqlite://", "sqlite:///:memory:", "postgresql+psycopg2://h/d"],
    "GALAPOST_BROKER": ["http://x:hush@h", "hush", "redis://", "redis://h:70000/0", "amqp://h"],
    "GALAPOST_SMTP": ["foo", "http://x:hush@h", "smtp://", "smtp://h:mail"],
    "GALAPOST_MAIL_FROM": ["Galapost", "@example.org", "galapost@", "пост@example.org", "post@ü..example"],
    "GALAPOST_MAIL_DOMAIN": ["ex ample.org", "-", "a@b", "x" * 64 + ".org", "example.org\nBcc"],
    "GALAPOST_WEBHOOKS_TO_LOOPBACK": ["yes", "true", "2"],
    "GALAPOST_RATE_LIMITS": ["on", "reading", "reading=", "reading=0", "reading=1.5", "reading=9999999", "eating=5", "off,reading=5"],
    "GALAPOST_TRUSTED_PROXIES": ["nonsense", "10.0.0.1/8", "10.0.0.0/33", "*", "10.0.0.0-10.0.0.9", "http://10.0.0.1"],
}  # fmt: skip
EACH_WRONG = [(name, value) for name, values in WRONG.items() for value in values]


@pytest.mark.parametrize(("name", "value"), EACH_WRONG)
def test_a_setting_that_cannot_work_is_refused_by_its_name(name: str, value: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"^{name}: expected .*; came ") as refused:
        Settings.from_env({"GALAPOST_HOME": str(tmp_path), name: value})
    assert "hush" not in str(refused.value)
    assert not list(tmp_path.iterdir()), "nothing was made"


def test_a_secret_key_that_seals_nothing_is_refused_and_not_shown(tmp_path: Path) -> None:
    home = {"GALAPOST_HOME": str(tmp_path)}
    Settings.from_env(home).check_secret_key()
    with pytest.raises(ValueError, match=r"^GALAPOST_SECRET_KEY: expected a Fernet key") as refused:
        Settings.from_env({**home, "GALAPOST_SECRET_KEY": "hush-hush"}).check_secret_key()
    assert "hush" not in str(refused.value)


@pytest.mark.parametrize("value", ["", "  "])
def test_what_is_empty_counts_as_absent(value: str, tmp_path: Path) -> None:
    home = {"GALAPOST_HOME": str(tmp_path)}
    assert Settings.from_env({**dict.fromkeys(WRONG, value), **home}) == Settings.from_env(home)


def test_a_name_that_nothing_reads_is_known_as_such() -> None:
    assert unknown_names({"GALAPOST_SMPT": "x", "GALAPOST_PORT": "1", "GALAPOST_BIND": "x", "HOME": "x"}) == [
        "GALAPOST_SMPT"
    ]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("GALAPOST_DATABASE", "postgresql://u:hush@127.0.0.1:1/nowhere", "the database of GALAPOST_DATABASE cannot be used"),
        ("GALAPOST_DATABASE", "mysql://x", "a setting is wrong: GALAPOST_DATABASE"),
        ("GALAPOST_SECRET_KEY", "hush", "a setting is wrong: GALAPOST_SECRET_KEY"),
        ("GALAPOST_HOME", "/dev/null/home", "a setting is wrong: "),
    ],
)  # fmt: skip
def test_migrating_where_it_cannot_be_says_one_line(
    name: str,
    value: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("GALAPOST_HOME", str(tmp_path))
    monkeypatch.setenv(name, value)
    assert migrate.main() == 1
    told = capsys.readouterr()
    assert told.err.startswith(said) and told.err.count("\n") == 1 and "hush" not in told.err + told.out


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
