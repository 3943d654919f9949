"""Files that real programs wrote, by the list that the readers in TypeScript are held to as well."""

import json
from pathlib import Path
from typing import Any

import pytest

from backsolve import OutputError, fit

ROOT = Path(__file__).parents[3] / "test"
FOLDER = ROOT / "runner" / "outputs"
CASES = json.loads((FOLDER / "cases.json").read_text())["tables"] + [
    case for case in map(json.loads, (FOLDER / "corpus.jsonl").read_text().splitlines()) if isinstance(case, dict)
]
CURVES = json.loads((ROOT / "clients" / "curve-cases.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["file"])
def test_a_file_has_its_column_or_is_refused(case: dict[str, Any]) -> None:
    path = FOLDER / case["file"]
    layout = case.get("layout", {})
    stated = {"titles": layout.get("titles"), "rows_from": layout.get("rowsFrom", 0)}
    if "values" in case:
        made = fit(path, x=case["x"], y=case["column"], **stated)
        assert made.values == tuple(value for value in case["values"] if value is not None)
        assert made.count == len(case["values"])
        if None not in case["values"] and "curve" not in case:
            assert made.x is not None
            at = list(made.x)
            last = [len(at) - 1 - at[::-1].index(x) for x in at]
            assert made.read("y", (at, case["values"])) == [case["values"][i] for i in last]
    else:
        with pytest.raises(ValueError, match=path.name) as refused:
            fit(path, x=case["x"], y=case["column"], **stated)
        assert case["refused"] in str(refused.value)


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("time, mass\n0 61,5\n", 'line 2 has both blanks and commas between numbers: "0 61,5"'),
        ("time,mass\n0,5,61,5\n", "a decimal comma would split numbers, write a decimal point"),
        ("#\ttime\tmass\n0\t10\t60\n", "line 2 has 3 cells, but line 1 has 2"),
        ('"time","mass"\n"0","10","60"\n', "line 2 has 3 cells, but line 1 has 2"),
        ("   time   mass\n0   10   60\n", "line 2 has 3 cells, but line 1 has 2"),
        ("time,mass\n0,1\n#1,2\n", 'line 3 is a comment amid the rows: "#1,2"'),
        ('time,mass\n0,"3"5\n', "which is not a number"),
        ("time,mass\n0,1_000\n", "which is not a number"),
        ("time,mass\n0,inf\n", "which is not a number"),
        ("time mass\n0 2.000-548\n", "which is not a number"),
        ("time,mass\n", "it has no row below its titles"),
        ("", "it has no lines"),
    ],
)
def test_a_table_is_refused(tmp_path: Path, text: str, refused: str) -> None:
    path = tmp_path / "data.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"data\.csv") as error:
        fit(path, x="time", y="mass")
    assert refused in str(error.value)


def test_numbers_and_separators_are_those_of_programs(tmp_path: Path) -> None:
    path = tmp_path / "data.txt"
    path.write_bytes(b"\xef\xbb\xbf# time;mass\r\n0;1.5D+03\r\n\r\n1;1.5-103\r\n2;nan\r\n")
    assert fit(path, x="time", y="mass").values == (1500.0, 1.5e-103)


@pytest.mark.parametrize("case", CURVES["curves"], ids=lambda case: case["about"])
def test_a_curve_has_the_numbers_that_the_other_readers_have(case: dict[str, Any]) -> None:
    data = fit([1.0] * len(case["at"]), x=case["at"])
    pair = (case["grid"], case["values"])
    if "expected" in case:
        assert data.read("level", pair) == case["expected"]
        assert data.read("level", {"x": pair[0], "y": pair[1]}) == case["expected"]
    else:
        with pytest.raises(OutputError) as refused:
            data.read("level", pair)
        assert case["refused"] in str(refused.value)


@pytest.mark.parametrize("case", CURVES["texts"], ids=lambda case: " ".join(case["x"]))
def test_times_in_a_file_are_told_apart_or_refused(tmp_path: Path, case: dict[str, Any]) -> None:
    path = tmp_path / "data.csv"
    path.write_text("\n".join(["time,level", *(f"{x},{i}" for i, x in enumerate(case["x"]))]))
    if "refused" not in case:
        assert fit(path, x="time", y="level").count == len(case["x"])
        return
    with pytest.raises(ValueError, match=rf"data\.csv, line {case['row'] + 1}: time ") as refused:
        fit(path, x="time", y="level")
    assert case["refused"] in str(refused.value)
