"""An integer, a switch, a material and a float under inequalities; no bounds, so the client sends null for them."""
from inverse_loop import solve

STRENGTH = [1, 2.5, 4]


def box(x):
    count, braced, material, width = x
    cost = count * width * (1 + 0.2 * material) + 3 * braced
    load = STRENGTH[int(material)] * count * width**1.5 * (1.3 if braced else 1)
    # True stands for 1 in what is sent.
    return [cost, load, load > 10]


solve(
    box,
    dict(
        minimums=[1, 0, 0, 0.5],
        maximums=[12, 1, 2, 5.0],
        input_types=["integer", "boolean", "category", "float"],
        categories=["steel", "titanium", "carbon"],
    ),
    dict(objectives=[20, 70, 1], objective_types=["lessthan_equal", "greaterthan_equal", "greaterthan_equal"]),
    limit=30,
)
