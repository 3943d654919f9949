"""The service of a folder: started where Node.js is, shared, and explained where it is not."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from backsolve import AsyncBacksolve, Backsolve, LocalServiceError, UnreachableError, solve, within
from backsolve import _local as local
from backsolve._local_proof import ProvenSyncTransport, ProvenTransport
from backsolve._own_files import read_own
from backsolve._windows import is_running
from backsolve.adapters import Session

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
        with Session(INPUTS, GOALS, name="third") as session:
            assert session.work(lambda inputs: [square(float(each["x"])) for each in inputs], 1, None).satisfied
        assert "starting" not in capsys.readouterr().err
        assert json.loads(Path(".backsolve/service.json").read_text()) == host
        (mine,) = Path(".backsolve/users").iterdir()
        assert mine.name.split(".")[-3] == str(os.getpid())
        assert local._is_held(Path(".backsolve"))
        # It is run to its end, so that nothing is left of this test.
        mine.unlink()
    finally:
        os.kill(host["pid"], signal.SIGTERM)


def test_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BACKSOLVE_COMMAND")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(LocalServiceError, match=r"npx is missing.*pip install 'backsolve\[local\]'"):
        solve(square, INPUTS, GOALS, local=True)


def test_an_installed_service_is_preferred_to_that_of_npm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = tmp_path / "backsolve_service"
    package.mkdir()
    (package / "__init__.py").write_text(
        "def command(): return ['no-such-program', 'main.js']\ndef environment(): raise RuntimeError('PostgreSQL is missing: run pip')"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delenv("BACKSOLVE_COMMAND")
    with pytest.raises(LocalServiceError, match="^PostgreSQL is missing: run pip$"):
        solve(square, INPUTS, GOALS, local=True)
    sys.modules.pop("backsolve_service")


class Kernel:
    """Answers as that of Windows, for three processes: 1 runs, 2 has ended, 3 belongs to another user."""

    def __init__(self) -> None:
        self.open: set[int] = set()

    def OpenProcess(self, _access: int, _inherit: bool, pid: int) -> int:  # noqa: N802
        handle = {1: 10, 2: 20}.get(pid, 0)
        self.open |= {handle} - {0}
        self.pid = pid
        return handle

    def WaitForSingleObject(self, handle: int, _milliseconds: int) -> int:  # noqa: N802
        return 0x102 if handle == 10 else 0

    def GetLastError(self) -> int:  # noqa: N802
        return 5 if self.pid == 3 else 87

    def CloseHandle(self, handle: int) -> None:  # noqa: N802
        self.open.remove(handle)


def test_windows_knows_which_processes_run() -> None:
    kernel = Kernel()
    assert [is_running(pid, kernel) for pid in (1, 2, 3, 4)] == [True, False, True, False]
    assert kernel.open == set()


def test_a_stated_command_may_have_spaces() -> None:
    assert local._split("'/opt/back solve/node' main.js", is_windows=False) == ["/opt/back solve/node", "main.js"]
    assert local._split('"C:\\Program Files\\node.exe" C:\\b\\main.js', is_windows=True) == [
        "C:\\Program Files\\node.exe",
        "C:\\b\\main.js",
    ]


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
    host = local._host()
    for name in ("lock", f"lock.{host}.4194305.1.00", f"lock.{host}.{os.getpid()}.another.00"):
        (tmp_path / name).touch()
        assert not local._is_held(tmp_path)
    (tmp_path / f"lock.{host}.{os.getpid()}.{local._start_of(os.getpid())}.00").touch()
    assert local._is_held(tmp_path)


def test_no_link_is_followed(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_text("kept")
    folder = Path(".backsolve")
    folder.symlink_to(tmp_path)
    with pytest.raises(LocalServiceError, match=r"\.backsolve is a link"):
        solve(square, INPUTS, GOALS, local=True)
    folder.unlink()
    folder.mkdir()
    for name in ("service.log", "service.json"):
        (folder / name).symlink_to(mine)
        with pytest.raises(LocalServiceError, match=f"{name} is a link"):
            solve(square, INPUTS, GOALS, local=True)
        (folder / name).unlink()
    assert mine.read_text() == "kept"


@pytest.mark.skipif(sys.platform == "win32", reason="it has no owners and no named pipes")
def test_files_of_others_and_pipes_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "service.json"
    os.mkfifo(file)
    with pytest.raises(LocalServiceError, match="is not a regular file"):
        read_own(file)
    file.unlink()
    file.write_text("{}")
    assert read_own(file) == "{}"
    me = os.geteuid()
    if me == 0:
        os.chown(file, 4242, 4242)
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    with pytest.raises(LocalServiceError, match="belongs to another user"):
        read_own(file)


class Thief(BaseHTTPRequestHandler):
    """It has taken the port of a service that was killed, and answers everything."""

    def do_GET(self) -> None:
        received = self.server.received  # type: ignore[attr-defined]
        received.append(f"{self.path} {self.headers}")
        self.send_response(200)
        self.send_header("content-length", "0")
        self.send_header("backsolve-proof", "0" * 64)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Prints nothing."""


@pytest.fixture
def thief() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Thief)
    server.received = []  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_another_program_at_its_port_gets_no_key(thief: ThreadingHTTPServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = Path(".backsolve")
    folder.mkdir()
    url = f"http://127.0.0.1:{thief.server_address[1]}"
    (folder / "service.json").write_text(json.dumps({"url": url, "pid": 1}))
    (folder / "service.key").write_text("bks_secret\n")
    program = tmp_path / "second.py"
    program.write_text(f"import sys; sys.exit({local.HOSTED_ALREADY})")
    monkeypatch.setenv("BACKSOLVE_COMMAND", f"{sys.executable} {program}")
    monkeypatch.setattr(local, "START_SECONDS", 0.2)
    with pytest.raises(LocalServiceError, match="does not start"):
        solve(square, INPUTS, GOALS, local=True)

    async def ask() -> None:
        # The service was killed after it had been joined.
        async with AsyncBacksolve(url, "bks_secret", maximum_retries=0) as client:
            client._http = ProvenTransport(client._http, "bks_secret")
            await client.list_models()

    with pytest.raises(UnreachableError):
        asyncio.run(ask())
    with Backsolve(url, "bks_secret", maximum_retries=0) as client:
        client._http = ProvenSyncTransport(client._http, "bks_secret")
        with pytest.raises(UnreachableError):
            client.list_models()
    received: list[str] = thief.received  # type: ignore[attr-defined]
    assert received
    assert "bks_secret" not in "".join(received)
