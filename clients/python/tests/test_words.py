"""Messages in the words of the program that reads them."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from backsolve import (
    Backsolve,
    Result,
    at_most,
    choice,
    exact,
    fit,
    integer,
    least_squares,
    log,
    minimize,
    models,
    problems,
    real,
    solve,
    within,
)
from backsolve._errors import Violation
from backsolve._refusals import Names, say_violation

CASES = json.loads((Path(__file__).parents[3] / "test" / "clients" / "refusals.json").read_text())
NAMES = Names(**{key.removesuffix("s") if key != "open" else key: value for key, value in CASES["names"].items()})
GOALS = {"y": at_most(3)}
SERVICE_WORDS = re.compile(r"\b[a-z]+[A-Z]\w*|\[\d+\]|\b(minimums|maximums|objectives?|trials?|inverses?)\b")


def one(**_: Any) -> float:
    return 1.0


@pytest.mark.parametrize("case", CASES["cases"], ids=lambda case: case["pointer"])
def test_every_refusal_has_the_words_of_the_table(case: dict[str, Any]) -> None:
    violation = Violation("", case["pointer"], case["message"], tuple(case.get("parts", ())))
    place, message = say_violation(NAMES, case["body"], violation)
    assert (f"{place}: {message}" if place else message) == case["said"]


INPUTS: dict[str, Any] = {"a": (0, 1)}
WRONG: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any], str]] = {
    "reversed": ({"a": (10, 0)}, GOALS, {}, "a: the upper bound must be at least the lower bound (10), is 0."),
    "same": (
        {"a": integer(0.5, 9.7)},  # type: ignore[arg-type]
        GOALS,
        {},
        "The problem has 2 faults:\n"
        "a: the lower bound must be a whole number for integer, at most 2^53 - 1, is 0.5.\n"
        "a: the upper bound must be a whole number for integer, at most 2^53 - 1, is 9.7.",
    ),
    "choices": ({"a": choice("x", "x")}, GOALS, {}, "a: the choices must not repeat a name."),
    "negative log": ({"a": log(-1, 10)}, GOALS, {}, "a: the scale can be log only with a positive minimum, the lower bound is -1."),
    "too many inputs": ({f"a{i}": (0, 1) for i in range(201)}, GOALS, {}, "inputs: their number must be at most 200, is 201."),
    "too many residuals": (
        INPUTS,
        {"y": fit([0.0] * 6_000)},
        {},
        "goals: their number, in which every value of a fit counts, must be at most 2500, is 6000.",
    ),
    "percent of nothing": (
        INPUTS,
        {"y": within(0, percent=1)},
        {},
        "y: the target must not be 0 for a tolerance in percent; use within(..., tolerance) instead.",
    ),
    "a long name": ({"a" * 70: (0, 1)}, GOALS, {}, f"{'a' * 70}: the name must have at most 64 characters, has 70."),
    "mixed": (
        INPUTS,
        {"y": exact(1), "z": at_most(3)},
        {},
        "goals: exact judges all outputs together: either every type must be exact or none.",
    ),
    "a fixed value": (INPUTS, GOALS, {"fixed": {"a": 3}}, "fixed: a must be between 0 and 1, is 3."),
    "no room": (
        INPUTS,
        GOALS,
        {"constraints": ["sin(1000*a) >= 0.9999999", "sin(999*a) <= -0.9999999"]},
        "constraints: leave no input that could be found; state one that satisfies them as feasible_input.",
    ),
    "confidence": (INPUTS, GOALS, {"confidence": 3}, "confidence: must be at most 0.999, is 3."),
    "stop": (INPUTS, GOALS, {"stop": {"improvement_below": 2}}, "stop: improvement_below must be at most 1, is 2."),
    "options": (
        INPUTS,
        GOALS,
        {"options": {"solutions": {"coutn": 3}}},
        "options: solutions: coutn is not a field; did you mean solutions.count?",
    ),
    "a front": (
        INPUTS,
        {"y": minimize()},
        {"options": {"robust_runs": 3}},
        "options: robust_runs needs aim_at_robustness.",
    ),
}


@pytest.mark.parametrize(("inputs", "goals", "search", "message"), WRONG.values(), ids=WRONG)
def test_a_refusal_says_what_the_program_wrote(inputs: dict[str, Any], goals: dict[str, Any], search: dict[str, Any], message: str) -> None:
    with pytest.raises(problems.ValidationFailedError) as refused:
        solve(one, inputs, goals, progress=False, **search)
    assert str(refused.value) == message
    assert not SERVICE_WORDS.search(message)


@pytest.mark.parametrize(
    ("inputs", "options", "message"),
    [
        (INPUTS, {"budget": 3.5}, "budget must be a whole number of at least 1, is 3.5."),
        (INPUTS, {"parallel": 2.5}, "parallel must be a whole number of at least 1, is 2.5."),
        (INPUTS, {"cases": 0}, "cases must be a whole number of at least 1, is 0."),
        (INPUTS, {"weights": {"y": math.inf}}, "weights: y must be a finite number."),
        (INPUTS, {"confidence": "high"}, "confidence: must be a number, is 'high'."),
        ({"a": real(0, 1, likely=(0, math.inf))}, {}, "a: the upper end of likely must be a finite number."),
        (INPUTS, {"stop": 7}, "stop must be True, False, or a dictionary of patience, improvement_below, until and maximum_runs, not 7."),
    ],
)
def test_what_cannot_be_sent_is_said_like_a_refusal(inputs: dict[str, Any], options: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError)) as refused:
        solve(one, inputs, GOALS, progress=False, **options)
    assert str(refused.value) == message


def test_least_squares_says_what_it_has_instead_of_a_budget() -> None:
    with pytest.raises(TypeError, match="has no budget: give max_nfev"):
        least_squares(lambda _: [1.0], bounds=([0], [1]), budget=3)  # type: ignore[call-arg]


def test_a_refused_problem_may_be_corrected_under_its_name() -> None:
    with pytest.raises(problems.ValidationFailedError):
        solve(one, {"a": (10, 0)}, GOALS, name="bracket", progress=False)
    found: Result = solve(one, {"a": (0, 10)}, GOALS, name="bracket", progress=False)
    assert found.satisfied


def test_the_client_names_fields_as_it_writes_them(client: Backsolve) -> None:
    model = client.create_model(models.NewModel(name="words of the client")).body
    sent: dict[str, Any] = {"name": "Words", "input_count": 1, "minimums": [3], "maximums": [1], "input_types": ["float"]}
    with pytest.raises(problems.ValidationFailedError) as refused:
        client.create_project(model.id, models.NewProject(**sent, feasible=1))
    assert "feasible: is not a field; did you mean feasible_input?" in str(refused.value)
    with pytest.raises(problems.ValidationFailedError) as refused:
        client.create_project(model.id, models.NewProject(**{**sent, "input_count": 0}))
    assert str(refused.value) == "input_count: must be at least 1, is 0."
    with pytest.raises(ValueError, match=r"^minimums.0 must be a finite number: JSON has no NaN and no infinity\.$"):
        client.create_project(model.id, models.NewProject(**{**sent, "minimums": [math.inf]}))
