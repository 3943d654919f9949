"""
State in folders that others may reach: a link there, or a file of another user, could lead a write to any file of this user, or hand
over state that was made up. Such files are refused.
"""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import IO

from ._errors import LocalServiceError

CAREFULLY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""
Windows has neither of the first two; without the second one a pipe would wait for its other end. It alone has the third one, without
which it would change the ends of lines.
"""


def make_own_folder(folder: Path) -> None:
    """Makes the folder and those above it. Raises LocalServiceError."""
    folder.mkdir(parents=True, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise _refusal(folder, "is a link")
    _refuse_foreign(folder, found)


def read_own(file: Path) -> str:
    """Raises LocalServiceError, and OSError when there is none."""
    with _open(file, os.O_RDONLY) as opened:
        return opened.read().decode()


def create_own(file: Path) -> IO[bytes]:
    """Empties a file that exists; readable by its owner only. Raises LocalServiceError."""
    opened = _open(file, os.O_WRONLY | os.O_CREAT)
    opened.truncate()
    return opened


def _open(file: Path, flags: int) -> IO[bytes]:
    if file.is_symlink():
        raise _refusal(file, "is a link")
    # A link that is made at this moment is not followed either.
    opened = os.fdopen(os.open(file, flags | CAREFULLY, 0o600), "rb" if flags == os.O_RDONLY else "wb", buffering=0)
    try:
        found = os.fstat(opened.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise _refusal(file, "is not a regular file")
        _refuse_foreign(file, found)
    except LocalServiceError:
        opened.close()
        raise
    return opened


def _refuse_foreign(file: Path, found: os.stat_result) -> None:
    """Root may use what others own: it is the user of most containers, whose folders are mounted."""
    if sys.platform == "win32" or os.geteuid() == 0:
        return
    if found.st_uid not in (0, os.geteuid()):
        raise _refusal(file, f"belongs to another user (uid {found.st_uid})")


def _refusal(file: Path, why: str) -> LocalServiceError:
    return LocalServiceError(f"{file} {why}, so the state of a service is not read or written there: remove it, or name another folder.")
