"""
Draws cases of PEST: control files of both versions with their CSV files, template and instruction files, and the output of a model that
never ran. They have what people's cases have and what tools read differently: limits by group and by column, regularisation, tied, fixed
and scaled parameters, prior information, options about files, and every kind of instruction that PEST++ knows.
"""

from __future__ import annotations

import random
import string
from pathlib import Path

GROUPS = ["heads", "flows", "l_heads", "Less_flow", "g_low", "greater_than", ">@cap", "<@floor", "regul_p", "level"]
MARKERS = "~@$%"


def write_case(seed: int, folder: Path) -> None:
    """The same seed writes the same files. One of three cases has what PEST++ and pyemu read differently."""
    draw = random.Random(seed)  # noqa: S311 - a design, no secret
    folder.mkdir(parents=True, exist_ok=True)
    options: dict[str, str] = {}
    if draw.random() < 0.25:
        options["fill_tpl_zeros"] = draw.choice(["true", "1"])
    if draw.random() < 0.25:
        options["tpl_force_decimal"] = "true"
    is_shared = seed % 3 > 0
    delimiters = "" if is_shared else draw.choice(["", "|", ";="])
    if delimiters:
        options["additional_ins_delimiters"] = delimiters
    parameters = _parameters(draw, "tpl_force_decimal" in options)
    templates = _templates(draw, folder, parameters)
    found: dict[str, float] = {}
    words = ["abc", "4.5", "x:1", *([] if is_shared else ["10,12", "a,b,"])]
    instructions = [_instructions(draw, folder, number, (words, delimiters), found) for number in range(draw.randint(1, 2))]
    observations = [
        {
            "obsnme": name,
            "obsval": repr(float(f"{value + draw.gauss(0, 1):.6g}")),
            "weight": draw.choice(["0.0", "1.0", "50.0", "0.25"]),
            "obgnme": draw.choice(GROUPS),
        }
        for name, value in found.items()
    ]
    priors = _priors(draw, parameters)
    write = _version_1 if seed % 2 else _version_2
    lines = write(draw, folder, parameters, observations, priors, options, templates, instructions)
    (folder / "case.pst").write_text("\n".join(lines) + "\n")


def _name(draw: random.Random, prefix: str, number: int) -> str:
    letters = string.ascii_lowercase + "_"
    return f"{prefix}{number}" + "".join(draw.choice(letters) for _ in range(draw.randint(0, 8)))


def _value(draw: random.Random, sizes: float = 9) -> float:
    return float(f"{draw.choice([-1, 1]) * 10 ** draw.uniform(-sizes, sizes):.{draw.randint(2, 12)}g}")


def _parameters(draw: random.Random, is_decimal: bool) -> list[dict[str, str]]:
    rows: list[dict[str, str]] = []
    for i in range(draw.randint(2, 9)):
        kind = "none" if i == 0 else draw.choice(["log", "log", "none", "none", "fixed", "tied"])
        value = _value(draw, 3 if is_decimal else 9)
        value = abs(value) if kind == "log" else value
        low, high = sorted([value / 10, value * 10])
        scale, offset = draw.choice([("1.0", "0.0"), ("1.0", "0.0"), ("-2.5", "0.0"), ("0.1", "300.0")])
        rows.append(
            {
                "parnme": _name(draw, "p", i),
                "partrans": kind,
                "parchglim": "relative",
                "parval1": repr(value),
                "parlbnd": repr(low),
                "parubnd": repr(high),
                "pargp": draw.choice(["pg", "other"]),
                "scale": scale,
                "offset": offset,
                "dercom": "1",
                "partied": rows[0]["parnme"] if kind == "tied" else "",
            }
        )
    return rows


def _templates(draw: random.Random, folder: Path, parameters: list[dict[str, str]]) -> list[tuple[str, str]]:
    pairs = []
    half = draw.randint(1, len(parameters))
    for number, own in enumerate([parameters[:half], parameters[half:]]):
        if not own:
            continue
        marker = draw.choice(MARKERS)
        lines = [f"ptf {marker}"]
        for one in own:
            name = one["parnme"]
            width = draw.randint(max(13, len(name) + 2), 26)
            space = f"{marker}{name:^{width - 2}}{marker}"
            lines.append(draw.choice(["", "value ", "  "]) + space + draw.choice(["", " m/s", " 7"]))
        (folder / f"in{number}.tpl").write_text("\n".join(lines) + "\n")
        pairs.append((f"in{number}.tpl", f"model{number}.in"))
    return pairs


def _number(draw: random.Random) -> tuple[str, float]:
    value = _value(draw)
    text = draw.choice([f"{value:.6E}", f"{value:.8g}", f"{value:+.3e}", f"{round(value, 3):.3f}"])
    return text, float(text)


def _instructions(draw: random.Random, folder: Path, file: int, pieces: tuple[list[str], str], found: dict[str, float]) -> tuple[str, str]:
    words, delimiters = pieces
    marker = draw.choice(MARKERS)
    instructions, output = [f"pif {marker}"], ["the model says"]
    instructions.append("l1")
    for i in range(draw.randint(2, 9)):
        name = _name(draw, "o", 100 * file + i)
        noise = draw.randint(0, 3)
        output += [f"noise {draw.randint(0, 99)} of line {len(output)}" for _ in range(noise)]
        advance = f"l{noise + 1}"
        (text, value), (other, _) = _number(draw), _number(draw)
        word = draw.choice(words)
        gap = draw.choice([" ", "   ", "\t", " \t", *delimiters])
        lines, ways = [f"  {text}  {other}"], [f"{advance} !{name}!"]
        way = draw.randint(0, 11)
        if way == 1:
            lines, ways = [f"{word}{gap}{other} {text}"], [f"{advance} w w !{name}!"]
        elif way == 2:
            lines, ways = [f"abc,{other},{text}"], [f"{advance} !dum! !dum! !{name}!"]
        elif way == 3:
            lines, ways = [f"step {i} : level = {text} m"], [f"{marker}step {i} :{marker} {marker}level ={marker} !{name}!"]
        elif way == 4:
            lines, ways = [f"{other} and then = {text}"], [f"{advance} {marker}then ={marker} !{name}!"]
        elif way == 5:
            lines, ways = [f"ab{value:.9E}".ljust(22) + "cd"], [f"{advance} [{name}]3:{2 + len(f'{value:.9E}')}"]
            text, value = f"{value:.9E}", float(f"{value:.9E}")
        elif way == 6:
            lines, ways = [f"a    {text}   b"], [f"{advance} ({name})4:{draw.randint(6, 9)}"]
        elif way == 7:
            # The search goes on from the line advance.
            between = ["between"] * noise
            lines, ways = [f"zone {i}", *between, f"zone {i} flow {text}"], [f"{advance} {marker}flow{marker} !{name}!"]
        elif way == 8:
            # And from the first marker.
            lines = [f"time = {i}.0 h {other}", f"time = {i}.5 h {text}"]
            ways = [f"{marker}time ={marker} {marker}{i}.5{marker} {marker}h{marker} !{name}!"]
        elif way == 9:
            second = f"{name}b"
            between = draw.choice([" ", ","]) if "a,b," in words else " "
            lines, ways = [f"{text}{between}{word}{gap}{other}"], [f"L{noise + 1} !{name.upper()}! w{' w' * (between == ' ')} !{second}!"]
            found[second] = float(other)
        elif way == 10:
            lines, ways = [f"{word}{gap}value {text}"], [f"{advance} w {marker}value{marker} !{name}!"]
        elif way == 11:
            lines, ways = [f"{other} {text}"], [f"{advance} !dum! !{name}!"]
        output += lines
        instructions += ways
        found[name] = value
    (folder / f"out{file}.ins").write_text("\n".join(instructions) + "\n")
    (folder / f"model{file}.out").write_text("\n".join([*output, "the end"]) + "\n")
    return f"out{file}.ins", f"model{file}.out"


def _priors(draw: random.Random, parameters: list[dict[str, str]]) -> list[dict[str, str]]:
    rows = []
    for i in range(draw.randint(0, 3)):
        terms = []
        for one in draw.sample(parameters, draw.randint(1, 2)):
            name = f"log({one['parnme']})" if one["partrans"] == "log" else one["parnme"]
            terms.append(f"{draw.choice(['1.0', '2.5', '0.5'])} * {name}")
        rows.append(
            {
                "pilbl": f"pi{i}",
                "equation": f" {draw.choice('+-')} ".join(terms) + f" = {_value(draw, 2)!r}",
                "weight": draw.choice(["0.0", "2.0", "0.1"]),
                "obgnme": draw.choice(["prior", "regul_p", "less_pi", "greater_pi"]),
            }
        )
    return rows


def _version_1(
    draw: random.Random,
    folder: Path,
    parameters: list[dict[str, str]],
    observations: list[dict[str, str]],
    priors: list[dict[str, str]],
    options: dict[str, str],
    templates: list[tuple[str, str]],
    instructions: list[tuple[str, str]],
) -> list[str]:
    del folder
    gap = draw.choice([" ", "  ", "\t"])

    def row(one: dict[str, str], last: str | None = None) -> str:
        cells = [cell.upper() if draw.random() < 0.2 else cell for key, cell in one.items() if key != last]
        return gap.join(cells)

    groups = list(dict.fromkeys(one["obgnme"] for one in [*observations, *priors]))
    return [
        "pcf",
        *draw.choice([[], ["# a comment"]]),
        "* control data",
        draw.choice(["restart estimation", "norestart estimation"]),
        f"{len(parameters)} {len(observations)} 2 {len(priors)} {len(groups)}",
        f"{len(templates)} {len(instructions)} single point 1 0 0",
        *["5.0 2.0 0.3 0.03 10", "3.0 3.0 0.001", "0.1", "0 0.01 3 3 0.01 3", "1 1 1"],
        "* singular value decomposition",
        *["1", "2 5e-7", "1"],
        "* parameter groups",
        *[f"{group} relative 0.01 0.0 switch 2.0 parabolic" for group in ("pg", "other")],
        "* parameter data",
        *[row(one, "partied") for one in parameters],
        *[f"{one['parnme']}{gap}{one['partied']}" for one in parameters if one["partied"]],
        "* observation groups",
        *groups,
        "* observation data",
        *[row(one) for one in observations],
        "* model command line",
        "python3 model.py",
        "* model input/output",
        *[gap.join(pair) for pair in [*templates, *instructions]],
        *(["* prior information", *[" ".join(one.values()) for one in priors]] if priors else []),
        *[f"++{name}({value})" for name, value in options.items()],
    ]


def _version_2(
    draw: random.Random,
    folder: Path,
    parameters: list[dict[str, str]],
    observations: list[dict[str, str]],
    priors: list[dict[str, str]],
    options: dict[str, str],
    templates: list[tuple[str, str]],
    instructions: list[tuple[str, str]],
) -> list[str]:
    has = draw.choice([[], ["less_than"], ["greater_than"], ["less_than", "greater_than"]])
    for one in observations:
        value = float(one["obsval"])
        for end in has:
            far = abs(value) + 1
            limit = repr(value + far if end == "less_than" else value - far)
            one[end] = draw.choice(["", limit])
    sections = []
    for name, rows in [("parameter", parameters), ("observation", observations), ("prior", priors)]:
        if not rows:
            continue
        word, separator = draw.choice([(None, ","), (";", ";"), ("|", "|")])
        missing = draw.choice([None, "-999"]) if name == "observation" and not has else None
        lines = [separator.join(rows[0])]
        if draw.random() < 0.3:
            lines.append("# a comment")
        lines += [separator.join(one.values()) for one in rows]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
        words = [f"{name}.csv", *(["sep", word] if word else []), *(["missing_value", missing] if missing else [])]
        title = {"parameter": "parameter data", "observation": "observation data", "prior": "prior information"}[name]
        sections += [f"* {title} external", " ".join(words)]
    return [
        "pcf version=2",
        "* control data keyword",
        "pestmode estimation",
        "noptmax 0",
        *[f"{name} {value}" for name, value in options.items()],
        *sections,
        "* model command line",
        "python3 model.py",
        "* model input",
        *[" ".join(pair) for pair in templates],
        "* model output",
        *[" ".join(pair) for pair in instructions],
    ]
