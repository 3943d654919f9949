"""
Limits what a process may do that works on a file of a stranger: it calculates, and reads and writes the files that it has open. A filter of
system calls (seccomp) refuses everything else with EPERM, such as connections, programs, and files to write; once the file is loaded, also
files to read. Elsewhere than on Linux there are limits of memory and of written files alone.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import signal
import struct
import sys
from collections.abc import Mapping
from pathlib import Path

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

ALWAYS = {
    # By name: its numbers on x86-64 and on arm64; None where there is none.
    "read": (0, 63),
    "write": (1, 64),
    "close": (3, 57),
    "fstat": (5, 80),
    "lseek": (8, 62),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "brk": (12, 214),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "pread64": (17, 67),
    "readv": (19, 65),
    "writev": (20, 66),
    "poll": (7, None),
    "ppoll": (271, 73),
    "sched_yield": (24, 124),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "nanosleep": (35, 101),
    "getpid": (39, 172),
    "exit": (60, 93),
    "exit_group": (231, 94),
    "getrusage": (98, 165),
    "sigaltstack": (131, 132),
    "gettid": (186, 178),
    "futex": (202, 98),
    "sched_getaffinity": (204, 123),
    "restart_syscall": (219, 128),
    "clock_gettime": (228, 113),
    "clock_nanosleep": (230, 115),
    "getrandom": (318, 278),
    "membarrier": (324, 283),
    "rseq": (334, 293),
}
READING = {
    "access": (21, None),
    "stat": (4, None),
    "lstat": (6, None),
    "ioctl": (16, 29),
    "fcntl": (72, 25),
    "dup": (32, 23),
    "getcwd": (79, 17),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "getdents64": (217, 61),
    "newfstatat": (262, 79),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "statx": (332, 291),
    "uname": (63, 160),
    "prlimit64": (302, 261),
    "prctl": (157, 167),
    "seccomp": (317, 277),
}
"""While the file is loaded. Modules are imported late, and the second filter is installed."""
OPENAT = (257, 56)
ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 1, 38, 22, 2
LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x80000000
NUMBER_AT, ARCHITECTURE_AT, FLAGS_AT = 0, 4, 32
"""In the structure that filters read; the flags of openat are its third argument."""


def limit(memory_mib: int) -> None:
    """So much memory beyond what the process has now, and no core dump; on Linux it ends with its parent."""
    if resource is None:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    statm = Path("/proc/self/statm")
    used = int(statm.read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE") if statm.exists() else 0
    most = used + memory_mib * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS if sys.platform == "linux" else resource.RLIMIT_DATA, (most, most))
    if sys.platform == "linux":
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def close_for_loading() -> bool:
    """From now on no file can be written, and files may still be read. Whether system calls are filtered."""
    if resource is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    return _filter({**ALWAYS, **READING}, may_read=True)


def close_for_good() -> bool:
    """The same without files that are not open yet."""
    return _filter({**ALWAYS, "ioctl": READING["ioctl"]}, may_read=False)


def _filter(calls: Mapping[str, tuple[int, int | None]], may_read: bool) -> bool:
    architecture = ARCHITECTURES.get(platform.machine())
    if sys.platform != "linux" or architecture is None:
        return False
    audit, column = architecture
    numbers = sorted(number for each in calls.values() if (number := each[column]) is not None)
    program = [
        (LOAD, 0, 0, ARCHITECTURE_AT),
        (EQUAL, 1, 0, audit),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER_AT),
    ]
    for number in numbers:
        program += [(EQUAL, 0, 1, number), (RETURN, 0, 0, ALLOW)]
    if may_read:
        writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
        program += [
            (EQUAL, 0, 3, OPENAT[column]),
            (LOAD, 0, 0, FLAGS_AT),
            (ANY_BIT, 1, 0, writing),
            (RETURN, 0, 0, ALLOW),
        ]
    program.append((RETURN, 0, 0, REFUSE))
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *each) for each in program))
    # struct sock_fprog: how many, and where.
    stated = ctypes.create_string_buffer(struct.pack("@HP", len(program), ctypes.addressof(code)))
    return _prctl(PR_SET_NO_NEW_PRIVS, 1) and _prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(stated))


def _prctl(option: int, first: int, second: int = 0) -> bool:
    words = [ctypes.c_ulong(each) for each in (first, second, 0, 0)]
    return bool(ctypes.CDLL(None, use_errno=True).prctl(ctypes.c_int(option), *words) == 0)
