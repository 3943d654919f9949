"""
The peers. Each plays a game through its own interface until it raises Over or ends by itself. A local one then starts again at a random
point of the box, so that nobody's budget is left unused.

To add one: write a function of a game (of a game and a start for a local one) that calls `game.run` with inputs in natural units, and a line
in SOLVERS. Pin its package in requirements.txt.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass

import botorch_solvers as botorch
import local_solvers as local
import model_solvers as model


@dataclass(frozen=True)
class Solver:
    package: str
    """Its version is recorded."""
    module: str
    shapes: tuple
    search: Callable
    is_local: bool = False

    def load(self):
        """Before the clock of a play runs."""
        importlib.import_module(self.module)

    def play(self, game):
        if not self.is_local:
            self.search(game)
            return
        start = game.problem.start
        while not game.is_over:
            before = game.count
            self.search(game, start)
            if game.count == before:
                return
            start = game.random.uniform(game.problem.lower, game.problem.upper)


VECTOR, NUMBER, FRONT = "residuals", "number", "front"
SOLVERS = {
    "dfols": Solver("DFO-LS", "dfols", (VECTOR,), local.play_dfols, is_local=True),
    "dfols-scaled": Solver("DFO-LS", "dfols", (VECTOR,), local.play_dfols_scaled, is_local=True),
    "scipy": Solver("scipy", "scipy.optimize", (VECTOR,), local.play_least_squares, is_local=True),
    "pybobyqa": Solver("Py-BOBYQA", "pybobyqa", (VECTOR, NUMBER), local.play_pybobyqa, is_local=True),
    "cobyqa": Solver("scipy", "scipy.optimize", (VECTOR, NUMBER), local.play_cobyqa, is_local=True),
    "cma": Solver("cma", "cma", (VECTOR, NUMBER), local.play_cma, is_local=True),
    "nomad": Solver("PyNomadBBO", "PyNomad", (NUMBER,), local.play_nomad, is_local=True),
    "optuna-tpe": Solver("optuna", "optuna", (NUMBER, FRONT), model.play_tpe),
    "optuna-gp": Solver("optuna", "optuna", (NUMBER, FRONT), model.play_optuna_gp),
    "logcei": Solver("botorch", "botorch.optim", (NUMBER,), botorch.play_logcei),
    "qlognehvi": Solver("botorch", "botorch.optim", (FRONT,), botorch.play_qlognehvi),
    "random": Solver("numpy", "numpy", (VECTOR, NUMBER, FRONT), model.play_random),
    "nsga2": Solver("pymoo", "pymoo.algorithms.moo.nsga2", (FRONT,), model.play_nsga2),
}
