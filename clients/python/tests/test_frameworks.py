"""Tests what the adapters do beyond the examples of their guide. They run where the frameworks are installed."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from backsolve import ChangedProblemError, TryAgain, minimize, real, solve, within


def need(module: str) -> Any:
    return pytest.importorskip(module, reason=f"NOT CHECKED: {module} is not installed")


# Frameworks warn of much that is theirs.
pytestmark = pytest.mark.filterwarnings("ignore")


def u_and_v(a: float, b: float) -> dict[str, float]:
    return {"u": a * b, "v": a + 3 * b}


def two(trial: Any) -> tuple[float, float]:
    return trial.suggest_float("a", 0, 10), trial.suggest_float("b", 0, 10)


class TestOptuna:
    @pytest.fixture
    def optuna(self) -> Any:
        optuna = need("optuna")
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        return optuna

    @pytest.fixture
    def space(self, optuna: Any) -> dict[str, Any]:
        return {name: optuna.distributions.FloatDistribution(0, 10) for name in "ab"}

    def sampler(self, *args: Any, **options: Any) -> Any:
        from backsolve.adapters.optuna import BacksolveSampler

        return BacksolveSampler(*args, **options)

    def test_with_space_and_goals_it_makes_the_runs_of_solve_and_stops_the_study(
        self, optuna: Any, space: Any, caplog: pytest.LogCaptureFixture
    ) -> None:
        goals = {"u": within(12, percent=1), "v": within(13, percent=1)}
        inputs = {name: real(0, 10, scale="linear") for name in "ab"}
        alone = solve(u_and_v, inputs, goals, stop=False, progress=False)

        def objective(trial: Any) -> float:
            out = u_and_v(*two(trial))
            trial.set_user_attr("v", out["v"])
            return out["u"]

        study = optuna.create_study(sampler=self.sampler(space, goals=goals))
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        optuna.logging.enable_propagation()
        try:
            study.optimize(objective, n_trials=60)
        finally:
            optuna.logging.disable_propagation()
        (told,) = {record.getMessage() for record in caplog.records if record.name == "optuna.backsolve"}
        assert told.startswith(f"The search of {study.study_name} is over: ")
        assert told.endswith(f"{study.sampler.session.result().reason}".rstrip(".") + ".")
        assert [trial.params for trial in study.trials] == [dict(run.input) for run in alone.history]
        assert study.sampler.session.result().satisfied

    def test_enqueued_failed_and_interrupted_trials(self, optuna: Any, space: Any) -> None:
        study = optuna.create_study(sampler=self.sampler(space, cases=3))
        study.enqueue_trial({"a": 1.5, "b": 2.5})
        raised: list[BaseException] = [ValueError("no mesh"), KeyboardInterrupt(), TryAgain("no licence")]

        def objective(trial: Any) -> float:
            a, b = two(trial)
            if trial.number in (1, 2, 3):
                raise raised[trial.number - 1]
            return a + b

        study.optimize(objective, n_trials=2, catch=(ValueError,))
        with pytest.raises(KeyboardInterrupt):
            study.optimize(objective, n_trials=1)
        study.optimize(objective, n_trials=8, catch=(TryAgain,))
        runs = study.sampler.session.result().history
        assert [run.failure for run in runs if run.failure] == ["ValueError: no mesh"]
        assert sum(dict(run.input) == {"a": 1.5, "b": 2.5} for run in runs) == 1
        interrupted = study.trials[2].params
        assert sum(trial.params == interrupted for trial in study.trials) == 2
        assert len(runs) == len([trial for trial in study.trials if trial.state.name == "COMPLETE"]) + 1

    def test_threads_directions_and_a_categorical_parameter(self, optuna: Any) -> None:
        study = optuna.create_study(directions=["minimize", "maximize"], sampler=self.sampler(cases=4))

        def objective(trial: Any) -> tuple[float, float]:
            a, b = two(trial)
            factor = trial.suggest_categorical("k", [None, 2.5])
            return a + b, a * trial.suggest_int("n", 1, 9, step=2) * (factor or 1)

        study.optimize(objective, n_trials=12, n_jobs=3)
        assert study.sampler.session.run_count == 12
        assert len(study.best_trials) >= 1

    def test_a_program_that_asks_for_more_than_there_is_gets_random_parameters(self, optuna: Any, space: Any) -> None:
        study = optuna.create_study(sampler=self.sampler(space, cases=3))
        trials = [study.ask(space) for _ in range(5)]
        for trial in trials:
            study.tell(trial, sum(trial.params.values()))
        assert study.sampler.session.run_count == 5

    def test_a_parameter_of_some_trials_is_sampled_alone(self, optuna: Any) -> None:
        study = optuna.create_study(sampler=self.sampler(cases=3))

        def objective(trial: Any) -> float:
            kind = trial.suggest_categorical("kind", ["x", "y", True])
            return float(trial.suggest_float("extra", 0, 1)) if trial.number % 2 and kind != "x" else 1.0

        study.optimize(objective, n_trials=6)
        assert set(study.sampler.session.space.inputs) == {"kind"}

    def test_constraints_that_come_late_are_refused_by_name(self, optuna: Any, space: Any) -> None:
        study = optuna.create_study(sampler=self.sampler(space))

        def objective(trial: Any) -> float:
            trial.set_constraint("sag", 1.0)
            return sum(two(trial))

        with pytest.raises(ValueError, match="constraint sag, unknown to the search"):
            study.optimize(objective, n_trials=1)

    def test_a_constraints_func_and_one_sampler_for_one_study(self, optuna: Any) -> None:
        sampler = self.sampler(constraints_func=lambda trial: [3 - trial.params["a"]], cases=3)
        study = optuna.create_study(sampler=sampler)
        study.optimize(lambda trial: sum(two(trial)), n_trials=9)
        assert study.best_trial.params["a"] >= 3
        assert sampler.session.space.outputs == ("value", "0")
        with pytest.raises(ValueError, match="belongs to the study"):
            optuna.create_study(sampler=sampler).optimize(lambda trial: sum(two(trial)), n_trials=1)


class TestOpenmdao:
    def test_units_arrays_equality_and_a_failed_analysis(self) -> None:
        om, np = need("openmdao.api"), need("numpy")
        from backsolve.adapters.openmdao import BacksolveDriver

        class Beam(om.ExplicitComponent):  # type: ignore[misc, unused-ignore, name-defined]
            def setup(self) -> None:
                self.add_input("h", val=np.array([5.0, 5.0]), units="cm")
                self.add_output("mass", units="kg")
                self.add_output("sag", val=np.zeros(2), units="mm")

            def compute(self, inputs: Any, outputs: Any) -> None:
                first, second = inputs["h"]
                if first < 6:
                    raise om.AnalysisError("too thin")
                outputs["mass"] = 2 * first + 3 * second
                outputs["sag"] = [300 / first**2, 400 / second**2]

        problem = om.Problem(name="beam", reports=False)
        problem.model.add_subsystem("beam", Beam(), promotes=["*"])
        problem.model.add_design_var("h", lower=0.02, upper=0.12, units="m", ref=0.1)
        problem.model.add_objective("mass", scaler=0.1)
        problem.model.add_constraint("sag", indices=[0], equals=0.005, units="m", ref=0.001)
        problem.model.add_constraint("sag", alias="second", indices=[1], lower=2, upper=6)
        problem.driver = BacksolveDriver(budget=25, disp=False, search={"cases": 6})
        problem.setup(derivatives=False)
        problem.run_driver()
        found = problem.driver.found
        assert problem.driver.result.success
        assert problem.get_val("sag")[0] == pytest.approx(5, abs=2e-3)
        assert 2 <= problem.get_val("sag")[1] <= 6
        assert problem.get_val("mass")[0] == pytest.approx(found.best.output["mass"])
        assert any("too thin" in (run.failure or "") for run in found.history)

    def test_a_design_variable_without_bounds_is_refused(self) -> None:
        om = need("openmdao.api")
        from backsolve.adapters.openmdao import BacksolveDriver

        problem = om.Problem(name="open", reports=False)
        problem.model.add_subsystem("f", om.ExecComp("y = x**2"), promotes=["*"])
        problem.model.add_design_var("x", lower=0)
        problem.model.add_objective("y")
        problem.driver = BacksolveDriver(disp=False)
        problem.setup()
        with pytest.raises(ValueError, match="finite lower and upper"):
            problem.run_driver()


class TestOptimagic:
    def test_residuals_and_an_exception_that_goes_on(self) -> None:
        om, np = need("optimagic"), need("numpy")
        from backsolve.adapters.optimagic import Backsolve, BacksolveLeastSquares

        times = np.linspace(0, 4, 9)

        @om.mark.least_squares
        def misfit(p: Any) -> Any:
            return p["a"] * np.exp(-p["k"] * times) - 3 * np.exp(-0.7 * times)

        bounds = om.Bounds(lower={"a": 0, "k": 0}, upper={"a": 10, "k": 2})
        found = om.minimize(misfit, {"a": 1.0, "k": 0.1}, algorithm=BacksolveLeastSquares(search_name="ls"), bounds=bounds)
        assert found.params == pytest.approx({"a": 3, "k": 0.7}, abs=1e-2)

        def f(x: Any) -> float:
            if x[0] > 1:
                raise ValueError("no value")
            return float(x[0] ** 2 + (x[1] - 1) ** 2)

        ends = om.Bounds(lower=np.array([-2.0, -2.0]), upper=np.array([2.0, 2.0]))
        options = {"algorithm": Backsolve(search_name="raises", stopping_maxfun=14), "bounds": ends, "error_handling": "continue"}
        result = om.minimize(f, np.array([-1.0, 0.0]), **options)
        runs = result.algorithm_output["result"].history if hasattr(result, "algorithm_output") else []
        assert result.fun < 0.5
        assert math.isfinite(result.fun)
        assert len(runs) in (0, 14)


class TestMlflow:
    def test_a_killed_call_goes_on_in_its_parent_and_doubles_nothing(self) -> None:
        mlflow = need("mlflow")
        from backsolve.adapters.mlflow import MlflowLogger

        def black_box(a: float, b: float) -> dict[str, float]:
            if a > 9:
                raise ValueError("too large")
            return u_and_v(a, b)

        class DiskFullError(Exception):
            pass

        def play(lost_after: int | None) -> Any:
            with MlflowLogger("beam", tracking_uri="sqlite:///m.db", tags={"team": "x"}) as log:

                def on_run(run: Any, problem: str) -> None:
                    log(run, problem)
                    if lost_after == len(log._nested):
                        raise DiskFullError

                result = solve(black_box, {"a": (0, 10), "b": (0, 10)}, goals, cases=4, budget=14, progress=False, on_run=on_run)
                log.end(result)
                return result

        goals = {"u": within(12, percent=1), "v": minimize()}
        with pytest.raises(DiskFullError):
            play(5)
        result = play(None)
        client = mlflow.MlflowClient("sqlite:///m.db")
        runs = client.search_runs([client.get_experiment_by_name("beam").experiment_id], max_results=1000)
        (parent,) = [run for run in runs if "backsolve.problem" in run.data.tags]
        nested = [run for run in runs if run is not parent]
        assert parent.info.status == "FINISHED"
        assert sorted(run.data.tags["backsolve.run"] for run in nested) == sorted(run.id for run in result.history)
        assert {run.data.tags["mlflow.parentRunId"] for run in nested} == {parent.info.run_id}
        assert [file.path for file in client.list_artifacts(parent.info.run_id)] == ["result.json"]
        failed = [run.data.tags["backsolve.failure"] for run in nested if run.info.status == "FAILED"]
        assert failed == [run.failure for run in result.history if run.failure]
        assert Path("m.db").exists()


def test_least_squares_has_the_arguments_and_the_fields_of_scipy() -> None:
    optimize = need("scipy.optimize")
    import inspect

    from backsolve import least_squares
    from backsolve._least_squares import OF_SCIPY

    mine = set(inspect.signature(least_squares).parameters)
    theirs = set(inspect.signature(optimize.least_squares).parameters)
    assert theirs - mine == set(OF_SCIPY)

    def residuals(x: Any) -> list[float]:
        return [x[0] - 1, x[1] - 2, x[0] * x[1]]

    bounds = optimize.Bounds([-5, -5], [5, 5])
    ours = least_squares(residuals, [0, 0], bounds=bounds, max_nfev=20, progress=False)
    assert set(optimize.least_squares(residuals, [0, 0], bounds=bounds)) <= set(ours)
    with pytest.raises(TypeError, match="has no jac"):
        least_squares(residuals, [0, 0], bounds=bounds, jac="3-point")  # type: ignore[arg-type, unused-ignore]


class TestAnotherProblem:
    """Frameworks expect an answer of its own for another function, other data and another fixed parameter."""

    def test_a_profile_of_optimagic_over_a_fixed_parameter(self) -> None:
        om = need("optimagic")
        from backsolve.adapters.optimagic import Backsolve

        calls: list[float] = []

        def square(p: Any) -> float:
            calls.append(p["b"])
            return float((p["a"] - 1) ** 2 + (p["b"] - 2) ** 2)

        bounds = om.Bounds(lower={"a": 0.0, "b": 0.0}, upper={"a": 5.0, "b": 9.0})
        fixed = om.FixedConstraint(lambda p: p["b"])

        def at(b: float, **options: Any) -> float:
            algorithm = Backsolve(stopping_maxfun=10, **options)
            found = om.minimize(square, {"a": 3.0, "b": b}, algorithm=algorithm, bounds=bounds, constraints=fixed)
            return float(found.fun)

        assert [at(b) for b in (1.0, 2.0, 4.0)] == pytest.approx([1, 0, 4], abs=1e-6)
        count = len(calls)
        assert [at(b) for b in (1.0, 2.0, 4.0)] == pytest.approx([1, 0, 4], abs=1e-6)
        assert len(calls) == count + 3, "optimagic calls the function once itself"
        at(1.0, search_name="named")
        with pytest.raises(ChangedProblemError, match=r"params\['b'\] has changed since earlier runs of named"):
            at(2.0, search_name="named")

    def test_an_input_of_openmdao_that_is_no_design_variable(self) -> None:
        om = need("openmdao.api")
        from backsolve.adapters.openmdao import BacksolveDriver

        prob = om.Problem(reports=False)
        prob.model.add_subsystem("part", om.ExecComp("f = (x - load)**2"), promotes=["*"])
        prob.model.add_design_var("x", lower=0, upper=9)
        prob.model.add_objective("f")
        prob.driver = BacksolveDriver(budget=10, disp=False)

        def at(load: float) -> float:
            prob.setup(derivatives=False)
            prob.set_val("load", load)
            prob.run_driver()
            return float(prob.get_val("x")[0])

        assert [at(load) for load in (2.0, 5.0, 2.0)] == pytest.approx([2, 5, 2], abs=1e-3)
        prob.driver.options["name"] = "named"
        at(2.0)
        with pytest.raises(ChangedProblemError, match="load has changed since earlier runs of named"):
            at(5.0)

    def test_a_constant_of_a_vocs(self) -> None:
        vocs = need("gest_api.vocs").VOCS
        from backsolve.adapters.libensemble import BacksolveGenerator

        def begun(k: float, name: str | None = None) -> int:
            stated = vocs(variables={"x": [0.0, 5.0]}, objectives={"f": "MINIMIZE"}, constants={"k": k})
            generator = BacksolveGenerator(stated, name=name)
            count = len(generator.session.result().history)
            generator.ingest([{**point, "f": (point["x"] - k) ** 2} for point in generator.suggest(1)])
            generator.finalize()
            return count

        assert [begun(k) for k in (1.0, 2.0, 1.0)] == [0, 0, 1]
        begun(1.0, "named")
        with pytest.raises(ChangedProblemError, match="another value of k"):
            begun(2.0, "named")
