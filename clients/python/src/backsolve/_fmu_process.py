"""The process of one run of an FMU, which waits for its job and is ended with everything that it has loaded."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import IO, Any, cast

from ._boxes import RunFailed
from ._errors import TryAgain
from ._signals import is_ended_from_outside

POLL_SECONDS = 0.05
LOG_BYTES = 4096
SHOWN_CHARACTERS = 400
START = "import sys, runpy; sys.path.pop(0); runpy.run_path(sys.argv[1], run_name='__main__')"


class Process:
    """Process of one run; it waits for its job."""

    def __init__(self) -> None:
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process
        self._child = subprocess.Popen(  # noqa: S603 - this Python, with a program of ours
            [sys.executable, "-c", START, str(Path(__file__).with_name("_fmu_run.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
        )

    def work(self, job: Mapping[str, Any], seconds: float | None, is_wanted: Callable[[], bool]) -> dict[str, Any]:
        """Raises RunFailed with what the log says if there is no result, TryAgain if somebody ended the process."""
        told = cast(IO[bytes], self._child.stdin)
        # If it has ended, its log says why.
        with suppress(OSError):
            told.write(f"{json.dumps(job)}\n".encode())
            told.flush()
        answer = _Reader(cast(IO[bytes], self._child.stdout))
        deadline = inf if seconds is None else time.monotonic() + seconds
        while not answer.is_over(POLL_SECONDS):
            if time.monotonic() > deadline:
                raise RunFailed(f"it ran longer than {seconds:g} s and was ended")
            if not is_wanted():
                raise RunFailed("it was ended")
        if not answer.text:
            code = self._child.wait()
            raise (TryAgain if is_ended_from_outside(code) else RunFailed)(f"{_end_in_words(code)}{self._said()}")
        result: dict[str, Any] = json.loads(answer.text)
        if "failed" in result:
            result["failed"] = result["failed"].rstrip(".") + self._said()
        return result

    def end(self) -> None:
        self._child.kill()
        self._child.wait()
        for pipe in (self._child.stdin, self._child.stdout, self._log):
            # A job that was never read cannot be flushed.
            with suppress(OSError):
                cast(IO[bytes], pipe).close()

    def _said(self) -> str:
        self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, self._log.tell() - LOG_BYTES))
        lines = [line.strip() for line in self._log.read().decode("utf-8", "replace").splitlines() if line.strip()]
        words = " | ".join(lines[-3:])
        return f"; its log: {words[-SHOWN_CHARACTERS:]}" if words else ""


class _Reader:
    """Reads a pipe to its end in a thread, which ends with the process."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self.text = b""
        self._pipe = pipe
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        # It is closed when the run is ended.
        with suppress(OSError, ValueError):
            self.text = self._pipe.read()

    def is_over(self, seconds: float) -> bool:
        self._thread.join(seconds)
        return not self._thread.is_alive()


def _end_in_words(code: int) -> str:
    if code < 0:
        return f"the FMU {'was ended' if is_ended_from_outside(code) else 'crashed'} ({signal.Signals(-code).name})"
    return f"the process of the FMU ended with exit code {code}"
