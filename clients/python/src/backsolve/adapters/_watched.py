"""The black box that a framework calls, as far as a session may see it, so that the runs of another one do not count for it."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from backsolve._kept import Changed, Comparison, Kept, choose
from backsolve._looks import Looks, changes, with_silent, without_moving
from backsolve.inputs import Value
from backsolve.problem import Failed, Output, Problem

LOG = logging.getLogger("backsolve")
HOW_TO_GO_ON = (
    "Revert the change, give another name, or start over with fresh=True. If runs at one input differ by chance, state noise in search: "
    "the same call then goes on without a further run."
)


class Record(Protocol):
    """Keeps the identity of the search: in the folder by default, or in the storage of a framework that several machines share."""

    def read(self) -> dict[str, Any] | None:
        """None before the first write."""

    def write(self, record: dict[str, Any]) -> None: ...


@dataclass(frozen=True)
class BlackBox:
    """Facts about the black box that its framework calls, so that the runs of another one do not count for it."""

    look: Callable[[], Looks]
    """Current looks of it."""
    run: Callable[[Mapping[str, Value]], Output | Failed]
    """Makes one run."""
    is_named: bool
    """Whether the user has named the search: then another black box under that name is refused, and otherwise it has another search."""


class Watched:
    """Compares one kept run where the black box may have changed, and keeps what it looks like."""

    def __init__(self, black_box: BlackBox, name: str, problem: Problem) -> None:
        self._black_box = black_box
        self._name = name
        self._problem = problem
        self.looks = black_box.look()
        """As they were when the session began."""

    def refuse_others(self, kept_in: Record, runs: Sequence[Kept], answer: Callable[[], Sequence[float] | None]) -> None:
        """Makes a kept run once more where the black box may have changed. Raises ChangedAnswerError where its output is another one."""
        space = self._problem.space
        record = kept_in.read() or {}
        before: Looks = record.get("looks", {})
        looks = with_silent(self.looks, before)
        changed = Changed(looks, changes(before, looks))
        kept = choose(runs, changed, answer()) if changed.parts and runs else None
        if kept is not None:
            comparison = Comparison(self._name, space, self._problem.noise, HOW_TO_GO_ON, kept, runs, changed, record)
            if (announcement := comparison.announcement) is not None:
                LOG.info(announcement)
                given = self._black_box.run(space.values_of(kept.input))
                comparison.take(given if isinstance(given, Failed) else space.read_output(given))
                kept_in.write(record)
            if (warning := comparison.judge()) is not None:
                warnings.warn(warning, stacklevel=2)
        self.keep(kept_in, looks)

    def keep(self, kept_in: Record, looks: Looks | None = None) -> None:
        record = {key: value for key, value in (kept_in.read() or {}).items() if key != "again"}
        kept_in.write({**record, "looks": self.looks if looks is None else looks})

    def learn_what_moves(self, kept_in: Record) -> None:
        """A part of the black box that differs after the runs is changed by them, as a counter is."""
        record = kept_in.read()
        if record is None or "looks" not in record:
            return
        looks = without_moving(record["looks"], self.looks, self._black_box.look())
        if looks != record["looks"]:
            self.keep(kept_in, looks)
