"""Values that frameworks have and the service does not: numpy scalars, arrays, choices of any kind, infinite ends, odd names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from backsolve import at_most, choice, fit, integer, minimize, real, solve

from .test_frameworks import need

np = need("numpy")
pytestmark = pytest.mark.filterwarnings("ignore")


class TestOpenmdao:
    @pytest.fixture
    def om(self) -> Any:
        need("openmdao")
        import openmdao.api as om

        return om

    def problem(self, om: Any, start: Any, *, optimum: Any, is_discrete: bool = False, **bounds: Any) -> Any:
        """The squares of the distances from the optimum."""
        from backsolve.adapters.openmdao import BacksolveDriver

        class Squares(om.ExplicitComponent):  # type: ignore[misc, unused-ignore]
            def setup(self) -> None:
                self.add_discrete_input("n", start) if is_discrete else self.add_input("n", start)
                self.add_output("f", 0.0)
                self.add_discrete_output("count", 0)

            def compute(self, inputs: Any, outputs: Any, discrete_inputs: Any, discrete_outputs: Any) -> None:
                n = discrete_inputs["n"] if is_discrete else inputs["n"]
                assert not is_discrete or isinstance(n, int) or (n.dtype.kind == "i" and np.shape(n) == np.shape(start))
                outputs["f"] = np.sum((np.asarray(n) - optimum) ** 2)
                discrete_outputs["count"] = int(np.sum(n))

        problem = om.Problem(reports=False)
        problem.model.add_subsystem("squares", Squares(), promotes=["*"])
        problem.model.add_design_var("n", **bounds)
        problem.model.add_objective("f")
        problem.driver = BacksolveDriver(budget=40, disp=False)
        return problem

    def run(self, problem: Any) -> Any:
        problem.setup(derivatives=False)
        problem.run_driver()
        return problem.get_val("n")

    @pytest.mark.parametrize(
        ("start", "optimum"),
        [
            (np.array([0, 0]), [1, 3]),
            (np.array([[0], [1]]), [[1], [3]]),
            (np.array([0]), [4]),
            (np.int64(0), 4),
            (0, 4),
        ],
    )
    def test_a_discrete_array_counts_element_by_element(self, om: Any, start: Any, optimum: Any) -> None:
        problem = self.problem(om, start, optimum=optimum, is_discrete=True, lower=0, upper=5)
        assert np.array_equal(self.run(problem), optimum)

    def test_an_element_with_equal_bounds_keeps_its_value(self, om: Any) -> None:
        problem = self.problem(om, [1.0, 1.0, 1.0], optimum=[0.2, 0.0, 0.7], lower=[0, 2, 0], upper=[1, 2, 1])
        assert self.run(problem) == pytest.approx([0.2, 2, 0.7], abs=1e-3)
        assert set(problem.driver.found.best.input) == {"n[0]", "n[2]"}

    def test_a_discrete_output_may_be_limited(self, om: Any) -> None:
        problem = self.problem(om, np.array([0, 0]), optimum=[0, 0], is_discrete=True, lower=0, upper=3)
        problem.model.add_constraint("count", lower=2)
        assert list(self.run(problem)) == [1, 1]

    @pytest.mark.parametrize(
        ("bounds", "message"),
        [
            ({"lower": [0, 3], "upper": [5, 2]}, r"the lower bound of n\[1\], 3, is above the upper one, 2"),
            ({"lower": 0}, "needs finite lower and upper bounds"),
            ({"lower": 0.5, "upper": 5}, "must be whole numbers"),
        ],
    )
    def test_bounds_that_cannot_be_searched_are_refused_by_name(self, om: Any, bounds: Any, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            self.run(self.problem(om, np.array([0, 0]), optimum=[1, 3], is_discrete=True, **bounds))


class TestGestApi:
    @pytest.fixture
    def vocs(self) -> Any:
        return need("gest_api.vocs")

    def play(self, vocs: Any, function: Any, name: str = "first", **fields: Any) -> Any:
        from backsolve.adapters.libensemble import BacksolveGenerator

        generator = BacksolveGenerator(vocs.VOCS(**{"objectives": {"f": "MINIMIZE"}, **fields}), name=name)
        points: list[Any] = []
        while len(points) < 12 and not generator.is_over:
            own = generator.suggest(2)
            points += own
            generator.ingest([{**point, **function(point)} for point in own])
        space, goals, best = generator.session.space, generator.session.problem.goals, generator.session.result().best
        generator.finalize()
        return space, goals, points, best

    def test_numbers_of_numpy_are_numbers(self, vocs: Any) -> None:
        values = set(np.arange(2, 21, 3))
        space, _, points, best = self.play(
            vocs, lambda each: {"f": np.float32((each["n"] - 11) ** 2)}, variables={"n": values, "x": [0, 1]}
        )
        assert space.inputs["n"].values == (2, 5, 8, 11, 14, 17, 20)
        assert {type(each["n"]) for each in points} == {np.int64}
        assert best.input["n"] == 11
        small = set(np.array([0.1, 0.7], dtype=np.float32))
        assert {
            each["n"] for each in self.play(vocs, lambda each: {"f": each["n"]}, "second", variables={"n": small, "x": [0, 1]})[2]
        } <= small

    def test_a_variable_that_is_stored_as_a_whole_number_is_one(self, vocs: Any) -> None:
        whole = vocs.ContinuousVariable(domain=[0.5, 9], dtype=int)
        space, _, points, _ = self.play(vocs, lambda each: {"f": np.array([each["n"]])}, variables={"n": whole, "x": [0, 1]})
        assert (space.inputs["n"].kind, space.inputs["n"].minimum) == ("integer", 1)
        assert {type(each["n"]) for each in points} == {int}

    @pytest.mark.parametrize("choices", [{1, "1", None}, {"", "b"}, {np.True_, np.False_}, {"z" * 80 + "1", "z" * 80 + "2"}, {1, "a", 2.5}])
    def test_choices_of_any_kind_come_back_as_they_are(self, vocs: Any, choices: set[Any]) -> None:
        wanted = sorted(choices, key=lambda each: (str(each), str(type(each))))[-1]
        space, _, points, best = self.play(
            vocs, lambda each: {"f": each["x"] + (each["n"] is not wanted)}, variables={"n": choices, "x": [0, 1]}
        )
        assert space.inputs["n"].kind == "category"
        assert {(type(each["n"]), each["n"]) for each in points} <= {(type(each), each) for each in choices}
        assert best.input["n"] == space.inputs["n"].names[-1]

    @pytest.mark.parametrize(
        ("constraint", "goal"),
        [
            (["BOUNDS", 0, np.inf], ">= 0"),
            (["BOUNDS", -np.inf, 0.5], "<= 0.5"),
            (["BOUNDS", 0, 1], "0.5 ± 0.5"),
            (["BOUNDS", -np.inf, np.inf], None),
            (["LESS_THAN", np.inf], None),
            (["GREATER_THAN", np.float32(0.5)], "> 0.5"),
        ],
    )
    def test_constraints_may_have_one_side(self, vocs: Any, constraint: Any, goal: str | None) -> None:
        from backsolve.adapters.libensemble import BacksolveGenerator

        made = vocs.VOCS(variables={"x": [0, 1]}, objectives={"f": "MINIMIZE"}, constraints={"c": constraint})
        goals = BacksolveGenerator(made)._goals()
        assert (str(goals["c"]) if "c" in goals else None) == goal

    @pytest.mark.parametrize(
        ("fields", "message"),
        [
            ({"constraints": {"c": ["LESS_THAN", -np.inf]}}, "The constraint c cannot be met: its value is -inf."),
            ({"variables": {"x": [0, np.inf]}}, "The variable x needs a finite domain"),
        ],
    )
    def test_what_cannot_be_searched_is_refused_by_name(self, vocs: Any, fields: Any, message: str) -> None:
        from backsolve.adapters.libensemble import BacksolveGenerator

        with pytest.raises(ValueError, match=message):
            BacksolveGenerator(vocs.VOCS(**{"variables": {"x": [0, 1]}, "objectives": {"f": "MINIMIZE"}, **fields}))


class TestOptuna:
    @pytest.fixture
    def optuna(self) -> Any:
        optuna = need("optuna")
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        return optuna

    def play(self, optuna: Any, objective: Any, count: int) -> Any:
        from backsolve.adapters.optuna import BacksolveSampler

        study = optuna.create_study(study_name="values", storage=f"sqlite:///{Path.cwd()}/study.db", sampler=BacksolveSampler())
        study.optimize(objective, n_trials=count)
        return study

    @pytest.mark.parametrize(("low", "high", "step", "best"), [(0, 100_000, 10, 41_230), (-5, 100_002, 7, 41_232)])
    def test_more_steps_than_levels_are_whole_numbers(self, optuna: Any, low: int, high: int, step: int, best: int) -> None:
        study = self.play(optuna, lambda trial: (trial.suggest_int("n", low, high, step=step) - 41_230) ** 2, 15)
        assert len(study.trials) == 15
        assert {type(trial.params["n"]) for trial in study.trials} == {int}
        assert {(trial.params["n"] - low) % step for trial in study.trials} == {0}
        assert study.best_params["n"] == best
        assert study.sampler.session.run_count == len({trial.params["n"] for trial in study.trials})

    def test_choices_of_any_kind_are_learned(self, optuna: Any) -> None:
        choices = [float("nan"), None, True, "0", "", " a", "x" * 90, "x" * 90 + "y"]

        def objective(trial: Any) -> float:
            value = trial.suggest_categorical("k", choices)
            return float(trial.suggest_float("x", 0, 1)) + float(value != "")

        study = self.play(optuna, objective, 16)
        assert study.sampler.session.run_count == 16
        assert study.best_params["k"] == ""


class TestMlflow:
    def logged(self, name: str, function: Any, inputs: Any, goals: Any, **options: Any) -> tuple[Any, Any, list[Any]]:
        mlflow = need("mlflow")
        from backsolve.adapters.mlflow import MlflowLogger

        # MLflow keeps a store by its address, for other tests as well.
        place = f"sqlite:///{Path.cwd()}/values.db"
        with MlflowLogger(name, tracking_uri=place, goals=goals) as log:
            log.end(solve(function, inputs, goals, name=name, on_run=log, progress=False, **options))
        client = mlflow.MlflowClient(place)
        runs = client.search_runs([client.get_experiment_by_name(name).experiment_id])
        parent = next(run for run in runs if "backsolve.problem" in run.data.tags)
        return client, parent, [run for run in runs if run is not parent]

    def test_names_that_are_the_same_to_mlflow_are_kept_apart(self) -> None:
        outputs = {"u[0]": 1.0, "u(0)": 2.0, "miss.u[0]": 3.0, "a/../b": 4.0, "/c": 5.0, ".": 6.0, "x//y": 7.0, "é%": 8.0}
        inputs = {"a[1]": (0, 1), "a(1)": (2, 3), "../x": (4, 5)}
        _, parent, nested = self.logged("names", lambda **_: outputs, inputs, {name: at_most(0) for name in outputs}, cases=3, budget=5)
        for run in nested:
            metrics = run.data.metrics
            assert [metrics[name] for name in ("u_0_", "u_0_ 2", "miss.u_0_", "a____b", "_c", "_", "x__y", "é_")] == list(outputs.values())
            a, other, x = (float(run.data.params[name]) for name in ("a_1_", "a_1_ 2", "___x"))
            assert [int(a), int(other), int(x)] == pytest.approx([0, 2, 4], abs=1)
        assert parent.data.metrics["best.u_0_ 2"] == 2
        assert {"best.a_1_", "best.a_1_ 2"} <= set(parent.data.tags)

    def test_more_inputs_than_mlflow_takes_in_a_request_and_long_failures(self) -> None:
        def fail(**_: float) -> float:
            raise ValueError("z" * 9000)

        _, _, nested = self.logged("many", fail, {f"i{number}": (0, 1) for number in range(130)}, {"u": minimize()}, cases=3, budget=4)
        assert {len(run.data.params) for run in nested} == {130}
        assert {run.data.tags["backsolve.failure"][:14] for run in nested} == {"ValueError: zz"}

    def test_a_fit_is_a_curve_with_its_misfit(self) -> None:
        data = [1.0, 3.0, 5.0, 7.0]

        def line(a: float, b: float) -> dict[str, Any]:
            return {"level": a * np.arange(4) + b}

        client, parent, nested = self.logged("fit", line, {"a": (0, 3), "b": (0, 3)}, {"level": fit(data, 0.1)}, budget=8)
        for run in nested:
            points = client.get_metric_history(run.info.run_id, "level")
            a, b = (float(run.data.params[name]) for name in "ab")
            assert [each.step for each in points] == [0, 1, 2, 3]
            assert [each.value for each in points] == pytest.approx([b, a + b, 2 * a + b, 3 * a + b])
            squares = [(each.value - value) ** 2 for each, value in zip(points, data, strict=True)]
            assert run.data.metrics["level.rmse"] == pytest.approx((sum(squares) / 4) ** 0.5)
        assert parent.data.metrics["best.fit.chi_square"] < 1


def test_inputs_and_goals_that_are_no_numbers_are_refused_by_name() -> None:
    def play(inputs: Any, goals: Any) -> None:
        solve(lambda **_: 1.0, inputs, goals, progress=False)

    with pytest.raises(ValueError, match="The input x needs finite bounds, not 0 to inf"):
        play({"x": (0, np.inf)}, {"f": minimize()})
    with pytest.raises(ValueError, match="The goal of f, <= inf, needs finite numbers"):
        play({"x": (0, 1)}, {"f": at_most(np.inf)})
    with pytest.raises(ValueError, match="choice needs names in quotes, not 1. For numbers use levels"):
        choice(1, 2)  # type: ignore[arg-type]
    assert choice(*np.array(["a", "b"])).names == ("a", "b")
    assert {type(name) for name in choice(*np.array(["a", "b"])).names} == {str}


def test_numpy_numbers_are_numbers_in_inputs_goals_and_outputs() -> None:
    inputs = {"x": real(np.float32(0), np.array(3)), "n": integer(np.int64(0), np.int32(5)), "y": np.array([0.5, 2])}

    def box(x: float, n: int, y: float) -> dict[str, Any]:
        assert (type(x), type(n), type(y)) == (float, int, float)
        return {"f": np.array(x + n), "g": np.bool_(y > 1), "h": np.float16(y)}

    result = solve(box, inputs, {"f": at_most(np.float32(2)), "g": at_most(np.int64(1)), "h": at_most(np.array(1.5))}, progress=False)
    assert result.satisfied
