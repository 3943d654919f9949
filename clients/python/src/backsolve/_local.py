"""
The service of a folder on this machine, the same that `npx backsolve run` uses there: a process of its own that several programs
share. It ends soon after the last of them, so that killing one costs the others nothing.
"""

from __future__ import annotations

import atexit
import ctypes
import json
import os
import re
import secrets
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import httpx

from ._errors import LocalServiceError
from ._local_proof import is_proven
from ._own_files import create_own, make_own_folder, read_own
from ._windows import is_running

START_SECONDS = 180
POLL_SECONDS = 0.05
ADVICE = "Run pip install 'backsolve[local]', which brings a service, or npm install backsolve in this folder"
HOSTED_ALREADY = 75
"""The exit code of a host that finds another one in its folder."""
LOCK = re.compile(r"lock\.([\w-]*)\.(\d+)\.(\w+)\.[\da-f]+", re.ASCII)
REGISTERED: set[Path] = set()


def open_local(folder: Path, note: Callable[[str], None]) -> tuple[str, str]:
    """Address and key of the service of the folder, which is started if it does not run. Raises LocalServiceError."""
    _register(folder.absolute())
    deadline = time.monotonic() + START_SECONDS
    has_begun = False
    while time.monotonic() < deadline:
        found = _find(folder)
        if found is not None:
            return found
        if not _is_held(folder):
            if not has_begun:
                note("starting a service on this machine")
            has_begun = True
            _start(folder)
        time.sleep(POLL_SECONDS)
    raise LocalServiceError(f"The service of this folder does not start. See {folder / 'service.log'}.")


def _register(folder: Path) -> None:
    """Until this process ends the service knows that it is used."""
    if folder in REGISTERED:
        return
    users = folder / "users"
    make_own_folder(folder)
    make_own_folder(users)
    mine = users / f"lock.{_host()}.{os.getpid()}.{_start_of(os.getpid())}.{secrets.token_hex(8)}"
    mine.touch(exist_ok=False)
    REGISTERED.add(folder)
    atexit.register(mine.unlink, missing_ok=True)


def _find(folder: Path) -> tuple[str, str] | None:
    """Address of the service, if it answers, and its key, which it proves to have."""
    try:
        url = str(json.loads(read_own(folder / "service.json"))["url"])
        key = read_own(folder / "service.key").strip()
        with httpx.stream("GET", f"{url}/readyz", timeout=2, trust_env=False) as answer:
            is_ready = answer.is_success
        return (url, key) if is_ready and is_proven(url, key) else None
    except (OSError, ValueError, TypeError, KeyError, httpx.HTTPError, httpx.InvalidURL):
        return None


def _start(folder: Path) -> None:
    """Returns once it serves, or once another host was first."""
    log = folder / "service.log"
    command, variables = _command()
    with create_own(log) as output:
        # The folder is given from the root, because npx may change to that of the package.
        child = subprocess.Popen(  # noqa: S603 - the command of the user
            [*command, "host", str(folder.resolve())],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env={**os.environ, **variables},
            start_new_session=True,
            creationflags=_creation_flags(),
        )
    while (code := child.poll()) is None:
        if _find(folder) is not None:
            # It outlives this process, which therefore does not wait for it.
            child.returncode = 0
            return
        time.sleep(POLL_SECONDS)
    if code in (0, HOSTED_ALREADY):
        return
    words = "\n".join(log.read_text(errors="replace").strip().splitlines()[-5:])
    raise LocalServiceError(
        f"The service could not be started with `{shlex.join(command)}`:\n{words}\n{ADVICE}, or give url and api_key of a service."
    )


def _creation_flags() -> int:
    """Windows has no sessions: Ctrl-C would reach the service too, and a window would open for it."""
    if sys.platform == "win32":
        return subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
    return 0


def _split(text: str, is_windows: bool) -> list[str]:
    """The words of a command, of which those with spaces are in quotes. Windows has backslashes in paths."""
    return [word.strip("\"'") for word in shlex.split(text, posix=False)] if is_windows else shlex.split(text)


def _command() -> tuple[list[str], dict[str, str]]:
    """The program with its first arguments, and variables for it: the one that is stated, the one that is installed, or that of npm."""
    stated = _split(os.environ.get("BACKSOLVE_COMMAND", ""), sys.platform == "win32")
    if not stated and find_spec("backsolve_service") is not None:
        return _installed()
    program, *first = stated or ["npx", "--no", "backsolve"]
    found = shutil.which(program)
    if found is None:
        raise LocalServiceError(f"{program} is missing. {ADVICE}, or give url and api_key of a service.")
    return [found, *first], {}


def _installed() -> tuple[list[str], dict[str, str]]:
    service = import_module("backsolve_service")
    try:
        return service.command(), service.environment()
    except RuntimeError as error:
        raise LocalServiceError(str(error)) from error


def _is_held(folder: Path) -> bool:
    """Whether a host lives: its lock is a file whose name says which process it is."""
    found = [LOCK.fullmatch(each.name) for each in folder.iterdir()]
    owners = [each.groups() for each in found if each is not None]
    return any(host == _host() and _start_of(int(pid)) == start for host, pid, start in owners)


def _host() -> str:
    return re.sub(r"[^\w-]+", "-", socket.gethostname(), flags=re.ASCII)


def _start_of(pid: int) -> str | None:
    """Start of a running process, as the service writes it; None when there is no such process."""
    if sys.platform == "win32":
        return "alive" if is_running(pid, ctypes.WinDLL("kernel32")) else None
    if sys.platform != "linux":
        try:
            os.kill(pid, 0)
        except PermissionError:
            return "alive"
        except OSError:
            return None
        return "alive"
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = stat[stat.rindex(")") + 2 :].split(" ")
    return None if fields[0] in "ZX" else fields[19]
