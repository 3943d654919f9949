"""All outputs exact up to a total L1 norm; the client itself fills the bounds with zeros."""
from inverse_loop import solve


def box(x):
    return [x[0] + x[1] - x[2], 3 * x[0] - x[1], x[1] + 0.5 * x[2], x[2] - x[0]]


solve(
    box,
    dict(minimums=[0, 0, 0], maximums=[4, 4, 4], input_types=["float"] * 3, categories=[]),
    dict(desired_l1_norm=0.001, objectives=box([1.0, 2.5, 3.25]), objective_types=["exact"] * 4),
    limit=10,
)
