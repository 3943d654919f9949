"""Peers that search the whole box, through their ask and tell."""

import numpy as np
from local_solvers import FAILED


def play_optuna(game, sampler_of):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    problem = game.problem
    names = [f"x{i}" for i in range(problem.n)]
    has_limits = problem.outputs > problem.objectives
    sampler = sampler_of(optuna.samplers, (lambda trial: trial.user_attrs["excess"]) if has_limits else None)
    study = optuna.create_study(sampler=sampler, directions=["minimize"] * problem.objectives)
    start = [
        int(value) if whole else float(value) for value, whole in zip(problem.input_of(problem.start), problem.is_integer, strict=True)
    ]
    study.enqueue_trial(dict(zip(names, start, strict=True)))
    while True:
        trial = study.ask()
        x = [
            trial.suggest_int(name, int(low), int(high)) if whole else trial.suggest_float(name, low, high)
            for name, low, high, whole in zip(names, problem.lower, problem.upper, problem.is_integer, strict=True)
        ]
        outputs = game.run(x)
        if outputs is None:
            study.tell(trial, state=optuna.trial.TrialState.FAIL)
            continue
        if has_limits:
            trial.set_user_attr("excess", outputs[problem.objectives :].tolist())
        study.tell(trial, outputs[: problem.objectives].tolist())


def play_random(game):
    """Uniform in the box after the start: what every factor is relative to."""
    game.run(game.problem.start)
    while True:
        game.run(game.random.uniform(game.problem.lower, game.problem.upper))


def play_tpe(game):
    play_optuna(game, lambda samplers, excess: samplers.TPESampler(seed=game.seed, constraints_func=excess))


def play_optuna_gp(game):
    play_optuna(game, lambda samplers, excess: samplers.GPSampler(seed=game.seed, constraints_func=excess))


def play_nsga2(game):
    """A population of 20: the default of 100 would spend the budget on the first generation."""
    from pymoo.algorithms.moo.nsga2 import NSGA2
    from pymoo.core.evaluator import Evaluator
    from pymoo.core.problem import Problem as Posed
    from pymoo.core.termination import NoTermination
    from pymoo.problems.static import StaticProblem

    problem = game.problem
    d = problem.objectives
    posed = Posed(n_var=problem.n, n_obj=d, n_ieq_constr=problem.outputs - d, xl=problem.lower, xu=problem.upper)
    algorithm = NSGA2(pop_size=20)
    algorithm.setup(posed, termination=NoTermination(), seed=game.seed, verbose=False)
    while True:
        population = algorithm.ask()
        rows = [game.run(x) for x in population.get("X")]
        rows = np.array([np.full(problem.outputs, FAILED) if row is None else row for row in rows])
        static = {"F": rows[:, :d], **({"G": rows[:, d:]} if problem.outputs > d else {})}
        Evaluator().eval(StaticProblem(posed, **static), population)
        algorithm.tell(infills=population)
