"""Two inputs, three linear outputs, each within one percent of its target."""
from globalmoo.enums.objective_type import ObjectiveType

from inverse_loop import solve


def box(x):
    return [x[0] + x[1], 2 * x[0] + x[1], x[0] + 2 * x[1]]


solve(
    box,
    dict(minimums=[0.0, 0.0], maximums=[10.0, 10.0], input_types=["float", "float"], categories=[]),
    dict(
        desired_l1_norm=0.0,
        objectives=[2.0, 3.0, 3.0],
        objective_types=[ObjectiveType.PERCENT] * 3,
        minimum_bounds=[-1.0, -1.0, -1.0],
        maximum_bounds=[1.0, 1.0, 1.0],
    ),
    limit=10,
)
