"""
PEtab problems of all priors, noise formulas and transformations that Backsolve reads, drawn at random, for a comparison with petab.
Version 2 comes both as people write it and as `petab1to2` converts it. `python -m tests.petab_cases FOLDER` writes them for a look.
"""

from __future__ import annotations

import random
import sys
import warnings
from pathlib import Path
from typing import Any

PER_KIND = {"v1": 20, "converted": 10, "v2": 10}
"""Number of problems of each kind."""
SCALES = ["lin", "log", "log10"]
PRIORS_1 = [
    "uniform",
    "normal",
    "laplace",
    "logNormal",
    "logLaplace",
    *(f"parameterScale{one}" for one in ("Uniform", "Normal", "Laplace")),
]
PRIORS_2 = {
    "uniform": 2,
    "log-uniform": 2,
    "normal": 2,
    "log-normal": 2,
    "laplace": 2,
    "log-laplace": 2,
    "cauchy": 2,
    "chisquare": 1,
    "exponential": 1,
    "gamma": 2,
    "rayleigh": 1,
}
NOISE = [
    ("0.2", ""),
    ("noiseParameter1_{id}", "0.3"),
    ("noiseParameter1_{id} + 0.1 * fixed", "0.25"),
    ("sqrt(noiseParameter1_{id}^2 + noiseParameter2_{id}^2)", "0.3;0.1"),
    ("noiseParameter1_{id} * noiseParameter2_{id}", "fixed;0.2"),
    ("max(fixed / 10, exp(-2)) * log(10, 2)", ""),
    ("sd_{id}", ""),
    ("2 * sd_{id} / ln(5)", ""),
    ("noiseParameter1_{id}", "sd_{id}"),
]
MODEL = """<?xml version="1.0" encoding="UTF-8"?>
<sbml xmlns="http://www.sbml.org/sbml/level3/version1/core" level="3" version="1"><model id="m"><listOfParameters>
{parameters}
</listOfParameters></model></sbml>
"""


def write_cases(folder: Path) -> list[Path]:
    """The YAML files, in the order of PER_KIND. Needs petab 0.10.0."""
    return [_write(kind, number, folder / f"{kind}-{number}") for kind, count in PER_KIND.items() for number in range(count)]


def _write(kind: str, number: int, folder: Path) -> Path:
    draw = random.Random(f"{kind} {number}")
    is_second = kind == "v2"
    observables = [_observable(draw, f"o{i}", number + i, is_second=is_second) for i in range(2)]
    ids = [f"k{i}" for i in range(4)]
    parameters = [_parameter(draw, one, number * len(ids) + i, is_second=is_second) for i, one in enumerate(ids)]
    parameters += [_plain(f"sd_{each['observableId']}", draw.uniform(0.2, 0.6), is_second=is_second) for each in observables]
    parameters.append({**_plain("fixed", 1.5, is_second=is_second), "estimate": "false" if is_second else 0})
    measurements = []
    for each in observables:
        for condition in ("cold", "warm"):
            measurements += [
                {
                    "observableId": each["observableId"],
                    "experimentId" if is_second else "simulationConditionId": condition,
                    "time": time,
                    "measurement": round(draw.uniform(0.5, 9), 4),
                    "noiseParameters": each["values"],
                }
                for time in (1, 2.5, 7)
            ]
    simulations = [
        {**{key: row[key] for key in list(row)[:3]}, "simulation": row["measurement"] * draw.uniform(0.7, 1.4)} for row in measurements
    ]
    source = folder if kind != "converted" else folder / "first"
    source.mkdir(parents=True)
    _table(source / "parameters.tsv", parameters)
    _table(source / "observables.tsv", [{key: value for key, value in each.items() if key != "values"} for each in observables])
    _table(source / "measurements.tsv", measurements)
    _table(source / "simulations.tsv", simulations)
    entities = "\n".join(f'<parameter id="{one}" value="1" constant="true"/>' for one in [*ids, "y", "heat"])
    (source / "model.xml").write_text(MODEL.format(parameters=entities))
    if is_second:
        _table(
            source / "conditions.tsv", [{"conditionId": c, "targetId": "heat", "targetValue": v} for c, v in (("c1", 3), ("c2", "2 * k0"))]
        )
        _table(source / "experiments.tsv", [{"experimentId": e, "time": 0, "conditionId": c} for e, c in (("cold", "c1"), ("warm", "c2"))])
        (source / "problem.yaml").write_text(
            "format_version: 2.0.0\nparameter_files: [parameters.tsv]\nobservable_files: [observables.tsv]\n"
            "measurement_files: [measurements.tsv]\ncondition_files: [conditions.tsv]\nexperiment_files: [experiments.tsv]\n"
            "model_files: {m: {location: model.xml, language: sbml}}\n"
        )
        return source / "problem.yaml"
    _table(source / "conditions.tsv", [{"conditionId": "cold", "heat": 3}, {"conditionId": "warm", "heat": "k0"}])
    (source / "problem.yaml").write_text(
        "format_version: 1\nparameter_file: parameters.tsv\nproblems:\n- sbml_files: [model.xml]\n  observable_files: [observables.tsv]\n"
        "  measurement_files: [measurements.tsv]\n  condition_files: [conditions.tsv]\n"
    )
    return source / "problem.yaml" if kind == "v1" else _convert(source, folder)


def _convert(source: Path, folder: Path) -> Path:
    from petab.v2.petab1to2 import petab1to2

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        petab1to2(source / "problem.yaml", folder, validate=False)
    # An experiment is named after its condition.
    text = (source / "simulations.tsv").read_text().replace("simulationConditionId", "experimentId")
    (folder / "simulations.tsv").write_text(
        text.replace("\tcold\t", "\texperiment____cold\t").replace("\twarm\t", "\texperiment____warm\t")
    )
    return folder / "problem.yaml"


def _observable(draw: random.Random, name: str, number: int, *, is_second: bool) -> dict[str, Any]:
    formula, values = NOISE[number % len(NOISE)]
    formula, values = formula.format(id=name), values.format(id=name)
    shared = {"observableId": name, "observableFormula": "y", "noiseFormula": formula, "values": values}
    if not is_second:
        return {**shared, "observableTransformation": SCALES[number % 3], "noiseDistribution": "normal"}
    count = len(values.split(";")) if values else 0
    names = [f"noiseParameter{i + 1}_{name}" for i in range(count)]
    for i, one in enumerate(names):
        shared["noiseFormula"] = shared["noiseFormula"].replace(one, f"n{i}_{name}")
    placeholders = ";".join(f"n{i}_{name}" for i in range(count))
    return {**shared, "noiseDistribution": draw.choice(["normal", "log-normal"]), "noisePlaceholders": placeholders}


def _plain(name: str, nominal: float, *, is_second: bool) -> dict[str, Any]:
    first = {"parameterId": name, "lowerBound": 0.001, "upperBound": 100, "nominalValue": nominal}
    return {**first, "estimate": "true"} if is_second else {**first, "parameterScale": "lin", "estimate": 1}


def _parameter(draw: random.Random, name: str, number: int, *, is_second: bool) -> dict[str, Any]:
    own = _plain(name, 1, is_second=is_second)
    if is_second:
        kind = list(PRIORS_2)[number % len(PRIORS_2)]
        one, other = sorted(draw.uniform(0.05, 40) for _ in range(2))
        if kind not in ("log-uniform", "chisquare", "exponential", "gamma", "rayleigh") and draw.random() < 0.5:
            one -= 1
        drawn = [one, other] if "uniform" in kind or kind == "gamma" else [one, draw.uniform(0.2, 2)]
        if kind == "chisquare":
            drawn = [draw.randint(2, 5)]
        # The bounds may begin where such a prior has no density.
        lower = -2 if kind in ("normal", "exponential", "gamma", "uniform") else 0.001
        values = ";".join(f"{value:.6g}" for value in drawn[: PRIORS_2[kind]])
        return {**own, "lowerBound": lower, "priorDistribution": kind, "priorParameters": values}
    scale, kind = SCALES[number % 3], PRIORS_1[number % len(PRIORS_1)]
    one, other = draw.uniform(-1.5, 0.5), draw.uniform(0.6, 1.8)
    if kind == "uniform":
        one, other = 10**one, 10**other
    values = f"{one:.6g};{other:.6g}" if "niform" in kind else f"{one:.6g};{draw.uniform(0.1, 0.9):.6g}"
    # Without parameters it is that between the bounds.
    if kind == "parameterScaleUniform" and draw.random() < 0.3:
        values = ""
    return {**own, "parameterScale": scale, "objectivePriorType": kind, "objectivePriorParameters": values}


def _table(file: Path, rows: list[dict[str, Any]]) -> None:
    titles = list(dict.fromkeys(key for row in rows for key in row))
    lines = ["\t".join(titles), *("\t".join(str(row.get(title, "")) for title in titles) for row in rows)]
    file.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    for written in write_cases(Path(sys.argv[1])):
        print(written)
