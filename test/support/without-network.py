"""Runs a command that has no network but itself: without-network.py UID GID PROGRAM [ARGUMENT ...]. Exit code 77: impossible here."""

import ctypes
import fcntl
import os
import socket
import struct
import sys

NEW_NETWORK = 0x40000000
NEW_USER = 0x10000000
SET_FLAGS = 0x8914
UP = 1

uid, gid = int(sys.argv[1]), int(sys.argv[2])
system = ctypes.CDLL(None, use_errno=True)
if system.unshare(NEW_NETWORK if os.geteuid() == 0 else NEW_NETWORK | NEW_USER) != 0:
    sys.exit(77)
with socket.socket() as any_socket:
    fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sH14x", b"lo", UP))
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(gid)
    os.setuid(uid)
assert [name for _, name in socket.if_nameindex()] == ["lo"]
os.execv(sys.argv[3], sys.argv[3:])
