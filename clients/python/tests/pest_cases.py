"""
Cases of PEST for test_pest.py: control files, template and instruction files, and the output of a model that never ran. Half of them are
written by pyemu, half as people write them: capital letters, tabs, CRLF, comments, numbers of Fortran, lines of PEST++.
"""

from __future__ import annotations

import random
import string
from pathlib import Path
from typing import Any, NamedTuple

MARKERS = "~@$%"
GROUPS = ["heads", "flows", "temps"]


class Case(NamedTuple):
    parameters: list[dict[str, Any]]
    observations: dict[str, float]


def _name(draw: random.Random, prefix: str, number: int, longest: int) -> str:
    length = draw.randint(0, longest - len(prefix) - 4)
    return f"{prefix}{number}" + "".join(draw.choice(string.ascii_lowercase + "_") for _ in range(length))


def _value(draw: random.Random) -> float:
    return float(f"{draw.choice([-1, 1]) * 10 ** draw.uniform(-9, 9):.{draw.randint(2, 16)}g}")


def write_files(draw: random.Random, folder: Path, longest: int, end: str) -> Case:
    """model.tpl, model.ins and model.out."""
    parameters: list[dict[str, Any]] = []
    for i in range(draw.randint(1, 9)):
        is_log = draw.random() < 0.5
        value = abs(_value(draw)) if is_log else _value(draw)
        scale, offset = draw.choice([(1.0, 0.0), (1.0, 0.0), (-2.5, 0.0), (0.1, 300.0)])
        parameters.append({"parnme": _name(draw, "p", i, longest), "parval1": value, "is_log": is_log, "scale": scale, "offset": offset})
    marker = draw.choice(MARKERS)
    lines = [f"ptf {marker}"]
    for one in parameters:
        space = f"{marker}{one['parnme']:^{draw.randint(len(one['parnme']), len(one['parnme']) + 14)}}".ljust(draw.randint(12, 26))
        lines.append(f"{draw.choice(['', 'value ', '  '])}{space}{marker}{draw.choice(['', ' m/s', ' 7'])}")
    _write(folder / "model.tpl", lines, end)
    return Case(parameters, _write_output(draw, folder, longest, end))


def _number(draw: random.Random, width: int | None = None) -> tuple[str, float]:
    value = _value(draw)
    text = draw.choice([f"{value:.6E}", f"{value:.8g}", f"{value:+.3e}", f"{round(value, 3):.3f}"])
    if width is not None:
        text = f"{value:.{width - 9}E}".rjust(width)
    return text, float(text)


def _write_output(draw: random.Random, folder: Path, longest: int, end: str) -> dict[str, float]:
    """Lines with noise between them, and each way to find a number."""
    marker = draw.choice(MARKERS)
    found: dict[str, float] = {}
    instructions = [f"pif {marker}"]
    output: list[str] = []
    for i in range(draw.randint(2, 9)):
        name = _name(draw, "o", i, longest)
        noise = draw.randint(0, 3)
        output += [f"noise {draw.randint(0, 99)} of line {len(output)}" for _ in range(noise)]
        advance = f"l{noise + 1}"
        text, value = _number(draw)
        other, skipped = _number(draw)[0], draw.choice(["abc", "4.5", "x=1"])
        way = draw.randint(0, 6)
        if way == 0:
            output.append(f"  {text}  {other}")
            instructions.append(f"{advance} !{name}!")
        elif way == 1:
            output.append(f"  {skipped}   {other} {text}")
            instructions.append(f"{advance} w w w !{name}!")
        elif way == 2:
            output.append(f"{skipped},{other},{text}")
            instructions.append(f"{advance} !dum! !dum! !{name}!")
        elif way == 3:
            output.append(f"step {i} : level = {text} m")
            instructions.append(f"{marker}step {i} :{marker} {marker}level ={marker} !{name}!")
        elif way == 4:
            output.append(f"{other} and then = {text}")
            instructions.append(f"{advance} {marker}then ={marker} !{name}!")
        elif way == 5:
            text, value = _number(draw, 18)
            output.append(f"ab{text}cd")
            instructions.append(f"{advance} [{name}]3:20")
        else:
            output.append(f"a    {text}   b")
            instructions.append(f"{advance} ({name})4:{draw.randint(6, 9)}")
        found[name] = value
    output += ["the end"]
    _write(folder / "model.ins", instructions, end)
    _write(folder / "model.out", output, end)
    return found


def _write(file: Path, lines: list[str], end: str) -> None:
    file.write_bytes((end.join(lines) + end).encode())


def write_by_hand(draw: random.Random, folder: Path) -> None:
    """A control file as people write it. PEST takes names of up to 12 characters, PEST++ longer ones."""
    end = draw.choice(["\n", "\r\n"])
    case = write_files(draw, folder, draw.choice([12, 40]), end)
    gap = draw.choice([" ", "  ", "\t", " \t "])

    def fortran(value: float) -> str:
        return draw.choice([repr(value), f"{value:.12E}".replace("E", "D"), f"{value:.15e}"])

    def word(text: str) -> str:
        return draw.choice([text, text.upper(), text.capitalize()])

    rows, tied = [], []
    for i, one in enumerate(case.parameters):
        value = one["parval1"]
        first = case.parameters[0]
        kind = "log" if one["is_log"] else "none"
        if i > 0 and draw.random() < 0.3 and first["parval1"] != 0:
            kind = draw.choice(["tied", "fixed"])
        if kind == "tied":
            tied.append(gap.join([word(one["parnme"]), word(first["parnme"])]))
        low, high = sorted([value / 10, value * 10])
        numbers = [fortran(value), fortran(low), fortran(high)]
        group = draw.choice(["pg", "PG"])
        rows.append(
            gap.join([word(one["parnme"]), word(kind), "factor", *numbers, group, fortran(one["scale"]), fortran(one["offset"]), "1"])
        )
    observed = [
        gap.join([word(name), fortran(value + draw.gauss(0, 1)), fortran(draw.choice([0.0, 1.0, 50.0, 0.25])), word(draw.choice(GROUPS))])
        for name, value in case.observations.items()
    ]
    adjustable = [one for one, row in zip(case.parameters, rows, strict=True) if row.split()[1].lower() in {"log", "none"}]
    priors = []
    if adjustable and draw.random() < 0.5:
        one = draw.choice(adjustable)
        is_log = one["is_log"]
        left = f"1.0 * log({one['parnme']})" if is_log else f"2.0 * {one['parnme']}"
        priors = [gap.join(["pi1", left, "=", "0.5", "2.0", "prior"])]
    lines = [
        "pcf",
        *draw.choice([[], ["# a comment"]]),
        "* control data",
        "restart estimation",
        f"{len(rows)} {len(observed)} 1 {len(priors)} 3",
        "1 1 single point 1 0 0",
        *["5.0 2.0 0.3 0.03 10", "3.0 3.0 0.001", "0.1", "30 0.01 3 3 0.01 3", "1 1 1"],
        "* singular value decomposition",
        *["1", "2 5e-7", "1"],
        "* parameter groups",
        "pg relative 0.01 0.0 switch 2.0 parabolic",
        "* parameter data",
        *rows,
        *tied,
        "* observation groups",
        *GROUPS,
        "* observation data",
        *observed,
        "* model command line",
        "python3 model.py",
        "* model input/output",
        f"model.tpl{gap}model.in",
        f"model.ins{gap}model.out",
        *(["* prior information", *priors] if priors else []),
        *draw.choice([[], ["++ies_num_reals(50)", "++svd_pack(redsvd)"]]),
    ]
    _write(folder / "case.pst", lines, end)
