"""Values of FMUs at the times that are needed; runs where FMPy and a C compiler are installed, on Linux."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest

from backsolve import BacksolveError, Fmu, fit, fmu, solve
from backsolve._boxes import RunFailed

from .fmus import build

pytest.importorskip("fmpy", reason="NOT CHECKED: FMPy is not installed")
if sys.platform != "linux":
    pytest.skip("NOT CHECKED: the FMUs are built for Linux", allow_module_level=True)

from backsolve import _fmu
from backsolve._boxes import Request

VARIABLE = ' canHandleVariableCommunicationStepSize="true"'
PREFERRED = ' stepSize="0.1"'
DROP = math.sqrt(2 / 9.81)


@pytest.fixture(scope="module")
def bounce(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("bounce"), "Bounce")


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("steps"), "Steps")


def _height(e: float, time: float) -> float:
    """Height of the ball, until it touches the ground for the second time."""
    if time < DROP:
        return 1 - 9.81 / 2 * time**2
    return e * 9.81 * DROP * (time - DROP) - 9.81 / 2 * (time - DROP) ** 2


def test_a_time_between_samples_has_the_value_of_that_time(bounce: Path) -> None:
    # By straight lines between the samples that FMPy takes, 0.06 off.
    box = fmu(bounce, {"h": ("h", 0.23456)}, stop_time=100)
    assert box()["h"] == pytest.approx(_height(0.7, 0.23456), abs=1e-4)
    box.close()
    box = fmu(bounce, {"h": ("h", 0.23456)}, stop_time=100, solver="Euler")
    assert box()["h"] == pytest.approx(_height(0.7, 0.23456), abs=0.03)
    box.close()
    box = fmu(bounce, {"h": ("h", 0.23456), "end": "h"}, stop_time=100)
    assert box()["h"] == pytest.approx(_height(0.7, 0.23456), abs=1e-4)
    box.close()


def test_a_fitted_curve_does_not_depend_on_when_the_simulation_ends(bounce: Path, steps: Path) -> None:
    times = [0.111, 0.3, 0.55, 0.777, 0.9]
    goals = {"h": fit([_height(0.8, time) for time in times], x=times, sigma=0.01)}
    found = []
    for stop in (0.9, 9.0, 90.0):
        box = fmu(bounce, {"h": ("h", "curve")}, stop_time=stop)
        found.append(goals["h"].read("h", box.at_data_of(goals)(e=0.8)["h"]))
        box.close()
    assert found[0] == pytest.approx(list(goals["h"].values), abs=2e-3)
    assert found[1] == pytest.approx(found[0], abs=1e-9)
    assert found[2] == pytest.approx(found[0], abs=1e-9)
    with pytest.raises(BacksolveError, match=r"ends at 0\.5, and its outputs are needed at 0\.9"):
        fmu(bounce, {"h": ("h", "curve")}, stop_time=0.5).at_data_of(goals)
    assert fmu(steps, {"x": "x"}).at_data_of(goals).at_data_of({}) is not None


def test_solve_asks_for_curves_where_the_data_are(bounce: Path) -> None:
    times = [0.111, 0.3, 0.55, 0.777, 0.9]
    box = fmu(bounce, {"h": ("h", "curve")}, stop_time=90)
    data = fit([_height(0.8, time) for time in times], x=times, sigma=0.01)
    result = solve(box, inputs=box.inputs, goals={"h": data}, progress=False)
    assert result.best is not None
    assert result.best.input["e"] == pytest.approx(0.8, abs=1e-3)
    box.close()


@pytest.mark.parametrize("stop", [1, 10, 100])
def test_steps_of_co_simulation_are_those_that_the_fmu_prefers_and_the_needed_times(steps: Path, stop: float) -> None:
    box = fmu(steps, {"x": ("x", 0.35)}, stop_time=stop)
    assert box()["x"] == pytest.approx(0.9**3 * 0.95, abs=1e-12)
    box.close()


def test_an_fmu_without_a_preferred_step_gets_one_from_the_needed_times(tmp_path: Path) -> None:
    free = build(tmp_path, "Steps", without=PREFERRED)
    boxes = [fmu(free, {"x": ("x", 0.35)}, stop_time=stop) for stop in (0.35, 1, 100)]
    assert len({box()["x"] for box in boxes}) == 1
    described = _fmu.describe(_settings(free))
    assert described["notes"] == [
        "Steps.fmu prefers no communication step, so one is chosen from the times that are needed. If the FMU computes in these steps, "
        "its results depend on them: state stepSize."
    ]
    for box in boxes:
        box.close()


def test_an_fmu_with_steps_of_one_size_is_read_between_them_and_says_so(tmp_path: Path) -> None:
    fixed = build(tmp_path, "Steps", without=VARIABLE)
    # Beyond its stop time it goes on for a whole step.
    box = fmu(fixed, {"x": ("x", 0.35), "late": ("x", 1.05)})
    assert box() == pytest.approx({"x": 0.9**3 * 0.95, "late": 0.9**10 * 0.95})
    described = _fmu.describe(_settings(fixed, at=0.35))
    assert described["notes"] == [
        "Steps.fmu takes steps of one size only, 0.1: outputs between two of them, such as at 0.35, lie on a straight line. "
        "State a stepSize that divides these times."
    ]
    assert _fmu.describe(_settings(fixed, at=0.3))["notes"] == []
    box.close()


@pytest.mark.parametrize(("step", "value"), [(None, 0.9**3 * 0.95), (0.5, 0.9**3 * 0.95), (0.03, 0.9**3 * 0.95)])
def test_an_fmu_whose_solver_is_behind_is_read_at_the_time_of_its_clock(steps: Path, step: float | None, value: float) -> None:
    box = fmu(steps, {"x": ("x", 0.35)}, step_size=step, parameters={"own": 0.1})
    assert box()["x"] == pytest.approx(value, abs=1e-12)
    box.close()


@pytest.mark.parametrize(("is_over", "reason"), [(0, r"the FMU refused the step from 0\.9 to 0\.95"), (1, r"ended the simulation at 0\.9")])
def test_a_step_that_was_refused_counts_nothing(steps: Path, is_over: float, reason: str) -> None:
    parameters = {"refuses": 0.9, "isOver": is_over}
    box = fmu(steps, {"x": ("x", 0.9), "curve": ("x", "curve")}, parameters=parameters)
    found = box()
    assert found["x"] == pytest.approx(0.9**9, abs=1e-12)
    assert (found["curve"][0][-1], found["curve"][1][-1]) == pytest.approx((0.9, 0.9**9))
    box.close()
    later = fmu(steps, {"x": ("x", 0.95)}, parameters=parameters)
    with pytest.raises(RunFailed, match=f"covers 0 to 0.9, and its outputs are needed at 0.95; .*{reason}"):
        later()
    later.close()


def test_a_model_that_works_in_microseconds_is_read_at_its_times(steps: Path) -> None:
    box = fmu(steps, {"x": ("x", 3.5e-9)}, step_size=1e-9, stop_time=1e-6)
    assert 1 - box()["x"] == pytest.approx(3.5e-9, rel=1e-6)
    box.close()


def test_times_that_the_simulation_cannot_have_are_told_before_anything_runs(steps: Path) -> None:
    def made(**options: float) -> Fmu:
        return fmu(steps, {"x": ("x", 2)}, **options)  # type: ignore[arg-type]

    for words, options in {
        "The simulation ends at 1, and its outputs are needed at 2": {"stop_time": 1.0},
        "The simulation starts at 3, and its outputs are needed at 2": {"start_time": 3.0},
        "would end at 3 and start at 4": {"start_time": 4.0, "stop_time": 3.0},
    }.items():
        with pytest.raises(BacksolveError, match=words):
            made(**options)
    described = _fmu.describe(_settings(steps, at=-1))
    assert described["faults"][0]["path"] == ["outputs", "x", "at"]
    # The FMU ends at 1 by default, and starts here later.
    late = fmu(steps, {"x": ("x", 5.35)}, start_time=5)
    assert late()["x"] == pytest.approx(0.9**3 * 0.95, abs=1e-12)
    late.close()


def test_data_of_a_problem_file_are_sampled_at_their_times(bounce: Path) -> None:
    box = _fmu.open_box({**_settings(bounce, "h"), "experiment": {"stop": 90}})
    found = box.run(Request({}, ["x"], {"x": [0.2345, None, 0.3]}, 60, lambda: True))
    assert found == {"x": [pytest.approx(_height(0.7, 0.2345), abs=1e-4), None, pytest.approx(_height(0.7, 0.3), abs=1e-4)]}
    box.close()


def _settings(file: Path, variable: str = "x", *, at: float | None = None) -> dict[str, object]:
    return {"file": str(file), "inputs": {}, "outputs": {"x": {"variable": variable, "at": at}}, "experiment": {}}
