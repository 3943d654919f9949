"""
Compares how Backsolve, PEST++ and pyemu read and write drawn cases of PEST: parameters, observations, limits, prior information, the
observations that instructions find, and the numbers in templates. README.md says how to build the reader of PEST++.

    python bench/pest/compare.py --reader /tmp/pestpp-reader --cases 60

Prints a line per difference and the counts as JSON; exit code 1 where Backsolve differs from PEST++, or from pyemu where pyemu and PEST++
agree. `--record FILE` writes the first cases with the answers of both, for the test that runs without them.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

from cases import write_case

ROOT = Path(__file__).parents[2]
RECORDED = 6


def ours_of(folders: list[Path]) -> list[dict[str, Any]]:
    npx = shutil.which("npx")
    assert npx is not None, "npx is needed"
    return _lines([npx, "node", str(ROOT / "test" / "support" / "read-pest.ts"), *map(str, folders)])


def pestpp_of(reader: str, folders: list[Path]) -> list[dict[str, Any]]:
    return _lines([reader, *map(str, folders)])


def _lines(words: list[str]) -> list[dict[str, Any]]:
    ended = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert ended.returncode == 0, ended.stderr
    return [json.loads(line) for line in ended.stdout.splitlines()]


def pyemu_of(folder: Path) -> dict[str, Any]:
    """Its limits by group, and the observations that it finds in each output file, or why it finds none."""
    import pyemu

    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        home = Path.cwd()
        os.chdir(folder)
        try:
            pst = pyemu.Pst("case.pst")
            found: dict[str, float] = {}
            refused: list[str] = []
            for pair in pst.model_output_data.itertuples():
                try:
                    read = pyemu.pst_utils.InstructionFile(pair.pest_file).read_output_file(pair.model_file)
                    found |= read.obsval.to_dict()
                except Exception as error:
                    refused.append(str(error)[:120])
            return {
                "parameters": {row.parnme: [row.parval1, row.parlbnd, row.parubnd] for row in pst.parameter_data.itertuples()},
                "observations": {row.obsnme: [row.obsval, row.weight, row.obgnme] for row in pst.observation_data.itertuples()},
                "less": list(pst.less_than_obs_constraints),
                "greater": list(pst.greater_than_obs_constraints),
                "found": found,
                "refused": refused,
            }
        finally:
            os.chdir(home)


class Comparison:
    def __init__(self) -> None:
        self.differences: list[str] = []
        self.counts = dict.fromkeys(
            [
                *("cases", "cases as pyemu in full", "parameters", "observations", "limits", "priors", "found", "found as pyemu"),
                *("not found by pyemu", "pyemu differs from PEST++", "spaces"),
            ],
            0,
        )

    def same(self, what: str, ours: Any, theirs: Any) -> None:
        if ours != theirs:
            self.differences.append(f"{what}: ours {ours}, theirs {theirs}")

    def case(self, folder: Path, ours: dict[str, Any], theirs: dict[str, Any], pyemu: dict[str, Any]) -> None:
        where = folder.name
        self.counts["cases"] += 1
        if "error" in ours or "error" in theirs:
            self.same(f"{where} refused", ours.get("error"), theirs.get("error"))
            return
        self._control(where, ours, theirs, pyemu)
        self._found(where, ours, theirs, pyemu)
        for target in sorted(folder.glob("theirs.*")):
            self._spaces(where, folder, target.name.removeprefix("theirs."), theirs)

    def _control(self, where: str, ours: dict[str, Any], theirs: dict[str, Any], pyemu: dict[str, Any]) -> None:
        keys = ("name", "transform", "initial", "lower", "upper", "group", "scale", "offset", "parent")
        self.same(f"{where} parameters", [[one[key] for key in keys] for one in ours["parameters"]], theirs["parameters"])
        stated = {one["name"]: [one[key] for key in ("initial", "lower", "upper")] for one in ours["parameters"]}
        self._as_pyemu(f"{where} parameters of pyemu", stated, pyemu["parameters"])
        self.counts["parameters"] += len(stated)
        self.same(
            f"{where} observations",
            [[one[key] for key in ("name", "value", "weight", "group")] for one in ours["observations"]],
            [one[:4] for one in theirs["observations"]],
        )
        observed = {one["name"]: [one[key] for key in ("value", "weight", "group")] for one in ours["observations"]}
        self._as_pyemu(f"{where} observations of pyemu", observed, pyemu["observations"])
        self.counts["observations"] += len(observed)
        for one, (_, _, weight, _, less, greater) in zip(ours["observations"], theirs["observations"], strict=True):
            name, limit = one["name"], one.get("limit") or {}
            by_group = {"atMost": name in pyemu["less"], "atLeast": name in pyemu["greater"]}
            if any(by_group.values()):
                wanted = {end: one["value"] for end, has in by_group.items() if has}
            else:
                ends = {"atMost": less, "atLeast": greater}
                wanted = {end: value for end, value in ends.items() if value is not None and weight > 0}
            self.same(f"{where} limit {name}", {end: value for end, value in limit.items() if value is not None}, wanted)
            self.counts["limits"] += bool(wanted)
        values = {one["name"]: one["initial"] for one in ours["parameters"]}
        for one, (name, side, value, weight, group) in zip(ours["priors"], theirs["priors"], strict=True):
            self.same(f"{where} prior {name}", [one["name"], one["value"], one["weight"], one["group"]], [name, value, weight, group])
            parts = [
                each["factor"] * (math.log10(values[each["parameter"]]) if each["isLog"] else values[each["parameter"]])
                for each in one["terms"]
            ]
            if not math.isclose(sum(parts), side, rel_tol=1e-9, abs_tol=1e-9 * max(map(abs, parts))):
                self.same(f"{where} left side of {name}", sum(parts), side)
            self.counts["priors"] += 1

    def _as_pyemu(self, what: str, ours: dict[str, list[Any]], theirs: dict[str, list[Any]]) -> None:
        """pandas reads the last digit wrong, and pyemu takes comments in CSV files for rows."""
        rows = {name: row for name, row in theirs.items() if not name.startswith("#")}
        near = [
            math.isclose(one, other, rel_tol=1e-12) if isinstance(one, float | int) else one == other
            for name in ours
            for one, other in zip(ours[name], rows.get(name, [None] * 3), strict=True)
        ]
        if list(ours) != list(rows) or not all(near):
            self.differences.append(f"{what}: ours {ours}, theirs {rows}")

    def _found(self, where: str, ours: dict[str, Any], theirs: dict[str, Any], pyemu: dict[str, Any]) -> None:
        reading = ours["reading"]
        if reading["kind"] != "output":
            self.differences.append(f"{where}: ours {reading}, theirs {theirs['found']}")
            return
        found = dict(zip((one["name"] for one in ours["observations"]), reading["output"], strict=True))
        self.counts["cases as pyemu in full"] += pyemu["found"] == theirs["found"]
        for name, value in theirs["found"].items():
            self.same(f"{where} found {name}", found.get(name), value)
            self.counts["found"] += 1
            if name not in pyemu["found"]:
                self.counts["not found by pyemu"] += 1
            elif pyemu["found"][name] != value:
                self.counts["pyemu differs from PEST++"] += 1
            else:
                self.counts["found as pyemu"] += 1

    def _spaces(self, where: str, folder: Path, target: str, theirs: dict[str, Any]) -> None:
        """The text around is the same, and no number of ours is farther from the value."""
        template = (folder / target.replace("model", "in").replace(".in", ".tpl")).read_text().splitlines()
        marker = template[0].split()[1]
        values = {name: initial * scale + offset for name, _, initial, _, _, _, scale, offset, _ in theirs["parameters"]}
        own, their = ((folder / f"{who}.{target}").read_text().splitlines() for who in ("ours", "theirs"))
        for line, mine, other in zip(template[1:], own, their, strict=True):
            start, end = line.index(marker), line.rindex(marker) + 1
            self.same(f"{where} {target}", mine[:start] + mine[end:], other[:start] + other[end:])
            value = values[line[start + 1 : end - 1].strip()]
            errors = [abs(float(text[start:end]) - value) for text in (mine, other)]
            if errors[0] > errors[1]:
                self.differences.append(f"{where} {target}: ours {mine[start:end]!r}, theirs {other[start:end]!r}, value {value!r}")
            self.counts["spaces"] += 1


def main() -> None:
    say = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    say.add_argument("--reader", required=True)
    say.add_argument("--cases", type=int, default=60)
    say.add_argument("--first", type=int, default=1)
    say.add_argument("--record", type=Path)
    given = say.parse_args()
    comparison = Comparison()
    with tempfile.TemporaryDirectory() as root:
        folders = [Path(root) / str(seed) for seed in range(given.first, given.first + given.cases)]
        for folder in folders:
            write_case(int(folder.name), folder)
        sources = {folder: {file.name: file.read_text() for file in folder.iterdir()} for folder in folders}
        theirs, others = pestpp_of(given.reader, folders), [pyemu_of(folder) for folder in folders]
        for folder, ours, pestpp, pyemu in zip(folders, ours_of(folders), theirs, others, strict=True):
            comparison.case(folder, ours, pestpp, pyemu)
        if given.record is not None:
            rows = [
                {"seed": int(folder.name), "files": sources[folder], "pestpp": one, "limits": [other["less"], other["greater"]]}
                for folder, one, other in list(zip(folders, theirs, others, strict=True))[:RECORDED]
            ]
            given.record.write_text(json.dumps({"pestpp": "5.2.23", "pyemu": "1.7.0", "cases": rows}, indent=2) + "\n")
    print(*comparison.differences, sep="\n")
    print(json.dumps({**comparison.counts, "differences": len(comparison.differences)}))
    sys.exit(bool(comparison.differences))


if __name__ == "__main__":
    main()
