"""Inputs, goals and outputs as a program states them."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from backsolve import (
    AsyncBacksolve,
    AsyncProject,
    Backsolve,
    Input,
    OutputError,
    Project,
    above,
    at_least,
    boolean,
    choice,
    exact,
    integer,
    levels,
    log,
    maximize,
    minimize,
    real,
    solve,
    solve_async,
    within,
)
from backsolve._progress import Progress
from backsolve.problem import Failed, Space, make_problem
from backsolve.result import Run

SPACE = Space({"x": real(0, 1), "n": integer(2, 9), "m": choice("steel", "brass"), "on": boolean(), "d": levels(4, 1, 2.5)}, ("T", "cost"))


def test_inputs_have_python_values() -> None:
    values = SPACE.values_of([0.5, 3, 2, 1, 2.5])
    assert values == {"x": 0.5, "n": 3, "m": "brass", "on": True, "d": 2.5}
    assert [type(value) for value in values.values()] == [float, int, str, bool, float]
    numbers = [each.to_number(value) for each, value in zip(SPACE.inputs.values(), values.values(), strict=True)]
    assert numbers == [0.5, 3, 2, 1, 2.5]
    with pytest.raises(ValueError, match="not one of steel, brass"):
        choice("steel", "brass").to_number("gold")


OUTPUTS = {
    "a dictionary": {"cost": 2, "T": 1, "more": 3},
    "a list": [1, 2],
    "a tuple": (1.0, 2.0),
    "an array": np.array([1, 2]),
    "numbers of numpy": {"T": np.float32(1), "cost": np.int64(2)},
    "a series": pd.Series({"T": 1.0, "cost": 2.0}),
}


@pytest.mark.parametrize("given", OUTPUTS.values(), ids=OUTPUTS.keys())
def test_outputs(given: object) -> None:
    assert SPACE.read_output(given) == [1, 2]


def test_one_number_is_an_output() -> None:
    one = Space({"x": real(0, 1)}, ("y",))
    assert one.read_output(3) == one.read_output(np.float64(3)) == one.read_output(np.array([3.0])) == [3]


@pytest.mark.parametrize("given", [[1, float("nan")], {"T": 1, "cost": np.inf}, np.array([1, np.nan])])
def test_nan_is_a_failed_run(given: object) -> None:
    assert isinstance(SPACE.read_output(given), Failed)


@pytest.mark.parametrize("given", [None, "12", [1], {"T": 1}, {}, [1, "hot"], [1, None], 5])
def test_what_is_no_output(given: object) -> None:
    with pytest.raises(OutputError):
        SPACE.read_output(given)


def test_goals() -> None:
    assert within(380, 2) == within(380, (-2, 2))
    assert str(within(380, percent=1)) == "380 ± 1%"
    assert str(within(380, standard_deviations=2)) == "380 ± 2 sd"
    assert str(within(5, (-1, 2))) == "5 -1 +2"
    assert [str(goal) for goal in (exact(1), above(2), at_least(3), minimize(4), maximize())] == [
        "= 1",
        "> 2",
        ">= 3",
        "minimize to 4",
        "maximize",
    ]
    with pytest.raises(ValueError, match="one tolerance"):
        within(380)
    with pytest.raises(ValueError, match="leaves no room"):
        within(380, 0)


def test_mistakes_are_named() -> None:
    with pytest.raises(ValueError, match="at least one input"):
        make_problem({}, {"y": exact(1)})
    with pytest.raises(ValueError, match="The goal of y must be"):
        make_problem({"x": (0, 1)}, {"y": 5})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="goals has x, which is an input"):
        make_problem({"x": (0, 1)}, {"x": exact(1)})
    with pytest.raises(ValueError, match="The input x must be"):
        make_problem({"x": 5}, {"y": exact(1)})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="standard deviation of every output"):
        make_problem({"x": (0, 1)}, {"y": exact(1)}, noise={})
    with pytest.raises(ValueError, match='noise must be "estimate", or'):
        make_problem({"x": (0, 1)}, {"y": exact(1)}, noise=[0.5])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="two values"):
        levels(1)
    with pytest.raises(ValueError, match="two names"):
        choice("one")


def test_bodies_say_only_what_is_stated() -> None:
    inputs = {"k": log(1e-5, 0.1, likely=(1e-4, 1e-2), unit="mol"), "s": real(0, 1, step=0.25), "d": levels(1, 2.5, 4)}
    problem = make_problem(inputs, {"y": within(1, percent=(-1, 2))}, constraints="s <= d", cases=9, stop={"improvement_below": 0.1})
    project = problem.project_body("Name").model_dump(by_alias=True, exclude_unset=True)
    assert project["scales"] == ["log", None, None]
    assert project["steps"] == [None, 0.25, None]
    assert project["levels"] == [None, None, [1, 2.5, 4]]
    assert project["likelyMinimums"] == [1e-4, None, None]
    assert project["inputUnits"] == ["mol", "", ""]
    assert project["constraints"] == ["s <= d"]
    assert project["caseCount"] == 9
    objective = problem.objective_body(7).model_dump(by_alias=True, exclude_unset=True, mode="json")
    assert objective["stop"] == {"improvementBelow": 0.1}
    assert (objective["minimumBounds"], objective["maximumBounds"], objective["maximumAttempts"]) == ([-1], [2], 7)
    assert "weights" not in objective
    plain = make_problem({"x": (0, 1)}, {"y": exact(1)}, stop=True)
    assert set(plain.project_body("N").model_fields_set) & {"scales", "steps", "levels", "input_units"} == set()
    assert plain.search == {"stop": {}}
    assert make_problem({"x": (0, 1)}, {"y": exact(1)}, stop=False).search == {}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"constraint": "a <= b"}, "solve has no option 'constraint'. Did you mean 'constraints'?"),
        ({"confidance": 0.9}, "solve has no option 'confidance'. Did you mean 'confidence'?"),
        ({"budgett": 30}, "solve has no option 'budgett'. Did you mean 'budget'?"),
        ({"zzz": 30}, "solve has no option 'zzz'. It has f, inputs, goals, parallel, budget,"),
        ({"stop": {"patiense": 3}}, "stop has no rule 'patiense'. Did you mean 'patience'?"),
        ({"options": {"solution": {"count": 3}}}, "options has no field 'solution'. Did you mean 'solutions'?"),
        ({"options": {"objective_types": ["exact"]}}, "options must not have objective_types: it follows from goals."),
    ],
)
def test_an_unknown_option_is_refused_with_the_nearest_known_one(options: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        solve(lambda x: x, {"x": (0, 1)}, {"y": exact(1)}, **options)
    with pytest.raises(TypeError, match=re.escape(message.replace("solve", "solve_async").split("It has")[0])):
        asyncio.run(solve_async(lambda x: x, {"x": (0, 1)}, {"y": exact(1)}, **options))
    assert not Path(".backsolve").exists()


def test_ask_and_tell_refuses_unknown_options(client: Backsolve) -> None:
    with pytest.raises(TypeError, match="Project.create has no option 'paralel'. Did you mean 'parallel'?"):
        Project.create(client, {"x": (0, 1)}, {"y": exact(1)}, paralel=2)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="make_problem has no option 'wieghts'. Did you mean 'weights'?"):
        make_problem({"x": (0, 1)}, {"y": exact(1)}, wieghts={"y": 1})  # type: ignore[call-arg]

    async def create() -> None:
        async with AsyncBacksolve() as asynchronous:
            await AsyncProject.create(asynchronous, {"x": (0, 1)}, {"y": exact(1)}, case=2)  # type: ignore[call-arg]

    with pytest.raises(TypeError, match="AsyncProject.create has no option 'case'. Did you mean 'cases'?"):
        asyncio.run(create())


def test_further_fields_may_be_written_the_way_of_python() -> None:
    problem = make_problem({"x": (0, 1)}, {"y": exact(1)}, options={"desired_l1_norm": 0.1, "holdBack": True})
    assert problem.search == {"desiredL1Norm": 0.1, "holdBack": True}


WIDE = json.loads((Path(__file__).parents[3] / "test" / "clients" / "wide-ranges.json").read_text())["rows"]


@pytest.mark.parametrize("row", WIDE, ids=str)
def test_wide_ranges_are_logarithmic_as_in_the_other_clients(row: dict[str, Any]) -> None:
    values = row.get("levels")
    number = Input(
        row["type"],
        row["minimum"],
        row["maximum"],
        scale=row.get("scale"),
        step=row.get("step"),
        values=None if values is None else tuple(values),
    )
    assert number.is_log_by_range == (row["powers"] is not None)
    if row["powers"] is not None:
        assert number.describe_log("k") == (
            f'k varies by factors (log scale), because its range spans {row["powers"]} powers of ten; state scale="linear" to refuse.'
        )


def test_a_scale_that_is_stated_stays_and_a_search_that_was_begun_keeps_its_scales() -> None:
    inputs: dict[str, Any] = {
        "k": (1e-5, 8),
        "w": real(1, 1e4, scale="linear"),
        "n": integer(1, 5000, scale="linear"),
        "r": levels(1, 1e4, scale="log"),
    }
    stated = make_problem(inputs, {"y": exact(1)})
    made = stated.with_scales(None)
    assert [each.scale for each in made.inputs.values()] == ["log", "linear", "linear", "log"]
    assert [each.kind for each in stated.advice_on(made)] == ["log-scale"]
    begun = stated.with_scales([None, None, None, "log"])
    assert begun.inputs["k"].scale is None
    assert stated.advice_on(begun) == []


def test_a_search_ends_by_evidence_unless_it_is_stated() -> None:
    def stop_of(**search: Any) -> Any:
        return make_problem({"x": (0, 1)}, {"y": exact(1)}, **search).with_defaults().search.get("stop")

    assert stop_of() == {}
    assert stop_of(stop=True) == {}
    assert stop_of(stop=False) is None
    assert stop_of(stop=None) is None
    assert stop_of(options={"stop": None}) is None
    assert stop_of(stop={"patience": 4}) == {"patience": 4}


def test_the_progress_names_the_run_as_best_that_the_service_names() -> None:
    def run(number: int, u: float, v: float) -> Run:
        return Run("suggested", number, {}, {"u": 0.0, "v": 0.0}, misses={"u": u, "v": v})

    runs = [run(1, 3, 3), run(2, 0, 9), run(3, 1, 1), run(4, 0.6, 1.1)]
    goals = {"u": within(1, 0.1), "v": within(1, 0.1)}

    def best(**search: Any) -> int:
        progress = Progress("p", None, make_problem({"x": real(0, 1)}, goals, **search).miss_shares)
        for each in runs:
            progress.add(each)
        assert progress.best is not None
        return progress.best.number

    assert best() == 3
    assert best(priorities={"v": 2}) == best(options={"priorities": [1, 2]}) == 2
    assert best(weights={"u": 2}) == 4
