"""
A search for a framework that owns the loop: it asks for inputs and tells outputs, in any order and from any thread, and may tell runs of
its own. Everything is on the service and, before that, in the same journal that solve keeps, so that a killed program goes on.
"""

from __future__ import annotations

import contextlib
import json
import logging
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from typing_extensions import Unpack

from backsolve import _batch
from backsolve._batch import Place, Told
from backsolve._connecting import address_of, connect
from backsolve._errors import BacksolveError, ChangedProblemError
from backsolve._generated import models as m
from backsolve._generated.problems import BatchEndedError, NotFoundError
from backsolve._journal import Folder, Journal, folder_name, free_folder, outcome_of
from backsolve._kept import ChangedAnswerError
from backsolve._reading import read_result
from backsolve._siblings import Siblings
from backsolve._steps import Steps, run
from backsolve.inputs import Input, Value
from backsolve.problem import AnyGoal, Failed, Outcome, Output, SearchOptions, make_problem
from backsolve.project import OPEN_STATES, _created
from backsolve.result import Result

from ._watched import BlackBox, Record, Watched

T = TypeVar("T")
LEASE_SECONDS = 30
CLAIM_SECONDS = 2
MOST_OPEN = 64
MOST_ROWS = 1000
LOG = logging.getLogger("backsolve")


@dataclass(frozen=True)
class Asked:
    """An input to run."""

    id: int
    input: Mapping[str, Value]
    lease_token: str
    began: float = field(default_factory=time.monotonic, compare=False)


class Session:
    """
    Finds or creates a search, by its name and its folder or by `record`. `parallel` inputs may be open at a time; by default as many as are
    asked for. `identity` is the same for all that mean the same search; `fresh` starts over. With `black_box` a kept run is made once more
    where it may have changed: if its output differs beyond the noise, its search is another one, or refused if it is named. Inputs, goals
    and further arguments are those of solve. Raises ChangedProblemError when the search has other inputs or goals, and BusyError while
    another process has the folder.
    """

    def __init__(
        self,
        inputs: Mapping[str, Input | Sequence[float]],
        goals: Mapping[str, AnyGoal],
        *,
        name: str,
        parallel: int | None = None,
        local: bool | None = None,
        url: str | None = None,
        api_key: str | None = None,
        folder: str | Path = ".backsolve",
        record: Record | None = None,
        identity: str | None = None,
        fresh: bool = False,
        black_box: BlackBox | None = None,
        **search: Unpack[SearchOptions],
    ) -> None:
        if fresh and record is not None:
            raise ValueError("A search that is kept in a record of its own cannot start over: give another name, as of a new study.")
        self.problem = make_problem(inputs, goals, **search).with_defaults()
        self.space = self.problem.space
        self._address = address_of(local, url)
        self._parallel = parallel
        self.name = name
        self._held: dict[int, m.ClaimedEvaluation] = {}
        self._own: set[tuple[float, ...]] = set()
        """Inputs of runs that were not asked for."""
        self._waiting: list[Any] = []
        """Those that the service does not have yet, as rows of an input and an output."""
        self._has_ended = False
        self._asking = 0
        self._lock = threading.Lock()
        self._is_closed = threading.Event()
        self._beating: threading.Thread | None = None
        self._watched = None if black_box is None else Watched(black_box, name, self.problem)
        self._siblings = None if black_box is None or black_box.is_named else Siblings(Path(folder), self._folder_of_problem())
        if self._siblings is not None and self._watched is not None:
            self._folder = self._siblings.nearest(self._watched.looks)
        else:
            self._folder = (Folder if record is None else free_folder)(Path(folder), _folder_of(name, self._address))
        self._record: Record = record or self._folder
        if fresh:
            self._folder.put_aside()
        with contextlib.ExitStack() as held:
            held.callback(self._close_folder)
            self.client = connect(self._address, api_key, Path(folder), LOG.info)
            held.callback(self.client.close)
            self._open(identity or secrets.token_hex(16))
            self._refuse_other_answers()
            self._resources = held.pop_all()

    def _folder_of_problem(self) -> str:
        """Without a name other inputs or goals are another search as well."""
        body, objective = self._bodies()
        return _folder_of(self.name, json.dumps([self._address, body, objective], sort_keys=True))

    def _bodies(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Requests that tell the service the inputs and goals."""
        bodies = (self.problem.project_body(_batch.service_name(self.name)), self.problem.objective_body())
        body, objective = (each.model_dump(mode="json", by_alias=True, exclude_unset=True) for each in bodies)
        return body, objective

    def _close_folder(self) -> None:
        if self._journal is not None:
            self._journal.close()
        self._folder.close()

    def _open(self, identity: str) -> None:
        """The search of the folder, with what is known of it."""
        self._journal = Journal(self._folder.journal)
        self.place = self._find(identity)
        self.ended = self._journal.ends()
        """Outcomes of the leases that earlier processes held here, by their tokens; None where they were cut short."""
        self._settle()
        self._known = self._recall()

    def _refuse_other_answers(self) -> None:
        """Begins another search where the black box has changed and the user has named none."""
        if self._watched is None:
            return

        def answer() -> tuple[float, ...] | None:
            best = self.result().best
            return None if best is None else self._key(best.input)

        try:
            self._watched.refuse_others(self._record, self._journal.kept(), answer)
        except ChangedAnswerError as error:
            if self._siblings is None:
                raise ChangedProblemError(str(error)) from None
            self._close_folder()
            self._record = self._folder = self._siblings.another()
            self._open(secrets.token_hex(16))
            self._watched.keep(self._record)

    def refuse_other_constants(self, constants: Mapping[str, str]) -> None:
        """Closes and raises ChangedProblemError where the search was begun with other constants than these, as texts."""
        record = self._record.read() or {}
        before: Mapping[str, str] = record.setdefault("constants", dict(constants))
        if before == constants:
            self._record.write(record)
            return
        self.close()
        names = [name for name in {**before, **constants} if before.get(name) != constants.get(name)]
        raise ChangedProblemError(
            f"{self.name} was begun with another value of {' and '.join(names)}, and its runs would not fit. Revert the change, or give "
            "another name."
        )

    def _find(self, identity: str) -> Place:
        name = self.name
        body, objective = self._bodies()
        record = self._record.read()
        if record is None:
            record = {"version": 1, "id": identity, "name": name, "project": body, "objective": objective, "place": None, "batches": []}
            self._record.write(record)
        changed = [what for what, now in (("inputs", body), ("goals", objective)) if record[_KEPT[what]] != now]
        if changed:
            raise ChangedProblemError(
                f"{name} was begun with other {' and '.join(changed)}, and its runs would not fit. Revert the change, or give another name."
            )
        if record["place"] is None:
            place = self._run(_created(self.problem, name, record["id"], self._parallel or 1, None, 3))
            self._record.write({**record, "place": [place.model_id, place.project_id, place.batch_id]})
            return place
        place = Place(*record["place"])
        with contextlib.suppress(NotFoundError):
            if self.client.get_model(place.model_id).body.name.endswith(record["id"][:8]):
                return place
        raise ChangedProblemError(
            f"The service at {self.client.address} does not have {name}: it was begun with the service of another folder or address, or it "
            "was deleted there. Use the same folder or url as before, or give another name."
        )

    def _settle(self) -> None:
        """Reports what a killed program had finished, and gives back what it was running."""
        claims, cut_short, unreported = self._journal.unsettled()
        for key, limit in claims:
            with contextlib.suppress(NotFoundError):
                claimed = self._run(_batch.claim(self.place.batch_id, limit, CLAIM_SECONDS, LEASE_SECONDS, self.space, key))
                self._journal.claimed(key, claimed)
                cut_short += [(each.id, each.lease_token) for each in claimed]
        for line in unreported:
            evaluation_id, token = line["lease"]
            self._report(evaluation_id, token, outcome_of(line), line["seconds"])
        for evaluation_id, token in cut_short:
            self._let_go(evaluation_id, token)

    def _recall(self) -> dict[tuple[float, ...], Outcome]:
        """Known outcomes, by input as the service counts."""
        history = self.result().history
        self.run_count = len(history)
        """Runs so far."""
        runs = {self._key(run.input): self._outcome(run.output or Failed(run.failure or "failed")) for run in history}
        self._waiting = (self._record.read() or {}).get("own", [])
        kept: dict[tuple[float, ...], Outcome] = {
            tuple(numbers): Failed("failed") if output is None else output for numbers, output in self._waiting
        }
        self._own.update(kept)
        return {**runs, **kept}

    def ask(self, count: int = 1, *, wait: bool = True) -> list[Asked]:
        """
        `count` inputs to run, or fewer when the search is over. Without `wait` fewer also when the next ones depend on inputs that are
        being run, as at the end of the designed runs, or when one of them is likely to meet the goals.
        """
        asked: list[Asked] = []
        missing = count
        self._want(missing)
        try:
            while missing and (batch := self._batch()).status in OPEN_STATES:
                may_wait = wait and not asked
                if not may_wait and _has_designed_all(batch):
                    break
                self._make_room(batch)
                claimed = self._claim(missing)
                self._want(-len(claimed))
                missing -= len(claimed)
                asked += [Asked(each.id, self.space.values_of(each.input), each.lease_token) for each in claimed]
                if not claimed and not may_wait and self._is_stuck():
                    break
        finally:
            self._want(-missing)
        self._send_own()
        self._keep_leases()
        return asked

    def _want(self, more: int) -> None:
        with self._lock:
            self._asking += more

    def _make_room(self, batch: m.Batch) -> None:
        """As many inputs are open as are run: more would be suggested with less knowledge, fewer would let somebody wait."""
        wanted = min(self._parallel or batch.progress.evaluations.leased + self._asking, MOST_OPEN)
        if wanted != batch.parallelism:
            # Another thread may have ended the search meanwhile.
            with contextlib.suppress(BatchEndedError):
                self.client.update_batch(self.place.batch_id, m.BatchPatch(parallelism=max(1, wanted)))

    def _claim(self, count: int) -> list[m.ClaimedEvaluation]:
        key = secrets.token_hex(16)
        with self._lock:
            self._journal.claiming(key, count)
        claimed = self._run(_batch.claim(self.place.batch_id, count, CLAIM_SECONDS, LEASE_SECONDS, self.space, key))
        with self._lock:
            self._journal.claimed(key, claimed)
        known = [each for each in claimed if self._is_answered(each)]
        for each in known:
            self._report(each.id, each.lease_token, self._known[tuple(each.input)], 0.0)
        with self._lock:
            self._held.update({each.id: each for each in claimed if each not in known})
        return [each for each in claimed if each not in known]

    def _is_answered(self, evaluation: m.ClaimedEvaluation) -> bool:
        """Whether a run of this input was told already. A suggestion may repeat one of the search itself on purpose, where runs differ."""
        key = tuple(evaluation.input)
        return key in self._known and (evaluation.kind == "case" or key in self._own)

    def _is_stuck(self) -> bool:
        """Whether all inputs that exist so far are being run, and further ones depend on what comes of them."""
        batch = self._batch()
        (entry,) = self.client.list_batch_objectives(self.place.batch_id).body
        if entry.objective_id is None or batch.progress.evaluations.waiting > 0:
            return _has_designed_all(batch)
        # Open runs that are not leased are being computed. A search may hold back while an open run is likely to end it.
        open_count = self.client.get_objective(entry.objective_id).body.open_count
        return 0 < open_count <= batch.progress.evaluations.leased

    def tell(self, asked: Asked, output: Output | Failed) -> Told | None:
        """Reports an output or a failure; a NaN is a failure. None when it was told before. On disk before the service hears of it."""
        outcome = output if isinstance(output, Failed) else self.space.read_output(output)
        seconds = time.monotonic() - asked.began
        with self._lock:
            claimed = self._held.pop(asked.id, None)
            if claimed is None:
                return None
            self._journal.finished(claimed, outcome, seconds)
            if not (isinstance(outcome, Failed) and outcome.retryable):
                self._known[tuple(claimed.input)] = outcome
                self.run_count += 1
        told = self._report(asked.id, asked.lease_token, outcome, seconds)
        self._has_ended = self._has_ended or told.is_last
        return told

    def _report(self, evaluation_id: int, token: str, outcome: Outcome, seconds: float) -> Told:
        told = self._run(_batch.report(evaluation_id, token, outcome, seconds))
        with self._lock:
            self._journal.settled(evaluation_id, token, told.state)
        return told

    def work(self, run_all: Callable[[list[Mapping[str, Value]]], Sequence[Output | Failed]], count: int, budget: int | None) -> Result:
        """
        Asks and tells until the search is over, or there are `budget` runs. `run_all` gets up to `count` inputs. What it raises ends the
        work and is no outcome: its inputs are asked for again by the next call.
        """
        while (room := count if budget is None else min(count, budget - self.run_count)) > 0 and (asked := self.ask(room, wait=False)):
            try:
                outputs = run_all([each.input for each in asked])
            except BaseException:
                for each in asked:
                    self.release(each)
                raise
            for each, output in zip(asked, outputs, strict=True):
                self.tell(each, output)
            if self._watched is not None:
                self._watched.learn_what_moves(self._record)
        return self.result()

    def release(self, asked: Asked) -> None:
        """Gives an input back that is not run after all."""
        with self._lock:
            claimed = self._held.pop(asked.id, None)
        if claimed is not None:
            self._let_go(asked.id, asked.lease_token)

    def _let_go(self, evaluation_id: int, token: str) -> None:
        self._run(_batch.release(evaluation_id, token))
        with self._lock:
            self._journal.settled(evaluation_id, token, "released")

    def is_known(self, given: Mapping[str, Any]) -> bool:
        """Whether this input has been run."""
        return self._key(given) in self._known

    def add(self, runs: Sequence[tuple[Mapping[str, Any], Output | Failed]]) -> int:
        """
        Runs of inputs that were not asked for. The search learns from them once its designed runs are done; until then they are kept in the
        record. Returns how many were new: a run that is known is left out.
        """
        new = {self._key(given): self._outcome(output) for given, output in runs if not self.is_known(given)}
        if not new:
            return 0
        rows = [[list(key), None if isinstance(outcome, Failed) else outcome] for key, outcome in new.items()]
        with self._lock:
            self._keep_own([*self._waiting, *rows])
            self._known.update(new)
            self._own.update(new)
            self.run_count += len(new)
        self._send_own()
        return len(new)

    def _keep_own(self, rows: list[Any]) -> None:
        self._waiting = rows
        self._record.write({**(self._record.read() or {}), "own": rows})

    def _outcome(self, output: Output | Failed) -> Outcome:
        return output if isinstance(output, Failed) else self.space.read_output(output)

    def _send_own(self) -> None:
        """Once there is a trial. The service leaves out what it has."""
        with self._lock:
            rows = self._waiting
            trial_id = self._batch().trial_id if rows else None
            if trial_id is None:
                return
            path = (self.place.model_id, self.place.project_id, trial_id)
            for some in (rows[start : start + MOST_ROWS] for start in range(0, len(rows), MOST_ROWS)):
                inputs, outputs = zip(*some, strict=True)
                self.client.add_cases(
                    *path, m.NewTrialCases.model_validate({"inputs": inputs, "outputs": outputs, "source": self.name[:80]})
                )
            self._keep_own([])

    def _key(self, given: Mapping[str, Any]) -> tuple[float, ...]:
        """An input as the service counts. Raises ValueError where a value is missing or none of its input."""
        missing = [name for name in self.space.inputs if name not in given]
        if missing:
            raise ValueError(f"The run has no {' and no '.join(missing)}.")
        return tuple(each.to_number(given[name]) for name, each in self.space.inputs.items())

    @property
    def is_open(self) -> bool:
        """Whether the search goes on."""
        return not self._has_ended and self._batch().status in OPEN_STATES

    def result(self) -> Result:
        """Reads what has been found so far."""
        return self._run(read_result(self.name, self.place, self.space))

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Gives back what is held. What was told stays, and the same session goes on later."""
        if self._is_closed.is_set():
            return
        self._is_closed.set()
        for evaluation in list(self._held.values()):
            with contextlib.suppress(BacksolveError):
                self._let_go(evaluation.id, evaluation.lease_token)
        self._held.clear()
        self._resources.close()

    def _keep_leases(self) -> None:
        with self._lock:
            if self._beating is None and self._held:
                self._beating = threading.Thread(target=self._beat, name="backsolve leases", daemon=True)
                self._beating.start()

    def _beat(self) -> None:
        """A service that is away for a while costs a lease at most, and it counts until somebody else takes it."""
        while not self._is_closed.wait(LEASE_SECONDS / 3):
            for evaluation in list(self._held.values()):
                with contextlib.suppress(BacksolveError):
                    self._run(_batch.heartbeat(evaluation.id, evaluation.lease_token))

    def _batch(self) -> m.Batch:
        return self.client.get_batch(self.place.batch_id).body

    def _run(self, steps: Steps[T]) -> T:
        return run(self.client, steps)


def _has_designed_all(batch: m.Batch) -> bool:
    """Whether all designed inputs are being run or done, and the first suggestion depends on those that are run."""
    counts = batch.progress.evaluations
    return batch.status == "evaluating-cases" and counts.waiting == 0 and counts.leased > 0


def read_record(name: str, folder: str | Path, url: str | None = None) -> dict[str, Any] | None:
    """Record of a session that was begun before; None if there is none. Raises BusyError while another process has it."""
    held = Folder(Path(folder), _folder_of(name, address_of(None, url)))
    try:
        return held.read()
    finally:
        held.close()


def _folder_of(name: str, address: str | None) -> str:
    return folder_name(f"session-{name}", address, None)


_KEPT = {"inputs": "project", "goals": "objective"}
