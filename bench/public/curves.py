"""Evaluates recorded plays: when they reach a value, and the profiles of More and Wild (2009, SIAM Journal on Optimization 20)."""

import math
from statistics import median

from plays import OURS

INFINITE = math.inf


def value_after(play, runs):
    """The best value of the first so many runs."""
    value = INFINITE
    for at, best in zip(play["at"], play["best"], strict=True):
        if at > runs:
            break
        value = best
    return value


def runs_to(play, target):
    """The runs until the value is at most the target; infinite where it never is."""
    return next((at for at, best in zip(play["at"], play["best"], strict=True) if best <= target), INFINITE)


def common_keys(plays, solvers):
    """Problems and seeds that all of these solvers have played, in the order of the first."""
    return [key for key in plays[solvers[0]] if all(key in plays[solver] for solver in solvers)]


def targets_of(plays, solvers, keys, tau):
    """By problem and seed the value that counts as solved: all but the share tau of the way from the start to the best value of any solver."""
    found = {}
    for key in keys:
        own = [plays[solver][key] for solver in solvers]
        least = min(value_after(play, INFINITE) for play in own)
        # Every peer begins with the start.
        first = next(
            (play["best"][0] for play in own if play["at"] and play["at"][0] == 1), max(play["best"][0] for play in own if play["best"])
        )
        found[key] = least + tau * (first - least)
    return found


def efforts(plays, solver, keys, targets):
    """Runs in units of n + 1 until each target is reached."""
    return [runs_to(plays[solver][key], targets[key]) / (plays[solver][key]["n"] + 1) for key in keys]


def ratios(plays, solvers, keys, targets):
    """By solver the runs over those of the best solver, per problem: what a performance profile shows."""
    runs = {solver: [runs_to(plays[solver][key], targets[key]) for key in keys] for solver in solvers}
    least = [min(runs[solver][i] for solver in solvers) for i in range(len(keys))]
    return {
        solver: [own / best if math.isfinite(best) else INFINITE for own, best in zip(runs[solver], least, strict=True)]
        for solver in solvers
    }


def share_within(values, limit):
    return sum(value <= limit for value in values) / len(values) if values else math.nan


def acceleration(plays, solver, reference, keys):
    """
    The median of how many times sooner a solver reaches the final value of the reference than that did, and the share of plays in which it
    does. Adesiji et al. (2025, Digital Discovery, doi 10.1039/d5dd00337g) call the first the acceleration factor.
    """
    found = []
    for key in keys:
        base = plays[reference][key]
        # A reference that never leaves the start leaves nothing to overtake.
        if base["at"] and base["at"][-1] > 1:
            found.append(base["at"][-1] / runs_to(plays[solver][key], base["best"][-1]))
    return (median(found), sum(one > 0 for one in found) / len(found)) if found else (math.nan, math.nan)


def enhancement(plays, solver, reference, keys, share, floor):
    """The median of how many times smaller the value is than that of the reference after a share of the budget."""
    found = []
    for key in keys:
        runs = share * plays[reference][key]["budget"]
        base, own = (max(floor, value_after(plays[one][key], runs)) for one in (reference, solver))
        if math.isfinite(base) or math.isfinite(own):
            found.append(base / own if math.isfinite(own) else 0.0)
    return median(found) if found else math.nan


def seconds_per_run(plays, solver, keys):
    total = sum(plays[solver][key]["seconds"] for key in keys)
    return total / max(1, sum(plays[solver][key]["runs"] for key in keys))


def solvers_of(plays):
    """Ours first."""
    return [OURS, *(solver for solver in plays if solver != OURS)] if OURS in plays else list(plays)
