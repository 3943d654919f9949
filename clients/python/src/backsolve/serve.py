"""
The program that `backsolve run` starts for a black box that is a file: `python -m backsolve.serve describe|serve KIND`.

It reads its settings, one line of JSON, and prints one line of JSON: in mode `describe` what the file says of itself, in mode `serve` the
address at which it evaluates inputs until its standard input closes. A line with `fault` says why neither is possible.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
import select
import signal
import socket
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from typing import Any, BinaryIO, TextIO, cast

from ._boxes import Box, Fault, Kind, Request, RunFailed
from ._errors import TryAgain

KINDS = {"fmu": "backsolve._fmu", "spreadsheet": "backsolve._sheets.served"}
"""The module of each kind, which has the functions of `Kind`. The keys are those of problem files and the extras of this package."""


def work(mode: str, kind: str, source: BinaryIO, told: TextIO) -> None:
    """Until its work is done, or `source` closes."""
    line = source.readline()
    try:
        module = cast(Kind, import_module(KINDS[kind]))
        settings = json.loads(line)
        if mode == "describe":
            _tell(told, module.describe(settings))
        else:
            _serve(module.open_box(settings), source, told)
    except Fault as fault:
        _tell(told, {"fault": fault.body})


def _tell(told: TextIO, body: Mapping[str, Any]) -> None:
    print(json.dumps(body), file=told, flush=True)


def _serve(box: Box, source: BinaryIO, told: TextIO) -> None:
    path = f"/{secrets.token_urlsafe(24)}/run"
    server = _Server(box, path)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    _tell(told, {"url": f"http://127.0.0.1:{server.server_port}{path}"})
    while source.read(4096):
        pass
    server.shutdown()
    server.server_close()
    box.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, box: Box, path: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.box = box
        self.path = path


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        if not hmac.compare_digest(self.path.encode(), self.server.path.encode()):
            self.send_error(404)
            return
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        body = json.dumps(_answer(self.server.box, _request_of(message, self.connection))).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        with suppress(ConnectionError):
            self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Calls are no news."""


def _request_of(message: Mapping[str, Any], connection: socket.socket) -> Request:
    return Request(
        inputs=message["inputByName"],
        outputs=message["outputNames"],
        curves=message.get("curves") or {},
        seconds=message["timeoutSeconds"],
        is_wanted=lambda: not _is_closed(connection),
    )


def _is_closed(connection: socket.socket) -> bool:
    """The caller has left: it was ended, or has ended the run. Between a request and its answer it sends nothing."""
    readable, _, _ = select.select([connection], [], [], 0)
    try:
        return bool(readable) and connection.recv(1, socket.MSG_PEEK) == b""
    except OSError:
        return True


def _answer(box: Box, request: Request) -> Mapping[str, Any]:
    try:
        return dict(box.run(request))
    except RunFailed as failure:
        return _failed(str(failure), retryable=False)
    except TryAgain as failure:
        return _failed(str(failure), retryable=True)
    except Exception as error:
        return _failed(f"{type(error).__name__}: {error}", retryable=False)


def _failed(reason: str, *, retryable: bool) -> Mapping[str, Any]:
    return {"failed": True, "reason": reason, "retryable": retryable}


def main() -> None:
    """Runs the program: whatever a library prints goes to standard error, and runs that hang do not keep the process alive."""
    told = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    # Whoever ends it closes its input as well, and it then leaves nothing behind.
    signal.signal(signal.SIGTERM, lambda *_: None)
    mode, kind = sys.argv[1:]
    work(mode, kind, sys.stdin.buffer, told)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
