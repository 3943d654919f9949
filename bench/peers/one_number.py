"""Peers that are given one number, the sum of squared residuals: Py-BOBYQA, pycma, Nevergrad, Optuna."""

import warnings

import numpy as np

from formulation import Formulation

warnings.filterwarnings("ignore")


def play_bobyqa(game, of=Formulation):
    """Model of 2 n + 1 points; restarted from a random point (105 runs; with its own global restarts 109)."""
    import pybobyqa

    formulation = of(game)
    np.random.seed(game.seed)
    start = game.start
    while True:
        pybobyqa.solve(
            formulation.sum_of_squares,
            start,
            bounds=(np.zeros(game.n), np.ones(game.n)),
            rhobeg=0.1,
            maxfun=max(game.budget, game.n + 3),
            objfun_has_noise=game.noisy,
            do_logging=False,
        )
        start = game.random.uniform(0, 1, game.n)


def play_cma(game, of=Formulation):
    """Start point as mean, sigma 0.25 of the box, integer handling for discrete inputs, random restarts."""
    import cma

    formulation = of(game)
    formulation.sum_of_squares(game.start)
    options = {
        "bounds": [0, 1],
        "verbose": -9,
        "seed": game.seed + 1,
        "maxfevals": game.budget,
    }
    mean = game.start
    while True:
        if game.n == 1:
            # pycma needs two coordinates; the second one does nothing.
            strategy = cma.CMAEvolutionStrategy([*mean, 0.5], 0.25, options)
        else:
            strategy = cma.CMAEvolutionStrategy(mean, 0.25, options)
        while not strategy.stop():
            points = strategy.ask()
            strategy.tell(points, [formulation.sum_of_squares(np.asarray(point)[: game.n]) for point in points])
        mean = game.random.uniform(0, 1, game.n)
        options["seed"] += 1000


def play_nevergrad(game):
    """NGOpt with native integer and choice parameters."""
    import nevergrad

    formulation = Formulation(game)
    parameters = []
    start = game.to_input(game.start)
    for i, variable in enumerate(game.variables):
        low, high = variable["minimum"], variable["maximum"]
        if variable["kind"] in ("category", "boolean"):
            parameters.append(nevergrad.p.Choice([float(code) for code in range(int(low), int(high) + 1)]))
        else:
            scalar = nevergrad.p.Scalar(init=float(start[i]), lower=low, upper=high)
            parameters.append(scalar.set_integer_casting() if variable["kind"] == "integer" else scalar)
    instrumentation = nevergrad.p.Instrumentation(*parameters)
    instrumentation.random_state.seed(game.seed)
    optimizer = nevergrad.optimizers.NGOpt(parametrization=instrumentation, budget=game.budget)
    optimizer.suggest(*[float(value) for value in start])
    while True:
        candidate = optimizer.ask()
        output = game.evaluate_input(np.array(candidate.args, float))
        optimizer.tell(candidate, float(np.sum(formulation.judge(output) ** 2)))


def _play_optuna(game, sampler_of):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = sampler_of(optuna.samplers)
    formulation = Formulation(game)
    study = optuna.create_study(sampler=sampler)
    start = game.to_input(game.start)
    study.enqueue_trial({f"x{i}": _native(variable, start[i]) for i, variable in enumerate(game.variables)})
    while True:
        trial = study.ask()
        x = [_suggest(trial, f"x{i}", variable) for i, variable in enumerate(game.variables)]
        output = game.evaluate_input(np.array(x, float))
        # The logarithm keeps the differences between good points visible to the Gaussian process; TPE is indifferent.
        study.tell(trial, float(np.log(1e-12 + np.sum(formulation.judge(output) ** 2))))


def _native(variable, value):
    return float(value) if variable["kind"] == "float" else int(value)


def _suggest(trial, name, variable):
    low, high = variable["minimum"], variable["maximum"]
    if variable["kind"] == "float":
        return trial.suggest_float(name, low, high)
    if variable["kind"] == "integer":
        return trial.suggest_int(name, int(low), int(high))
    return trial.suggest_categorical(name, list(range(int(low), int(high) + 1)))


def play_optuna_tpe(game):
    _play_optuna(
        game, lambda samplers: samplers.TPESampler(seed=game.seed, multivariate=True, warn_independent_sampling=False)
    )


def play_optuna_gp(game):
    _play_optuna(
        game,
        lambda samplers: samplers.GPSampler(
            seed=game.seed, n_startup_trials=min(10, game.n + 1), deterministic_objective=not game.noisy
        ),
    )
