"""At least 20.5 of the first output while the second stays below 11 and the third near 4; zeros where no bound applies."""
from inverse_loop import solve


def box(x):
    return [5 * x[0] + 4 * x[1], x[0] ** 2 + x[1] ** 2, 2 * x[1]]


solve(
    box,
    dict(minimums=[0, 0], maximums=[4, 4], input_types=["float", "float"], categories=[]),
    dict(
        objectives=[20.5, 11, 4],
        objective_types=["maximize", "lessthan", "value"],
        minimum_bounds=[0, 0, -0.5],
        maximum_bounds=[0, 0, 0.5],
    ),
    limit=30,
)
