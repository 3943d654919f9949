"""Derivatives beside outputs: how they are read, kept and reported, and what they save."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from backsolve import Backsolve, OutputError, Project, choice, fit, least_squares, log, real, solve, within
from backsolve._derivatives import jacobian_of
from backsolve.problem import Space

from .origins import GUIDES, blocks_of

INPUTS = {"a": real(0, 4), "b": log(0.1, 10)}
SPACE = Space(INPUTS, ("y", "z"))


@pytest.mark.parametrize(
    "given",
    [
        ({"z": 2, "y": 1}, {"z": {"b": 4, "a": 3}, "y": {"a": 1, "b": 2}}),
        ([1, 2], [[1, 2], [3, 4]]),
        ((1, 2), ((1, 2), {"a": 3, "b": 4})),
    ],
)
def test_reads_derivatives_by_name_and_in_order(given: Any) -> None:
    read = SPACE.read_output(given)
    assert read == [1, 2]
    assert jacobian_of(read) == [[1, 2], [3, 4]]


def test_knows_a_pair_of_outputs_from_outputs_with_derivatives() -> None:
    assert jacobian_of(SPACE.read_output((1.0, 2.0))) is None
    one = Space(INPUTS, ("y",))
    assert jacobian_of(one.read_output((1.0, [2.0, math.nan]))) == [[2, None]]
    assert jacobian_of(one.read_output((1.0, {"b": 3}))) == [[None, 3]]


@pytest.mark.parametrize(
    ("jacobian", "message"),
    [
        ([[1, 2]], "1 rows instead of 2"),
        ([[1], [2, 3]], "The derivatives of y are 1 numbers instead of 2"),
        ({"y": {"c": 1}}, "The derivatives of y have c, which is not an input"),
        ([[1, math.inf], [1, 1]], "The derivative of y by b is inf"),
        ([[1, "x"], [1, 1]], "The derivative of y by b is .x., which is not a number"),
    ],
)
def test_refuses_derivatives_that_are_none(jacobian: Any, message: str) -> None:
    with pytest.raises(OutputError, match=message):
        SPACE.read_output(([1, 2], jacobian))


def test_refuses_derivatives_along_categories() -> None:
    space = Space({"a": real(0, 1), "material": choice("steel", "wood")}, ("y", "z"))
    with pytest.raises(OutputError, match="y has no derivative by material, which is a category"):
        space.read_output(([1, 2], [[1, 2], [1, None]]))


def test_reads_derivatives_of_curves_by_points() -> None:
    space = Space(INPUTS, ("level 1", "level 2", "cost"), {"level": fit([1, 2], 0.1), "cost": within(1, 0.1)})
    slopes = {"level": {"a": [1, 2], "b": [3, 4]}, "cost": {"a": 5}}
    assert jacobian_of(space.read_output(({"level": [1, 2], "cost": 3}, slopes))) == [[1, 3], [2, 4], [5, None]]
    with pytest.raises(OutputError, match="one row per point of its data, 2, not 1"):
        space.read_output(({"level": [1, 2], "cost": 3}, {"level": [[1, 1]]}))


def system(a: float, b: float) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
    """Derivatives as an adjoint code has them, written by hand."""
    y, z = math.sin(a) * b + 0.3 * a * a, math.exp(-a) * b * b + math.cos(a * b)
    return {"y": y, "z": z}, {
        "y": {"a": math.cos(a) * b + 0.6 * a, "b": math.sin(a)},
        "z": {"a": -math.exp(-a) * b * b - b * math.sin(a * b), "b": 2 * math.exp(-a) * b - a * math.sin(a * b)},
    }


WANTED = system(1.3, 2.2)[0]
GOALS = {name: within(value, 1e-3) for name, value in WANTED.items()}


def test_derivatives_save_runs_and_are_in_the_journal(tmp_path: Path) -> None:
    plain = solve(lambda a, b: system(a, b)[0], INPUTS, GOALS, name="plain", progress=False)
    steep = solve(system, INPUTS, GOALS, name="steep", progress=False)
    assert plain.satisfied
    assert steep.satisfied
    assert len(steep.history) < len(plain.history)
    lines = [json.loads(line) for file in tmp_path.glob(".backsolve/python/steep-*/runs.jsonl") for line in file.read_text().splitlines()]
    finished = [line for line in lines if line["kind"] == "finished"]
    assert len(finished) == len(steep.history)
    assert all(len(line["jacobian"]) == 2 for line in finished)


def test_casadi_derives_what_a_black_box_returns() -> None:
    casadi = pytest.importorskip("casadi", reason="NOT CHECKED: casadi is not installed")
    x = casadi.SX.sym("x", 2)
    outputs = casadi.vertcat(casadi.sin(x[0]) * x[1] + 0.3 * x[0] ** 2, casadi.exp(-x[0]) * x[1] ** 2 + casadi.cos(x[0] * x[1]))
    f = casadi.Function("f", [x], [outputs, casadi.jacobian(outputs, x)])

    def box(a: float, b: float) -> Any:
        values, jacobian = f([a, b])
        return values.full().ravel(), jacobian.full()

    values, slopes = system(1.3, 2.2)
    read = SPACE.read_output(box(1.3, 2.2))
    assert read == pytest.approx(list(values.values()))
    jacobian = jacobian_of(read)
    assert jacobian is not None
    for row, expected in zip(jacobian, slopes.values(), strict=True):
        assert row == pytest.approx(list(expected.values()))
    assert solve(box, INPUTS, GOALS, progress=False).satisfied


TIMES = [0.1 * k for k in range(1, 9)]


def residuals_of(x: Any) -> list[float]:
    return [(x[0] * math.exp(-x[1] * t) - 2 * math.exp(-0.7 * t)) / 0.01 for t in TIMES]


def slopes_of(x: Any) -> list[list[float]]:
    return [[math.exp(-x[1] * t) / 0.01, -t * x[0] * math.exp(-x[1] * t) / 0.01] for t in TIMES]


def test_least_squares_uses_a_jacobian_as_scipy_does() -> None:
    bounds = ([0.5, 0.05], [5, 3])
    plain = least_squares(residuals_of, bounds=bounds, sigma=1, residuals=len(TIMES), progress=False)
    given = least_squares(residuals_of, bounds=bounds, sigma=1, residuals=len(TIMES), jac=slopes_of, progress=False)
    both = least_squares(lambda x: (residuals_of(x), slopes_of(x)), bounds=bounds, sigma=1, jac=True, progress=False)
    for answer in (given, both):
        assert answer.x == pytest.approx([2, 0.7], abs=0.02)
        assert answer.success
    assert given.nfev <= plain.nfev


def test_the_start_of_least_squares_has_its_derivatives(client: Backsolve) -> None:
    answer = least_squares(residuals_of, [1, 1], ([0.5, 0.05], [5, 3]), sigma=1, jac=slopes_of, progress=False)
    assert answer.result.objective is not None
    (start,) = (each for each in client.get_objective(answer.result.objective.objective_id).body.inverses if each.iteration == 1)
    jacobian = client.get_inverse(answer.result.objective.objective_id, start.id).body.jacobian
    assert jacobian is not None
    for row, expected in zip(jacobian, slopes_of([1, 1]), strict=True):
        assert row == pytest.approx(expected)


def test_runs_that_are_retried_or_corrected_bring_their_derivatives(client: Backsolve) -> None:
    calls = [0]

    def mended_later(a: float, b: float) -> Any:
        calls[0] += 1
        if calls[0] in (2, 7):
            raise ZeroDivisionError("not yet")
        return system(a, b)

    aims = {"y": within(WANTED["y"], 1e-9), "z": within(50, 1e-3)}
    solve(mended_later, INPUTS, aims, name="retried", cases=5, budget=8, progress=False)
    result = solve(mended_later, INPUTS, aims, name="retried", cases=5, budget=8, progress=False, retry_failed=True)
    assert result.retried == 2
    assert result.objective is not None
    place = (result.model_id, result.project_id, result.objective.trial_id)
    corrections = client.list_corrections(*place).body
    assert len(corrections) == 2
    for each in corrections:
        assert each.old.jacobian is None
        assert each.new.jacobian is not None
        assert len(each.new.jacobian) == 2
        run = next(run for run in result.history if run.output is not None and list(run.output.values()) == each.new.output)
        expected = [list(row.values()) for row in system(**run.input)[1].values()]  # type: ignore[arg-type]
        assert each.new.jacobian == [pytest.approx(row) for row in expected]

    project = Project.create(client, INPUTS, GOALS)
    told = []
    for evaluation in project:
        told.append(evaluation)
        evaluation.tell(system(**evaluation.input) if len(told) < 4 else WANTED)  # type: ignore[arg-type]
    project.correct(told[0], output=({"y": 1, "z": 2}, {"y": {"a": 3}}), reason="adjoint run later")
    last = project.result()
    assert last.objective is not None
    (correction,) = client.list_corrections(last.model_id, last.project_id, last.objective.trial_id).body
    assert correction.new.jacobian == [[3, None], [None, None]]


def test_a_curve_on_its_own_grid_is_no_jacobian() -> None:
    space = Space(INPUTS, ("level 1", "level 2"), {"level": fit([1, 2], 0.1, x=[0.5, 1.5])})
    assert jacobian_of(space.read_output(([0, 1, 2], [1, 2, 3]))) is None
    both = space.read_output((([0, 1, 2], [1, 2, 3]), [[1, 2], [3, 4]]))
    assert both == [1.5, 2.5]
    assert jacobian_of(both) == [[1, 2], [3, 4]]


def played(module: str | None) -> dict[str, Any]:
    """The names of the block of the guide that imports the module, or of the first, which all others continue."""
    texts = [block.text for block in blocks_of(GUIDES / "gradients.md") if block.language == "python"]
    names: dict[str, Any] = {}
    exec(texts[0], names)
    if module is not None:
        (text,) = (each for each in texts if f"import {module}\n" in each)
        exec(text, names)
    return names


def test_the_guide_works_as_written() -> None:
    assert played(None)["result"].satisfied


@pytest.mark.parametrize(("module", "box"), [("casadi", "reactor"), ("jax", "with_jax"), ("torch", "with_torch")])
def test_the_models_of_the_guide_give_their_derivatives(module: str, box: str) -> None:
    pytest.importorskip(module, reason=f"NOT CHECKED: {module} is not installed")
    names = played(module)
    assert names["found"].satisfied
    at, step = [0.7, 1.2], 1e-4
    outputs, jacobian = names[box](*at)
    for i in range(2):
        more, less = (names[box](*(value + sign * step * (k == i) for k, value in enumerate(at)))[0] for sign in (1, -1))
        for j in range(2):
            assert float(jacobian[j][i]) == pytest.approx((float(more[j]) - float(less[j])) / (2 * step), rel=1e-3, abs=1e-5)
    if box != "reactor":
        assert [float(value) for value in outputs] == pytest.approx(list(names["f"](*at)[0].values()))
