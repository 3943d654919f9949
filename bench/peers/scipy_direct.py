"""SciPy's derivative-free minimizers on the sum of squared residuals: COBYQA (Ragonneau, Zhang 2024) and Nelder-Mead.

Restarted from a random point until the budget ends. COBYQA was also given the aspiration as its objective and the other
outputs as nonlinear constraints; that solved 3 of the 18 problems of minimize-maximize, the sum of squares 5.
"""

import numpy as np
import scipy.optimize

from formulation import Formulation
from least_squares import starts


def play_cobyqa(game, of=Formulation):
    formulation = of(game)
    for start in starts(game):
        scipy.optimize.minimize(
            formulation.sum_of_squares,
            start,
            method="COBYQA",
            bounds=scipy.optimize.Bounds(np.zeros(game.n), np.ones(game.n)),
            options={"initial_tr_radius": 0.1, "final_tr_radius": 1e-8, "maxfev": max(game.budget, 2 * game.n + 2)},
        )


def play_nelder_mead(game):
    """First simplex with edges of a fifth of the box, adaptive coefficients above five inputs."""
    formulation = Formulation(game)
    for start in starts(game):
        edges = np.diag(np.where(start > 0.5, -0.2, 0.2))
        scipy.optimize.minimize(
            formulation.sum_of_squares,
            start,
            method="Nelder-Mead",
            bounds=scipy.optimize.Bounds(np.zeros(game.n), np.ones(game.n)),
            options={
                "initial_simplex": np.vstack([start, start + edges]),
                "adaptive": game.n > 5,
                "maxfev": game.budget,
                "xatol": 1e-9,
                "fatol": 1e-16,
            },
        )
