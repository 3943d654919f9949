"""
Real-world problems with two and three objectives of the RE suite (Tanabe and Ishibuchi 2020, Applied Soft Computing 89, 106078; the formulas
are written from there). All objectives are to be small; where the design has requirements, the sum of their violations is the last objective,
as the suite has it. The budget is in runs. A play is worth the share of the hypervolume that its front leaves, with the reference point a
tenth beyond the nadir; ideal, nadir and the best hypervolume are of a front of 100,000 evaluations of NSGA-II:

    python bench/public/ground_re.py
"""

from math import sqrt

import numpy as np
from game import Problem

SHAPE = "front"
PEERS = ("random", "nsga2", "optuna-tpe", "qlognehvi")
RUNS = 100


def four_bar_truss(x):
    force, modulus, length = 10.0, 2e5, 200.0
    volume = length * (2 * x[0] + sqrt(2) * x[1] + sqrt(x[2]) + x[3])
    displacement = force * length / modulus * (2 / x[0] + 2 * sqrt(2) / x[1] - 2 * sqrt(2) / x[2] + 2 / x[3])
    return [volume, displacement]


def violations(*limits):
    """The sum of what is below 0."""
    return sum(max(0.0, -limit) for limit in limits)


def hatch_cover(x):
    flange, beam = x
    modulus = 7e5
    buckling = modulus * flange**2 / 100
    bending = 4500 / (flange * beam)
    shear = 1800 / beam
    deflection = 56.2e4 / (modulus * flange * beam**2)
    kept = (1 - bending / 700, 1 - shear / 450, 1 - deflection / 1.5, 1 - bending / buckling)
    return [flange + 120 * beam, violations(*kept)]


def two_bar_truss(x):
    left, right, height = x
    volume = left * sqrt(16 + height**2) + right * sqrt(1 + height**2)
    stress = 20 * sqrt(16 + height**2) / (left * height)
    other = 80 * sqrt(1 + height**2) / (height * right)
    return [volume, stress, violations(0.1 - volume, 1e5 - stress, 1e5 - other)]


def disc_brake(x):
    inner, outer, force, surfaces = x
    squares, cubes = outer**2 - inner**2, outer**3 - inner**3
    mass = 4.9e-5 * squares * (surfaces - 1)
    time = 9.82e6 * squares / (force * surfaces * cubes)
    kept = (
        outer - inner - 20,
        0.4 - force / (3.14 * squares),
        1 - 2.22e-3 * force * cubes / squares**2,
        2.66e-2 * force * surfaces * cubes / squares - 900,
    )
    return [mass, time, violations(*kept)]


def crash(x):
    a, b, c, d, e = x
    mass = 1640.2823 + 2.3573285 * a + 2.3220035 * b + 4.5688768 * c + 7.7213633 * d + 4.4559504 * e
    acceleration = 6.5856 + 1.15 * a - 1.0427 * b + 0.9738 * c + 0.8364 * d - 0.3695 * a * d + 0.0861 * a * e + 0.3628 * b * d
    acceleration += -0.1106 * a**2 - 0.3437 * c**2 + 0.1764 * d**2
    intrusion = -0.0551 + 0.0181 * a + 0.1024 * b + 0.0421 * c - 0.0073 * a * b + 0.024 * b * c - 0.0118 * b * d
    intrusion += -0.0204 * c * d - 0.008 * c * e - 0.0241 * b**2 + 0.0109 * d**2
    return [mass, acceleration, intrusion]


# Function, lower and upper bounds, then ideal, nadir and hypervolume of the long front in units of the box between them.
SUITE = {
    "RE21": (four_bar_truss, [1, sqrt(2), sqrt(2), 1], [3, 3, 3, 3], [1237.84, 0.00276143], [2886.37, 0.04], 0.8861),
    "RE24": (hatch_cover, [0.5, 0.5], [4, 50], [60.5, 0.0], [481.786, 44.2819], 1.1705),
    "RE31": (two_bar_truss, [1e-5, 1e-5, 1], [100, 100, 3], [5.53732e-05, 0.333333, 0.0], [500.019, 8246210.0, 19359900.0], 1.3309),
    "RE33": (disc_brake, [55, 75, 1000, 11], [80, 110, 3000, 20], [-0.721525, 1.13907, 0.0], [5.3067, 9.03024, 5685810.0], 1.3101),
    "RE34": (crash, [1] * 5, [3] * 5, [1661.71, 6.1428, 0.0424863], [1692.03, 10.5649, 0.264], 1.0328),
}
BEYOND = 1.1


def names():
    return list(SUITE)


def budget_of(name, factor):
    return factor or RUNS


def hypervolume(points, ideal, nadir):
    from pymoo.indicators.hv import HV

    scaled = (np.asarray(points) - ideal) / (np.asarray(nadir) - ideal)
    scaled = scaled[np.all(scaled < BEYOND, axis=1)]
    return float(HV(ref_point=np.full(len(ideal), BEYOND))(scaled)) if len(scaled) > 0 else 0.0


def load(name, seed):
    function, lower, upper, ideal, nadir, best = SUITE[name]
    lower, upper = np.array(lower, float), np.array(upper, float)

    def merit(outputs):
        points = [one for one in outputs if one is not None]
        return 1 - hypervolume(points, np.array(ideal), np.array(nadir)) / best if points else None

    d = len(function((lower + upper) / 2))
    return Problem(name, lower, upper, (lower + upper) / 2, SHAPE, d, function, objectives=d, merit=merit)


def long_front(name):
    from pymoo.algorithms.moo.nsga2 import NSGA2
    from pymoo.core.problem import ElementwiseProblem
    from pymoo.optimize import minimize

    function, lower, upper, *_ = SUITE[name]

    class Posed(ElementwiseProblem):
        def __init__(self):
            d = len(function((np.array(lower) + np.array(upper)) / 2))
            super().__init__(n_var=len(lower), n_obj=d, xl=np.array(lower, float), xu=np.array(upper, float))

        def _evaluate(self, x, out, *args, **kwargs):
            out["F"] = function(x)

    front = minimize(Posed(), NSGA2(pop_size=250), ("n_gen", 400), seed=1).F
    ideal, nadir = front.min(axis=0), front.max(axis=0)
    return ideal, nadir, hypervolume(front, ideal, nadir)


if __name__ == "__main__":
    for name in SUITE:
        ideal, nadir, volume = long_front(name)
        print(name, [float(f"{value:.6g}") for value in ideal], [float(f"{value:.6g}") for value in nadir], f"{volume:.5g}", flush=True)
