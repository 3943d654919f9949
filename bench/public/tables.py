"""The tables of docs/benchmarks.md, as markdown, and the series of its charts."""

import math
from statistics import median

import curves
from plays import OURS

NAMES = {
    OURS: "**Backsolve**",
    "dfols": "DFO-LS",
    "dfols-scaled": "DFO-LS, scaled",
    "scipy": "SciPy least_squares",
    "pybobyqa": "Py-BOBYQA",
    "cobyqa": "COBYQA",
    "cma": "CMA-ES",
    "nomad": "NOMAD",
    "optuna-tpe": "Optuna TPE",
    "optuna-gp": "Optuna GP",
    "nsga2": "NSGA-II",
    "logcei": "BoTorch LogCEI",
    "qlognehvi": "BoTorch qLogNEHVI",
    "random": "random points",
}
ACCURACIES = (1e-1, 1e-3, 1e-5, 1e-7)
EFFORTS = (1, 2, 3, 5, 10)
SIZES = ((1, 3), (4, 6), (7, 20))
GROUPS = {"separable": (1, 5), "moderate": (6, 9), "ill-conditioned": (10, 14), "many minima": (15, 19), "weakly structured": (20, 24)}
PRECISIONS = [10 ** (2 - k / 2) for k in range(15)]
"""Targets on bbob, from 100 to 1e-5 above the optimum."""
BEST_KNOWN = {"SOLAR1": -902503.692418, "SOLAR2": 841839.671915, "SOLAR6": 43954935.1836, "SOLAR7": -4972.88689831, "SOLAR10": 42.416671}


def table(head, rows):
    aligned = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(str(cell) for cell in row) + " |" for row in [head, aligned, *rows])


def percent(share):
    return "" if math.isnan(share) else f"{100 * share:.0f} %"


def number(value, digits=3):
    """Rounded to so many significant digits, without an exponent below 1e15."""
    return "" if value is None or not math.isfinite(value) else f"{float(f'{value:.{digits}g}'):.15g}"


def played_by_all(plays, required=2):
    """The solvers that have played most of what ours has, and the plays that all of them have."""
    solvers = (
        [one for one in curves.solvers_of(plays) if 2 * sum(key in plays[one] for key in plays[OURS]) >= len(plays[OURS])]
        if OURS in plays
        else []
    )
    return (solvers, curves.common_keys(plays, solvers)) if len(solvers) >= required else ([], [])


def size_of(play):
    return next(f"{low} to {high} inputs" for low, high in SIZES if low <= play["n"] <= high)


def squares_table(plays):
    solvers, keys = played_by_all(plays)
    rows = []
    for tau in ACCURACIES:
        targets = curves.targets_of(plays, solvers, keys, tau)
        for solver in solvers:
            efforts = curves.efforts(plays, solver, keys, targets)
            rows.append([f"{tau:g}", NAMES[solver], *(percent(curves.share_within(efforts, effort)) for effort in EFFORTS)])
    return table(["accuracy", f"solved of {len(keys)} within k (n + 1) runs, k =", *EFFORTS], rows)


def squares_by_size(plays):
    solvers, keys = played_by_all(plays)
    rows = []
    for low, high in SIZES:
        own = [key for key in keys if low <= plays[OURS][key]["n"] <= high]
        if not own:
            continue
        for tau in (1e-3, 1e-7):
            targets = curves.targets_of(plays, solvers, keys, tau)
            shares = [percent(curves.share_within(curves.efforts(plays, solver, own, targets), 10)) for solver in solvers]
            rows.append([f"{low} to {high} inputs, {len(own)} problems", f"{tau:g}", *shares])
    times = [f"{1000 * curves.seconds_per_run(plays, solver, keys):.1f} ms" for solver in solvers]
    rows.append(["processor time of the solver per run", "", *times])
    return table(["solved within 10 (n + 1) runs", "accuracy", *(NAMES[one] for one in solvers)], rows)


def group_of(name):
    function = int(name[1:3])
    return next(group for group, (low, high) in GROUPS.items() if low <= function <= high)


def dimension_of(name):
    return int(name.split("-")[1])


def reached(plays, solver, keys, factor):
    """The share of (play, precision) that are reached within factor d runs."""
    return curves.share_within([effort for key in keys for effort in precision_efforts(plays[solver][key])], factor)


def precision_efforts(play):
    return [curves.runs_to(play, precision) / play["n"] for precision in PRECISIONS]


def black_box_classes(plays):
    """Solvers and plays by dimension, then by group."""
    found = []
    for d in sorted({dimension_of(problem) for problem, _ in plays.get(OURS, {})}):
        own = {solver: {key: play for key, play in of.items() if dimension_of(key[0]) == d} for solver, of in plays.items()}
        solvers, keys = played_by_all(own)
        if keys:
            found.append((d, own, solvers, {group: [key for key in keys if group_of(key[0]) == group] for group in GROUPS}))
    return found


def black_boxes_table(plays):
    parts = []
    for d, own, solvers, groups in black_box_classes(plays):
        keys = [key for of in groups.values() for key in of]
        instances = sorted({seed for _, seed in keys})
        rows = [[f"{group}", *(percent(reached(own, solver, of, 50)) for solver in solvers)] for group, of in groups.items() if of]
        rows += [
            [f"all, after {factor} d runs", *(percent(reached(own, solver, keys, factor)) for solver in solvers)] for factor in (10, 20, 50)
        ]
        rows.append(["processor time per run", *(f"{1000 * curves.seconds_per_run(own, solver, keys):.1f} ms" for solver in solvers)])
        head = f"{d} inputs, {len({problem for problem, _ in keys})} functions, instance{'s' * (len(instances) > 1)} {', '.join(map(str, instances))}: targets reached after 50 d runs"
        parts.append(table([head, *(NAMES[one] for one in solvers)], rows))
    return "\n\n".join(parts)


def plant_rows(plays):
    """By instance and budget in n: the values of the solvers that have played it."""
    for problem in BEST_KNOWN:
        for factor in (10, 20, 50):
            found = {}
            for solver in curves.solvers_of(plays):
                own = [play for (name, _), play in plays[solver].items() if name == problem and play["budget"] >= factor * play["n"]]
                if own:
                    found[solver] = [curves.value_after(play, factor * play["n"]) for play in own]
            if OURS in found and len(found) > 1:
                yield problem, factor, found


def plant_median(values):
    """As text; what it says of plays that found nothing within the constraints."""
    return number(median(values), 6) or ("median infeasible" if any(map(math.isfinite, values)) else "none feasible")


def plant_cell(values):
    return f"{plant_median(values)} ({sum(map(math.isfinite, values))} of {len(values)})"


def plant_table(plays):
    solvers = curves.solvers_of(plays)
    rows = [
        [problem, f"{factor} n", *(plant_cell(found[one]) if one in found else "" for one in solvers), number(BEST_KNOWN[problem], 7)]
        for problem, factor, found in plant_rows(plays)
    ]
    return table(["instance", "runs", *(NAMES[one] for one in solvers), "best known"], rows)


def front_problems(plays):
    """Solvers that have played every problem that ours has, and by problem their plays; a solver of long processor time has fewer seeds."""
    problems = dict.fromkeys(problem for problem, _ in plays.get(OURS, {}))
    found = {name: {solver: [key for key in plays[solver] if key[0] == name] for solver in curves.solvers_of(plays)} for name in problems}
    solvers = [solver for solver in curves.solvers_of(plays) if all(found[name][solver] for name in problems)]
    return solvers, found


def front_share(plays, solver, keys, runs):
    """The mean of the plays that were given so many runs."""
    left = [min(1, curves.value_after(plays[solver][key], runs)) for key in keys if plays[solver][key]["budget"] >= runs]
    return 1 - sum(left) / len(left) if left else math.nan


def fronts_table(plays):
    solvers, problems = front_problems(plays)
    rows = [
        [name, runs, *(share(front_share(plays, solver, keys[solver], runs)) for solver in solvers)]
        for name, keys in problems.items()
        for runs in (30, 60, 100)
    ]
    rows.append(["seeds of each problem", "", *(spread([len(keys[solver]) for keys in problems.values()]) for solver in solvers)])
    times = [f"{1000 * curves.seconds_per_run(plays, solver, list(plays[solver])):.0f} ms" for solver in solvers]
    rows.append(["processor time per run", "", *times])
    return table(["share of the hypervolume", "runs", *(NAMES[one] for one in solvers)], rows)


def share(value):
    return "" if math.isnan(value) else f"{value:.3f}"


def spread(counts):
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low} to {high}"


def factors_table(grounds):
    rows = []
    for ground, title in (("s2mpj", "least squares"), ("bbob", "bbob"), ("re", "RE, 1 - share of the hypervolume")):
        plays = grounds[ground]
        if "random" not in plays:
            continue
        floor = {"s2mpj": 1e-12, "bbob": 1e-8, "re": 1e-3}[ground]
        for solver in (one for one in curves.solvers_of(plays) if one != "random"):
            keys = curves.common_keys(plays, [solver, "random"])
            factor, share = curves.acceleration(plays, solver, "random", keys)
            gains = [f"{number(curves.enhancement(plays, solver, 'random', keys, part, floor))}" for part in (0.25, 0.5, 1)]
            rows.append([title, NAMES[solver], len(keys), number(factor), percent(share), *gains])
    head = ["ground", "solver", "plays", "acceleration", "overtakes", "enhancement at 1/4", "at 1/2", "at the end"]
    return table(head, rows)


def published_table(rows):
    cells = [
        [
            f"{NAMES[row['solver']]} {row['version']}, {row['problem']}",
            row["values"],
            f"{100 * row['farthest']:.2g} %" if row["values"] else "",
            row["published"],
            row["direct"],
            row["here"],
        ]
        for row in rows
    ]
    return table(["user guide", "values compared", "farthest", "runs published", "called directly", "through our driver"], cells)


def played_table(grounds):
    rows = []
    for ground, plays in grounds.items():
        for solver in curves.solvers_of(plays):
            own = list(plays[solver].values())
            versions = ", ".join(sorted({play["version"] for play in own}))
            hours = sum(play["seconds"] for play in own) / 3600
            seeds = len({play["seed"] for play in own})
            rows.append([ground, NAMES[solver], versions, len({play["problem"] for play in own}), seeds, len(own), f"{hours:.2f}"])
    return table(["ground", "solver", "version", "problems", "seeds", "plays", "processor hours"], rows)


def charts(squares, black_boxes):
    found = {}
    solvers, keys = played_by_all(squares)
    if keys:
        for tau, name in ((1e-3, "coarse"), (1e-7, "fine")):
            targets = curves.targets_of(squares, solvers, keys, tau)
            data = {solver: curves.efforts(squares, solver, keys, targets) for solver in solvers}
            title = f"Least squares: share of {len(keys)} problems solved to {tau:g}"
            found[f"squares-{name}"] = (title, "runs / (inputs + 1)", data, (0.25, 0.5, 1, 2, 4, 10))
        ratios = curves.ratios(squares, solvers, keys, curves.targets_of(squares, solvers, keys, 1e-5))
        found["squares-performance"] = (
            "Least squares, to 1e-05: performance profile",
            "runs / runs of the best solver",
            ratios,
            (1, 2, 4, 8, 16),
        )
    for d, own, solvers, groups in black_box_classes(black_boxes):
        keys = [key for of in groups.values() for key in of]
        data = {solver: [effort for key in keys for effort in precision_efforts(own[solver][key])] for solver in solvers}
        found[f"bbob-{d}"] = (f"bbob, {d} inputs: share of targets reached", "runs / inputs", data, (0.5, 1, 2, 5, 10, 20, 50))
    return found
