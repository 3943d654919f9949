"""The program that `backsolve run` starts for black boxes that are files, with a kind of these tests."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from backsolve import TryAgain, serve
from backsolve._boxes import Fault, MissingPackageError, Request, RunFailed

SETTINGS = {"file": "model.sum"}
PROGRAM = "from backsolve import serve; serve.KINDS['sum'] = 'tests.test_serve'; serve.main()"


# The kind: its model adds its inputs.
def describe(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    if settings["file"] == "missing":
        raise MissingPackageError("adder", "sum")
    if settings["file"] != "model.sum":
        raise Fault(f"{settings['file']} is no model.")
    print("a library talks")
    return {"inputs": {"a": {"minimum": 1}}, "outputs": {}}


class Sum:
    def run(self, request: Request) -> Mapping[str, object]:
        a = request.inputs["a"]
        if a == "wait":
            while request.is_wanted():
                time.sleep(0.01)
            raise RunFailed("left alone")
        faults = {"fail": RunFailed("no sum"), "again": TryAgain("no licence"), "odd": ValueError("odd")}
        if isinstance(a, str):
            raise faults[a]
        return {"sum": a + 1, "curve": [None if x is None else a * x for x in request.curves.get("curve") or []]}

    def close(self) -> None:
        print("closed", file=sys.stderr)


def open_box(settings: Mapping[str, Any]) -> Sum:
    describe(settings)
    return Sum()


@pytest.fixture(autouse=True)
def _kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(serve.KINDS, "sum", "tests.test_serve")


def ask(file: str) -> Any:
    told = io.StringIO()
    serve.work("describe", "sum", io.BytesIO(f"{json.dumps({'file': file})}\n".encode()), told)
    return json.loads(told.getvalue())


@pytest.fixture
def url() -> Iterator[str]:
    (settings_in, settings_out), (told_in, told_out) = os.pipe(), os.pipe()
    with os.fdopen(settings_in, "rb") as source, os.fdopen(told_out, "w") as told, os.fdopen(told_in) as lines:
        with os.fdopen(settings_out, "w") as settings:
            print(json.dumps(SETTINGS), file=settings, flush=True)
            working = threading.Thread(target=serve.work, args=("serve", "sum", source, told))
            working.start()
            yield json.loads(lines.readline())["url"]
        working.join(60)


def post(url: str, a: object, **more: object) -> Any:
    body = {"inputByName": {"a": a}, "outputNames": ["sum"], "timeoutSeconds": 9, **more}
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode()), timeout=60) as answer:
        return json.load(answer)


def test_a_kind_describes_its_file_or_says_what_is_wrong() -> None:
    for file, line in [
        ("model.sum", {"inputs": {"a": {"minimum": 1}}, "outputs": {}}),
        ("other", {"fault": {"message": "other is no model."}}),
        ("missing", {"fault": {"missing": "adder"}}),
    ]:
        assert ask(file) == line


def test_it_answers_as_an_evaluator_does_until_its_input_closes(url: str) -> None:
    assert post(url, 2, curves={"curve": [1.5, None]}) == {"sum": 3, "curve": [3.0, None]}
    assert post(url, "fail") == {"failed": True, "reason": "no sum", "retryable": False}
    assert post(url, "again") == {"failed": True, "reason": "no licence", "retryable": True}
    assert post(url, "odd") == {"failed": True, "reason": "ValueError: odd", "retryable": False}


def test_the_program_ends_with_its_input_and_prints_nothing_of_libraries() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "serve", "sum"],
        cwd=Path(__file__).parents[1],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{json.dumps(SETTINGS)}\n")
    process.stdin.flush()
    assert post(json.loads(process.stdout.readline())["url"], 1)["sum"] == 2
    assert process.communicate(timeout=60) == ("", "a library talks\nclosed\n")
    assert process.returncode == 0


def test_only_who_knows_the_address_is_answered(url: str) -> None:
    with pytest.raises(urllib.error.HTTPError, match="404"):
        post(url.replace("/run", "x/run"), 2)


def test_a_run_that_is_no_longer_waited_for_learns_of_it(url: str) -> None:
    with pytest.raises(TimeoutError):
        urllib.request.urlopen(
            urllib.request.Request(url, json.dumps({"inputByName": {"a": "wait"}, "outputNames": [], "timeoutSeconds": 9}).encode()),
            timeout=0.2,
        )
    assert post(url, 1)["sum"] == 2
