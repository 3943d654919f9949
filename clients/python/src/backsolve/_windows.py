"""Calls that only Windows needs."""

from __future__ import annotations

from typing import Any

SYNCHRONIZE = 0x100000
STILL_RUNS = 0x102
"""WaitForSingleObject returns it when the time is over."""
ACCESS_DENIED = 5


def is_running(pid: int, kernel: Any) -> bool:
    """Whether a process exists, of any user. `kernel`: ctypes.WinDLL("kernel32"). os.kill(pid, 0) would end the process there."""
    handle = kernel.OpenProcess(SYNCHRONIZE, False, pid)
    if not handle:
        return bool(kernel.GetLastError() == ACCESS_DENIED)
    try:
        return bool(kernel.WaitForSingleObject(handle, 0) == STILL_RUNS)
    finally:
        kernel.CloseHandle(handle)
