"""
Plays a public ground, and continues where an earlier execution ended: a play that is recorded is skipped.

    python bench/public/play.py GROUND [--solvers backsolve,dfols] [--seeds 1,2] [--problems A,B] [--budget 20] [--minutes 30] [--again]

Grounds: s2mpj, bbob, solar, re. --budget multiplies the number of inputs (s2mpj: inputs + 1; re: the runs themselves); the default is in
the file of the ground. --minutes stops after the play that is then going on. --again repeats plays of solvers with another version. With
the Python that bench/public/setup.sh makes; figures.py then writes docs/benchmarks.md.
"""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import argparse
import importlib
import logging
import sys
import time
import warnings
from importlib.metadata import version

from game import Game, Over
from ours import Ours
from plays import OURS, append_play, read_plays
from solvers import SOLVERS

GROUNDS = ("s2mpj", "bbob", "solar", "re")


def play_once(solver, ours, problem, budget, seed):
    if not ours:
        SOLVERS[solver].load()
    game = Game(problem, budget, seed)
    end = "ended by itself"
    try:
        if ours:
            end = ours.play(game)
        else:
            SOLVERS[solver].play(game)
    except Over:
        end = "budget"
    except Exception as error:  # A solver that breaks on a problem keeps what it has reached; the record says how it ended.
        end = f"error: {type(error).__name__}: {error}"[:100]
    if game.is_over:
        end = "solved" if game.is_solved else "budget"
    return {
        "problem": problem.name,
        "seed": seed,
        "n": problem.n,
        "budget": budget,
        "version": ours.version if ours else version(SOLVERS[solver].package),
        "runs": game.count,
        "end": end,
        "seconds": round(ours.seconds if ours else game.seconds, 3),
        "at": [count for count, _ in game.improvements],
        "best": [float(f"{value:.9g}") for _, value in game.improvements],
    }


def read_arguments(words):
    parser = argparse.ArgumentParser(description="Plays a public ground.")
    parser.add_argument("ground", choices=GROUNDS)
    parser.add_argument("--solvers")
    parser.add_argument("--seeds", default="1")
    parser.add_argument("--problems")
    parser.add_argument("--budget", type=int)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--again", action="store_true")
    return parser.parse_args(words)


def is_played(known, problem, budget, seed, current, again):
    play = known.get((problem, seed))
    return play is not None and play["budget"] >= budget and not (again and play["version"] != current)


def main():
    options = read_arguments(sys.argv[1:])
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    ground = importlib.import_module(f"ground_{options.ground}")
    solvers = options.solvers.split(",") if options.solvers else [OURS, *ground.PEERS]
    unknown = [name for name in solvers if name != OURS and ground.SHAPE not in getattr(SOLVERS.get(name), "shapes", ())]
    if unknown:
        fitting = ", ".join([OURS, *(name for name, one in SOLVERS.items() if ground.SHAPE in one.shapes)])
        raise SystemExit(f"{unknown[0]} does not play {options.ground}; these do: {fitting}.")
    problems = options.problems.split(",") if options.problems else ground.names()
    missing = [name for name in problems if name not in ground.names()]
    if missing:
        raise SystemExit(f"{options.ground} has no problem {missing[0]}; it has {', '.join(ground.names())}.")
    ends_at = time.monotonic() + 60 * options.minutes
    ours = None
    for seed in (int(word) for word in options.seeds.split(",")):
        for name in problems:
            for solver in solvers:
                budget = ground.budget_of(name, options.budget)
                if solver == OURS and ours is None:
                    ours = Ours()
                current = ours.version if solver == OURS else version(SOLVERS[solver].package)
                known = read_plays(options.ground, solver).get(solver, {})
                if is_played(known, name, budget, seed, current, options.again):
                    continue
                if time.monotonic() > ends_at:
                    print("The time is over; the same command goes on here.", flush=True)
                    return
                play = play_once(solver, ours if solver == OURS else None, ground.load(name, seed), budget, seed)
                append_play(options.ground, solver, play)
                best = play["best"][-1] if play["best"] else None
                print(solver, name, seed, "best", best, "runs", play["runs"], play["end"], f"{play['seconds']} s", flush=True)


main()
