"""Whole numbers and a switch: teeth of a gear box for a given ratio and distance."""

from backsolve import boolean, integer, solve, within


def gears(driver: int, driven: int, doubled: bool) -> dict[str, float]:
    ratio = driven / driver
    return {"ratio": ratio**2 if doubled else ratio, "distance": (driver + driven) * 1.25 * (2 if doubled else 1)}


inputs = {"driver": integer(12, 40), "driven": integer(30, 120), "doubled": boolean()}
print(solve(gears, inputs, {"ratio": within(7.2, percent=3), "distance": within(220, percent=3)}, parallel=4, budget=80))
