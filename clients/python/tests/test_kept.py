"""Tests when kept runs count for a call: one of them is made once more if the black box may have changed."""

from __future__ import annotations

import functools
import json
import math
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest

from backsolve import (
    ChangedProblemError,
    Source,
    TryAgain,
    at_least,
    fit,
    least_squares,
    minimize,
    solve,
    solve_async,
    within,
)
from backsolve._kept import Changed as ChangedParts
from backsolve._kept import Kept, choose, differing
from backsolve._looks import changes, looks_of

INPUTS = {"a": (0, 10), "b": (0, 10)}
GOALS = {"u": within(12, percent=1), "v": within(13, percent=1)}


class Box:
    """A function that counts its calls where nobody looks."""

    def __init__(self) -> None:
        self.calls: list[dict[str, float]] = []

    def of(self, factor: float = 3.0) -> Callable[..., dict[str, float]]:
        calls = self.calls

        def black_box(a: float, b: float) -> dict[str, float]:
            calls.append({"a": a, "b": b})
            return {"u": a * b, "v": a + factor * b}

        return black_box


def solved(f: Callable[..., Any], **options: Any) -> Any:
    return solve(f, INPUTS, GOALS, **{"name": "kept", "progress": False, **options})


class TestSolve:
    def test_nothing_changed_and_nothing_is_run(self) -> None:
        box = Box()
        first = solved(box.of())
        count = len(box.calls)
        assert solved(box.of()).best == first.best
        assert len(box.calls) == count == len(first.history)

    def test_other_data_are_refused_after_one_run_at_the_answer_and_none_when_asked_again(self) -> None:
        box = Box()
        first = solved(box.of())
        count = len(box.calls)
        for _ in range(2):
            with pytest.raises(ChangedProblemError, match=r"factor has changed since earlier runs of kept.*v was 13\.0\d+ and is 13\.\d"):
                solved(box.of(3.1))
        assert box.calls[count:] == [first.best.input]
        assert solved(box.of()).best == first.best, "a change that is taken back costs no run"
        assert len(box.calls) == count + 1

    def test_a_change_without_effect_costs_one_run_once(self) -> None:
        box = Box()
        solved(box.of())
        count = len(box.calls)
        calls = box.calls

        def rewritten(a: float, b: float) -> dict[str, float]:
            calls.append({"a": a, "b": b})
            product = b * a
            return {"v": 3.0 * b + a, "u": product}

        for _ in range(2):
            assert solved(rewritten).satisfied
        assert len(box.calls) == count + 1

    def test_a_search_that_goes_on_is_compared_before_it_does(self) -> None:
        box = Box()
        assert solved(box.of(), budget=5, cases=4, confidence=None).status != "running"
        count = len(box.calls)
        with pytest.raises(ChangedProblemError):
            solved(box.of(4.0), budget=9, cases=4)
        assert len(box.calls) == count + 1

    def test_stated_noise_decides_without_a_further_run(self) -> None:
        box = Box()
        solved(box.of())
        with pytest.raises(ChangedProblemError, match="state noise"):
            solved(box.of(3.1))
        count = len(box.calls)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            solved(box.of(3.1), noise={"u": 0.3, "v": 0.3}, budget=count + 9)
        assert [call for call in box.calls[count:] if call in box.calls[:count]] == []
        with pytest.raises(ChangedProblemError):
            solved(box.of(9.0), noise={"u": 0.3, "v": 0.3})

    def test_noise_that_nobody_knows_is_said_to_be_in_the_way(self) -> None:
        box = Box()
        options: dict[str, Any] = {"noise": "estimate", "budget": 7, "cases": 4}
        solved(box.of(), **options)
        if len({json.dumps(call) for call in box.calls}) == len(box.calls):
            with pytest.warns(UserWarning, match="cannot tell a change from the noise"):
                solved(box.of(3.1), **options)

    def test_a_run_that_fails_now_is_a_change_and_one_to_be_tried_again_is_none(self) -> None:
        box = Box()
        solved(box.of())

        def broken(a: float, b: float) -> dict[str, float]:
            raise ValueError("no mesh")

        with pytest.raises(ChangedProblemError, match=r"the run that gave u=11\.\d+ v=13\.\d+ fails: ValueError: no mesh"):
            solved(broken)
        tries = []

        def without_licence(a: float, b: float) -> dict[str, float]:
            tries.append(a)
            if len(tries) == 1:
                raise TryAgain("no licence")
            return {"u": a * b, "v": a + 3 * b}

        assert solved(without_licence).satisfied
        assert len(tries) == 2

    def test_failures_alone_are_kept_and_mentioned(self) -> None:
        def broken(a: float, b: float) -> dict[str, float]:
            raise ValueError("no mesh")

        failed = solved(broken, budget=4, cases=3)
        assert failed.best is None
        with pytest.warns(UserWarning, match="failed ones are kept"):
            solved(Box().of(), budget=4, cases=3)

    def test_a_source_that_changed_is_run_itself(self) -> None:
        calls: list[str] = []

        def fine(a: float, b: float) -> dict[str, float]:
            calls.append("fine")
            return {"u": a * b, "v": a + 3 * b}

        def coarse_with(shift: float) -> Callable[..., dict[str, float]]:
            def coarse(a: float, b: float) -> dict[str, float]:
                calls.append("coarse")
                return {"u": a * b + shift, "v": a + 3 * b}

            return coarse

        sources = {"coarse": Source(coarse_with(0.2), cost=0.1)}
        first = solved(fine, sources=sources)
        assert any(run.source == "coarse" for run in first.history)
        calls.clear()
        with pytest.raises(ChangedProblemError, match="shift has changed since earlier runs of the source coarse"):
            solved(fine, sources={"coarse": Source(coarse_with(0.9), cost=0.1)})
        assert calls == ["coarse"]

    def test_the_values_of_a_fit_are_compared_and_those_that_differ_are_named(self) -> None:
        x = np.linspace(0, 1, 6)
        data = {"y": fit(list(2.0 * np.exp(-x)), 0.01)}

        def curve_with(rate: float) -> Callable[..., Any]:
            return lambda a: a * np.exp(-rate * x)

        assert solve(curve_with(1.0), {"a": (0, 5)}, data, name="curve", progress=False).satisfied
        with pytest.raises(ChangedProblemError, match=r"rate has changed.*y\[\d\] was .* and 2 more values differ") as raised:
            solve(curve_with(1.5), {"a": (0, 5)}, data, name="curve", progress=False)
        assert "state noise" not in str(raised.value)

    def test_a_front_is_compared_as_well(self) -> None:
        def both(k: float) -> Callable[..., Any]:
            return lambda a, b: {"u": a + b + k, "v": (a - 5) ** 2 + b}

        goals = {"u": minimize(), "v": minimize()}
        solve(both(1.0), INPUTS, goals, name="front", budget=6, cases=4, progress=False)
        with pytest.raises(ChangedProblemError, match="k has changed"):
            solve(both(2.0), INPUTS, goals, name="front", budget=6, cases=4, progress=False)

    def test_named_files_count(self) -> None:
        Path("load.csv").write_text("3")
        calls = []

        def from_file(a: float, b: float) -> dict[str, float]:
            calls.append(a)
            return {"u": a * b, "v": a + float(Path("load.csv").read_text()) * b}

        solved(from_file, files=["load.csv"])
        Path("load.csv").write_text("3.0")
        count = len(calls)
        assert solved(from_file, files=["load.csv"]).satisfied
        assert len(calls) == count + 1
        Path("load.csv").write_text("4")
        with pytest.raises(ChangedProblemError, match=r"load\.csv has changed"):
            solved(from_file, files=["load.csv"])
        with pytest.raises(FileNotFoundError):
            solved(from_file, files=["gone.csv"])

    def test_a_budget_that_is_spent_is_refused_before_the_comparison(self) -> None:
        box = Box()
        solved(box.of(), budget=8, cases=4)
        count = len(box.calls)
        with pytest.raises(ValueError, match="leaves no runs"):
            solved(box.of(3.5), budget=4, cases=4)
        assert len(box.calls) == count

    def test_what_was_asked_to_be_tried_again_is_compared_by_the_next_call(self) -> None:
        box = Box()
        solved(box.of())
        with pytest.warns(UserWarning, match="has changed since earlier runs of kept"):
            solved(box.of(3.1), retry_failed=True)
        with pytest.raises(ChangedProblemError):
            solved(box.of(3.1))

    @pytest.mark.anyio
    async def test_the_same_holds_for_coroutines(self) -> None:
        def awaited(factor: float) -> Callable[..., Any]:
            async def black_box(a: float, b: float) -> dict[str, float]:
                return {"u": a * b, "v": a + factor * b}

            return black_box

        first = await solve_async(awaited(3.0), INPUTS, GOALS, name="awaited", progress=False)
        assert first.satisfied
        with pytest.raises(ChangedProblemError, match="factor has changed"):
            await solve_async(awaited(3.1), INPUTS, GOALS, name="awaited", progress=False)

    @pytest.fixture
    def anyio_backend(self) -> str:
        return "asyncio"

    def test_a_process_that_is_killed_in_the_comparison_makes_it_once_more(self) -> None:
        program = """
import os, signal, sys
from pathlib import Path
from backsolve import solve, within
factor = 3.0
def black_box(a, b):
    with open("calls", "a") as file: file.write(f"{a} {b}\\n")
    if os.environ.get("KILLED"): os.kill(os.getpid(), signal.SIGKILL)
    return {"u": a * b, "v": a + factor * b}
goals = {"u": within(12, percent=1), "v": within(13, percent=1)}
print(solve(black_box, {"a": (0, 10), "b": (0, 10)}, goals, name="killed", progress=False).status)
"""

        def play(text: str, **environment: str) -> subprocess.CompletedProcess[str]:
            Path("program.py").write_text(text)
            return subprocess.run(
                [sys.executable, "program.py"], env={**os.environ, **environment}, capture_output=True, text=True, check=False
            )

        assert play(program).stdout == "satisfied\n"
        count = Path("calls").read_text().count("\n")
        edited = program.replace("factor = 3.0", "factor = 3.5")
        assert play(edited, KILLED="1").returncode == -signal.SIGKILL
        for _ in range(2):
            ended = play(edited)
            assert "ChangedProblemError: factor has changed since earlier runs of killed" in ended.stderr
        assert Path("calls").read_text().count("\n") == count + 2
        assert play(program).stdout == "satisfied\n"
        assert Path("calls").read_text().count("\n") == count + 2


class TestLeastSquares:
    x = np.linspace(0, 1, 8)

    def of(self, a: float, calls: list[float] | None = None) -> Callable[[Any], Any]:
        y = a * np.exp(-2.5 * self.x)

        def residuals(p: Any) -> Any:
            if calls is not None:
                calls.append(p[0])
            return (p[0] * np.exp(-p[1] * self.x) - y) / 0.01

        return residuals

    def solved(self, f: Callable[..., Any], *start: Any, **options: Any) -> Any:
        bounds = ([0, 0], [5, 8])
        return least_squares(f, *start, **{"residuals": 8, "bounds": bounds, "sigma": 1, "progress": False, **options})

    def test_every_set_of_data_has_an_answer_of_its_own(self) -> None:
        for a in (2.0, 2.3, 2.0, 2.3):
            found = self.solved(self.of(a))
            assert found.success
            assert found.x == pytest.approx([a, 2.5], abs=1e-3)
            assert found.cost == pytest.approx(0.5 * sum(self.of(a)(found.x) ** 2))

    def test_a_further_set_costs_one_run_more_and_an_earlier_one_none(self) -> None:
        calls: list[float] = []
        self.solved(self.of(2.0, calls))
        first = len(calls)
        found = self.solved(self.of(2.3, calls))
        assert len(calls) - first == found.nfev + 1
        count = len(calls)
        for a in (2.0, 2.3):
            assert self.solved(self.of(a, calls)).x[0] == pytest.approx(a, abs=1e-3)
        assert len(calls) == count

    def test_data_in_args_and_kwargs_count(self) -> None:
        def residuals(p: Any, y: Any, *, scale: float) -> Any:
            return (p[0] * np.exp(-p[1] * self.x) - y) / scale

        for a, scale in ((2.0, 0.01), (2.4, 0.01), (2.4, 0.02)):
            found = self.solved(residuals, args=(a * np.exp(-2.5 * self.x),), kwargs={"scale": scale})
            assert found.x == pytest.approx([a, 2.5], abs=1e-3)

    def test_an_answer_that_was_the_start_of_an_earlier_call_is_given(self) -> None:
        for start in ([2.0, 2.0], [2.0, 2.5], [2.0, 2.0]):
            found = self.solved(self.of(2.0), start)
            assert found.success
            assert found.x == pytest.approx([2.0, 2.5], abs=1e-3)

    def test_a_name_is_resumed_and_refuses_other_data(self) -> None:
        self.solved(self.of(2.0), name="named")
        with pytest.raises(ChangedProblemError, match="y has changed since earlier runs of named"):
            self.solved(self.of(2.3), name="named")


def looks(f: Callable[..., Any]) -> Any:
    return looks_of(f, {}, [])


def parts(one: Callable[..., Any], other: Callable[..., Any]) -> list[str]:
    return changes(looks(one), looks(other)).get("", [])


class Model:
    rate = 2.0

    def __init__(self, data: Any, factor: float = 1.0) -> None:
        self.data = data
        self.factor = factor

    def run(self, a: float) -> float:
        return float(a * self.factor * self.data.sum())

    def __call__(self, a: float) -> float:
        return self.run(a)


def closing_over(data: Any) -> Callable[..., Any]:
    return lambda a: a * data


def calling_a_helper(data: Any) -> Callable[..., Any]:
    helper = closing_over(data)
    return lambda a: helper(a) + 1


def reading(held: dict[str, Any]) -> Callable[..., Any]:
    return lambda a: a * held["y"]


class TestLooks:
    @pytest.mark.parametrize(
        ("make", "named"),
        [
            (closing_over, "data"),
            (lambda data: functools.partial(lambda y, a: a * y, data), "argument 1"),
            (lambda data: functools.partial(lambda a, y: a * y, y=data), "y"),
            (lambda data: Model(data).run, "self.data"),
            (Model, "self.data"),
            (lambda data: lambda a, y=data: a * y, "y"),
            (calling_a_helper, "data"),
            (lambda data: reading({"y": data}), "held['y']"),
            (lambda data: functools.lru_cache(closing_over(data)), "data"),
        ],
    )
    def test_data_count_wherever_they_are(self, make: Callable[[Any], Callable[..., Any]], named: str) -> None:
        for one, other in (
            (np.arange(5.0), np.arange(5.0) + 1e-12),
            (pd.DataFrame({"t": [1.0, 2.0]}), pd.DataFrame({"t": [1.0, 2.5]})),
            (pd.Series([1.0, 2.0]), pd.Series([1.0, 2.5])),
            ([1.0, 2.0], [1.0, 2.5]),
        ):
            assert parts(make(one), make(one)) == []
            assert named in parts(make(one), make(other))

    def test_a_name_a_line_and_a_comment_are_no_code(self) -> None:
        made: dict[str, Any] = {}
        exec("def f(a):\n    return a + 1\n\n# more\n\ndef g(a):\n    # says nothing\n    return a + 1\ndef h(a):\n    return a + 2", made)
        assert parts(made["f"], made["g"]) == []
        assert parts(made["f"], made["h"]) == ["code"]

    def test_helpers_and_modules_of_the_user_count_and_packages_do_not(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.syspath_prepend(tmp_path)

        def loaded(text: str) -> ModuleType:
            module = ModuleType("own_model")
            module.__file__ = str(tmp_path / "own_model.py")
            exec(compile(text, module.__file__, "exec"), module.__dict__)
            return module

        def of(text: str) -> Callable[..., Any]:
            made: dict[str, Any] = {"own_model": loaded(text), "np": np, "math": math}
            exec("def f(a):\n    return own_model.run(a) * np.sin(a) + math.pi", made)
            f: Callable[..., Any] = made["f"]
            return f

        base = "LOAD = 2.0\ndef helper(a):\n    return a * LOAD\ndef run(a):\n    return helper(a) + 1\ndef unused():\n    return 1"
        assert parts(of(base), of(base)) == []
        assert parts(of(base), of(base.replace("LOAD = 2.0", "LOAD = 2.5"))) == ["LOAD"]
        assert parts(of(base), of(base.replace("a * LOAD", "a / LOAD"))) == ["helper"]
        assert parts(of(base), of(base.replace("return 1", "return 2"))) == []

    def test_sets_in_code_look_the_same_in_every_process(self) -> None:
        program = (
            "from backsolve._looks import looks_of\ndef f(a):\n    return a in {'u', 'v', 'w', 'x', 'y', 'z'}\nprint(looks_of(f, {}, []))"
        )
        run = functools.partial(subprocess.run, [sys.executable, "-c", program], capture_output=True, text=True, check=True)
        seen = {run(env={**os.environ, "PYTHONHASHSEED": seed}).stdout for seed in "123"}
        assert len(seen) == 1

    def test_what_is_large_what_runs_in_circles_and_what_is_no_data_is_bounded(self) -> None:
        held: dict[str, Any] = {"array": np.zeros(20_000_000), "open": sys.stderr, "numbers": list(range(300_000))}
        held["itself"] = held
        held["generator"] = (each for each in range(3))

        def f(a: float) -> float:
            return float(a + len(held))

        seen = looks(f)
        assert {"code", "held['array']", "held['numbers']"} <= set(seen[""])
        assert looks(f) == seen

    def test_a_counter_says_nothing_once_it_has_moved(self) -> None:
        class Counting:
            def __init__(self) -> None:
                self.count = 0

            def __call__(self, a: float, b: float) -> dict[str, float]:
                self.count += 1
                return {"u": a * b, "v": a + 3 * b}

        box = Counting()
        solved(box)
        count = box.count
        assert solved(box).satisfied
        assert solved(Counting()).satisfied
        assert box.count == count


class TestDiffering:
    def test_a_black_box_without_noise_repeats_itself_up_to_rounding(self) -> None:
        kept = Kept([1.0], [5.0, 1e-17])
        runs = [kept, Kept([2.0], [4.0, 0.1]), Kept([3.0], [9.0, 0.3])]
        assert differing(kept, [5.000001, 3e-17], runs, None) == []
        assert differing(kept, [5.00001, 1e-9], runs, None) == [1, 0]
        assert differing(kept, [math.nan, 1e-17], runs, None) == [0]

    def test_noise_is_what_is_stated_or_what_repeats_tell(self) -> None:
        generator = np.random.default_rng(3)
        kept = Kept([1.0], [5.0])
        false = sum(bool(differing(kept, [5.0 + math.sqrt(2) * 0.1 * z], [kept], [0.1])) for z in generator.normal(size=20_000))
        assert false <= 8, "one in 10,000 by chance"
        assert differing(kept, [5.0 + 7 * 0.1], [kept], [0.1]) == [0]
        repeats = [Kept([2.0], [4.0 + 0.1 * z]) for z in generator.normal(size=8)]
        assert differing(kept, [5.1], [kept, *repeats], None) == []
        assert differing(kept, [9.0], [kept, *repeats], None) == [0]
        assert differing(kept, [5.1], [kept, *repeats[:2]], "estimate") == []
        assert differing(kept, [5.1], [kept], "estimate") is None

    def test_the_answer_is_run_again_else_the_newest_run_of_what_changed(self) -> None:
        runs = [Kept([1.0], [1.0]), Kept([2.0], [2.0]), Kept([3.0], [3.0]), Kept([4.0], [4.0], "coarse")]
        own, coarse = ChangedParts({}, {"": ["y"], "coarse": ["y"]}), ChangedParts({}, {"coarse": ["y"]})
        assert choose(runs, own, [2.0]) == runs[1]
        assert choose(runs, own, None) == runs[2]
        assert choose(runs, coarse, [2.0]) == runs[3]
        assert choose(runs[3:], own, None) is None


def test_functions_without_a_name_are_told_apart() -> None:
    solve(lambda a, b: {"u": a * b, "v": a + 3 * b}, INPUTS, GOALS, progress=False)
    with pytest.raises(ChangedProblemError, match="give another name"):
        solve(lambda a, b: {"u": a * b, "v": a + 4 * b}, INPUTS, GOALS, progress=False)
    goals = {"u": at_least(1)}
    assert solve(lambda a, b: a + b + 1, INPUTS, goals, name="other", progress=False).satisfied
