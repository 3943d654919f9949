"""
Jobs of submitit that Slurm has given up. submitit asks `sacct` alone: where Slurm keeps no accounting, it takes a job that was cancelled
for unknown for ever, and a job that is held after it could not be launched is never over. `squeue` knows both.
"""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Mapping
from typing import Any

LOOK_SECONDS = 30.0
"""Between two looks at the queue, whatever the number of jobs. A result may come as much later than the end of its job."""
LIMIT_SECONDS = 60.0
HELD = ("launch failed requeued held", "launch_failed_requeued_held")
"""Slurm has put a job back that a node could not launch, and waits for a person."""


class LostJobError(Exception):
    """Slurm does not run a job any more, and there is no result."""


class _Queue:
    """The jobs of this user: why each waits, by its id."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._began = -math.inf
        self._reasons: Mapping[str, str] | None = None

    def look(self, not_before: float) -> tuple[float, Mapping[str, str] | None]:
        """Time at which the newest look began, and what it saw: None if Slurm does not answer."""
        with self._lock:
            now = time.monotonic()
            if self._began < not_before or now - self._began >= LOOK_SECONDS:
                self._began, self._reasons = now, _ask()
            return self._began, self._reasons


def _ask() -> Mapping[str, str] | None:
    command = ["squeue", "--noheader", "--array", f"--user={os.getuid()}", "--format=%i %r"]
    try:
        asked = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=True)  # noqa: S603 - of Slurm
    except (OSError, subprocess.SubprocessError):
        return None
    rows = [line.split(maxsplit=1) for line in asked.stdout.splitlines() if line.strip()]
    return {row[0]: row[1].strip() if len(row) > 1 else "" for row in rows}


_queue = _Queue()


class SlurmJob:
    """A job that was submitted just now."""

    def __init__(self, job: Any) -> None:
        self._id = str(job.job_id)
        self._submitted = time.monotonic()
        self._missed: float | None = None
        self._was_there = False
        """A job that `squeue` has never shown may be on another cluster."""

    def why_lost(self) -> str | None:
        """Reason why it is given up; None as long as it may give a result."""
        looked, reasons = _queue.look(self._submitted)
        if reasons is None:
            return None
        if self._id in reasons:
            self._was_there, self._missed = True, None
            reason = reasons[self._id].strip("()")
            return f"job {self._id} waits for a person: {reason}" if reason in HELD else None
        if not self._was_there:
            return None
        if self._missed is None:
            self._missed = looked
        return None if looked == self._missed else f"job {self._id} left the queue of Slurm without a result"


def watch(job: Any) -> SlurmJob | None:
    """None unless it is a job of submitit on Slurm."""
    is_slurm = any(kind.__name__ == "SlurmJob" for kind in type(job).__mro__)
    return SlurmJob(job) if is_slurm and shutil.which("squeue") is not None else None
