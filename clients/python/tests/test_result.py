"""Tests what a result says to a person: how near it came, in which run, and in the units of the outputs."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from backsolve import Backsolve, Project, exact, minimize, solve, within
from backsolve._words import describe_off

INPUTS = {"a": (0, 10), "b": (0, 10)}
OUT_OF_REACH = {"u": within(12, percent=1), "v": within(100, 2)}


def u_and_v(a: float, b: float) -> dict[str, float]:
    return {"u": a * b, "v": a + 3 * b}


def test_a_search_that_falls_short_says_by_how_much_in_the_units_of_the_outputs(capsys: pytest.CaptureFixture[str]) -> None:
    result = solve(u_and_v, INPUTS, OUT_OF_REACH, budget=12, cases=6, name="short")
    best = result.best
    assert best is not None
    assert best.output is not None
    assert best.off_by["v"] == pytest.approx(98 - best.output["v"])
    missed = describe_off(best.off_by)
    assert f"; the nearest run, {best.name}, misses " in str(result.reason)
    assert "iteration" not in str(result)
    # Only what the targets cost is in tolerances: it is about all outputs together.
    assert "tolerance" not in str(result).replace(str(result.diagnosis), "")
    assert f"  -> v = {best.output['v']:.5g}  (misses 98 to 102 by {best.off_by['v']:.5g})" in str(result).splitlines()
    assert repr(result) == f"<Result of short: exhausted after 12 runs; {best.name} misses {missed}>"
    assert f"(misses {missed})" in capsys.readouterr().err


def test_a_larger_budget_keeps_all_runs_and_the_best_of_them() -> None:
    first = solve(u_and_v, INPUTS, OUT_OF_REACH, budget=14, cases=6, name="longer", progress=False)
    more = solve(u_and_v, INPUTS, OUT_OF_REACH, budget=15, cases=6, name="longer", progress=False)
    assert len(more.history) == 15
    assert list(more.history[:14]) == list(first.history)
    assert more.best is not None
    assert more.best.worst_miss == min(run.worst_miss for run in more.history if run.worst_miss is not None)
    # The new search starts from the best run of the first one.
    assert first.best is not None
    assert more.best.name == f"{first.best.name} of an earlier search"
    assert "the nearest run, run 1, misses" in str(more.reason)


def test_a_search_with_a_confidence_says_which_probability_was_reached() -> None:
    generator = np.random.default_rng(1)

    def noisy(a: float, b: float) -> dict[str, float]:
        return {name: value + generator.normal(0, 0.4) for name, value in u_and_v(a, b).items()}

    goals = {"u": within(12, 0.5), "v": within(13, 0.5)}
    result = solve(noisy, INPUTS, goals, noise={"u": 0.4, "v": 0.4}, confidence=0.99, budget=16, cases=6, progress=False)
    assert result.status == "exhausted"
    assert result.probability is not None
    assert 0 < result.probability < 0.99
    assert str(result.reason).endswith(f"; the probability reached is {result.probability:.5g}.")
    assert solve(u_and_v, INPUTS, {"u": minimize(), "v": minimize()}, budget=8, cases=6, progress=False).probability is None


def test_goals_that_are_judged_together_have_distances_of_their_own() -> None:
    result = solve(u_and_v, INPUTS, {"u": exact(12), "v": exact(100)}, budget=7, cases=6, progress=False)
    assert result.best is not None
    assert result.best.output is not None
    assert result.best.off_by == pytest.approx({"u": abs(12 - result.best.output["u"]), "v": 100 - result.best.output["v"]})
    assert re.search(r"-> v = \S+  \(misses 100 by ", str(result))


def test_a_surprising_output_is_mentioned_without_an_operation(capsys: pytest.CaptureFixture[str]) -> None:
    calls = []

    def black_box(a: float, b: float) -> dict[str, float]:
        calls.append(a)
        surprise = 1000 if len(calls) == 13 else 0
        return {"u": math.sin(a) * b + surprise, "v": a + 3 * b}

    solve(black_box, INPUTS, OUT_OF_REACH, budget=14, cases=12)
    said = capsys.readouterr().err
    assert "the model expected" in said
    assert "If it is wrong, correct the run with Project.correct." in said
    assert "/v1/" not in said


def test_a_project_tells_its_result_in_the_same_words(client: Backsolve) -> None:
    project = Project.create(client, INPUTS, OUT_OF_REACH, budget=7, cases=6)
    for evaluation in project:
        with evaluation:
            evaluation.tell(u_and_v(**evaluation.input))  # type: ignore[arg-type]
    result = project.result()
    assert str(result.reason).startswith("Exhausted: all 1 suggested inputs are used and none meets every target; the nearest run, ")
