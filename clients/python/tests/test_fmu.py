"""FMUs as black boxes; runs where FMPy and a C compiler are installed, on Linux."""

from __future__ import annotations

import math
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from backsolve import BacksolveError, boolean, choice, fit, integer, real, solve, within

from .fmus import build

pytest.importorskip("fmpy", reason="NOT CHECKED: FMPy is not installed")
if sys.platform != "linux":
    pytest.skip("NOT CHECKED: the FMUs are built for Linux", allow_module_level=True)

from backsolve import Fmu, _fmu, fmu
from backsolve._boxes import Request, RunFailed

INPUTS = {"J": "body.J[1,1]", "n": "n", "isHalf": "isHalf", "mode": "mode"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fmus")


@pytest.fixture(scope="module")
def bounce(folder: Path) -> Path:
    return build(folder, "Bounce")


@pytest.fixture(scope="module")
def modes(folder: Path) -> Path:
    return build(folder, "Modes")


@pytest.fixture
def model(modes: Path) -> Iterator[Fmu]:
    box = fmu(modes, {"y": "y", "early": ("y", 0.3), "late": ("y", 2), "seconds": ("seconds", 1.9)}, inputs=INPUTS, timeout=20)
    yield box
    box.close()


def test_an_fmu_tells_its_inputs_with_types_bounds_and_units(model: Fmu, bounce: Path) -> None:
    assert model.inputs == {
        "J": real(0, 4, unit="kg.m2"),
        "n": integer(1, 3),
        "isHalf": boolean(),
        "mode": choice("fine", "crash", "hang", "refuse", "end"),
    }
    assert model.start == {"J": 9.0, "n": 1, "isHalf": False, "mode": "fine"}
    # A start value is no bound, and the infinity of Modelica is none either.
    assert list(fmu(bounce, ["h"]).inputs) == ["e"]


def test_a_run_sets_values_of_all_types_and_reads_outputs_at_their_times(model: Fmu) -> None:
    # The simulation goes on to the latest time that is needed, and "at the end" is then.
    assert model(J=2.0, n=3, isHalf=True, mode="fine") == pytest.approx({"y": 6, "early": 0.9, "late": 6, "seconds": 1})


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("crash", r"the FMU crashed \(SIGSEGV\); its log: .*the mesh is folded"),
        ("refuse", "the valve has no opening"),
        ("end", "the simulation covers 0 to 0.625, and its outputs are needed at 2"),
        ("fast", "'fast' is none of the values of mode: fine, crash"),
    ],
)
def test_a_run_that_goes_wrong_fails_with_its_reason_and_harms_no_other(model: Fmu, mode: str, reason: str) -> None:
    with pytest.raises(RunFailed, match=reason):
        model(J=1.0, mode=mode)
    assert model(J=1.0)["late"] == pytest.approx(2)


def test_a_run_that_hangs_is_ended(modes: Path) -> None:
    hanging = fmu(modes, ["y"], parameters={"mode": "hang"}, timeout=0.5)
    with pytest.raises(RunFailed, match=r"longer than 0\.5 s"):
        hanging({"n": 1})
    hanging.close()


def test_an_event_of_model_exchange_has_rows_before_and_after_it_at_one_time(bounce: Path) -> None:
    box = fmu(bounce, {"h": ("h", "curve"), "v": ("v", "curve")})
    curves = box(e=0.8)
    times, heights = curves["h"]
    assert times == sorted(times)
    assert min(heights) > -0.01
    # At its first touch of the ground the speed jumps.
    speeds = curves["v"][1]
    k = max(range(1, len(speeds)), key=lambda i: speeds[i] - speeds[i - 1])
    impact = math.sqrt(2 * 9.81)
    assert (speeds[k - 1], speeds[k]) == pytest.approx((-impact, 0.8 * impact), rel=1e-3)
    assert times[k - 1] == times[k]
    before, at, after = fit([1.0] * 3, x=[times[k - 2], times[k], times[k + 1]]).read("v", curves["v"])
    assert (before, at, after) == (speeds[k - 2], speeds[k], speeds[k + 1])
    box.close()


def test_what_cannot_be_is_told_before_anything_runs(modes: Path, folder: Path, tmp_path: Path) -> None:
    cases: dict[str, Callable[[], object]] = {
        "heigth is not a variable of Bounce.fmu": lambda: fmu(build(folder, "Bounce"), ["heigth"]),
        "did you mean mode?": lambda: fmu(modes, ["y"], inputs={"m": "modes"}),
        "area cannot be set": lambda: fmu(modes, ["y"], parameters={"area": 2}),
        "offers no model-exchange, only co-simulation": lambda: fmu(modes, ["y"], type="model-exchange"),
        "none.fmu: there is no such file": lambda: fmu("none.fmu", ["y"]),
        "has binaries for win64 only, and this machine is linux64": lambda: fmu(build(tmp_path, "Bounce", platform="win64"), ["h"]),
    }
    for words, call in cases.items():
        with pytest.raises(BacksolveError, match=words.replace("?", r"\?")):
            call()


def test_solve_finds_an_input_of_an_fmu_and_keeps_failed_runs(model: Fmu) -> None:
    result = solve(
        model,
        inputs={"J": model.inputs["J"], "mode": choice("fine", "end")},
        goals={"y": within(3, 0.05)},
        progress=False,
    )
    assert result.satisfied
    assert result.best is not None
    assert result.best.input["J"] == pytest.approx(1.5, abs=0.05)


def test_a_curve_of_an_fmu_is_fitted(bounce: Path) -> None:
    box = fmu(bounce, {"h": ("h", "curve")})
    times = [0.2, 0.5, 0.7, 0.9]
    drop = math.sqrt(2 / 9.81)
    speed = 0.8 * 9.81 * drop
    heights = [1 - 9.81 / 2 * 0.04, *(speed * (t - drop) - 9.81 / 2 * (t - drop) ** 2 for t in times[1:])]
    result = solve(box, inputs=box.inputs, goals={"h": fit(heights, x=times, sigma=0.01)}, progress=False)
    assert result.best is not None
    assert result.best.input["e"] == pytest.approx(0.8, abs=0.01)
    box.close()


def test_a_problem_file_gets_descriptions_and_runs(modes: Path) -> None:
    named = {name: {"variable": variable} for name, variable in INPUTS.items()}
    settings = {"file": str(modes), "inputs": {**named, "k": {"variable": "k"}}, "outputs": {"y": {"variable": "y"}}, "experiment": {}}
    described = _fmu.describe({**settings, "conditions": ["n"], "parameters": {"area": 1}, "isWhole": True})
    assert described["inputs"]["J"] == {"unit": "kg.m2", "minimum": 0, "maximum": 4}
    assert described["inputs"]["mode"] == {"type": "category", "values": ["fine", "crash", "hang", "refuse", "end"]}
    assert [fault["path"] for fault in described["faults"]] == [["inputs", "k"], ["fmu", "parameters", "area"]]
    assert [each["name"] for each in described["model"]["outputs"]] == ["y"]

    box = _fmu.open_box({**settings, "inputs": named, "experiment": {}, "parameters": {"n": 2}})
    request = Request({"J": 1.5}, ["y", "seconds"], {"y": [0.5, None, 1.5]}, 20, lambda: True)
    assert box.run(request) == {"y": [pytest.approx(1.5), None, pytest.approx(4.5)], "seconds": 1}
    asked = iter([True, False])
    with pytest.raises(RunFailed, match="it was ended"):
        box.run(Request({"mode": "hang"}, ["y"], {}, 20, lambda: next(asked)))
    box.close()
    assert threading.active_count() < 20
