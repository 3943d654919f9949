"""A peer that plays in rounds of q evaluations, as a process: rounds.py SOLVER NODE. First line out: {"version"}; then one request
and one answer per line.

Request {"problem", "seed", "q", "timeCapSeconds"}; answer {"rounds", "runs", "solved", "end"}. All evaluations of a round count.

optuna-tpe: TPE (multivariate) with constant_liar, its own way to ask for several trials together.
botorch: the model, the score and the design of composite.py; the points of a round by qLogExpectedImprovement, each with those before
it pending (optimize_acqf, sequential).
"""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import json
import sys
import warnings
from importlib.metadata import version

import numpy as np

from formulation import Formulation
from game import Game, Over, Server

warnings.simplefilter("ignore")


class Rounds:
    """Evaluates rounds; the last one is finished before the play ends."""

    def __init__(self, game):
        self._game = game
        self.count = 0

    def evaluate(self, xs):
        """Outputs of inputs in natural units. Raises Over when one of them satisfied everything or the budget is spent."""
        outputs = []
        over = None
        self.count += 1
        for x in xs:
            try:
                outputs.append(self._game.evaluate_input(np.asarray(x, float)))
            except Over as raised:
                over = over or raised
                if str(raised) == "satisfied":
                    over = raised
        if over:
            self._game.end = str(over)
            raise over
        return outputs


def play_optuna(game, rounds, q):
    import optuna

    from one_number import _native, _suggest

    formulation = Formulation(game)
    sampler = optuna.samplers.TPESampler(
        seed=game.seed, multivariate=True, constant_liar=True, warn_independent_sampling=False
    )
    study = optuna.create_study(sampler=sampler)
    start = game.to_input(game.start)
    study.enqueue_trial({f"x{i}": _native(variable, start[i]) for i, variable in enumerate(game.variables)})
    while True:
        trials = [study.ask() for _ in range(q)]
        xs = [[_suggest(trial, f"x{i}", variable) for i, variable in enumerate(game.variables)] for trial in trials]
        for trial, output in zip(trials, rounds.evaluate(xs)):
            study.tell(trial, float(np.log(1e-12 + np.sum(formulation.judge(output) ** 2))))


def play_botorch(game, rounds, q):
    import torch

    import composite

    torch.manual_seed(game.seed)
    encoding = composite.Encoding(game)
    formulation = Formulation(game)
    sobol = torch.quasirandom.SobolEngine(encoding.width, scramble=True, seed=game.seed)

    def inputs(Z):
        return [game.to_input(encoding.decode(z)) for z in Z]

    first = [game.to_input(game.start), *inputs(sobol.draw(min(game.n + 1, game.m + 2)).numpy())]
    for i in range(0, len(first), q):
        for output in rounds.evaluate(first[i : i + q]):
            formulation.judge(output)
    score = composite.residual_score(formulation, torch.as_tensor(game.lower), torch.as_tensor(game.upper))
    while True:
        game.check()
        rows = [i for i, output in enumerate(game.outputs) if output is not None]
        Z = torch.as_tensor(np.array([encoding.encode(game.inputs[i]) for i in rows]))
        Y = torch.as_tensor(np.array([game.outputs[i] for i in rows]))
        try:
            batch = composite.suggest(Z, Y, score, game.seed + game.count, game.noisy, q)
        except Exception:
            # A fit that fails numerically costs random points, not the play.
            batch = sobol.draw(q).numpy()
        for output in rounds.evaluate(inputs(np.atleast_2d(batch))):
            formulation.judge(output)


PLAYERS = {"optuna-tpe": ("optuna", play_optuna), "botorch": ("botorch", play_botorch)}


def play(player, server, request):
    game = Game(server, request["problem"], request["seed"], request["timeCapSeconds"])
    rounds = Rounds(game)
    try:
        player(game, rounds, request["q"])
        end = "gave up"
    except Over as over:
        end = str(over)
    except Exception as error:
        # A solver that breaks on a problem has not solved it.
        end = game.end or f"error: {type(error).__name__}: {error}"[:120]
    return {"rounds": rounds.count, "runs": game.count, "solved": game.end == "satisfied", "end": game.end or end}


def main():
    solver, node = sys.argv[1:]
    package, player = PLAYERS[solver]
    server = Server(node)
    print(json.dumps({"version": version(package)}), flush=True)
    for line in sys.stdin:
        print(json.dumps(play(player, server, json.loads(line))), flush=True)


main()
