"""Newton's law of cooling: which insulation and which start give these temperatures after one and after four hours?"""

from math import exp

from backsolve import log, real, solve, within


def thermos(loss: float, start: float) -> dict[str, float]:
    return {f"after {t} h": 20 + (start - 20) * exp(-loss * t) for t in (1, 4)}


goals = {"after 1 h": within(80, 0.5), "after 4 h": within(62, 0.5)}
result = solve(thermos, {"loss": log(0.005, 2), "start": real(60, 100)}, goals, budget=60)
print(result)
