"""The service of a folder: started where Node.js is, shared, and explained where it is not."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import pytest

from backsolve import LocalServiceError, solve, within
from backsolve import _local as local

from .service_process import COMMAND

INPUTS = {"x": (0, 3)}
GOALS = {"y": within(2, 0.01)}


def square(x: float) -> float:
    return x * x


@pytest.fixture(autouse=True)
def _without_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BACKSOLVE_URL")
    monkeypatch.delenv("BACKSOLVE_API_KEY")
    monkeypatch.setenv("BACKSOLVE_COMMAND", str(COMMAND))


def test_starts_one_and_uses_it_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert solve(square, INPUTS, GOALS, local=True, name="first").satisfied
    assert "starting a service on this machine" in capsys.readouterr().err
    host = json.loads(Path(".backsolve/service.json").read_text())
    try:
        # Without url the local one is used as well.
        assert solve(square, INPUTS, GOALS, name="second").satisfied
        assert "starting" not in capsys.readouterr().err
        assert json.loads(Path(".backsolve/service.json").read_text()) == host
        (mine,) = Path(".backsolve/users").iterdir()
        assert json.loads(mine.read_text())["pid"] == os.getpid()
        assert local._is_held(Path(".backsolve/host.lock"))
        # It is run to its end, so that nothing is left of this test.
        mine.unlink()
    finally:
        os.kill(host["pid"], signal.SIGTERM)


def test_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BACKSOLVE_COMMAND")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(LocalServiceError, match=r"npx is missing.*install Node\.js"):
        solve(square, INPUTS, GOALS, local=True)


def test_says_why_it_does_not_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "broken.py"
    program.write_text("import sys; sys.exit('no such disk')")
    monkeypatch.setenv("BACKSOLVE_COMMAND", f"{sys.executable} {program}")
    with pytest.raises(LocalServiceError, match="no such disk"):
        solve(square, INPUTS, GOALS, local=True)


def test_gives_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A host that ends because another one is first, which never answers."""
    program = tmp_path / "second.py"
    program.write_text(f"import sys; sys.exit({local.HOSTED_ALREADY})")
    monkeypatch.setenv("BACKSOLVE_COMMAND", f"{sys.executable} {program}")
    monkeypatch.setattr(local, "START_SECONDS", 0.2)
    with pytest.raises(LocalServiceError, match="does not start"):
        solve(square, INPUTS, GOALS, local=True)


def test_the_dead_hold_nothing(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    for text in ("", "{}", '{"pid": 4194305, "start": "1"}', json.dumps({"pid": os.getpid(), "start": "another"})):
        lock.write_text(text)
        assert not local._is_held(lock)
    lock.write_text(json.dumps({"pid": os.getpid(), "start": local._start_of(os.getpid())}))
    assert local._is_held(lock)
