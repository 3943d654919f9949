"""Drawn PEtab problems as Backsolve reads them, beside petab 0.10; runs where that is installed."""

from __future__ import annotations

import math
import random
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from .petab_cases import PER_KIND, write_cases
from .petab_reading import chi2_of, llh_of, read_files

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    first = pytest.importorskip("petab.v1", reason="NOT CHECKED: petab is not installed")
    if tuple(map(int, version("petab").split(".")[:2])) < (0, 10):
        pytest.skip("NOT CHECKED: petab is older than 0.10, which needs Python 3.12", allow_module_level=True)
    from petab.v1.priors import Prior
    from petab.v2 import Problem
    from petab.v2 import calculate as second

pytestmark = pytest.mark.filterwarnings("ignore")


def test_drawn_problems_have_the_likelihood_and_the_priors_of_petab(tmp_path: Path) -> None:
    files = write_cases(tmp_path)
    assert len(files) == sum(PER_KIND.values()) == 40
    draw = random.Random(1)
    kinds = set()
    for file, read in zip(files, read_files(files), strict=True):
        assert "refused" not in read, (file, read)
        problem = Problem.from_yaml(file) if "version: 2" in file.read_text() else first.Problem.from_yaml(file)
        library = second if isinstance(problem, Problem) else first.calculate
        simulated = first.get_simulation_df(file.parent / "simulations.tsv")
        tables = (problem.measurement_df, simulated, problem.observable_df, problem.parameter_df)
        assert chi2_of(read) == pytest.approx(library.calculate_chi2(*tables)), file
        assert llh_of(read) == pytest.approx(library.calculate_llh(*tables)), file
        priors = _priors(problem)
        for one in read["parameters"]:
            if (density := priors.get(one["id"])) is None:
                assert one.get("prior") is None
                continue
            kinds.add(one["prior"]["kind"])
            lower, upper = problem.parameter_df.loc[one["id"], ["lowerBound", "upperBound"]]
            for value in (draw.uniform(lower, upper) if lower < 0 else lower * (upper / lower) ** draw.random() for _ in range(50)):
                is_inside = one["lower"] <= value <= one["upper"]
                # Far from its mean a density inside rounds to 0.
                assert (density(value) > 0) == is_inside or (is_inside and "niform" not in one["prior"]["kind"]), (file, one, value)
            if likely := one["prior"].get("likely"):
                # On the scale of the normal distribution its ends have 2 more than its mean, each.
                mean = math.sqrt(likely[0] * likely[1]) if "og" in one["prior"]["kind"] or _is_log(one) else sum(likely) / 2
                ends = [-math.log(_untruncated(problem, one["id"], value)) for value in (*likely, mean)]
                assert ends[0] + ends[1] - 2 * ends[2] == pytest.approx(4), (file, one)
    assert len(kinds) == 8 + 11 - 3


def _is_log(parameter: dict[str, Any]) -> bool:
    return bool(parameter["prior"]["kind"] == "parameterScaleNormal" and parameter["scale"] != "lin")


def _priors(problem: Any) -> dict[str, Any]:
    """Their densities, on the parameter itself."""
    if isinstance(problem, Problem):
        return {one.id: one.prior_dist.pdf for one in problem.parameters if one.estimate and one.prior_dist is not None}
    return {
        name: Prior.from_par_dict(row.to_dict(), "objective").pdf
        for name, row in problem.parameter_df.iterrows()
        if isinstance(row.objectivePriorType, str)
    }


def _untruncated(problem: Any, name: str, value: float) -> float:
    if isinstance(problem, Problem):
        (found,) = (one.prior_dist for one in problem.parameters if one.id == name)
    else:
        found = Prior.from_par_dict(problem.parameter_df.loc[name].to_dict(), "objective").distribution
    return float(found._pdf_untruncated(value))
