"""Peers that search from a start: one search each, until it raises Over or ends by itself."""

import numpy as np
from game import Once

FAILED = 1e30
"""Worth of a failed run to solvers that take numbers only."""


def number_at(game, x):
    """The one number of a run: the sum of squares, or the first output."""
    outputs = game.run(x)
    if outputs is None:
        return FAILED
    return float(outputs @ outputs) if game.problem.shape == "residuals" else float(outputs[0])


def residuals_at(game, x):
    outputs = game.run(x)
    count = game.problem.outputs
    return np.full(count, np.sqrt(FAILED / count)) if outputs is None else outputs


def trust_region(game, start):
    """The options of DFO-LS and Py-BOBYQA: their defaults, and scaling where their first steps would not fit into the bounds."""
    lower, upper = game.problem.lower, game.problem.upper
    is_narrow = bool(np.any(upper - lower < 0.2 * max(np.max(np.abs(start)), 1.0)))
    np.random.seed(game.seed)
    return {"bounds": (lower, upper), "maxfun": game.budget, "scaling_within_bounds": is_narrow, "do_logging": False}


def play_dfols(game, start):
    import dfols

    dfols.solve(lambda x: residuals_at(game, x), start, **trust_region(game, start))


def play_dfols_scaled(game, start):
    """With the box scaled to the unit cube, which its guide advises where ranges differ."""
    import dfols

    dfols.solve(lambda x: residuals_at(game, x), start, **{**trust_region(game, start), "scaling_within_bounds": True})


def play_pybobyqa(game, start):
    import pybobyqa

    pybobyqa.solve(lambda x: number_at(game, x), start, **trust_region(game, start))


def play_least_squares(game, start):
    """Trust region reflective with forward differences, the defaults; every difference is a run."""
    from scipy.optimize import least_squares

    bounds = (game.problem.lower, game.problem.upper)
    least_squares(lambda x: residuals_at(game, x), start, bounds=bounds, max_nfev=game.budget)


def play_cobyqa(game, start):
    from scipy.optimize import Bounds, NonlinearConstraint, minimize

    problem = game.problem
    limits = problem.outputs - 1 if problem.shape == "number" else 0
    once = Once(game)

    def number(x):
        outputs = once(x)
        if outputs is None:
            return np.nan
        return float(outputs @ outputs) if problem.shape == "residuals" else float(outputs[0])

    def excess(x):
        outputs = once(x)
        return np.full(limits, np.nan) if outputs is None else outputs[1:]

    minimize(
        number,
        start,
        method="COBYQA",
        bounds=Bounds(problem.lower, problem.upper),
        constraints=[NonlinearConstraint(excess, -np.inf, 0)] if limits > 0 else [],
        options={"maxfev": game.budget},
    )


def play_cma(game, start):
    """A fifth of the range as first step: 2 on bbob, as its authors take there."""
    import cma

    lower, upper = game.problem.lower, game.problem.upper
    width = upper - lower
    options = {
        "bounds": [lower.tolist(), upper.tolist()],
        "CMA_stds": (width / np.max(width)).tolist(),
        "verbose": -9,
        "seed": int(game.random.integers(1, 2**31)),
    }
    strategy = cma.CMAEvolutionStrategy(start, 0.2 * np.max(width), options)
    while not strategy.stop():
        points = strategy.ask()
        strategy.tell(points, [number_at(game, point) for point in points])


def play_nomad(game, start):
    import PyNomad

    problem = game.problem

    def black_box(point):
        # An exception does not pass through it.
        outputs = None if game.is_over else game.run([point.get_coord(i) for i in range(problem.n)])
        if outputs is None:
            return 0
        point.setBBO(" ".join(f"{value:.17g}" for value in outputs).encode())
        return 1

    options = [
        "BB_OUTPUT_TYPE OBJ" + " PB" * (problem.outputs - 1),
        f"BB_INPUT_TYPE ( {' '.join('I' if whole else 'R' for whole in problem.is_integer)} )",
        f"MAX_BB_EVAL {game.budget - game.count}",
        f"SEED {game.seed}",
        "DISPLAY_DEGREE 0",
    ]
    PyNomad.optimize(black_box, problem.input_of(start).tolist(), problem.lower.tolist(), problem.upper.tolist(), options)
