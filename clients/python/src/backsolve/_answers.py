"""Whether the black box of a call still answers as the kept runs say."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from . import _batch
from ._journal import Folder, Journal
from ._kept import Changed, Comparison, Kept, choose
from ._looks import Looks, changes, with_silent, without_moving
from ._progress import Progress
from ._work import Work
from .problem import Failed, Outcome

RETRY = "retry_failed=True runs the failed ones again"
START_OVER = "fresh=True starts over"


class Answers:
    """Compares one kept run where the black box may have changed, and keeps what it looks like."""

    def __init__(self, work: Work, journal: Journal, folder: Folder, progress: Progress) -> None:
        self._work = work
        self._journal = journal
        self._folder = folder
        self._progress = progress
        self._looks: Looks | None = work.looks
        """As they are kept; None where those of an earlier call are."""

    async def refuse_others(self, record: dict[str, Any], answer_of: Callable[[Mapping[str, Any]], Awaitable[list[float] | None]]) -> None:
        """
        Makes a kept run once more where the black box may have changed. Raises ChangedAnswerError where its output is another one, and
        ValueError where the budget leaves no runs anyway.
        """
        work = self._work
        before: Looks = record.get("looks", {})
        looks = with_silent(work.looks, before)
        changed = Changed(looks, changes(before, looks))
        runs = self._journal.kept()
        failures = self._journal.failure_count
        if changed.parts and (runs if work.is_retry else failures):
            which = f"{failures} failed ones are" if not work.is_retry else "others that failed are run again, and those with an output"
            warnings.warn(
                f"The black box has changed since earlier runs of {work.name}: {which} kept. {RETRY}, {START_OVER}.",
                stacklevel=2,
            )
        if work.is_retry and changed.parts:
            # They are compared by the next call: what is asked for now are the runs that failed.
            self._looks = None
            return
        if changed.parts and runs and (kept := choose(runs, changed, await answer_of(record))) is not None:
            await self._compare(kept, runs, changed, record)
        self._looks = looks
        record.pop("again", None)
        self._folder.write({**record, "looks": looks})

    async def _compare(self, kept: Kept, runs: list[Kept], changed: Changed, record: dict[str, Any]) -> None:
        work = self._work
        problem = work.problem
        comparison = Comparison(work.name, problem.space, problem.noise, work.how_to_go_on, kept, runs, changed, record)
        if (announcement := comparison.announcement) is not None:
            if record["batches"] and record["batches"][-1]["budget"] != work.budget:
                # Raises ValueError before anything is run in vain.
                _batch.attempts_left(work.budget, max(record["place"][2], self._journal.run_count))
            self._progress.note(announcement)
            outcome: Outcome = Failed("never run", retryable=True)
            for _ in range(work.tries):
                outcome = await work.call(kept.input, kept.source)
                if not (isinstance(outcome, Failed) and outcome.retryable):
                    break
            comparison.take(outcome)
            self._folder.write(record)
        if (warning := comparison.judge()) is not None:
            warnings.warn(warning, stacklevel=2)

    def learn_what_moves(self) -> None:
        """Nobody edits a function within a call of it: a part that differs later is changed by the runs, as a counter is."""
        if self._looks is None:
            return
        with contextlib.suppress(OSError):
            looks = without_moving(self._looks, self._work.looks, self._work.look())
            record = self._folder.read()
            if record is not None and looks != self._looks:
                self._folder.write({**record, "looks": looks})
                self._looks = looks
