"""Workbooks that a service was given by strangers."""

from __future__ import annotations

import base64
import importlib
import io
import subprocess
import sys
import zipfile
from typing import Any

import pytest

from backsolve._sheets import uploaded

openpyxl: Any = importlib.import_module("openpyxl")
DefinedName: Any = importlib.import_module("openpyxl.workbook.defined_name").DefinedName
Rows = list[list[Any]]


def book(rows: Rows, names: dict[str, str] | None = None) -> bytes:
    made = openpyxl.Workbook()
    made.active.title = "S"
    for row in rows:
        made.active.append(row)
    for name, place in (names or {}).items():
        made.defined_names[name] = DefinedName(name, attr_text=place)
    target = io.BytesIO()
    made.save(target)
    return target.getvalue()


def zipped(**files: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in files.items():
            package.writestr(name.replace("__", "/").replace("_", "."), content)
    return target.getvalue()


def opened(content: bytes, largest: int = 10 << 20) -> uploaded.Service:
    service = uploaded.Service(largest, is_jailed=False)
    assert service.answer(given(content)) == {}
    return service


def given(content: bytes) -> dict[str, str]:
    return {"name": "m.xlsx", "content": base64.b64encode(content).decode()}


def refused(content: bytes, largest: int = 10 << 20) -> str:
    return str(uploaded.Service(largest, is_jailed=False).answer(given(content))["fault"])


def test_a_survey_lists_named_cells_first_and_labels_from_the_left_or_above() -> None:
    content = book(
        [["Length", 2, "m"], [None, "Width"], [None, 3], ["Area", "=B1*B3"], ["Note", '=A1&"!"'], ["On", True]],
        {"area": "S!$B$4", "all": "S!$B$1:$B$3"},
    )
    found = opened(content).answer({"do": "survey"})
    assert [(each["cell"], each["name"], each["label"], each["value"]) for each in found["inputs"]] == [
        ("S!B1", None, "Length", 2),
        ("S!B3", None, "Width", 3),
    ]
    assert [(each["cell"], each["name"], each["label"]) for each in found["outputs"]] == [
        ("S!B4", "area", "Area"),
        ("S!B5", None, "Note"),
    ]


def test_only_numbers_are_inputs_and_only_single_cells_outputs() -> None:
    service = opened(book([["text", True, 1, "=C1*2"], [None, None, None, "=C1*3"]]))
    request = {"do": "open", "inputs": {"t": "A1", "b": "B1", "e": "Z9", "n": "C1"}, "outputs": {"r": "D1:D2"}}
    faults = [(each["side"], each["name"]) for each in service.answer(request)["faults"]]
    assert faults == [("inputs", "t"), ("inputs", "b"), ("inputs", "e"), ("outputs", "r")]


def test_runs_give_numbers_or_the_reason_why_there_is_none() -> None:
    service = opened(book([[2, "=1/A1", '=IF(A1>5,"far",A1)']]))
    assert service.answer({"do": "run", "values": {"x": 1}}) == {"fault": uploaded.NOT_OPEN}
    answer = service.answer({"do": "open", "inputs": {"x": "A1"}, "outputs": {"y": "B1", "z": "C1"}})
    assert answer["faults"] == []
    assert answer["outputs"] == {"y": 0.5, "z": 2}
    assert service.answer({"do": "run", "values": {"x": 4}}) == {"outputs": {"y": 0.25, "z": 4}}
    assert service.answer({"do": "run", "values": {"x": 0}}) == {"failed": "S!B1 is #DIV/0!."}
    assert "is a text, not a number" in str(service.answer({"do": "run", "values": {"x": 6}})["failed"])


def test_what_ironcalc_lacks_is_refused_when_the_workbook_is_opened() -> None:
    service = opened(book([[2, "=NOSUCHFUNCTION(A1)"]]))
    assert "NOSUCHFUNCTION" in str(service.answer({"do": "open", "inputs": {"x": "A1"}, "outputs": {"y": "B1"}})["fault"])


def test_a_copy_changes_the_cells_alone() -> None:
    copy = opened(book([[2, "=A1*2", "kept"]])).answer({"do": "copy", "values": {"S!A1": 7}})
    sheet = openpyxl.load_workbook(io.BytesIO(base64.b64decode(copy["content"])))["S"]
    assert [cell.value for cell in sheet[1]] == [7, "=A1*2", "kept"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"hello", "is not a workbook"),
        (b"\xd0\xcf\x11\xe0rest", "protected by a password, or of Excel 97"),
        (b"PK\x03\x04 and then nothing", "cannot be read as a workbook"),
        (zipped(a_txt=b"x"), "is not a workbook"),
        (zipped(content_xml=b"<x/>", mimetype=b"application/vnd.oasis.opendocument.spreadsheet"), "save a copy as .xlsx"),
        (zipped(xl__workbook_xml=b"<x/>", xl__vbaProject_bin=b"x"), "contains macros"),
        (zipped(xl__workbook_xml=b"0" * (11 << 20)), "would unpack to more than 10 MiB"),
        (zipped(xl__workbook_xml=b"<x/>"), "cannot be read as a workbook"),
    ],
)
def test_other_files_are_refused_by_their_content(content: bytes, reason: str) -> None:
    assert reason in refused(content)


def test_the_reasons_why_a_file_cannot_be_worked_on_are_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    service = opened(book([[1]]))
    for error, reason in [(MemoryError(), "more memory"), (RecursionError("deep"), "RecursionError: deep")]:

        def fail(*_: Any, error: BaseException = error) -> None:
            raise error

        monkeypatch.setitem(uploaded.WORK, "survey", fail)
        assert reason in str(service.answer({"do": "survey"})["fault"])


TRIES = """
import os, socket, sys
from pathlib import Path
from backsolve._sheets import jail
here = Path(__file__) if "__file__" in globals() else Path(jail.__file__)
def tried(work):
    try:
        work()
        return "allowed"
    except PermissionError:
        return "refused"
jail.limit(200)
print(jail.close_for_loading())
print(tried(lambda: here.read_text()), tried(lambda: open("/tmp/x", "w")), tried(lambda: socket.socket()), tried(os.fork),
      tried(lambda: os.execv("/bin/true", ["true"])), tried(lambda: os.kill(os.getppid(), 0)), tried(lambda: os.unlink("/tmp/x")))
print(jail.close_for_good())
print(tried(lambda: here.read_text()), 6 * 7)
try:
    bytearray(400 << 20)
except MemoryError:
    print("no memory")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="NOT CHECKED: filters of system calls are those of Linux")
def test_the_process_of_a_workbook_can_only_calculate() -> None:
    done = subprocess.run([sys.executable, "-c", TRIES], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "True",
        "allowed refused refused refused refused refused refused",
        "True",
        "refused 42",
        "no memory",
    ]
