"""Cheaper versions of a black box."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from backsolve import Source, real, solve, within

INPUTS = {"a": real(0, 1), "b": real(0, 1)}


def black_box(a: float, b: float) -> dict[str, float]:
    return {"u": a + 0.3 * a * b + a**3, "v": b - 0.2 * a * a, "w": a * b}


def near(a: float, b: float) -> dict[str, float]:
    return {"u": 0.9 * (a + 0.3 * a * b + a**3) + 0.05, "v": b - 0.2 * a * a + 0.1, "w": 1.1 * a * b}


GOALS = {name: within(value, 1e-3) for name, value in black_box(0.62, 0.37).items()}


def test_the_history_says_which_source_was_run_and_the_best_run_is_one_of_the_black_box() -> None:
    counts = {"fine": 0, "coarse": 0}

    def fine(a: float, b: float) -> dict[str, float]:
        counts["fine"] += 1
        return black_box(a, b)

    def coarse(a: float, b: float) -> dict[str, float]:
        counts["coarse"] += 1
        return near(a, b)

    result = solve(fine, INPUTS, GOALS, sources={"coarse": Source(coarse, cost=0.05)}, progress=False)
    assert result.satisfied
    assert result.best is not None
    assert result.best.source is None
    sources = [run.source for run in result.history]
    assert sources.count("coarse") == counts["coarse"] > 0
    assert sources.count(None) == counts["fine"]


def test_a_wrong_source_is_refused_with_what_to_do() -> None:
    with pytest.raises(ValueError, match="between 0 and 1, not 1"):
        Source(near, cost=1)
    with pytest.raises(ValueError, match="must not be called fine"):
        solve(black_box, INPUTS, GOALS, sources={"fine": Source(near, cost=0.1)})
    with pytest.raises(TypeError, match="must be Source"):
        solve(black_box, INPUTS, GOALS, sources={"coarse": near})  # type: ignore[dict-item]


def test_the_program_of_the_guide_finds_its_inputs_with_runs_of_both_sources() -> None:
    guide = Path(__file__).parents[3] / "docs/guides/cheap-models.md"
    (program,) = re.findall(r"```python\n(.*?)```", guide.read_text("utf-8"), re.DOTALL)
    names: dict[str, object] = {}
    exec(program, names)
    result = names["result"]
    assert result.satisfied  # type: ignore[attr-defined]
    assert {run.source for run in result.history} == {None, "coarse"}  # type: ignore[attr-defined]
