"""A server between a client and the service that does to each request what a list says, and passes on what comes after."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Callable
from types import TracebackType
from typing import TypeAlias

import httpx

PASS = "pass"
RESET = "reset"
HANG = "hang"
CUT = "cut"
"""Passes on the first half of the answer."""
LOST_ANSWER = "lost answer"
"""Passes on the request, and resets the connection instead of answering."""

Fate: TypeAlias = tuple[str, Callable[[], None]]
"""Fate of a request, and a function that is called when that happens."""


def answer(status: str, body: str = "", *headers: str) -> bytes:
    """A raw answer; a content type is among the headers if it has one."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body.encode())}", "Connection: close", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()


class FaultyServer:
    """
    Each connection serves one request. `seen` has the methods, paths and Idempotency-Keys of all. `change` gets path and answer;
    `decide` gets method and path, and goes before the plan.
    """

    def __init__(
        self,
        upstream: str,
        plan: list[str | bytes],
        change: Callable[[str, str], str] | None = None,
        decide: Callable[[str], Fate | None] = lambda _called: None,
    ) -> None:
        self._decide = decide
        self._change = change or (lambda _path, text: text)
        self._upstream = upstream
        self._plan = list(plan)
        self.seen: list[tuple[str, str, str | None]] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._ended = threading.Event()
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def __enter__(self) -> FaultyServer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._ended.set()
        # Closing alone would leave the thread in accept.
        self._socket.shutdown(socket.SHUT_RDWR)
        self._accepting.join()
        self._socket.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            stream = connection.makefile("rb")
            first = stream.readline().decode()
            if not first:
                return
            method, path, _ = first.split(" ")
            headers = {}
            while line := stream.readline().decode().strip():
                name, _, value = line.partition(":")
                headers[name.lower()] = value.strip()
            body = stream.read(int(headers.get("content-length", 0)))
            self.seen.append((method, path, headers.get("idempotency-key")))
            fate = self._decide(f"{method} {path.partition('?')[0]}")
            fault = fate[0] if fate else self._plan.pop(0) if self._plan else PASS
            then = fate[1] if fate else lambda: None
            if fault == RESET:
                then()
                _reset(connection)
            elif fault == HANG:
                self._ended.wait()
            elif isinstance(fault, bytes):
                connection.sendall(fault)
            else:
                passed = {name: value for name, value in headers.items() if name not in ("host", "connection", "accept-encoding")}
                given = httpx.request(method, f"{self._upstream}{path}", headers=passed, content=body, timeout=60)
                kept = [f"{name}: {value}" for name, value in given.headers.items() if name in ("content-type", "link", "etag")]
                if fault == LOST_ANSWER:
                    then()
                    _reset(connection)
                    return
                raw = answer(f"{given.status_code} X", self._change(path, given.text), *kept)
                connection.sendall(raw[: len(raw) // 2] if fault == CUT else raw)


def _reset(connection: socket.socket) -> None:
    """Closing with unsent data pending is a reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
