"""Peers that are given the vector of residuals: DFO-LS and SciPy. Restarted from a random point until the budget ends."""

import warnings

import dfols
import numpy as np
import scipy.optimize

from formulation import Formulation


def starts(game):
    """The given start, then random points."""
    yield game.start
    while True:
        yield game.random.uniform(0, 1, game.n)


def play_dfols(game, growing=False, **options):
    formulation = Formulation(game, **options)
    parameters = {"growing.ndirs_initial": max(1, game.n // 4)} if growing else None
    np.random.seed(game.seed)
    for start in starts(game):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            dfols.solve(
                formulation.residuals,
                start,
                bounds=(np.zeros(game.n), np.ones(game.n)),
                rhobeg=0.1,
                maxfun=max(game.budget, game.n + 2),
                objfun_has_noise=game.noisy,
                user_params=parameters,
                do_logging=False,
            )


def play_scipy(game, **options):
    """Trust region reflective; forward differences, wide ones where outputs scatter or inputs are rounded."""
    formulation = Formulation(game, **options)
    step = 1e-2 if game.noisy else np.where(game.is_discrete, 1.0 / np.maximum(1.0, game.maximum - game.minimum), 1e-6)
    for start in starts(game):
        scipy.optimize.least_squares(
            formulation.residuals, np.clip(start, 1e-9, 1 - 1e-9), bounds=(0, 1), diff_step=step, max_nfev=game.budget
        )
