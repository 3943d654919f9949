"""Two polynomials with a mixed term, each within an absolute range of its target."""
from inverse_loop import solve


def box(x):
    return [x[0] ** 2 + x[0] * x[1] + 1, x[1] ** 3 - 2 * x[0] + 4]


solve(
    box,
    dict(minimums=[-3, -3], maximums=[3, 3], input_types=["float", "float"], categories=None),
    dict(
        objectives=box([1.3, -0.7]),
        objective_types=["value", "value"],
        minimum_bounds=[-0.02, -0.02],
        maximum_bounds=[0.02, 0.02],
    ),
    limit=25,
)
