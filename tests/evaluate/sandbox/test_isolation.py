"""The plain process is the control: the probe must find there what bubblewrap forbids."""

from pathlib import Path
from typing import Any

import pytest

from openswerl.errors import UserError
from openswerl.evaluate.sandbox import isolation


def test_bubblewrap_forbids_network_secrets_and_writing() -> None:
    assert isolation.probe("bubblewrap") == []


def test_the_probe_finds_the_leaks_of_a_plain_process() -> None:
    found = isolation.probe("process")
    assert found[0] == "use the network" and found[1].startswith("read /") and found[2].startswith("write to /")


def test_a_leaking_sandbox_is_not_used(monkeypatch: Any, tmp_path: Path) -> None:
    """A bwrap that isolates nothing: it drops its options and runs the command."""
    fake = '#!/bin/sh\nwhile [ "${1#*python}" = "$1" ]; do shift; done\nexec "$1" -s -P %s /tmp "${@:6}"\n'
    fake = "#!/bin/bash\n" + fake.replace("#!/bin/sh\n", "") % isolation.PROBE
    (tmp_path / "bwrap").write_text(fake)
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setitem(isolation.ENVIRONMENT, "PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(UserError, match="sandbox leaks: a program in it can use the network and read"):
        isolation.require("bubblewrap")


def test_without_bwrap_the_message_names_both_ways_out(monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match=r"install bubblewrap, or .* evaluate\.sandbox=process$") as error:
        isolation.require("bubblewrap")
    assert "\n" not in str(error.value)


def test_a_bwrap_that_may_not_start_says_why(monkeypatch: Any, tmp_path: Path) -> None:
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setitem(isolation.ENVIRONMENT, "PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(UserError, match=r"does not start here \(bwrap: No permissions .*\); allow user namespaces, or"):
        isolation.require("bubblewrap")


def test_a_bwrap_that_hangs_is_told(monkeypatch: Any, tmp_path: Path) -> None:
    (tmp_path / "bwrap").write_text("#!/bin/sh\nexec sleep 100\n")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setitem(isolation.ENVIRONMENT, "PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(isolation, "PROBE_S", 0.5)
    with pytest.raises(UserError, match=r"^bubblewrap does not answer here within 0\.5 s; repair it, or run"):
        isolation.require("bubblewrap")


def test_an_unknown_kind_is_refused_and_a_process_is_loud(capsys: Any) -> None:
    with pytest.raises(UserError, match=r"evaluate\.sandbox=docker is unknown"):
        isolation.require("docker")
    isolation.require("process")
    assert capsys.readouterr().out.startswith("evaluate: WARNING: sandbox=process")
