"""Outputs that are arrays, fitted to data."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from backsolve import (
    Backsolve,
    ChangedProblemError,
    Fit,
    OutputError,
    Project,
    at_most,
    fit,
    least_squares,
    log,
    minimize,
    real,
    solve,
    solve_async,
)

TIMES = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0]
ERRORS = [0.02, -0.03, 0.01, 0.02, -0.02, -0.01, 0.01]


def decay(height: float, rate: float, times: Any = TIMES) -> Any:
    return height * np.exp(-rate * np.asarray(times))


DATA = decay(2, 0.7) + np.array(ERRORS)
INPUTS = {"height": real(0.5, 5), "rate": log(0.05, 3)}


def test_a_curve_and_what_it_tells(capsys: pytest.CaptureFixture[str]) -> None:
    def tank(height: float, rate: float) -> dict[str, Any]:
        grid = np.linspace(0, 4, 401)
        return {"level": (grid, decay(height, rate, grid)), "cost": 2 * height}

    result = solve(tank, INPUTS, {"level": fit(DATA, 0.02, x=TIMES), "cost": at_most(9)}, budget=40)
    assert result.satisfied
    assert result.best is not None
    assert result.best.input == pytest.approx({"height": 2, "rate": 0.7}, rel=0.05)
    assert result.best.output is not None
    assert len(result.best.output["level"]) == len(TIMES)
    found = result.fit
    assert found is not None
    assert found.chi_square == pytest.approx(
        sum(((a - b) / 0.02) ** 2 for a, b in zip(result.best.output["level"], DATA, strict=True)), rel=0.01
    )
    assert found.freedom == 5
    assert found.warnings == ()
    height = found.parameters["height"]
    assert height.kind == "identifiable"
    assert height.low is not None
    assert height.high is not None
    assert height.low < 2 < height.high
    assert height.standard_error == pytest.approx((height.high - height.low) / 3.92, rel=0.1)
    correlation = found.correlations["height"]["rate"]
    assert correlation is not None
    assert 0.3 < correlation < 1
    assert found.bands["cost"].low[0] < 4 < found.bands["cost"].high[0]
    assert len(found.bands["level"].predicted) == len(TIMES)
    assert set(found.verify[0]) == {"height", "rate"}
    assert "95 % interval" in str(found)
    shown = str(result)
    assert "chi-square" in shown
    assert "-> level = 7 values" in shown
    assert repr(result).endswith("fits best>")
    assert "level=7 values cost=" in capsys.readouterr().err
    result.plot().savefig("fit.png")
    assert Path("fit.png").stat().st_size > 10_000
    again = solve(tank, INPUTS, {"level": fit(DATA, 0.02, x=TIMES), "cost": at_most(9)}, budget=40, progress=False)
    assert len(again.history) == len(result.history)


def test_the_only_output_may_be_an_array_with_gaps_and_unknown_errors() -> None:
    data = [math.nan if i == 2 else value for i, value in enumerate(DATA)]
    result = solve(decay, INPUTS, {"level": fit(data)}, budget=40, progress=False)
    assert result.satisfied
    assert result.fit is not None
    assert result.fit.chi_square is None
    scale = result.fit.scales["level"]
    assert scale is not None
    assert 0.01 < scale < 0.04
    assert result.best is not None
    assert result.best.output is not None
    assert len(result.best.output["level"]) == 6
    result.plot()


def test_data_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "level.csv"
    path.write_text("time, level, error\n0, 2.0, 0.1\n1, , \n2, 1.0, 0.2\n")
    made = fit(path, "error", x="time", y="level")
    assert made == Fit((2.0, 1.0), (0, 2), 3, (0.0, 2.0), (0.1, 0.2), 1.0, "linear", ("time", "level"))
    assert made.read("level", {"time": [0, 2], "level": [5, 7]}) == [5.0, 7.0]
    assert made.read("level", pd.DataFrame({"x": [0, 4], "y": [0, 8]})) == [0.0, 4.0]
    with pytest.raises(ValueError, match="it has no column levle; line 1 has time, level, error"):
        fit(path, x="time", y="levle")
    with pytest.raises(ValueError, match="A file needs the names of its columns"):
        fit(path)
    path.write_text("time,level\n0,2.0\n1,high\n")
    with pytest.raises(ValueError, match="line 3: level is 'high', which is not a number"):
        fit(str(path), x="time", y="level")
    path.write_text("time,level,error\n0,2.0,0.1\n1,1.0,0\n,1.0,0.1\n")
    with pytest.raises(ValueError, match=r"line 3: error must be positive where there is a value, is 0\.0"):
        fit(path, "error", x="time", y="level")
    with pytest.raises(ValueError, match="line 4: time is empty, but level is not"):
        fit(path, x="time", y="level")


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([],), {}, "have no value"),
        (([math.nan],), {}, "have no value"),
        (([math.inf],), {}, "finite"),
        (("abc",), {}, "A file needs"),
        ((5,), {}, "must be a sequence of numbers"),
        (([1, 2], 0), {}, "positive"),
        (([1, 2], [1]), {}, "1 numbers for 2 values"),
        (([1, 2], "error"), {}, "names a column of a file"),
        (([0, 2], {"relative": 0.1}), {}, "other than 0"),
        (([1, 2], {"relativ": 0.1}), {}, "one per value, or"),
        (([1, 2],), {"x": [1]}, "x has 1 numbers for 2 values"),
        (([1, 2],), {"x": [1, math.nan]}, "x must be finite"),
        (([1, 2],), {"y": "level"}, "belong to a file"),
        (([1, 2], 1), {"loss": "hubert"}, "must be one of linear"),
        (([1, 2],), {"loss": "huber"}, "needs sigma"),
    ],
)
def test_wrong_data(arguments: tuple[Any, ...], options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fit(*arguments, **options)


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ([1, 2], "2 values instead of 3, as many as its data. Return a pair"),
        (5, "must be an array of 3 values"),
        ({"a": 1}, "has no x and y; it has a"),
        (([0, 1], [1, 2, 3]), "on a grid of 2 points"),
        (([0, 2, 1], [1, 2, 3]), "Row 3 of the grid of the output level goes back, from 2 to 1"),
        (([0, 1.5], [1, 2]), "covers 0 to 1.5, and its data need 2"),
        (([0, "b"], [1, 2]), "Row 2 of the grid of the output level is .b., which is not a number"),
    ],
)
def test_wrong_curves(output: Any, message: str) -> None:
    with pytest.raises(OutputError, match=message):
        fit([1, 2, 3], x=[0, 1, 2]).read("level", output)


def test_grids() -> None:
    made = fit([1, 2, 3], x=[0, 1, 2])
    assert made.read("level", ([2, 1, 0], [4, 2, 0])) == [0.0, 2.0, 4.0]
    assert made.read("level", np.array([[0, 2 - 1e-12], [0, 4]])) == pytest.approx([0, 2, 4])
    assert made.read("level", np.array([7, 8, 9])) == [7, 8, 9]
    assert str(made) == "fit to 3 values"
    assert fit([1, 2], {"relative": 0.1}).sigma == {"relative": 0.1}


def test_a_curve_that_ends_too_early_ends_the_call_with_what_to_do() -> None:
    def short(height: float, rate: float) -> Any:
        return [0, 1], [height, rate]

    with pytest.raises(OutputError, match="covers 0 to 1, and its data need"):
        solve(short, INPUTS, {"level": fit(DATA, x=TIMES)}, progress=False)


def test_a_value_that_is_no_number_is_a_failed_run_and_other_goals_must_be_limits() -> None:
    calls = []

    def sometimes(height: float, rate: float) -> Any:
        calls.append(height)
        curve = decay(height, rate)
        return [*curve[:-1], math.nan] if len(calls) == 2 else curve

    result = solve(sometimes, INPUTS, {"level": fit(DATA, {"relative": 0.05}, loss="soft_l1")}, budget=30, progress=False)
    assert [run.failure for run in result.history if run.output is None] == ["level[6] is nan"]
    assert result.satisfied
    with pytest.raises(Exception, match="must not be minimize beside a fit"):
        solve(
            lambda height, rate: (decay(height, rate), rate), INPUTS, {"level": fit(DATA), "cost": minimize()}, name="both", progress=False
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"noise": "estimate"}, "noise cannot go with a fit: state the errors of the data as its sigma"),
        ({"priorities": {"cost": 2}}, "priorities cannot go with a fit: leave them out"),
        ({"weights": {"level": 2}}, "weights cannot have level, a fit: state weight in its fit"),
    ],
)
def test_what_cannot_go_with_a_fit_is_said_with_what_to_do(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        solve(decay, INPUTS, {"level": fit(DATA), "cost": at_most(9)}, progress=False, **options)


def test_least_squares_as_scipy_is_called() -> None:
    calls = []

    def residuals(x: Any, data: Any) -> Any:
        calls.append(tuple(x))
        return decay(x[0], x[1]) - data

    answer = least_squares(residuals, [1.0, 1.0], ([0.5, 0.05], [5, 3]), sigma=0.02, args=(DATA,), max_nfev=40, progress=False)
    assert answer.success
    assert answer.status == 2
    assert answer.x == pytest.approx([2, 0.7], rel=0.05)
    assert answer.fun == pytest.approx(decay(*answer.x) - DATA)
    assert answer.cost == pytest.approx(0.5 * float(np.sum(answer.fun**2)))
    assert answer.jac.shape == (7, 2)
    assert answer.jac[:, 0] == pytest.approx(np.exp(-answer.x[1] * np.array(TIMES)), abs=0.02)
    assert answer.grad == pytest.approx(answer.jac.T @ answer.fun)
    assert answer.optimality < 0.05
    assert list(answer.active_mask) == [0, 0]
    assert answer.nfev == len(calls) == len(set(calls))
    assert calls[0] == (1.0, 1.0)
    assert "fits the data best" in answer.message
    assert answer.fit.parameters["x0"].kind == "identifiable"
    assert "cost" in dir(answer)
    assert "success: True" in repr(answer)
    with pytest.raises(AttributeError):
        _ = answer.hess


def test_least_squares_without_a_start_and_with_outliers() -> None:
    data = DATA.copy()
    data[3] += 1

    def model(x: Any) -> Any:
        return decay(x[0], x[1]) - data

    bounds = SimpleNamespace(lb=[0.5, 0.05], ub=[5, 3])
    answer = least_squares(
        model, bounds=bounds, loss="cauchy", f_scale=0.02, names=["height", "rate"], residuals=7, max_nfev=40, progress=False
    )
    assert answer.success
    assert answer.x == pytest.approx([2, 0.7], rel=0.06)
    assert answer.cost == pytest.approx(0.5 * 0.02**2 * float(np.sum(np.log1p((answer.fun / 0.02) ** 2))))
    few = least_squares(model, bounds=bounds, max_nfev=5, progress=False)
    assert (few.success, few.status) == (False, 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "bounds must be finite"),
        ({"bounds": (0, math.inf)}, "bounds must be finite"),
        ({"bounds": (0,)}, "must be a pair"),
        ({"x0": [1, 2], "bounds": ([0], [1, 1, 1])}, "the same length"),
        ({"x0": [2], "bounds": (0, 1)}, "outside of its bounds"),
        ({"bounds": (0, 1), "names": ["a", "b"]}, "2 names for 1 inputs"),
        ({"x0": [0.5], "bounds": (0, 1), "residuals": 3}, "returns 1 residuals, not 3"),
    ],
)
def test_least_squares_says_what_is_wrong(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        least_squares(lambda x: x[0], **options)


RATE_AT = {280.0: 0.4, 320.0: 1.1}


def arrhenius(k: float, energy: float, temperature: float, times: Any = TIMES) -> Any:
    return np.exp(-k * math.exp(energy * (temperature - 300) / 20) * np.asarray(times))


def two_temperatures() -> dict[str, Any]:
    made = {f"at {t:g} K": fit(arrhenius(0.7, 0.5, t), 0.01, x=TIMES, when={"temperature": t}, output="level") for t in RATE_AT}
    return {**made, "cost": at_most(9)}


def test_data_sets_under_conditions_are_one_run() -> None:
    called: list[float] = []

    def reactor(k: float, energy: float, temperature: float) -> dict[str, Any]:
        called.append(temperature)
        grid = np.linspace(0, 4, 41)
        return {"level": (grid, arrhenius(k, energy, temperature, grid)), "cost": temperature / 100}

    inputs = {"k": log(0.05, 3), "energy": real(0, 2)}
    result = solve(reactor, inputs, two_temperatures(), budget=40, progress=False)
    assert result.satisfied
    assert result.best is not None
    assert result.best.input == pytest.approx({"k": 0.7, "energy": 0.5}, rel=0.05)
    assert called == [280.0, 320.0] * len(result.history)
    assert result.best.output is not None
    assert result.best.output["cost"] == 2.8
    assert [len(result.best.output[f"at {t:g} K"]) for t in RATE_AT] == [7, 7]
    assert result.fit is not None
    assert set(result.fit.scales) == {"at 280 K", "at 320 K"}
    moved = {**two_temperatures(), "at 320 K": fit(arrhenius(0.7, 0.5, 330), 0.01, x=TIMES, when={"temperature": 330.0}, output="level")}
    with pytest.raises(ChangedProblemError, match="at 320 K have other x or other conditions"):
        solve(reactor, inputs, moved, budget=40, progress=False)


def test_conditions_of_one_output_alone_and_of_coroutines() -> None:
    async def reactor(k: float, energy: float, temperature: float) -> Any:
        return arrhenius(k, energy, temperature)

    goals = {name: goal for name, goal in two_temperatures().items() if name != "cost"}
    result = asyncio.run(solve_async(reactor, {"k": log(0.05, 3), "energy": real(0, 2)}, goals, budget=40, progress=False))
    assert result.satisfied


@pytest.mark.parametrize(
    ("goals", "message"),
    [
        ({"a": fit([1.0], when={"k": 1.0})}, "The data of a fix k, which the search varies"),
        ({"a": fit([1.0], when={"t": 1.0}), "b": fit([1.0], when={"u": 1.0})}, "must state the same conditions in when, not t and u"),
        ({"a": fit([1.0], when={"t": 1.0}), "b": fit([1.0])}, r"The data of b need when=\.\.\."),
    ],
)
def test_conditions_that_tell_nothing_are_refused(goals: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        solve(lambda k: k, {"k": real(0, 1)}, goals)
    with pytest.raises(ValueError, match="give when, or leave out output"):
        fit([1.0], output="level")


def test_curves_are_told_to_a_project(client: Backsolve) -> None:
    goals: dict[str, Any] = {"level": fit(DATA, 0.02, x=TIMES), "cost": at_most(9)}
    project = Project.create(client, INPUTS, goals, name="curves", budget=30)
    with pytest.raises(ValueError, match=r"The goals have the outputs level\[0\], .* and 1 more, but the project has .* and 2 more"):
        Project.open(client, project.place.batch_id, goals={"level": goals["level"]})
    opened = Project.open(client, project.place.batch_id, goals=goals)
    for evaluation in opened:
        grid = np.linspace(0, 4, 401)
        height, rate = evaluation.numbers
        evaluation.tell({"level": (grid, decay(height, rate, grid)), "cost": 2})
    result = opened.result()
    assert result.satisfied
    assert result.best is not None
    assert result.best.output is not None
    assert len(result.best.output["level"]) == 7
    assert result.fit is not None


def test_intervals_are_verified_by_runs_once() -> None:
    called: list[tuple[float, float]] = []

    def growth(height: float, rate: float) -> Any:
        called.append((height, rate))
        return height * np.arctan(rate**1.5 * np.asarray(TIMES))

    goals = {"level": fit(growth(2, 0.7) + 10 * np.array(ERRORS), 0.2)}
    plain = solve(growth, INPUTS, goals, budget=40, progress=False)
    assert plain.fit is not None
    count = len(called)
    result = solve(growth, INPUTS, goals, budget=40, verify=2, progress=False)
    made = called[count:]
    assert 1 <= len(made) <= 2
    assert len(result.history) == len(plain.history) + len(made)
    assert [tuple(run.input.values()) for run in result.history if run.input in [dict(zip(INPUTS, at, strict=True)) for at in made]]
    assert result.fit is not None
    assert plain.fit.parameters["height"].low != result.fit.parameters["height"].low
    again = solve(growth, INPUTS, goals, budget=40, verify=2, progress=False)
    assert len(called) == count + len(made)
    assert again.fit == result.fit
    with pytest.raises(ValueError, match="verify runs the ends of the intervals of a fit"):
        solve(growth, INPUTS, {"level": at_most(1)}, verify=1)
