"""
PEtab problems as Backsolve reads and writes them, beside petab and the cases of petabtests; runs where both are installed. Where basico is
installed, too, some cases are solved.
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import subprocess
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from .origins import ROOT
from .service_process import Service

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    petab = pytest.importorskip("petab.v1", reason="NOT CHECKED: petab is not installed")
    petabtests = pytest.importorskip("petabtests", reason="NOT CHECKED: petabtests is not installed")
    from petab.v2 import Problem
    from petab.v2.petab1to2 import petab1to2

pytestmark = pytest.mark.filterwarnings("ignore")

CASES = [(version, name) for version in ("v1.0.0", "v2.0.0") for name in petabtests.get_cases("sbml", version)]
# The simulator of the last test knows neither preequilibration nor mapping tables.
SOLVED = ["0002", "0007"]


def _copy(version: str, name: str, folder: Path) -> Path:
    source = Path(petabtests.get_cases_dir("sbml", version)) / name
    folder.mkdir(parents=True, exist_ok=True)
    for file in source.iterdir():
        if file.suffix in {".tsv", ".xml", ".yaml"} and "solution" not in file.name:
            shutil.copy(file, folder)
    (folder / "_simulations.tsv").rename(folder / "simulations.tsv")
    return folder / f"_{name}.yaml"


def _solution(version: str, name: str) -> dict[str, float]:
    text = (Path(petabtests.get_cases_dir("sbml", version)) / name / f"_{name}_solution.yaml").read_text()
    return {key: float(value) for key, value in (line.split(": ") for line in text.splitlines() if ": " in line)}


def _read(files: list[Path]) -> list[dict[str, Any]]:
    npx = shutil.which("npx")
    assert npx is not None
    words = [npx, "node", str(ROOT / "test" / "support" / "read-petab.ts"), *map(str, files)]
    ended = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert ended.returncode == 0, ended.stderr
    return [json.loads(line) for line in ended.stdout.splitlines()]


def _points(read: dict[str, Any]) -> list[tuple[dict[str, Any], float, float, float]]:
    """Each measurement with its transformed value, its simulated one and its error."""
    points = []
    nominal = {one["id"]: one["nominal"] for one in read["parameters"]}
    for one in read["sets"]:
        assert one["reading"]["kind"] == "output", one
        data, simulated = one["fit"]["data"], one["reading"]["output"]
        sigma = one["fit"].get("sigma", nominal.get(one["noise"]) if isinstance(one["noise"], str) else None)
        sigmas = sigma if isinstance(sigma, list) else [sigma] * len(data)
        points += [(one, *point) for point in zip(data, simulated, sigmas, strict=True)]
    return points


def _chi2(read: dict[str, Any]) -> float:
    return sum(((value - simulated) / sigma) ** 2 for _, value, simulated, sigma in _points(read))


def _llh(read: dict[str, Any]) -> float:
    llh = 0.0
    for one, value, simulated, sigma in _points(read):
        residual = (value - simulated) / sigma
        llh -= 0.5 * math.log(2 * math.pi * sigma**2) + residual**2 / 2
        llh -= {"lin": 0, "log": value, "log10": value * math.log(10) + math.log(math.log(10))}[one["transformation"]]
    return llh


def test_all_cases_of_petabtests_have_their_chi_square_and_likelihood(tmp_path: Path) -> None:
    files = [_copy(version, name, tmp_path / version / name) for version, name in CASES]
    for (version, name), file, read in zip(CASES, files, _read(files), strict=True):
        assert "refused" not in read, (version, name, read)
        solution = _solution(version, name)
        assert _chi2(read) == pytest.approx(solution["chi2"], abs=1e-3), (version, name)
        assert _llh(read) == pytest.approx(solution["llh"], abs=1e-3), (version, name)

        # petab reads what is written back, and finds the same.
        folder = file.parent
        parameters = petab.get_parameter_df(folder / "best.parameters.tsv")
        assert parameters.nominalValue.to_dict() == pytest.approx({one["id"]: one["nominal"] for one in read["parameters"]})
        known, written = (petab.get_simulation_df(folder / one) for one in ("simulations.tsv", "best.simulations.tsv"))
        assert list(written.simulation) == pytest.approx(list(known.simulation))
        assert list(written.observableId) == list(known.observableId)


def test_problems_of_version_2_say_the_same(tmp_path: Path) -> None:
    # The converter of petab 0.8.2 loses logarithms.
    names = [name for version, name in CASES if version == "v1.0.0" and name not in {"0007", "0016"}]
    files = [_copy("v1.0.0", name, tmp_path / "1" / name) for name in names]
    converted = []
    for name, file in zip(names, files, strict=True):
        folder = tmp_path / "2" / name
        petab1to2(file, folder)
        converted.append(folder / file.name)
        simulated = petab.get_simulation_df(file.parent / "simulations.tsv")
        # The rows of an experiment; without ids all rows of an observable count.
        experiments = Problem.from_yaml(folder / file.name).measurement_df.experimentId
        simulated = simulated.drop(columns=[column for column in simulated if "ConditionId" in column])
        simulated.assign(experimentId=list(experiments)).to_csv(folder / "simulations.tsv", sep="\t", index=False)
    for name, first, second in zip(names, _read(files), _read(converted), strict=True):
        assert "refused" not in second, (name, second)
        for one, other in zip(_points(first), _points(second), strict=True):
            assert one[1:] == other[1:], name
            told, other_told = one[0]["told"], other[0]["told"]
            ids = {"simulationConditionId", "preequilibrationConditionId"}
            # Several periods are known by their experiment only.
            if "preequilibrationConditionId" not in told:
                assert {key: value for key, value in told.items() if key not in ids}.items() <= other_told.items(), name


SIMULATE = """
import csv, json, sys, warnings
warnings.filterwarnings("ignore")
import basico

told = json.load(sys.stdin)["inputByName"]
rows = list(csv.DictReader(open("_measurements.tsv"), delimiter="\\t"))
formulas = {row["observableId"]: row["observableFormula"] for row in csv.DictReader(open("_observables.tsv"), delimiter="\\t")}
nominal = {row["parameterId"]: row["nominalValue"] for row in csv.DictReader(open("_parameters.tsv"), delimiter="\\t")}
assert all(float(nominal[name]) == told[name] for name in nominal)
basico.load_model("_model.xml")
known = set(basico.get_parameters().index)
for name in known & set(told):
    basico.set_parameters(name, exact=True, initial_value=float(told[name]))
found = basico.run_time_course(values=sorted({float(row["time"]) for row in rows} | {0.0}))
with open("simulations.tsv", "w") as table:
    print("observableId", "simulationConditionId", "time", "simulation", sep="\\t", file=table)
    for row in rows:
        values = {**told, **found.loc[float(row["time"])].to_dict()}
        value = eval(formulas[row["observableId"]], {}, values)
        print(row["observableId"], row["simulationConditionId"], row["time"], value, sep="\\t", file=table)
"""


@pytest.mark.skipif(find_spec("basico") is None, reason="NOT CHECKED: basico is not installed")
@pytest.mark.parametrize("name", SOLVED)
def test_a_case_is_solved_by_the_documented_lines(name: str, tmp_path: Path, service: Service) -> None:
    file = _copy("v1.0.0", name, tmp_path)
    (tmp_path / "simulations.tsv").unlink()
    (tmp_path / "simulate.py").write_text(SIMULATE)
    node = shutil.which("node")
    assert node is not None
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "BACKSOLVE_URL": service.url, "BACKSOLVE_API_KEY": service.key}

    def backsolve(*words: str) -> str:
        command = [node, str(ROOT / "bin" / "backsolve.js"), *words]
        ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=300)
        assert ended.returncode in {0, 10, 11}, ended.stdout + ended.stderr
        return ended.stdout

    backsolve("init", "--from", file.name, "--command", "python simulate.py")
    printed = backsolve("run", f"_{name}.fit.yaml", "--runs", "5")
    solution = _solution("v1.0.0", name)
    nominal = next(line for line in printed.splitlines() if "run 1 (start)" in line)
    # One per data set.
    parts = re.findall(r"\d+(?:\.\d+)?(?:e[-+]\d+)?", nominal.split("best: run 1 (start)")[1])
    assert sum(map(float, parts)) == pytest.approx(solution["chi2"], rel=0.01, abs=1e-3)
    estimates = petab.get_parameter_df(tmp_path / f"_{name}.best.parameters.tsv")
    assert set(estimates.index) == set(petab.get_parameter_df(tmp_path / "_parameters.tsv").index)
    shutil.copy(tmp_path / f"_{name}.best.simulations.tsv", tmp_path / "simulations.tsv")
    (best,) = _read([file])
    assert _chi2(best) <= solution["chi2"] * 1.001
