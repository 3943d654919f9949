"""A peer as a process: play.py SOLVER NODE. First line out: {"version"}; then one request and one answer per line.

Request {"problem", "seed", "timeCapSeconds"}; answer {"runs", "solved", "seconds", "end"}.
"""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import json
import sys
import warnings
from importlib.metadata import version

warnings.simplefilter("ignore")

from game import Game, Over, Server


def find_player(solver):
    """The package and the function; packages are imported only when asked for, torch takes seconds.

    A name that ends in -value gives the solver the value of the only output instead of its squared distance from the target.
    """
    if solver.endswith("-value"):
        from formulation import Value

        package, player = find_player(solver.removesuffix("-value"))
        return package, lambda game: player(game, of=Value)
    if solver in ("dfols", "dfols-growing", "scipy"):
        import least_squares

        if solver == "scipy":
            return "scipy", least_squares.play_scipy
        return "DFO-LS", lambda game: least_squares.play_dfols(game, growing=solver == "dfols-growing")
    if solver in ("cobyqa", "nelder-mead"):
        import scipy_direct

        player = scipy_direct.play_cobyqa if solver == "cobyqa" else scipy_direct.play_nelder_mead
        return "scipy", player
    if solver in ("bobyqa", "cma", "nevergrad", "optuna-tpe", "optuna-gp"):
        import one_number

        return {
            "bobyqa": ("Py-BOBYQA", one_number.play_bobyqa),
            "cma": ("cma", one_number.play_cma),
            "nevergrad": ("nevergrad", one_number.play_nevergrad),
            "optuna-tpe": ("optuna", one_number.play_optuna_tpe),
            "optuna-gp": ("optuna", one_number.play_optuna_gp),
        }[solver]
    if solver == "botorch":
        import composite

        return "botorch", composite.play_botorch
    if solver == "ax":
        import ax_client

        return "ax-platform", ax_client.play_ax
    raise SystemExit(f"no peer is called {solver}")


def play(player, server, request):
    game = Game(server, request["problem"], request["seed"], request["timeCapSeconds"])
    try:
        player(game)
        end = "gave up"
    except Over as over:
        end = str(over)
    except Exception as error:
        # A solver that breaks on a problem has not solved it; the table counts twice the budget.
        end = game.end or f"error: {type(error).__name__}: {error}"[:120]
    return {"runs": game.count, "solved": game.end == "satisfied", "seconds": game.seconds(), "end": game.end or end, "outputs": [None if one is None else [float(value) for value in one] for one in game.outputs]}


def main():
    solver, node = sys.argv[1:]
    package, player = find_player(solver)
    server = Server(node)
    print(json.dumps({"version": version(package)}), flush=True)
    for line in sys.stdin:
        print(json.dumps(play(player, server, json.loads(line))), flush=True)


main()
