"""The classes of the grounds in which a peer is ahead of Backsolve."""

import math
from statistics import median

import curves
from plays import OURS
from tables import (
    NAMES,
    SIZES,
    black_box_classes,
    front_problems,
    front_share,
    percent,
    plant_median,
    plant_rows,
    played_by_all,
    reached,
    table,
)


def weak_spots(squares, black_boxes, plant, fronts):
    """The classes in which a peer is ahead of us: the farthest behind first."""
    found = [*weak_squares(squares), *weak_black_boxes(black_boxes), *weak_plant(plant), *weak_fronts(fronts)]
    behind = sorted((row for row in found if row[0] > 0), reverse=True)
    rows = [[name, what, ours, f"{theirs} ({peer})"] for _, name, what, ours, theirs, peer in behind]
    total = f"Behind the best peer in {len(behind)} of {len(found)} classes."
    return f"{total}\n\n{table(['class', 'measure', 'Backsolve', 'best peer'], rows)}" if rows else total


def weak_shares(name, what, shares):
    """The class with how many percentage points the best peer is ahead."""
    peer = max((one for one in shares if one != OURS), key=lambda one: shares[one])
    lag = shares[peer] - shares[OURS]
    return (lag if lag >= 0.005 else 0, name, what, percent(shares[OURS]), percent(shares[peer]), NAMES[peer])


def weak_squares(plays):
    solvers, keys = played_by_all(plays)
    for low, high in SIZES:
        own = [key for key in keys if low <= plays[OURS][key]["n"] <= high]
        for tau in (1e-3, 1e-7):
            for effort in (3, 10):
                targets = curves.targets_of(plays, solvers, keys, tau)
                shares = {one: curves.share_within(curves.efforts(plays, one, own, targets), effort) for one in solvers}
                if own:
                    yield weak_shares(f"least squares, {low} to {high} inputs", f"solved to {tau:g} within {effort} (n + 1) runs", shares)


def weak_black_boxes(plays):
    for d, own, solvers, groups in black_box_classes(plays):
        for group, keys in groups.items():
            if keys:
                shares = {one: reached(own, one, keys, 50) for one in solvers}
                yield weak_shares(f"bbob, {d} inputs, {group}", "targets reached after 50 d runs", shares)


def weak_plant(plays):
    for problem, factor, found in plant_rows(plays):
        middles = {solver: median(values) for solver, values in found.items()}
        peer = min((one for one in middles if one != OURS), key=lambda one: middles[one])
        lag = (
            0
            if middles[OURS] <= middles[peer]
            else 1
            if not math.isfinite(middles[OURS])
            else min(1, (middles[OURS] - middles[peer]) / abs(middles[peer]))
        )
        texts = [plant_median(found[one]) for one in (OURS, peer)]
        yield (lag, problem, f"median after {factor} n runs", *texts, NAMES[peer])


def weak_fronts(plays):
    solvers, problems = front_problems(plays)
    for name, keys in problems.items():
        shares = {one: front_share(plays, one, keys[one], 100) for one in solvers}
        shares = {one: value for one, value in shares.items() if not math.isnan(value)}
        peer = max((one for one in shares if one != OURS), key=lambda one: shares[one])
        lag = shares[peer] - shares[OURS]
        yield (
            lag if lag >= 0.0005 else 0,
            name,
            "share of the hypervolume after 100 runs",
            f"{shares[OURS]:.3f}",
            f"{shares[peer]:.3f}",
            NAMES[peer],
        )
