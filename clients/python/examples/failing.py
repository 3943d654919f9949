"""A simulation that does not converge everywhere: an exception is a failed run, and the search avoids that region."""

from math import log10

from backsolve import log, real, solve, within


def column(reflux: float, pressure: float) -> dict[str, float]:
    if reflux * pressure > 40:
        raise ArithmeticError("the column floods")
    return {"purity": 99 - 6 / reflux - 0.2 * pressure, "heat": 12 * log10(1 + reflux) * pressure**0.5}


print(solve(column, {"reflux": log(0.5, 20), "pressure": real(1, 10)}, {"purity": within(96, 0.1), "heat": within(18, 0.2)}, budget=60))
