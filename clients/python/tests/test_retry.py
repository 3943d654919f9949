"""A black box that was wrong and has been mended: its failed runs are run again, or the problem starts over."""

from __future__ import annotations

import itertools
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from backsolve import Result, solve, within

# They mend the black box, and it says so; test_kept.py tests when.
pytestmark = pytest.mark.filterwarnings("ignore:The black box has changed")

INPUTS = {"a": (0, 10), "b": (0, 10)}
GOALS = {"u": within(12, percent=1), "v": within(13, percent=1)}
OUT_OF_REACH = {"u": within(12, percent=1), "v": within(100, percent=1)}


class BlackBox:
    """Notes its calls. `is_broken` says whether a call fails, by its number and input."""

    def __init__(self, is_broken: Callable[[int, float], bool] = lambda _number, _a: False) -> None:
        self.calls: list[tuple[float, float]] = []
        # Calls in two threads get different numbers.
        self._numbers = itertools.count(1)
        self._is_broken = is_broken

    def __call__(self, a: float, b: float) -> dict[str, float]:
        self.calls.append((a, b))
        if self._is_broken(next(self._numbers), a):
            raise NameError("name 'bb' is not defined")
        return {"u": a * b, "v": a + 3 * b}


def play(f: Callable[..., Any], goals: Any = GOALS, **options: Any) -> Result:
    return solve(f, INPUTS, goals, **{"name": "mended", "cases": 6, "budget": 60, **options})


def failures(result: Result) -> int:
    return sum(run.failure is not None for run in result.history)


def journal() -> Path:
    (path,) = Path(".backsolve/python").glob("*/runs.jsonl")
    return path


def test_a_search_in_which_everything_failed_says_what_to_do_and_is_mended(capsys: pytest.CaptureFixture[str]) -> None:
    broken = play(BlackBox(lambda _number, _a: True))
    assert broken.status == "failed"
    advice = "retry_failed=True runs the failed ones again; fresh=True starts over."
    assert str(broken.reason).endswith(f"NameError: name 'bb' is not defined. Once the black box is fixed, {advice}")
    mended = BlackBox()
    replayed = play(mended)
    assert str(replayed.reason).endswith(f"These runs are from an earlier call: {advice}")
    assert "continuing after 10 runs, 10 of which failed; retry_failed=True repeats these" in capsys.readouterr().err
    assert mended.calls == []
    result = play(mended, retry_failed=True)
    assert "retrying 10 failed runs" in capsys.readouterr().err
    assert result.satisfied
    assert (result.retried, failures(result)) == (10, 0)
    assert len(mended.calls) == len(result.history)
    again = play(mended, retry_failed=True)
    assert "no run has failed, so there is nothing to retry" in capsys.readouterr().err
    assert (again.retried, again.best) == (0, result.best)


def test_only_the_designed_runs_that_failed_are_run_again_after_an_interruption() -> None:
    def interrupted(number: int, _a: float) -> bool:
        if number == 5:
            raise KeyboardInterrupt
        return number in (1, 3)

    broken, mended = BlackBox(interrupted), BlackBox()
    with pytest.raises(KeyboardInterrupt):
        play(broken, progress=False)
    result = play(mended, retry_failed=True, progress=False)
    assert result.satisfied
    assert (result.retried, failures(result)) == (2, 0)
    assert {broken.calls[0], broken.calls[2]} <= set(mended.calls)
    assert not {broken.calls[1], broken.calls[3]} & set(mended.calls)


def test_failed_runs_of_a_search_that_has_ended_get_their_results(capsys: pytest.CaptureFixture[str]) -> None:
    broken, mended = BlackBox(lambda number, _a: number in (2, 5) or number > 7), BlackBox()
    first = play(broken, OUT_OF_REACH, budget=9, parallel=2)
    assert first.status == "exhausted"
    assert failures(first) == 4
    result = play(mended, OUT_OF_REACH, budget=9, parallel=2, retry_failed=True)
    assert (result.retried, failures(result), len(result.history)) == (4, 0, 9)
    assert len(mended.calls) == 4
    assert set(mended.calls) <= set(broken.calls)
    assert {run.input["a"] for run in result.history} == {run.input["a"] for run in first.history}
    assert capsys.readouterr().err.count("retried a failed run: a=") == 4


def test_a_search_that_failures_have_ended_goes_on() -> None:
    broken, mended = BlackBox(lambda number, _a: number > 6), BlackBox()
    first = play(broken, progress=False)
    assert first.status == "failed"
    assert "NameError: name 'bb' is not defined. Once the black box is fixed, retry_failed=True runs" in str(first.reason)
    result = play(mended, retry_failed=True, progress=False)
    assert result.satisfied
    assert result.retried == failures(first)
    assert result.best is not None
    assert failures(result) == 0


def test_what_was_run_again_is_told_after_an_interruption() -> None:
    play(BlackBox(lambda number, _a: number > 7), OUT_OF_REACH, budget=9, progress=False)
    mended = BlackBox()
    result = play(mended, OUT_OF_REACH, budget=9, retry_failed=True, progress=False)
    lines = journal().read_text().splitlines(keepends=True)
    assert json.loads(lines[-1])["kind"] == "corrected"
    journal().write_text("".join(lines[:-1]))
    again = play(mended, OUT_OF_REACH, budget=9, progress=False)
    assert json.loads(journal().read_text().splitlines()[-1])["kind"] == "corrected"
    assert again.best == result.best
    # The third is a kept run, which the mended black box must answer alike.
    assert (result.retried, len(mended.calls)) == (2, 3)


def test_a_run_that_fails_again_stays_a_failed_run() -> None:
    first = play(BlackBox(lambda number, _a: number in (2, 5)), budget=8, progress=False)
    second = play(BlackBox(lambda number, _a: number == 1), budget=8, retry_failed=True, progress=False)
    assert (failures(first), failures(second), second.retried) == (2, 1, 2)


def test_starting_over_and_trying_again_exclude_each_other() -> None:
    with warnings.catch_warnings(), pytest.raises(ValueError, match="leave out fresh, or retry_failed"):
        play(BlackBox(), fresh=True, retry_failed=True)
