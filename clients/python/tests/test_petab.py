"""
PEtab problems as Backsolve reads and writes them, beside petab and the cases of petabtests; runs where both are installed. Where basico is
installed, too, some cases are solved.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

import pytest

from .origins import ROOT
from .petab_reading import chi2_of, llh_of, points_of, read_files
from .service_process import Service

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    petab = pytest.importorskip("petab.v1", reason="NOT CHECKED: petab is not installed")
    petabtests = pytest.importorskip("petabtests", reason="NOT CHECKED: petabtests is not installed")
    from petab.v2 import Problem
    from petab.v2.petab1to2 import petab1to2

pytestmark = pytest.mark.filterwarnings("ignore")

CASES = [(version, name) for version in ("v1.0.0", "v2.0.0") for name in petabtests.get_cases("sbml", version)]
# They have the column observableTransformation of version 1, which petab does not read in version 2.
DRAFT = {("v2.0.0", "0007"), ("v2.0.0", "0016")}
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


def test_all_cases_of_petabtests_have_their_chi_square_and_likelihood(tmp_path: Path) -> None:
    files = [_copy(version, name, tmp_path / version / name) for version, name in CASES]
    for (version, name), file, read in zip(CASES, files, read_files(files), strict=True):
        if (version, name) in DRAFT:
            assert "is of version 1" in read["refused"], (name, read)
            continue
        assert "refused" not in read, (version, name, read)
        solution = _solution(version, name)
        assert chi2_of(read) == pytest.approx(solution["chi2"], abs=1e-3), (version, name)
        assert llh_of(read) == pytest.approx(solution["llh"], abs=1e-3), (version, name)

        # petab reads what is written back, and finds the same.
        folder = file.parent
        parameters = petab.get_parameter_df(folder / "best.parameters.tsv")
        assert parameters.nominalValue.to_dict() == pytest.approx({one["id"]: one["nominal"] for one in read["parameters"]})
        known, written = (petab.get_simulation_df(folder / one) for one in ("simulations.tsv", "best.simulations.tsv"))
        assert list(written.simulation) == pytest.approx(list(known.simulation))
        assert list(written.observableId) == list(known.observableId)


def test_problems_of_version_2_say_the_same(tmp_path: Path) -> None:
    # The converter of petab 0.8.2 loses logarithms. petabtests 0.0.1 does not work with petab 0.10, whose converter keeps them:
    # test_petab_drawn.py.
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
    for name, first, second in zip(names, read_files(files), read_files(converted), strict=True):
        assert "refused" not in second, (name, second)
        for one, other in zip(points_of(first), points_of(second), strict=True):
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
    (best,) = read_files([file])
    assert chi2_of(best) <= solution["chi2"] * 1.001
