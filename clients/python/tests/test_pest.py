"""Cases of PEST as Backsolve reads and writes them, beside pyemu; runs where pyemu is installed."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import warnings
from pathlib import Path
from typing import Any

import pytest

from .origins import ROOT
from .pest_cases import write_by_hand, write_files

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pyemu = pytest.importorskip("pyemu", reason="NOT CHECKED: pyemu is not installed")

pytestmark = pytest.mark.filterwarnings("ignore")

BY_PYEMU = 25
BY_HAND = 25


def write_by_pyemu(draw: random.Random, folder: Path, version: int) -> None:
    case = write_files(draw, folder, 40, "\n")
    pst = pyemu.Pst.from_io_files([str(folder / "model.tpl")], ["model.in"], [str(folder / "model.ins")], ["model.out"], pst_path=".")
    data = pst.parameter_data
    for one in case.parameters:
        name, value = one["parnme"], one["parval1"]
        low, high = sorted([value / 10, value * 10])
        row = {"parval1": value, "parlbnd": low, "parubnd": high, "scale": one["scale"], "offset": one["offset"]}
        row["partrans"] = "log" if one["is_log"] else "none"
        if name != case.parameters[0]["parnme"] and draw.random() < 0.3:
            row["partrans"] = draw.choice(["fixed", "tied"])
        for key, cell in row.items():
            data.loc[name, key] = cell
        if row["partrans"] == "tied":
            data.loc[name, "partied"] = case.parameters[0]["parnme"]
    observed = pst.observation_data
    for name, value in case.observations.items():
        observed.loc[name, "obsval"] = value + draw.gauss(0, 1)
        observed.loc[name, "weight"] = draw.choice([0.0, 1.0, 50.0])
        observed.loc[name, "obgnme"] = draw.choice(["heads", "flows"])
    pst.model_command = ["python3 model.py"]
    pst.model_input_data.pest_file = ["model.tpl"]
    pst.model_output_data.pest_file = ["model.ins"]
    first = case.parameters[0]
    pst.add_pi_equation([first["parnme"]], pilbl="pi_first", rhs=0.5, weight=2.0, obs_group="prior")
    pst.write(str(folder / "case.pst"), version=version)


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Path, dict[str, Any]]]:
    """Folders with cases, each with what Backsolve makes of it."""
    root = tmp_path_factory.mktemp("pest")
    folders = []
    for seed in range(BY_PYEMU + BY_HAND):
        folder = root / str(seed)
        folder.mkdir()
        folders.append(folder)
        draw = random.Random(seed)
        if seed < BY_PYEMU:
            write_by_pyemu(draw, folder, 1 + seed % 2)
        else:
            write_by_hand(draw, folder)
    npx = shutil.which("npx")
    assert npx is not None
    words = [npx, "node", str(ROOT / "test" / "support" / "read-pest.ts"), *map(str, folders)]
    ended = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert ended.returncode == 0, ended.stderr
    return list(zip(folders, map(json.loads, ended.stdout.splitlines()), strict=True))


def _by_pyemu(folder: Path) -> Any:
    """The control file as pyemu reads it, which does not know numbers of Fortran."""
    text = (folder / "case.pst").read_text()
    (folder / "pyemu.pst").write_text(re.sub(r"(\d)D([+-]\d)", r"\1E\2", text))
    return pyemu.Pst(str(folder / "pyemu.pst"))


def test_control_files_say_the_same_to_both(cases: list[tuple[Path, dict[str, Any]]]) -> None:
    for folder, ours in cases:
        pst = _by_pyemu(folder)
        for one, (_, row) in zip(ours["parameters"], pst.parameter_data.iterrows(), strict=True):
            parent = row.partied if row.partrans == "tied" else None
            assert (one["name"], one["transform"], one["group"], one["parent"]) == (row.parnme, row.partrans, row.pargp, parent), folder
            numbers = [row.parval1, row.parlbnd, row.parubnd, row.scale, row.offset]
            assert [one[key] for key in ("initial", "lower", "upper", "scale", "offset")] == pytest.approx(numbers, rel=1e-12), folder
        for one, (_, row) in zip(ours["observations"], pst.observation_data.iterrows(), strict=True):
            assert (one["name"], one["group"]) == (row.obsnme, row.obgnme), folder
            assert (one["value"], one["weight"]) == pytest.approx((row.obsval, row.weight), rel=1e-12), folder
        assert [one["name"] for one in ours["priors"]] == list(pst.prior_names)
        assert ours["commands"] == pst.model_command


def test_observations_are_read_as_pyemu_reads_them(cases: list[tuple[Path, dict[str, Any]]]) -> None:
    for folder, ours in cases:
        read = pyemu.pst_utils.InstructionFile(str(folder / "model.ins")).read_output_file(str(folder / "model.out"))
        assert ours["reading"]["kind"] == "output", (folder, ours["reading"])
        found = dict(zip((one["name"] for one in ours["observations"]), ours["reading"]["output"], strict=True))
        assert found == read.obsval.to_dict(), folder


def test_template_files_are_filled_as_by_pyemu_with_no_digit_less(cases: list[tuple[Path, dict[str, Any]]]) -> None:
    for folder, ours in cases:
        values = {one["name"]: one["initial"] * one["scale"] + one["offset"] for one in ours["parameters"]}
        pyemu.pst_utils.write_to_template(values, str(folder / "model.tpl"), str(folder / "model.in"))
        template = (folder / "model.tpl").read_text().splitlines()
        marker = template[0].split()[1]
        theirs, own = ((folder / name).read_text().splitlines() for name in ("model.in", "ours.model.in"))
        for line, their, our in zip(template[1:], theirs, own, strict=True):
            start, end = line.index(marker), line.rindex(marker) + 1
            assert (our[:start], our[end:].rstrip(), len(our)) == (line[:start], line[end:].rstrip(), len(line)), folder
            true = values[line[start + 1 : end - 1].strip()]
            found = float(our[start:end])
            # pyemu writes numbers beyond narrow spaces.
            is_inside = len(their) <= len(our)
            assert not is_inside or abs(found - true) <= abs(float(their[start:end]) - true), (folder, line, our)
            assert found == pytest.approx(true, rel=1e-3), (folder, line, our)


def test_pyemu_reads_the_results(cases: list[tuple[Path, dict[str, Any]]]) -> None:
    for folder, ours in cases:
        pst = _by_pyemu(folder)
        par = pyemu.pst_utils.read_parfile(str(folder / "case.par"))
        assert par.parval1.to_dict() == pytest.approx(pst.parameter_data.parval1.to_dict(), rel=1e-12), folder
        assert list(par.scale) == list(pst.parameter_data.scale)
        pst.parrep(str(folder / "case.par"))
        residuals = pyemu.pst_utils.read_resfile(str(folder / "case.rei"))
        found = dict(zip((one["name"] for one in ours["observations"]), ours["reading"]["output"], strict=True))
        observed = residuals.loc[list(found)]
        # pandas reads the last digit wrong.
        assert observed.modelled.to_dict() == pytest.approx(found, rel=1e-14)
        size = max(abs(observed.measured))
        assert list(observed.residual) == pytest.approx(list(observed.measured - observed.modelled), abs=1e-12 * size)
        assert list(observed.group) == list(pst.observation_data.obgnme)
        pst.set_res(str(folder / "case.rei"))
        weights = pst.observation_data.weight
        phi = sum((weights[name] * (pst.observation_data.obsval[name] - found[name])) ** 2 for name in found)
        groups = set(pst.observation_data.obgnme)
        assert sum(part for group, part in pst.phi_components.items() if group in groups) == pytest.approx(phi)
