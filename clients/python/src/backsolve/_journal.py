"""
Keeps what a problem leaves on disk, so that the same call goes on after any interruption:

    .backsolve/python/NAME/problem.json   what was created on the service, and for which definition
    .backsolve/python/NAME/runs.jsonl     the journal: a line for each thing that happened to an evaluation

What came of a run is on disk before the service hears of it. A line that a crash tore off at the end counts as never written.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Any

from ._derivatives import Differentiated, jacobian_of
from ._errors import BusyError, JournalError, OutputError
from ._generated import models as m
from ._kept import Kept
from ._looks import Looks
from .problem import Failed, Outcome, Problem

MOST_PROCESSES = 64
RESULT = ("input", "output", "failure", "retryable", "seconds")
FIELDS = {
    "claiming": ("key", "limit"),
    "claimed": ("key", "leases"),
    "finished": ("lease", *RESULT),
    "settled": ("lease",),
    "returned": ("input", "returned", "looks", "seconds"),
    "forgotten": (),
    "retried": ("path", "failed", *RESULT[1:]),
    "corrected": ("failed",),
}
"""Fields of each kind of line."""


def folder_name(name: str, url: str | None, problem: Problem | None) -> str:
    """Without a name that the user gave, the same function with other inputs or outputs is another problem."""
    stem = re.sub(r"[^\w.-]+", "-", name)[:60].strip(".-") or "solve"
    identity: list[Any] = [url]
    if problem is not None:
        identity.append(problem.project_body("").model_dump(mode="json", by_alias=True, exclude_unset=True, exclude={"case_count"}))
    return f"{stem}-{hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:8]}"


def free_folder(root: Path, name: str) -> Folder:
    """The first folder of this name that no process holds: each of several has a journal of its own."""
    for number in range(1, MOST_PROCESSES + 1):
        with contextlib.suppress(BusyError):
            return Folder(root, name if number == 1 else f"{name}.{number}")
    raise BusyError(f"{MOST_PROCESSES} processes are working on {name} on this machine already.")


class Folder:
    """The folder of a problem, held by one process at a time."""

    def __init__(self, root: Path, name: str) -> None:
        self.path = root / "python" / name
        self.path.mkdir(parents=True, exist_ok=True)
        ignore = root / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n")
        self._lock = (self.path / "lock").open("a")
        try:
            _lock(self._lock)
        except OSError:
            self._lock.close()
            raise BusyError(f"Another process is working on {name}: wait for it, or give another name.") from None

    def close(self) -> None:
        self._lock.close()

    @property
    def journal(self) -> Path:
        return self.path / "runs.jsonl"

    @property
    def _record(self) -> Path:
        return self.path / "problem.json"

    def read(self) -> dict[str, Any] | None:
        """The record; None before the first call."""
        try:
            record: dict[str, Any] = json.loads(self._record.read_text())
            if not {"id", "project", "place", "batches"} <= set(record):
                raise ValueError("fields are missing")
        except FileNotFoundError:
            return None
        except (ValueError, TypeError) as error:
            raise JournalError(f"{self._record} is damaged: restore it, or start over with fresh=True.") from error
        return record

    def write(self, record: dict[str, Any]) -> None:
        """Replaces the record, on disk when it returns."""
        draft = self._record.with_suffix(".draft")
        with draft.open("w") as file:
            json.dump(record, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self._record)
        _sync_folder(self.path)

    def forget(self) -> None:
        """Removes the record of a problem that the service has never taken."""
        self._record.unlink(missing_ok=True)

    def put_aside(self) -> None:
        """Keeps an earlier beginning under other names. The journal first: a record would take over its runs."""
        number = 1
        while any(file.with_name(f"{file.name}.{number}").exists() for file in (self.journal, self._record)):
            number += 1
        for file in (self.journal, self._record):
            if file.exists():
                file.rename(file.with_name(f"{file.name}.{number}"))
        _sync_folder(self.path)


class Journal:
    """Appends lines, and answers what earlier ones say. Raises JournalError when a line is none of a journal."""

    def __init__(self, path: Path) -> None:
        content = path.read_bytes() if path.exists() else b""
        end = content.rfind(b"\n") + 1
        self._path = path
        self._lines = [_parse(line, path, number) for number, line in enumerate(content[:end].splitlines(), 1)]
        self._file = path.open("ab")
        self._file.truncate(end)
        _sync_folder(path.parent)
        self._index_all()

    def _index_all(self) -> None:
        self._by_evaluation: dict[int, Outcome] = {}
        self._by_input: dict[str, Outcome] = {}
        self._forgotten: set[str] = set()
        self._returned: dict[tuple[str, str | None], dict[str, Any]] = {}
        for line in self._lines:
            if line["kind"] == "finished":
                self._index(line)
            elif line["kind"] == "returned":
                self._index_returned(line)
            elif line["kind"] == "forgotten":
                self._forget()

    def close(self) -> None:
        self._file.close()

    def begin_anew(self, folder: Folder) -> None:
        """Puts the lines aside with the record, but for outputs under other names, which may be those of the problem as it is now."""
        returned = [line for line in self._lines if line["kind"] == "returned"]
        self.close()
        folder.put_aside()
        self._lines = []
        self._file = self._path.open("ab")
        for line in returned:
            self._append(line)
        os.fsync(self._file.fileno())
        _sync_folder(self._path.parent)
        self._index_all()

    @property
    def run_count(self) -> int:
        """Runs that are over for good."""
        return len(self._by_evaluation)

    @property
    def failure_count(self) -> int:
        return sum(isinstance(outcome, Failed) for outcome in self._by_evaluation.values())

    def kept(self) -> list[Kept]:
        """The runs with an output, the newest last."""
        lines = [line for line in self._lines if line["kind"] in ("finished", "retried") and line["output"] is not None]
        runs = [(line if line["kind"] == "finished" else line["failed"], line["output"]) for line in lines]
        return [Kept(run["input"], output, run.get("source")) for run, output in runs]

    def forget_failures(self) -> int:
        """From now on `find` answers as if the failed runs had not been. Their number."""
        count = self.failure_count
        if count:
            self._append({"kind": "forgotten"})
            os.fsync(self._file.fileno())
            self._forget()
        return count

    def _forget(self) -> None:
        self._forgotten |= {key for key, outcome in self._by_input.items() if isinstance(outcome, Failed)}
        self._by_evaluation = {key: outcome for key, outcome in self._by_evaluation.items() if not isinstance(outcome, Failed)}
        self._by_input = {key: outcome for key, outcome in self._by_input.items() if not isinstance(outcome, Failed)}

    def is_retried(self, evaluation: m.ClaimedEvaluation) -> bool:
        """Whether it is a designed run whose failure was forgotten, and that has not finished since."""
        return evaluation.kind == "case" and _input_key(evaluation.input) in self._forgotten

    def retried(self, path: Sequence[int], failed: dict[str, Any], outcome: Outcome, seconds: float) -> None:
        """A failed run of a trial was run again. On disk when it returns."""
        self._append({"kind": "retried", "path": list(path), "failed": failed, **_fields_of(outcome), "seconds": seconds})
        os.fsync(self._file.fileno())

    def corrected(self, failed: dict[str, Any]) -> None:
        """The service has what came of a failed run."""
        self._append({"kind": "corrected", "failed": failed})

    def uncorrected(self) -> list[dict[str, Any]]:
        """The lines of runs that were run again, of which the service has not heard."""
        waiting: dict[str, dict[str, Any]] = {}
        for line in self._lines:
            if line["kind"] == "retried":
                waiting[json.dumps(line["failed"])] = line
            elif line["kind"] == "corrected":
                waiting.pop(json.dumps(line["failed"]), None)
        return list(waiting.values())

    def find(self, evaluation: m.ClaimedEvaluation) -> Outcome | None:
        """The result of an earlier run of the same evaluation or, for a designed one, of the same input."""
        known = self._by_evaluation.get(evaluation.id)
        return self._by_input.get(_input_key(evaluation.input)) if known is None and evaluation.kind == "case" else known

    def claiming(self, key: str, limit: int) -> None:
        """Before a claim, so that the leases of a lost answer are found again."""
        self._append({"kind": "claiming", "key": key, "limit": limit})

    def claimed(self, key: str, evaluations: Iterable[m.ClaimedEvaluation]) -> None:
        self._append({"kind": "claimed", "key": key, "leases": [[each.id, each.lease_token] for each in evaluations]})

    def finished(self, evaluation: m.ClaimedEvaluation, outcome: Outcome, seconds: float) -> None:
        """On disk when it returns."""
        line = {
            "kind": "finished",
            "lease": [evaluation.id, evaluation.lease_token],
            "run": evaluation.kind,
            "input": evaluation.input,
            **({} if evaluation.source is None else {"source": evaluation.source}),
            **_fields_of(outcome),
            "seconds": seconds,
        }
        self._append(line)
        os.fsync(self._file.fileno())
        self._index(line)

    def returned(self, evaluation: m.ClaimedEvaluation, error: OutputError, looks: Looks, seconds: float) -> None:
        """A run gave numbers under names that are no outputs of the problem. On disk when it returns."""
        source = {} if evaluation.source is None else {"source": evaluation.source}
        line = {"kind": "returned", "input": evaluation.input, **source, "returned": error.returned, "looks": looks, "seconds": seconds}
        self._append(line)
        os.fsync(self._file.fileno())
        self._index_returned(line)

    def find_returned(self, evaluation: m.ClaimedEvaluation) -> dict[str, Any] | None:
        """The newest such line for the input."""
        return self._returned.get((_input_key(evaluation.input), evaluation.source))

    def settled(self, evaluation_id: int, lease_token: str, state: str) -> None:
        """After a report or a release."""
        self._append({"kind": "settled", "lease": [evaluation_id, lease_token], "state": state})

    def unsettled(self) -> tuple[list[tuple[str, int]], list[tuple[int, str]], list[dict[str, Any]]]:
        """Claims without an answer, leases of runs that were cut short, and finished runs that were not reported."""
        claims: dict[str, int] = {}
        leases: dict[tuple[int, str], dict[str, Any] | None] = {}
        for line in self._lines:
            if line["kind"] == "claiming":
                claims[line["key"]] = line["limit"]
            elif line["kind"] == "claimed":
                claims.pop(line["key"], None)
                leases.update(dict.fromkeys(((each[0], each[1]) for each in line["leases"]), None))
            elif line["kind"] == "finished":
                leases[line["lease"][0], line["lease"][1]] = line
            elif line["kind"] == "settled":
                leases.pop((line["lease"][0], line["lease"][1]), None)
        cut_short = [lease for lease, line in leases.items() if line is None]
        return list(claims.items())[-1:], cut_short, [line for line in leases.values() if line is not None]

    def ends(self) -> dict[str, Outcome | None]:
        """Outcome of each lease, by its token; None if it is not known."""
        tokens = [lease[1] for line in self._lines if line["kind"] == "claimed" for lease in line["leases"]]
        known = {line["lease"][1]: outcome_of(line) for line in self._lines if line["kind"] == "finished"}
        return {token: known.get(token) for token in tokens}

    def _append(self, line: dict[str, Any]) -> None:
        self._file.write(json.dumps(line).encode() + b"\n")
        self._file.flush()
        self._lines.append(line)

    def _index(self, line: dict[str, Any]) -> None:
        if line["retryable"]:
            return
        outcome = outcome_of(line)
        self._by_evaluation[line["lease"][0]] = outcome
        self._by_input[_input_key(line["input"])] = outcome
        self._forgotten.discard(_input_key(line["input"]))

    def _index_returned(self, line: dict[str, Any]) -> None:
        self._returned[_input_key(line["input"]), line.get("source")] = line


def _fields_of(outcome: Outcome) -> dict[str, Any]:
    failed = outcome if isinstance(outcome, Failed) else None
    return {
        "output": outcome if failed is None else None,
        **({} if (jacobian := jacobian_of(outcome)) is None else {"jacobian": jacobian}),
        "failure": None if failed is None else failed.reason,
        "retryable": failed is not None and failed.retryable,
    }


def outcome_of(line: dict[str, Any]) -> Outcome:
    """The result in a line about a finished run."""
    output: list[float] | None = line["output"]
    if output is None:
        return Failed(line["failure"], line["retryable"])
    jacobian = line.get("jacobian")
    return output if jacobian is None else Differentiated(output, jacobian)


def _input_key(numbers: Iterable[float]) -> str:
    return json.dumps([float(number) for number in numbers])


def _parse(line: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        parsed: dict[str, Any] = json.loads(line)
        if all(field in parsed for field in FIELDS[parsed["kind"]]):
            return parsed
    except (ValueError, KeyError, TypeError):
        pass
    raise JournalError(f"{path}:{number} is not a line of a journal. Restore the file, or start over with fresh=True, which keeps it.")


def _sync_folder(path: Path) -> None:
    if os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _lock(file: IO[str]) -> None:
    """The system frees it when the process ends, however it ends."""
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415

        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl  # noqa: PLC0415

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
