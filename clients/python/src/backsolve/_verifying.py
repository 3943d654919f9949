"""Runs at the ends of the intervals of a fit, so that these rest on the black box and not on its models alone."""

from __future__ import annotations

from typing import Any

from . import _batch
from ._generated import models as m
from ._journal import Folder
from ._progress import Progress
from ._words import short
from ._work import Work
from .client import AsyncBacksolve
from .problem import Failed
from .result import Result

SOURCE = "verify"


class Verifying:
    """
    Each run becomes a case of the trial. It is on disk before the service hears of it, and is told again by every later call, because the
    service knows a case that it has.
    """

    def __init__(self, work: Work, client: AsyncBacksolve, folder: Folder, progress: Progress) -> None:
        self._work = work
        self._client = client
        self._folder = folder
        self._progress = progress

    async def run(self, result: Result) -> bool:
        """Whether the intervals now rest on runs that `result` does not know."""
        record = self._folder.read()
        assert record is not None  # noqa: S101 - written by the search
        made: list[dict[str, Any]] = record.setdefault("verified", [])
        has_news = await self._tell(result, made)
        while result.satisfied and len(made) < self._work.verify:
            at = await self._next(result)
            if at is None or any(each["input"] == at for each in made):
                break
            outcome = await self._work.call(at)
            failure = outcome.reason if isinstance(outcome, Failed) else None
            made.append({"input": at, "output": None, **({} if isinstance(outcome, Failed) else _batch.told(outcome)), "failure": failure})
            self._folder.write(record)
            has_news = await self._tell(result, made[-1:]) or has_news
            self._note(at, failure)
        return has_news

    async def _next(self, result: Result) -> list[float] | None:
        """The input that tells most; None when none is worth a run."""
        assert result.objective is not None  # noqa: S101 - a fit has one
        found = (await self._client.get_fit(result.objective.objective_id)).body.fit
        worth = [] if found is None else [each.at for each in found.verify if each.is_unsure]
        return worth[0] if worth else None

    async def _tell(self, result: Result, made: list[dict[str, Any]]) -> bool:
        if not made:
            return False
        assert result.objective is not None  # noqa: S101 - a fit has one
        jacobians = [each.get("jacobian") for each in made]
        slopes: dict[str, Any] = {"jacobians": jacobians} if any(each is not None for each in jacobians) else {}
        body = m.NewTrialCases(inputs=[each["input"] for each in made], outputs=[each["output"] for each in made], **slopes, source=SOURCE)
        place = (result.model_id, result.project_id, result.objective.trial_id)
        return (await self._client.add_cases(*place, body)).body.added > 0

    def _note(self, at: list[float], failure: str | None) -> None:
        values = " ".join(f"{name}={short(value)}" for name, value in self._work.problem.space.values_of(at).items())
        self._progress.note(f"verified the end of an interval at {values}{'' if failure is None else f'; the run failed: {failure}'}")
